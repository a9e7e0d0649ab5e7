//! What stands beside text, in tokens.

mod audio;
mod file;
mod image;
mod prompt_format;

pub use self::audio::AudioTokens;
pub use self::file::FileTokens;
pub use self::image::ImageTokens;
pub use self::prompt_format::PromptFormat;
