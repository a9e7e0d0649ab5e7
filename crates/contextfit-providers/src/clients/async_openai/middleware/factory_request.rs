use std::fmt;

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::Bytes;
use contextfit_core::plan::Plan;
use contextfit_core::request::{
    AdapterError, ApplyError, Conversation, EditConversation, Hints, Link, MessageRef, Piece,
};
use reqwest::header::{CONTENT_LENGTH, HeaderValue};

use crate::http::ProviderRequest;

/// A request of `async-openai`, with what its body says.
///
/// The client hands on a factory, which builds the request anew for each attempt. Of a request that
/// fits that factory is handed on as it came; so is one whose body isn't there in bytes, a file that
/// is uploaded, say. Of one that was changed it is a factory of the same request with another body.
#[derive(Clone)]
pub struct FactoryRequest {
    factory: HttpRequestFactory,
    request: ProviderRequest,
}

impl FactoryRequest {
    /// Builds the request, to see what it says.
    pub(super) async fn read(factory: HttpRequestFactory) -> Result<Self, OpenAIError> {
        let request = factory.build().await?;
        let body = request.body().and_then(reqwest::Body::as_bytes);
        let mut head = http::Request::new(Bytes::new());
        *head.method_mut() = request.method().clone();
        *head.headers_mut() = request.headers().clone();
        if let Ok(uri) = request.url().as_str().parse() {
            *head.uri_mut() = uri;
        }
        let request = match body {
            Some(body) => head.map(|_| Bytes::copy_from_slice(body)).into(),
            None => ProviderRequest::other(head),
        };
        Ok(Self { factory, request })
    }

    /// The factory to hand on.
    pub(super) fn into_factory(self) -> HttpRequestFactory {
        let conversation = self.request.conversation();
        if !conversation.is_some_and(crate::wire::WireRequest::is_edited) {
            return self.factory;
        }
        let body = http::Request::from(self.request).into_body();
        let factory = self.factory;
        HttpRequestFactory::new(move || {
            let (factory, body) = (factory.clone(), body.clone());
            async move {
                let mut request = factory.build().await?;
                if let Some(length) = request.headers_mut().get_mut(CONTENT_LENGTH) {
                    *length = HeaderValue::from(body.len());
                }
                *request.body_mut() = Some(body.into());
                Ok(request)
            }
        })
    }
}

impl Conversation for FactoryRequest {
    fn model(&self) -> Option<&str> {
        self.request.model()
    }

    fn len(&self) -> usize {
        self.request.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        self.request.message(index)
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        self.request.links(index, visit);
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        self.request.pieces(index, visit);
    }

    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        self.request.fixed(visit);
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.request.max_output_tokens()
    }
}

impl EditConversation for FactoryRequest {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        self.request.apply(plan)
    }

    fn check(&self) -> Result<(), AdapterError> {
        self.request.check()
    }

    fn hints(&self) -> Hints {
        self.request.hints()
    }
}

impl fmt::Debug for FactoryRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactoryRequest")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
