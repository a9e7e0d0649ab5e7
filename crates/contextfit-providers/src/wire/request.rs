use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;
use contextfit_core::request::AdapterError;

use super::index::Index;
use super::json::{Reader, without_halves};
use super::{WireError, WireFormat};

/// The body of a request, as its provider takes it.
///
/// It owns the bytes, and knows where in them everything stands that is counted or edited. So a
/// request that fits is sent as the bytes that came, and of one that doesn't every message that
/// is kept, and every other field, is as it was. A clone shares both.
///
/// It is a [`Conversation`](contextfit_core::request::Conversation) of its own, so that a
/// [`Fitter`](contextfit_tower::Fitter) needs no adapter for it:
///
/// ```
/// use contextfit_providers::wire::{WireFormat, WireRequest};
/// use contextfit_tower::{Fitter, HeadSummarizer};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), contextfit_tower::BoxError> {
/// let body = format!(
///     r#"{{"model":"a-model","seed":7,"messages":[
///         {{"role":"user","content":"Name it."}},
///         {{"role":"assistant","content":"{}"}},
///         {{"role":"user","content":"Shorter."}}]}}"#,
///     "Contextfit! ".repeat(1_000),
/// );
/// let request = WireRequest::parse(WireFormat::OpenAiChat, body)?;
///
/// let fitter = Fitter::builder().window(2_000).summarizer(HeadSummarizer).build()?;
/// let fitted = fitter.fit(request).await?;
///
/// let body = String::from_utf8(fitted.request.into_body().into())?;
/// assert!(body.starts_with(r#"{"model":"a-model","seed":7,"messages":["#));
/// assert!(body.contains(r#"{"role":"user","content":"Shorter."}"#));
/// assert!(body.len() < 8_000);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct WireRequest {
    pub(super) format: WireFormat,
    pub(super) body: ByteString,
    pub(super) index: Arc<Index>,
    /// The model where the body doesn't name it.
    model: Option<Arc<str>>,
    /// Whether the body was changed since it was parsed.
    pub(super) is_edited: bool,
}

impl WireRequest {
    /// Reads a body, in one pass.
    ///
    /// # Errors
    ///
    /// It is no JSON, or has the wrong type at a place that has to be understood: a message
    /// without a role, say, or a field that is given twice. What isn't known is left alone. The
    /// error has the place, and gives the body back.
    pub fn parse(format: WireFormat, body: impl Into<Bytes>) -> Result<Self, WireError> {
        let bytes = body.into();
        let body = ByteString::try_from(bytes.clone()).map_err(|_| whole("it is no UTF-8"));
        match body.and_then(|body| Ok((read(format, &body)?, body))) {
            Ok((index, body)) => Ok(Self {
                format,
                body,
                index: Arc::new(index),
                model: None,
                is_edited: false,
            }),
            Err(source) => Err(WireError::new(format, source, bytes)),
        }
    }

    /// Names the model, where the body doesn't: Gemini and Bedrock have it in the path.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<Arc<str>>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// How it is written.
    #[must_use]
    pub const fn format(&self) -> WireFormat {
        self.format
    }

    /// Whether the body says that the provider has the conversation, and adds to it only: OpenAI's
    /// Responses with `previous_response_id` or `conversation`, or with an `item_reference`. Then
    /// nothing here is cut: what the provider has can't be counted, nor told to a summarizer, and
    /// a call there may have its result here.
    #[must_use]
    pub fn is_continued(&self) -> bool {
        self.index.is_elsewhere
    }

    /// Whether it was changed since it was parsed.
    #[must_use]
    pub const fn is_edited(&self) -> bool {
        self.is_edited
    }

    /// The body as it is now.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        self.body.as_bytes()
    }

    /// The body, to be sent.
    ///
    /// Where the provider demands that user and assistant alternate, neighbours of one role that
    /// an edit has made are [merged](Self::merge_neighbours). Where it demands that a system
    /// message stands behind the user and before the assistant, one that an edit has left
    /// elsewhere is moved to the next such place. A body that wasn't edited is the bytes that were
    /// parsed.
    ///
    /// What a caller goes on from is this body, or the caller's own history: one that was edited and
    /// taken by [`body`](Self::body) has such neighbours, and they aren't looked for in a request
    /// that isn't edited again.
    #[must_use]
    pub fn into_body(self) -> Bytes {
        if !self.is_edited {
            return self.body.into_bytes();
        }
        let mut request = self;
        if request.format.has_system_behind_user() {
            request = request.system_messages_behind_user();
        }
        if request.format.rules().merging.is_required {
            request = request.merge_neighbours();
        }
        request.body.into_bytes()
    }

    /// The model, by the body or by [`with_model`](Self::with_model).
    pub(super) fn model_name(&self) -> Option<&str> {
        let named = self.index.model.as_deref();
        named
            .or(self.model.as_deref())
            .filter(|name| !name.is_empty())
    }

    /// The same with another body, which was made from this one.
    pub(super) fn with_body(&self, body: String) -> Result<Self, AdapterError> {
        let body = ByteString::from(body);
        let index = read(self.format, &body)?;
        Ok(Self {
            body,
            index: Arc::new(index),
            is_edited: true,
            ..self.clone()
        })
    }
}

fn read(format: WireFormat, body: &str) -> Result<Index, AdapterError> {
    if u32::try_from(body.len()).is_err() {
        return Err(whole("it is longer than 4 GiB"));
    }
    read_strictly(format, body).or_else(|error| {
        // Half of a pair of surrogates is sent as it came. It's in nothing that is looked for.
        let whole = without_halves(body).ok_or(error)?;
        read_strictly(format, &whole)
    })
}

/// That the body as a whole is wrong.
fn whole(problem: &str) -> AdapterError {
    AdapterError::new("the body", problem)
}

fn read_strictly(format: WireFormat, body: &str) -> Result<Index, AdapterError> {
    let mut reader = Reader::new(body);
    let mut index = Index::default();
    (format.rules().read)(&mut reader, &mut index)?;
    reader.end()?;
    Ok(index)
}

impl fmt::Debug for WireRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("WireRequest")
            .field("format", &self.format)
            .field("model", &self.model_name())
            .field("messages", &self.index.messages.len())
            .field("bytes", &self.body.len())
            .field("is_edited", &self.is_edited)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;
    use contextfit_core::plan::Plan;
    use contextfit_core::request::{Conversation, EditConversation};

    use super::*;

    #[test]
    fn nobody_follows_what_is_nested_too_deep() {
        for format in WireFormat::ALL {
            for (open, close) in [
                (r#"{"a":"#, "}"),
                ("[", "]"),
                (
                    r#"{"type":"tool_result","tool_use_id":"a","content":["#,
                    "]}",
                ),
                (
                    r#"{"content":["#,
                    r#"],"tool_use_id":"a","type":"tool_result"}"#,
                ),
                (r#"{"toolResult":{"toolUseId":"a","content":["#, "]}}"),
                (r#"{"citationsContent":{"content":["#, "]}}"),
                (
                    r#"{"toolResult":{"toolUseId":"a","content":[{"json":["#,
                    "]}]}}",
                ),
            ] {
                for depth in [10, 30, 100, 100_000] {
                    let deep = [open.repeat(depth), close.repeat(depth)].concat();
                    for body in [
                        format!(r#"{{"messages":[{{"role":"user","content":[{deep}]}}]}}"#),
                        format!(r#"{{"system":[{deep}],"messages":[],"x":{deep}}}"#),
                        format!(
                            r#"{{"messages":[{{"role":"user","content":[{{"type":"x","x":{deep}}}]}}]}}"#
                        ),
                        format!(
                            r#"{{"messages":[{{"role":"user","content":[{{"toolResult":{{"toolUseId":"a","content":[{{"json":{deep}}}]}}}}]}}]}}"#
                        ),
                    ] {
                        if let Err(error) = WireRequest::parse(format, body.clone()) {
                            assert!(!error.place().is_empty());
                            assert_eq!(error.into_body(), body);
                        }
                    }
                }
            }
        }
    }

    /// A message of the user in a body of each format, with its list of messages.
    fn said(text: &str) -> [(WireFormat, String); 6] {
        WireFormat::ALL.map(|format| {
            let (list, content) = match format {
                WireFormat::Gemini => ("contents", format!(r#""parts":[{{"text":"{text}"}}]"#)),
                WireFormat::BedrockConverse => {
                    ("messages", format!(r#""content":[{{"text":"{text}"}}]"#))
                }
                WireFormat::OpenAiResponses => ("input", format!(r#""content":"{text}""#)),
                _ => ("messages", format!(r#""content":"{text}""#)),
            };
            let body = format!(r#"{{"{list}":[{{"role":"user",{content}}}],"x":1}}"#);
            (format, body)
        })
    }

    #[test]
    fn what_json_leaves_open_is_read_and_what_is_no_json_is_given_back() {
        let escaped: fn(&str) -> String = |body| {
            let body = body.replace(r#""role":"user""#, r#""r\u006fle":"\u0075ser""#);
            let body = body.replace("messages", r"mess\u0061ges");
            let body = body.replace("contents", r"c\u006fntents");
            body.replace("text", r"t\u0065xt")
                .replace("input", r"\u0069nput")
        };
        let readable: [fn(&str) -> String; 7] = [
            escaped,
            |body| body.replace(":1}", ":1E400}"),
            |body| body.replace(":1}", ":-0.0e-0}"),
            |body| body.replace(":1}", &format!(":{}}}", "9".repeat(400))),
            |body| body.replace(":1}", r#":1,"x":2,"":3}"#),
            |body| body.replace(":1}", &format!(":{}{}}}", "[".repeat(150), "]".repeat(150))),
            |body| format!("\r\n\t {body} \n"),
        ];
        let malformed: [fn(&str) -> Vec<u8>; 12] = [
            |_| Vec::new(),
            |body| format!("\u{feff}{body}").into(),
            |body| format!("{body}\0").into(),
            |body| format!("{body}{body}").into(),
            |body| format!("{body} x").into(),
            |body| body.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            |body| body.replace("said", "sa\0id").into(),
            |body| body.replace("said", r"sa\u00id").into(),
            |body| [body.as_bytes(), b"\xff"].concat(),
            |body| body.replace(":1}", ":01}").into(),
            |body| body.replace(":1}", ":NaN}").into(),
            |body| {
                body.replace(
                    ":1}",
                    &format!(":{}{}}}", "[".repeat(9_000), "]".repeat(9_000)),
                )
                .into()
            },
        ];
        for (format, body) in said("said") {
            for write in readable {
                let body = write(&body);
                let request = WireRequest::parse(format, body.clone()).unwrap();
                let mut said = Vec::new();
                request.pieces(0, &mut |piece| {
                    piece.for_each_text(|text| said.push(text.decode().into_owned()));
                });
                assert_eq!(
                    (request.len(), said),
                    (1, vec!["said".to_owned()]),
                    "{body}"
                );
                assert_eq!(request.into_body(), body);
            }
            for write in malformed {
                let body = write(&body);
                let error = WireRequest::parse(format, body.clone()).unwrap_err();
                assert_eq!(error.into_body(), body);
            }
        }
    }

    #[test]
    fn half_a_pair_of_surrogates_is_read_over_and_kept() {
        let message = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
        let messages = [message(r"a\ud83d"), message("b"), message(r"\uDE00")];
        let body = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        let mut request = WireRequest::parse(WireFormat::OpenAiChat, body.clone()).unwrap();
        assert_eq!(request.body(), &body);
        let plan = Plan::new(Cut::of(3, 1..2), "s".to_owned(), Vec::new());
        request.apply(&plan).unwrap();
        let expected = body.replace(r#":"b""#, r#":"s""#);
        assert_eq!(request.into_body(), expected);
    }

    #[test]
    fn a_body_of_ten_megabytes_is_read_to_its_end() {
        let long = "word ".repeat(2_000_000);
        for (format, content) in [
            (WireFormat::OpenAiChat, format!(r#""{long}""#)),
            (WireFormat::AnthropicMessages, format!(r#""{long}""#)),
            (
                WireFormat::BedrockConverse,
                format!(r#"[{{"text":"{long}"}}]"#),
            ),
        ] {
            let message = format!(r#"{{"role":"user","content":{content}}}"#);
            let body = format!(r#"{{"messages":[{message},{message}"#);
            assert!(WireRequest::parse(format, format!("{body}]}}")).is_ok());
            let error = WireRequest::parse(format, format!(r#"{body},{{"role":7}}]}}"#));
            assert_eq!(error.unwrap_err().place(), "messages[2].role");
        }
    }
}
