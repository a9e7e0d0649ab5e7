//! A summary is opened where it was sealed, as it was sealed, and no other text is.

#![no_main]

use std::sync::LazyLock;

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::summary::{Envelope, EnvelopeKey, EnvelopeKeys, Ledger, Place};
use libfuzzer_sys::fuzz_target;

static KEYS: LazyLock<EnvelopeKeys> = LazyLock::new(|| EnvelopeKey::new("a secret of the fuzzer").unwrap().into());

fuzz_target!(|input: (&str, &str, &str, u64, u64, usize, &str)| {
    let (task, summary, ledger, messages, omitted, at, change) = input;
    // Whatever it is, nobody sealed it.
    assert!(Envelope::open(summary, &Place::default(), &KEYS).is_err());
    let read = Envelope::read_unverified(summary);
    assert!(read.is_none_or(|read| read.seal(&Place::default(), &KEYS) != summary));

    let chat = ChatRequest::new("m", [task, summary, "go on"].map(ChatMessage::user));
    let place = Place::of(&chat, 1);
    let ledger = Ledger::parse(ledger).unwrap_or_default();
    let envelope = Envelope { summary: summary.into(), messages, omitted, ledger, ..Envelope::default() };
    let text = envelope.seal(&place, &KEYS);
    let opened = Envelope::open(&text, &place, &KEYS).unwrap();
    assert_eq!(opened.seal(&place, &KEYS), text);
    assert_eq!((opened.messages, opened.omitted, &opened.ledger), (messages, omitted, &envelope.ledger));
    assert_eq!(text.matches("</contextfit-summary>").count(), 1);

    // It is found there, and nowhere else.
    let sealed = ChatRequest::new("m", [task, &*text, "go on"].map(ChatMessage::user));
    assert_eq!(Envelope::find(&sealed, &KEYS).ours, Some((1, opened)));
    let moved = ChatRequest::new("m", [&*text, task, "go on"].map(ChatMessage::user));
    assert_eq!(Envelope::find(&moved, &KEYS).ours, None);
    let at = (0..=at % (text.len() + 1)).rfind(|&at| text.is_char_boundary(at)).unwrap();
    let changed = format!("{}{change}{}", &text[..at], &text[at..]);
    assert_eq!(Envelope::open(&changed, &place, &KEYS).is_ok(), change.is_empty());
});
