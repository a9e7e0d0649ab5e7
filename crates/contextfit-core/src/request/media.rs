use std::time::Duration;

use super::Str;
use super::data_url::Data;

/// Something in a message that is not text.
///
/// Its cost depends on what it is and how large, never on the length of its encoding. An adapter
/// fills in what it can learn cheaply; whatever isn't known stays open, and an estimator has a
/// default for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Media<'a> {
    /// What it is.
    pub kind: MediaKind,
    /// What stands for it in a transcript: a name or a link, never the data.
    pub label: Str<'a>,
    /// How large an image is, where that is known.
    pub size: Option<PixelSize>,
    /// How closely the model is to look at an image.
    pub detail: Detail,
    /// How long a sound lasts, or a file that is a video, where that is known.
    pub duration: Option<Duration>,
    /// How many pages a file has, where that is known.
    pub pages: Option<u32>,
    /// How many bytes it has once decoded, where that is known.
    pub bytes: Option<u64>,
}

impl<'a> Media<'a> {
    /// Media of a kind, of which nothing else is known.
    #[must_use]
    pub const fn new(kind: MediaKind) -> Self {
        Self {
            kind,
            label: Str::plain(""),
            size: None,
            detail: Detail::Auto,
            duration: None,
            pages: None,
            bytes: None,
        }
    }

    /// Media that come in a `data:` URL with base64, with what the first bytes tell of them.
    /// `None` for any other URL.
    ///
    /// ```
    /// use contextfit_core::request::{Media, MediaKind};
    ///
    /// let sound = Media::of_data_url("data:audio/mpeg;base64,SUQzBAAA");
    /// assert_eq!(sound, Some(Media::new(MediaKind::Audio).bytes(6)));
    /// assert_eq!(Media::of_data_url("https://example.com/a.png"), None);
    /// ```
    #[must_use]
    pub fn of_data_url(url: &str) -> Option<Self> {
        let data = Data::of_url(url)?;
        Some(Self::new(data.kind()).told_by(data))
    }

    /// Fills in what the first bytes of its data, in base64, tell: how large an image is, how
    /// long a sound lasts; and how many bytes there are.
    #[must_use]
    pub fn base64(self, data: &str) -> Self {
        self.told_by(Data::new("", data))
    }

    /// Fills in the same where a URL has the data in itself, in base64. Any other URL tells nothing.
    #[must_use]
    pub fn data_url(self, url: &str) -> Self {
        match Data::of_url(url) {
            Some(data) => self.told_by(data),
            None => self,
        }
    }

    pub(crate) fn told_by(self, data: Data<'_>) -> Self {
        let media = self.bytes(data.bytes());
        match media.kind {
            MediaKind::Image => match data.pixel_size() {
                Some(size) => media.size(size.width, size.height),
                None => media,
            },
            MediaKind::Audio => match data.wav_duration() {
                Some(duration) => media.duration(duration),
                None => media,
            },
            MediaKind::File | MediaKind::Sealed => media,
        }
    }

    /// Gives it a name for transcripts.
    #[must_use]
    pub const fn label(mut self, label: Str<'a>) -> Self {
        self.label = label;
        self
    }

    /// Says how large an image is, in pixels.
    #[must_use]
    pub const fn size(mut self, width: u32, height: u32) -> Self {
        self.size = Some(PixelSize { width, height });
        self
    }

    /// Says how closely the model is to look at an image.
    #[must_use]
    pub const fn detail(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// Says how long it lasts.
    #[must_use]
    pub const fn duration(mut self, duration: Duration) -> Self {
        self.duration = Some(duration);
        self
    }

    /// Says how many pages it has.
    #[must_use]
    pub const fn pages(mut self, pages: u32) -> Self {
        self.pages = Some(pages);
        self
    }

    /// Says how many bytes it has once decoded.
    #[must_use]
    pub const fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }
}

/// The kinds of [`Media`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A document or any other file.
    File,
    /// What the model thought, or a provider's own summary, in a form that only the provider can
    /// read.
    Sealed,
}

impl MediaKind {
    /// The kind of a media type, such as `image/png`.
    #[must_use]
    pub fn of_type(media_type: &str) -> Self {
        match media_type.split('/').next() {
            Some("image") => Self::Image,
            Some("audio") => Self::Audio,
            _ => Self::File,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::File => "file",
            Self::Sealed => "sealed",
        }
    }
}

/// The size of an image, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelSize {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

/// How closely a model is to look at an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Detail {
    /// A glance, at the least cost there is.
    Low,
    /// A close look.
    High,
    /// At the size the image has, as far as the provider allows.
    Original,
    /// As the provider decides: counted as the dearest that it may be.
    #[default]
    Auto,
}

impl PixelSize {
    /// The shorter side and the longer, at least a pixel each.
    pub(crate) fn sides(self) -> (u64, u64) {
        let shorter = self.width.min(self.height).max(1);
        let longer = self.width.max(self.height).max(1);
        (shorter.into(), longer.into())
    }
}
