use super::class::{Byte, Class};
use super::letter;
use super::run::{Run, State};

/// The state after a byte of a class.
pub(super) const fn step(state: State, byte: Byte) -> State {
    match byte {
        Byte::First(class) => first(state, class),
        Byte::Inside(byte) => inside(state, byte),
    }
}

/// After ASCII, or the first byte of a character.
const fn first(state: State, class: Class) -> State {
    match class {
        Class::Vowel | Class::Consonant | Class::Rare => lower(state, class),
        Class::Upper => upper(state),
        Class::UpperA => match upper(state).run {
            Run::SoupUpper => state.into(Run::SoupA),
            _ => upper(state),
        },
        Class::Digit => digit(state),
        Class::Space => match state.run {
            Run::Newline | Run::MarkNewline | Run::Indent => state.into(Run::Indent),
            _ => state.into(Run::Space),
        },
        Class::Newline => match state.run {
            Run::MarkNewline => State::at(Run::Newline, 2),
            _ if is_mark(state) => State::at(Run::MarkNewline, 1),
            _ => state.into(Run::Newline),
        },
        Class::Return => state.into(Run::Return),
        Class::Tab => state.into(Run::Tab),
        Class::Control => State::at(Run::Control, 1),
        Class::Quote => mark(state, Run::Quote),
        Class::Open => mark(state, Run::Open),
        Class::Close => mark(state, Run::Close),
        Class::Point => mark(state, Run::Point),
        Class::Comma => mark(state, Run::Comma),
        Class::Colon => mark(state, Run::Colon),
        Class::Slash => mark(state, Run::Slash),
        Class::Backslash => mark(state, Run::Backslash),
        Class::Dash => mark(state, Run::Dash),
        Class::Underscore => mark(state, Run::Underscore),
        Class::Line => mark(state, Run::Line),
        Class::Operator => mark(state, Run::Operator),
        _ => lead(state, class),
    }
}

const fn lower(state: State, class: Class) -> State {
    match state.run {
        Run::Space | Run::Indent => match class {
            Class::Vowel => State::at(Run::SpacedVowel, 1),
            _ => State::at(Run::SpacedConsonant, 1),
        },
        Run::Hump | Run::Caps => State::at(Run::HumpLower, 1),
        Run::SoupLower if state.place < 4 => state.further(),
        Run::SoupUpper | Run::SoupA | Run::SoupDigit | Run::SoupMark | Run::WordDigit => {
            State::at(Run::SoupLower, 1)
        }
        Run::Digit | Run::SpacedDigit => State::at(Run::DigitLetter, 1),
        Run::DigitLetter if state.place < 2 => state.further(),
        Run::Accent | Run::LatinMore | Run::Transcription | Run::AfterAccent | Run::Vietnamese => {
            state.into(Run::AfterAccent)
        }
        _ => {
            let run = match (class, state.run) {
                (Class::Vowel, _) => Run::Vowel,
                (Class::Rare, _) => Run::Rare,
                (_, Run::Consonant | Run::SpacedConsonant | Run::Rare) => Run::Second,
                (_, Run::Second | Run::Cluster) => Run::Cluster,
                _ => Run::Consonant,
            };
            State::at(run, letters(state) + 1)
        }
    }
}

/// How many letters of a word there were.
const fn letters(state: State) -> u8 {
    match state.run {
        Run::Vowel | Run::Consonant | Run::Second | Run::Cluster | Run::Rare => state.place,
        Run::SoupLower | Run::DigitLetter => state.place,
        Run::SpacedVowel | Run::SpacedConsonant => 1,
        Run::SpacedCapital | Run::Capital => 1,
        Run::HumpLower => 2,
        _ => 0,
    }
}

const fn upper(state: State) -> State {
    match state.run {
        Run::Space | Run::Indent => State::at(Run::SpacedCapital, 1),
        Run::SpacedCapital | Run::Capital | Run::Hump | Run::Caps => state.into(Run::Caps),
        Run::SoupLower | Run::SoupUpper | Run::SoupA | Run::SoupDigit | Run::SoupMark => {
            state.into(Run::SoupUpper)
        }
        // Words aren't as short as that.
        Run::SpacedVowel | Run::SpacedConsonant | Run::HumpLower => State::at(Run::SoupUpper, 1),
        Run::WordDigit | Run::DigitLetter => State::at(Run::SoupUpper, 1),
        Run::Digit | Run::SpacedDigit => State::at(Run::DigitLetter, 1),
        Run::Vowel | Run::Consonant | Run::Second | Run::Cluster | Run::Rare => match state.place {
            1 => State::at(Run::SoupUpper, 1),
            _ => State::at(Run::Hump, 1),
        },
        Run::Accent | Run::LatinMore | Run::Transcription | Run::AfterAccent | Run::Vietnamese => {
            State::at(Run::Hump, 1)
        }
        _ => State::at(Run::Capital, 1),
    }
}

const fn digit(state: State) -> State {
    match state.run {
        Run::Space | Run::Tab => State::at(Run::SpacedDigit, 1),
        Run::SpacedDigit => State::at(Run::Digit, 2),
        Run::Digit | Run::SoupMark => state.into(Run::Digit),
        Run::SoupLower | Run::SoupUpper | Run::SoupA | Run::SoupDigit | Run::DigitLetter => {
            state.into(Run::SoupDigit)
        }
        _ if letters(state) > 0 => State::at(Run::WordDigit, 1),
        Run::WordDigit
        | Run::Hump
        | Run::Caps
        | Run::Accent
        | Run::LatinMore
        | Run::Transcription
        | Run::AfterAccent
        | Run::Vietnamese => state.into(Run::WordDigit),
        _ => State::at(Run::Digit, 1),
    }
}

const fn mark(state: State, run: Run) -> State {
    match state.run {
        Run::SoupLower | Run::SoupUpper | Run::SoupA | Run::SoupDigit if joins(run) => {
            State::at(Run::SoupMark, 1)
        }
        Run::Rule if draws_lines(run) => state.further(),
        Run::Repeat | Run::Jumble if state.place < state.run.places() => state.further(),
        // Which mark it was is looked at again, or it would be a repetition for ever.
        Run::Repeat => State::at(run, 4),
        Run::Jumble => State::at(run, 3),
        Run::Space | Run::Indent => State::at(run, 2),
        _ if state.is(run) && state.place == 4 && draws_lines(run) => State::at(Run::Rule, 1),
        _ if state.is(run) && state.place == 4 => State::at(Run::Repeat, 1),
        _ if state.is(run) => State::at(run, 4),
        Run::Rule => State::at(run, 3),
        _ if is_mark(state) && state.place >= 3 => State::at(Run::Jumble, 1),
        _ if is_mark(state) => State::at(run, 3),
        _ => State::at(run, 1),
    }
}

const fn joins(run: Run) -> bool {
    matches!(
        run,
        Run::Dash | Run::Slash | Run::Line | Run::Colon | Run::Underscore
    )
}

const fn draws_lines(run: Run) -> bool {
    matches!(
        run,
        Run::Point | Run::Slash | Run::Dash | Run::Underscore | Run::Line
    )
}

const fn is_mark(state: State) -> bool {
    let run = state.run as u8;
    Run::Quote as u8 <= run && run <= Run::Repeat as u8
}

/// After the first byte of a character that isn't ASCII.
const fn lead(state: State, class: Class) -> State {
    match class {
        Class::Sign => State::at(Run::Sign, 1),
        Class::Latin => State::at(Run::Accent, 1),
        Class::LatinMore => State::at(Run::LatinMore, 1),
        Class::LatinC6 => State::at(Run::LatinMore, 2),
        Class::LatinC8 => State::at(Run::LatinMore, 3),
        Class::Greek => state.into(Run::Greek),
        Class::CyrillicD0 => state.into(Run::Cyrillic),
        Class::CyrillicD1 => State::at(Run::CyrillicD1, characters(state, Run::Cyrillic, 2) + 1),
        Class::CyrillicMore => state.into(Run::CyrillicMore),
        Class::ArmenianD4 => match state.run {
            Run::ArmenianCapital => State::at(Run::ArmenianCapital, 5),
            _ => State::at(Run::ArmenianCapital, 1),
        },
        Class::D6 if state.is(Run::Hebrew) => state.further(),
        // For now it is taken for a capital letter after another, or a small one.
        Class::ArmenianD5 => match state.run {
            Run::ArmenianCapital => State::at(Run::ArmenianCapital, 3),
            _ => state.into(Run::Armenian),
        },
        Class::D6 => State::at(Run::ArmenianD6, characters(state, Run::Armenian, 2) + 1),
        Class::Hebrew => state.into(Run::Hebrew),
        Class::Arabic => state.into(Run::Arabic),
        Class::ArabicMore => state.into(Run::ArabicMore),
        Class::Han => state.into(Run::Han),
        Class::HanE4 => State::at(Run::HanE4, characters(state, Run::Han, 3) + 1),
        Class::HanE7 => State::at(Run::HanE7, characters(state, Run::Han, 3) + 1),
        Class::HanE8 => State::at(Run::HanE8, characters(state, Run::Han, 3) + 1),
        Class::HanE9 => State::at(Run::HanE9, characters(state, Run::Han, 3) + 1),
        Class::Hangul => state.into(Run::Hangul),
        Class::EA => match characters(state, Run::Hangul, 3) {
            0 => State::at(Run::LeadEA, 1),
            characters => State::at(Run::HangulEA, characters),
        },
        Class::E0 => State::at(Run::LeadE0, letter::place(state)),
        // For now it is taken for another letter of the same script.
        Class::E1 => match state.run {
            Run::Georgian => state.further(),
            _ => State::at(Run::LeadE1, letter::place(state)),
        },
        Class::E2 => match state.run {
            Run::Box => state.further(),
            _ => State::at(Run::LeadE2, 1),
        },
        Class::E3 => match state.run {
            Run::Kana => state.further(),
            _ => State::at(Run::LeadE3, 1),
        },
        Class::EF => State::at(Run::LeadEF, 1),
        Class::F0 => State::at(Run::LeadF0, 1),
        Class::OtherTwo => State::at(Run::OtherTwo, 1),
        _ => State::at(Run::OtherFour, 1),
    }
}

/// How many characters of so many bytes of a run there were.
const fn characters(state: State, run: Run, bytes: u8) -> u8 {
    if state.is(run) {
        state.place / bytes
    } else {
        0
    }
}

/// After a byte inside a character.
const fn inside(state: State, byte: u8) -> State {
    match (state.run, byte) {
        (Run::LatinMore, _) => match (state.place, byte) {
            // Vietnamese and Romanian have these.
            (2, 0xA0 | 0xA1 | 0xAF | 0xB0) | (3, 0x98..=0x9B) => State::at(Run::Accent, 2),
            _ => State::at(Run::LatinMore, 4),
        },
        (Run::Cyrillic, 0x80 | 0x82..=0x8F) if state.place % 2 == 1 => {
            State::at(Run::CyrillicOther, 1)
        }
        (Run::CyrillicD1, 0x90 | 0x92..=0x9F) => State::at(Run::CyrillicOther, 1),
        (Run::CyrillicD1, 0xA0..=0xBF) => State::at(Run::CyrillicOther, 2),
        (Run::CyrillicD1, _) => State::at(Run::Cyrillic, 2 * state.place),
        (Run::Armenian, 0x80..=0x96) => State::at(Run::ArmenianCapital, 2),
        (Run::ArmenianCapital, 0x97..=0xBF) if state.place == 3 => State::at(Run::Armenian, 4),
        // A Hebrew vowel, after nothing Hebrew.
        (Run::ArmenianD6, 0x90..=0xBF) => State::at(Run::Hebrew, 2),
        (Run::ArmenianD6, _) => State::at(Run::Armenian, 2 * state.place),
        (Run::Accent | Run::Vietnamese | Run::Greek | Run::Hebrew, _) => state.further(),
        (Run::Armenian | Run::ArmenianCapital, _) => state.further(),
        (Run::Cyrillic | Run::CyrillicMore | Run::Arabic | Run::ArabicMore, _) => state.further(),
        (Run::Han | Run::Hangul, _) => state.further(),
        (Run::HanE7, 0xB2..=0xB9)
        | (Run::HanE8, 0xA8..=0xAD | 0xB2..=0xB3 | 0xBA..=0xBC)
        | (Run::HanE9, 0x84..=0x91 | 0x96..=0x97 | 0xA0..=0xA1 | 0xA6..=0xA9) => {
            State::at(Run::Traditional, state.place)
        }
        (Run::HanE7, 0xBA..=0xBC)
        | (Run::HanE8, 0xAE..=0xAF | 0xB4..=0xB5)
        | (Run::HanE9, 0x92..=0x95) => State::at(Run::Simplified, state.place),
        // Rare characters, which were the first to come later.
        (Run::HanE4, 0x80..=0xB7) => State::at(Run::OtherThree, 1),
        (Run::HanE4 | Run::HanE7 | Run::HanE8 | Run::HanE9, _) => {
            State::at(Run::Han, 3 * state.place - 1)
        }
        (Run::Traditional | Run::Simplified, _) => State::at(Run::Han, 3 * state.place),
        (Run::LeadE0, _) => letter::e0(state.place, byte),
        (Run::LeadE1, _) => e1(state, byte),
        (Run::Georgian, _) if state.place % 3 == 1 => e1(state, byte),
        (Run::Georgian, 0x80..=0x8F | 0xB1..=0xBF) if state.place % 3 == 2 => {
            State::at(Run::GeorgianMore, 1)
        }
        (Run::Georgian, _) => state.further(),
        (Run::LeadE182, 0xA0..=0xBF) => State::at(Run::GeorgianMore, 1),
        (Run::LeadE182, _) => State::at(Run::MyanmarMore, 1),
        // Digits and the ends of sentences.
        (Run::LeadE181, 0x80..=0x8F) => State::at(Run::Mark, 1),
        (Run::LeadE181, _) => State::at(Run::MyanmarMore, 1),
        (Run::LeadE2, _) => second(state, e2(byte)),
        (Run::Box, _) if state.place % 3 == 1 => second(state, e2(byte)),
        (Run::LeadE3, _) => second(state, e3(byte)),
        (Run::Kana, _) if state.place % 3 == 1 => second(state, e3(byte)),
        (Run::Box | Run::Kana, _) => state.further(),
        (Run::LeadEA, 0xBA | 0xBC..=0xBF) => State::at(Run::HangulRare, 1),
        (Run::LeadEA, 0xB0..) => State::at(Run::Hangul, 2),
        (Run::HangulEA, 0xBA | 0xBC..=0xBF) => State::at(Run::HangulRare, state.place + 1),
        (Run::HangulEA, 0xB0..) => match State::at(Run::Hangul, 3 * state.place + 2) {
            last if last.place % 3 == 2 => last,
            // There are no more places.
            last => State::at(Run::Hangul, last.place - 1),
        },
        (Run::HangulRare, _) => State::at(Run::Hangul, 3 * state.place),
        (Run::LeadEA | Run::HangulEA, _) => State::at(Run::OtherThree, 1),
        (Run::LeadEF, _) => State::at(ef(byte), 1),
        (Run::LeadF0, _) => State::at(f0(byte), 1),
        (Run::Emoji, _) => State::at(Run::EmojiOf, emoji(byte)),
        // Numbers and letters in circles, and the like.
        (Run::CjkMark, 0x9A..=0xBF) => State::at(Run::OddLetter, 1),
        (Run::Sign, 0x80..=0x9F) => State::at(Run::OtherTwo, 1),
        (Run::Wide, 0xA0..) => State::at(Run::WideLetter, 1),
        _ if letter::is_script(state) => letter::last(state, byte),
        _ => State::at(Run::Tail, 1),
    }
}

/// After the second of three bytes, which tells the script.
const fn second(state: State, script: Run) -> State {
    match script {
        Run::Box | Run::Kana | Run::Georgian if state.is(script) => state.further(),
        Run::Box | Run::Kana | Run::Georgian => State::at(script, 2),
        _ => State::at(script, 1),
    }
}

const fn e1(state: State, byte: u8) -> State {
    let place = match state.run {
        Run::LeadE1 => state.place,
        _ => 1,
    };
    match byte {
        0x80 => letter::first_half(Run::Myanmar, place),
        0x88..=0x8D => letter::first_half(Run::Ethiopic, place),
        0x9E => letter::first_half(Run::Khmer, place),
        0x9F => letter::second_half(Run::Khmer, place),
        0x81 => State::at(Run::LeadE181, 1),
        0x82 => State::at(Run::LeadE182, 1),
        0x83 => second(state, Run::Georgian),
        0x84..=0x87 => State::at(Run::Jamo, 1),
        0x90..=0x99 => State::at(Run::Syllabics, 1),
        0xA0..=0xA3 => State::at(Run::Mongolian, 1),
        0xB8 | 0xB9 => State::at(Run::Transcription, 1),
        0xBA | 0xBB => State::at(Run::Vietnamese, 1),
        0xBC..=0xBF => State::at(Run::GreekMore, 1),
        _ => State::at(Run::OtherThree, 1),
    }
}

const fn e2(byte: u8) -> Run {
    match byte {
        0x80 => Run::Typographic,
        0x94..=0x97 => Run::Box,
        _ => Run::Symbol,
    }
}

const fn e3(byte: u8) -> Run {
    match byte {
        0x80 => Run::CjkMark,
        0x81..=0x83 => Run::Kana,
        _ => Run::OtherThree,
    }
}

const fn ef(byte: u8) -> Run {
    match byte {
        0xB8 | 0xB9 => Run::Selector,
        0xBC => Run::Wide,
        0xBD..=0xBF => Run::WideLetter,
        _ => Run::OtherThree,
    }
}

const fn f0(byte: u8) -> Run {
    match byte {
        0x9F => Run::Emoji,
        0x9D => Run::MathLetter,
        _ => Run::OtherFour,
    }
}

const fn emoji(byte: u8) -> u8 {
    match byte {
        0x80..=0x85 | 0x9C..=0x9E | 0xA0..=0xA3 | 0xAC.. => 9,
        0x86 | 0x87 => 1,
        0x88..=0x8F => 2,
        0x90..=0x93 => 3,
        0x94..=0x97 => 4,
        0x98 | 0x99 => 5,
        0x9A | 0x9B => 6,
        0xA4..=0xAB => 7,
        _ => 8,
    }
}
