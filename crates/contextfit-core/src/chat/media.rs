//! What can be told of an image, a sound or a file without reading all of it.

use serde_json::Value;

use super::ContentPart;
use crate::request::{Data, Detail, Media, MediaKind};

/// A part that is media, with what it says of them.
pub(super) fn media(kind: MediaKind, part: &ContentPart) -> Media<'_> {
    // The field has the name of the kind, or of what OpenAI's other wire or Anthropic's calls it.
    let fields = [&*part.kind, "image_url", "file_data", "source"];
    let Some(inner) = fields.iter().find_map(|field| part.extra.get(*field)) else {
        return Media::new(kind);
    };
    let detail = inner.get("detail").or_else(|| part.extra.get("detail"));
    let media = Media::new(kind).detail(detail_of(detail));
    match data(inner) {
        Some(data) => media.told_by(data),
        None => media,
    }
}

/// The data in a field, where it has them itself and not somewhere else.
fn data(field: &Value) -> Option<Data<'_>> {
    if let Some(url) = field.as_str() {
        return Data::of_url(url);
    }
    let text = |name| field.get(name)?.as_str();
    if let Some(url) = text("url").or_else(|| text("file_data")) {
        return Data::of_url(url);
    }
    let media_type = text("media_type").or_else(|| text("format"));
    Some(Data::new(media_type.unwrap_or_default(), text("data")?))
}

fn detail_of(word: Option<&Value>) -> Detail {
    match word.and_then(Value::as_str) {
        Some("low") => Detail::Low,
        Some("high") => Detail::High,
        Some("original") => Detail::Original,
        _ => Detail::Auto,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::chat::ChatMessage;
    use crate::request::{Piece, Str};

    /// An image of one pixel.
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    /// The header of a sound with 1 000 bytes a second.
    const WAV: &str = "UklGRgAAAABXQVZFZm10IBAAAAABAAEA6AMAAOgDAAABAAgAZGF0YQAAAAA=";

    /// What is told of a part, in a message of any role.
    fn told(part: &str) -> Media<'static> {
        let part = part.replace("PNG", PNG).replace("WAV", WAV);
        let mut told: Vec<Media<'static>> = Vec::new();
        for role in ["user", "assistant", "tool"] {
            let json = format!(r#"{{"role":"{role}","content":[{part}]}}"#);
            let message: ChatMessage = serde_json::from_str(&json).unwrap();
            message.pieces(|_, piece| match piece {
                Piece::Media(media) => told.push(unlabelled(media)),
                other => panic!("{other:?}"),
            });
        }
        assert!(told.len() == 3 && told[0] == told[1] && told[0] == told[2]);
        told[0]
    }

    /// The same, borrowing nothing.
    fn unlabelled(media: Media<'_>) -> Media<'static> {
        Media {
            label: Str::plain(""),
            ..media
        }
    }

    #[test]
    fn an_image_has_its_size_in_every_form() {
        let size = Media::new(MediaKind::Image).size(1, 1).bytes(72);
        for form in [
            r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,PNG"}}"#,
            r#"{"type":"image_url","image_url":"data:image/png;base64,PNG"}"#,
            r#"{"type":"image","image":"data:image/png;base64,PNG"}"#,
            r#"{"type":"input_image","image_url":"data:image/png;base64,PNG"}"#,
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"PNG"}}"#,
            r#"{"type":"unheard_of","picture":"data:image/png;base64,PNG"}"#,
        ] {
            assert_eq!(told(form), size, "{form}");
        }
    }

    #[test]
    fn an_image_elsewhere_has_no_size_but_its_detail() {
        let image = Media::new(MediaKind::Image);
        for (detail, expected) in [
            (r#","detail":"low""#, Detail::Low),
            (r#","detail":"high""#, Detail::High),
            (r#","detail":"original""#, Detail::Original),
            (r#","detail":"auto""#, Detail::Auto),
            (r#","detail":7"#, Detail::Auto),
            ("", Detail::Auto),
        ] {
            for form in [
                format!(
                    r#"{{"type":"image_url","image_url":{{"url":"https://a/b.png"{detail}}}}}"#
                ),
                format!(r#"{{"type":"input_image","image_url":"https://a/b.png"{detail}}}"#),
            ] {
                assert_eq!(told(&form), image.detail(expected), "{form}");
            }
        }
    }

    #[test]
    fn a_sound_has_its_length_or_its_bytes() {
        let sound = Media::new(MediaKind::Audio);
        let form = |data| {
            told(&format!(
                r#"{{"type":"input_audio","input_audio":{{"data":"{data}","format":"any"}}}}"#
            ))
        };
        let lasts = sound.bytes(45).duration(Duration::from_millis(45));
        assert_eq!(form("WAV"), lasts);
        assert_eq!(form("SUQzBAAA"), sound.bytes(6));
    }

    #[test]
    fn a_file_has_its_bytes_where_it_is_sent_along() {
        let file = Media::new(MediaKind::File);
        for form in [
            r#"{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAAAAAA"}}"#,
            r#"{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AAAAAAAA"}"#,
            r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAAAAAA"}}"#,
        ] {
            assert_eq!(told(form), file.bytes(6), "{form}");
        }
        assert_eq!(told(r#"{"type":"file","file":{"file_id":"f"}}"#), file);
    }

    #[test]
    fn what_is_malformed_is_not_known() {
        for form in [
            r#"{"type":"image_url"}"#,
            r#"{"type":"image_url","image_url":null}"#,
            r#"{"type":"image_url","image_url":[]}"#,
            r#"{"type":"image_url","image_url":{"url":7}}"#,
            r#"{"type":"image_url","image_url":{"url":"data:image/png"}}"#,
            r#"{"type":"image","source":{"data":7}}"#,
        ] {
            assert_eq!(told(form), Media::new(MediaKind::Image), "{form}");
        }
        let broken = told(r#"{"type":"image_url","image_url":{"url":"data:;base64,!!!!"}}"#);
        assert_eq!(broken, Media::new(MediaKind::Image).bytes(3));
    }
}
