use std::ops::Range;

use crate::cut::Cut;
use crate::plan::Clip;
use crate::request::{Conversation, Piece, Role, Str};

/// Where an envelope stands: how many messages are before it, and what the first of them says.
///
/// System messages don't count. Many of them hold the time of day, or change as one agent hands over
/// to the next, and a summary that isn't recognised any more would be lost in the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    before: u64,
    task: [u8; 32],
}

impl Place {
    /// The place of message `index`.
    pub fn of<V: Conversation + ?Sized>(view: &V, index: usize) -> Self {
        let mut before = said(view, 0..index);
        let task = before.next();
        Self {
            before: task.map_or(0, |_| 1 + before.count() as u64),
            task: task.map_or([0; 32], |index| digest(view, index, &[])),
        }
    }

    /// The place of the envelope that stands for a cut, once these texts are clipped.
    pub fn after<V: Conversation + ?Sized>(view: &V, cut: &Cut, clips: &[Clip]) -> Self {
        let end = cut.iter().next().unwrap_or(view.len());
        let place = Self::of(view, end);
        let task = said(view, 0..end).next();
        match task.filter(|&task| clips.iter().any(|clip| clip.message == task)) {
            Some(task) => Self {
                task: digest(view, task, clips),
                ..place
            },
            None => place,
        }
    }

    /// That of a later message, without a second look at the first.
    pub(super) fn later<V: Conversation + ?Sized>(
        self,
        view: &V,
        from: usize,
        index: usize,
    ) -> Self {
        match self.before {
            0 => Self::of(view, index),
            _ => Self {
                before: self.before + said(view, from..index).count() as u64,
                ..self
            },
        }
    }

    pub(super) fn hash_into(&self, hasher: &mut blake3::Hasher) {
        hasher.update(&self.before.to_be_bytes());
        hasher.update(&self.task);
    }
}

/// The messages of a range that aren't of the system.
fn said<V>(view: &V, range: Range<usize>) -> impl Iterator<Item = usize>
where
    V: Conversation + ?Sized,
{
    range.filter(|&index| !view.message(index).role.is_fixed())
}

/// A digest of what a message says, with some of its texts clipped. What only marks it, as a mark of
/// the provider's cache does, isn't part of it.
pub(super) fn digest<V>(view: &V, index: usize, clips: &[Clip]) -> [u8; 32]
where
    V: Conversation + ?Sized,
{
    let mut hasher = blake3::Hasher::new();
    let mut text = |kind: u8, text: &[u8]| {
        hasher.update(&[kind]);
        hasher.update(&(text.len() as u64).to_be_bytes());
        hasher.update(text);
    };
    text(
        match view.message(index).role {
            Role::System => b's',
            Role::Developer => b'd',
            Role::User => b'u',
            Role::Assistant => b'a',
            Role::Tool => b't',
        },
        b"",
    );
    let mut number = 0;
    view.pieces(index, &mut |piece| {
        let clip = clips
            .iter()
            .find(|clip| (clip.message, clip.piece) == (index, number));
        number += 1;
        let said = |said: Str<'_>| match clip {
            Some(clip) => clip.text.clone(),
            None => said.decode().into_owned(),
        };
        match piece {
            Piece::Text(words) => text(1, said(words).as_bytes()),
            Piece::Thinking(thought) => text(2, said(thought).as_bytes()),
            Piece::ToolCall {
                name, arguments, ..
            } => {
                text(3, name.decode().as_bytes());
                text(4, arguments.decode().as_bytes());
            }
            Piece::ToolResult { content, .. } => text(5, said(content).as_bytes()),
            Piece::Media(media) => text(6, media.kind.name().as_bytes()),
            Piece::Speaker(_) | Piece::Opaque(_) | Piece::Schema(_) => {}
        }
    });
    *hasher.finalize().as_bytes()
}
