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
    X8a,
    X8e,
    X90,
    X92,
    X94,
    X96,
    X98,
    X9a,
    X9c,
    X9d,
    X9e,
    X9f,
    Xa0,
    Xa2,
    Xa4,
    Xa6,
    Xa8,
    Xaa,
    Xac,
    Xae,
    Xb0,
    Xb2,
    Xb4,
    Xb6,
    Xb8,
    Xba,
    Xbc,
    Xbd,
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
            0x82..=0x83 => Self::X82,
            0x84..=0x87 => Self::X84,
            0x88..=0x89 => Self::X88,
            0x8A..=0x8D => Self::X8a,
            0x8E..=0x8F => Self::X8e,
            0x90..=0x91 => Self::X90,
            0x92..=0x93 => Self::X92,
            0x94..=0x95 => Self::X94,
            0x96..=0x97 => Self::X96,
            0x98..=0x99 => Self::X98,
            0x9A..=0x9B => Self::X9a,
            0x9C => Self::X9c,
            0x9D => Self::X9d,
            0x9E => Self::X9e,
            0x9F => Self::X9f,
            0xA0..=0xA1 => Self::Xa0,
            0xA2..=0xA3 => Self::Xa2,
            0xA4..=0xA5 => Self::Xa4,
            0xA6..=0xA7 => Self::Xa6,
            0xA8..=0xA9 => Self::Xa8,
            0xAA..=0xAB => Self::Xaa,
            0xAC..=0xAD => Self::Xac,
            0xAE..=0xAF => Self::Xae,
            0xB0..=0xB1 => Self::Xb0,
            0xB2..=0xB3 => Self::Xb2,
            0xB4..=0xB5 => Self::Xb4,
            0xB6..=0xB7 => Self::Xb6,
            0xB8..=0xB9 => Self::Xb8,
            0xBA..=0xBB => Self::Xba,
            0xBC => Self::Xbc,
            0xBD..=0xBF => Self::Xbd,
            0xC2 => Self::Sign,
            0xC3..=0xC9 => Self::Latin,
            0xCE..=0xCF => Self::Greek,
            0xD0..=0xD1 => Self::Cyrillic,
            0xD2..=0xD3 => Self::CyrillicMore,
            0xD4..=0xD5 => Self::Armenian,
            0xD6..=0xD7 => Self::Hebrew,
            0xD8..=0xD9 => Self::Arabic,
            0xDA..=0xDB => Self::ArabicMore,
            0xC0..=0xDF => Self::OtherTwo,
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
        Self::X80 as u8 <= class && class <= Self::Xbd as u8
    }
}
