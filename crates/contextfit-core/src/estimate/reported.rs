use super::Measured;

impl Measured {
    /// Takes what a provider counted for the start of this conversation: for its first `messages`
    /// messages and all that stands beside them, `tokens` of prompt.
    ///
    /// From then on the start costs just that, and what comes after it what was estimated. Where
    /// the provider counted more, nobody can tell which message it is in, and most often it is in
    /// none: a template, tools that the provider adds. So it is [`hidden`](Self::hidden), a part
    /// of what is never cut. Where it counted less, [`prompt`](Self::prompt) is less by that, and
    /// each part is taken for what was estimated: too much is cut of it rather than too little.
    ///
    /// ```
    /// use contextfit_core::chat::{ChatMessage, ChatRequest};
    /// use contextfit_core::estimate::{CharEstimator, measure};
    ///
    /// let chat = ChatRequest::new("m", ["hello", "hi", "tell me more"].map(ChatMessage::user));
    /// let mut measured = measure(&chat, &CharEstimator::default());
    /// let last = measured.each[2].all;
    ///
    /// // The provider answered the first two, and said what they cost.
    /// measured.start_costs(2, 812);
    /// assert_eq!(measured.prompt(), 812 + last);
    /// ```
    pub fn start_costs(&mut self, messages: usize, tokens: u64) {
        let start = self.each.iter().take(messages);
        let estimated = start.fold(self.beside, |sum, one| sum.saturating_add(one.all));
        self.fixed = self.fixed.saturating_sub(self.hidden);
        self.hidden = tokens.saturating_sub(estimated);
        self.fixed = self.fixed.saturating_add(self.hidden);
        self.overestimate = estimated.saturating_sub(tokens);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::chat::{ChatMessage, ChatRequest};
    use crate::estimate::{CharEstimator, Measured, measure};

    fn measured() -> Measured {
        let mut chat = ChatRequest::new(
            "m",
            [
                ChatMessage::system("s".repeat(400)),
                ChatMessage::user("u".repeat(4_000)),
                ChatMessage::assistant("a".repeat(40)),
                ChatMessage::tool("call", "t".repeat(4_000)),
            ],
        );
        chat.response_format = serde_json::from_str(r#"{"a":"1234567"}"#).ok();
        measure(&chat, &CharEstimator::default())
    }

    #[test]
    fn what_was_counted_beyond_the_estimate_is_hidden_and_never_cut() {
        let (mut counted, estimated) = (measured(), measured());
        counted.start_costs(4, estimated.prompt() + 800);
        assert_eq!(counted.hidden, 800);
        assert_eq!(counted.fixed, estimated.fixed + 800);
        assert_eq!(
            (counted.messages, counted.beside, &counted.each),
            (estimated.messages, estimated.beside, &estimated.each)
        );
    }

    #[test]
    fn where_less_was_counted_the_parts_are_what_was_estimated() {
        let (mut counted, estimated) = (measured(), measured());
        counted.start_costs(4, 600);
        assert_eq!(counted.prompt(), 600);
        assert_eq!(
            (counted.messages, counted.fixed, counted.hidden),
            (estimated.messages, estimated.fixed, 0)
        );
    }

    proptest! {
        #[test]
        fn the_start_costs_what_was_counted(
            counts in prop::collection::vec((0_usize..6, 0_u64..10_000), 1..3),
        ) {
            let mut counted = measured();
            // The last count holds.
            for (messages, tokens) in counts {
                counted.start_costs(messages, tokens);
                let after: u64 = counted.each.iter().skip(messages).map(|one| one.all).sum();
                prop_assert_eq!(counted.prompt(), tokens + after);
            }
        }
    }
}
