// Written by tools/estimator-fit/fit.py.

use crate::estimate::Family;

/// Percent to add so that 95 % and 99 % of texts aren't underestimated.
pub(super) const fn headroom(family: Family) -> [u32; 2] {
    match family {
        Family::O200k => [13, 22],
        Family::Cl100k => [14, 25],
        Family::Llama3 => [10, 18],
        Family::Qwen => [13, 24],
        Family::Gemma => [11, 33],
        Family::DeepSeek => [12, 26],
        Family::Mistral => [10, 16],
        Family::Claude => [13, 24],
        Family::Widest => [10, 19],
    }
}
