use super::class::Class;
use super::run::{Run, State};

/// The state after a byte of a class.
pub(super) const fn step(state: State, class: Class) -> State {
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
        _ if class.is_inside() => inside(state, class),
        _ => first(state, class),
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
        Run::Accent | Run::AfterAccent | Run::Vietnamese => state.into(Run::AfterAccent),
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
        Run::Accent | Run::AfterAccent | Run::Vietnamese => State::at(Run::Hump, 1),
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

/// After the first byte of a character.
const fn first(state: State, class: Class) -> State {
    match class {
        Class::Sign => State::at(Run::Sign, 1),
        Class::Latin => State::at(Run::Accent, 1),
        Class::Greek => state.into(Run::Greek),
        Class::Cyrillic => state.into(Run::Cyrillic),
        Class::CyrillicMore => state.into(Run::CyrillicMore),
        Class::Armenian => State::at(Run::Armenian, 1),
        Class::Hebrew => state.into(Run::Hebrew),
        Class::Arabic => state.into(Run::Arabic),
        Class::ArabicMore => state.into(Run::ArabicMore),
        Class::Han => state.into(Run::Han),
        Class::HanE4 => State::at(Run::HanE4, characters(state, Run::Han) + 1),
        Class::HanE7 => State::at(Run::HanE7, characters(state, Run::Han) + 1),
        Class::HanE8 => State::at(Run::HanE8, characters(state, Run::Han) + 1),
        Class::HanE9 => State::at(Run::HanE9, characters(state, Run::Han) + 1),
        Class::Hangul => state.into(Run::Hangul),
        Class::EA => match characters(state, Run::Hangul) {
            0 => State::at(Run::LeadEA, 1),
            characters => State::at(Run::HangulEA, characters),
        },
        // For now it is taken for another letter of the same script.
        Class::E0 => match state.run {
            Run::Devanagari | Run::Thai => state.further(),
            _ => State::at(Run::LeadE0, 1),
        },
        Class::E1 => State::at(Run::LeadE1, 1),
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

/// How many characters of three bytes of a run there were.
const fn characters(state: State, run: Run) -> u8 {
    if state.is(run) { state.place / 3 } else { 0 }
}

/// After a byte inside a character.
const fn inside(state: State, class: Class) -> State {
    match state.run {
        Run::Accent | Run::Vietnamese | Run::Greek | Run::Hebrew => state.further(),
        Run::Cyrillic | Run::CyrillicMore | Run::Arabic | Run::ArabicMore => state.further(),
        Run::Han | Run::Hangul => state.further(),
        Run::HanE7 if is_within(class, Class::Xb2, Class::Xb8) => traditional(state),
        Run::HanE8 if is_within(class, Class::Xa8, Class::Xac) => traditional(state),
        Run::HanE8 if matches!(class, Class::Xb2 | Class::Xba | Class::Xbc) => traditional(state),
        Run::HanE9 if is_within(class, Class::X84, Class::X90) => traditional(state),
        Run::HanE9 if matches!(class, Class::X96 | Class::Xa0 | Class::Xa6 | Class::Xa8) => {
            traditional(state)
        }
        // Rare characters, which were the first to come later.
        Run::HanE4 if is_within(class, Class::X80, Class::Xb6) => State::at(Run::OtherThree, 1),
        Run::HanE7 if is_within(class, Class::Xba, Class::Xbc) => simplified(state),
        Run::HanE8 if matches!(class, Class::Xae | Class::Xb4) => simplified(state),
        Run::HanE9 if is_within(class, Class::X92, Class::X94) => simplified(state),
        Run::HanE4 | Run::HanE7 | Run::HanE8 | Run::HanE9 => {
            State::at(Run::Han, 3 * state.place - 1)
        }
        Run::Traditional | Run::Simplified => State::at(Run::Han, 3 * state.place),
        Run::LeadE0 => second(state, e0(class)),
        Run::Devanagari | Run::Thai if state.place % 3 == 1 => second(state, e0(class)),
        Run::LeadE1 => second(state, e1(class)),
        Run::LeadE2 => second(state, e2(class)),
        Run::Box if state.place % 3 == 1 => second(state, e2(class)),
        Run::LeadE3 => second(state, e3(class)),
        Run::Kana if state.place % 3 == 1 => second(state, e3(class)),
        Run::Devanagari | Run::Thai | Run::Box | Run::Kana => state.further(),
        Run::LeadEA if is_hangul(class) => State::at(Run::Hangul, 2),
        Run::HangulEA if is_hangul(class) => match State::at(Run::Hangul, 3 * state.place + 2) {
            last if last.place % 3 == 2 => last,
            // There are no more places.
            last => State::at(Run::Hangul, last.place - 1),
        },
        Run::LeadEA | Run::HangulEA => State::at(Run::OtherThree, 1),
        Run::LeadEF => State::at(ef(class), 1),
        Run::LeadF0 => State::at(f0(class), 1),
        Run::Emoji => State::at(Run::EmojiOf, emoji(class)),
        Run::Sign if is_within(class, Class::X80, Class::X9f) => State::at(Run::OtherTwo, 1),
        Run::Wide if is_within(class, Class::Xa0, Class::Xbd) => State::at(Run::WideLetter, 1),
        _ => State::at(Run::Tail, 1),
    }
}

const fn traditional(state: State) -> State {
    State::at(Run::Traditional, state.place)
}

const fn simplified(state: State) -> State {
    State::at(Run::Simplified, state.place)
}

const fn is_within(class: Class, first: Class, last: Class) -> bool {
    first as u8 <= class as u8 && class as u8 <= last as u8
}

/// After the second of three bytes, which tells the script.
const fn second(state: State, script: Run) -> State {
    match script {
        Run::Devanagari | Run::Thai | Run::Box | Run::Kana if state.is(script) => state.further(),
        Run::Devanagari | Run::Thai | Run::Box | Run::Kana => State::at(script, 2),
        _ => State::at(script, 1),
    }
}

const fn e0(class: Class) -> Run {
    match class {
        Class::Xa4 => Run::Devanagari,
        Class::Xa6 => Run::Bengali,
        Class::Xa8 => Run::Gurmukhi,
        Class::Xaa => Run::Gujarati,
        Class::Xac => Run::Oriya,
        Class::Xae => Run::Tamil,
        Class::Xb0 => Run::Telugu,
        Class::Xb2 => Run::Kannada,
        Class::Xb4 => Run::Malayalam,
        Class::Xb6 => Run::Sinhala,
        Class::Xb8 => Run::Thai,
        Class::Xba => Run::Lao,
        Class::Xbc | Class::Xbd => Run::Tibetan,
        _ => Run::OtherThree,
    }
}

const fn e1(class: Class) -> Run {
    match class {
        Class::X80 => Run::Myanmar,
        Class::X81 => Run::MyanmarMore,
        Class::X82 => Run::Georgian,
        Class::X84 => Run::Jamo,
        Class::X88 | Class::X8a => Run::Ethiopic,
        Class::X90 | Class::X92 | Class::X94 | Class::X96 => Run::Syllabics,
        Class::X9e | Class::X9f => Run::Khmer,
        Class::Xa0 | Class::Xa2 => Run::Mongolian,
        Class::Xb8 | Class::Xba => Run::Vietnamese,
        _ => Run::OtherThree,
    }
}

const fn e2(class: Class) -> Run {
    match class {
        Class::X80 | Class::X81 => Run::Typographic,
        Class::X94 | Class::X96 => Run::Box,
        _ => Run::Symbol,
    }
}

const fn e3(class: Class) -> Run {
    match class {
        Class::X80 => Run::CjkMark,
        Class::X81 | Class::X82 => Run::Kana,
        _ => Run::OtherThree,
    }
}

const fn is_hangul(class: Class) -> bool {
    class as u8 >= Class::Xb0 as u8
}

const fn ef(class: Class) -> Run {
    match class {
        Class::Xb8 => Run::Selector,
        Class::Xbc => Run::Wide,
        Class::Xbd => Run::WideLetter,
        _ => Run::OtherThree,
    }
}

const fn f0(class: Class) -> Run {
    match class {
        Class::X9f => Run::Emoji,
        Class::X9d => Run::MathLetter,
        _ => Run::OtherFour,
    }
}

const fn emoji(class: Class) -> u8 {
    match class {
        Class::X84 => 1,
        Class::X88 | Class::X8a | Class::X8e => 2,
        Class::X90 | Class::X92 => 3,
        Class::X94 | Class::X96 => 4,
        Class::X98 => 5,
        Class::X9a => 6,
        Class::Xa4 | Class::Xa6 | Class::Xa8 | Class::Xaa => 7,
        _ => 8,
    }
}
