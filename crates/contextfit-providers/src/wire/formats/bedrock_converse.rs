use contextfit_core::request::{AdapterError, Media, MediaKind, Role};

use crate::wire::blocks::{Blocks, message};
use crate::wire::fixed;
use crate::wire::format::{Merging, Rules};
use crate::wire::index::{Entry, Id, Index, Tie};
use crate::wire::json::{Kind, Reader, Span};
use crate::wire::leaves::leaves;
use crate::wire::media::{media, of_data};
use crate::wire::results::{answer, result_leaves};

pub(in crate::wire) const RULES: Rules = Rules {
    read,
    user_message: [r#"{"role":"user","content":[{"text":"#, "}]}"],
    merging: Merging {
        is_required: true,
        text_part: Some([r#"{"text":"#, "}"]),
    },
};

fn read(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "system",
        "messages",
        "toolConfig",
        "outputConfig",
        "inferenceConfig",
        "additionalModelRequestFields",
    ];
    reader.object(NAMES, |reader, name| {
        if reader.is_null()? {
            return Ok(());
        }
        match name {
            "system" => content(&mut Blocks::beside(&mut index.fixed), reader).map(drop),
            "messages" => {
                let list = reader.array(|reader, _| message(reader, index, role, content))?;
                index.list = Some(list);
                Ok(())
            }
            "toolConfig" => field(reader, &["tools"], |reader| {
                reader.array(|reader, _| tool(reader, index)).map(drop)
            }),
            "outputConfig" => field(reader, &["textFormat"], |reader| {
                fixed::schema(reader, index)
            }),
            "inferenceConfig" => field(reader, &["maxTokens"], |reader| {
                index.output.extend(reader.tokens()?);
                Ok(())
            }),
            // What the model is told in its own words: Claude's are known.
            "additionalModelRequestFields" if reader.kind()? == Kind::Object => {
                field(reader, &["thinking"], |reader| match reader.kind()? {
                    Kind::Object => {
                        index.thought = fixed::thought(reader)?;
                        Ok(())
                    }
                    _ => reader.value().map(drop),
                })
            }
            _ => reader.value().map(drop),
        }
    })?;
    match index.list {
        Some(_) => Ok(()),
        None => Err(reader.missing("messages")),
    }
}

/// Reads one field of an object, if it is there.
fn field<'a>(
    reader: &mut Reader<'a>,
    name: &'static [&'static str; 1],
    mut read: impl FnMut(&mut Reader<'a>) -> Result<(), AdapterError>,
) -> Result<(), AdapterError> {
    let object = reader.object(name, |reader, name| {
        if name.is_empty() || reader.kind()? == Kind::Null {
            return reader.value().map(drop);
        }
        read(reader)
    });
    object.map(drop)
}

/// A tool's schema; a cache mark between them is none.
fn tool(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    let mut is_mark = false;
    let schema = reader.object(&["cachePoint"], |reader, name| {
        is_mark |= !name.is_empty();
        reader.value().map(drop)
    })?;
    if !is_mark {
        index.fixed.push(Entry::Schema(schema));
    }
    Ok(())
}

fn role(word: &str) -> Option<Role> {
    match word {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}

fn content(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<Span, AdapterError> {
    reader.array(|reader, _| block(blocks, reader))
}

/// The blocks in a block.
fn within(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    if reader.is_deep() {
        blocks.entries.push(Entry::Opaque(reader.value()?));
        return Ok(());
    }
    content(&mut blocks.inner(), reader).map(drop)
}

/// A block has one field, which says what it is.
fn block(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "text",
        "image",
        "audio",
        "video",
        "document",
        "toolUse",
        "toolResult",
        "reasoningContent",
        "guardContent",
        "citationsContent",
        "searchResult",
        "json",
        "cachePoint",
    ];
    let start = blocks.entries.len();
    let mut is_mark = false;
    reader.object(NAMES, |reader, name| {
        if reader.is_null()? {
            return Ok(());
        }
        match name {
            "cachePoint" => {
                is_mark = true;
                return reader.value().map(drop);
            }
            "toolResult" => {
                blocks.results += 1;
                return result(blocks, reader);
            }
            _ => blocks.others += 1,
        }
        match name {
            "text" => blocks.entries.push(Entry::Text(reader.text()?)),
            "image" => push_media(blocks, reader, MediaKind::Image)?,
            "audio" => push_media(blocks, reader, MediaKind::Audio)?,
            "video" => push_media(blocks, reader, MediaKind::File)?,
            "document" => described(blocks, reader, &["name", "context", "source"], source)?,
            "toolUse" => call(blocks, reader)?,
            "reasoningContent" => reasoning(blocks, reader)?,
            "guardContent" => guarded(blocks, reader)?,
            "citationsContent" => {
                // What is cited stands in a document already.
                field(reader, &["content"], |reader| within(blocks, reader))?;
            }
            "searchResult" => described(blocks, reader, &["source", "title", "content"], within)?,
            "json" => {
                let visit = &mut |entry| blocks.entries.push(entry);
                result_leaves(reader, visit)?;
            }
            _ => leaves(reader, &mut |entry| blocks.entries.push(entry))?,
        }
        Ok(())
    })?;
    if !is_mark {
        blocks.end_block(start);
    }
    Ok(())
}

fn push_media(
    blocks: &mut Blocks<'_>,
    reader: &mut Reader<'_>,
    kind: MediaKind,
) -> Result<(), AdapterError> {
    blocks.entries.push(Entry::Media(media(reader, kind)?));
    Ok(())
}

/// What is in one field, with two others that say what it is about.
fn described(
    blocks: &mut Blocks<'_>,
    reader: &mut Reader<'_>,
    names: &'static [&'static str; 3],
    read: fn(&mut Blocks<'_>, &mut Reader<'_>) -> Result<(), AdapterError>,
) -> Result<(), AdapterError> {
    let start = blocks.entries.len();
    let mut about = [None; 2];
    reader.object(names, |reader, name| {
        match names.iter().position(|&known| known == name) {
            Some(2) => read(blocks, reader)?,
            Some(number) => about[number] = reader.optional_text()?,
            None => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    blocks.about(start, about);
    Ok(())
}

/// The source of a document: a file, a text, or blocks.
fn source(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    let start = blocks.entries.len();
    reader.object(&["text", "content", "bytes"], |reader, name| {
        if reader.is_null()? {
            return Ok(());
        }
        match name {
            "text" => blocks.entries.push(Entry::Text(reader.text()?)),
            "content" => within(blocks, reader)?,
            "bytes" => {
                let data = reader.text()?;
                let file = of_data(Media::new(MediaKind::File), data, reader.body());
                blocks.entries.push(file);
            }
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    if blocks.entries.len() == start {
        let file = Media::new(MediaKind::File);
        blocks.entries.push(Entry::Media(Box::new(file)));
    }
    Ok(())
}

fn call(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    let (mut id, mut called, mut arguments) = (None, Span::EMPTY, Span::EMPTY);
    reader.object(&["toolUseId", "name", "input"], |reader, name| {
        match name {
            "toolUseId" => id = Some(reader.text()?),
            "name" => called = reader.optional_text()?.unwrap_or_default(),
            "input" => arguments = reader.value()?,
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    let Some(id) = id else {
        return Err(reader.missing("toolUseId"));
    };
    blocks.tie(Tie::Calls(Id::at(id, reader.body())));
    blocks.entries.push(Entry::Call {
        id,
        name: called,
        arguments,
    });
    Ok(())
}

fn result(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    let start = blocks.entries.len();
    let mut id = None;
    reader.object(&["toolUseId", "content"], |reader, name| {
        match name {
            "toolUseId" => id = Some(reader.text()?),
            "content" => within(blocks, reader)?,
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    let Some(id) = id else {
        return Err(reader.missing("toolUseId"));
    };
    blocks.tie(Tie::Answers(Id::at(id, reader.body())));
    answer(blocks.entries, start, id, Span::EMPTY);
    Ok(())
}

fn reasoning(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    let span = reader.object(&["reasoningText", "redactedContent"], |reader, name| {
        if reader.is_null()? {
            return Ok(());
        }
        match name {
            "reasoningText" => field(reader, &["text"], |reader| {
                blocks.entries.push(Entry::Thinking(reader.text()?));
                Ok(())
            }),
            "redactedContent" => {
                blocks.entries.push(Entry::Opaque(reader.text()?));
                Ok(())
            }
            _ => reader.value().map(drop),
        }
    });
    span.map(drop)
}

/// What a guardrail looks at.
fn guarded(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    let span = reader.object(&["text", "image"], |reader, name| match name {
        "text" => field(reader, &["text"], |reader| {
            blocks.entries.push(Entry::Text(reader.text()?));
            Ok(())
        }),
        "image" => push_media(blocks, reader, MediaKind::Image),
        _ => reader.value().map(drop),
    });
    span.map(drop)
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;
    use contextfit_core::plan::{Clip, Plan};
    use contextfit_core::request::{Conversation, EditConversation};

    use super::super::told::turned_round;
    use crate::wire::told::{place_of_error, told};
    use crate::wire::{WireFormat, WireRequest};

    const FORMAT: WireFormat = WireFormat::BedrockConverse;

    fn parsed(body: &str) -> WireRequest {
        WireRequest::parse(FORMAT, body.to_owned()).unwrap()
    }

    const BODY: &str = r#"{"system":[{"text":"be kind"},{"cachePoint":{"type":"default"}},{"guardContent":{"text":{"text":"guarded","qualifiers":["query"]}}}],
        "inferenceConfig":{"temperature":0.5,"maxTokens":2000},
        "additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1500},"top_k":5},
        "toolConfig":{"tools":[{"toolSpec":{"name":"f"}},{"cachePoint":{"type":"default"}}],"toolChoice":{"auto":{}}},
        "outputConfig":{"textFormat":{"type":"json_schema"}},
        "guardrailConfig":{"guardrailIdentifier":"g"},
        "messages":[
        {"role":"user","content":[{"text":"look"},
            {"image":{"format":"png","source":{"bytes":"iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAAfFcSJ"}}},
            {"image":{"format":"png","source":{"s3Location":{"uri":"s3://a/b.png"}}}},
            {"document":{"format":"pdf","name":"N","context":"C","source":{"bytes":"AAAA"}}},
            {"document":{"format":"txt","name":"M","source":{"text":"plain"}}},
            {"document":{"name":"O","source":{"content":[{"text":"chunk"}]}}},
            {"document":{"name":"P","source":{"s3Location":{"uri":"s3://c"}}}},
            {"video":{"format":"mp4","source":{"bytes":"AAAA"}}},
            {"audio":{"format":"mp3","source":{"bytes":"AAAA"}}},
            {"guardContent":{"text":{"text":"checked"}}},{"guardContent":{"image":{"format":"png","source":{"bytes":"AAAA"}}}},
            {"searchResult":{"source":"s","title":"t","content":[{"text":"found"}],"citations":{"enabled":true}}},
            {"cachePoint":{"type":"default"}},{"unheardOf":{"a":"b"}},{}]},
        {"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"sig"}}},
            {"reasoningContent":{"redactedContent":"red"}},
            {"citationsContent":{"content":[{"text":"cited"}],"citations":[{"title":"x"}]}},
            {"text":"so","toolUse":null},
            {"toolUse":{"toolUseId":"t\/1","name":"f","input":{"a":[1]}}},
            {"toolUse":{"toolUseId":"t2","name":"f","input":{}}}]},
        {"role":"user","content":[
            {"toolResult":{"toolUseId":"t/1","status":"error","content":[{"text":"one"},
                {"json":{"n":[1.5,true],"long":"LONG"}},{"json":"short"},
                {"image":{"format":"png","source":{"bytes":"AAAA"}}},
                {"document":{"name":"D","source":{"text":"doc"}}},
                {"searchResult":{"source":"u","title":"v","content":[{"text":"hit"}]}}]}},
            {"toolResult":{"toolUseId":"t2","content":[]}},
            {"cachePoint":{"type":"default"}}]},
        {"role":"assistant","content":[{"toolUse":{"toolUseId":"t3","name":"f","input":{}}}]},
        {"role":"user","content":[{"toolResult":{"toolUseId":"t3","content":[{"text":"out"}]}},{"text":"go on"}]}
        ]}"#;

    fn body() -> String {
        BODY.replace("LONG", &"x".repeat(300))
    }

    #[test]
    fn a_body_is_told_piece_by_piece() {
        let long = format!("tool result|t/1||{}", "x".repeat(300));
        let expected = [
            r#"Some("claude") Some(2000)"#,
            "text|be kind",
            "text|guarded",
            r#"schema|{"toolSpec":{"name":"f"}}"#,
            r#"schema|{"type":"json_schema"}"#,
            "User",
            "text|look",
            "image 2x3",
            "image",
            "other|N",
            "other|C",
            "file",
            "other|M",
            "text|plain",
            "other|O",
            "text|chunk",
            "other|P",
            "file",
            "file",
            "audio",
            "text|checked",
            "image",
            "other|s",
            "other|t",
            "text|found",
            "other|b",
            "other|",
            r#"Assistant Calls("t/1") Calls("t2")"#,
            "thinking|hm",
            "other|red",
            "text|cited",
            "text|so",
            r#"tool call|t/1|f|{"a":[1]}"#,
            "tool call|t2|f|{}",
            r#"Tool Answers("t/1") Answers("t2")"#,
            "tool result|t/1||one",
            r#"other|{"n":[1.5,true],"long":""#,
            &long,
            "other|\"}",
            "tool result|t/1||short",
            "image",
            "other|D",
            "tool result|t/1||doc",
            "other|u",
            "other|v",
            "tool result|t/1||hit",
            "tool result|t2||",
            r#"Assistant Calls("t3")"#,
            "tool call|t3|f|{}",
            r#"User Answers("t3")"#,
            "tool result|t3||out",
            "text|go on",
        ];
        assert_eq!(told(&parsed(&body()).with_model("claude")), expected);
        // Whatever order the fields come in, but for what is shown as it is written.
        let is_read = |line: &&str| !line.starts_with("other|") && !line.starts_with("schema|");
        let backwards = told(&parsed(&turned_round(&body(), &[])[1]).with_model("claude"));
        let mut backwards: Vec<_> = backwards
            .iter()
            .map(String::as_str)
            .filter(is_read)
            .collect();
        let mut expected: Vec<_> = expected.into_iter().filter(is_read).collect();
        backwards.sort_unstable();
        expected.sort_unstable();
        assert_eq!(backwards, expected);
    }

    #[test]
    fn an_edit_changes_nothing_else() {
        let clip = |message, piece, text: &str| Clip {
            message,
            piece,
            text: text.to_owned(),
            omitted_chars: 1,
        };
        let clips = vec![clip(2, 0, "o"), clip(2, 2, "l\"g"), clip(4, 1, "y")];
        let plan = Plan::new(Cut::none(5), String::new(), clips);
        let mut request = parsed(&body());
        request.apply(&plan.max_output_tokens(Some(1200))).unwrap();
        let expected = BODY
            .replace(r#""text":"one""#, r#""text":"o""#)
            .replace("LONG", "l\\\"g")
            .replace(r#""text":"go on""#, r#""text":"y""#)
            .replace("2000", "1200")
            .replace("1500", "1199");
        assert_eq!(request.into_body(), expected);
    }

    #[test]
    fn user_and_assistant_alternate_after_a_cut() {
        let body = r#"{"messages":[
            {"role":"user","content":[{"text":"a"}]},
            {"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"f","input":{}}}]},
            {"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"r"}]}},{"cachePoint":{"type":"default"}}]},
            {"role":"assistant","content":[{"text":"b"}]},
            {"role":"user","content":[{"text":"c"}]}]}"#;
        let cut = |range| {
            let mut request = parsed(body);
            let plan = Plan::new(Cut::of(5, range), "sum".to_owned(), vec![]);
            request.apply(&plan).unwrap();
            // For the layers, the summary is a message alone.
            assert_eq!(request.len(), plan.steps().count());
            String::from_utf8(request.into_body().into()).unwrap()
        };
        assert_eq!(
            cut(0..4),
            r#"{"messages":[{"role":"user","content":[{"text":"sum"},{"text":"c"}]}]}"#
        );
        let after = cut(3..4);
        let merged = r#"{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"r"}]}},{"cachePoint":{"type":"default"}},{"text":"sum"},{"text":"c"}]}]}"#;
        assert!(after.ends_with(merged), "{after}");
    }

    #[test]
    fn an_error_names_the_place() {
        for (body, place) in [
            ("[]", "the body"),
            ("{}", "the body"),
            (r#"{"messages":7}"#, "messages"),
            (r#"{"messages":[],"system":"a"}"#, "system"),
            (r#"{"messages":[],"system":["a"]}"#, "system[0]"),
            (r#"{"messages":[],"messages":[]}"#, "messages"),
            (
                r#"{"messages":[],"toolConfig":{"tools":{}}}"#,
                "toolConfig.tools",
            ),
            (r#"{"messages":[],"toolConfig":7}"#, "toolConfig"),
            (
                r#"{"messages":[],"inferenceConfig":{"maxTokens":1.5}}"#,
                "inferenceConfig.maxTokens",
            ),
            (
                r#"{"messages":[],"inferenceConfig":{"maxTokens":1,"maxTokens":2}}"#,
                "inferenceConfig.maxTokens",
            ),
            (
                r#"{"messages":[],"additionalModelRequestFields":{"thinking":{"budget_tokens":"a"}}}"#,
                "additionalModelRequestFields.thinking.budget_tokens",
            ),
            (r#"{"messages":[{"role":"user"}]}"#, "messages[0]"),
            (r#"{"messages":[{"content":[]}]}"#, "messages[0]"),
            (
                r#"{"messages":[{"role":"system","content":[]}]}"#,
                "messages[0].role",
            ),
            (
                r#"{"messages":[{"role":"user","content":"a"}]}"#,
                "messages[0].content",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"text":7}]}]}"#,
                "messages[0].content[0].text",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"text":"a","text":"b"}]}]}"#,
                "messages[0].content[0].text",
            ),
            (
                r#"{"messages":[{"role":"assistant","content":[{"toolUse":{"name":"f"}}]}]}"#,
                "messages[0].content[0].toolUse",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"toolResult":{"content":[]}}]}]}"#,
                "messages[0].content[0].toolResult",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"a","content":[{"text":{}}]}}]}]}"#,
                "messages[0].content[0].toolResult.content[0].text",
            ),
            (
                r#"{"messages":[{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":7}}}]}]}"#,
                "messages[0].content[0].reasoningContent.reasoningText.text",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"text":"a}"#,
                "messages[0].content[0].text",
            ),
        ] {
            assert_eq!(place_of_error(FORMAT, body), place, "{body}");
        }
    }
}
