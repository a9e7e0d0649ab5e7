use contextfit_core::plan::Plan;
use contextfit_core::request::{AdapterError, ApplyError, Hints, RequestAdapter, Switch};
use genai::chat::ChatMessage;

use super::GenaiRequest;
use super::clip::clipped;

/// Teaches the layers the requests of `genai`.
///
/// A request whose history is on the server is left alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Genai;

impl RequestAdapter<GenaiRequest> for Genai {
    type View<'a> = &'a GenaiRequest;

    fn view<'a>(&self, request: &'a GenaiRequest) -> Result<&'a GenaiRequest, AdapterError> {
        Ok(request)
    }

    fn apply(&self, request: &mut GenaiRequest, plan: &Plan) -> Result<(), ApplyError> {
        let summary = |text: &str| ChatMessage::user(text);
        request.chat.messages = plan.rewrite(&request.chat.messages, summary, clipped)?;
        if let Some(tokens) = plan.lowered_output() {
            request.options.get_or_insert_default().max_tokens = Some(tokens);
        }
        Ok(())
    }

    fn try_clone(&self, request: &GenaiRequest) -> Option<GenaiRequest> {
        Some(request.clone())
    }

    fn hints(&self, request: &GenaiRequest) -> Hints {
        match request.chat.previous_response_id {
            Some(_) => Hints::default().switch(Switch::Off),
            None => Hints::default(),
        }
    }
}
