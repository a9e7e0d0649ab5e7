use super::class::{Byte, CLASSES};
use super::run::{MOST_STATES, Run, State};
use super::step::step;

/// The number of the state after a byte, by the state before and the class of the byte.
///
/// It is larger than the nearest cache, but the rows that a text goes through aren't: the classes
/// of ASCII fill one line of the cache.
pub(super) static NEXT: [[u16; CLASSES]; MOST_STATES] = {
    let mut next = [[0; CLASSES]; MOST_STATES];
    let mut run = 0;
    while run < Run::ALL.len() {
        let mut place = 1;
        while place <= Run::ALL[run].places() {
            let state = State::at(Run::ALL[run], place);
            let mut class = 0;
            while class < CLASSES {
                let after = step(state, Byte::ALL[class]);
                next[state.number()][class] = after.number() as u16;
                class += 1;
            }
            place += 1;
        }
        run += 1;
    }
    next
};

/// All states, in the order of their numbers.
pub(super) fn states() -> impl Iterator<Item = State> {
    Run::ALL
        .iter()
        .flat_map(|&run| (1..=run.places()).map(move |place| State::at(run, place)))
}

#[cfg(test)]
mod tests {
    use super::super::run::STATES;
    use super::*;
    use crate::estimate::weighted::class::CLASS;

    fn after(text: &str) -> (Run, u8) {
        let number = text.bytes().fold(0, |state, byte| {
            usize::from(NEXT[state][usize::from(CLASS[usize::from(byte)])])
        });
        let state = states().nth(number).expect("a state");
        (state.run, state.place)
    }

    #[test]
    fn states_are_numbered_in_their_order() {
        assert_eq!(states().count(), STATES);
        for (number, state) in states().enumerate() {
            assert_eq!(state.number(), number, "{state:?}");
        }
        assert_eq!(State::START.number(), 0);
    }

    #[test]
    fn the_last_byte_and_what_came_before_it_make_the_state() {
        for (text, run, place) in [
            ("", Run::Start, 1),
            ("a", Run::Vowel, 1),
            (" a", Run::SpacedVowel, 1),
            (" the", Run::Vowel, 3),
            (" str", Run::Cluster, 3),
            (" internationalisation", Run::Consonant, 8),
            ("\n    ", Run::Indent, 3),
            ("};\n", Run::MarkNewline, 1),
            ("HTTP", Run::Caps, 3),
            ("camelC", Run::Hump, 1),
            ("camelCa", Run::HumpLower, 1),
            ("camelCas", Run::Consonant, 3),
            ("12345678", Run::Digit, 5),
            ("utf8", Run::WordDigit, 1),
            ("10ms", Run::DigitLetter, 2),
            ("a1b2", Run::SoupDigit, 1),
            ("a1b2-c", Run::SoupLower, 1),
            ("a1b2cdef", Run::SoupLower, 4),
            ("a1b2cdefg", Run::Consonant, 5),
            ("=", Run::Line, 1),
            ("==", Run::Line, 4),
            ("=====", Run::Rule, 2),
            ("[[[", Run::Repeat, 1),
            ("\"},{\"", Run::Jumble, 3),
            ("\"}", Run::Close, 3),
            ("né", Run::Accent, 2),
            ("née", Run::AfterAccent, 1),
            ("việ", Run::Vietnamese, 2),
            ("ơ", Run::Accent, 2),
            ("ɛ", Run::LatinMore, 4),
            ("дом", Run::Cyrillic, 6),
            ("хор", Run::Cyrillic, 6),
            ("дім", Run::Cyrillic, 2),
            ("ві", Run::CyrillicOther, 1),
            ("хай", Run::Cyrillic, 6),
            ("բառ", Run::Armenian, 6),
            ("եր", Run::Armenian, 4),
            ("Հայ", Run::Armenian, 6),
            ("ՀԱՅ", Run::ArmenianCapital, 4),
            ("שָ", Run::Hebrew, 4),
            ("ენა", Run::Georgian, 9),
            ("ႠႡ", Run::GeorgianMore, 1),
            ("नम", Run::Letter, 3),
            ("กน", Run::Letter, 3),
            ("กรรม", Run::Letter, 5),
            ("กา", Run::Mark, 1),
            ("กาน", Run::Letter, 2),
            ("กธ", Run::RareLetter, 3),
            ("ఏఏ", Run::VowelLetter, 3),
            ("ஃ", Run::OddLetter, 1),
            ("አማ", Run::Letter, 3),
            ("ၼ", Run::MyanmarMore, 1),
            ("నమ", Run::Letter, 3),
            ("かな", Run::Kana, 6),
            ("漢字漢字漢字", Run::Han, 9),
            ("中說", Run::Han, 6),
            ("가나", Run::Hangul, 6),
            ("가가", Run::Hangul, 6),
            ("가가가가가가가가가", Run::Hangul, 21),
            ("──", Run::Box, 6),
        ] {
            assert_eq!(after(text), (run, place), "{text:?}");
        }
    }

    #[test]
    fn every_run_is_reached() {
        let mut seen = [false; STATES];
        let mut reached = vec![0];
        while let Some(state) = reached.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                reached.extend(NEXT[state].iter().map(|&next| usize::from(next)));
            }
        }
        // Some places aren't: there is no second consonant in the first place of a word.
        for &run in Run::ALL {
            let is_seen = |state: &State| state.is(run) && seen[state.number()];
            assert!(states().any(|state| is_seen(&state)), "{run:?}");
        }
    }
}
