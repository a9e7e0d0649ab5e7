use super::open_calls::OpenCalls;
use crate::request::{Conversation, Link, Role};

/// For each message, whether it is in the group of the one before it.
///
/// One pass. A group is a run of messages, so whatever stands between a call and its last
/// result is part of it. What the ties leave open is decided here:
///
/// - An id is a name for the latest call only: calling it again forgets the earlier call, so
///   a call that was never answered ties nothing.
/// - The first result of an id answers the call, wherever it stands after it. Another result of
///   the same id, or a result that no call before it asks for, is stray, and a stray result
///   stays with the message before it.
pub(super) fn joined_to_previous<V: Conversation + ?Sized>(view: &V) -> Vec<bool> {
    let len = view.len();
    // For each message, the last one that must stay with it.
    let mut reach: Vec<usize> = (0..len).collect();
    let mut joined = vec![false; len];
    let mut open = OpenCalls::default();
    for index in 0..len {
        let mut answers = 0;
        view.links(index, &mut |link| match link {
            Link::Calls(id) => open.call(id, index),
            Link::Answers(id) => {
                if let Some(call) = open.answer(id) {
                    reach[call] = index;
                    answers += 1;
                }
            }
            Link::BindsNext => reach[index] = reach[index].max((index + 1).min(len - 1)),
        });
        if view.message(index).role == Role::Tool && answers == 0 {
            joined[index] = index > 0;
        }
    }
    let mut until = 0;
    for index in 0..len {
        joined[index] |= index > 0 && index <= until;
        until = until.max(reach[index]);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};

    fn groups(messages: Vec<ChatMessage>) -> Vec<bool> {
        joined_to_previous(&ChatRequest::new("m", messages))
    }

    fn calls(ids: &[&str]) -> ChatMessage {
        ids.iter().fold(ChatMessage::assistant(""), |message, id| {
            message.call(*id, "tool", "{}")
        })
    }

    fn result(id: &str) -> ChatMessage {
        ChatMessage::tool(id, "done")
    }

    fn user() -> ChatMessage {
        ChatMessage::user("go on")
    }

    #[test]
    fn parallel_calls_and_their_results_are_one_group() {
        assert_eq!(
            groups(vec![
                user(),
                calls(&["a", "b"]),
                result("a"),
                result("b"),
                user()
            ]),
            [false, false, true, true, false]
        );
    }

    #[test]
    fn results_may_come_out_of_order() {
        assert_eq!(
            groups(vec![calls(&["a", "b"]), result("b"), result("a"), user()]),
            [false, true, true, false]
        );
    }

    #[test]
    fn what_stands_between_a_call_and_its_result_belongs_to_them() {
        assert_eq!(
            groups(vec![
                calls(&["a", "b"]),
                result("a"),
                user(),
                result("b"),
                user()
            ]),
            [false, true, true, true, false]
        );
    }

    #[test]
    fn an_id_used_again_in_a_later_turn_names_the_later_call() {
        assert_eq!(
            groups(vec![
                calls(&["a"]),
                result("a"),
                user(),
                calls(&["a"]),
                result("a")
            ]),
            [false, true, false, false, true]
        );
    }

    #[test]
    fn an_unanswered_call_ties_nothing() {
        assert_eq!(
            groups(vec![calls(&["a"]), user(), user()]),
            [false, false, false]
        );
        // … also when its id is called and answered later.
        assert_eq!(
            groups(vec![calls(&["a"]), user(), calls(&["a"]), result("a")]),
            [false, false, false, true]
        );
    }

    #[test]
    fn a_stray_result_stays_with_the_message_before_it() {
        assert_eq!(
            groups(vec![result("x"), user(), result("y"), user()]),
            [false, false, true, false]
        );
        // A second result for one call doesn't reach back over what came between.
        assert_eq!(
            groups(vec![
                calls(&["a"]),
                result("a"),
                user(),
                user(),
                result("a")
            ]),
            [false, true, false, false, true]
        );
    }
}
