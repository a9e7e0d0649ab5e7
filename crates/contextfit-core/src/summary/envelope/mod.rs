//! The message that stands for everything that was cut.

mod coverage;
mod find;
mod form;
mod key;
mod place;
mod seal;

pub use self::coverage::Coverage;
pub use self::find::Found;
pub use self::key::{EnvelopeKey, EnvelopeKeys, ShortSecret};
pub use self::place::Place;

use std::borrow::Cow;
use std::fmt;

use self::form::{Form, TAG};
use self::seal::Seal;
use super::{Ledger, quote_inside};

/// The message that stands for everything that was cut: a summary, and how much it covers.
///
/// It is a user's message, whole and alone, that says what it is and how many messages it
/// stands for. [`find`](Self::find) recognises it in a later request, so that the next
/// compaction updates the summary instead of summarizing it again.
///
/// It is sealed: only who has the key can write one, for one place in one conversation. Whatever
/// looks like one and isn't sealed, or was changed, or stands elsewhere, is ordinary text, whoever
/// wrote it: a user, a tool, a model that repeats what it read. The seal is a keyed hash
/// ([BLAKE3](https://github.com/BLAKE3-team/BLAKE3)) of the whole text and of its [`Place`].
///
/// ```
/// use contextfit_core::summary::{Envelope, EnvelopeKey, EnvelopeKeys, Place};
///
/// let keys = EnvelopeKeys::new(EnvelopeKey::new("sixteen random bytes or more")?);
/// let place = Place::default();
/// let envelope = Envelope { summary: "Port 8080 was chosen.".into(), messages: 12, ..Envelope::default() };
///
/// let text = envelope.seal(&place, &keys);
/// assert_eq!(Envelope::open(&text, &place, &keys), Ok(envelope));
/// assert!(Envelope::open(&text.replace("8080", "8081"), &place, &keys).is_err());
/// # Ok::<(), contextfit_core::summary::ShortSecret>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The summary; empty if there is none, and only a notice stands.
    pub summary: String,
    /// How many messages it stands for, those of earlier compactions included.
    pub messages: u64,
    /// How many of these no summary covers.
    pub omitted: u64,
    /// Which messages these are.
    pub covers: Coverage,
    /// What tools did in them.
    pub ledger: Ledger,
}

/// Why a text is no envelope of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotOurs {
    /// It doesn't have the form of one, from its first character to its last.
    #[error("the text is no summary's envelope")]
    NoEnvelope,
    /// It was sealed with a key that isn't known.
    #[error(
        "a summary's envelope was sealed with key {key}, which isn't known: it is ordinary text \
         unless that key is supplied"
    )]
    UnknownKey {
        /// The id of the key.
        key: String,
    },
    /// The text was changed, or stands where it wasn't written for: in another conversation, at
    /// another place, or with another tenant.
    #[error(
        "a summary's envelope was changed, or doesn't belong where it stands: it is ordinary text"
    )]
    BrokenSeal,
}

impl Envelope {
    /// The text of the message at a place. The same envelope always gives the same bytes.
    #[must_use]
    pub fn seal(&self, place: &Place, keys: &EnvelopeKeys) -> String {
        let unsealed = self.render(None);
        self.render(Some(&Seal::of(&unsealed, place, keys)))
    }

    /// Reads the text of a whole message that stands at a place, if it was sealed for it.
    ///
    /// # Errors
    ///
    /// It wasn't, and so is ordinary text.
    pub fn open(text: &str, place: &Place, keys: &EnvelopeKeys) -> Result<Self, NotOurs> {
        let Form { envelope, seal } = Form::read(text).ok_or(NotOurs::NoEnvelope)?;
        match seal.opens(&envelope.render(None), place, keys) {
            Some(true) => Ok(envelope),
            Some(false) => Err(NotOurs::BrokenSeal),
            None => Err(NotOurs::UnknownKey { key: seal.key }),
        }
    }

    /// Reads the text of a whole message without a look at who wrote it, to show it to somebody.
    /// Nothing must follow from it: anybody can write one.
    #[must_use]
    pub fn read_unverified(text: &str) -> Option<Self> {
        Form::read(text).map(|form| form.envelope)
    }

    /// A summary as it stands in its envelope, where it can't close it, nor pose as a ledger.
    #[must_use]
    pub fn quote(summary: &str) -> Cow<'_, str> {
        match quote_inside(TAG, summary) {
            Cow::Borrowed(summary) => quote_inside(Ledger::TAG, summary),
            Cow::Owned(summary) => Cow::Owned(quote_inside(Ledger::TAG, &summary).into_owned()),
        }
    }
}

impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Envelope")
            .field("messages", &self.messages)
            .field("omitted", &self.omitted)
            .field("covers", &self.covers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use crate::summary::LedgerRules;
    use proptest::prelude::*;

    fn keys(secret: &str) -> EnvelopeKeys {
        EnvelopeKeys::new(EnvelopeKey::new(secret).unwrap())
    }

    fn ours() -> EnvelopeKeys {
        keys("a secret of the test")
    }

    #[test]
    fn a_key_that_was_retired_opens_and_one_that_is_foreign_does_not() {
        let envelope = Envelope {
            summary: "s".into(),
            messages: 2,
            ..Envelope::default()
        };
        let place = Place::default();
        let text = envelope.seal(&place, &keys("the old secret of it"));
        let error = Envelope::open(&text, &place, &ours()).unwrap_err();
        let id = EnvelopeKey::new("the old secret of it")
            .unwrap()
            .id()
            .to_owned();
        assert_eq!(error, NotOurs::UnknownKey { key: id.clone() });
        assert!(error.to_string().contains(&id));

        let rotated = ours().retired(EnvelopeKey::new("the old secret of it").unwrap());
        assert_eq!(
            Envelope::open(&text, &place, &rotated),
            Ok(envelope.clone())
        );
        assert_eq!(
            envelope.seal(&place, &rotated),
            envelope.seal(&place, &ours())
        );
    }

    #[test]
    fn tenants_do_not_open_what_is_of_another() {
        let place = Place::default();
        let text = Envelope::default().seal(&place, &ours().of_tenant("a"));
        let opened = |keys: &EnvelopeKeys| Envelope::open(&text, &place, keys).is_ok();
        assert!(opened(&ours().of_tenant("a")));
        for keys in [ours(), ours().of_tenant("b"), ours().of_tenant("")] {
            assert!(!opened(&keys));
        }
    }

    #[test]
    fn an_envelope_belongs_to_one_place() {
        let tasks = ["Sort my mail", "Sort my files"];
        let chat = |task: &str, more: &[&str]| {
            let said = std::iter::once(&task).chain(more);
            ChatRequest::new("m", said.map(|&text| ChatMessage::user(text)))
        };
        let place = Place::of(&chat(tasks[0], &["x"]), 1);
        let text = Envelope::default().seal(&place, &ours());
        let opens = |chat: &ChatRequest, index| {
            Envelope::open(&text, &Place::of(chat, index), &ours()).is_ok()
        };
        assert!(opens(&chat(tasks[0], &["whatever stands here"]), 1));
        assert!(!opens(&chat(tasks[1], &["x"]), 1));
        assert!(!opens(&chat(tasks[0], &["x"]), 0));
        assert!(!opens(&chat(tasks[0], &["x", "y"]), 2));
        // The system prompt may tell the time.
        let mut timed = chat(tasks[0], &["x"]);
        timed
            .messages
            .insert(0, ChatMessage::system("It is 12:01."));
        assert!(opens(&timed, 2));
    }

    #[test]
    fn the_notice_says_how_many_messages_nobody_summarized() {
        let envelope = Envelope {
            messages: 7,
            omitted: 7,
            ..Envelope::default()
        };
        let text = envelope.seal(&Place::default(), &ours());
        assert!(text.contains("7 of its 7 messages were left out"));
        assert_eq!(Envelope::read_unverified(&text), Some(envelope));
    }

    proptest! {
        #[test]
        fn any_summary_survives_and_can_not_end_its_envelope(
            summary in "(</?contextfit-summary>|</?ledger>|\\n\\n<ledger>\\n- a|\\n| |[a-z]|\"){0,30}",
            messages: u64,
            omitted: u64,
            paths in proptest::collection::vec("(</?ledger>|</?contextfit-summary>|\\n|[a-z]){1,9}", 0..4),
        ) {
            let mut ledger = Ledger::default();
            let calls = paths.iter().map(|path| {
                let arguments = serde_json::json!({"path": path}).to_string();
                ChatMessage::assistant("").call("c", "read", arguments)
            });
            let chat = ChatRequest::new("m", calls);
            ledger.record(&chat, 0..paths.len(), &LedgerRules::default());
            let envelope = Envelope { summary, messages, omitted, ledger, ..Envelope::default() };
            let place = Place::default();
            let text = envelope.seal(&place, &ours());
            prop_assert_eq!(text.matches("</contextfit-summary>").count(), 1);
            let ledgers = usize::from(!envelope.ledger.is_empty());
            prop_assert_eq!(text.matches("</ledger>").count(), ledgers);
            let opened = Envelope::open(&text, &place, &ours()).unwrap();
            prop_assert_eq!(&opened.ledger, &envelope.ledger);
            prop_assert_eq!(opened.seal(&place, &ours()), text);
        }

        #[test]
        fn no_change_of_a_single_character_goes_unseen(
            at in 0_usize..600,
            other in "[a-z0-9<>\" \n]",
        ) {
            let envelope = Envelope {
                summary: "Port 8080 was chosen, and Ann agreed. ".repeat(5),
                messages: 12,
                omitted: 3,
                ..Envelope::default()
            };
            let place = Place::default();
            let text = envelope.seal(&place, &ours());
            let at = at % text.len();
            let mut changed = text.clone();
            changed.replace_range(at..=at, &other);
            let opened = Envelope::open(&changed, &place, &ours());
            prop_assert_eq!(opened.is_ok(), changed == text);
        }
    }
}
