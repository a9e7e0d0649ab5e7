/// What a byte is, as far as tokenizers care.
///
/// Of text that isn't ASCII, the first byte of a character tells its script, or how the second one
/// does. So bytes inside a character are told apart by their value: `X80` is the byte `0x80`, `X82`
/// is `0x82` and those up to the next class.
#[derive(Clone, Copy)]
pub(super) enum Class {
    Vowel,
    Consonant,
    /// `j`, `q`, `x` and `z`.
    Rare,
    Upper,
    /// `A`, which is what base64 makes of zeros.
    UpperA,
    Digit,
    Space,
    Newline,
    Return,
    Tab,
    Control,
    /// The classes of punctuation.
    Quote,
    Open,
    Close,
    Point,
    Comma,
    Colon,
    Slash,
    Backslash,
    Dash,
    Underscore,
    Line,
    Operator,
    /// Bytes inside a character.
    X80,
    X81,
    X82,
    X84,
    X88,
    X8A,
    X8E,
    X90,
    X92,
    X94,
    X96,
    X98,
    X9A,
    X9C,
    X9D,
    X9E,
    X9F,
    XA0,
    XA2,
    XA4,
    XA6,
    XA8,
    XAA,
    XAC,
    XAE,
    XB0,
    XB2,
    XB4,
    XB6,
    XB8,
    XBA,
    XBC,
    XBD,
    /// First bytes.
    Sign,
    Latin,
    Greek,
    Cyrillic,
    CyrillicMore,
    Armenian,
    Hebrew,
    Arabic,
    ArabicMore,
    OtherTwo,
    E0,
    E1,
    E2,
    E3,
    HanE4,
    Han,
    HanE7,
    HanE8,
    HanE9,
    EA,
    Hangul,
    EF,
    F0,
    Other,
}

/// How many classes there are; a power of two, so that a row of transitions is found by a shift.
pub(super) const CLASSES: usize = 128;

/// The class of every byte.
pub(super) static CLASS: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = Class::of(byte as u8) as u8;
        byte += 1;
    }
    classes
};

impl Class {
    /// All classes, each at its number.
    pub(super) const ALL: [Self; CLASSES] = {
        let mut all = [Self::Control; CLASSES];
        let mut byte = 0;
        while byte < 256 {
            let class = Self::of(byte as u8);
            all[class as usize] = class;
            byte += 1;
        }
        all
    };

    const fn of(byte: u8) -> Self {
        match byte {
            b'a' | b'e' | b'i' | b'o' | b'u' | b'y' => Self::Vowel,
            b'j' | b'q' | b'x' | b'z' => Self::Rare,
            b'b'..=b'w' => Self::Consonant,
            b'A' => Self::UpperA,
            b'B'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Digit,
            b' ' => Self::Space,
            b'\n' => Self::Newline,
            b'\r' => Self::Return,
            b'\t' => Self::Tab,
            b'"' | b'\'' | b'`' => Self::Quote,
            b'(' | b'[' | b'{' | b'<' => Self::Open,
            b')' | b']' | b'}' | b'>' => Self::Close,
            b'.' => Self::Point,
            b',' => Self::Comma,
            b':' | b';' | b'!' | b'?' => Self::Colon,
            b'/' => Self::Slash,
            b'\\' => Self::Backslash,
            b'-' => Self::Dash,
            b'_' => Self::Underscore,
            b'=' | b'*' | b'#' | b'~' | b'%' | b'+' => Self::Line,
            b'!'..=b'~' => Self::Operator,
            0..=0x7F => Self::Control,
            0x80 => Self::X80,
            0x81 => Self::X81,
            ..=0x83 => Self::X82,
            ..=0x87 => Self::X84,
            ..=0x89 => Self::X88,
            ..=0x8D => Self::X8A,
            ..=0x8F => Self::X8E,
            ..=0x91 => Self::X90,
            ..=0x93 => Self::X92,
            ..=0x95 => Self::X94,
            ..=0x97 => Self::X96,
            ..=0x99 => Self::X98,
            ..=0x9B => Self::X9A,
            0x9C => Self::X9C,
            0x9D => Self::X9D,
            0x9E => Self::X9E,
            0x9F => Self::X9F,
            ..=0xA1 => Self::XA0,
            ..=0xA3 => Self::XA2,
            ..=0xA5 => Self::XA4,
            ..=0xA7 => Self::XA6,
            ..=0xA9 => Self::XA8,
            ..=0xAB => Self::XAA,
            ..=0xAD => Self::XAC,
            ..=0xAF => Self::XAE,
            ..=0xB1 => Self::XB0,
            ..=0xB3 => Self::XB2,
            ..=0xB5 => Self::XB4,
            ..=0xB7 => Self::XB6,
            ..=0xB9 => Self::XB8,
            ..=0xBB => Self::XBA,
            0xBC => Self::XBC,
            ..=0xBF => Self::XBD,
            0xC2 => Self::Sign,
            0xC3..=0xC9 => Self::Latin,
            0xCE..=0xCF => Self::Greek,
            0xD0..=0xD1 => Self::Cyrillic,
            0xD2..=0xD3 => Self::CyrillicMore,
            0xD4..=0xD5 => Self::Armenian,
            0xD6..=0xD7 => Self::Hebrew,
            0xD8..=0xD9 => Self::Arabic,
            0xDA..=0xDB => Self::ArabicMore,
            ..=0xDF => Self::OtherTwo,
            0xE0 => Self::E0,
            0xE1 => Self::E1,
            0xE2 => Self::E2,
            0xE3 => Self::E3,
            0xE4 => Self::HanE4,
            0xE5..=0xE6 => Self::Han,
            0xE7 => Self::HanE7,
            0xE8 => Self::HanE8,
            0xE9 => Self::HanE9,
            0xEA => Self::EA,
            0xEB..=0xED => Self::Hangul,
            0xEF => Self::EF,
            0xF0 => Self::F0,
            _ => Self::Other,
        }
    }

    /// Whether it is a byte inside a character.
    pub(super) const fn is_inside(self) -> bool {
        let class = self as u8;
        Self::X80 as u8 <= class && class <= Self::XBD as u8
    }
}
