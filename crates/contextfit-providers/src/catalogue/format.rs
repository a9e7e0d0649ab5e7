use contextfit_core::estimate::{Family, ImageTokens, PromptFormat};

use super::{CatalogueEntry, Provider};

/// What an image costs OpenAI's models, by how their names begin, after the name of a host. The
/// first that fits holds. Of later models nothing is published: they count as the last that is.
const OPENAI_IMAGES: [(&str, ImageTokens); 15] = [
    ("gpt-4o-mini", ImageTokens::GPT_4O_MINI),
    ("gpt-4.1-mini", ImageTokens::GPT_4_1_MINI),
    ("gpt-4.1-nano", ImageTokens::GPT_4_1_NANO),
    ("o4-mini", ImageTokens::O4_MINI),
    ("o1", ImageTokens::O3),
    ("o3", ImageTokens::O3),
    ("gpt-5-mini", ImageTokens::GPT_5_MINI),
    ("gpt-5-nano", ImageTokens::GPT_5_NANO),
    ("gpt-5.2", ImageTokens::GPT_5_2),
    ("gpt-5.3", ImageTokens::GPT_5_2),
    ("gpt-5.4", ImageTokens::GPT_5_4),
    ("gpt-5.5", ImageTokens::GPT_5_5),
    ("gpt-5.6", ImageTokens::GPT_5_6),
    ("gpt-6", ImageTokens::GPT_5_6),
    ("gpt-5", ImageTokens::GPT_5),
];

impl CatalogueEntry {
    /// What stands beside text costs so much, as far as its provider says.
    ///
    /// | models | format |
    /// |---|---|
    /// | OpenAI's | [`OPENAI`](PromptFormat::OPENAI), with the rule for images that their guide gives for the model; of later ones nothing is published, and they count as the last that is |
    /// | Claude before 4.7, and later | [`ANTHROPIC`](PromptFormat::ANTHROPIC), [`ANTHROPIC_4_7`](PromptFormat::ANTHROPIC_4_7) |
    /// | Google's | [`GEMINI`](PromptFormat::GEMINI), before Gemini 3 with the images of [`GEMINI_2`](ImageTokens::GEMINI_2) |
    /// | Llama, Mistral's, DeepSeek's, Qwen | that of their name |
    /// | others | [`PLAIN`](PromptFormat::PLAIN) |
    #[must_use]
    pub fn format(&self) -> PromptFormat {
        // The name of the model alone, without a host.
        let model = self.name.rsplit('/').next().unwrap_or(&self.name);
        let model = model.strip_prefix("openai.").unwrap_or(model);
        match self.provider {
            Provider::OpenAi => {
                let image = OPENAI_IMAGES
                    .iter()
                    .find(|(name, _)| model.starts_with(name));
                image.map_or(PromptFormat::OPENAI, |&(_, image)| {
                    PromptFormat::OPENAI.with_image(image)
                })
            }
            // With its new tokenizer, Claude counts images and tools otherwise.
            Provider::Anthropic if self.family == Family::Widest => PromptFormat::ANTHROPIC_4_7,
            Provider::Anthropic => PromptFormat::ANTHROPIC,
            Provider::Google if model.starts_with("gemini-2") => {
                PromptFormat::GEMINI.with_image(ImageTokens::GEMINI_2)
            }
            Provider::Google => PromptFormat::GEMINI,
            Provider::Meta => PromptFormat::LLAMA,
            Provider::Mistral => PromptFormat::MISTRAL,
            Provider::DeepSeek => PromptFormat::DEEPSEEK,
            Provider::Qwen => PromptFormat::QWEN,
            _ => PromptFormat::PLAIN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[test]
    fn the_rule_for_images_is_that_of_the_model() {
        for (name, image) in [
            ("gpt-4o", ImageTokens::GPT_4O),
            ("gpt-4o-mini", ImageTokens::GPT_4O_MINI),
            ("gpt-4.1", ImageTokens::GPT_4O),
            ("o4-mini", ImageTokens::O4_MINI),
            ("o3-pro", ImageTokens::O3),
            ("gpt-5", ImageTokens::GPT_5),
            ("gpt-5.1", ImageTokens::GPT_5),
            ("gpt-5-mini", ImageTokens::GPT_5_MINI),
            ("openai.gpt-5.5", ImageTokens::GPT_5_5),
            ("github_copilot/gpt-5.4", ImageTokens::GPT_5_4),
            ("gemini-2.5-pro", ImageTokens::GEMINI_2),
            ("gemini-3-pro-preview", ImageTokens::GEMINI_3),
            ("claude-sonnet-4-5", ImageTokens::CLAUDE),
            ("claude-opus-4-7", ImageTokens::CLAUDE_4_7),
        ] {
            let entry = Catalogue::entry(name).expect(name);
            assert_eq!(entry.format().image, image, "{name}");
        }
    }
}
