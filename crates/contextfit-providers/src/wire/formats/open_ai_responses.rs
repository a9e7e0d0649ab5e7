//! Items, each a message of its own: what was said, what the model thought, a call, its output.
//!
//! `store`, which is on unless a request says otherwise, puts what comes of this request on the
//! server. What this request is about is still all here.

use contextfit_core::request::{AdapterError, Media, MediaKind, Role};

use super::open_ai_chat;
use crate::wire::fixed;
use crate::wire::format::{Merging, Rules};
use crate::wire::index::{Entry, Id, Index, Tie};
use crate::wire::json::{Kind, Reader, Span};
use crate::wire::leaves::{leaves, opaque};
use crate::wire::media::{media, of_data};

pub(in crate::wire) const RULES: Rules = Rules {
    read,
    // Among items of any type, a message needs none.
    user_message: [r#"{"role":"user","content":"#, "}"],
    merging: Merging {
        is_required: false,
        text_part: None,
    },
};

fn read(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "model",
        "instructions",
        "input",
        "tools",
        "text",
        "max_output_tokens",
        "prompt",
        "previous_response_id",
        "conversation",
    ];
    let (mut has_input, mut has_prompt) = (false, false);
    reader.object(NAMES, |reader, name| {
        if reader.kind()? == Kind::Null {
            return reader.value().map(drop);
        }
        match name {
            "model" => index.model = fixed::model(reader)?,
            "instructions" => instructions(reader, index)?,
            "input" => {
                has_input = true;
                input(reader, index)?;
            }
            "tools" => fixed::schemas(reader, index)?,
            "text" => format_of_text(reader, index)?,
            "max_output_tokens" => index.output.extend(reader.tokens()?),
            // A template that the provider has. Nobody here knows what it says.
            "prompt" => {
                has_prompt = true;
                reader.value()?;
            }
            "previous_response_id" => {
                let id = reader.text()?;
                index.is_elsewhere |= !id.written(reader.body()).is_empty();
            }
            "conversation" => {
                index.is_elsewhere = true;
                reader.value()?;
            }
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    if has_input || has_prompt || index.is_elsewhere {
        Ok(())
    } else {
        Err(reader.missing("input"))
    }
}

/// A text, or items.
fn instructions(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    if reader.kind()? == Kind::Text {
        index.fixed.push(Entry::Text(reader.value()?));
        Ok(())
    } else {
        leaves(reader, &mut |entry| index.fixed.push(entry))
    }
}

/// A lone text of the user, or items.
fn input(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    match reader.kind()? {
        Kind::Text => {
            let said = reader.value()?;
            index.pieces.push(Entry::Text(said));
            index.end_message(Role::User, said, None);
            Ok(())
        }
        Kind::Array => {
            let mut thought = false;
            let list = reader.array(|reader, _| item(reader, index, &mut thought))?;
            index.list = Some(list);
            if let Some(compacted) = index.compacted {
                // It has all that earlier ones had.
                index.messages[compacted].is_pinned = true;
            }
            Ok(())
        }
        _ => Err(reader.wrong("a string or an array of items was expected")),
    }
}

/// The schema of the response, where one is asked for.
fn format_of_text(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    reader
        .object(&["format"], |reader, name| {
            if name.is_empty() || reader.kind()? != Kind::Object {
                return reader.value().map(drop);
            }
            let mut is_text = false;
            let format = reader.object(&["type"], |reader, name| {
                let kind = reader.value()?;
                is_text |= name == "type" && kind.written(reader.body()) == "text";
                Ok(())
            })?;
            if !is_text {
                index.fixed.push(Entry::Schema(format));
            }
            Ok(())
        })
        .map(drop)
}

/// The fields of an item that say anything to the model, or how it is tied to others.
const FIELDS: &[&str] = &[
    "type",
    "role",
    "content",
    "summary",
    "encrypted_content",
    "id",
    "call_id",
    "approval_request_id",
    "caller",
    "name",
    "arguments",
    "input",
    "action",
    "actions",
    "operation",
    "code",
    "queries",
    "revised_prompt",
    "output",
    "outputs",
    "results",
    "result",
    "error",
    "reason",
    "tools",
    "text",
];

/// What a call is made with, by whatever name.
const ARGUMENTS: &[&str] = &[
    "arguments",
    "input",
    "action",
    "actions",
    "operation",
    "code",
    "queries",
    "revised_prompt",
];

/// An item, its fields read as wholes: what they mean is up to its type, which may come last.
struct Item {
    span: Span,
    fields: [Option<Span>; FIELDS.len()],
}

impl Item {
    fn read(reader: &mut Reader<'_>) -> Result<Self, AdapterError> {
        let mut fields = [None; FIELDS.len()];
        let span = reader.object(FIELDS, |reader, name| {
            let is_null = reader.kind()? == Kind::Null;
            let value = reader.value()?;
            if let Some(number) = FIELDS.iter().position(|&field| field == name) {
                fields[number] = Some(value).filter(|_| !is_null);
            }
            Ok(())
        })?;
        Ok(Self { span, fields })
    }

    fn get(&self, name: &str) -> Option<Span> {
        let number = FIELDS.iter().position(|&field| field == name)?;
        self.fields[number]
    }

    /// A field that has to be a string, where it is given.
    fn text(
        &self,
        reader: &mut Reader<'_>,
        name: &'static str,
    ) -> Result<Option<Span>, AdapterError> {
        match self.get(name) {
            Some(value) if !value.is_literal() => {
                reader.within(value, name, Reader::text).map(Some)
            }
            text => Ok(text),
        }
    }

    fn arguments(&self) -> Span {
        let given = ARGUMENTS.iter().find_map(|name| self.get(name));
        given.unwrap_or_default()
    }

    /// Every text in a field, whatever it is.
    fn leaves(
        &self,
        reader: &mut Reader<'_>,
        index: &mut Index,
        name: &'static str,
    ) -> Result<(), AdapterError> {
        match self.get(name) {
            None => Ok(()),
            Some(text) if text.is_literal() => {
                index.pieces.push(opaque(text, reader.body()));
                Ok(())
            }
            Some(value) => reader.within(value, name, |reader| {
                leaves(reader, &mut |entry| index.pieces.push(entry))
            }),
        }
    }

    /// A text or parts, in a field.
    fn content(
        &self,
        reader: &mut Reader<'_>,
        index: &mut Index,
        name: &'static str,
    ) -> Result<(), AdapterError> {
        match self.get(name) {
            None => {}
            Some(text) if text.is_literal() => index.pieces.push(Entry::Text(text)),
            Some(parts) => {
                reader.within(parts, name, |reader| open_ai_chat::content(reader, index))?;
            }
        }
        Ok(())
    }

    /// Schemas of tools.
    fn tools(&self, reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
        let Some(tools) = self.get("tools") else {
            return Ok(());
        };
        reader.within(tools, "tools", |reader| {
            reader
                .array(|reader, _| {
                    let schema = reader.value()?;
                    index.pieces.push(Entry::Schema(schema));
                    Ok(())
                })
                .map(drop)
        })
    }

    /// What only the provider can read.
    fn sealed(&self, reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
        /// What the seal adds, in bytes, as users measured it.
        const SEAL: u64 = 650;
        if let Some(sealed) = self.text(reader, "encrypted_content")? {
            let bytes = sealed.written(reader.body()).len() as u64 / 4 * 3;
            let media = Media::new(MediaKind::Sealed).bytes(bytes.saturating_sub(SEAL));
            index.pieces.push(Entry::Media(Box::new(media)));
        }
        Ok(())
    }
}

/// Reads an item. `thought` is whether the model thought before it, in the same response.
fn item(
    reader: &mut Reader<'_>,
    index: &mut Index,
    thought: &mut bool,
) -> Result<(), AdapterError> {
    let item = Item::read(reader)?;
    let body = reader.body();
    let kind = item.text(reader, "type")?;
    let word = kind.map(|kind| kind.text(body).decode());
    let word = match word.as_deref() {
        Some(word) => word,
        None if item.get("role").is_some() => "message",
        // By the book the type may be left out here, too.
        None if item.get("id").is_some() && item.get("content").is_none() => "item_reference",
        None if item.get("content").is_some() => return Err(reader.missing("role")),
        None => return Err(reader.missing("type")),
    };
    let role = match word {
        "message" => message(&item, reader, index)?,
        "reasoning" => {
            item.content(reader, index, "summary")?;
            item.content(reader, index, "content")?;
            let start = index.start_of_message();
            for piece in &mut index.pieces[start..] {
                if let Entry::Text(thought) = *piece {
                    *piece = Entry::Thinking(thought);
                }
            }
            item.sealed(reader, index)?;
            Role::Assistant
        }
        "compaction" | "compaction_summary" | "context_compaction" => {
            item.sealed(reader, index)?;
            index.compacted = Some(index.messages.len());
            Role::Assistant
        }
        // If a list of tools went, the provider would fetch it again.
        "mcp_list_tools" | "additional_tools" => {
            item.tools(reader, index)?;
            item.leaves(reader, index, "error")?;
            Role::Developer
        }
        // Settings that hold for what follows, and the wish to have it all compacted.
        "configuration_update" | "compaction_trigger" => {
            item.leaves(reader, index, "text")?;
            Role::Developer
        }
        "item_reference" => {
            index.is_elsewhere = true;
            Role::Assistant
        }
        _ => tool(&item, word, kind.unwrap_or_default(), reader, index)?,
    };
    index.end_message(role, item.span, None);
    bind(index, word, role, thought);
    Ok(())
}

/// Keeps what the model thought with all that it led to in the same response. The provider looks
/// for both.
fn bind(index: &mut Index, word: &str, role: Role, thought: &mut bool) {
    let last = index.messages.len() - 1;
    if word == "reasoning" {
        index.messages[last].binds_next = true;
        *thought = true;
        return;
    }
    let is_compaction = index.compacted == Some(last);
    *thought &= (role == Role::Assistant && !is_compaction) || word == "mcp_list_tools";
    if *thought {
        index.messages[last - 1].binds_next = true;
    }
}

fn message(item: &Item, reader: &mut Reader<'_>, index: &mut Index) -> Result<Role, AdapterError> {
    let Some(role) = item.text(reader, "role")? else {
        return Err(reader.missing("role"));
    };
    let word = role.text(reader.body()).decode();
    let role = match &*word {
        "system" => Role::System,
        "developer" => Role::Developer,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => {
            let problem = format!("`{word}` is no role");
            return Err(reader.wrong_in("role", problem));
        }
    };
    item.content(reader, index, "content")?;
    Ok(role)
}

/// A call, its output, or something newer. What ends in `_call` and `_output` is taken for that.
fn tool(
    item: &Item,
    word: &str,
    kind: Span,
    reader: &mut Reader<'_>,
    index: &mut Index,
) -> Result<Role, AdapterError> {
    let is_call = word.ends_with("_call") || matches!(word, "program" | "mcp_approval_request");
    let is_output = word.ends_with("_output") || word == "mcp_approval_response";
    tie(item, word, is_call, is_output, reader, index)?;
    match word {
        "function_call" | "custom_tool_call" => call(item, None, reader, index)?,
        "local_shell_call"
        | "shell_call"
        | "apply_patch_call"
        | "computer_call"
        | "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "tool_search_call"
        | "mcp_call"
        | "mcp_approval_request"
        | "program" => call(item, Some(kind), reader, index)?,
        "function_call_output"
        | "custom_tool_call_output"
        | "local_shell_call_output"
        | "shell_call_output"
        | "apply_patch_call_output"
        | "computer_call_output"
        | "tool_search_output"
        | "mcp_approval_response"
        | "program_output" => output(item, word, reader, index)?,
        _ => reader.within(item.span, "", |reader| {
            leaves(reader, &mut |entry| index.pieces.push(entry))
        })?,
    }
    Ok(if is_output {
        Role::Tool
    } else {
        Role::Assistant
    })
}

/// Ties a call and its output to each other, and what is called by a program to the program.
fn tie(
    item: &Item,
    word: &str,
    is_call: bool,
    is_output: bool,
    reader: &mut Reader<'_>,
    index: &mut Index,
) -> Result<(), AdapterError> {
    let body = reader.body();
    let at = |id: Span| Id::at(id, body);
    let id = item.text(reader, "id")?;
    let call_id = item.text(reader, "call_id")?;
    // What comes between two others is tied to both: it answers the first, and calls the next.
    if let Some(program) = caller(item, reader)? {
        index.ties.push(Tie::Answers(at(program)));
        index.ties.push(Tie::Calls(at(program)));
    }
    if let Some(approval) = item.text(reader, "approval_request_id")? {
        index.ties.push(Tie::Answers(at(approval)));
        if is_output {
            index.ties.push(Tie::Calls(at(approval)));
        }
    }
    if is_call {
        // An output of the local shell names its call by either of its ids.
        let (call_id, other) = match word {
            "mcp_approval_request" => (id, None),
            "local_shell_call" => (call_id, id.filter(|_| call_id.is_some())),
            _ => (call_id, None),
        };
        let ids = call_id.into_iter().chain(other);
        index.ties.extend(ids.map(|id| Tie::Calls(at(id))));
    } else if is_output {
        let is_of_shell = word == "local_shell_call_output";
        let answered = call_id.or(id.filter(|_| is_of_shell));
        index.ties.extend(answered.map(|id| Tie::Answers(at(id))));
    }
    Ok(())
}

/// The program that makes a call, where one does.
fn caller(item: &Item, reader: &mut Reader<'_>) -> Result<Option<Span>, AdapterError> {
    let mut program = None;
    if let Some(caller) = item.get("caller")
        && !caller.is_literal()
    {
        reader.within(caller, "caller", |reader| {
            reader
                .object(&["caller_id"], |reader, name| {
                    if name == "caller_id" {
                        program = reader.optional_text()?;
                        return Ok(());
                    }
                    reader.value().map(drop)
                })
                .map(drop)
        })?;
    }
    Ok(program)
}

/// A call, with its results where the provider made it. `kind` names it where it has no name.
fn call(
    item: &Item,
    kind: Option<Span>,
    reader: &mut Reader<'_>,
    index: &mut Index,
) -> Result<(), AdapterError> {
    let id = item.text(reader, "call_id")?;
    let name = item.text(reader, "name")?.or(kind);
    if id.is_none() && kind.is_none() {
        return Err(reader.missing("call_id"));
    }
    let id = id.unwrap_or_default();
    let name = name.unwrap_or_default();
    let arguments = item.arguments();
    index.pieces.push(Entry::Call {
        id,
        name,
        arguments,
    });
    if let Some(content) = item.text(reader, "output")? {
        let id = Span::EMPTY;
        index.pieces.push(Entry::Result { id, name, content });
    }
    for field in ["outputs", "results", "error"] {
        item.leaves(reader, index, field)?;
    }
    if let Some(image) = item.text(reader, "result")? {
        let media = Media::new(MediaKind::Image);
        index.pieces.push(of_data(media, image, reader.body()));
    }
    Ok(())
}

/// What a tool answered: a text, parts, what a shell wrote, a screenshot.
fn output(
    item: &Item,
    word: &str,
    reader: &mut Reader<'_>,
    index: &mut Index,
) -> Result<(), AdapterError> {
    match (word, item.get("output")) {
        ("computer_call_output", Some(screenshot)) if !screenshot.is_literal() => {
            let image = reader.within(screenshot, "output", |reader| {
                media(reader, MediaKind::Image)
            })?;
            index.pieces.push(Entry::Media(image));
        }
        ("shell_call_output", Some(chunks)) if !chunks.is_literal() => {
            reader.within(chunks, "output", |reader| {
                reader.array(|reader, _| chunk(reader, index)).map(drop)
            })?;
        }
        _ => item.content(reader, index, "output")?,
    }
    let reason = item.text(reader, "reason")?;
    index.pieces.extend(reason.map(Entry::Text));
    let id = item.text(reader, "call_id")?.unwrap_or_default();
    let name = item.text(reader, "name")?.unwrap_or_default();
    let start = index.start_of_message();
    for piece in &mut index.pieces[start..] {
        if let Entry::Text(content) = *piece {
            *piece = Entry::Result { id, name, content };
        }
    }
    // The provider wrote it, so nobody clips it.
    item.leaves(reader, index, "result")?;
    item.tools(reader, index)
}

/// What a shell wrote, and where to.
fn chunk(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    reader
        .object(&["stdout", "stderr"], |reader, name| {
            if name.is_empty() {
                return reader.value().map(drop);
            }
            let written = reader.optional_text()?;
            index.pieces.extend(written.map(Entry::Text));
            Ok(())
        })
        .map(drop)
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::{Cut, enforce};
    use contextfit_core::estimate::CharEstimator;
    use contextfit_core::plan::Plan;
    use contextfit_core::request::{Conversation, EditConversation, Link, Piece};
    use contextfit_core::table::{Pins, Table};
    use proptest::prelude::*;
    use serde_json::Value;

    use crate::wire::{WireError, WireFormat, WireRequest};

    fn parse(body: impl Into<String>) -> Result<WireRequest, WireError> {
        WireRequest::parse(WireFormat::OpenAiResponses, body.into())
    }

    fn of_items<S: AsRef<str>>(items: &[S]) -> WireRequest {
        let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
        parse(format!(r#"{{"input":[{}]}}"#, items.join(","))).unwrap()
    }

    fn told_piece(piece: Piece<'_>) -> String {
        let mut told = vec![piece.kind().name().to_owned()];
        piece.for_each_text(|text| told.push(text.decode().into_owned()));
        if let Piece::Media(media) = piece {
            let kind = media.kind.name();
            told.push(format!("{kind} {:?} {:?}", media.detail, media.bytes));
        }
        told.join("|")
    }

    /// What a view tells of a message: its role, its ties, its pieces.
    fn told(view: &WireRequest, index: usize) -> String {
        let message = view.message(index);
        let mut told = vec![format!("{:?}", message.role)];
        if message.pinned {
            told.push("pinned".to_owned());
        }
        view.links(index, &mut |link| {
            told.push(match link {
                Link::Calls(id) => format!("calls {id}"),
                Link::Answers(id) => format!("answers {id}"),
                _ => "binds".to_owned(),
            });
        });
        view.pieces(index, &mut |piece| told.push(told_piece(piece)));
        told.join("; ")
    }

    fn fixed(view: &WireRequest) -> Vec<String> {
        let mut told = Vec::new();
        view.fixed(&mut |piece| told.push(told_piece(piece)));
        told
    }

    /// Items of all types, and what is told of them.
    const ITEMS: &[(&str, &str)] = &[
        (r#"{"role":"user","content":"h\u0069"}"#, "User; text|hi"),
        (
            r#"{"type":"message","role":"system","content":"s"}"#,
            "System; text|s",
        ),
        (
            r#"{"role":"developer","content":[{"type":"input_text","text":"d"}]}"#,
            "Developer; text|d",
        ),
        (
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"look","prompt_cache_breakpoint":{"mode":"explicit"}},
                {"type":"input_image","image_url":"data:image/png;base64,AAAAAAAA","detail":"low"},
                {"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"},
                {"type":"input_audio","input_audio":{"data":"SUQzBAAA","format":"mp3"}},
                {"type":"input_image","file_id":"file_1","detail":"auto"}]}"#,
            "User; text|look; image|image Low Some(6); file|file Auto Some(3); audio|audio Auto Some(6); image|image Auto None",
        ),
        (
            r#"{"type":"message","id":"msg_1","status":"completed","role":"assistant","phase":"final_answer","content":[
                {"type":"output_text","text":"yes","annotations":[{"type":"url_citation","url":"https://a"}],"logprobs":[]},
                {"type":"refusal","refusal":"no"}]}"#,
            "Assistant; text|yes; text|no",
        ),
        (
            r#"{"type":"function_call","id":"fc_1","call_id":"c\/1","name":"f","arguments":"{\"a\":1}","status":"completed"}"#,
            r#"Assistant; calls c/1; tool call|c/1|f|{"a":1}"#,
        ),
        (
            r#"{"type":"function_call_output","call_id":"c1","output":"out"}"#,
            "Tool; answers c1; tool result|c1||out",
        ),
        (
            r#"{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"a"},
                {"type":"input_image","image_url":"https://a/b.png"},{"type":"input_text","text":"b"}]}"#,
            "Tool; answers c1; tool result|c1||a; image|image Auto None; tool result|c1||b",
        ),
        (
            r#"{"type":"function_call_output","name":"f","output":"unasked"}"#,
            "Tool; tool result||f|unasked",
        ),
        (
            r#"{"type":"custom_tool_call","call_id":"c1","name":"grep","input":"x.*"}"#,
            "Assistant; calls c1; tool call|c1|grep|x.*",
        ),
        (
            r#"{"type":"custom_tool_call_output","call_id":"c1","output":"found"}"#,
            "Tool; answers c1; tool result|c1||found",
        ),
        (
            r#"{"type":"local_shell_call","id":"lsh_1","call_id":"c1","action":{"type":"exec","command":["ls"],"env":{}},"status":"completed"}"#,
            r#"Assistant; calls c1; calls lsh_1; tool call|c1|local_shell_call|{"type":"exec","command":["ls"],"env":{}}"#,
        ),
        (
            r#"{"type":"local_shell_call_output","id":"c1","output":"a b"}"#,
            "Tool; answers c1; tool result|||a b",
        ),
        (
            r#"{"type":"shell_call","call_id":"c1","action":{"commands":["ls"]},"environment":{"type":"local"}}"#,
            r#"Assistant; calls c1; tool call|c1|shell_call|{"commands":["ls"]}"#,
        ),
        (
            r#"{"type":"shell_call_output","call_id":"c1","output":[{"stdout":"a","stderr":"b","outcome":{"type":"exit","exit_code":0}},
                {"stdout":"c","stderr":"","outcome":{"type":"timeout"}}],"max_output_length":9}"#,
            "Tool; answers c1; tool result|c1||a; tool result|c1||b; tool result|c1||c; tool result|c1||",
        ),
        (
            r#"{"type":"apply_patch_call","call_id":"c1","operation":{"type":"delete_file","path":"a"},"status":"completed"}"#,
            r#"Assistant; calls c1; tool call|c1|apply_patch_call|{"type":"delete_file","path":"a"}"#,
        ),
        (
            r#"{"type":"apply_patch_call_output","call_id":"c1","status":"completed","output":null}"#,
            "Tool; answers c1",
        ),
        (
            r#"{"type":"computer_call","id":"cu_1","call_id":"c1","action":{"type":"wait"},"pending_safety_checks":[],"status":"completed"}"#,
            r#"Assistant; calls c1; tool call|c1|computer_call|{"type":"wait"}"#,
        ),
        (
            r#"{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}}"#,
            "Tool; answers c1; image|image Auto Some(3)",
        ),
        (
            r#"{"type":"mcp_call","id":"mcp_1","server_label":"s","name":"f","arguments":"{}","output":"out","error":null,"approval_request_id":"mcpr_1"}"#,
            "Assistant; answers mcpr_1; tool call||f|{}; tool result||f|out",
        ),
        (
            r#"{"type":"mcp_call","id":"mcp_1","server_label":"s","name":"f","arguments":"{}","error":{"type":"http_error","code":500,"message":"down"}}"#,
            "Assistant; tool call||f|{}; other|down",
        ),
        (
            r#"{"type":"mcp_list_tools","id":"mcpl_1","server_label":"s","tools":[{"name":"f","input_schema":{}},{"name":"g"}]}"#,
            r#"Developer; schema|{"name":"f","input_schema":{}}; schema|{"name":"g"}"#,
        ),
        (
            r#"{"type":"mcp_approval_request","id":"mcpr_1","server_label":"s","name":"f","arguments":"{}"}"#,
            "Assistant; calls mcpr_1; tool call||f|{}",
        ),
        (
            r#"{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":false,"reason":"why"}"#,
            "Tool; answers mcpr_1; calls mcpr_1; tool result|||why",
        ),
        (
            r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}}"#,
            r#"Assistant; tool call||web_search_call|{"type":"search","query":"q"}"#,
        ),
        (
            r#"{"type":"file_search_call","id":"fs_1","status":"completed","queries":["q"],"results":[{"filename":"a","text":"t","score":0.5}]}"#,
            r#"Assistant; tool call||file_search_call|["q"]; other|a; other|t"#,
        ),
        (
            r#"{"type":"code_interpreter_call","id":"ci_1","code":"1+1","container_id":"x","outputs":[{"type":"logs","logs":"2"}],"status":"completed"}"#,
            "Assistant; tool call||code_interpreter_call|1+1; other|2",
        ),
        (
            r#"{"type":"image_generation_call","id":"ig_1","status":"completed","result":"AAAAAAAA","revised_prompt":"a cat"}"#,
            "Assistant; tool call||image_generation_call|a cat; image|image Auto Some(6)",
        ),
        (
            r#"{"type":"tool_search_call","call_id":null,"execution":"server","arguments":{"goal":"g"}}"#,
            r#"Assistant; tool call||tool_search_call|{"goal":"g"}"#,
        ),
        (
            r#"{"type":"tool_search_output","call_id":"c1","execution":"client","tools":[{"name":"f"}]}"#,
            r#"Tool; answers c1; schema|{"name":"f"}"#,
        ),
        (
            r#"{"type":"additional_tools","role":"developer","tools":[{"name":"f"}]}"#,
            r#"Developer; schema|{"name":"f"}"#,
        ),
        (
            r#"{"type":"program","id":"p","call_id":"c1","code":"go()","fingerprint":"x"}"#,
            "Assistant; calls c1; tool call|c1|program|go()",
        ),
        (
            r#"{"type":"program_output","id":"p","call_id":"c1","result":"went","status":"completed"}"#,
            "Tool; answers c1; other|went",
        ),
        (
            r#"{"type":"function_call","call_id":"c2","name":"f","arguments":"","caller":{"type":"program","caller_id":"c1"}}"#,
            "Assistant; answers c1; calls c1; calls c2; tool call|c2|f|",
        ),
        (
            r#"{"type":"configuration_update","reasoning":{"effort":"low"}}"#,
            "Developer",
        ),
        (r#"{"type":"compaction_trigger"}"#, "Developer"),
        (
            r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"}],"content":[{"type":"reasoning_text","text":"b"}]}"#,
            "Assistant; binds; thinking|a; thinking|b",
        ),
        (
            r#"{"type":"unheard_of","id":"u_1","content":[{"text":7}],"says":{"deep":["this"]}}"#,
            "Assistant; other|u_1; other|this",
        ),
        (
            r#"{"type":"new_call","call_id":"c1"}"#,
            "Assistant; calls c1; other|c1",
        ),
        (
            r#"{"type":"new_call_output","call_id":"c1"}"#,
            "Tool; answers c1; other|c1",
        ),
    ];

    #[test]
    fn an_item_of_each_type_is_seen_for_what_it_is() {
        for (item, expected) in ITEMS {
            assert_eq!(told(&of_items(&[item]), 0), *expected, "{item}");
        }
    }

    #[test]
    fn the_order_of_fields_makes_no_difference() {
        // What nobody understands is seen as it stands.
        let known = ITEMS
            .iter()
            .filter(|(item, _)| !item.contains("unheard_of"));
        for (item, _) in known {
            let Value::Object(fields) = serde_json::from_str(item).unwrap() else {
                panic!("{item}");
            };
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("\"{name}\":{value}"))
                .collect();
            let forward = format!("{{{}}}", fields.join(","));
            fields.reverse();
            let backward = format!("{{{}}}", fields.join(","));
            let [forward, backward] = [forward, backward].map(|item| told(&of_items(&[item]), 0));
            assert_eq!(forward, backward);
        }
    }

    #[test]
    fn what_is_sealed_costs_what_is_in_it_and_is_not_its_base64() {
        for kind in ["reasoning", "compaction"] {
            let sealed = "A".repeat(4_000);
            let item = format!(r#"{{"type":"{kind}","encrypted_content":"{sealed}"}}"#);
            let told = told(&of_items(&[item]), 0);
            assert!(told.ends_with("thinking|sealed Auto Some(2350)"), "{told}");
            assert!(!told.contains("AAA"));
        }
    }

    #[test]
    fn what_is_sent_beside_the_items_is_counted() {
        let request = parse(
            r#"{"model":"m\u0031","instructions":"be kind","max_output_tokens":7,"store":true,
                "tools":[{"type":"function","name":"f"},{"type":"web_search"}],
                "text":{"verbosity":"low","format":{"type":"json_schema","schema":{}}},
                "truncation":"auto","background":true,"input":[]}"#,
        )
        .unwrap();
        let expected = [
            "text|be kind",
            r#"schema|{"type":"function","name":"f"}"#,
            r#"schema|{"type":"web_search"}"#,
            r#"schema|{"type":"json_schema","schema":{}}"#,
        ];
        assert_eq!(fixed(&request), expected);
        assert_eq!(request.model(), Some("m1"));
        assert_eq!(request.max_output_tokens(), Some(7));
        assert!(!request.is_continued());

        let items = r#"{"instructions":[{"role":"developer","content":"be brief"}],
            "text":{"format":{"type":"text"}},"tools":null,"input":"hi"}"#;
        assert_eq!(
            fixed(&parse(items).unwrap()),
            ["other|developer", "other|be brief"]
        );
    }

    #[test]
    fn a_plain_input_is_a_message_of_the_user_and_is_clipped_where_it_stands() {
        let mut request = parse(r#"{"input":"hello","model":"m"}"#).unwrap();
        assert_eq!(told(&request, 0), "User; text|hello");
        let clip = contextfit_core::plan::Clip {
            message: 0,
            piece: 0,
            text: "h\"o".to_owned(),
            omitted_chars: 3,
        };
        let plan = Plan::new(Cut::none(1), String::new(), vec![clip]);
        request.apply(&plan).unwrap();
        assert_eq!(request.body(), r#"{"input":"h\"o","model":"m"}"#);
    }

    #[test]
    fn a_request_that_leaves_the_history_with_the_provider_says_so() {
        for (body, expected) in [
            (r#"{"input":"a","store":true}"#, false),
            (
                r#"{"input":"a","previous_response_id":null,"conversation":null}"#,
                false,
            ),
            (r#"{"input":"a","previous_response_id":""}"#, false),
            (r#"{"input":"a","previous_response_id":"resp_1"}"#, true),
            (r#"{"previous_response_id":"resp_1"}"#, true),
            (r#"{"input":"a","conversation":"conv_1"}"#, true),
            (r#"{"input":"a","conversation":{"id":"conv_1"}}"#, true),
            (
                r#"{"input":[{"type":"item_reference","id":"msg_1"}]}"#,
                true,
            ),
            (r#"{"input":[{"id":"msg_1"}]}"#, true),
            (r#"{"prompt":{"id":"pmpt_1"}}"#, false),
        ] {
            assert_eq!(parse(body).unwrap().is_continued(), expected, "{body}");
        }
    }

    #[test]
    fn an_error_names_the_place() {
        for (body, place) in [
            ("", "the body"),
            ("[]", "the body"),
            ("{}", "the body"),
            (r#"{"input":null}"#, "the body"),
            (r#"{"input":"a"} x"#, "the body"),
            (r#"{"input":7}"#, "input"),
            (r#"{"input":"a","input":"b"}"#, "input"),
            (r#"{"input":[7]}"#, "input[0]"),
            (r#"{"input":[{}]}"#, "input[0]"),
            (r#"{"input":[{"content":"a"}]}"#, "input[0]"),
            (
                r#"{"input":[{"type":"message","content":"a"}]}"#,
                "input[0]",
            ),
            (r#"{"input":[{"type":7}]}"#, "input[0].type"),
            (
                r#"{"input":[{"role":"user","content":"a","role":"user"}]}"#,
                "input[0].role",
            ),
            (
                r#"{"input":[{"role":"wizard","content":"a"}]}"#,
                "input[0].role",
            ),
            (
                r#"{"input":[{"role":"user","content":7}]}"#,
                "input[0].content",
            ),
            (
                r#"{"input":[{"role":"user","content":[{"text":"a"}]}]}"#,
                "input[0].content[0]",
            ),
            (
                r#"{"input":[{"content":[{"text":{},"type":"input_text"}],"role":"user"}]}"#,
                "input[0].content[0].text",
            ),
            (
                r#"{"input":[{"role":"user","content":"a"},{"type":"function_call","name":"f"}]}"#,
                "input[1]",
            ),
            (
                r#"{"input":[{"type":"function_call","call_id":7}]}"#,
                "input[0].call_id",
            ),
            (
                r#"{"input":[{"type":"function_call_output","call_id":"c","output":{}}]}"#,
                "input[0].output",
            ),
            (
                r#"{"input":[{"type":"shell_call_output","output":[{"stdout":7}]}]}"#,
                "input[0].output[0].stdout",
            ),
            (
                r#"{"input":[{"type":"reasoning","summary":[7]}]}"#,
                "input[0].summary[0]",
            ),
            (
                r#"{"input":[{"type":"mcp_list_tools","tools":{}}]}"#,
                "input[0].tools",
            ),
            (
                r#"{"input":"a","max_output_tokens":"5"}"#,
                "max_output_tokens",
            ),
            (
                r#"{"input":"a","previous_response_id":5}"#,
                "previous_response_id",
            ),
            (r#"{"input":"a","model":7}"#, "model"),
            (r#"{"input":"a","tools":{}}"#, "tools"),
            (
                r#"{"input":[{"role":"user","content":"a}]}"#,
                "input[0].content",
            ),
        ] {
            let error = parse(body).unwrap_err();
            assert_eq!(error.place(), place, "{body}");
            assert_eq!(error.into_body(), body);
        }
    }

    #[test]
    fn large_and_deep_bodies_are_read_or_refused() {
        let large = "word ".repeat(2 << 20);
        let body = format!(r#"{{"input":[{{"role":"user","content":"{large}"}}]}}"#);
        assert_eq!(
            told(&parse(body).unwrap(), 0).len(),
            "User; text|".len() + large.len()
        );
        let deep = |open: &str, close: &str, depth| {
            let value = [open.repeat(depth), "1".to_owned(), close.repeat(depth)].concat();
            parse(format!(r#"{{"input":[{{"type":"u","a":{value}}}]}}"#))
        };
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            assert!(deep(open, close, 100).is_ok());
            assert!(deep(open, close, 100_000).is_err());
        }
    }

    const THOUGHT: &str = r#"{"type":"reasoning","id":"rs","summary":[]}"#;
    const SAID: &str = r#"{"type":"message","role":"assistant","content":"a"}"#;
    const ASKED: &str = r#"{"role":"user","content":"u"}"#;
    const SEARCH: &str = r#"{"type":"web_search_call","id":"ws","action":{}}"#;
    const COMPACTION: &str = r#"{"type":"compaction","encrypted_content":"x"}"#;
    const TOOLS: &str = r#"{"type":"mcp_list_tools","server_label":"s","tools":[]}"#;

    fn call(id: &str) -> String {
        format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#)
    }

    fn output(id: &str) -> String {
        format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"o"}}"#)
    }

    fn table(request: &WireRequest) -> Table {
        Table::read(request, &CharEstimator::default(), Pins::NONE, None)
    }

    #[test]
    fn what_the_model_thought_is_one_group_with_all_that_it_led_to() {
        let [a, b, of_a, of_b] = [call("a"), call("b"), output("a"), output("b")];
        let [a, b, of_a, of_b] = [&*a, &*b, &*of_a, &*of_b];
        let program = r#"{"type":"program","call_id":"p","code":""}"#;
        let nested = |id: &str| {
            let caller = r#","caller":{"type":"program","caller_id":"p"}}"#;
            call(id).replace("\"}", "\"") + caller
        };
        let [in_a, in_b] = [nested("a"), nested("b")];
        let request = r#"{"type":"mcp_approval_request","id":"q","name":"f","arguments":""}"#;
        let response =
            r#"{"type":"mcp_approval_response","approval_request_id":"q","approve":true}"#;
        let approved = r#"{"type":"mcp_call","name":"f","arguments":"","approval_request_id":"q"}"#;
        for (items, expected) in [
            (vec![ASKED, THOUGHT, SAID, ASKED], vec![1, 2, 1]),
            (vec![ASKED, THOUGHT, a, b, of_a, of_b, SAID], vec![1, 5, 1]),
            (vec![THOUGHT, a, of_a, THOUGHT, b, of_b], vec![3, 3]),
            // The provider looks for the thought that a call came of, also past what was said.
            (vec![THOUGHT, SAID, a, of_a, SAID], vec![4, 1]),
            (
                vec![THOUGHT, TOOLS, a, of_a, THOUGHT, SEARCH, SAID, COMPACTION],
                vec![4, 3, 1],
            ),
            (vec![THOUGHT, SEARCH, THOUGHT, SAID], vec![2, 2]),
            // Without thought each call is closed by its own output.
            (vec![a, of_a, b, of_b], vec![2, 2]),
            (vec![a, b, of_a, of_b], vec![4]),
            (vec![SAID, a, of_a, SAID, SAID], vec![1, 2, 1, 1]),
            (vec![program, &in_a, of_a, &in_b, of_b, ASKED], vec![5, 1]),
            (vec![request, response, approved, SAID], vec![3, 1]),
            // The call may be in the compaction.
            (vec![SAID, COMPACTION, of_a, SAID], vec![1, 2, 1]),
        ] {
            let groups = table(&of_items(&items))
                .groups()
                .map(|group| group.len())
                .collect::<Vec<_>>();
            assert_eq!(groups, expected, "{items:#?}");
        }
    }

    #[test]
    fn the_last_compaction_stays_and_a_summary_follows_it() {
        let items = [ASKED, COMPACTION, SAID, COMPACTION, ASKED, SAID, ASKED];
        let mut request = of_items(&items);
        let cut = enforce(&table(&request), Cut::of(7, 0..6)).unwrap();
        assert_eq!(cut.iter().collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
        request
            .apply(&Plan::new(cut, "so far".into(), vec![]))
            .unwrap();
        let expected =
            format!(r#"{{"input":[{COMPACTION},{{"role":"user","content":"so far"}},{ASKED}]}}"#);
        assert_eq!(request.body(), &expected);
    }

    /// Runs of items that a provider takes, `number` making their ids their own.
    fn run(kind: u8, number: usize) -> Vec<String> {
        let own = |items: &[&str]| {
            let ids = |item: &&str| {
                item.replace("\"rs\"", &format!("\"rs_{number}\""))
                    .replace("\"u\"", &format!("\"u {number}\""))
                    .replace("\"a\"", &format!("\"a_{number}\""))
                    .replace("\"b\"", &format!("\"b_{number}\""))
            };
            items.iter().map(ids).collect()
        };
        let [a, b, of_a, of_b] = [call("a"), call("b"), output("a"), output("b")];
        match kind {
            0 => own(&[ASKED]),
            1 => own(&[THOUGHT, SAID]),
            2 => own(&[THOUGHT, &a, &b, &of_a, &of_b]),
            3 => own(&[&a, &of_a]),
            4 => own(&[&b, &a, &of_a, &of_b]),
            5 => own(&[THOUGHT, SAID, &a, &of_a]),
            6 => own(&[THOUGHT, SEARCH, SAID]),
            7 => own(&[TOOLS]),
            8 => own(&[SAID]),
            _ => own(&[COMPACTION]),
        }
    }

    proptest! {
        /// The faults A1 and A4: a cut tears no call from its output, and no thought from what
        /// came of it.
        #[test]
        fn no_cut_tears_a_run_apart_and_what_is_kept_is_as_it_was(
            kinds in prop::collection::vec(0..10_u8, 1..12),
            marks in prop::collection::vec(any::<bool>(), 60),
        ) {
            let runs: Vec<_> = kinds.iter().enumerate().map(|(number, &kind)| run(kind, number)).collect();
            let items = runs.concat();
            let mut request = of_items(&items);
            let mut cut = Cut::none(items.len());
            for (index, _) in marks.iter().enumerate().filter(|&(index, cut)| index < items.len() && *cut) {
                cut.add(index..index + 1);
            }
            let Some(cut) = enforce(&table(&request), cut) else { return Ok(()) };
            let kept: Vec<_> = (0..items.len()).filter(|&index| !cut.contains(index)).collect();
            request.apply(&Plan::new(cut, "so far".into(), vec![])).unwrap();

            let mut start = 0;
            for run in &runs {
                let of_run = kept.iter().filter(|index| (start..start + run.len()).contains(index)).count();
                prop_assert!(of_run == 0 || of_run == run.len(), "{run:?}");
                start += run.len();
            }
            let body: Value = serde_json::from_slice(request.body()).unwrap();
            let summary = serde_json::json!({"role":"user","content":"so far"});
            let sent = body["input"].as_array().unwrap();
            prop_assert_eq!(sent.iter().filter(|item| **item == summary).count(), 1);
            let written = std::str::from_utf8(request.body()).unwrap();
            let mut rest = written;
            for index in kept {
                let at = rest.find(&items[index]);
                prop_assert!(at.is_some(), "{} in {}", items[index], written);
                rest = &rest[at.unwrap() + items[index].len()..];
            }
        }
    }
}
