use std::sync::Arc;

use super::Usage;

/// Reads what a provider counted from its response.
///
/// ```
/// use contextfit_tower::{Usage, UsageReader};
///
/// struct Response { prompt_tokens: u64, completion_tokens: u64 }
/// struct Reads;
///
/// impl UsageReader<Response> for Reads {
///     fn usage(&self, response: &Response) -> Option<Usage> {
///         Some(Usage::new(response.prompt_tokens, response.completion_tokens))
///     }
/// }
/// ```
pub trait UsageReader<Res>: Send + Sync {
    /// What the provider counted, if the response says.
    fn usage(&self, response: &Res) -> Option<Usage>;
}

/// Reads nothing.
impl<Res> UsageReader<Res> for () {
    fn usage(&self, _: &Res) -> Option<Usage> {
        None
    }
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        impl<Res, U: UsageReader<Res> + ?Sized> UsageReader<Res> for $pointer {
            fn usage(&self, response: &Res) -> Option<Usage> {
                (**self).usage(response)
            }
        }
    )*};
}
forward_to_inner!(Arc<U>, Box<U>);
