use proptest::prelude::*;

/// Text such as people, models and tools write: several scripts, JSON, line ends. Never empty.
pub fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z ,.\n]{1,80}",
        2 => "[一-龥，。]{1,40}",
        1 => "[а-яё ]{1,60}",
        1 => "[😀-🙏é\u{301}a ]{1,20}",
        1 => r#"\{"[a-z]{1,6}":\[([0-9]{1,4},){1,12}0\]\}"#,
    ]
}

/// Text that tokenizers have trouble with: of any characters at all, or long runs of a few, which
/// go through tens of kilobytes.
pub fn hostile_texts() -> impl Strategy<Value = String> {
    let run = (
        "[ \\t\u{a0}\\r\\naA=.'/1٣中é\u{301}😀]{1,3}",
        1_usize..6_000,
    );
    prop_oneof![
        2 => any::<String>(),
        1 => "[^a]{0,40}",
        1 => (run, texts()).prop_map(|((some, times), text)| some.repeat(times) + &text),
        1 => "[A-Za-z0-9+/]{0,2000}",
    ]
}

/// Text of some thousand characters: a file that was read, a page that was fetched.
pub fn huge_texts() -> impl Strategy<Value = String> {
    (texts(), 2_000_usize..8_000)
        .prop_map(|(text, chars)| text.chars().cycle().take(chars).collect())
}
