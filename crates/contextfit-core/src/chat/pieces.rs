use serde_json::Value;

use super::media::media;
use super::{ChatMessage, ChatRole, Content, ContentPart, Extra, ToolCall};
use crate::request::{Piece, Str};

/// Where a piece stands in its message, for whoever wants to replace its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The content, being one text.
    Content,
    /// The part of this number, being a text.
    Part(usize),
    /// The field of its own that a refusal stands in.
    Refusal,
    /// Wherever no text can be replaced.
    Elsewhere,
}

/// Fields with what the model thought, as different servers call it.
const THINKING: [&str; 2] = ["reasoning_content", "reasoning"];
pub(super) const REFUSAL: &str = "refusal";

impl ChatMessage {
    /// Shows the pieces of the message, each with its place.
    ///
    /// The one source of their order: reading and clipping both number the pieces by it.
    pub(super) fn pieces<'a>(&'a self, mut visit: impl FnMut(Place, Piece<'a>)) {
        if let Some(name) = self.speaker() {
            visit(Place::Elsewhere, Piece::Speaker(Str::plain(name)));
        }
        for thinking in THINKING.iter().filter_map(|field| self.string(field)) {
            visit(Place::Elsewhere, Piece::Thinking(Str::plain(thinking)));
        }
        match &self.content {
            Some(Content::Text(text)) => visit(Place::Content, self.text_piece(text)),
            Some(Content::Parts(parts)) => {
                for (number, part) in parts.iter().enumerate() {
                    self.pieces_of_part(number, part, &mut visit);
                }
            }
            None => {}
        }
        if let Some(refusal) = self.string(REFUSAL) {
            visit(Place::Refusal, Piece::Text(Str::plain(refusal)));
        }
        for call in &*self.tool_calls {
            visit(Place::Elsewhere, call.piece());
        }
        // The way older than tools: one call, without an id.
        if let Some(Value::Object(call)) = self.extra.get("function_call") {
            let call = Piece::ToolCall {
                id: Str::plain(""),
                name: Str::plain(string(call, "name").unwrap_or_default()),
                arguments: Str::plain(string(call, "arguments").unwrap_or_default()),
            };
            visit(Place::Elsewhere, call);
        }
        for (field, text) in strings(&self.extra) {
            if !THINKING.contains(&field) && field != REFUSAL {
                visit(Place::Elsewhere, Piece::of_unknown(text));
            }
        }
    }

    fn pieces_of_part<'a>(
        &'a self,
        number: usize,
        part: &'a ContentPart,
        visit: &mut impl FnMut(Place, Piece<'a>),
    ) {
        if let Some(kind) = part.media() {
            visit(Place::Elsewhere, Piece::Media(media(kind, part)));
        } else if let Some(text) = part.said() {
            visit(Place::Part(number), self.text_piece(text));
        } else {
            let mut silent = true;
            for value in part.extra.values() {
                Piece::each_unknown(value, &mut |piece| {
                    visit(Place::Elsewhere, piece);
                    silent = false;
                });
            }
            // No part goes unseen, or a message would seem to be made of the others alone.
            if silent {
                visit(Place::Elsewhere, Piece::Opaque(Str::plain("")));
            }
        }
    }

    /// A text of this message as a piece.
    fn text_piece<'a>(&'a self, text: &'a str) -> Piece<'a> {
        if self.is_of_a_tool() {
            Piece::ToolResult {
                call_id: Str::plain(self.tool_call_id.as_deref().unwrap_or_default()),
                name: Str::plain(self.name.as_deref().unwrap_or_default()),
                content: Str::plain(text),
            }
        } else {
            Piece::Text(Str::plain(text))
        }
    }

    /// The name of who speaks; that of a tool stands with its result.
    fn speaker(&self) -> Option<&str> {
        let name = self.name.as_deref().filter(|name| !name.is_empty())?;
        (!self.is_of_a_tool()).then_some(name)
    }

    const fn is_of_a_tool(&self) -> bool {
        matches!(self.role, ChatRole::Tool | ChatRole::Function)
    }

    fn string(&self, field: &str) -> Option<&str> {
        string(&self.extra, field)
    }
}

impl ToolCall {
    fn piece(&self) -> Piece<'_> {
        Piece::ToolCall {
            id: Str::plain(&self.id),
            name: Str::plain(self.name()),
            arguments: Str::plain(self.arguments()),
        }
    }
}

fn string<'a>(extra: &'a Extra, field: &str) -> Option<&'a str> {
    extra.get(field)?.as_str()
}

fn strings(extra: &Extra) -> impl Iterator<Item = (&str, &str)> {
    extra
        .iter()
        .filter_map(|(field, value)| Some((field.as_str(), value.as_str()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> Vec<(Place, String)> {
        let message: ChatMessage = serde_json::from_str(json).unwrap();
        let written = serde_json::to_value(&message).unwrap();
        assert_eq!(written, serde_json::from_str::<Value>(json).unwrap());
        let mut shown = Vec::new();
        message.pieces(|place, piece| shown.push((place, told(piece))));
        shown
    }

    fn told(piece: Piece<'_>) -> String {
        let kind = match piece {
            Piece::Speaker(_) => "speaker",
            Piece::Text(_) => "text",
            Piece::Thinking(_) => "thinking",
            Piece::ToolCall { .. } => "call",
            Piece::ToolResult { .. } => "result",
            Piece::Media(media) => media.kind.name(),
            Piece::Opaque(_) => "opaque",
            Piece::Schema(_) => "schema",
        };
        let mut told = vec![kind.to_owned()];
        piece.for_each_text(|text| told.push(text.decode().into_owned()));
        told.join("|")
    }

    fn elsewhere(texts: &[&str]) -> Vec<(Place, String)> {
        let place = |text: &&str| (Place::Elsewhere, (*text).to_owned());
        texts.iter().map(place).collect()
    }

    #[test]
    fn a_custom_call_shows_its_name_and_its_input() {
        let json = r#"{"role":"assistant","content":null,"tool_calls":[
            {"id":"c1","type":"custom","custom":{"name":"shell","input":"ls -l"}},
            {"id":"c2","type":"function","function":{"name":"f","arguments":"{}","strict":true}},
            {"id":"c3","type":"unheard_of"}]}"#;
        assert_eq!(
            shown(json),
            elsewhere(&["call|c1|shell|ls -l", "call|c2|f|{}", "call|c3||"])
        );
    }

    #[test]
    fn a_function_call_of_the_old_way_is_a_call_without_an_id() {
        let json = r#"{"role":"assistant","content":null,
            "function_call":{"name":"f","arguments":"{\"a\":1}"}}"#;
        assert_eq!(shown(json), elsewhere(&["call||f|{\"a\":1}"]));
        for nothing in ["null", "7", "[]"] {
            let json =
                format!(r#"{{"role":"assistant","content":null,"function_call":{nothing}}}"#);
            assert_eq!(shown(&json), []);
        }
    }

    #[test]
    fn fields_beside_the_content_are_shown_in_one_order() {
        let json = r#"{"role":"assistant","note":"n","refusal":"no","reasoning":"r",
            "content":"said","reasoning_content":"rc","annotations":[],"audio":null,
            "tool_calls":[{"id":"c","function":{"name":"f","arguments":""}}]}"#;
        let mut expected = elsewhere(&["thinking|rc", "thinking|r", "call|c|f|", "opaque|n"]);
        expected.insert(2, (Place::Content, "text|said".to_owned()));
        expected.insert(3, (Place::Refusal, "text|no".to_owned()));
        assert_eq!(shown(json), expected);
    }

    #[test]
    fn a_part_is_what_its_kind_says() {
        let json = r#"{"role":"user","content":[
            {"type":"text","text":"one"},
            {"type":"image_url","image_url":{"url":"data:"},"text":"alt"},
            {"type":"image","text":"alt"},
            {"type":"input_audio","input_audio":{}},
            {"type":"file","file":{},"text":""},
            {"type":"refusal","refusal":"no"},
            {"type":"unheard_of","text":"read"},
            {"type":"unheard_of","beside":"b","unheard_of":"a"},
            {"type":"unheard_of"}]}"#;
        let other = |text: &str| (Place::Elsewhere, text.to_owned());
        let text = |number, text: &str| (Place::Part(number), format!("text|{text}"));
        assert_eq!(
            shown(json),
            [
                text(0, "one"),
                other("image"),
                other("image"),
                other("audio"),
                other("file"),
                text(5, "no"),
                text(6, "read"),
                other("opaque|b"),
                other("opaque|a"),
                other("opaque|"),
            ]
        );
    }

    #[test]
    fn what_is_deep_inside_a_part_is_shown_too() {
        let json = r#"{"role":"user","content":[
            {"type":"tool_result","content":[
                {"type":"text","text":"out"},
                {"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},
                {"type":"image","source":{"type":"url","url":"https://a/b.png"}}],
                "tool_use_id":"t"},
            {"type":"document","source":{"type":"text","data":"one","media_type":"text/plain"}},
            {"type":"document","source":{"type":"content","content":[{"text":"two"}]}},
            {"type":"unheard_of","deep":[[{"a":[7,null,{"b":"three"}]}]]}]}"#;
        assert_eq!(
            shown(json),
            elsewhere(&[
                "opaque|out",
                "image",
                "opaque|https://a/b.png",
                "opaque|t",
                "opaque|one",
                "opaque|text/plain",
                "opaque|two",
                "opaque|three",
            ])
        );
    }

    #[test]
    fn a_name_is_the_speaker_and_comes_first() {
        for role in ["system", "user", "assistant"] {
            let json = format!(
                r#"{{"role":"{role}","name":"ann","reasoning":"r","content":"said","note":"n"}}"#
            );
            let mut expected = elsewhere(&["speaker|ann", "thinking|r", "opaque|n"]);
            expected.insert(2, (Place::Content, "text|said".to_owned()));
            assert_eq!(shown(&json), expected);
        }
        let nameless = r#"{"role":"user","name":"","content":"said"}"#;
        assert_eq!(shown(nameless), [(Place::Content, "text|said".to_owned())]);
    }

    #[test]
    fn the_name_of_a_tool_stands_with_its_result() {
        for role in ["tool", "function"] {
            let json = format!(r#"{{"role":"{role}","name":"read","content":"out"}}"#);
            let result = (Place::Content, "result||read|out".to_owned());
            assert_eq!(shown(&json), [result]);
        }
    }

    #[test]
    fn the_text_of_a_tool_is_a_result() {
        let json = r#"{"role":"tool","tool_call_id":"c","content":[
            {"type":"text","text":"out"}]}"#;
        assert_eq!(shown(json), [(Place::Part(0), "result|c||out".to_owned())]);
    }
}
