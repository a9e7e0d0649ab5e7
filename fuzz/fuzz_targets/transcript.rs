//! What a summarizer reads, or what stands in its place, is bounded, closes nothing and is the same
//! each time.

#![no_main]

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::request::Conversation;
use contextfit_core::summary::{Envelope, ItemCaps, Transcript, archive, extract};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<(u8, &str, &str)>, u16, u8, u8, &str)| {
    let (said, budget, most, caps, previous) = input;
    let messages = said.into_iter().map(|(kind, text, more)| {
        let mut message = match kind % 4 {
            0 => ChatMessage::user(text),
            1 => ChatMessage::assistant(text).call(more, text, more),
            2 => ChatMessage::tool(more, text),
            _ => ChatMessage::system(text),
        };
        message.name = (kind > 200).then(|| more.into());
        message
    });
    let chat = ChatRequest::new("m", messages);
    let transcript = Transcript::of(&chat, 0..chat.len());
    let count = |text: &str| text.len() as u64;
    let cap = usize::from(caps);
    let caps = ItemCaps { prose: cap, tool_result: cap, argument: cap };

    let shown = transcript.render(&caps);
    assert_eq!(shown.to_ascii_lowercase().matches("</conversation>").count(), 1);
    assert_eq!(transcript.render(&caps), shown);

    let most = usize::from(most).max(1);
    let chunks = transcript.chunks(budget.into(), most, &caps, count);
    assert!((1..=most).contains(&chunks.len()));
    let read: usize = chunks.iter().map(|chunk| chunk.messages.len()).sum();
    assert_eq!(read + chunks[0].omitted, transcript.len());
    for chunk in &chunks {
        assert_eq!(chunk.text.to_ascii_lowercase().matches("</conversation>").count(), 1);
    }

    let quoted = |text: &str| count(&Envelope::quote(text));
    if let Some(record) = archive(&transcript, budget.into(), quoted) {
        assert!(quoted(&record.text) <= budget.into());
        assert!(record.text.lines().skip(2).all(|line| line.starts_with("- ") || line.starts_with('[')));
    }
    let mut earlier = Some(previous.to_owned()).filter(|previous| !previous.is_empty());
    for _ in 0..2 {
        let Some(text) = extract(&transcript, earlier.as_deref(), budget.into(), count) else { break };
        assert!(quoted(&text) <= budget.into(), "{} over {budget}", quoted(&text));
        assert_eq!(extract(&transcript, earlier.as_deref(), budget.into(), count), Some(text.clone()));
        earlier = Some(text);
    }
});
