//! A simulated provider and probe services, to test LLM stacks without a network.
//!
//! - [`SimulatedProvider`](provider::SimulatedProvider) is a Tower service that takes the place
//!   of a provider. It counts tokens with a real tokenizer, has a window and enforces it,
//!   refuses broken conversations, misbehaves on demand as real providers do, and keeps a
//!   record of what it got.
//! - [`ReadinessProbe`](probe::ReadinessProbe) stands under a middleware and panics when the
//!   middleware calls a service that wasn't ready.
//! - [`laws`] checks a cut policy or an estimator on its own, without a stack. With the feature `proptest`,
//!   `strategies` makes random tables, budgets and conversations to check it on.
//! - [`wire`] says whether a provider would take a request, by the rules of its wire format, and
//!   makes requests that it takes.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use contextfit_core::chat::{ChatMessage, ChatRequest};
//! use contextfit_testing::probe::ReadinessProbe;
//! use contextfit_testing::provider::SimulatedProvider;
//! use tower::ServiceExt;
//!
//! // A model with 8 192 tokens, whose first answer is a context overflow.
//! let provider = SimulatedProvider::new(8_192).overflow_calls(1);
//! // Put the stack to test around this.
//! let stack = ReadinessProbe::new(provider.clone());
//!
//! let request = ChatRequest::new("a-model", [ChatMessage::user("Which port does it use?")]);
//! let error = stack.clone().oneshot(request.clone()).await.expect_err("scripted");
//! assert!(error.body.contains("context_length_exceeded"));
//! assert_eq!(stack.oneshot(request).await.expect("fits").text(), "Done.");
//! assert_eq!(provider.calls(), 2);
//! # }
//! ```

pub mod laws;
pub mod probe;
pub mod provider;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod summaries;
pub mod wire;
