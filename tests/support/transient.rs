use std::future::{Ready, ready};

use contextfit_core::chat::{ChatRequest, ChatResponse};
use contextfit_tower::{BoxError, is_final_overflow};
use tower::retry::Policy;

/// The policy of a retry layer around a stack: retries whatever may be transient, so many times.
#[derive(Clone, Copy, Debug)]
pub struct Transient(pub usize);

impl Policy<ChatRequest, ChatResponse, BoxError> for Transient {
    type Future = Ready<()>;

    fn retry(
        &mut self,
        _: &mut ChatRequest,
        result: &mut Result<ChatResponse, BoxError>,
    ) -> Option<Ready<()>> {
        let error = result.as_ref().err()?;
        if is_final_overflow(&**error) {
            return None;
        }
        self.0 = self.0.checked_sub(1)?;
        Some(ready(()))
    }

    fn clone_request(&mut self, request: &ChatRequest) -> Option<ChatRequest> {
        Some(request.clone())
    }
}
