use contextfit_core::request::{AdapterError, Media, MediaKind, Role};

use crate::wire::blocks::{Blocks, message};
use crate::wire::fixed;
use crate::wire::format::{Merging, Rules};
use crate::wire::index::{Entry, Id, Index, Tie};
use crate::wire::json::{Kind, Reader, Span};
use crate::wire::leaves::leaves;
use crate::wire::media::{media, of_data};
use crate::wire::results::answer;

pub(in crate::wire) const RULES: Rules = Rules {
    read,
    user_message: [r#"{"role":"user","content":"#, "}"],
    merging: Merging {
        // Neighbours of one role are one turn to Anthropic.
        is_required: false,
        text_part: Some([r#"{"type":"text","text":"#, "}"]),
    },
};

fn read(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "model",
        "system",
        "messages",
        "tools",
        "output_format",
        "output_config",
        "max_tokens",
        "thinking",
    ];
    reader.object(NAMES, |reader, name| {
        let is_object = reader.kind()? == Kind::Object;
        match name {
            "model" => index.model = fixed::model(reader)?,
            "system" => {
                if !reader.is_null()? {
                    content(&mut Blocks::beside(&mut index.fixed), reader)?;
                }
            }
            "messages" => {
                let list = reader.array(|reader, _| message(reader, index, role, content))?;
                index.list = Some(list);
            }
            "tools" => fixed::schemas(reader, index)?,
            "output_format" => fixed::schema(reader, index)?,
            "output_config" if is_object => output_config(reader, index)?,
            "max_tokens" => index.output.extend(reader.tokens()?),
            "thinking" if is_object => index.thought = fixed::thought(reader)?,
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

fn output_config(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    let config = reader.object(&["format"], |reader, name| match name {
        "format" => fixed::schema(reader, index),
        _ => reader.value().map(drop),
    });
    config.map(drop)
}

fn role(word: &str) -> Option<Role> {
    match word {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        // Instructions that come in the middle of a conversation.
        "system" => Some(Role::System),
        _ => None,
    }
}

/// What a block is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Text,
    Thinking,
    Redacted,
    Image,
    Document,
    SearchResult,
    /// A call, whoever runs the tool.
    Call,
    Result,
    /// What a tool of the provider's answered. It may stand in a later message than the call: a
    /// turn can be paused, and code that the provider runs can call a tool of the user's.
    ServerResult,
    Other,
}

impl Block {
    fn of(kind: &str) -> Self {
        match kind {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "redacted_thinking" => Self::Redacted,
            "image" => Self::Image,
            "document" => Self::Document,
            "search_result" => Self::SearchResult,
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Self::Call,
            "tool_result" | "mcp_tool_result" => Self::Result,
            _ if kind.ends_with("_tool_result") => Self::ServerResult,
            _ => Self::Other,
        }
    }

    /// The field that holds what is in the block.
    const fn holds(self) -> &'static str {
        match self {
            Self::Image | Self::Document => "source",
            Self::SearchResult | Self::Result | Self::ServerResult => "content",
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::Redacted => "data",
            Self::Call | Self::Other => "",
        }
    }
}

/// The fields of a block that are put off until all of them are known.
#[derive(Default)]
struct Fields {
    kind: Option<Block>,
    /// What is in the block, if it was read already.
    is_read: bool,
    id: Option<Span>,
    name: Option<Span>,
    input: Option<Span>,
    answers: Option<Span>,
    title: Option<Span>,
    context: Option<Span>,
    /// What may be what the block holds, by the field's name.
    held: Vec<(&'static str, Span)>,
}

/// A text, or blocks.
fn content(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<Span, AdapterError> {
    match reader.kind()? {
        Kind::Text => {
            let text = reader.value()?;
            blocks.entries.push(Entry::Text(text));
            Ok(text)
        }
        Kind::Array => reader.array(|reader, _| block(blocks, reader)),
        _ => Err(reader.wrong("a string or an array of blocks was expected")),
    }
}

fn block(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "type",
        "id",
        "name",
        "input",
        "tool_use_id",
        "title",
        "context",
        // What a block holds.
        "text",
        "thinking",
        "data",
        "source",
        "content",
    ];
    let start = blocks.entries.len();
    let mut fields = Fields::default();
    let span = reader.object(NAMES, |reader, name| {
        let field = match name {
            "type" => {
                fields.kind = Some(Block::of(&reader.word()?));
                return Ok(());
            }
            "id" => &mut fields.id,
            "name" => &mut fields.name,
            "input" => &mut fields.input,
            "tool_use_id" => &mut fields.answers,
            "title" => &mut fields.title,
            "context" => &mut fields.context,
            "" => return reader.value().map(drop),
            _ => {
                match fields.kind {
                    Some(kind) if kind.holds() == name => {
                        fields.is_read = true;
                        held(blocks, reader, kind)?;
                    }
                    // What it is may come last.
                    _ => fields.held.push((name, reader.value()?)),
                }
                return Ok(());
            }
        };
        if !reader.is_null()? {
            *field = Some(reader.value()?);
        }
        Ok(())
    })?;
    let Some(kind) = fields.kind else {
        return Err(reader.missing("type"));
    };
    let put_off = fields.held.iter().find(|(name, _)| *name == kind.holds());
    if let Some(&(name, value)) = put_off {
        reader.within(value, name, |reader| held(blocks, reader, kind))?;
        fields.is_read = true;
    }
    if matches!(kind, Block::Thinking | Block::Redacted) {
        blocks.begins_with_thoughts |= blocks.results + blocks.others == 0;
    }
    match kind {
        Block::Result => blocks.results += 1,
        _ => blocks.others += 1,
    }
    finish(blocks, reader, kind, &fields, start, span)
}

/// What is in a block of a kind.
fn held(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>, kind: Block) -> Result<(), AdapterError> {
    let entry = match kind {
        Block::Text => Entry::Text(reader.text()?),
        Block::Thinking => Entry::Thinking(reader.text()?),
        Block::Redacted => Entry::Opaque(reader.text()?),
        Block::Image => Entry::Media(media(reader, MediaKind::Image)?),
        Block::Document => return source(blocks, reader),
        Block::Result | Block::SearchResult if !is_too_deep(reader) => {
            return if reader.is_null()? {
                Ok(())
            } else {
                content(&mut blocks.inner(), reader).map(drop)
            };
        }
        _ => return leaves(reader, &mut |entry| blocks.entries.push(entry)),
    };
    blocks.entries.push(entry);
    Ok(())
}

/// What a document is: a file, a text, or blocks.
fn source(blocks: &mut Blocks<'_>, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &["type", "data", "content"];
    let (mut kind, mut data, mut inside) = (None, None, None);
    reader.object(NAMES, |reader, name| {
        match name {
            "type" => kind = Some(reader.word()?),
            "data" => data = reader.optional_text()?,
            "content" => inside = Some(reader.value()?),
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    match (kind.as_deref(), data, inside) {
        (Some("text"), Some(text), _) => blocks.entries.push(Entry::Text(text)),
        (Some("content"), _, Some(inside)) if !is_too_deep(reader) => {
            let read = |reader: &mut Reader<'_>| content(&mut blocks.inner(), reader);
            reader.within(inside, "content", read)?;
        }
        (_, Some(data), _) => {
            let file = of_data(Media::new(MediaKind::File), data, reader.body());
            blocks.entries.push(file);
        }
        _ => {
            let file = Media::new(MediaKind::File);
            blocks.entries.push(Entry::Media(Box::new(file)));
        }
    }
    Ok(())
}

fn finish(
    blocks: &mut Blocks<'_>,
    reader: &mut Reader<'_>,
    kind: Block,
    fields: &Fields,
    start: usize,
    span: Span,
) -> Result<(), AdapterError> {
    let body = reader.body();
    match kind {
        Block::Call => {
            let id = required(reader, "id", fields.id)?;
            blocks.tie(Tie::Calls(Id::at(id, body)));
            blocks.entries.push(Entry::Call {
                id,
                name: fields.name.unwrap_or_default(),
                arguments: fields.input.unwrap_or_default(),
            });
        }
        Block::Result => {
            let id = required(reader, "tool_use_id", fields.answers)?;
            blocks.tie(Tie::Answers(Id::at(id, body)));
            answer(blocks.entries, start, id, Span::EMPTY);
        }
        Block::ServerResult => {
            if let Some(id) = fields.answers.filter(|id| id.is_literal()) {
                blocks.tie(Tie::Answers(Id::at(id, body)));
            }
        }
        Block::Document | Block::SearchResult => {
            let source = fields.held.iter().find(|(name, _)| *name == "source");
            let source = source.filter(|_| kind == Block::SearchResult);
            let about = [source.map(|(_, it)| *it), fields.title, fields.context];
            blocks.about(start, about.map(|text| text.filter(|it| it.is_literal())));
        }
        Block::Other => {
            let visit = &mut |entry| blocks.entries.push(entry);
            reader.within(span, "", |reader| leaves(reader, visit))?;
        }
        Block::Text | Block::Thinking | Block::Redacted | Block::Image => {}
    }
    let has_to_hold = !matches!(
        kind,
        Block::Call | Block::Result | Block::ServerResult | Block::Other
    );
    if has_to_hold && !fields.is_read {
        return Err(reader.missing(kind.holds()));
    }
    blocks.end_block(start);
    Ok(())
}

/// A string that has to be there.
fn required(
    reader: &mut Reader<'_>,
    name: &'static str,
    value: Option<Span>,
) -> Result<Span, AdapterError> {
    match value {
        Some(text) if text.is_literal() => Ok(text),
        Some(other) => reader.within(other, name, Reader::text),
        None => Err(reader.missing(name)),
    }
}

/// Whether no format of a content goes as deep as that: a block in a block in a result.
fn is_too_deep(reader: &Reader<'_>) -> bool {
    const DEEPEST: usize = 12;
    reader.depth() > DEEPEST
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;
    use contextfit_core::plan::{Clip, Plan};
    use contextfit_core::request::EditConversation;
    use contextfit_core::table::{Pins, Table};

    use super::super::told::turned_round;
    use crate::wire::told::{place_of_error, told};
    use crate::wire::{WireFormat, WireRequest};

    const FORMAT: WireFormat = WireFormat::AnthropicMessages;

    fn parsed(body: &str) -> WireRequest {
        WireRequest::parse(FORMAT, body.to_owned()).unwrap()
    }

    const BODY: &str = r#"{"model":"claude","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1500},
        "system":[{"type":"text","text":"be \"kind\"","cache_control":{"type":"ephemeral"}},{"type":"text","text":"and brief"}],
        "tools":[{"name":"f"},{"type":"web_search_20250305","name":"web_search"}],
        "output_config":{"format":{"type":"json_schema"}},"container":{"id":"c"},
        "context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]},
        "messages":[
        {"role":"user","content":"hi"},
        {"role":"user","content":[{"type":"text","text":"look"},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAAfFcSJ"}},
            {"type":"image","source":{"type":"url","url":"https://a/b.png"}},
            {"type":"document","title":"T","context":"C","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}},
            {"type":"document","source":{"type":"text","media_type":"text/plain","data":"plain"}},
            {"type":"document","source":{"type":"content","content":[{"type":"text","text":"chunk"}]}},
            {"type":"document","source":{"type":"content","content":"whole"}},
            {"type":"document","source":{"type":"file","file_id":"file_1"}},
            {"type":"search_result","source":"https://s","title":"S","content":[{"type":"text","text":"found"}]},
            {"type":"container_upload","file_id":"file_2"},{"type":"unheard_of","a":[{"b":"c"}]},{"type":"silent"}]},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},
            {"type":"redacted_thinking","data":"red"},{"type":"text","text":"so","citations":[{"cited_text":"plain"}]},
            {"type":"server_tool_use","id":"s1","name":"web_search","input":{"q":"x"}},
            {"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","url":"https://w"}]},
            {"type":"mcp_tool_use","id":"m1","name":"g","server_name":"srv","input":{}},
            {"type":"mcp_tool_result","tool_use_id":"m1","content":[{"type":"text","text":"mcp"}]},
            {"type":"tool_use","id":"t\/1","name":"f","input":{"a":[1]}},
            {"type":"tool_use","id":"t2","name":"f","input":{}}]},
        {"role":"user","content":[
            {"type":"tool_result","tool_use_id":"t/1","is_error":true,"content":[{"type":"text","text":"one"},
                {"type":"image","source":{"type":"url","url":"https://i"}},
                {"type":"document","source":{"type":"text","media_type":"text/plain","data":"doc"}},
                {"type":"search_result","source":"u","title":"t","content":[{"type":"text","text":"hit"}]},
                {"type":"tool_reference","tool_name":"h"}]},
            {"type":"tool_result","tool_use_id":"t2"}]},
        {"role":"system","content":"from now on"},
        {"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"f","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","content":"out"},{"type":"text","text":"go on"}]}
        ]}"#;

    #[test]
    fn a_body_is_told_piece_by_piece() {
        let expected = [
            r#"Some("claude") Some(2000)"#,
            "text|be \"kind\"",
            "text|and brief",
            r#"schema|{"name":"f"}"#,
            r#"schema|{"type":"web_search_20250305","name":"web_search"}"#,
            r#"schema|{"type":"json_schema"}"#,
            "User",
            "text|hi",
            "User",
            "text|look",
            "image 2x3",
            "image",
            "other|T",
            "other|C",
            "file",
            "text|plain",
            "text|chunk",
            "text|whole",
            "file",
            "other|https://s",
            "other|S",
            "text|found",
            "other|file_2",
            "other|c",
            "other|",
            r#"Assistant Calls("s1") Answers("s1") Calls("m1") Answers("m1") Calls("t/1") Calls("t2")"#,
            "thinking|hm",
            "other|red",
            "text|so",
            r#"tool call|s1|web_search|{"q":"x"}"#,
            "other|https://w",
            "tool call|m1|g|{}",
            "tool result|m1||mcp",
            r#"tool call|t/1|f|{"a":[1]}"#,
            "tool call|t2|f|{}",
            r#"Tool Answers("t/1") Answers("t2")"#,
            "tool result|t/1||one",
            "image",
            "tool result|t/1||doc",
            "other|u",
            "other|t",
            "tool result|t/1||hit",
            "other|h",
            "tool result|t2||",
            "System",
            "text|from now on",
            r#"Assistant Calls("t3")"#,
            "tool call|t3|f|{}",
            r#"User Answers("t3")"#,
            "tool result|t3||out",
            "text|go on",
        ];
        assert_eq!(told(&parsed(BODY)), expected);
        // Whatever order the fields come in.
        let backwards = told(&parsed(&turned_round(BODY, &[])[1]));
        let last_first = |told: &mut Vec<String>| {
            told.sort_unstable();
            told.retain(|line| !line.starts_with("schema"));
        };
        let mut expected = expected.map(str::to_owned).to_vec();
        let mut backwards = backwards;
        last_first(&mut expected);
        last_first(&mut backwards);
        assert_eq!(backwards, expected);
    }

    #[test]
    fn what_the_user_adds_to_results_is_in_the_group_of_their_call() {
        let request = parsed(BODY);
        let estimator = contextfit_core::estimate::CharEstimator::default();
        let table = Table::read(&request, &estimator, Pins::BOTH, None);
        let groups: Vec<_> = table.groups().collect();
        assert_eq!(groups, [0..1, 1..2, 2..4, 4..5, 5..7]);
        let cut = contextfit_core::cut::everything(&table).unwrap();
        assert_eq!(cut.iter().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn what_is_paused_or_called_by_code_stays_with_what_answers_it() {
        let request = parsed(
            r#"{"messages":[{"role":"user","content":"a"},
            {"role":"assistant","content":[{"type":"server_tool_use","id":"code","name":"code_execution","input":{}},
                {"type":"tool_use","id":"t","name":"f","input":{},"caller":{"type":"code_execution_20260120","tool_id":"code"}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"1"}]},
            {"role":"assistant","content":[{"type":"code_execution_tool_result","tool_use_id":"code","content":{"stdout":"2"}}]},
            {"role":"user","content":"b"}]}"#,
        );
        let estimator = contextfit_core::estimate::CharEstimator::default();
        let table = Table::read(&request, &estimator, Pins::NONE, None);
        assert_eq!(table.groups().collect::<Vec<_>>(), [0..1, 1..4, 4..5]);
    }

    #[test]
    fn an_edit_changes_nothing_else() {
        let clip = |message, piece, text: &str| Clip {
            message,
            piece,
            text: text.to_owned(),
            omitted_chars: 1,
        };
        let clips = vec![
            clip(3, 0, "o"),
            clip(3, 2, "d"),
            clip(6, 0, "x"),
            clip(6, 1, "y"),
        ];
        let plan = Plan::new(Cut::of(7, 0..1), "sum".to_owned(), clips);
        let mut request = parsed(BODY);
        request.apply(&plan.max_output_tokens(Some(1200))).unwrap();
        let expected = BODY
            .replace(
                "[\n        {\"role\":\"user\",\"content\":\"hi\"},\n        ",
                "[{\"role\":\"user\",\"content\":\"sum\"},",
            )
            .replace(r#""text":"one""#, r#""text":"o""#)
            .replace(r#""data":"doc""#, r#""data":"d""#)
            .replace(r#""content":"out""#, r#""content":"x""#)
            .replace(r#""text":"go on""#, r#""text":"y""#)
            .replace("2000", "1200")
            .replace("1500", "1199");
        assert_eq!(request.into_body(), expected);
        // What wasn't a part of the output isn't lowered with it.
        let mut request = parsed(&BODY.replace("1500", "2500"));
        request
            .apply(&Plan::untouched(7).max_output_tokens(Some(1200)))
            .unwrap();
        let expected = BODY.replace("2000", "1200").replace("1500", "2500");
        assert_eq!(request.into_body(), expected);
    }

    #[test]
    fn a_long_result_can_be_clipped_beside_what_the_user_adds() {
        let long = "x".repeat(4_000);
        let request =
            parsed(&BODY.replace(r#""content":"out""#, &format!(r#""content":"{long}""#)));
        let estimator = contextfit_core::estimate::CharEstimator::default();
        let clipped = contextfit_core::plan::clip_message(&request, &estimator, 6, 200);
        assert_eq!(clipped.clips.len(), 1);
        assert!(clipped.clips[0].piece == 0 && clipped.tokens <= 200);
    }

    #[test]
    fn neighbours_can_be_merged_without_another_cache_mark() {
        let marked = r#"{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}"#;
        let body = format!(
            r#"{{"messages":[{{"role":"user","content":"a"}},{{"role":"user","content":[{marked}]}},{{"role":"assistant","content":""}}]}}"#
        );
        let merged = parsed(&body).merge_neighbours().into_body();
        let expected = format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"text","text":"a"}},{marked}]}},{{"role":"assistant","content":""}}]}}"#
        );
        assert_eq!(merged, expected);
    }

    #[test]
    fn an_error_names_the_place() {
        for (body, place) in [
            ("[]", "the body"),
            ("{}", "the body"),
            (r#"{"messages":7}"#, "messages"),
            (r#"{"messages":[],"system":7}"#, "system"),
            (r#"{"messages":[],"system":[{"text":"a"}]}"#, "system[0]"),
            (r#"{"messages":[],"system":"a","system":"b"}"#, "system"),
            (r#"{"messages":[],"tools":{}}"#, "tools"),
            (r#"{"messages":[],"max_tokens":"5"}"#, "max_tokens"),
            (
                r#"{"messages":[],"thinking":{"budget_tokens":"5"}}"#,
                "thinking.budget_tokens",
            ),
            (r#"{"model":7,"messages":[]}"#, "model"),
            (r#"{"messages":[{"role":"user"}]}"#, "messages[0]"),
            (r#"{"messages":[{"content":"a"}]}"#, "messages[0]"),
            (
                r#"{"messages":[{"role":"developer","content":"a"}]}"#,
                "messages[0].role",
            ),
            (
                r#"{"messages":[{"role":"user","content":null}]}"#,
                "messages[0].content",
            ),
            (
                r#"{"messages":[{"role":"user","content":["a"]}]}"#,
                "messages[0].content[0]",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"text":"a"}]}]}"#,
                "messages[0].content[0]",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"text"}]}]}"#,
                "messages[0].content[0]",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":7}]}]}"#,
                "messages[0].content[0].text",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"text":7,"type":"text"}]}]}"#,
                "messages[0].content[0].text",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}"#,
                "messages[0].content[0].text",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"image"}]}]}"#,
                "messages[0].content[0]",
            ),
            (
                r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"f"}]}]}"#,
                "messages[0].content[0]",
            ),
            (
                r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":7}]}]}"#,
                "messages[0].content[0].id",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"tool_result","content":"a"}]}]}"#,
                "messages[0].content[0]",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"content":[{"type":"text","text":null}],"type":"tool_result","tool_use_id":"a"}]}]}"#,
                "messages[0].content[0].content[0].text",
            ),
            (
                r#"{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{}]}}]}]}"#,
                "messages[0].content[0].source.content[0]",
            ),
            (
                r#"{"messages":[{"role":"user","content":"a}"#,
                "messages[0].content",
            ),
        ] {
            assert_eq!(place_of_error(FORMAT, body), place, "{body}");
        }
    }
}
