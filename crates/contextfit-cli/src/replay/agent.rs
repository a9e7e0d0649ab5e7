use contextfit::chat::{ChatMessage, ChatRequest};

use super::stack::Stack;
use super::step::Step;
use super::transcript::Transcript;
use crate::args::Memory;

/// Plays a conversation as an agent would: a request before each of its replies.
///
/// Whatever is answered, the conversation goes on with the reply that was recorded. After a
/// request that failed, it goes on with the history as it was. `on_step` hears of each request
/// as soon as it is done, and can end the play.
pub(crate) async fn play<E>(
    transcript: &Transcript,
    memory: Memory,
    stack: &mut Stack,
    mut on_step: impl FnMut(&Step) -> Result<(), E>,
) -> Result<Vec<Step>, E> {
    let recorded = &transcript.recorded.messages;
    // All but the messages, which differ from request to request.
    let bare = ChatRequest {
        messages: Vec::new(),
        ..transcript.recorded.clone()
    };
    let request = |messages: &[ChatMessage]| ChatRequest {
        messages: messages.to_vec(),
        ..bare.clone()
    };
    let mut steps = Vec::with_capacity(transcript.replies.len());
    let mut history: Vec<ChatMessage> = Vec::new();
    let mut remembered = 0;
    for (number, &reply) in (1..).zip(&transcript.replies) {
        history.extend_from_slice(&recorded[remembered..reply]);
        remembered = reply;
        let (mut step, received) = stack.send(request(&history)).await;
        step.request = number;
        step.whole = stack.prompt_tokens(&request(&recorded[..reply]));
        if let (Memory::Stateful, Some(received)) = (memory, received) {
            history = received;
        }
        on_step(&step)?;
        steps.push(step);
    }
    Ok(steps)
}
