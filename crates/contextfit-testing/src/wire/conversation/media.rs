/// A picture of one pixel, as base64 of a PNG.
pub(super) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Where a picture may be fetched.
pub(super) const PICTURE_URL: &str = "https://example.com/a%20picture.png?size=full";

/// The start of a PDF, in base64.
pub(super) const PDF: &str = "JVBERi0xLjQKJcOkw7zDtsOfCg==";

/// A moment of sound, in base64 of a WAV.
pub(super) const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// A signature: opaque to everybody but its provider.
pub(super) const SIGNATURE: &str = "EqoBCkYIARgCKkBx/9wq+0Jk2Zc1mX3=";

/// The picture as a data URL.
pub(super) fn pixel_url() -> String {
    format!("data:image/png;base64,{PIXEL}")
}
