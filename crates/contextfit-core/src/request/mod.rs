//! How a request of any type is seen and edited.
//!
//! Nothing here owns a request. A [`RequestAdapter`] makes a borrowed [`Conversation`] out of
//! one, everything is decided on that view, and the resulting [`Plan`](crate::plan::Plan) is
//! applied once.

mod adapter;
mod conversation;
mod data_url;
mod hints;
mod media;
mod piece;
mod piece_kind;
mod role;
mod text;
mod unknown;

pub use self::adapter::{
    AdapterError, ApplyError, EditConversation, Native, RequestAdapter, WithHints,
};
pub use self::conversation::{Conversation, Link, MessageRef};
pub(crate) use self::data_url::Data;
pub use self::hints::{Hints, Switch};
pub use self::media::{Detail, Media, MediaKind, PixelSize};
pub use self::piece::Piece;
pub use self::piece_kind::PieceKind;
pub use self::role::Role;
pub use self::text::Str;
