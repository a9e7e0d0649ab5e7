use serde_json::Value;

use super::data_url::Data;
use super::{Media, Piece, Str};

impl<'a> Piece<'a> {
    /// A text in a field that nobody here knows. Data in base64 are media, whatever they are for.
    #[must_use]
    pub fn of_unknown(text: &'a str) -> Self {
        match Media::of_data_url(text) {
            Some(media) => Self::Media(media),
            None => Self::Opaque(Str::plain(text)),
        }
    }

    /// Shows what is said anywhere in a value that nobody here understands, and what is sent along:
    /// the one way to count a part of a message of a kind that is made up later. What names the
    /// kind isn't said.
    ///
    /// ```
    /// use contextfit_core::request::Piece;
    ///
    /// let part = serde_json::json!({"type": "new", "found": ["one", {"more": "two"}]});
    /// let mut said = Vec::new();
    /// Piece::each_unknown(&part, &mut |piece| said.push(piece));
    /// assert_eq!(said, ["one", "two"].map(|text| Piece::Opaque(text.into())));
    /// ```
    pub fn each_unknown(value: &'a Value, visit: &mut dyn FnMut(Self)) {
        match value {
            Value::String(text) => visit(Self::of_unknown(text)),
            Value::Array(values) => {
                for value in values {
                    Self::each_unknown(value, visit);
                }
            }
            Value::Object(fields) => {
                let text = |field| fields.get(field)?.as_str();
                if text("type") == Some("base64")
                    && let Some(data) = text("data")
                {
                    let media_type = text("media_type").or_else(|| text("format"));
                    let data = Data::new(media_type.unwrap_or_default(), data);
                    visit(Self::Media(Media::new(data.kind()).told_by(data)));
                    return;
                }
                for (_, value) in fields.iter().filter(|(field, _)| *field != "type") {
                    Self::each_unknown(value, visit);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
