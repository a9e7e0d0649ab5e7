use contextfit_core::request::{AdapterError, MediaKind, Role};

use crate::wire::fixed;
use crate::wire::format::{Merging, Rules};
use crate::wire::index::{Entry, Id, Index, Tie};
use crate::wire::json::{Kind, Reader, Span};
use crate::wire::leaves::{leaves, opaque};
use crate::wire::media::media;

pub(in crate::wire) const RULES: Rules = Rules {
    read,
    user_message: [r#"{"role":"user","content":"#, "}"],
    merging: Merging {
        // OpenAI takes any order; some that speak like it don't.
        is_required: false,
        text_part: Some([r#"{"type":"text","text":"#, "}"]),
    },
};

fn read(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "model",
        "messages",
        "tools",
        "functions",
        "response_format",
        "max_tokens",
        "max_completion_tokens",
    ];
    reader.object(NAMES, |reader, name| {
        match name {
            "model" => index.model = fixed::model(reader)?,
            "messages" => {
                let list = reader.array(|reader, _| message(reader, index))?;
                index.list = Some(list);
            }
            "tools" | "functions" => fixed::schemas(reader, index)?,
            "response_format" => fixed::schema(reader, index)?,
            "max_tokens" | "max_completion_tokens" => index.output.extend(reader.tokens()?),
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    match index.list {
        Some(_) => Ok(()),
        None => Err(reader.missing("messages")),
    }
}

/// What a message has beside its content.
#[derive(Default)]
struct Fields {
    role: Option<Role>,
    content: Option<Span>,
    name: Option<Span>,
    answers: Option<Span>,
    /// What the model thought.
    thinking: Vec<Entry>,
    /// What comes after the content.
    rest: Vec<Entry>,
    is_plain: bool,
}

fn message(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "role",
        "content",
        "name",
        "tool_call_id",
        "tool_calls",
        "function_call",
        // What the model thought, as different servers call it.
        "reasoning_content",
        "reasoning",
        "refusal",
    ];
    let mut fields = Fields {
        is_plain: true,
        ..Fields::default()
    };
    let span = reader.object(NAMES, |reader, name| {
        let is_null = reader.kind()? == Kind::Null;
        fields.is_plain &= matches!(name, "role" | "content");
        match name {
            "role" => fields.role = Some(role(reader)?),
            "content" => fields.content = content(reader, index)?,
            "name" => fields.name = reader.optional_text()?,
            "tool_call_id" => fields.answers = reader.optional_text()?,
            "tool_calls" if !is_null => {
                reader.array(|reader, _| call(reader, index, &mut fields.rest))?;
            }
            "function_call" if reader.kind()? == Kind::Object => {
                fields.rest.push(function(reader, Span::EMPTY)?);
            }
            "reasoning_content" | "reasoning" if reader.kind()? == Kind::Text => {
                fields.thinking.push(Entry::Thinking(reader.value()?));
            }
            "refusal" if reader.kind()? == Kind::Text => {
                let said = Entry::Text(reader.value()?);
                fields.rest.insert(0, said);
            }
            _ if reader.kind()? == Kind::Text => {
                let text = reader.value()?;
                fields.rest.push(opaque(text, reader.body()));
            }
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    let Some(role) = fields.role else {
        return Err(reader.missing("role"));
    };
    finish(reader, index, fields, role, span);
    Ok(())
}

/// Puts the pieces of a message in their order, and ends it.
fn finish(reader: &Reader<'_>, index: &mut Index, fields: Fields, role: Role, span: Span) {
    let start = index.start_of_message();
    let is_of_a_tool = role == Role::Tool;
    let name = fields.name.filter(|name| *name != Span::EMPTY);
    if is_of_a_tool {
        let id = fields.answers.unwrap_or_default();
        let name = name.unwrap_or_default();
        for piece in &mut index.pieces[start..] {
            if let Entry::Text(content) = *piece {
                *piece = Entry::Result { id, name, content };
            }
        }
    }
    let speaker = name.filter(|name| !is_of_a_tool && name.start() < name.end());
    let before = speaker
        .map(Entry::Speaker)
        .into_iter()
        .chain(fields.thinking);
    index.pieces.splice(start..start, before);
    index.pieces.extend(fields.rest);
    if let Some(id) = fields.answers {
        index.ties.push(Tie::Answers(Id::at(id, reader.body())));
    }
    let said = fields.content.filter(|_| fields.is_plain && !is_of_a_tool);
    index.end_message(role, span, said);
}

fn role(reader: &mut Reader<'_>) -> Result<Role, AdapterError> {
    let word = reader.word()?;
    Ok(match &*word {
        "system" => Role::System,
        "developer" => Role::Developer,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => return Err(reader.wrong(format!("`{word}` is no role"))),
    })
}

/// A text, or parts.
pub(super) fn content(
    reader: &mut Reader<'_>,
    index: &mut Index,
) -> Result<Option<Span>, AdapterError> {
    match reader.kind()? {
        Kind::Null => {
            reader.value()?;
            Ok(None)
        }
        Kind::Text => {
            let text = reader.value()?;
            index.pieces.push(Entry::Text(text));
            Ok(Some(text))
        }
        Kind::Array => reader.array(|reader, _| part(reader, index)).map(Some),
        _ => Err(reader.wrong("a string or an array of parts was expected")),
    }
}

fn part(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &["type", "text", "refusal"];
    let (mut kind, mut text, mut refusal) = (None, None, None);
    let start = index.pieces.len();
    let span = reader.object(NAMES, |reader, name| {
        match name {
            "type" => kind = Some(reader.word()?),
            "text" => text = reader.optional_text()?,
            "refusal" => refusal = reader.optional_text()?,
            // What it is may come last.
            _ => leaves(reader, &mut |entry| index.pieces.push(entry))?,
        }
        Ok(())
    })?;
    let Some(kind) = kind else {
        return Err(reader.missing("type"));
    };
    let kind = match &*kind {
        "image_url" | "image" | "input_image" => Some(MediaKind::Image),
        "input_audio" | "audio_url" | "audio" => Some(MediaKind::Audio),
        "file" | "input_file" | "document" | "video_url" => Some(MediaKind::File),
        _ => None,
    };
    if let Some(kind) = kind {
        index.pieces.truncate(start);
        let media = reader.within(span, "", |reader| media(reader, kind))?;
        index.pieces.push(Entry::Media(media));
    } else if let Some(said) = text.or(refusal) {
        index.pieces.truncate(start);
        index.pieces.push(Entry::Text(said));
    } else if index.pieces.len() == start {
        // No part goes unseen, or a message would seem to be made of the others alone.
        index.pieces.push(Entry::Opaque(Span::EMPTY));
    }
    Ok(())
}

fn call(
    reader: &mut Reader<'_>,
    index: &mut Index,
    pieces: &mut Vec<Entry>,
) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &["id", "function", "custom"];
    let mut id = None;
    let mut called = None;
    reader.object(NAMES, |reader, name| {
        match name {
            "id" => id = Some(reader.text()?),
            "function" | "custom" if reader.kind()? == Kind::Object => {
                called = Some(function(reader, Span::EMPTY)?);
            }
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    let Some(id) = id else {
        return Err(reader.missing("id"));
    };
    index.ties.push(Tie::Calls(Id::at(id, reader.body())));
    let (name, arguments) = match called {
        Some(Entry::Call {
            name, arguments, ..
        }) => (name, arguments),
        _ => (Span::EMPTY, Span::EMPTY),
    };
    pieces.push(Entry::Call {
        id,
        name,
        arguments,
    });
    Ok(())
}

/// The name of a tool, and what it is called with.
fn function(reader: &mut Reader<'_>, id: Span) -> Result<Entry, AdapterError> {
    const NAMES: &[&str] = &["name", "arguments", "input"];
    let (mut called, mut arguments) = (Span::EMPTY, Span::EMPTY);
    reader.object(NAMES, |reader, name| {
        match name {
            "name" => called = reader.optional_text()?.unwrap_or_default(),
            // A string by the book. Some send the object itself.
            "arguments" | "input" => arguments = reader.value()?,
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    Ok(Entry::Call {
        id,
        name: called,
        arguments,
    })
}

#[cfg(test)]
mod tests {
    use contextfit_core::chat::ChatRequest;
    use contextfit_core::request::{Conversation, Piece};

    use crate::wire::told::place_of_error;
    use crate::wire::{WireFormat, WireRequest};

    /// Everything a view tells of a request, in a form that doesn't tell escapes apart.
    fn told(view: &impl Conversation) -> Vec<String> {
        let mut told = vec![format!("{:?} {:?}", view.model(), view.max_output_tokens())];
        let mut piece = |piece: Piece<'_>| {
            let mut texts = vec![piece.kind().name().to_owned()];
            piece.for_each_text(|text| texts.push(text.decode().into_owned()));
            if let Piece::Media(media) = piece {
                texts.push(format!(
                    "{:?} {:?} {:?}",
                    media.kind, media.size, media.bytes
                ));
            }
            told.push(texts.join("|"));
        };
        view.fixed(&mut piece);
        for index in 0..view.len() {
            view.pieces(index, &mut piece);
        }
        for index in 0..view.len() {
            told.push(format!("{:?}", view.message(index)));
            view.links(index, &mut |link| told.push(format!("{link:?}")));
        }
        told
    }

    #[test]
    fn a_body_is_seen_as_a_chat_request_is() {
        let body = r#"{"model":"m\u0031","max_tokens":5,"max_completion_tokens":7,"messages":[
            {"role":"system","content":[{"type":"text","text":"be kind","cache_control":{"type":"ephemeral"}}]},
            {"role":"developer","content":"and \"brief\""},
            {"content":[{"type":"text","text":"look"},
                {"type":"image_url","image_url":{"url":"data:image\/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ","detail":"low"}},
                {"type":"input_audio","input_audio":{"data":"SUQzBAAA","format":"mp3"}},
                {"type":"file","file":{"file_data":"data:application/pdf;base64,AAAAAAAA"}},
                {"type":"unheard_of","a":[{"b":"c"}]},{"type":"silent"},
                {"type":"image_url","image_url":{"url":"https://a/b.png"}}],"role":"user","name":"ann"},
            {"role":"assistant","tool_calls":[
                {"id":"c\/1","type":"function","function":{"name":"f","arguments":"{\"a\":\"\\n\"}"}},
                {"id":"c2","type":"custom","custom":{"name":"shell","input":"ls"}},
                {"id":"c3","type":"unheard_of"}],"content":null,"reasoning_content":"hm","refusal":"no","note":"n"},
            {"content":"out","tool_call_id":"c/1","role":"tool"},
            {"role":"tool","tool_call_id":"c2","name":"shell","content":[{"type":"text","text":"x"}]},
            {"role":"tool","tool_call_id":"c3","content":""},
            {"role":"assistant","function_call":{"name":"g","arguments":"{}"}},
            {"role":"function","name":"g","content":"out"},
            {"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}],
            "tools":[{"type":"function","function":{"name":"f"}}, 7],"functions":[{"name":"g"}],
            "response_format":{"type":"json_object"}}"#;
        let request = WireRequest::parse(WireFormat::OpenAiChat, body).unwrap();
        let chat: ChatRequest = serde_json::from_str(body).unwrap();
        assert_eq!(told(&request), told(&chat));
    }

    #[test]
    fn an_error_names_the_place() {
        for (body, place) in [
            ("", "the body"),
            ("[]", "the body"),
            ("{}", "the body"),
            (r#"{"messages":[]} x"#, "the body"),
            (r#"{"messages":{}}"#, "messages"),
            (r#"{"messages":null}"#, "messages"),
            (r#"{"messages":[7]}"#, "messages[0]"),
            (r#"{"messages":[{"role":"user"},{}]}"#, "messages[1]"),
            (r#"{"messages":[{"role":"wizard"}]}"#, "messages[0].role"),
            (
                r#"{"messages":[{"role":"user","content":7}]}"#,
                "messages[0].content",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"text":"a"}]}]}"#,
                "messages[0].content[0]",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":{}}]}]}"#,
                "messages[0].content[0].text",
            ),
            (
                r#"{"messages":[{"role":"assistant","tool_calls":[{}]}]}"#,
                "messages[0].tool_calls[0]",
            ),
            (r#"{"messages":[],"max_tokens":"5"}"#, "max_tokens"),
            (r#"{"messages":[],"messages":[]}"#, "messages"),
            (r#"{"model":7,"messages":[]}"#, "model"),
            (
                r#"{"messages":[{"role":"user","content":"a}]}"#,
                "messages[0].content",
            ),
        ] {
            assert_eq!(
                place_of_error(WireFormat::OpenAiChat, body),
                place,
                "{body}"
            );
        }
    }
}
