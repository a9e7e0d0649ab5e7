use super::{Measured, MessageTokens};
use crate::request::Conversation;

impl Measured {
    /// Takes what a provider counted for the start of this conversation: for its first `messages`
    /// messages and all that stands beside them, `tokens` of prompt.
    ///
    /// From then on the start costs just that; what comes after it costs what was estimated. Where
    /// the provider counted more, nobody can tell which message it is in, and most often it is in
    /// none: a template, tools that the provider adds. So it is [`hidden`](Self::hidden), a part
    /// of what is never cut. Where it counted less, nothing hidden explains that, and the
    /// messages and what stands beside them shrink alike.
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
    /// measured.start_costs(&chat, 2, 812);
    /// assert_eq!(measured.prompt(), 812 + last);
    /// ```
    pub fn start_costs<V>(&mut self, view: &V, messages: usize, tokens: u64)
    where
        V: Conversation + ?Sized,
    {
        let messages = messages.min(self.each.len());
        let (start, after) = self.each.split_at_mut(messages);
        let estimated = start
            .iter()
            .fold(self.beside, |sum, one| sum.saturating_add(one.all));
        if tokens < estimated {
            let shrink = |part: u64| scaled(part, tokens, estimated);
            self.beside = shrink(self.beside);
            for one in &mut *start {
                one.all = shrink(one.all);
                one.clippable = shrink(one.clippable);
                one.clearable = shrink(one.clearable);
            }
        }
        let counted = start
            .iter()
            .fold(self.beside, |sum, one| sum.saturating_add(one.all));
        self.hidden = tokens.saturating_sub(counted);
        let each = start.iter().chain(&*after);
        (self.messages, self.fixed) = sums(view, each, self.beside.saturating_add(self.hidden));
    }
}

/// `part · numerator ⁄ denominator`, rounded down; `part` where there is nothing to divide by.
fn scaled(part: u64, numerator: u64, denominator: u64) -> u64 {
    let product = u128::from(part) * u128::from(numerator);
    product
        .checked_div(u128::from(denominator))
        .map_or(part, |scaled| u64::try_from(scaled).unwrap_or(u64::MAX))
}

/// Tokens of the messages that may be cut, and of those that may not, with `fixed` others.
pub(super) fn sums<'a, V>(
    view: &V,
    each: impl Iterator<Item = &'a MessageTokens>,
    mut fixed: u64,
) -> (u64, u64)
where
    V: Conversation + ?Sized,
{
    let mut messages = 0_u64;
    for (index, tokens) in each.enumerate() {
        let part = if view.message(index).role.is_fixed() {
            &mut fixed
        } else {
            &mut messages
        };
        *part = part.saturating_add(tokens.all);
    }
    (messages, fixed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::chat::{ChatMessage, ChatRequest};
    use crate::estimate::{CharEstimator, measure};

    fn chat() -> ChatRequest {
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
        chat
    }

    #[test]
    fn what_the_provider_counted_beyond_the_estimate_is_hidden_and_never_cut() {
        let mut measured = measure(&chat(), &CharEstimator::default());
        let before = measured.clone();
        measured.start_costs(&chat(), 2, before.prompt() + 800);
        let after_start = before.each[2].all + before.each[3].all;
        assert_eq!(measured.hidden, 800 + after_start);
        assert_eq!(measured.each, before.each);
        assert_eq!(measured.fixed, before.fixed + measured.hidden);
        assert_eq!(
            (measured.messages, measured.beside),
            (before.messages, before.beside)
        );
    }

    #[test]
    fn where_it_counted_less_the_start_shrinks_and_the_rest_does_not() {
        let mut measured = measure(&chat(), &CharEstimator::default());
        let before = measured.clone();
        measured.start_costs(&chat(), 2, 600);
        assert!(measured.each[1].all < before.each[1].all / 5 * 3);
        assert_eq!(measured.each[2..], before.each[2..]);
        assert!(measured.hidden < 4);
    }

    proptest! {
        #[test]
        fn the_start_costs_what_was_counted(messages in 0_usize..6, tokens in 0_u64..10_000) {
            let chat = chat();
            let mut measured = measure(&chat, &CharEstimator::default());
            let after: u64 = measured.each.iter().skip(messages).map(|one| one.all).sum();
            measured.start_costs(&chat, messages, tokens);
            prop_assert_eq!(measured.prompt(), tokens + after);
            for one in &measured.each {
                prop_assert!(one.clippable <= one.all && one.clearable <= one.all);
            }
        }
    }
}
