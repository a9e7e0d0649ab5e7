//! Any text has one class, with numbers that stand in it, whatever is around it.

#![no_main]

use contextfit_providers::overflow::OverflowTemplates;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Option<u16>, u16, &str)| {
    let (status, times, text) = input;
    let templates = OverflowTemplates::known();
    let classified = templates.classify(text, status);
    assert_eq!(templates.classify(text, status), classified);
    assert_eq!(classified.overflow().is_some(), classified.class.is_overflow());
    let times = usize::from(times).clamp(1, 100_000 / text.len().max(1));
    templates.classify(&text.repeat(times), status);
});
