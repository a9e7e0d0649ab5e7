//! Messages that are a role and blocks, as Anthropic has them, and Bedrock after it.

use contextfit_core::request::{AdapterError, Role};

use super::index::{Entry, Index, Tie};
use super::json::{Reader, Span};

/// The blocks of a content, and what they say.
pub(super) struct Blocks<'a> {
    pub(super) entries: &'a mut Vec<Entry>,
    ties: Option<&'a mut Vec<Tie>>,
    /// How many blocks are results of the user's tools.
    pub(super) results: usize,
    /// How many blocks say anything else.
    pub(super) others: usize,
    /// Whether the first block is what the model thought, and has to stay the first.
    pub(super) begins_with_thoughts: bool,
}

impl<'a> Blocks<'a> {
    /// Blocks where no calls are made: beside the messages.
    pub(super) const fn beside(entries: &'a mut Vec<Entry>) -> Self {
        Self {
            entries,
            ties: None,
            results: 0,
            others: 0,
            begins_with_thoughts: false,
        }
    }

    const fn of_message(index: &'a mut Index) -> Self {
        Self {
            ties: Some(&mut index.ties),
            ..Self::beside(&mut index.pieces)
        }
    }

    /// Blocks within a block, where no calls are made either.
    pub(super) const fn inner(&mut self) -> Blocks<'_> {
        Blocks::beside(self.entries)
    }

    pub(super) fn tie(&mut self, tie: Tie) {
        if let Some(ties) = &mut self.ties {
            ties.push(tie);
        }
    }

    /// Says what a block is about before what is in it.
    pub(super) fn about(&mut self, start: usize, texts: impl IntoIterator<Item = Option<Span>>) {
        let texts = texts.into_iter().flatten().map(Entry::Opaque);
        self.entries.splice(start..start, texts);
    }

    /// Ends a block. None goes unseen, or a message would seem to be made of the others alone.
    pub(super) fn end_block(&mut self, start: usize) {
        if self.entries.len() == start {
            self.entries.push(Entry::Opaque(Span::EMPTY));
        }
    }
}

/// A message: `roles` knows its role by the word for it, and `read` its content.
pub(super) fn message(
    reader: &mut Reader<'_>,
    index: &mut Index,
    roles: fn(&str) -> Option<Role>,
    read: fn(&mut Blocks<'_>, &mut Reader<'_>) -> Result<Span, AdapterError>,
) -> Result<(), AdapterError> {
    let (mut role, mut content) = (None, None);
    let (mut is_plain, mut is_answer, mut begins_with_thoughts) = (true, false, false);
    let span = reader.object(&["role", "content"], |reader, name| {
        match name {
            "role" => {
                let word = reader.word()?;
                let known = roles(&word);
                role = Some(known.ok_or_else(|| reader.wrong(format!("`{word}` is no role")))?);
            }
            "content" => {
                let mut blocks = Blocks::of_message(index);
                content = Some(read(&mut blocks, reader)?);
                is_answer = blocks.results > 0 && blocks.others == 0;
                begins_with_thoughts = blocks.begins_with_thoughts;
            }
            _ => {
                is_plain = false;
                reader.value()?;
            }
        }
        Ok(())
    })?;
    let role = match role {
        // Results are told by the user, and are nobody's words.
        Some(Role::User) if is_answer => Role::Tool,
        Some(role) => role,
        None => return Err(reader.missing("role")),
    };
    if content.is_none() {
        return Err(reader.missing("content"));
    }
    let said = content.filter(|_| !begins_with_thoughts);
    index.end_message(role, span, said);
    index.last_has_more(!is_plain);
    Ok(())
}
