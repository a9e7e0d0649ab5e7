use contextfit_core::budget::Budget;
use contextfit_core::cut::{Cut, CutPolicy, Fate};
use contextfit_core::table::Table;
use proptest::prelude::*;

/// A policy that cuts without sense. The laws hold for what becomes of it all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostilePolicy {
    /// Summarizes, drops and clips messages by the bits of a hash of this seed: any mixture, the
    /// same every time.
    Random(u64),
    /// Cuts all messages.
    Everything,
    /// Answers with a cut of no message.
    Nothing,
    /// Answers that there is nothing to cut.
    Never,
    /// Cuts the last message.
    Last,
    /// Answers with a cut for a conversation that is one message shorter.
    TooShort,
    /// Answers with a cut for a conversation that is one message longer.
    TooLong,
}

impl CutPolicy for HostilePolicy {
    fn cut(&self, table: &Table, _: &Budget) -> Option<Cut> {
        let len = table.len();
        Some(match *self {
            Self::Random(seed) => {
                let mut cut = Cut::none(len);
                for index in 0..len {
                    cut.set(index, fate(seed, index));
                }
                cut
            }
            Self::Everything => Cut::of(len, 0..len),
            Self::Nothing => Cut::none(len),
            Self::Never => return None,
            Self::Last => Cut::of(len, len.saturating_sub(1)..len),
            Self::TooShort => {
                let shorter = len.saturating_sub(1);
                Cut::of(shorter, 0..shorter)
            }
            Self::TooLong => Cut::of(len + 1, 0..len + 1),
        })
    }
}

/// Any [`HostilePolicy`].
pub fn hostile_policies() -> impl Strategy<Value = HostilePolicy> {
    prop_oneof![
        8 => any::<u64>().prop_map(HostilePolicy::Random),
        2 => Just(HostilePolicy::Everything),
        1 => Just(HostilePolicy::Nothing),
        1 => Just(HostilePolicy::Never),
        1 => Just(HostilePolicy::Last),
        1 => Just(HostilePolicy::TooShort),
        1 => Just(HostilePolicy::TooLong),
    ]
}

/// What becomes of a message: in some seeds few are cut or clipped, in some most.
fn fate(seed: u64, index: usize) -> Fate {
    let hash = mix(seed ^ mix(index as u64));
    if hash % 8 > seed % 8 {
        return Fate::Keep;
    }
    match hash / 8 % 8 {
        0 => Fate::Clip(hash >> 56),
        1 => Fate::Clip(0),
        2 => Fate::Drop,
        _ => Fate::Summarize,
    }
}

/// The finalizer of SplitMix64: every bit of the result depends on every bit of the input.
const fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
