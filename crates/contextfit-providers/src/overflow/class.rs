/// What the text of an error says is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// The prompt is longer than the window, or than the part of it that is for prompts.
    InputTooLong,
    /// The prompt and the output asked for are longer than the window, together.
    InputAndOutputTooLong,
    /// More output is asked for than the model can write, whatever the prompt.
    OutputCap,
    /// Too much in a while, or more than is paid for.
    RateOrQuota,
    /// Too many bytes, or characters of a body, of which images are most.
    ByteSize,
    /// Too many of something: messages, tools, images, characters of a name.
    CountLimit,
    /// Anything else.
    #[default]
    Other,
}

impl Class {
    /// Whether a shorter conversation is the cure.
    #[must_use]
    pub const fn is_overflow(self) -> bool {
        matches!(self, Self::InputTooLong | Self::InputAndOutputTooLong)
    }

    /// Its name, as the command line prints it: `input_too_long`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InputTooLong => "input_too_long",
            Self::InputAndOutputTooLong => "input_and_output_too_long",
            Self::OutputCap => "output_cap",
            Self::RateOrQuota => "rate_or_quota",
            Self::ByteSize => "byte_size",
            Self::CountLimit => "count_limit",
            Self::Other => "other",
        }
    }
}
