/// What a byte is, as far as tokenizers care.
///
/// Bytes inside a character aren't here: each of them is a class for itself, as the first two bytes
/// of a character tell its script, and the last one what kind of letter it is.
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
    /// First bytes.
    Sign,
    Latin,
    LatinC6,
    LatinC8,
    LatinMore,
    Greek,
    CyrillicD0,
    CyrillicD1,
    CyrillicMore,
    ArmenianD4,
    ArmenianD5,
    /// Armenian, or a Hebrew vowel.
    D6,
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

/// The class of the byte `0x80`, the first of those inside a character.
const INSIDE: u8 = 64;

/// What the bytes of a class are.
#[derive(Clone, Copy)]
pub(super) enum Byte {
    /// ASCII, or the first byte of a character.
    First(Class),
    /// This one, inside a character.
    Inside(u8),
}

/// The class of every byte.
pub(super) static CLASS: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match Byte::of(byte as u8) {
            Byte::First(class) => class as u8,
            Byte::Inside(byte) => INSIDE + (byte - 0x80),
        };
        byte += 1;
    }
    classes
};

impl Byte {
    /// What the bytes of each class are.
    pub(super) const ALL: [Self; CLASSES] = {
        let mut all = [Self::First(Class::Control); CLASSES];
        let mut byte = 0;
        while byte < 256 {
            all[CLASS[byte] as usize] = Self::of(byte as u8);
            byte += 1;
        }
        all
    };

    const fn of(byte: u8) -> Self {
        match byte {
            0x80..=0xBF => Self::Inside(byte),
            _ => Self::First(Class::of(byte)),
        }
    }
}

impl Class {
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
            0xC2 => Self::Sign,
            0xC3..=0xC5 => Self::Latin,
            0xC6 => Self::LatinC6,
            0xC8 => Self::LatinC8,
            0xC7 | 0xC9 => Self::LatinMore,
            0xCE..=0xCF => Self::Greek,
            0xD0 => Self::CyrillicD0,
            0xD1 => Self::CyrillicD1,
            0xD2..=0xD3 => Self::CyrillicMore,
            0xD4 => Self::ArmenianD4,
            0xD5 => Self::ArmenianD5,
            0xD6 => Self::D6,
            0xD7 => Self::Hebrew,
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
}
