//! What a tool answered, where that is any JSON.

use contextfit_core::request::{AdapterError, Media, MediaKind};

use super::index::Entry;
use super::json::{Kind, Reader, Span};
use super::media;

/// Shows a result: each text in it, so that each can be clipped for itself, and what stands
/// between them as it is written, so that names and numbers are counted too. Data in base64 are
/// media.
///
/// The call and its tool are named once, with the first text.
pub(super) fn result_leaves(
    reader: &mut Reader<'_>,
    id: Span,
    name: Span,
    visit: &mut dyn FnMut(Entry),
) -> Result<(), AdapterError> {
    let mut leaves = Vec::new();
    let whole = walk(reader, &mut leaves)?;
    leaves.sort_by_key(|leaf| leaf.text.start());

    let (mut id, mut name) = (id, name);
    let mut result = |content| Entry::Result {
        id: std::mem::take(&mut id),
        name: std::mem::take(&mut name),
        content,
    };
    if leaves.iter().all(|leaf| leaf.media.is_some()) {
        visit(result(Span::EMPTY));
    }
    let body = reader.body();
    let between = |start: usize, end: usize, visit: &mut dyn FnMut(Entry)| {
        let between = Span::raw(start, end.max(start));
        if !between.written(body).trim().is_empty() {
            visit(Entry::Opaque(between));
        }
    };
    let mut shown = whole.start();
    for Leaf { text, media } in leaves {
        // The quotes belong to neither.
        between(shown, text.start() - 1, visit);
        shown = text.end() + 1;
        visit(media.unwrap_or_else(|| result(text)));
    }
    between(shown, whole.end(), visit);
    Ok(())
}

/// A text in a result, and the media in it where it is no text but data.
struct Leaf {
    text: Span,
    media: Option<Entry>,
}

fn walk(reader: &mut Reader<'_>, leaves: &mut Vec<Leaf>) -> Result<Span, AdapterError> {
    match reader.kind()? {
        Kind::Text => {
            let text = reader.value()?;
            leaves.push(leaf(text, reader.body()));
            Ok(text)
        }
        Kind::Array if !reader.is_deep() => {
            reader.array(|reader, _| walk(reader, leaves).map(drop))
        }
        Kind::Object if !reader.is_deep() => fields(reader, leaves),
        _ => reader.value(),
    }
}

fn fields(reader: &mut Reader<'_>, leaves: &mut Vec<Leaf>) -> Result<Span, AdapterError> {
    const NAMES: &[&str] = &["data", "media_type", "mime_type", "mimeType"];
    let (mut data, mut media_type) = (None, None);
    let span = reader.object(NAMES, |reader, name| {
        match name {
            "data" if reader.kind()? == Kind::Text => data = Some(reader.value()?),
            "media_type" | "mime_type" | "mimeType" if reader.kind()? == Kind::Text => {
                media_type = Some(reader.value()?);
            }
            _ => drop(walk(reader, leaves)?),
        }
        Ok(())
    })?;
    let body = reader.body();
    if let Some(text) = data {
        leaves.push(match media_type {
            Some(kind) => {
                let kind = MediaKind::of_type(&kind.text(body).decode());
                let media = Some(media::of_data(Media::new(kind), text, body));
                Leaf { text, media }
            }
            None => leaf(text, body),
        });
    }
    Ok(span)
}

fn leaf(text: Span, body: &[u8]) -> Leaf {
    let media = media::of_url(text, body);
    Leaf { text, media }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(result: &str) -> Vec<String> {
        let body = format!("fx{result}");
        let id = Span::raw(1, 2);
        let name = Span::raw(0, 1);
        let mut shown = Vec::new();
        let mut reader = Reader::new(body.as_bytes());
        let value = Span::raw(2, body.len());
        reader
            .within(value, "", |reader| {
                result_leaves(reader, id, name, &mut |entry| {
                    let text = |span: Span| span.text(body.as_bytes()).decode();
                    shown.push(match entry {
                        Entry::Result { id, name, content } => {
                            format!("{}{}>{}", text(name), text(id), text(content))
                        }
                        Entry::Opaque(between) => text(between).into_owned(),
                        Entry::Media(media) => format!("{:?}", media.kind),
                        other => panic!("{other:?}"),
                    });
                })
            })
            .unwrap();
        shown
    }

    #[test]
    fn each_text_stands_for_itself_and_nothing_between_them_is_lost() {
        for (result, expected) in [
            (r#""a\nb""#, &["fx>a\nb"][..]),
            (
                r#"{"out":"a", "n":[1,2]}"#,
                &["{\"out\":", "fx>a", ", \"n\":[1,2]}"],
            ),
            (
                r#"["a" "b"]"#.replace("\" \"", "\",\"").as_str(),
                &["[", "fx>a", ",", ">b", "]"],
            ),
            ("{}", &["fx>", "{}"]),
            ("[1e3,null]", &["fx>", "[1e3,null]"]),
            (
                r#"{"data":"AAAA","is":"b","mimeType":"image/png"}"#,
                &[
                    "{\"data\":",
                    "Image",
                    ",\"is\":",
                    "fx>b",
                    ",\"mimeType\":\"image/png\"}",
                ],
            ),
            (
                r#"["data:image/png;base64,AAAA"]"#,
                &["fx>", "[", "Image", "]"],
            ),
            (r#"{"data":"AAAA"}"#, &["{\"data\":", "fx>AAAA", "}"]),
        ] {
            assert_eq!(shown(result), expected, "{result}");
        }
    }
}
