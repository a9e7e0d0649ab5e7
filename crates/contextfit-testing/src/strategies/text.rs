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

/// Text of some thousand characters: a file that was read, a page that was fetched.
pub fn huge_texts() -> impl Strategy<Value = String> {
    (texts(), 2_000_usize..8_000)
        .prop_map(|(text, chars)| text.chars().cycle().take(chars).collect())
}
