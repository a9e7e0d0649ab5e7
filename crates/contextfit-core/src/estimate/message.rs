use super::clippable::BesideText;
use super::{Estimator, LEAST_CLIP};
use crate::marker;
use crate::request::{Conversation, Piece, Role, Str};

/// What a message costs, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessageTokens {
    /// All of it, its framing included.
    pub all: u64,
    /// The text in it that may be clipped: tool results in a message of a tool, these and plain
    /// text in one of the user, nothing in one of the assistant. Of every such text but the first,
    /// its least clip is no part of this, because that stays whatever is clipped.
    pub clippable: u64,
    /// What goes if markers take the place of the texts of tool results that may be clipped.
    pub clearable: u64,
}

/// Counts message `index`. Its tokens are rounded down once.
pub fn message_tokens<V, E>(view: &V, estimator: &E, index: usize) -> MessageTokens
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    count_message(view, estimator, index, &mut MarkerTokens::default())
}

/// Counts message `index`, beside others of the same conversation.
pub(super) fn count_message<V, E>(
    view: &V,
    estimator: &E,
    index: usize,
    marker: &mut MarkerTokens,
) -> MessageTokens
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    let role = view.message(index).role;
    let mut tokens = estimator.message_overhead(role);
    let (mut clippable, mut clearable) = (0_u64, 0_u64);
    view.pieces(index, &mut |piece| {
        let beside_text = BesideText::of(role, &piece);
        let count = estimator.count(piece);
        tokens += count;
        if let Some(beside) = beside_text {
            let text = beside.text_tokens(estimator, count);
            // A draft leaves the least of one text in each message; every text needs its own.
            let least = if clippable == 0 { 0 } else { LEAST_CLIP };
            clippable = clippable.saturating_add(text.saturating_sub(least));
            if text > 0 && role == Role::Tool {
                let freed = text.saturating_sub(marker.of(estimator));
                clearable = clearable.saturating_add(freed);
            }
        }
    });
    MessageTokens {
        all: tokens.floor(),
        clippable,
        clearable,
    }
}

/// What a marker in the place of a tool result costs. Counted once, and only where there is a
/// result that one could stand for.
#[derive(Default)]
pub(super) struct MarkerTokens(Option<u64>);

impl MarkerTokens {
    fn of<E: Estimator + ?Sized>(&mut self, estimator: &E) -> u64 {
        *self.0.get_or_insert_with(|| {
            let result = |content| {
                estimator.count(Piece::ToolResult {
                    call_id: Str::plain(""),
                    name: Str::plain(""),
                    content: Str::plain(content),
                })
            };
            let marker = result(marker::LONGEST).saturating_sub(result(""));
            // Rounding a message mustn't cost more than is promised.
            marker.ceil().saturating_add(2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest, ContentPart};
    use crate::estimate::CharEstimator;

    fn clippable(message: ChatMessage) -> u64 {
        message_tokens(
            &ChatRequest::new("m", [message]),
            &CharEstimator::default(),
            0,
        )
        .clippable
    }

    fn text(tokens: u64) -> String {
        "four".repeat(usize::try_from(tokens).unwrap())
    }

    #[test]
    fn text_above_the_least_clip_may_be_clipped() {
        assert_eq!(clippable(ChatMessage::user(text(LEAST_CLIP))), 0);
        assert_eq!(
            clippable(ChatMessage::user(text(LEAST_CLIP + 1))),
            LEAST_CLIP + 1
        );
        assert_eq!(clippable(ChatMessage::assistant(text(1_000))), 0);
        assert_eq!(clippable(ChatMessage::system(text(1_000))), 0);
    }

    #[test]
    fn the_name_of_a_call_is_no_text_to_clip() {
        assert_eq!(clippable(ChatMessage::tool(text(1_000), text(64))), 0);
        assert_eq!(clippable(ChatMessage::tool(text(1_000), text(65))), 65);
    }

    #[test]
    fn the_least_clip_of_each_text_stays_but_for_the_first() {
        let parts = [100, 64, 100, 65].map(|tokens| ContentPart::text(text(tokens)));
        let result = ChatMessage::tool("call_1", parts.to_vec());
        assert_eq!(clippable(result), 100 + 36 + 1);
    }

    #[test]
    fn a_marker_may_take_the_place_of_a_result_alone() {
        let clearable = |message| {
            let chat = ChatRequest::new("m", [message]);
            message_tokens(&chat, &CharEstimator::default(), 0).clearable
        };
        // The longest marker has 71 characters.
        assert_eq!(
            clearable(ChatMessage::tool("call_1", text(100))),
            100 - 18 - 2
        );
        assert_eq!(clearable(ChatMessage::tool("call_1", text(LEAST_CLIP))), 0);
        assert_eq!(clearable(ChatMessage::user(text(100))), 0);
    }
}
