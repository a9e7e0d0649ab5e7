use super::{Estimator, TokenCount};
use crate::request::{Piece, Role, Str};

/// No text is clipped to fewer tokens than these: less than a marker and a line or two says
/// nothing.
pub const LEAST_CLIP: u64 = 64;

/// Whether a piece in a message of this role may be clipped. Nothing the model wrote is.
pub(crate) const fn is_clippable(role: Role, piece: &Piece<'_>) -> bool {
    BesideText::of(role, piece).is_some()
}

/// What stands in a piece beside the text of it that may be clipped.
#[derive(Clone, Copy)]
pub(super) enum BesideText<'a> {
    Nothing,
    /// A result names its call.
    Call {
        call_id: Str<'a>,
        name: Str<'a>,
    },
}

impl<'a> BesideText<'a> {
    /// `None` if no text of the piece may be clipped in a message of this role.
    pub(super) const fn of(role: Role, piece: &Piece<'a>) -> Option<Self> {
        match (role, *piece) {
            // The user may add to the results of tools.
            (Role::Tool | Role::User, Piece::ToolResult { call_id, name, .. }) => {
                Some(Self::Call { call_id, name })
            }
            (Role::User, Piece::Text(_)) => Some(Self::Nothing),
            _ => None,
        }
    }

    /// Tokens of the text in a piece that costs `count`, if there are enough of them to clip;
    /// else 0.
    pub(super) fn text_tokens<E>(self, estimator: &E, count: TokenCount) -> u64
    where
        E: Estimator + ?Sized,
    {
        // Most pieces are too short as a whole, and need no closer look.
        if count.floor() <= LEAST_CLIP {
            return 0;
        }
        let beside = match self {
            Self::Nothing => TokenCount::ZERO,
            Self::Call { call_id, name } => estimator.count(Piece::ToolResult {
                call_id,
                name,
                content: Str::plain(""),
            }),
        };
        let text = count.saturating_sub(beside).floor();
        if text > LEAST_CLIP { text } else { 0 }
    }
}
