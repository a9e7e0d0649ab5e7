use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Extra;
use super::pieces::REFUSAL;
use crate::request::MediaKind;

/// What a message says: a text, or a list of parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "content must be a text or a list of parts with a type"
)]
pub enum Content {
    /// One text.
    Text(Arc<str>),
    /// Texts, images, sounds, files.
    Parts(Arc<[ContentPart]>),
}

/// One part of a message's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContentPart {
    /// What it is: `text`, `image_url`, `input_audio`, `file`, …
    #[serde(rename = "type")]
    pub kind: Arc<str>,
    /// Its text, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Arc<str>>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ContentPart {
    /// A part that is a text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self {
            kind: "text".into(),
            text: Some(text.into()),
            extra: Extra::new(),
        }
    }

    /// What it is if it isn't text, whatever text goes along.
    pub(super) fn media(&self) -> Option<MediaKind> {
        match &*self.kind {
            "document" if self.is_written() => None,
            "image_url" | "image" | "input_image" => Some(MediaKind::Image),
            "input_audio" | "audio_url" | "audio" => Some(MediaKind::Audio),
            "file" | "input_file" | "document" | "video_url" => Some(MediaKind::File),
            _ => None,
        }
    }

    /// Whether it is a document that is text, as Anthropic has them.
    fn is_written(&self) -> bool {
        let source = self.extra.get("source");
        let kind = source.and_then(|source| source.get("type")?.as_str());
        matches!(kind, Some("text" | "content"))
    }

    /// What it says, if it is text. A refusal is text in a field of its own name.
    pub(super) fn said(&self) -> Option<&str> {
        if self.media().is_some() {
            return None;
        }
        match &self.text {
            Some(text) => Some(text),
            None if &*self.kind == REFUSAL => self.extra.get(REFUSAL)?.as_str(),
            None => None,
        }
    }
}

impl Content {
    /// All text, the parts joined by line ends; without what goes along with an image and the
    /// like, and without refusals.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Parts(parts) => {
                let texts: Vec<&str> = parts
                    .iter()
                    .filter(|part| part.media().is_none())
                    .filter_map(|part| part.text.as_deref())
                    .collect();
                texts.join("\n")
            }
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Arc<str>> for Content {
    fn from(text: Arc<str>) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentPart>> for Content {
    fn from(parts: Vec<ContentPart>) -> Self {
        Self::Parts(parts.into())
    }
}
