//! What one JSON document of a response means: a whole body, or one event of a stream.

use crate::json::Json;
use crate::usage::ResponseUsage;

/// What a document means for whoever waits to know whether a response is an overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Meaning<'a> {
    /// Nothing yet: the stream was opened, or is kept open, or its numbers are told.
    Bookkeeping,
    /// Some of the answer.
    Content,
    /// The answer is complete.
    End,
    /// There is no answer, or no more of it; this is what the provider says of it.
    Error(&'a [u8]),
}

impl<'a> Meaning<'a> {
    /// Reads the data of an event, or a whole body without one. What is said of tokens goes to
    /// `usage`, on the same way through it.
    ///
    /// What isn't known is content: it is handed on.
    pub(in crate::http) fn of(event: &[u8], data: &'a [u8], usage: &mut ResponseUsage) -> Self {
        let data = data.trim_ascii();
        let mut json = Json::new(data);
        match data {
            _ if event == b"error" && !json.is_object() => Self::Error(data),
            b"" => Self::Bookkeeping,
            b"[DONE]" => Self::End,
            _ if !json.is_object() => Self::Content,
            _ => Said::read(&mut json, usage).meaning(event, data),
        }
    }
}

/// What the field `type` says of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bookkeeping,
    End,
    /// OpenAI's Responses say what went wrong within the response.
    Failed,
    Error,
    Other,
}

impl Kind {
    fn of(name: &str) -> Self {
        match name {
            "ping"
            | "keepalive"
            | "message_start"
            | "message_delta"
            | "response.created"
            | "response.in_progress"
            | "response.queued" => Self::Bookkeeping,
            "message_stop" | "response.completed" | "response.incomplete" => Self::End,
            "response.failed" => Self::Failed,
            "error" => Self::Error,
            _ => Self::Other,
        }
    }
}

/// What the fields of a document say.
#[derive(Debug, Default)]
struct Said<'a> {
    kind: Option<Kind>,
    error: Option<&'a [u8]>,
    /// What OpenAI's Responses say of a response that failed.
    error_within: Option<&'a [u8]>,
    /// It is an error by another sign than the field of that name.
    is_error: bool,
    /// It says what went wrong, or right, in a text beside the answer.
    has_remark: bool,
    /// It has what an answer stands in.
    may_speak: bool,
    /// There is something in it.
    speaks: bool,
    is_done: Option<bool>,
}

impl<'a> Said<'a> {
    fn read(document: &mut Json<'a>, usage: &mut ResponseUsage) -> Self {
        let mut said = Self::default();
        document.object(|value, name| match name {
            "type" => said.kind = value.string().map(Kind::of),
            "error" => said.error = something(value),
            "object" => said.is_error |= value.string() == Some("error"),
            // MiniMax.
            "base_resp" => value.object(|value, name| {
                said.is_error |= name == "status_code" && value.count() != Some(0);
            }),
            "choices" => {
                said.may_speak = true;
                value.array(|choice| said.speaks |= choice_speaks(choice, usage));
            }
            "candidates" => {
                said.may_speak = true;
                value.array(|candidate| said.speaks |= candidate_speaks(candidate, usage));
            }
            "usage" | "usageMetadata" => {
                said.may_speak = true;
                usage.field(name, value);
            }
            "promptFeedback" => said.may_speak = true,
            "message" if value.is_object() => {
                said.may_speak = true;
                value.object(|value, name| {
                    said.speaks |= name != "role" && !value.is_nothing();
                    usage.field_within(name, value);
                });
            }
            "response" if value.is_object() => value.object(|value, name| match name {
                "error" => said.error_within = something(value),
                _ => usage.field_within(name, value),
            }),
            "response" => said.speaks |= !value.is_nothing(),
            "message" | "detail" => said.has_remark |= value.is_string(),
            "done" => said.is_done = Some(!value.is_nothing()),
            _ => usage.field(name, value),
        });
        said
    }

    fn meaning(self, event: &[u8], data: &'a [u8]) -> Meaning<'a> {
        let is_error = self.is_error || event == b"error" || self.kind == Some(Kind::Error);
        if let Some(error) = self.error {
            // Beside it there may be all of a response, with what the user wrote.
            return Meaning::Error(if is_error { data } else { error });
        }
        match (self.kind, self.is_done) {
            _ if is_error => Meaning::Error(data),
            (Some(Kind::Failed), _) => Meaning::Error(self.error_within.unwrap_or(data)),
            (Some(Kind::Bookkeeping), _) => Meaning::Bookkeeping,
            (Some(Kind::End), _) | (None, Some(true)) => Meaning::End,
            (None, _) if self.speaks => Meaning::Content,
            (None, Some(false)) => Meaning::Bookkeeping,
            (None, None) if self.may_speak => Meaning::Bookkeeping,
            (None, None) if self.has_remark => Meaning::Error(data),
            _ => Meaning::Content,
        }
    }
}

/// A value as it is written, if it says something.
fn something<'a>(value: &mut Json<'a>) -> Option<&'a [u8]> {
    if value.is_nothing() {
        return None;
    }
    value.written()
}

fn choice_speaks(choice: &mut Json<'_>, usage: &mut ResponseUsage) -> bool {
    let mut speaks = false;
    choice.object(|value, name| match name {
        "delta" | "message" => speaks |= has_any_field(value, "role"),
        // Of the older completions.
        "text" => speaks |= !value.is_nothing(),
        _ => usage.reason(name, value),
    });
    speaks
}

fn candidate_speaks(candidate: &mut Json<'_>, usage: &mut ResponseUsage) -> bool {
    let mut speaks = false;
    candidate.object(|value, name| match name {
        "content" => value.object(|value, name| {
            if name == "parts" {
                value.array(|part| speaks |= has_any_field(part, "thought"));
            }
        }),
        _ => usage.reason(name, value),
    });
    speaks
}

/// Whether an object has something in any field but for this one.
fn has_any_field(object: &mut Json<'_>, but: &str) -> bool {
    let mut has = false;
    object.object(|value, name| has |= name != but && !value.is_nothing());
    has
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(data: &str) -> Meaning<'_> {
        of_event(b"", data.as_bytes())
    }

    fn of_event<'a>(event: &[u8], data: &'a [u8]) -> Meaning<'a> {
        Meaning::of(event, data, &mut ResponseUsage::new())
    }

    #[test]
    fn what_opens_a_stream_and_keeps_it_open_is_bookkeeping() {
        for data in [
            "",
            r#"{"choices":[{"delta":{"role":"assistant","content":null},"finish_reason":null}]}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":"","refusal":null,"tool_calls":[]}}]}"#,
            r#"{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}"#,
            r#"{"choices":[{"text":"","finish_reason":null}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":3}}"#,
            r#"{"type":"message_start","message":{"content":[],"usage":{"input_tokens":3}}}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":0}}"#,
            r#"{"type":"response.created","response":{"status":"in_progress","error":null}}"#,
            r#"{"type":"response.in_progress","response":{}}"#,
            r#"{"type":"response.queued","response":{}}"#,
            r#"{"type":"keepalive","sequence_number":3}"#,
            r#"{"candidates":[{"content":{"role":"model"}}],"usageMetadata":{"promptTokenCount":3}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"","thought":true}]}}]}"#,
            r#"{"usageMetadata":{"promptTokenCount":3}}"#,
            r#"{"message":{"role":"assistant","content":""},"done":false}"#,
            r#"{"response":"","done":false}"#,
        ] {
            assert_eq!(of(data), Meaning::Bookkeeping, "{data}");
        }
        assert_eq!(of_event(b"ping", b""), Meaning::Bookkeeping);
    }

    #[test]
    fn some_of_an_answer_is_content_and_so_is_what_nobody_knows() {
        for data in [
            r#"{"choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"a"}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}"#,
            r#"{"choices":[{"text":"a"}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","content":"error"}}]}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"response.output_item.added","item":{}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a"}}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"a"}]}}]}"#,
            r#"{"message":{"role":"assistant","content":"a"},"done":false}"#,
            r#"{"response":"a","done":false}"#,
            r#"{"type":"message","content":[{"type":"text","text":"a"}],"error":null}"#,
            r#"{"output":{"message":{"content":[{"text":"a"}]}},"stopReason":"end_turn"}"#,
            r#"{"base_resp":{"status_code":0},"choices":[{"delta":{"content":"a"}}]}"#,
            r#"{"kind":"unheard of"}"#,
            "{broken",
            "text",
        ] {
            assert_eq!(of(data), Meaning::Content, "{data}");
        }
    }

    #[test]
    fn each_format_says_when_it_is_complete() {
        for data in [
            "[DONE]",
            r#"{"type":"message_stop"}"#,
            r#"{"type":"response.completed","response":{"error":null}}"#,
            r#"{"type":"response.incomplete","response":{}}"#,
            r#"{"message":{"role":"assistant","content":""},"done":true}"#,
        ] {
            assert_eq!(of(data), Meaning::End, "{data}");
        }
    }

    #[test]
    fn every_form_of_an_error_is_one() {
        for data in [
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"too long"}}"#,
            r#"{"type":"error","code":"context_length_exceeded","message":"too long"}"#,
            r#"{"object":"error","message":"too long","code":400}"#,
            r#"{"message":"too long","code":"InvalidParameter"}"#,
            r#"{"detail":"too long"}"#,
            r#"{"base_resp":{"status_code":2013,"status_msg":"too long"}}"#,
            r#"{"type":"response.failed","response":null}"#,
        ] {
            assert_eq!(of(data), Meaning::Error(data.as_bytes()), "{data}");
        }
        for data in ["too long", r#"{"text":"too long"}"#, ""] {
            let error = Meaning::Error(data.as_bytes());
            assert_eq!(of_event(b"error", data.as_bytes()), error, "{data}");
        }
    }

    #[test]
    fn of_a_whole_response_only_its_error_is_read() {
        let error = r#"{"code":"context_length_exceeded","message":"too long"}"#;
        for data in [
            format!(r#"{{"error":{error}}}"#),
            format!(r#"{{"choices":[{{"delta":{{"content":""}}}}],"error":{error}}}"#),
            format!(r#"{{"status":"failed","instructions":"rate limit","error":{error}}}"#),
            format!(
                r#"{{"type":"response.failed","response":{{"instructions":"rate limit","error":{error}}}}}"#
            ),
        ] {
            assert_eq!(of(&data), Meaning::Error(error.as_bytes()), "{data}");
        }
        let text = r#"{"error":"too long"}"#;
        assert_eq!(of(text), Meaning::Error(br#""too long""#));
    }
}
