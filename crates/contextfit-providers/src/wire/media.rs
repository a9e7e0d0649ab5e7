//! What can be told of an image, a sound or a file without reading all of it.

use contextfit_core::request::{AdapterError, Detail, Media, MediaKind};

use super::index::Entry;
use super::json::{Kind, Reader, Span};

/// Media whose data stand in a text, in base64.
pub(super) fn of_data(media: Media<'static>, data: Span, body: &str) -> Entry {
    Entry::Media(Box::new(media.base64(&data.text(body).decode())))
}

/// The media in a `data:` URL; `None` for any other text.
pub(super) fn of_url(text: Span, body: &str) -> Option<Entry> {
    if !text.written(body).starts_with("data:") {
        return None;
    }
    let media = Media::of_data_url(&text.text(body).decode())?;
    Some(Entry::Media(Box::new(media)))
}

/// Reads whatever says what media are, however a provider puts it: a link, a `data:` URL, or an
/// object that has one or the other in a field, at any depth.
pub(super) fn media(
    reader: &mut Reader<'_>,
    kind: MediaKind,
) -> Result<Box<Media<'static>>, AdapterError> {
    let mut found = Found {
        media: Media::new(kind),
        has_data: false,
    };
    found.read(reader)?;
    Ok(Box::new(found.media))
}

struct Found {
    media: Media<'static>,
    has_data: bool,
}

impl Found {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), AdapterError> {
        const NAMES: &[&str] = &["detail", "data", "bytes", "type", "format"];
        match reader.kind()? {
            Kind::Text => {
                let text = reader.value()?;
                self.read_url(&text.text(reader.body()).decode());
            }
            Kind::Object if !reader.is_deep() => {
                reader.object(NAMES, |reader, name| {
                    match (name, reader.kind()?) {
                        ("detail", Kind::Text) => self.read_detail(&reader.word()?),
                        ("data" | "bytes", Kind::Text) => {
                            let data = reader.value()?;
                            let data = data.text(reader.body()).decode();
                            self.media = self.media.base64(&data);
                            self.has_data = true;
                        }
                        ("type" | "format", _) => {
                            reader.value()?;
                        }
                        _ => self.read(reader)?,
                    }
                    Ok(())
                })?;
            }
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    }

    /// The kind stays the one that the part says it is.
    fn read_url(&mut self, url: &str) {
        if !self.has_data {
            self.media = self.media.data_url(url);
            self.has_data = self.media.bytes.is_some();
        }
    }

    fn read_detail(&mut self, word: &str) {
        self.media = self.media.detail(match word {
            "low" => Detail::Low,
            "high" => Detail::High,
            "original" => Detail::Original,
            _ => Detail::Auto,
        });
    }
}
