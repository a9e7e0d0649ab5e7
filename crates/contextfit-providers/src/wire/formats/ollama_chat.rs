use contextfit_core::request::{AdapterError, Media, MediaKind, Role};

use crate::wire::calls::Calls;
use crate::wire::fixed;
use crate::wire::format::{Merging, Rules};
use crate::wire::index::{Entry, Index, Tie};
use crate::wire::json::{Kind, Reader, Span};
use crate::wire::leaves::opaque;
use crate::wire::media;

pub(in crate::wire) const RULES: Rules = Rules {
    read,
    user_message: [r#"{"role":"user","content":"#, "}"],
    merging: Merging {
        // What comes of the roles is for the template of a model, and messages have no parts.
        is_required: false,
        text_part: None,
    },
};

fn read(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &["model", "messages", "tools", "format", "options"];
    let mut calls = Calls::default();
    reader.object(NAMES, |reader, name| {
        match name {
            "model" => index.model = fixed::model(reader)?,
            "messages" => {
                let list = reader.array(|reader, _| message(reader, index, &mut calls))?;
                index.list = Some(list);
            }
            "tools" => fixed::schemas(reader, index)?,
            // Either a schema or the word `json`.
            "format" if reader.kind()? == Kind::Object => fixed::schema(reader, index)?,
            "options" if reader.kind()? != Kind::Null => options(reader, index)?,
            _ => drop(reader.value()?),
        }
        Ok(())
    })?;
    match index.list {
        Some(_) => Ok(()),
        None => Err(reader.missing("messages")),
    }
}

fn options(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    let fields = reader.object(&["num_predict"], |reader, name| {
        match name {
            "num_predict" => index.output.extend(reader.tokens()?),
            _ => drop(reader.value()?),
        }
        Ok(())
    });
    fields.map(drop)
}

/// What a message has beside its content.
#[derive(Default)]
struct Fields<'a> {
    role: Option<Role>,
    content: Option<Span>,
    thinking: Option<Span>,
    images: Vec<Entry>,
    calls: Vec<Called>,
    tool_name: Option<Span>,
    answers: Option<Span>,
    /// What nobody here knows.
    rest: Vec<Entry>,
    is_plain: bool,
    body: &'a str,
}

#[derive(Default)]
struct Called {
    id: Option<Span>,
    name: Span,
    arguments: Span,
}

fn message<'a>(
    reader: &mut Reader<'a>,
    index: &mut Index,
    calls: &mut Calls<'a>,
) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "role",
        "content",
        "thinking",
        "images",
        "tool_calls",
        "tool_name",
        "name",
        "tool_call_id",
    ];
    let mut fields = Fields {
        is_plain: true,
        body: reader.body(),
        ..Fields::default()
    };
    let span = reader.object(NAMES, |reader, name| {
        if reader.is_null()? {
            return Ok(());
        }
        fields.is_plain &= matches!(name, "role" | "content");
        match name {
            "role" => fields.role = Some(role(reader)?),
            "content" => fields.content = Some(reader.text()?),
            "thinking" => fields.thinking = Some(reader.text()?),
            "images" => {
                reader.array(|reader, _| image(reader, &mut fields.images))?;
            }
            "tool_calls" => {
                reader.array(|reader, _| call(reader, &mut fields.calls))?;
            }
            // What it was called before.
            "name" => fields.tool_name = fields.tool_name.or(Some(reader.text()?)),
            "tool_name" => fields.tool_name = Some(reader.text()?),
            "tool_call_id" => fields.answers = Some(reader.text()?),
            _ if reader.kind()? == Kind::Text => {
                let text = reader.value()?;
                fields.rest.push(opaque(text, reader.body()));
            }
            _ => drop(reader.value()?),
        }
        Ok(())
    })?;
    let Some(role) = fields.role else {
        return Err(reader.missing("role"));
    };
    finish(index, calls, fields, role, span);
    Ok(())
}

/// Puts the pieces of a message in their order, and ends it.
fn finish<'a>(
    index: &mut Index,
    calls: &mut Calls<'a>,
    fields: Fields<'a>,
    role: Role,
    span: Span,
) {
    let word = |text: Option<Span>| {
        let text = text.map(|text| text.text(fields.body).decode());
        text.filter(|text| !text.is_empty())
    };
    index.pieces.extend(fields.thinking.map(Entry::Thinking));
    if role == Role::Tool {
        let (id, name) = (word(fields.answers), word(fields.tool_name));
        let answered = calls.answer(id.as_deref(), name.as_deref());
        index.ties.extend(answered.map(Tie::Answers));
        index.pieces.push(Entry::Result {
            id: fields.answers.unwrap_or_default(),
            name: fields.tool_name.unwrap_or_default(),
            content: fields.content.unwrap_or_default(),
        });
    } else {
        index.pieces.extend(fields.content.map(Entry::Text));
    }
    index.pieces.extend(fields.images);
    if fields.calls.is_empty() {
        calls.end_round();
    }
    for called in fields.calls {
        let name = called.name.text(fields.body).decode();
        let made = calls.call(word(called.id), name);
        index.ties.push(Tie::Calls(made));
        index.pieces.push(Entry::Call {
            id: called.id.unwrap_or_default(),
            name: called.name,
            arguments: called.arguments,
        });
    }
    index.pieces.extend(fields.rest);
    let said = fields
        .content
        .filter(|_| fields.is_plain && role != Role::Tool);
    index.end_message(role, span, said);
}

fn role(reader: &mut Reader<'_>) -> Result<Role, AdapterError> {
    let word = reader.word()?;
    // The server doesn't mind capitals.
    Ok(match &*word.to_ascii_lowercase() {
        // Some models are told by `control` whether to think.
        "system" | "control" => Role::System,
        "developer" => Role::Developer,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return Err(reader.wrong(format!("`{word}` is no role"))),
    })
}

fn image(reader: &mut Reader<'_>, images: &mut Vec<Entry>) -> Result<(), AdapterError> {
    let data = reader.text()?;
    let image = Media::new(MediaKind::Image);
    images.push(media::of_data(image, data, reader.body()));
    Ok(())
}

fn call(reader: &mut Reader<'_>, calls: &mut Vec<Called>) -> Result<(), AdapterError> {
    let mut id = None;
    let mut called = None;
    reader.object(&["id", "function"], |reader, name| {
        match name {
            "id" => id = reader.optional_text()?,
            "function" => called = Some(function(reader)?),
            _ => drop(reader.value()?),
        }
        Ok(())
    })?;
    let Some(called) = called else {
        return Err(reader.missing("function"));
    };
    calls.push(Called { id, ..called });
    Ok(())
}

fn function(reader: &mut Reader<'_>) -> Result<Called, AdapterError> {
    let (mut called, mut arguments) = (None, Span::EMPTY);
    reader.object(&["name", "arguments"], |reader, name| {
        match name {
            "name" => called = reader.optional_text()?,
            "arguments" => arguments = reader.value()?,
            _ => drop(reader.value()?),
        }
        Ok(())
    })?;
    let Some(name) = called else {
        return Err(reader.missing("name"));
    };
    Ok(Called {
        name,
        arguments,
        ..Called::default()
    })
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;
    use contextfit_core::plan::{Clip, Plan};
    use contextfit_core::request::EditConversation;

    use super::super::told::{assert_depth_is_bounded, told, turned_round};
    use crate::wire::told::place_of_error;
    use crate::wire::{WireFormat, WireRequest};

    const BODY: &str = r#"{"model":"m","stream":false,"keep_alive":"5m","think":true,
        "options":{"num_predict":50.0,"num_ctx":4096,"stop":["x"]},"format":{"type":"object"},
        "tools":[{"type":"function","function":{"name":"f"}}],
        "messages":[
            {"role":"system","content":"be \"kind\""},
            {"role":"control","content":"thinking"},
            {"role":"User","content":"look","images":["iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"]},
            {"role":"assistant","content":"","thinking":"hm","tool_calls":[
                {"function":{"name":"f","arguments":{"a":1}}},
                {"id":"7","type":"function","function":{"index":1,"name":"f","arguments":{}}}]},
            {"role":"tool","content":"second","tool_name":"f","tool_call_id":"7"},
            {"role":"tool","content":"first","name":"f"},
            {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"g","arguments":{}}}]},
            {"role":"tool","content":"third"},
            {"role":"tool","content":"nobody asked"},
            {"role":"assistant","content":"done","note":"n","thinking":null,"tool_calls":null,"images":null}]}"#;

    #[test]
    fn every_field_is_seen_for_what_it_is() {
        let expected = [
            r#"Some("m") Some(50)"#,
            r#"schema|{"type":"object"}"#,
            r#"schema|{"type":"function","function":{"name":"f"}}"#,
            "system",
            "text|be \"kind\"",
            "system",
            "text|thinking",
            "user",
            "text|look",
            "image|Some(33)",
            "assistant",
            "thinking|hm",
            "text|",
            r#"tool call||f|{"a":1}"#,
            "tool call|7|f|{}",
            "calls 0",
            "calls 1",
            "tool",
            "tool result|7|f|second",
            "answers 1",
            "tool",
            "tool result||f|first",
            "answers 0",
            "assistant",
            "tool call||g|{}",
            "calls 2",
            "tool",
            "tool result|||third",
            "answers 2",
            "tool",
            "tool result|||nobody asked",
            "assistant",
            "text|done",
            "other|n",
        ];
        assert_eq!(told(WireFormat::OllamaChat, BODY), expected);
    }

    #[test]
    fn the_order_of_fields_says_nothing() {
        let [as_is, turned] = turned_round(BODY, &["tools"]);
        assert_ne!(as_is, turned);
        let sorted = |body: &str| {
            let mut told = told(WireFormat::OllamaChat, body);
            told[..3].sort();
            // A schema is as it is written.
            told.drain(..3).for_each(drop);
            told
        };
        assert_eq!(sorted(&as_is), sorted(&turned));
        assert_eq!(sorted(&as_is), sorted(BODY));
    }

    #[test]
    fn output_without_a_bound_is_none_that_is_asked_for() {
        for (options, expected) in [
            (r#"{"num_predict":-1}"#, "None None"),
            (r#"{"num_predict":-2}"#, "None None"),
            (r#"{"num_predict":null}"#, "None None"),
            (r#"{"num_ctx":8}"#, "None None"),
            ("null", "None None"),
            (r#"{"num_predict":7}"#, "None Some(7)"),
        ] {
            let body = format!(r#"{{"options":{options},"format":"json","messages":[]}}"#);
            assert_eq!(told(WireFormat::OllamaChat, &body), [expected]);
        }
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
            (r#"{"messages":[],"messages":[]}"#, "messages"),
            (r#"{"messages":[7]}"#, "messages[0]"),
            (r#"{"messages":[{"role":"user"},{}]}"#, "messages[1]"),
            (r#"{"messages":[{"role":"wizard"}]}"#, "messages[0].role"),
            (r#"{"messages":[{"role":null}]}"#, "messages[0]"),
            (
                r#"{"messages":[{"role":"user","content":[]}]}"#,
                "messages[0].content",
            ),
            (
                r#"{"messages":[{"role":"user","thinking":7}]}"#,
                "messages[0].thinking",
            ),
            (
                r#"{"messages":[{"role":"user","images":"AAAA"}]}"#,
                "messages[0].images",
            ),
            (
                r#"{"messages":[{"role":"user","images":[7]}]}"#,
                "messages[0].images[0]",
            ),
            (
                r#"{"messages":[{"role":"assistant","tool_calls":{}}]}"#,
                "messages[0].tool_calls",
            ),
            (
                r#"{"messages":[{"role":"assistant","tool_calls":[{}]}]}"#,
                "messages[0].tool_calls[0]",
            ),
            (
                r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{}}]}]}"#,
                "messages[0].tool_calls[0].function",
            ),
            (
                r#"{"messages":[{"role":"assistant","tool_calls":[{"function":"f"}]}]}"#,
                "messages[0].tool_calls[0].function",
            ),
            (
                r#"{"messages":[{"role":"tool","content":"a","content":"b"}]}"#,
                "messages[0].content",
            ),
            (r#"{"messages":[],"options":[]}"#, "options"),
            (
                r#"{"messages":[],"options":{"num_predict":"5"}}"#,
                "options.num_predict",
            ),
            (
                r#"{"messages":[],"options":{"num_predict":1.5}}"#,
                "options.num_predict",
            ),
            (r#"{"model":7,"messages":[]}"#, "model"),
            (r#"{"messages":[],"tools":{}}"#, "tools"),
            (
                r#"{"messages":[{"role":"user","content":"a}]}"#,
                "messages[0].content",
            ),
        ] {
            assert_eq!(
                place_of_error(WireFormat::OllamaChat, body),
                place,
                "{body}"
            );
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert_depth_is_bounded(
            WireFormat::OllamaChat,
            &[
                r#"{"messages":[],"unknown":?}"#,
                r#"{"messages":[{"role":"user","unknown":?}]}"#,
                r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":?}}]}]}"#,
                r#"{"messages":[],"format":?}"#,
                r#"{"messages":[],"options":{"num_predict":?}}"#,
            ],
        );
    }

    #[test]
    fn a_large_body_is_read() {
        let message = format!(r#"{{"role":"user","content":"{}"}},"#, "word ".repeat(200));
        let messages = message.repeat(10_000);
        let body = format!(r#"{{"messages":[{}]}}"#, messages.trim_end_matches(','));
        assert!(body.len() > 10_000_000);
        assert_eq!(told(WireFormat::OllamaChat, &body).len(), 20_001);
    }

    #[test]
    fn all_that_is_kept_is_as_it_was_written() {
        let body = r#" {"keep_alive" : -1,"options":{"num_ctx":4096, "num_predict" : 100},"messages":[
            {"role":"user","content":"\u0061"} ,
            {"tool_calls":[{"function":{"name":"f","arguments":{"z":1,"a":2.50}}}],"role":"assistant","content":""},
            {"role":"tool","content":"long","x":[1, 2]},
            {"role":"assistant","content":"done"},
            {"role":"user","content":"next"}
        ]}
"#;
        let clip = Clip {
            message: 2,
            piece: 0,
            text: "l\n".into(),
            omitted_chars: 2,
        };
        let plan = Plan::new(Cut::of(5, 3..4), "so \"far\"".into(), vec![clip]);
        let mut request = WireRequest::parse(WireFormat::OllamaChat, body).unwrap();
        request.apply(&plan.max_output_tokens(Some(7))).unwrap();
        let cut = r#"{"role":"assistant","content":"done"}"#;
        let expected = body
            .replace(&format!("{cut},\n            "), &format!("{cut},"))
            .replace(
                &format!(",\n            {cut}"),
                r#",{"role":"user","content":"so \"far\""}"#,
            )
            .replace("\"long\"", "\"l\\n\"")
            .replace("\"num_predict\" : 100", "\"num_predict\" : 7");
        assert_eq!(request.into_body(), expected);
        assert!(WireRequest::parse(WireFormat::OllamaChat, expected).is_ok());
    }
}
