//! Scripts in which vowels are signs upon the letters before them.
//!
//! No language has many letters in a row without a sign. So it is told how many there were.

use super::run::{Run, State};

/// The place of a letter that has a sign before it.
const AFTER_MARK: u8 = 2;
/// The place of what is of the second half of the script's block, and has nothing of it before it.
const SECOND_HALF: u8 = 9;

/// The place of the letter that begins now.
pub(super) const fn place(state: State) -> u8 {
    match state.run {
        Run::Letter | Run::VowelLetter | Run::RareLetter => match state.place {
            1 => 3,
            8 => 8,
            place => place + 1,
        },
        Run::OddLetter if state.place == 1 => 5,
        Run::Mark | Run::OddLetter => match state.place {
            1 => AFTER_MARK,
            place => SECOND_HALF + place - 1,
        },
        Run::MyanmarMore => AFTER_MARK,
        _ => 1,
    }
}

/// After the second byte, if that is one of letters.
pub(super) const fn first_half(script: Run, place: u8) -> State {
    State::at(
        script,
        if place < SECOND_HALF {
            place
        } else {
            AFTER_MARK
        },
    )
}

/// After the second byte, if that is one of the second half of the block.
pub(super) const fn second_half(script: Run, place: u8) -> State {
    State::at(
        script,
        if place < SECOND_HALF {
            SECOND_HALF
        } else {
            place
        },
    )
}

/// After the second byte, if the first is `0xE0`.
pub(super) const fn e0(place: u8, byte: u8) -> State {
    let script = match byte {
        0xA4 | 0xA5 => Run::Devanagari,
        0xA6 | 0xA7 => Run::Bengali,
        0xA8 | 0xA9 => Run::Gurmukhi,
        0xAA | 0xAB => Run::Gujarati,
        0xAC | 0xAD => Run::Oriya,
        0xAE | 0xAF => Run::Tamil,
        0xB0 | 0xB1 => Run::Telugu,
        0xB2 | 0xB3 => Run::Kannada,
        0xB4 | 0xB5 => Run::Malayalam,
        0xB6 | 0xB7 => Run::Sinhala,
        0xB8 | 0xB9 => Run::Thai,
        0xBA | 0xBB => Run::Lao,
        0xBC..=0xBF => Run::Tibetan,
        _ => return State::at(Run::OtherThree, 1),
    };
    match byte {
        // Its letters are in the second quarter.
        0xBD => first_half(script, place),
        0xBC | 0xBE | 0xBF => second_half(script, place),
        _ if byte % 2 == 1 => second_half(script, place),
        _ => first_half(script, place),
    }
}

/// Whether it is the byte that tells one of these scripts.
pub(super) const fn is_script(state: State) -> bool {
    let run = state.run as u8;
    Run::Devanagari as u8 <= run && run <= Run::Ethiopic as u8
}

/// After the last byte of a letter or a sign.
pub(super) const fn last(state: State, byte: u8) -> State {
    if state.place >= SECOND_HALF {
        let place = state.place - SECOND_HALF + 2;
        return match (state.run, byte) {
            (Run::Sinhala, 0x80..=0x86) => State::at(Run::Letter, AFTER_MARK),
            (Run::Gurmukhi, 0xB0 | 0xB1) | (Run::Malayalam, 0xBA..=0xBE) => {
                State::at(Run::Mark, place)
            }
            (Run::Thai | Run::Lao | Run::Tibetan | Run::Khmer, _) => State::at(Run::Mark, place),
            (_, 0x98..=0xA1 | 0xB0..) => State::at(Run::OddLetter, place),
            _ => State::at(Run::Mark, place),
        };
    }
    let run = match (state.run, byte) {
        (Run::Ethiopic, _) => Run::Letter,
        (Run::Thai, 0x83 | 0x85 | 0x86 | 0x89 | 0x8C | 0x8E..=0x92) => Run::RareLetter,
        (Run::Thai, 0x98 | 0x9D | 0xA4 | 0xA6 | 0xA9 | 0xAC | 0xAE) => Run::RareLetter,
        (Run::Lao, 0x86 | 0x89 | 0x8C | 0x8E..=0x93 | 0x98) => Run::OddLetter,
        (Run::Lao, 0xA0 | 0xA8 | 0xA9 | 0xAC) => Run::OddLetter,
        (Run::Thai | Run::Lao, 0x81..=0xAE) => Run::Letter,
        (Run::Tibetan, 0x80..=0xAC) => Run::Letter,
        (Run::Myanmar, 0x80..=0xAA) => Run::Letter,
        (Run::Khmer, 0x80..=0xA2) => Run::Letter,
        (Run::Khmer, 0xA3..=0xB3) => Run::VowelLetter,
        (Run::Thai | Run::Lao | Run::Tibetan | Run::Myanmar | Run::Khmer, _) => Run::Mark,
        (Run::Sinhala, 0x97..=0xBF) => Run::Letter,
        (Run::Tamil, 0x83) | (_, 0x80 | 0xBA | 0xBB | 0xBD) => Run::OddLetter,
        (_, 0x84..=0x94) => Run::VowelLetter,
        (_, 0x95..=0xB9) => Run::Letter,
        _ => Run::Mark,
    };
    match run {
        Run::Mark | Run::OddLetter => State::at(run, 1),
        _ => State::at(run, state.place),
    }
}
