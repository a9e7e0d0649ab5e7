//! What tools answer, however it is put.

use contextfit_core::request::AdapterError;

use super::index::Entry;
use super::json::{Reader, Span};
use super::leaves::placed_leaves;

/// What is shorter than that, in bytes, isn't worth a clip. Any clip is longer, so that it is seen as the
/// text was that it stands for.
const LEAST: usize = 16;

/// Shows a result that is a JSON value: each long text in it as a result, so that it can be
/// clipped and the value stays what it is; media; and what stands between them, as it is written.
/// Which call it answers is for [`answer`] to say.
pub(super) fn result_leaves(
    reader: &mut Reader<'_>,
    visit: &mut dyn FnMut(Entry),
) -> Result<(), AdapterError> {
    let result = |content| Entry::Result {
        id: Span::EMPTY,
        name: Span::EMPTY,
        content,
    };
    let mut found = Vec::new();
    let whole = placed_leaves(reader, &mut |span, entry| match entry {
        Entry::Opaque(text) if text.is_literal() && text.end() - text.start() >= LEAST => {
            found.push((span, result(text)));
        }
        Entry::Media(media) => found.push((span, Entry::Media(media))),
        _ => {}
    })?;
    if whole.is_literal() && found.is_empty() {
        found.push((whole, result(whole)));
    }
    found.sort_by_key(|(span, _)| span.start());
    let mut told = whole.start();
    for (span, entry) in found {
        between(told, span.start(), visit);
        visit(entry);
        told = span.end();
    }
    between(told, whole.end(), visit);
    Ok(())
}

fn between(start: usize, end: usize, visit: &mut dyn FnMut(Entry)) {
    if start < end {
        visit(Entry::Opaque(Span::raw(start, end)));
    }
}

/// Makes what was read since `start` the result of a call. Where no text is in it, the result is
/// an empty one.
pub(super) fn answer(entries: &mut Vec<Entry>, start: usize, id: Span, name: Span) {
    let mut is_said = false;
    for entry in entries.iter_mut().skip(start) {
        if let Entry::Text(content) | Entry::Result { content, .. } = *entry {
            *entry = Entry::Result { id, name, content };
            is_said = true;
        }
    }
    if !is_said {
        let content = Span::EMPTY;
        entries.insert(start, Entry::Result { id, name, content });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(body: &str) -> Vec<String> {
        let mut told = Vec::new();
        let mut reader = Reader::new(body);
        result_leaves(&mut reader, &mut |entry| {
            told.push(match entry {
                Entry::Result { content, .. } => {
                    assert!(content.is_literal());
                    format!("result {}", content.written(body).len())
                }
                Entry::Media(media) => format!("media {:?}", media.bytes),
                Entry::Opaque(text) => text.written(body).to_owned(),
                _ => unreachable!(),
            });
        })
        .unwrap();
        reader.end().unwrap();
        told
    }

    #[test]
    fn long_texts_are_results_and_all_else_is_as_written() {
        let long = "x".repeat(300);
        let json = format!(
            r#"{{"rows":[1.5,"a",{{"text":"{long}"}}],"data":"{long}","mimeType":"image/png","n":"{long}","u":"data:image/png;base64,AAAA"}}"#
        );
        let expected = [
            r#"{"rows":[1.5,"a",{"text":""#,
            "result 300",
            r#""}],"data":""#,
            "media Some(225)",
            r#"","mimeType":"image/png","n":""#,
            "result 300",
            r#"","u":""#,
            "media Some(3)",
            "\"}",
        ];
        assert_eq!(told(&json), expected);
        for (json, expected) in [
            (r#""short""#, "result 5"),
            (r#""""#, "result 0"),
            (r#"{"ok":true}"#, r#"{"ok":true}"#),
            ("7", "7"),
            (r#""data:image/png;base64,AAAA""#, "media Some(3)"),
        ] {
            assert_eq!(told(json), [expected]);
        }
    }
}
