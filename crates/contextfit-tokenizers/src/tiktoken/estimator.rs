use contextfit_core::estimate::{Estimator, PromptFormat, TokenCount};
use contextfit_core::request::{Piece, Role, Str};

use super::Encoding;
use crate::counting;

/// Counts text as OpenAI's models do, with one of their tokenizers.
///
/// The text is exact but for cuts in long runs (see the [crate](crate#any-text)). What stands
/// beside it, framing and images, is as its [`PromptFormat`] says.
///
/// A megabyte takes about 60 ms in a release build, hostile text up to five times as long: put
/// a `Memo` around it.
///
/// The vocabulary is loaded with the first count, once in the life of the process, and stays:
/// 46 MB for `o200k_base`, 24 MB for `cl100k_base`. It takes a quarter of a second, so
/// [`warm_up`](Self::warm_up) before requests come in: when the fitter is built, or in an async
/// program on a thread for it, `spawn_blocking(move || estimator.warm_up())`.
///
/// ```
/// use contextfit_core::estimate::Estimator;
/// use contextfit_core::request::{Piece, Str};
/// use contextfit_tokenizers::{Encoding, TiktokenEstimator};
///
/// let estimator = TiktokenEstimator::new(Encoding::O200kBase);
/// estimator.warm_up();
/// let question = Piece::Text(Str::plain("Which port does it use?"));
/// assert_eq!(estimator.count(question).floor(), 6);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TiktokenEstimator {
    encoding: Encoding,
    format: PromptFormat,
}

impl TiktokenEstimator {
    /// An estimator that loads nothing yet.
    #[must_use]
    pub const fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            format: PromptFormat::PLAIN,
        }
    }

    /// Sets what stands beside text; [`PromptFormat::PLAIN`] unless set.
    #[must_use]
    pub const fn with_format(mut self, format: PromptFormat) -> Self {
        self.format = format;
        self
    }

    /// Its encoding.
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Loads the vocabulary, if it isn't yet. It blocks for about a quarter of a second.
    pub fn warm_up(&self) {
        self.encoding.tokenizer();
    }

    /// What a text costs.
    #[must_use]
    pub fn count_text(&self, text: Str<'_>) -> TokenCount {
        counting::count(text, |chunk| self.count_chunk(chunk))
    }

    fn count_chunk(&self, chunk: &str) -> usize {
        // Names of special tokens are text here.
        self.encoding.tokenizer().count_ordinary(chunk)
    }
}

impl Estimator for TiktokenEstimator {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        self.format.count(piece, |text| self.count_text(text))
    }

    fn message_overhead(&self, role: Role) -> TokenCount {
        self.format.message(role)
    }

    fn request_overhead(&self, schemas: usize) -> TokenCount {
        self.format.request(schemas)
    }

    fn exceeds(&self, piece: Piece<'_>, limit: TokenCount) -> bool {
        counting::exceeds(&self.format, piece, limit, |chunk| self.count_chunk(chunk))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunks::LONGEST;
    use proptest::prelude::*;

    const MEGABYTE: usize = 1 << 20;
    const BOTH: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];

    fn count(encoding: Encoding, text: &str) -> u64 {
        TiktokenEstimator::new(encoding)
            .count_text(Str::plain(text))
            .floor()
    }

    /// The count of the tokenizer itself, which panics on a megabyte of blanks.
    fn uncut(encoding: Encoding, text: &str) -> u64 {
        encoding.tokenizer().count_ordinary(text) as u64
    }

    fn repeat(text: &str, bytes: usize) -> String {
        text.repeat(bytes / text.len())
    }

    /// Characters picked by a fixed sequence of numbers.
    fn picked(mut pick: impl FnMut(u32) -> Option<char>, bytes: usize) -> String {
        let (mut text, mut state) = (String::new(), 7_u64);
        while text.len() < bytes {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            text.extend(pick(u32::try_from(state >> 32).unwrap()));
        }
        text
    }

    fn random(alphabet: &str, bytes: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        picked(
            |number| Some(alphabet[number as usize % alphabet.len()]),
            bytes,
        )
    }

    /// What a tokenizer has trouble with, so many bytes of each.
    fn hostile(bytes: usize) -> Vec<String> {
        let letters = "abcdefghijklmnopqrstuvwxyz";
        let base64 = format!("{letters}{}0123456789+/", letters.to_uppercase());
        let runs = [
            " ",
            "\t",
            "\u{a0}",
            " \u{a0}\t",
            "\n",
            "\r\n",
            "a",
            "A",
            "=",
            "中",
            "\u{301}",
            "😀",
        ];
        let runs = runs.map(|run| repeat(run, bytes));
        let random = [
            random(letters, bytes),
            random(&base64, bytes),
            random("0123456789", bytes),
            picked(|number| char::from_u32(number % 0x11_0000), bytes),
            repeat(" ", bytes) + "x",
        ];
        runs.into_iter().chain(random).collect()
    }

    /// Compares with the count of the whole, where the tokenizer survives that.
    fn a_cut_costs_at_most_a_token(encoding: Encoding, bytes: usize) {
        for text in hostile(bytes) {
            let counted = count(encoding, &text);
            let blanks = text.chars().filter(|char| char.is_whitespace()).count();
            let whole = if blanks < 500_000 || text.starts_with(['\r', '\n']) {
                uncut(encoding, &text)
            } else {
                count(encoding, &text[..text.len() / 2]) * 2
            };
            let cuts = (bytes / LONGEST) as u64;
            let start: String = text.chars().take(8).collect();
            assert!(
                counted > 0 && counted.abs_diff(whole) <= cuts,
                "{start:?}: {counted}, {whole}"
            );
        }
    }

    #[test]
    fn a_megabyte_of_anything_is_counted_to_a_token_a_cut() {
        a_cut_costs_at_most_a_token(Encoding::O200kBase, MEGABYTE);
    }

    #[test]
    fn the_older_encoding_is_cut_as_exactly() {
        a_cut_costs_at_most_a_token(Encoding::Cl100kBase, MEGABYTE / 4);
    }

    #[test]
    fn sixteen_megabytes_of_blanks_are_counted() {
        let text = repeat(" ", 16 * MEGABYTE) + "x";
        let counted = count(Encoding::O200kBase, &text);
        let megabyte = count(Encoding::O200kBase, &repeat(" ", MEGABYTE));
        assert!(counted.abs_diff(16 * megabyte) <= 16, "{counted}");
    }

    #[test]
    fn text_with_borders_is_exact() {
        for text in [
            "The service listens on port 8080; it doesn't need a proxy.  See \"Set-up\", p. 12. ",
            "fn main() {\n    let total: u64 = parts.iter().map(|part| part.len()).sum();\n\n}\n",
            "{\"id\":17,\"name\":\"a \\\"b\\\"\",\"tags\":[\"x\",\"y\"],\"ok\":true},\n",
            "上下文窗口有限，所以旧的消息要被总结。服务端口是八零八零。",
            "2025-01-02T03:04:05.678Z,ERROR,4711,0x7ffe\r\n",
            "line without any blank;\n",
            "R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs",
        ] {
            let text = repeat(text, 5 * LONGEST);
            for encoding in BOTH {
                assert_eq!(count(encoding, &text), uncut(encoding, &text), "{text:.40}");
            }
        }
    }

    #[test]
    fn names_of_special_tokens_are_text() {
        let text = "<|endoftext|><|start|>";
        for encoding in Encoding::ALL {
            assert!(count(encoding, text) > 6, "{encoding:?}");
        }
    }

    #[test]
    fn stops_early_and_agrees() {
        let estimator = TiktokenEstimator::new(Encoding::O200kBase);
        let text = repeat("one two three ", 3 * LONGEST);
        let piece = Piece::Text(Str::plain(&text));
        let tokens = estimator.count(piece);
        assert!(!estimator.exceeds(piece, tokens));
        assert!(estimator.exceeds(piece, tokens.saturating_sub(TokenCount::units(1))));
    }

    #[test]
    fn what_stands_beside_text_is_as_the_format_says() {
        let mut format = PromptFormat::PLAIN;
        (format.message, format.request, format.tool_call) = (3, 2, 7);
        let estimator = TiktokenEstimator::new(Encoding::O200kBase).with_format(format);
        assert_eq!(estimator.message_overhead(Role::User).floor(), 3);
        assert_eq!(estimator.request_overhead(0).floor(), 2);
        let call = Piece::ToolCall {
            id: Str::plain("go"),
            name: Str::plain("go"),
            arguments: Str::plain("go"),
        };
        assert_eq!(estimator.count(call).floor(), 7 + 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// The claim of the borders, at every one of them.
        #[test]
        fn no_count_changes_at_a_border(
            text in "[aZ\u{1c5}ªǅ中é\u{301}\u{93e}1٣½Ⓐ .!'/\n\r\t\u{a0}\u{2028}\u{200b}😀sStTdDſ]{2,24}",
        ) {
            for at in crate::chunks::borders(&text) {
                let (left, right) = text.split_at(at);
                for encoding in BOTH {
                    let parts = [left, right].map(|part| {
                        encoding.tokenizer().encode_ordinary(part)
                    });
                    prop_assert_eq!(
                        parts.concat(),
                        encoding.tokenizer().encode_ordinary(&text),
                        "{:?} and {:?}", left, right
                    );
                }
            }
        }
    }
}
