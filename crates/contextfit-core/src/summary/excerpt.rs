use std::fmt;

/// The text of some messages, as many as there was room for.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// The text. It says itself how many messages are missing.
    pub text: String,
    /// How many messages it holds. System messages are never counted.
    pub messages: usize,
    /// How many earlier ones were left out, in whole or in part.
    pub omitted: usize,
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Excerpt")
            .field("messages", &self.messages)
            .field("omitted", &self.omitted)
            .finish_non_exhaustive()
    }
}
