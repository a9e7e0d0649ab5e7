//! What is sent beside the messages, read alike for all formats.

use contextfit_core::request::AdapterError;

use super::index::{Entry, Index};
use super::json::{Kind, Reader, Span};

/// The model.
pub(super) fn model(reader: &mut Reader<'_>) -> Result<Option<String>, AdapterError> {
    let name = reader.optional_text()?;
    Ok(name.map(|name| name.text(reader.body()).decode().into_owned()))
}

/// A list of schemas, each for itself. There may be none.
pub(super) fn schemas(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    if reader.is_null()? {
        return Ok(());
    }
    reader.array(|reader, _| schema(reader, index)).map(drop)
}

/// A schema, as it is written.
pub(super) fn schema(reader: &mut Reader<'_>, index: &mut Index) -> Result<(), AdapterError> {
    let is_null = reader.kind()? == Kind::Null;
    let schema = reader.value()?;
    if !is_null {
        index.fixed.push(Entry::Schema(schema));
    }
    Ok(())
}

/// How much may be thought, as Claude is told it: a part of the output, and less than all of it.
pub(super) fn thought(reader: &mut Reader<'_>) -> Result<Option<(u32, Span)>, AdapterError> {
    let mut thought = None;
    reader.object(&["budget_tokens"], |reader, name| {
        match name {
            "budget_tokens" => thought = reader.tokens()?,
            _ => {
                reader.value()?;
            }
        }
        Ok(())
    })?;
    Ok(thought)
}
