/// Defines the runs, each with the places in it that are told apart, and how many of the last of
/// these a longer run goes round in.
macro_rules! runs {
    ($($(#[$doc:meta])* $run:ident($places:literal, round $round:literal),)*) => {
        /// What a byte belongs to: some text of one kind, and what came before it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Run {
            $($(#[$doc])* $run,)*
        }

        impl Run {
            pub(super) const ALL: &[Self] = &[$(Self::$run,)*];

            /// How many places in the run are told apart.
            pub(super) const fn places(self) -> u8 {
                match self {
                    $(Self::$run => $places,)*
                }
            }

            /// How many of its last places a longer run goes round in.
            const fn round(self) -> u8 {
                match self {
                    $(Self::$run => $round,)*
                }
            }
        }
    };
}

runs! {
    /// Before the first byte.
    Start(1, round 1),
    Control(1, round 1),

    // White space.
    Space(4, round 1),
    /// Spaces at the beginning of a line.
    Indent(3, round 1),
    Newline(3, round 1),
    /// A carriage return.
    Return(2, round 1),
    /// The end of a line that ends in punctuation.
    MarkNewline(1, round 1),
    Tab(3, round 1),

    // Lowercase letters. The place is the place in the word.
    /// The first letter, after a space.
    SpacedVowel(1, round 1),
    SpacedConsonant(1, round 1),
    Vowel(8, round 1),
    /// A consonant that follows a vowel.
    Consonant(8, round 1),
    /// The second consonant in a row.
    Second(8, round 1),
    /// The third, and those after it.
    Cluster(8, round 1),
    /// `j`, `q`, `x` and `z`.
    Rare(4, round 1),

    // Capital letters.
    SpacedCapital(1, round 1),
    Capital(1, round 1),
    /// After a lowercase letter, as in `camelCase`.
    Hump(1, round 1),
    /// The letter after a hump.
    HumpLower(1, round 1),
    /// From the second capital letter in a row on.
    Caps(7, round 1),

    // Numbers. Many tokenizers take three digits at a time.
    SpacedDigit(1, round 1),
    Digit(6, round 3),
    /// After a letter, as in `utf8`.
    WordDigit(3, round 3),
    /// Letters after digits, as in `10ms`.
    DigitLetter(2, round 1),

    // Letters of both cases and digits mixed: hashes, keys, base64. The place is that among
    // characters of one kind.
    SoupLower(4, round 1),
    SoupUpper(4, round 1),
    /// `A`.
    SoupA(4, round 1),
    SoupDigit(3, round 3),
    /// What such strings are joined by: `-`, `/`, `+`, `=`, `:`, `_`.
    SoupMark(1, round 1),

    // Punctuation. The place says what is before it: 1 a letter or so, 2 a space, 3 another mark,
    // 4 the same mark.
    Quote(4, round 1),
    Open(4, round 1),
    Close(4, round 1),
    Point(4, round 1),
    Comma(4, round 1),
    Colon(4, round 1),
    Slash(4, round 1),
    Backslash(4, round 1),
    Dash(4, round 1),
    Underscore(4, round 1),
    /// What lines are drawn with: `=`, `*`, `#`, `~`, `+`, `%`.
    Line(4, round 1),
    Operator(4, round 1),
    /// From the third mark on, where they aren't of one kind.
    Jumble(6, round 1),
    /// From the third mark of one kind in a row on, if lines are drawn with it.
    Rule(2, round 1),
    /// The same of other marks.
    Repeat(2, round 1),

    // Words with letters outside ASCII. The place counts bytes.
    Accent(2, round 2),
    /// Letters of a word after an accented one.
    AfterAccent(6, round 1),
    Vietnamese(2, round 2),
    /// Letters of Latin that few languages have. The place says what is known: 1 to 3 the first
    /// byte, 4 the second.
    LatinMore(4, round 1),

    // Scripts of which it matters how far into a word a letter is. The place counts bytes.
    Greek(32, round 2),
    /// Of polytonic Greek.
    GreekMore(1, round 1),
    /// The same of Latin: letters with a mark that are used to transcribe other scripts.
    Transcription(1, round 1),
    Cyrillic(32, round 2),
    /// The first byte of a letter from the second half of the alphabet. The place counts letters.
    CyrillicD1(16, round 1),
    /// Letters of other Slavic languages than Russian. The place says of which: 1 those of today,
    /// 2 old ones.
    CyrillicOther(2, round 1),
    /// Letters of other languages yet.
    CyrillicMore(8, round 2),
    Armenian(30, round 2),
    /// The first byte of the last letters of the alphabet. The place counts letters.
    ArmenianD6(15, round 1),
    /// From the third place on, after another one: 3 by the first byte of small letters, 5 by its own.
    ArmenianCapital(6, round 2),
    Hebrew(20, round 2),
    Arabic(24, round 2),
    /// Letters that Arabic itself doesn't have.
    ArabicMore(8, round 2),
    Georgian(45, round 3),
    /// Capital letters, which aren't used any more, and those that other languages have.
    GeorgianMore(1, round 1),
    Kana(15, round 3),
    Han(9, round 3),
    /// After the first byte of a character that tells whether it is a traditional one. The place
    /// counts characters.
    HanE4(3, round 1),
    HanE7(3, round 1),
    HanE8(3, round 1),
    HanE9(3, round 1),
    /// Characters that only the traditional way of writing has, or nearly so.
    Traditional(3, round 1),
    /// The same of the simplified way.
    Simplified(3, round 1),
    Hangul(21, round 3),
    /// Lines and boxes.
    Box(6, round 3),

    // Scripts in which vowels are signs upon the letters before them. The place is that of the
    // letter among letters without a sign: 1 the first of a word, 2 after a sign, 3 the second in a
    // row, and so on. From 9 on it is that among characters of the second half of the script's block,
    // which has nearly no letters. They are counted by the byte that tells the script.
    Devanagari(12, round 1),
    Bengali(12, round 1),
    Gurmukhi(12, round 1),
    Gujarati(12, round 1),
    Oriya(12, round 1),
    Tamil(12, round 1),
    Telugu(12, round 1),
    Kannada(12, round 1),
    Malayalam(12, round 1),
    Sinhala(12, round 1),
    Thai(12, round 1),
    Lao(12, round 1),
    Tibetan(12, round 1),
    Myanmar(12, round 1),
    Khmer(12, round 1),
    Ethiopic(12, round 1),
    /// The last byte of a letter of these scripts, at its place.
    Letter(8, round 1),
    /// The same of vowels that stand for themselves.
    VowelLetter(8, round 1),
    /// The same of letters that few words have.
    RareLetter(8, round 1),
    /// The last byte of a sign. From the second place on it is that among characters of the second
    /// half of the block.
    Mark(5, round 1),
    /// The same of a letter that only other languages have, or none.
    OddLetter(5, round 1),
    /// The same of letters of Myanmar.
    MyanmarMore(1, round 1),
    /// The first bytes, at the place of the letter to come.
    LeadE0(12, round 1),
    LeadE1(12, round 1),

    // First bytes that leave the script open.
    LeadE2(1, round 1),
    LeadE3(1, round 1),
    LeadEA(1, round 1),
    /// The same, after Hangul.
    HangulEA(7, round 1),
    /// Syllables that few words have. The place counts characters.
    HangulRare(7, round 1),
    LeadEF(1, round 1),
    LeadF0(1, round 1),

    // Characters that are each counted for themselves, by the byte that tells what they are.
    /// Signs of Latin-1.
    Sign(1, round 1),
    /// Any other character of two bytes.
    OtherTwo(1, round 1),
    /// Between Myanmar and Georgian.
    LeadE182(1, round 1),
    LeadE181(1, round 1),
    Jamo(1, round 1),
    /// Canadian syllabics.
    Syllabics(1, round 1),
    Mongolian(1, round 1),
    /// Dashes and quotes of good typesetting.
    Typographic(1, round 1),
    /// Arrows, mathematics, dingbats.
    Symbol(1, round 1),
    /// Punctuation of Chinese and Japanese.
    CjkMark(1, round 1),
    /// ASCII in the width of Chinese.
    Wide(1, round 1),
    /// Letters among these, and Japanese ones of half the width.
    WideLetter(1, round 1),
    /// Which form of the character before is meant.
    Selector(1, round 1),
    /// Any other character of three bytes.
    OtherThree(1, round 1),
    Emoji(1, round 1),
    /// What it shows: 1 flags, 2 nature, 3 people, 4 things, 5 faces, 6 transport, 7 what came
    /// later, 8 anything else, 9 what is no emoji.
    EmojiOf(9, round 1),
    /// Letters of mathematics.
    MathLetter(1, round 1),
    /// Any other character of four bytes.
    OtherFour(1, round 1),
    /// The bytes after the one that told.
    Tail(1, round 1),
}

/// A state of the automaton: a run, and the place in it, from 1 on.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) run: Run,
    pub(super) place: u8,
}

impl State {
    pub(super) const START: Self = Self::at(Run::Start, 1);

    /// The state at a place, or at the last one that is told apart.
    pub(super) const fn at(run: Run, place: u8) -> Self {
        let last = run.places();
        Self {
            run,
            place: if place < last { place } else { last },
        }
    }

    /// One further in the same run.
    pub(super) const fn further(self) -> Self {
        let last = self.run.places();
        let place = if self.place < last {
            self.place + 1
        } else {
            last + 1 - self.run.round()
        };
        Self { place, ..self }
    }

    /// One further in the run, or its beginning.
    pub(super) const fn into(self, run: Run) -> Self {
        if self.is(run) {
            self.further()
        } else {
            Self::at(run, 1)
        }
    }

    /// Whether it belongs to the run.
    pub(super) const fn is(self, run: Run) -> bool {
        self.run as u8 == run as u8
    }

    /// The number of the state: those of a run follow each other.
    pub(super) const fn number(self) -> usize {
        FIRST[self.run as usize] + self.place as usize - 1
    }
}

/// Room for states; a power of two, so that the number of one is always in it.
pub(super) const MOST_STATES: usize = 1024;

/// How many states there are.
pub(super) const STATES: usize = FIRST[RUNS];

const RUNS: usize = Run::ALL.len();

/// The number of the first state of each run, and last that of all states.
const FIRST: [usize; RUNS + 1] = {
    let mut first = [0; RUNS + 1];
    let mut run = 0;
    while run < RUNS {
        first[run + 1] = first[run] + Run::ALL[run].places() as usize;
        run += 1;
    }
    assert!(first[RUNS] <= MOST_STATES, "there is room for them");
    first
};
