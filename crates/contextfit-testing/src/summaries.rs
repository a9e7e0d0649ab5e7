//! Summaries of earlier compactions, for conversations that hold one already.

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::summary::{Envelope, EnvelopeKey, EnvelopeKeys, Place};

/// Keys for tests, to be given to [`FitterBuilder::summary_keys`](contextfit_tower::FitterBuilder::summary_keys):
/// a fitter recognises a summary only if it was sealed with its own.
///
/// # Panics
///
/// Never: the secret is long enough.
#[must_use]
pub fn summary_keys() -> EnvelopeKeys {
    let key = EnvelopeKey::new("no secret at all: for tests").expect("it is long enough");
    key.into()
}

/// The message of an earlier compaction, sealed with [`summary_keys`] for the very beginning of a
/// conversation. Elsewhere [`seal_summaries`] makes it count.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_core::summary::Envelope;
/// use contextfit_testing::summaries::{seal_summaries, summary_keys, summary_message};
///
/// let earlier = Envelope { summary: "Port 8080 was chosen.".into(), messages: 7, ..Envelope::default() };
/// let said = [ChatMessage::user("the task"), summary_message(&earlier), ChatMessage::user("go on")];
/// let mut request = ChatRequest::new("a-model", said);
/// assert_eq!(Envelope::find(&request, &summary_keys()).ours, None);
///
/// seal_summaries(&mut request);
/// assert_eq!(Envelope::find(&request, &summary_keys()).ours, Some((1, earlier)));
/// ```
#[must_use]
pub fn summary_message(summary: &Envelope) -> ChatMessage {
    ChatMessage::user(summary.seal(&Place::default(), &summary_keys()))
}

/// Seals whatever has the form of a summary's message, for the place where it stands.
pub fn seal_summaries(request: &mut ChatRequest) {
    for index in 0..request.messages.len() {
        let message = &request.messages[index];
        let read = Envelope::read_unverified(&message.text());
        let Some(envelope) = read.filter(|_| message.role == ChatRole::User) else {
            continue;
        };
        let text = envelope.seal(&Place::of(request, index), &summary_keys());
        request.messages[index].content = ChatMessage::user(text).content;
    }
}
