use contextfit_core::estimate::Family;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

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

    /// The encoding that a family is; `None` for those that aren't OpenAI's. The catalogue of models
    /// knows the family of each model by its name.
    ///
    /// ```
    /// use contextfit_core::estimate::Family;
    /// use contextfit_tokenizers::Encoding;
    ///
    /// assert_eq!(Encoding::of_family(Family::O200k), Some(Encoding::O200kBase));
    /// assert_eq!(Encoding::of_family(Family::Qwen), None);
    /// ```
    #[must_use]
    pub const fn of_family(family: Family) -> Option<Self> {
        match family {
            Family::O200k => Some(Self::O200kBase),
            Family::Cl100k => Some(Self::Cl100kBase),
            _ => None,
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
