use super::{Estimator, TokenCount};
use crate::request::{Piece, Role, Str};

/// No text is clipped to fewer tokens than these: less than a marker and a line or two says
/// nothing.
pub const LEAST_CLIP: u64 = 64;

/// Whether a piece in a message of this role may be clipped. Nothing the model wrote is.
pub(crate) const fn is_clippable(role: Role, piece: &Piece<'_>) -> bool {
    match role {
        Role::Tool => matches!(piece, Piece::ToolResult { .. }),
        Role::User => matches!(piece, Piece::Text(_)),
        Role::System | Role::Developer | Role::Assistant => false,
    }
}

/// Tokens of the text in a piece that costs `count`, if there are enough of them to clip; else 0.
pub(super) fn clippable_text<E>(
    estimator: &E,
    role: Role,
    piece: &Piece<'_>,
    count: TokenCount,
) -> u64
where
    E: Estimator + ?Sized,
{
    // Most pieces are too short as a whole, and need no closer look.
    if count.floor() <= LEAST_CLIP || !is_clippable(role, piece) {
        return 0;
    }
    let text = count.saturating_sub(beside_text(estimator, piece)).floor();
    if text > LEAST_CLIP { text } else { 0 }
}

/// What a result costs beside its content: it names its call.
fn beside_text<E: Estimator + ?Sized>(estimator: &E, piece: &Piece<'_>) -> TokenCount {
    match *piece {
        Piece::ToolResult { call_id, name, .. } => {
            let content = Str::plain("");
            estimator.count(Piece::ToolResult {
                call_id,
                name,
                content,
            })
        }
        _ => TokenCount::ZERO,
    }
}
