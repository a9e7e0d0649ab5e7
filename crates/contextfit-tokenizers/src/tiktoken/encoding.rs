use tiktoken_rs::CoreBPE;
use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};
use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

/// One of OpenAI's tokenizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `o200k_base`: GPT-4o, GPT-4.1, GPT-5, o1, o3, o4-mini.
    O200kBase,
    /// `o200k_harmony`: gpt-oss. It counts as [`O200kBase`](Self::O200kBase) does, and shares its
    /// vocabulary: they differ in special tokens, which no text has.
    O200kHarmony,
    /// `cl100k_base`: GPT-4, GPT-3.5, the newer embedding models.
    Cl100kBase,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::O200kBase, Self::O200kHarmony, Self::Cl100kBase];

    /// What OpenAI calls it, `o200k_base` say.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::O200kHarmony => "o200k_harmony",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// The encoding of a model, by the name that OpenAI gave it. `None` for models of others, and
    /// for those too old to have one of these.
    ///
    /// ```
    /// use contextfit_tokenizers::Encoding;
    ///
    /// assert_eq!(Encoding::of_model("gpt-4o-mini"), Some(Encoding::O200kBase));
    /// assert_eq!(Encoding::of_model("gpt-4"), Some(Encoding::Cl100kBase));
    /// assert_eq!(Encoding::of_model("a-model"), None);
    /// ```
    #[must_use]
    pub fn of_model(model: &str) -> Option<Self> {
        match get_tokenizer(model)? {
            Tokenizer::O200kBase => Some(Self::O200kBase),
            Tokenizer::O200kHarmony => Some(Self::O200kHarmony),
            Tokenizer::Cl100kBase => Some(Self::Cl100kBase),
            Tokenizer::P50kBase | Tokenizer::R50kBase | Tokenizer::P50kEdit | Tokenizer::Gpt2 => {
                None
            }
        }
    }

    /// Its tokenizer, loaded once in the life of the process.
    pub(super) fn tokenizer(self) -> &'static CoreBPE {
        match self {
            Self::O200kBase | Self::O200kHarmony => o200k_base_singleton(),
            Self::Cl100kBase => cl100k_base_singleton(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_the_encoding_that_openai_gave_them() {
        for (model, encoding) in [
            ("gpt-5", Some(Encoding::O200kBase)),
            ("gpt-4.1-mini", Some(Encoding::O200kBase)),
            ("o3-2025-04-16", Some(Encoding::O200kBase)),
            ("gpt-oss-120b", Some(Encoding::O200kHarmony)),
            ("gpt-4-0613", Some(Encoding::Cl100kBase)),
            ("text-embedding-3-small", Some(Encoding::Cl100kBase)),
            ("text-davinci-003", None),
            ("gpt2", None),
            ("", None),
        ] {
            assert_eq!(Encoding::of_model(model), encoding, "{model}");
        }
    }

    #[test]
    fn harmony_has_the_same_tokens_of_text() {
        let harmony = tiktoken_rs::o200k_harmony_singleton();
        let shared = Encoding::O200kHarmony.tokenizer();
        for text in [
            "It's 10:30; see §4.\n\n",
            "端口是八零八零。",
            "<|start|>user<|message|>",
        ] {
            assert_eq!(shared.encode_ordinary(text), harmony.encode_ordinary(text));
        }
    }
}
