//! A ledger is bounded, closes nothing, and is read back as it was written.

#![no_main]

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::request::Conversation;
use contextfit_core::summary::{Ledger, LedgerRules};
use libfuzzer_sys::fuzz_target;

const TOOLS: [&str; 7] = ["read", "edit", "str_replace_editor", "apply_patch", "bash", "send_email", "own"];

fuzz_target!(|input: (Vec<(u8, &str, &str)>, &str, u16)| {
    let (calls, text, most) = input;
    if let Some(ledger) = Ledger::parse(text) {
        let text = ledger.render(u64::MAX, |_| 0);
        assert_eq!(Ledger::parse(&text).unwrap_or_default(), ledger);
    }
    let messages = calls.into_iter().flat_map(|(tool, arguments, result)| {
        let tool = TOOLS.get(usize::from(tool) % 8).copied().unwrap_or(result);
        [ChatMessage::assistant("").call("c", tool, arguments), ChatMessage::tool("c", result)]
    });
    let chat = ChatRequest::new("m", messages);
    let rules = LedgerRules::default().record("Own", "own", "path");
    let mut ledger = Ledger::default();
    ledger.record(&chat, 0..chat.len(), &rules);
    let written = ledger.render(most.into(), |text| text.len() as u64);
    assert!(written.len() <= most.into());
    assert!(written.matches("</").count() <= 1);
    if !written.is_empty() {
        let read = Ledger::parse(&written).unwrap();
        assert_eq!(read.render(u64::MAX, |_| 0), written);
    }
});
