//! What stands beside text, in tokens: one format a provider, in [`known`], of rules that have a
//! file each.

mod audio;
mod crops;
mod file;
mod image;
mod known;
mod patches;
mod prompt_format;
mod sealed;
mod tiles;

pub use self::audio::AudioTokens;
pub use self::crops::Crops;
pub use self::file::FileTokens;
pub use self::image::ImageTokens;
pub use self::patches::{Bounds, Patches, Shrink};
pub use self::prompt_format::PromptFormat;
pub(super) use self::sealed::sealed;
pub use self::tiles::Tiles;
