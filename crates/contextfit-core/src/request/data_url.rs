//! Learning something of media from the start of their data, without reading all of it.

use std::time::Duration;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{MediaKind, PixelSize};

/// Data in base64, and what they are said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Data<'a> {
    /// The media type, such as `image/png`; empty where nothing says it.
    media_type: &'a str,
    base64: &'a str,
}

/// A media type and what goes along with it are no longer than this, in bytes.
const LONGEST_HEADER: usize = 256;
/// Bytes decoded to find the size of an image: enough for any but a JPEG, then for a JPEG without a
/// thumbnail, then for most with one.
const PREFIXES: [usize; 3] = [48, 3 * 1024, 48 * 1024];
/// Bytes of the header of a WAV file that say how many bytes a second has.
const WAV_HEADER: usize = 48;

impl<'a> Data<'a> {
    pub(crate) const fn new(media_type: &'a str, base64: &'a str) -> Self {
        Self { media_type, base64 }
    }

    /// The data in a `data:` URL. `None` for any other URL, and for data that aren't in base64.
    pub(crate) fn of_url(url: &'a str) -> Option<Self> {
        let rest = url.strip_prefix("data:")?;
        let comma = rest
            .bytes()
            .take(LONGEST_HEADER)
            .position(|byte| byte == b',')?;
        let (header, base64) = (&rest[..comma], &rest[comma + 1..]);
        let (media_type, _) = header.split_once(';').unwrap_or((header, ""));
        let is_base64 = header.ends_with(";base64");
        is_base64.then_some(Self { media_type, base64 })
    }

    /// What they are, by what they are said to be.
    pub(crate) fn kind(self) -> MediaKind {
        MediaKind::of_type(self.media_type)
    }

    /// How many bytes they are, to within the padding.
    pub(crate) const fn bytes(self) -> u64 {
        self.base64.len() as u64 / 4 * 3
    }

    /// The size of an image. `None` where it doesn't stand at its start, or isn't one.
    pub(crate) fn pixel_size(self) -> Option<PixelSize> {
        for length in PREFIXES {
            let start = self.start(length)?;
            if let Ok(size) = imagesize::blob_size(&start) {
                return Some(PixelSize {
                    width: u32::try_from(size.width).ok()?,
                    height: u32::try_from(size.height).ok()?,
                });
            }
            let is_jpeg = start.starts_with(b"\xFF\xD8");
            if !is_jpeg || start.len() < length {
                return None;
            }
        }
        None
    }

    /// How long a WAV file lasts. `None` for any other sound: its length isn't at its start.
    pub(crate) fn wav_duration(self) -> Option<Duration> {
        let start = self.start(WAV_HEADER)?;
        let is_wav = start.starts_with(b"RIFF") && start.get(8..16)? == b"WAVEfmt ";
        let per_second = u32::from_le_bytes(start.get(28..32)?.try_into().ok()?);
        if !is_wav || per_second == 0 {
            return None;
        }
        let millis = self.bytes().saturating_mul(1_000) / u64::from(per_second);
        Some(Duration::from_millis(millis))
    }

    /// The first bytes, or all if there are fewer.
    fn start(self, bytes: usize) -> Option<Vec<u8>> {
        let base64 = self.base64.as_bytes();
        let base64 = base64.get(..bytes / 3 * 4).unwrap_or(base64);
        let mut start = vec![0; base64.len().div_ceil(4) * 3];
        let length = LENIENT.decode_slice(base64, &mut start).ok()?;
        start.truncate(length);
        Some(start)
    }
}

/// Takes what is cut off, or not padded.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(media_type: &str, bytes: &[u8]) -> String {
        // The core has no use for an encoder that allocates.
        let mut base64 = vec![0; bytes.len().div_ceil(3) * 4];
        let length = LENIENT.encode_slice(bytes, &mut base64).unwrap();
        base64.truncate(length);
        format!(
            "data:{media_type};base64,{}",
            String::from_utf8(base64).unwrap()
        )
    }

    fn size(bytes: &[u8]) -> Option<(u32, u32)> {
        let url = url("image/any", bytes);
        let size = Data::of_url(&url).unwrap().pixel_size()?;
        Some((size.width, size.height))
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend(width.to_be_bytes());
        png.extend(height.to_be_bytes());
        png.extend([8, 2, 0, 0, 0]);
        png.resize(1_000, 7);
        png
    }

    /// A JPEG whose size stands behind so many bytes of other things.
    fn jpeg(width: u16, height: u16, before: usize) -> Vec<u8> {
        let mut jpeg = b"\xFF\xD8".to_vec();
        let mut left = before;
        while left > 0 {
            let length = left.min(60_000);
            jpeg.extend(b"\xFF\xE1");
            jpeg.extend(u16::try_from(length + 2).unwrap().to_be_bytes());
            jpeg.extend(vec![7; length]);
            left -= length;
        }
        jpeg.extend(b"\xFF\xC0\0\x11\x08");
        jpeg.extend(height.to_be_bytes());
        jpeg.extend(width.to_be_bytes());
        jpeg.resize(jpeg.len() + 1_000, 3);
        jpeg
    }

    fn gif(width: u16, height: u16) -> Vec<u8> {
        let mut gif = b"GIF89a".to_vec();
        gif.extend(width.to_le_bytes());
        gif.extend(height.to_le_bytes());
        gif.resize(100, 0);
        gif
    }

    fn webp(width: u16, height: u16) -> Vec<u8> {
        let mut webp = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0".to_vec();
        for side in [width, height] {
            webp.extend(&(u32::from(side) - 1).to_le_bytes()[..3]);
        }
        webp.resize(100, 0);
        webp
    }

    fn wav(per_second: u32, length: usize) -> Vec<u8> {
        let mut wav = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0".to_vec();
        wav.extend(per_second.to_le_bytes());
        wav.resize(length, 0);
        wav
    }

    #[test]
    fn the_size_of_an_image_is_read_from_its_start() {
        assert_eq!(size(&png(1_920, 1_080)), Some((1_920, 1_080)));
        assert_eq!(size(&gif(320, 200)), Some((320, 200)));
        assert_eq!(size(&webp(640, 480)), Some((640, 480)));
        for before in [0, 14, 100, 4_000, 40_000] {
            assert_eq!(size(&jpeg(4_032, 3_024, before)), Some((4_032, 3_024)));
        }
    }

    #[test]
    fn the_size_of_an_image_is_not_sought_far_inside() {
        assert_eq!(size(&jpeg(4_032, 3_024, 100_000)), None);
    }

    #[test]
    fn what_is_no_image_has_no_size() {
        for bytes in [
            &b""[..],
            b"\xFF\xD8",
            b"\x89PNG",
            b"plain text",
            &[0; 1_000],
        ] {
            assert_eq!(size(bytes), None, "{bytes:?}");
        }
        for base64 in ["", "!", "ä", "iVBORw0KGgo", "////", "/9j/4AAQSk ZJRg"] {
            assert_eq!(Data::new("image/png", base64).pixel_size(), None);
        }
    }

    #[test]
    fn a_wav_lasts_as_long_as_its_bytes() {
        let second = url("audio/wav", &wav(32_000, 32_000));
        let lasts = Data::of_url(&second).unwrap().wav_duration();
        assert_eq!(lasts, Some(Duration::from_secs(1)));
        for bytes in [&wav(0, 1_000)[..], b"ID3", b"RIFF", &webp(640, 480)] {
            let url = url("audio/mp3", bytes);
            assert_eq!(Data::of_url(&url).unwrap().wav_duration(), None);
        }
    }

    #[test]
    fn only_data_in_base64_are_data() {
        for url in [
            "",
            "data:",
            "https://example.org/a,b",
            "data:text/plain,a",
            "data:;base64",
        ] {
            assert_eq!(Data::of_url(url), None, "{url}");
        }
        let far = format!("data:image/png;{};base64,AAAA", "a=b;".repeat(100));
        assert_eq!(Data::of_url(&far), None);
        let data = Data::of_url("data:image/png;name=a.png;base64,AAAAAAAA");
        assert_eq!(data, Some(Data::new("image/png", "AAAAAAAA")));
        assert_eq!(data.map(Data::bytes), Some(6));
    }

    #[test]
    fn the_media_type_says_what_it_is() {
        for (media_type, kind) in [
            ("image/png", MediaKind::Image),
            ("audio/wav", MediaKind::Audio),
            ("application/pdf", MediaKind::File),
            ("", MediaKind::File),
        ] {
            assert_eq!(Data::new(media_type, "").kind(), kind);
        }
    }

    proptest! {
        #[test]
        fn no_data_panic(base64 in "[A-Za-z0-9+/=é ]{0,200}", url in "(data:|[;,/a-z]|base64){0,20}") {
            let data = Data::new("image/jpeg", &base64);
            let _ = (data.pixel_size(), data.wav_duration(), Data::of_url(&url));
        }

        #[test]
        fn no_bytes_of_an_image_panic(
            start in prop_oneof![Just(png(1, 1)), Just(jpeg(1, 1, 9)), Just(gif(1, 1)), Just(webp(1, 1))],
            at in 2..60_usize, wrong in any::<[u8; 4]>(), length in 0..200_usize,
        ) {
            let mut bytes = start;
            bytes.truncate(length);
            for (byte, wrong) in bytes.iter_mut().skip(at).zip(wrong) {
                *byte = wrong;
            }
            size(&bytes);
        }
    }
}
