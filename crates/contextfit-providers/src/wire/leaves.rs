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
    match reader.kind()? {
        Kind::Text => visit(opaque(reader.value()?, reader.body())),
        Kind::Array if !reader.is_deep() => {
            reader.array(|reader, _| leaves(reader, visit))?;
        }
        Kind::Object if !reader.is_deep() => fields(reader, visit)?,
        Kind::Array | Kind::Object => visit(Entry::Opaque(reader.value()?)),
        Kind::Null | Kind::Number | Kind::Bool => {
            reader.value()?;
        }
    }
    Ok(())
}

fn fields(reader: &mut Reader<'_>, visit: &mut dyn FnMut(Entry)) -> Result<(), AdapterError> {
    const NAMES: &[&str] = &["type", "data", "media_type", "mime_type", "mimeType"];
    let (mut kind, mut data, mut media_type) = (None, None, None);
    reader.object(NAMES, |reader, name| {
        if name.is_empty() || reader.kind()? != Kind::Text {
            return leaves(reader, visit);
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
    let is_base64 = kind.is_some_and(|kind| kind.written(body) == "base64");
    match (data, media_type) {
        (Some(data), media_type) if is_base64 || media_type.is_some() => {
            let kind = media_type.map_or(MediaKind::File, |kind| {
                MediaKind::of_type(&kind.text(body).decode())
            });
            visit(media::of_data(Media::new(kind), data, body));
        }
        // What it is, but for that, isn't said.
        (data, media_type) => {
            for text in [data, media_type].into_iter().flatten() {
                visit(opaque(text, body));
            }
        }
    }
    Ok(())
}

/// A text that nobody here understands.
pub(super) fn opaque(text: Span, body: &[u8]) -> Entry {
    media::of_url(text, body).unwrap_or(Entry::Opaque(text))
}
