//! A memo says what its estimator says, whatever it was asked before.

#![no_main]

use std::sync::LazyLock;

use contextfit_core::estimate::{CharEstimator, Estimator, TokenCount};
use contextfit_core::request::{Piece, Str};
use contextfit_tower::Memo;
use libfuzzer_sys::fuzz_target;

/// Small, so that it forgets.
static MEMO: LazyLock<Memo<CharEstimator>> =
    LazyLock::new(|| Memo::with_entries(CharEstimator::default(), 100));

fuzz_target!(|texts: Vec<(u8, bool, &str, &str)>| {
    for (kind, escaped, text, more) in texts {
        let [text, more] = [text, more].map(|it| if escaped { Str::escaped(it) } else { Str::plain(it) });
        let id = Str::plain("call");
        let piece = match kind % 5 {
            0 => Piece::Text(text),
            1 => Piece::Thinking(text),
            2 => Piece::Schema(text),
            3 => Piece::ToolCall { id, name: text, arguments: more },
            _ => Piece::ToolResult { call_id: id, name: text, content: more },
        };
        let count = CharEstimator::default().count(piece);
        assert_eq!(MEMO.count(piece), count);
        assert_eq!(MEMO.count(piece), count);
        assert!(!MEMO.exceeds(piece, count));
        let less = count.saturating_sub(TokenCount::units(1));
        assert_eq!(MEMO.exceeds(piece, less), less < count);
        assert!(MEMO.len() <= 100 + 8);
    }
});
