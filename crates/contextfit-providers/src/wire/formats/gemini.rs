use std::borrow::Cow;

use contextfit_core::request::{AdapterError, Media, MediaKind, Role};

use crate::wire::calls::Calls;
use crate::wire::fixed;
use crate::wire::format::{Merging, Rules};
use crate::wire::index::{Entry, Index, Tie};
use crate::wire::json::{Kind, Reader, Span};
use crate::wire::leaves::leaves;
use crate::wire::media;
use crate::wire::results::{answer, result_leaves};

pub(in crate::wire) const RULES: Rules = Rules {
    read,
    user_message: [r#"{"role":"user","parts":[{"text":"#, "}]}"],
    merging: Merging {
        // A turn of calls may not follow another turn of the model (google-gemini/gemini-cli#26486).
        // Two turns of the user are refused by some models only (microsoft/autogen#2900), and are
        // as good as one to all.
        is_required: true,
        text_part: Some([r#"{"text":"#, "}"]),
    },
};

fn read(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    reader.take_snake_case();
    let mut request = Request {
        index,
        calls: Calls::default(),
        has_contents: false,
    };
    request.read(reader, true)?;
    if request.has_contents {
        Ok(())
    } else {
        Err(reader.missing("contents"))
    }
}

/// A request that is being read.
struct Request<'a, 'i> {
    index: &'i mut Index,
    calls: Calls<'a>,
    has_contents: bool,
}

/// What kinds of parts a content holds.
#[derive(Default)]
struct Holds {
    calls: bool,
    responses: bool,
    others: bool,
}

impl<'a> Request<'a, '_> {
    /// What is stored under `cachedContent` comes before the contents, and what it costs isn't
    /// told here. The contents are ours all the same.
    fn read(&mut self, reader: &mut Reader<'a>, is_outermost: bool) -> Result<(), AdapterError> {
        const NAMES: &[&str] = &[
            "model",
            "contents",
            "systemInstruction",
            "tools",
            "generationConfig",
            // Code Assist has the request in a field, and the model beside it.
            "request",
        ];
        let fields = reader.object(NAMES, |reader, name| {
            if reader.is_null()? {
                return Ok(());
            }
            match name {
                "model" => self.index.model = fixed::model(reader)?,
                "contents" if self.has_contents => {
                    return Err(reader.wrong("there are contents beside the request, too"));
                }
                "contents" => {
                    self.has_contents = true;
                    self.index.list = each(reader, |reader| self.content(reader))?;
                }
                "systemInstruction" => self.system(reader)?,
                "tools" => drop(each(reader, |reader| tool(reader, self.index))?),
                "generationConfig" => config(reader, self.index)?,
                "request" if is_outermost && reader.kind()? == Kind::Object => {
                    self.read(reader, false)?;
                }
                _ => drop(reader.value()?),
            }
            Ok(())
        });
        fields.map(drop)
    }

    fn system(&mut self, reader: &mut Reader<'a>) -> Result<(), AdapterError> {
        let (pieces, ties) = (self.index.pieces.len(), self.index.ties.len());
        reader.object(&["parts"], |reader, name| {
            match name {
                "parts" => drop(self.parts(reader, &mut Holds::default())?),
                _ => drop(reader.value()?),
            }
            Ok(())
        })?;
        let said = self.index.pieces.drain(pieces..);
        self.index.fixed.extend(said);
        self.index.ties.truncate(ties);
        Ok(())
    }

    fn content(&mut self, reader: &mut Reader<'a>) -> Result<(), AdapterError> {
        let (mut declared, mut parts) = (None, None);
        let mut holds = Holds::default();
        let mut rest = Vec::new();
        let mut is_plain = true;
        let span = reader.object(&["role", "parts"], |reader, name| {
            match name {
                "role" => declared = role(reader)?,
                "parts" => parts = self.parts(reader, &mut holds)?,
                _ => {
                    is_plain = false;
                    leaves(reader, &mut |entry| rest.push(entry))?;
                }
            }
            Ok(())
        })?;
        self.index.pieces.extend(rest);
        if !holds.calls {
            self.calls.end_round();
        }
        let role = match declared {
            None | Some(Role::User) if holds.responses && !holds.others => Role::Tool,
            Some(role) => role,
            None => Role::User,
        };
        // Responses stay apart from what the user says: in one turn with it, models take the one
        // for a part of the other (NousResearch/hermes-agent#68863).
        let said = parts.filter(|_| !holds.responses);
        self.index.end_message(role, span, said);
        self.index.last_has_more(!is_plain);
        Ok(())
    }

    fn parts(
        &mut self,
        reader: &mut Reader<'a>,
        holds: &mut Holds,
    ) -> Result<Option<Span>, AdapterError> {
        each(reader, |reader| self.part(reader, holds))
    }

    fn part(&mut self, reader: &mut Reader<'a>, holds: &mut Holds) -> Result<(), AdapterError> {
        const NAMES: &[&str] = &[
            "text",
            "thought",
            "thoughtSignature",
            "inlineData",
            "fileData",
            "functionCall",
            "functionResponse",
            "videoMetadata",
            "mediaResolution",
            "partMetadata",
        ];
        let (mut text, mut is_thought, mut is_response) = (None, false, false);
        let mut rest = Vec::new();
        reader.object(NAMES, |reader, name| {
            if reader.is_null()? {
                return Ok(());
            }
            match name {
                "text" => text = Some(reader.text()?),
                "thought" => is_thought = truth(reader)?,
                "inlineData" | "fileData" => rest.push(blob(reader)?),
                "functionCall" => {
                    holds.calls = true;
                    rest.push(self.call(reader)?);
                }
                "functionResponse" => {
                    is_response = true;
                    self.response(reader, &mut rest)?;
                }
                // A signature is no text to the model; what stands for the thought isn't told.
                "thoughtSignature" | "videoMetadata" | "mediaResolution" | "partMetadata" => {
                    reader.value()?;
                }
                // Code that was run and what came of it, and whatever comes to be a part.
                _ => leaves(reader, &mut |entry| rest.push(entry))?,
            }
            Ok(())
        })?;
        holds.responses |= is_response;
        holds.others |= !is_response;
        match text {
            Some(text) if is_thought => self.index.pieces.push(Entry::Thinking(text)),
            Some(text) => self.index.pieces.push(Entry::Text(text)),
            // No part goes unseen, or a message would seem to be made of the others alone.
            None if rest.is_empty() => rest.push(Entry::Opaque(Span::EMPTY)),
            None => {}
        }
        self.index.pieces.extend(rest);
        Ok(())
    }

    fn call(&mut self, reader: &mut Reader<'a>) -> Result<Entry, AdapterError> {
        let (mut id, mut called, mut arguments) = (None, None, Span::EMPTY);
        reader.object(&["id", "name", "args"], |reader, name| {
            match name {
                "id" => id = reader.optional_text()?,
                "name" => called = reader.optional_text()?,
                "args" => arguments = reader.value()?,
                _ => drop(reader.value()?),
            }
            Ok(())
        })?;
        let Some(name) = called else {
            return Err(reader.missing("name"));
        };
        let body = reader.body();
        let made = self.calls.call(word(id, body), name.text(body).decode());
        self.index.ties.push(Tie::Calls(made));
        Ok(Entry::Call {
            id: id.unwrap_or_default(),
            name,
            arguments,
        })
    }

    fn response(
        &mut self,
        reader: &mut Reader<'a>,
        pieces: &mut Vec<Entry>,
    ) -> Result<(), AdapterError> {
        const NAMES: &[&str] = &["id", "name", "response", "parts"];
        let (mut id, mut answered, mut response) = (None, None, None);
        let mut media = Vec::new();
        reader.object(NAMES, |reader, name| {
            match name {
                "id" => id = reader.optional_text()?,
                "name" => answered = reader.optional_text()?,
                // Which call it answers may come last.
                "response" => response = Some(reader.value()?),
                "parts" => {
                    each(reader, |reader| {
                        leaves(reader, &mut |entry| media.push(entry))
                    })?;
                }
                _ => drop(reader.value()?),
            }
            Ok(())
        })?;
        let Some(name) = answered else {
            return Err(reader.missing("name"));
        };
        let body = reader.body();
        let call = word(id, body);
        let made = self
            .calls
            .answer(call.as_deref(), word(answered, body).as_deref());
        self.index.ties.extend(made.map(Tie::Answers));
        let id = id.unwrap_or_default();
        match response {
            Some(response) if !response.is_literal() => {
                let start = pieces.len();
                reader.within(response, "response", |reader| {
                    result_leaves(reader, &mut |entry| pieces.push(entry))
                })?;
                answer(pieces, start, id, name);
            }
            text => pieces.push(Entry::Result {
                id,
                name,
                content: text.unwrap_or_default(),
            }),
        }
        pieces.extend(media);
        Ok(())
    }
}

/// Elements of a list, or the one that stands where a list might: the API takes that too. The
/// list, brackets included, where there is one.
fn each<'a>(
    reader: &mut Reader<'a>,
    mut read: impl FnMut(&mut Reader<'a>) -> Result<(), AdapterError>,
) -> Result<Option<Span>, AdapterError> {
    match reader.kind()? {
        Kind::Null => reader.value().map(|_| None),
        Kind::Object => read(reader).map(|()| None),
        _ => reader.array(|reader, _| read(reader)).map(Some),
    }
}

/// A text that says something, resolved.
fn word(text: Option<Span>, body: &str) -> Option<Cow<'_, str>> {
    let text = text.map(|text| text.text(body).decode());
    text.filter(|text| !text.is_empty())
}

/// `None` where it isn't said: then it is the user's, or that of a tool.
fn role(reader: &mut Reader<'_>) -> Result<Option<Role>, AdapterError> {
    if reader.is_null()? {
        return Ok(None);
    }
    let word = reader.word()?;
    Ok(match &*word.to_ascii_lowercase() {
        "" => None,
        "user" => Some(Role::User),
        "model" => Some(Role::Assistant),
        "function" => Some(Role::Tool),
        _ => return Err(reader.wrong(format!("`{word}` is no role"))),
    })
}

fn truth(reader: &mut Reader<'_>) -> Result<bool, AdapterError> {
    if reader.kind()? != Kind::Bool {
        return Err(reader.wrong("true or false was expected"));
    }
    Ok(reader.value()?.written(reader.body()) == "true")
}

/// Data, or a link to them.
fn blob(reader: &mut Reader<'_>) -> Result<Entry, AdapterError> {
    let (mut kind, mut data) = (MediaKind::File, None);
    reader.object(&["mimeType", "data"], |reader, name| {
        match name {
            "mimeType" => {
                if let Some(media_type) = reader.optional_text()? {
                    kind = MediaKind::of_type(&media_type.text(reader.body()).decode());
                }
            }
            "data" => data = reader.optional_text()?,
            _ => drop(reader.value()?),
        }
        Ok(())
    })?;
    let media = Media::new(kind);
    Ok(match data {
        Some(data) => media::of_data(media, data, reader.body()),
        None => Entry::Media(Box::new(media)),
    })
}

/// The functions of a tool, each for itself; a tool that has none is one of the provider's.
fn tool(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    let start = index.fixed.len();
    let mut has_functions = false;
    let whole = reader.object(&["functionDeclarations"], |reader, name| {
        if name.is_empty() {
            return fixed::schema(reader, index);
        }
        has_functions = true;
        each(reader, |reader| fixed::schema(reader, index)).map(drop)
    })?;
    if !has_functions {
        index.fixed.truncate(start);
        index.fixed.push(Entry::Schema(whole));
    }
    Ok(())
}

fn config(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &[
        "maxOutputTokens",
        "responseSchema",
        "responseJsonSchema",
        "_responseJsonSchema",
    ];
    let fields = reader.object(NAMES, |reader, name| {
        match name {
            "maxOutputTokens" => index.output.extend(reader.tokens()?),
            "responseSchema" | "responseJsonSchema" | "_responseJsonSchema" => {
                fixed::schema(reader, index)?;
            }
            _ => drop(reader.value()?),
        }
        Ok(())
    });
    fields.map(drop)
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;
    use contextfit_core::plan::{Clip, Plan};
    use contextfit_core::request::EditConversation;

    use super::super::told::{assert_depth_is_bounded, told, turned_round};
    use crate::wire::told::place_of_error;
    use crate::wire::{WireFormat, WireRequest};

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

    /// Parts of every kind.
    fn body() -> String {
        r#"{"systemInstruction":{"role":"user","parts":[{"text":"be kind"},{"text":"and \"brief\""}]},
            "tools":[{"functionDeclarations":[{"name":"f"},{"name":"g"}]},{"googleSearch":{}}],
            "toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},
            "generationConfig":{"maxOutputTokens":50.0,"temperature":1,"responseSchema":{"type":"OBJECT"}},
            "cachedContent":"cachedContents/1","safetySettings":[],
            "contents":[
                {"parts":[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"PNG"}},
                    {"fileData":{"mimeType":"video/mp4","fileUri":"https://a/b"},"videoMetadata":{"fps":1}}],"role":"user"},
                {"role":"model","parts":[{"text":"hm","thought":true},
                    {"functionCall":{"name":"f","args":{"a":"\n"}},"thoughtSignature":"c2ln"},
                    {"functionCall":{"id":"7","name":"g","args":{}}}]},
                {"role":"user","parts":[
                    {"functionResponse":{"name":"f","response":{"out":"ok"}}},
                    {"functionResponse":{"name":"g","id":"7","response":{"n":1},
                        "parts":[{"inlineData":{"mimeType":"image/png","data":"PNG"}}]}}]},
                {"role":"model","parts":[{"executableCode":{"code":"1+1"}},{"codeExecutionResult":{"output":"2"}},
                    {"text":"","thoughtSignature":"c2ln"},{"thoughtSignature":"c2ln"},{"unheardOf":[{"a":"b"}]}]},
                {"parts":[{"text":"next"}]}]}"#
            .replace("PNG", PNG)
    }

    #[test]
    fn every_part_is_seen_for_what_it_is() {
        let expected = [
            "None Some(50)",
            "text|be kind",
            "text|and \"brief\"",
            r#"schema|{"name":"f"}"#,
            r#"schema|{"name":"g"}"#,
            r#"schema|{"googleSearch":{}}"#,
            r#"schema|{"type":"OBJECT"}"#,
            "user",
            "text|look",
            "image|Some(33)",
            "file|None",
            "assistant",
            "thinking|hm",
            r#"tool call||f|{"a":"\n"}"#,
            "tool call|7|g|{}",
            "calls 0",
            "calls 1",
            "tool",
            "tool result||f|",
            r#"other|{"out":"ok"}"#,
            "tool result|7|g|",
            r#"other|{"n":1}"#,
            "image|Some(33)",
            "answers 0",
            "answers 1",
            "assistant",
            "other|1+1",
            "other|2",
            "text|",
            "other|",
            "other|b",
            "user",
            "text|next",
        ];
        assert_eq!(told(WireFormat::Gemini, &body()), expected);
    }

    #[test]
    fn either_spelling_is_read_alike() {
        let mut snake = body();
        for (camel, written) in [
            ("systemInstruction", "system_instruction"),
            ("functionDeclarations", "function_declarations"),
            ("generationConfig", "generation_config"),
            ("maxOutputTokens", "max_output_tokens"),
            ("responseSchema", "response_schema"),
            ("inlineData", "inline_data"),
            ("mimeType", "mime_type"),
            ("fileData", "file_data"),
            ("fileUri", "file_uri"),
            ("functionCall\"", "function_call\""),
            ("functionResponse", "function_response"),
            ("thoughtSignature", "thought_signature"),
            ("executableCode", "executable_code"),
            ("videoMetadata", "video_metadata"),
        ] {
            assert!(snake.contains(camel), "{camel}");
            snake = snake.replace(camel, written);
        }
        assert_eq!(
            told(WireFormat::Gemini, &snake),
            told(WireFormat::Gemini, &body())
        );
    }

    #[test]
    fn the_order_of_fields_says_nothing() {
        // Inside of a schema or of a result, all stays as it is written.
        let [as_is, turned] = turned_round(&body(), &["response", "args"]);
        assert_ne!(as_is, turned);
        let sorted = |body: &str| {
            // What stands beside the messages may come in any order.
            let mut told = told(WireFormat::Gemini, body);
            told[..7].sort();
            told
        };
        assert_eq!(sorted(&as_is), sorted(&turned));
        assert_eq!(sorted(&as_is), sorted(&body()));
    }

    #[test]
    fn a_lone_element_stands_for_a_list_of_it() {
        let list = r#"{"systemInstruction":{"parts":[{"text":"s"}]},
            "tools":[{"functionDeclarations":[{"name":"f"}]}],
            "contents":[{"role":"user","parts":[{"text":"a"}]}]}"#;
        let lone = r#"{"systemInstruction":{"parts":{"text":"s"}},
            "tools":{"functionDeclarations":{"name":"f"}},
            "contents":{"role":"user","parts":{"text":"a"}}}"#;
        assert_eq!(
            told(WireFormat::Gemini, list),
            told(WireFormat::Gemini, lone)
        );
    }

    #[test]
    fn code_assist_has_the_request_in_a_field() {
        let inner = body();
        let outer =
            format!(r#"{{"model":"m","project":"p","request":{inner},"user_prompt_id":"1"}}"#);
        let mut expected = told(WireFormat::Gemini, &inner);
        expected[0] = r#"Some("m") Some(50)"#.to_owned();
        assert_eq!(told(WireFormat::Gemini, &outer), expected);
    }

    #[test]
    fn who_speaks_is_told_by_the_parts_too() {
        let response = r#"{"functionResponse":{"name":"f","response":{}}}"#;
        for (content, expected) in [
            (r#"{"role":"user","parts":[<>]}"#, "tool"),
            (r#"{"parts":[<>,<>]}"#, "tool"),
            (r#"{"role":"","parts":[<>]}"#, "tool"),
            (r#"{"role":"function","parts":[<>]}"#, "tool"),
            (r#"{"role":"user","parts":[<>,{"text":"a"}]}"#, "user"),
            (r#"{"role":"user","parts":[]}"#, "user"),
            (r#"{"role":null}"#, "user"),
            (r#"{"role":"USER","parts":[{"text":"a"}]}"#, "user"),
            (r#"{"role":"model","parts":[<>]}"#, "assistant"),
        ] {
            let content = content.replace("<>", response);
            let body = format!(r#"{{"contents":[{content}]}}"#);
            assert_eq!(told(WireFormat::Gemini, &body)[1], expected, "{content}");
        }
    }

    #[test]
    fn what_the_user_says_beside_a_response_is_tied_to_the_call() {
        let body = r#"{"contents":[{"parts":[{"text":"a"}]},
            {"role":"model","parts":[{"functionCall":{"name":"f"}}]},
            {"parts":[{"functionResponse":{"name":"f"}},{"text":"b"}]},
            {"role":"model","parts":[{"functionCall":{"name":"f"}}]},
            {"parts":[{"functionResponse":{"name":"f"}},{"functionResponse":{"name":"f"}}]}]}"#;
        let told = told(WireFormat::Gemini, body);
        let ties = |told: &str| told.starts_with("calls") || told.starts_with("answers");
        let ties: Vec<_> = told.iter().filter(|told| ties(told)).collect();
        assert_eq!(ties, ["calls 0", "answers 0", "calls 1", "answers 1"]);
    }

    #[test]
    fn an_error_names_the_place() {
        for (body, place) in [
            ("", "the body"),
            ("[]", "the body"),
            ("{}", "the body"),
            (r#"{"contents":[]} x"#, "the body"),
            (r#"{"contents":null}"#, "the body"),
            (r#"{"contents":"hi"}"#, "contents"),
            (r#"{"contents":[7]}"#, "contents[0]"),
            (r#"{"contents":["hi"]}"#, "contents[0]"),
            (r#"{"contents":[],"contents":[]}"#, "contents"),
            (r#"{"contents":[{"role":"wizard"}]}"#, "contents[0].role"),
            (r#"{"contents":[{"role":7}]}"#, "contents[0].role"),
            (r#"{"contents":[{"parts":"hi"}]}"#, "contents[0].parts"),
            (r#"{"contents":{"parts":"hi"}}"#, "contents.parts"),
            (
                r#"{"contents":[{"parts":[{"text":"a"},7]}]}"#,
                "contents[0].parts[1]",
            ),
            (
                r#"{"contents":[{"parts":[{"text":{}}]}]}"#,
                "contents[0].parts[0].text",
            ),
            (
                r#"{"contents":[{"parts":[{"thought":"yes"}]}]}"#,
                "contents[0].parts[0].thought",
            ),
            (
                r#"{"contents":[{"parts":[{"functionCall":{"args":{}}}]}]}"#,
                "contents[0].parts[0].functionCall",
            ),
            (
                r#"{"contents":[{"parts":[{"function_response":{"id":"1"}}]}]}"#,
                "contents[0].parts[0].functionResponse",
            ),
            (
                r#"{"contents":[{"parts":[{"functionCall":{"name":"f"},"function_call":{"name":"f"}}]}]}"#,
                "contents[0].parts[0].functionCall",
            ),
            (
                r#"{"contents":[{"parts":[{"inlineData":"AAAA"}]}]}"#,
                "contents[0].parts[0].inlineData",
            ),
            (
                r#"{"contents":[],"systemInstruction":{},"system_instruction":{}}"#,
                "systemInstruction",
            ),
            (
                r#"{"contents":[],"systemInstruction":"be kind"}"#,
                "systemInstruction",
            ),
            (r#"{"contents":[],"tools":["f"]}"#, "tools[0]"),
            (
                r#"{"contents":[],"generation_config":{"max_output_tokens":"5"}}"#,
                "generationConfig.maxOutputTokens",
            ),
            (r#"{"contents":[],"model":7}"#, "model"),
            (r#"{"request":{}}"#, "the body"),
            (r#"{"request":{"contents":[7]}}"#, "request.contents[0]"),
            (
                r#"{"contents":[],"request":{"contents":[]}}"#,
                "request.contents",
            ),
            (
                r#"{"contents":[{"parts":[{"text":"a}]}]}"#,
                "contents[0].parts[0].text",
            ),
        ] {
            assert_eq!(place_of_error(WireFormat::Gemini, body), place, "{body}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert_depth_is_bounded(
            WireFormat::Gemini,
            &[
                r#"{"contents":[],"unknown":?}"#,
                r#"{"contents":?}"#,
                r#"{"request":?}"#,
                r#"{"contents":[{"unknown":?}]}"#,
                r#"{"contents":[{"parts":[{"unknown":?}]}]}"#,
                r#"{"contents":[{"parts":[{"functionCall":{"name":"f","args":?}}]}]}"#,
                r#"{"contents":[{"parts":[{"functionResponse":{"name":"f","response":?}}]}]}"#,
                r#"{"contents":[{"parts":[{"functionResponse":{"name":"f","parts":?}}]}]}"#,
            ],
        );
    }

    #[test]
    fn a_large_body_is_read() {
        let part = format!(r#"{{"text":"{}"}},"#, "word ".repeat(200));
        let parts = part.repeat(10_000);
        let body = format!(
            r#"{{"contents":[{{"parts":[{}]}}]}}"#,
            parts.trim_end_matches(',')
        );
        assert!(body.len() > 10_000_000);
        assert_eq!(told(WireFormat::Gemini, &body).len(), 10_002);
    }

    const EDITED: &str = r#" {"generationConfig":{"max_output_tokens" : 100,"topP":1e0},"contents" : [
        {"role":"user","parts":[{"text":"\u0061"}]} ,
        {"role":"model","parts":[{"functionCall":{"args":{"z":1,"a":2.50},"name":"f"},"thoughtSignature":"c2ln"}]},
        {"parts":[{"functionResponse":{"response":{"n":[1, 2],"out":"long enough to clip","b":"é"},"name":"f"}}]},
        {"role":"model","parts":[{"text":"done"}]},
        {"role":"user","parts":[{"text":"next"}]}
    ],"labels":{"b":"1","a":"2"}}
"#;

    fn applied(plan: &Plan) -> String {
        let mut request = WireRequest::parse(WireFormat::Gemini, EDITED).unwrap();
        request.apply(plan).unwrap();
        String::from_utf8(request.body().to_vec()).unwrap()
    }

    #[test]
    fn all_that_is_kept_is_as_it_was_written() {
        let plan = Plan::new(Cut::of(5, 3..4), "so \"far\"".into(), vec![]);
        let cut = r#"{"role":"model","parts":[{"text":"done"}]}"#;
        let expected = EDITED
            .replace(&format!("{cut},\n        "), &format!("{cut},"))
            .replace(
                &format!(",\n        {cut}"),
                r#",{"role":"user","parts":[{"text":"so \"far\""}]}"#,
            );
        assert_eq!(applied(&plan), expected);
    }

    #[test]
    fn a_text_in_a_response_is_clipped_and_the_rest_of_it_stays() {
        let clip = Clip {
            message: 2,
            // The first is what stands before the text.
            piece: 1,
            text: "l\n".into(),
            omitted_chars: 2,
        };
        let plan = Plan::new(Cut::none(5), String::new(), vec![clip]).max_output_tokens(Some(7));
        let expected = EDITED
            .replace("\"long enough to clip\"", "\"l\\n\"")
            .replace("max_output_tokens\" : 100", "max_output_tokens\" : 7");
        assert_eq!(applied(&plan), expected);
    }

    #[test]
    fn neighbours_are_merged_but_for_responses() {
        let merged = |contents: &str| {
            let body = format!(r#"{{"contents":[{contents}]}}"#);
            let request = WireRequest::parse(WireFormat::Gemini, body).unwrap();
            let body = request.merge_neighbours().into_body();
            let body = std::str::from_utf8(&body).unwrap();
            body[13..body.len() - 2].to_owned()
        };
        assert_eq!(
            merged(
                r#"{"role":"user","parts":[{"text":"a"}]},{"parts":[{"text":"b"},{"text":"c"}]}"#
            ),
            r#"{"role":"user","parts":[{"text":"a"},{"text":"b"},{"text":"c"}]}"#
        );
        assert_eq!(
            merged(
                r#"{"parts":[{"text":"a"}],"role":"model"},{"role":"model","parts":[{"functionCall":{"name":"f"}}]}"#
            ),
            r#"{"parts":[{"text":"a"},{"functionCall":{"name":"f"}}],"role":"model"}"#
        );
        assert_eq!(
            merged(r#"{"parts":[{"text":"a"}]},{"parts":[{"text":"b"}],"unknown":1}"#),
            r#"{"parts":[{"text":"a"},{"text":"b"}],"unknown":1}"#
        );
        for apart in [
            r#"{"parts":[{"functionResponse":{"name":"f"}}]},{"parts":[{"text":"b"}]}"#,
            r#"{"parts":{"text":"a"}},{"parts":[{"text":"b"}]}"#,
        ] {
            assert_eq!(merged(apart), apart);
        }
    }

    #[test]
    fn what_an_edit_makes_neighbours_is_one_turn_when_it_is_sent() {
        let plan = Plan::new(Cut::of(5, 1..4), "so far".into(), vec![]);
        let mut request = WireRequest::parse(WireFormat::Gemini, EDITED).unwrap();
        request.apply(&plan).unwrap();
        let sent = String::from_utf8(request.into_body().into()).unwrap();
        let one =
            r#"{"role":"user","parts":[{"text":"\u0061"},{"text":"so far"},{"text":"next"}]}"#;
        assert!(sent.contains(one), "{sent}");
    }
}
