//! Values that nobody here understands: what they say is counted, and they are sent along.

use contextfit_core::request::{AdapterError, Media, MediaKind};

use super::index::Entry;
use super::json::{Kind, Reader, Span};
use super::media;

/// Shows every text in the value that comes next. Data in base64 are media, whatever they are
/// for.
pub(super) fn leaves(
    reader: &mut Reader<'_>,
    visit: &mut dyn FnMut(Entry),
) -> Result<(), AdapterError> {
    placed_leaves(reader, &mut |_, entry| visit(entry)).map(drop)
}

/// The same, with where each stands, and where the value does. They may come out of order.
pub(super) fn placed_leaves(
    reader: &mut Reader<'_>,
    visit: &mut dyn FnMut(Span, Entry),
) -> Result<Span, AdapterError> {
    match reader.kind()? {
        Kind::Array if !reader.is_deep() => {
            reader.array(|reader, _| placed_leaves(reader, visit).map(drop))
        }
        Kind::Object if !reader.is_deep() => fields(reader, visit),
        kind => {
            let value = reader.value()?;
            match kind {
                Kind::Text => visit(value, opaque(value, reader.body())),
                Kind::Array | Kind::Object => visit(value, Entry::Opaque(value)),
                Kind::Null | Kind::Number | Kind::Bool => {}
            }
            Ok(value)
        }
    }
}

fn fields(
    reader: &mut Reader<'_>,
    visit: &mut dyn FnMut(Span, Entry),
) -> Result<Span, AdapterError> {
    const NAMES: &[&str] = &["type", "data", "media_type", "mime_type", "mimeType"];
    let (mut kind, mut data, mut media_type) = (None, None, None);
    let span = reader.object(NAMES, |reader, name| {
        if name.is_empty() || reader.kind()? != Kind::Text {
            return placed_leaves(reader, visit).map(drop);
        }
        let text = reader.value()?;
        match name {
            "type" => kind = Some(text),
            "data" => data = Some(text),
            _ => media_type = Some(text),
        }
        Ok(())
    })?;
    let body = reader.body();
    let is_base64 = kind.is_some_and(|kind| kind.text(body).decode() == "base64");
    match (data, media_type) {
        (Some(data), media_type) if is_base64 || media_type.is_some() => {
            let kind = media_type.map_or(MediaKind::File, |kind| {
                MediaKind::of_type(&kind.text(body).decode())
            });
            visit(data, media::of_data(Media::new(kind), data, body));
        }
        // What it is, but for that, isn't said.
        (data, media_type) => {
            for text in [data, media_type].into_iter().flatten() {
                visit(text, opaque(text, body));
            }
        }
    }
    Ok(span)
}

/// A text that nobody here understands.
pub(super) fn opaque(text: Span, body: &str) -> Entry {
    media::of_url(text, body).unwrap_or(Entry::Opaque(text))
}
