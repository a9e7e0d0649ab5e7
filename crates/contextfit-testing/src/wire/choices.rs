use serde_json::{Value, json};

/// Choices of form, drawn from a seed: the same seed makes the same choices.
///
/// Of the seed 0 every choice is the first one, and nothing is done that is done one time in many.
/// So what `proptest` shrinks to is in the plainest form.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    state: u64,
    plain: bool,
}

impl Choices {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            state: seed,
            plain: seed == 0,
        }
    }

    /// SplitMix64: well mixed from any seed, and three lines.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0, where there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if self.plain || end == 0 {
            return 0;
        }
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// Whether something is done that is done one time in `times`.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) + 1 == times
    }

    pub(super) fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())].clone()
    }

    /// Sets a field one time in `times`.
    pub(super) fn maybe(&mut self, times: usize, object: &mut Value, name: &str, value: Value) {
        if self.one_in(times) {
            object[name] = value;
        }
    }

    /// Adds fields that no provider knows, with values of any type, now and then.
    pub(super) fn extra(&mut self, mut object: Value) -> Value {
        while self.one_in(8) {
            let name = self.pick(&["x_trace", "x.\"quoted\"", "x ключ", "x_😀", "x_null"]);
            let value = self.pick(&[
                json!(null),
                json!("\u{1}\u{7f}\u{2028}/\\\"é😀"),
                json!({"role": "tool", "content": ["messages", {"type": "tool_result"}]}),
                json!([-0.5, 0, 18_446_744_073_709_551_615_u64, 1.25e60, [], {}]),
                json!(false),
            ]);
            object[name] = value;
        }
        object
    }
}
