use super::message::{MarkerTokens, count_message};
use super::{Estimator, MessageTokens, TokenCount};
use crate::request::{Conversation, Piece};

/// What a request costs, by an estimate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measured {
    /// Tokens of the messages that may be cut: all but system and developer messages.
    pub messages: u64,
    /// Tokens of what is never cut: system and developer messages, what stands beside the
    /// messages, and what is hidden.
    pub fixed: u64,
    /// Tokens of what stands beside the messages: tool schemas, the schema of the response, a
    /// system prompt that is no message, and the overhead of the request. They are part of the
    /// fixed ones.
    pub beside: u64,
    /// Tokens that the provider counted and that are nowhere to be seen: a template, tools of its
    /// own. They are part of the fixed ones. 0 where nothing was
    /// [reported](Self::start_costs).
    pub hidden: u64,
    /// Tokens by which what was [reported](Self::start_costs) is below its estimate. The other
    /// numbers are estimates all the same: nobody can tell which of them is too high.
    pub overestimate: u64,
    /// The output the request asks for, in tokens.
    pub max_output: Option<u32>,
    /// What each message costs, in order. Counting is dear: whoever needs to know more of the
    /// messages, a [`Table`](crate::table::Table) say, makes it of this.
    pub each: Vec<MessageTokens>,
}

impl Measured {
    /// Tokens of the whole prompt.
    #[must_use]
    pub const fn prompt(&self) -> u64 {
        self.messages
            .saturating_add(self.fixed)
            .saturating_sub(self.overestimate)
    }

    /// Tokens that the messages need beside what is fixed: what was overestimated is taken for a
    /// part of them.
    #[must_use]
    pub const fn needed(&self) -> u64 {
        self.messages.saturating_sub(self.overestimate)
    }
}

/// Measures a request, in one pass over its text.
pub fn measure<V, E>(view: &V, estimator: &E) -> Measured
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    let mut beside = TokenCount::ZERO;
    let mut schemas = 0;
    view.fixed(&mut |piece| {
        schemas += usize::from(matches!(piece, Piece::Schema(_)));
        beside += estimator.count(piece);
    });
    beside += estimator.request_overhead(schemas);
    let beside = beside.floor();
    let mut marker = MarkerTokens::default();
    let each: Vec<_> = (0..view.len())
        .map(|index| count_message(view, estimator, index, &mut marker))
        .collect();
    let (mut messages, mut fixed) = (0_u64, beside);
    for (index, tokens) in each.iter().enumerate() {
        let part = if view.message(index).role.is_fixed() {
            &mut fixed
        } else {
            &mut messages
        };
        *part = part.saturating_add(tokens.all);
    }
    Measured {
        messages,
        fixed,
        beside,
        hidden: 0,
        overestimate: 0,
        max_output: view.max_output_tokens(),
        each,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use crate::estimate::{CharEstimator, PromptFormat};
    use crate::request::{Role, Str};

    /// Counts a character as a token, in a format.
    struct Formatted(PromptFormat);

    impl Estimator for Formatted {
        fn count(&self, piece: Piece<'_>) -> TokenCount {
            let chars = |text: Str<'_>| TokenCount::tokens(text.char_count() as u64);
            self.0.count(piece, chars)
        }

        fn message_overhead(&self, role: Role) -> TokenCount {
            self.0.message(role)
        }

        fn request_overhead(&self, schemas: usize) -> TokenCount {
            self.0.request(schemas)
        }
    }

    #[test]
    fn a_format_is_part_of_all_that_is_measured() {
        let mut request = ChatRequest::new(
            "m",
            [
                ChatMessage::system("12345678"),
                ChatMessage::user("1234"),
                ChatMessage::assistant("").call("call_1", "ab", "{}"),
                ChatMessage::tool("call_1", "123"),
            ],
        );
        let openai = PromptFormat::OPENAI;
        let measured = measure(&request, &Formatted(openai));
        let each: Vec<u64> = measured.each.iter().map(|tokens| tokens.all).collect();
        assert_eq!(each, [4 + 8, 4 + 4, 4 + 4 + 4, 4 + 4 + 3]);
        assert_eq!((measured.beside, measured.fixed), (3, 3 + 12));

        let schema = r#"{"a":"123456789012"}"#;
        request.tools = serde_json::from_str(&format!("[{schema},{schema}]")).ok();
        request.response_format = serde_json::from_str(schema).ok();
        let formatted: Box<dyn Estimator> = Box::new(Formatted(openai));
        let measured = measure(&request, &std::sync::Arc::new(&formatted));
        assert_eq!(measured.beside, 3 + 12 + 3 * 15);
        assert_eq!(
            measured.prompt(),
            3 + 12 + 3 * 15 + each.iter().sum::<u64>()
        );
    }

    #[test]
    fn the_whole_is_its_messages_and_what_stands_beside_them() {
        let mut request = ChatRequest::new(
            "m",
            [
                ChatMessage::system("12345678"),
                ChatMessage::user("123456789"),
                ChatMessage::assistant("123"),
            ],
        );
        request.max_tokens = Some(7);
        request.response_format = serde_json::from_str(r#"{"a":"1234567"}"#).ok();
        let estimator = CharEstimator::default().with_message_overhead(1);
        let measured = measure(&request, &estimator);
        let each: Vec<u64> = measured.each.iter().map(|tokens| tokens.all).collect();
        assert_eq!(each, [1 + 2, 1 + 2, 1]);
        assert_eq!(
            (measured.beside, measured.fixed, measured.messages),
            (3, 3 + 3, 3 + 1)
        );
        assert_eq!((measured.prompt(), measured.max_output), (10, Some(7)));
    }
}
