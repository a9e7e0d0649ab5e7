use std::fmt;

use bytes::Bytes;
use contextfit_core::plan::Plan;
use contextfit_core::request::{
    AdapterError, ApplyError, Conversation, EditConversation, Hints, Link, MessageRef, Piece,
    Switch,
};
use http::request::Parts;
use http::{HeaderValue, header};

use super::route::{is_editable, route};
use crate::wire::{WireFormat, WireRequest};

/// An HTTP request to a provider, with its body read: a conversation, where it is one.
///
/// Made from an `http::Request<Bytes>`, and turned into one again. How the body is written is known
/// by the path, and so is the model where the body doesn't name it. Any other request is left
/// alone:
///
/// - one that goes elsewhere, or has no JSON in its body,
/// - one whose body is signed or digested in a header, because a fitted body wouldn't be what was
///   signed: sign below the layers,
/// - one that can't be read, for its provider to say what it thinks of it; the observer hears of
///   it by [`FitEvent::Unreadable`](contextfit_tower::FitEvent::Unreadable),
/// - one that only continues a conversation that the provider has.
///
/// ```
/// use bytes::Bytes;
/// use contextfit_core::request::Conversation;
/// use contextfit_providers::http::ProviderRequest;
///
/// let body = r#"{"contents":[{"role":"user","parts":[{"text":"Hi."}]}]}"#;
/// let request = http::Request::post("https://example.com/v1/models/gemini-2.5-pro:generateContent")
///     .body(Bytes::from(body))?;
///
/// let request = ProviderRequest::from(request);
/// assert_eq!(request.model(), Some("gemini-2.5-pro"));
/// assert_eq!(request.len(), 1);
/// assert_eq!(http::Request::from(request).body(), body);
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone)]
pub struct ProviderRequest {
    head: Parts,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Conversation(WireRequest),
    Unreadable { error: AdapterError, body: Bytes },
    Other(Bytes),
}

impl ProviderRequest {
    /// Reads a request whose path says nothing of the format: that of a proxy of yours, say. Its
    /// body is JSON in this format.
    #[must_use]
    pub fn of_format(format: WireFormat, request: http::Request<Bytes>) -> Self {
        let (head, body) = request.into_parts();
        let body = if is_editable(&head) {
            Body::read(format, None, body)
        } else {
            Body::Other(body)
        };
        Self { head, body }
    }

    /// A request that is no conversation, wherever it goes.
    #[cfg(feature = "async-openai-middleware")]
    pub(crate) fn other(request: http::Request<Bytes>) -> Self {
        let (head, body) = request.into_parts();
        let body = Body::Other(body);
        Self { head, body }
    }

    /// All of the request but its body.
    #[must_use]
    pub const fn head(&self) -> &Parts {
        &self.head
    }

    /// The body, where it is a conversation.
    #[must_use]
    pub const fn conversation(&self) -> Option<&WireRequest> {
        match &self.body {
            Body::Conversation(request) => Some(request),
            Body::Unreadable { .. } | Body::Other(_) => None,
        }
    }
}

impl Body {
    fn read(format: WireFormat, model: Option<&str>, body: Bytes) -> Self {
        match WireRequest::parse(format, body) {
            Ok(request) => Self::Conversation(match model {
                Some(model) => request.with_model(model),
                None => request,
            }),
            Err(error) => Self::Unreadable {
                error: error.problem().clone(),
                body: error.into_body(),
            },
        }
    }
}

impl From<http::Request<Bytes>> for ProviderRequest {
    fn from(request: http::Request<Bytes>) -> Self {
        let (head, body) = request.into_parts();
        let body = match route(&head) {
            Some(route) => Body::read(route.format, route.model.as_deref(), body),
            None => Body::Other(body),
        };
        Self { head, body }
    }
}

impl From<ProviderRequest> for http::Request<Bytes> {
    fn from(request: ProviderRequest) -> Self {
        let ProviderRequest { mut head, body } = request;
        let body = match body {
            Body::Conversation(request) if request.is_edited() => {
                let body = request.into_body();
                if let Some(length) = head.headers.get_mut(header::CONTENT_LENGTH) {
                    *length = HeaderValue::from(body.len());
                }
                body
            }
            Body::Conversation(request) => request.into_body(),
            Body::Unreadable { body, .. } | Body::Other(body) => body,
        };
        Self::from_parts(head, body)
    }
}

impl Conversation for ProviderRequest {
    fn model(&self) -> Option<&str> {
        self.conversation()?.model()
    }

    fn len(&self) -> usize {
        self.conversation().map_or(0, Conversation::len)
    }

    fn message(&self, index: usize) -> MessageRef {
        self.some().message(index)
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        self.some().links(index, visit);
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        self.some().pieces(index, visit);
    }

    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        if let Some(conversation) = self.conversation() {
            conversation.fixed(visit);
        }
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.conversation()?.max_output_tokens()
    }
}

impl ProviderRequest {
    /// The conversation that a message is asked of.
    fn some(&self) -> &WireRequest {
        let conversation = self.conversation();
        conversation.expect("the number of a message is below their count")
    }
}

impl EditConversation for ProviderRequest {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        match &mut self.body {
            Body::Conversation(request) => request.apply(plan),
            Body::Unreadable { .. } | Body::Other(_) if plan.is_untouched() => Ok(()),
            Body::Unreadable { .. } | Body::Other(_) => Err(ApplyError::OtherRequest {
                planned: plan.len(),
                found: 0,
            }),
        }
    }

    fn check(&self) -> Result<(), AdapterError> {
        match &self.body {
            Body::Unreadable { error, .. } => Err(error.clone()),
            Body::Conversation(_) | Body::Other(_) => Ok(()),
        }
    }

    fn hints(&self) -> Hints {
        match &self.body {
            Body::Conversation(request) => request.hints(),
            Body::Unreadable { .. } => Hints::default().switch(Switch::Unreadable),
            Body::Other(_) => Hints::default().switch(Switch::Off),
        }
    }
}

impl fmt::Debug for ProviderRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys may stand in headers and in the query.
        f.debug_struct("ProviderRequest")
            .field("method", &self.head.method)
            .field("path", &self.head.uri.path())
            .field("conversation", &self.conversation())
            .finish_non_exhaustive()
    }
}
