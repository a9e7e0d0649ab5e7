use super::automaton::NEXT;
use super::class::{CLASS, CLASSES};
use super::run::{MOST_STATES, State};
use super::weights::Weights;
use crate::request::Str;

/// Bytes of a block.
///
/// Each block is weighed for itself, so that several can be weighed at a time: what a state is
/// followed by is known only when it is known itself, and to wait for that takes longer than all
/// the rest.
const BLOCK: usize = 512;
/// Blocks weighed at a time.
const LANES: usize = 4;
const LANES_BYTES: usize = LANES * BLOCK;
/// Bytes before a block that are read, without weight, to know its first state. Few texts have a
/// run that is longer; in those, a place in it may be taken for another.
const LEAD_IN: usize = 32;

/// Units of the weights of all states that a text goes through.
pub(super) fn weigh(text: Str<'_>, weights: &Weights) -> u64 {
    match text.as_written() {
        Some(plain) => weigh_blocks(plain.as_bytes(), 0, weights),
        None => weigh_escaped(text, weights),
    }
}

/// Weighs `bytes` from `start` on, which is where a block begins. What is before it was weighed.
fn weigh_blocks(bytes: &[u8], mut start: usize, weights: &Weights) -> u64 {
    let mut units = 0;
    while bytes.len() - start >= LANES_BYTES {
        units += weigh_lanes(bytes, start, weights);
        start += LANES_BYTES;
    }
    while start < bytes.len() {
        let end = bytes.len().min(start + BLOCK);
        let mut state = state_at(bytes, start);
        for &byte in &bytes[start..end] {
            state = next(state, byte);
            units += u64::from(weights.of(state));
        }
        start = end;
    }
    units
}

/// Weighs as many blocks as there are lanes, side by side.
fn weigh_lanes(bytes: &[u8], start: usize, weights: &Weights) -> u64 {
    let mut units = [0_u64; LANES];
    let starts: [usize; LANES] = std::array::from_fn(|lane| start + lane * BLOCK);
    let blocks = starts.map(|start| &bytes[start..start + BLOCK]);
    let mut states = starts.map(|start| state_at(bytes, start));
    // So the compiler knows that no block is longer, and interleaves them.
    #[expect(clippy::needless_range_loop)]
    for place in 0..BLOCK {
        for lane in 0..LANES {
            states[lane] = next(states[lane], blocks[lane][place]);
            units[lane] += u64::from(weights.of(states[lane]));
        }
    }
    units.iter().sum()
}

/// The state before the byte at `start`.
fn state_at(bytes: &[u8], start: usize) -> u16 {
    let lead_in = &bytes[start.saturating_sub(LEAD_IN)..start];
    let start = State::START.number() as u16;
    lead_in.iter().fold(start, |state, &byte| next(state, byte))
}

#[inline(always)]
fn next(state: u16, byte: u8) -> u16 {
    // Neither is ever out of bounds, and so the compiler knows it.
    let class = usize::from(CLASS[usize::from(byte)]) % CLASSES;
    NEXT[usize::from(state) % MOST_STATES][class]
}

/// The same of text that is decoded meanwhile, some blocks at a time.
fn weigh_escaped(text: Str<'_>, weights: &Weights) -> u64 {
    let mut buffer = [0; LEAD_IN + LANES_BYTES];
    let (mut start, mut end, mut units) = (0, 0, 0);
    text.for_each_part(|mut part| {
        while !part.is_empty() {
            let room = &mut buffer[end..start + LANES_BYTES];
            let taken = room.len().min(part.len());
            room[..taken].copy_from_slice(&part[..taken]);
            part = &part[taken..];
            end += taken;
            if end == start + LANES_BYTES {
                units += weigh_blocks(&buffer[..end], start, weights);
                buffer.copy_within(end - LEAD_IN..end, 0);
                (start, end) = (LEAD_IN, LEAD_IN);
            }
        }
    });
    units + weigh_blocks(&buffer[..end], start, weights)
}

/// How often a text goes through each state, by the numbers of the states.
pub(super) fn visits(text: &str, mut visit: impl FnMut(u16)) {
    let bytes = text.as_bytes();
    for start in (0..bytes.len()).step_by(BLOCK) {
        let end = bytes.len().min(start + BLOCK);
        bytes[start..end]
            .iter()
            .fold(state_at(bytes, start), |state, &byte| {
                let state = next(state, byte);
                visit(state);
                state
            });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables;
    use super::*;
    use crate::estimate::Family;

    #[test]
    fn lanes_change_nothing() {
        let weights = tables::of(Family::Claude);
        let text = "Привет, a0A 漢字 = {\"x\": 1.25} 가나다 ".repeat(200);
        for length in [0, 1, 511, 512, 513, 2_047, 2_048, 2_049, 5_000, 9_000] {
            let end = (0..=length).rev().find(|&end| text.is_char_boundary(end));
            let text = &text[..end.unwrap()];
            let mut units = 0;
            visits(text, |state| units += u64::from(weights.of(state)));
            assert_eq!(weigh(Str::plain(text), weights), units, "{length} bytes");
        }
    }

    #[test]
    fn a_block_goes_on_where_the_one_before_ends() {
        let weights = tables::of(Family::Claude);
        let text = "Привет, a0A 漢字 = {\"x\": 1.25} 가나다 ".repeat(200);
        let (mut state, mut units) = (State::START.number() as u16, 0);
        for &byte in text.as_bytes() {
            state = next(state, byte);
            units += u64::from(weights.of(state));
        }
        assert_eq!(weigh(Str::plain(&text), weights), units);
    }
}
