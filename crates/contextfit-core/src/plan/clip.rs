use std::fmt;
use std::ops::Range;

use crate::estimate::{Estimator, is_clippable};
use crate::marker::{marker, markers};
use crate::request::{Conversation, Piece, Role, Str};

/// A text inside a kept message that is replaced by its head, a marker and its tail.
#[derive(Clone, PartialEq, Eq)]
pub struct Clip {
    /// The message.
    pub message: usize,
    /// The piece, by its number in the order in which
    /// [`Conversation::pieces`] shows the pieces of the message.
    pub piece: usize,
    /// What stands there from now on.
    pub text: String,
    /// How many characters were left out, as the marker says too.
    pub omitted_chars: usize,
}

impl fmt::Debug for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Clip")
            .field("message", &self.message)
            .field("piece", &self.piece)
            .field("omitted_chars", &self.omitted_chars)
            .finish_non_exhaustive()
    }
}

/// A text with its middle left out, and how many characters that are.
///
/// A quarter of what is kept is the head and three quarters are the tail, cut at the ends of
/// lines where one is near. The marker between them says how much is missing, so that a model
/// doesn't take the rest for the whole; of a text that was clipped before, all that is missing.
/// Deterministic.
///
/// The result costs at most `most` as `cost` tells it; `None` where not even the marker fits,
/// and `None` too where the text needs no clipping.
///
/// ```
/// use contextfit_core::plan::clip_text;
///
/// let text = "line\n".repeat(1_000);
/// let (clipped, omitted) = clip_text(&text, 200, |text| text.len() as u64).expect("fits");
/// assert!(clipped.len() <= 200 && omitted > 4_000);
/// assert!(clipped.contains(&omitted.to_string()));
/// ```
pub fn clip_text(text: &str, most: u64, cost: impl Fn(&str) -> u64) -> Option<(String, usize)> {
    if cost(text) <= most {
        return None;
    }
    let chars = text.chars().count();
    let earlier = earlier_markers(text);
    // The largest number of kept characters that fits: doubled until one doesn't, then by
    // bisection between the two, so that little more of a large text is looked at than stays. An
    // estimate is monotone enough, and a text that doesn't fit is never returned.
    let with = |keep: usize| {
        Some(around_the_middle(text, chars, &earlier, keep)).filter(|(text, _)| cost(text) <= most)
    };
    let mut clipped = with(0)?;
    let (mut fits, mut too_many) = (0, 1);
    while too_many < chars
        && let Some(longer) = with(too_many)
    {
        (clipped, fits) = (longer, too_many);
        too_many *= 2;
    }
    too_many = too_many.min(chars);
    while too_many - fits > 1 {
        let keep = fits + (too_many - fits) / 2;
        match with(keep) {
            Some(longer) => (clipped, fits) = (longer, keep),
            None => too_many = keep,
        }
    }
    Some(clipped)
}

/// The text with about `keep` of its `chars` characters, never more.
fn around_the_middle(text: &str, chars: usize, earlier: &[Marker], keep: usize) -> (String, usize) {
    let head = head_of_lines(&text[..byte_of_char(text, keep / 4)]);
    let tail = tail_of_lines(last_chars(text, keep - keep / 4));
    let mut left_out = head.len()..text.len() - tail.len();
    for marker in earlier {
        left_out = marker.whole_in(left_out);
    }
    let (head, tail) = (&text[..left_out.start], &text[left_out.end..]);
    let mut omitted = chars - Str::plain(head).char_count() - Str::plain(tail).char_count();
    for marker in earlier.iter().filter(|marker| marker.is_in(&left_out)) {
        // What it stands for is missing too, and nobody misses the marker.
        omitted = (omitted - marker.chars).saturating_add(marker.omitted);
    }
    let marker = marker(omitted);
    let mut clipped = String::with_capacity(head.len() + marker.len() + tail.len() + 2);
    for part in [head, &marker, tail] {
        if !clipped.is_empty() && !clipped.ends_with('\n') && !part.is_empty() {
            clipped.push('\n');
        }
        clipped.push_str(part);
    }
    (clipped, omitted)
}

/// The marker of an earlier clip.
struct Marker {
    place: Range<usize>,
    chars: usize,
    omitted: usize,
}

impl Marker {
    fn is_in(&self, range: &Range<usize>) -> bool {
        range.start <= self.place.start && self.place.end <= range.end
    }

    /// The range, with all of the marker where it would hold a part.
    fn whole_in(&self, range: Range<usize>) -> Range<usize> {
        let holds = |byte: usize| self.place.start < byte && byte < self.place.end;
        let start = if holds(range.start) {
            self.place.start
        } else {
            range.start
        };
        let end = if holds(range.end) {
            self.place.end
        } else {
            range.end
        };
        start..end
    }
}

/// The markers in a text that was clipped before.
fn earlier_markers(text: &str) -> Vec<Marker> {
    markers(text)
        .map(|(place, omitted)| Marker {
            chars: text[place.clone()].chars().count(),
            place,
            omitted,
        })
        .collect()
}

fn byte_of_char(text: &str, index: usize) -> usize {
    text.char_indices()
        .nth(index)
        .map_or(text.len(), |(byte, _)| byte)
}

fn last_chars(text: &str, count: usize) -> &str {
    match count.checked_sub(1) {
        Some(before) => text
            .char_indices()
            .nth_back(before)
            .map_or(text, |(start, _)| &text[start..]),
        None => "",
    }
}

/// Ends at the end of a line if that costs less than half of the text.
fn head_of_lines(head: &str) -> &str {
    match head.rfind('\n') {
        Some(end) if end * 2 >= head.len() => &head[..=end],
        _ => head,
    }
}

/// Starts at the start of a line if that costs less than half of the text.
fn tail_of_lines(tail: &str) -> &str {
    match tail.find('\n') {
        Some(end) if end * 2 < tail.len() => &tail[end + 1..],
        _ => tail,
    }
}

/// What clipping a message comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClippedMessage {
    /// The texts that are replaced, in order.
    pub clips: Vec<Clip>,
    /// Tokens of the message with them.
    pub tokens: u64,
}

/// Clips the texts of message `index` that may be clipped, the largest first, until the message
/// costs at most `most` tokens or as little as they allow.
pub fn clip_message<V, E>(view: &V, estimator: &E, index: usize, most: u64) -> ClippedMessage
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    let role = view.message(index).role;
    let mut tokens = estimator.message_overhead(role);
    let mut texts = Vec::new();
    let mut number = 0;
    view.pieces(index, &mut |piece| {
        let cost = estimator.count(piece);
        match OwnedText::of(role, piece) {
            Some(text) => texts.push((number, text, cost)),
            None => tokens += cost,
        }
        number += 1;
    });
    let whole = texts.iter().fold(tokens, |sum, &(_, _, cost)| sum + cost);
    if whole.floor() <= most {
        return ClippedMessage {
            clips: Vec::new(),
            tokens: whole.floor(),
        };
    }
    let costs: Vec<u64> = texts.iter().map(|&(_, _, cost)| cost.ceil()).collect();
    let level = level_for(&costs, most.saturating_sub(tokens.ceil()));
    let mut clips = Vec::new();
    for (piece, text, cost) in texts {
        let cost_of = |content: &str| estimator.count(text.with(content));
        let clipped = if cost.ceil() > level {
            clip_text(&text.content, level, |content| cost_of(content).ceil())
        } else {
            None
        };
        match clipped {
            Some((text, omitted_chars)) => {
                tokens += cost_of(&text);
                clips.push(Clip {
                    message: index,
                    piece,
                    text,
                    omitted_chars,
                });
            }
            None => tokens += cost,
        }
    }
    ClippedMessage {
        clips,
        tokens: tokens.floor(),
    }
}

/// A text that may be clipped, and the piece it is in.
struct OwnedText {
    content: String,
    /// The call and the tool, if it is a result.
    result: Option<(String, String)>,
}

impl OwnedText {
    /// `None` if nothing of the piece may be clipped in a message of this role.
    fn of(role: Role, piece: Piece<'_>) -> Option<Self> {
        if !is_clippable(role, &piece) {
            return None;
        }
        let own = |text: Str<'_>| text.decode().into_owned();
        match piece {
            Piece::Text(text) => Some(Self {
                content: own(text),
                result: None,
            }),
            Piece::ToolResult {
                call_id,
                name,
                content,
            } => Some(Self {
                content: own(content),
                result: Some((own(call_id), own(name))),
            }),
            _ => None,
        }
    }

    /// The same piece with another content.
    fn with<'a>(&'a self, content: &'a str) -> Piece<'a> {
        let content = Str::plain(content);
        match &self.result {
            Some((call_id, name)) => Piece::ToolResult {
                call_id: Str::plain(call_id),
                name: Str::plain(name),
                content,
            },
            None => Piece::Text(content),
        }
    }
}

/// The highest level to which costs can be capped so that they sum up to at most `most`.
pub(super) fn level_for(costs: &[u64], most: u64) -> u64 {
    let mut sorted = costs.to_vec();
    sorted.sort_unstable();
    let mut left = most;
    for (index, &cost) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - index) as u64;
        if cost > share {
            return share;
        }
        left -= cost;
    }
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chars(text: &str) -> u64 {
        text.chars().count() as u64
    }

    #[test]
    fn head_and_tail_stay_and_the_marker_is_honest() {
        let text: String = (0..500).map(|line| format!("line {line}\n")).collect();
        let (clipped, omitted) = clip_text(&text, 400, chars).unwrap();
        assert!(clipped.starts_with("line 0\n") && clipped.ends_with("line 499\n"));
        let (head, rest) = clipped.split_once("[… ").unwrap();
        let (_, tail) = rest.split_once("…]\n").unwrap();
        assert_eq!(chars(&text) - chars(head) - chars(tail), omitted as u64);
        assert!(tail.len() > 2 * head.len());
    }

    #[test]
    fn a_text_that_is_clipped_again_and_again_says_all_that_is_missing() {
        for text in ["line of text\n".repeat(2_000), "x".repeat(20_000)] {
            let mut clipped = text.clone();
            for most in [9_000, 8_900, 5_000, 1_234, 300, 120] {
                let Some((again, omitted)) = clip_text(&clipped, most, chars) else {
                    continue;
                };
                clipped = again;
                assert_eq!(clipped.matches("[…").count(), 1, "{clipped}");
                assert_eq!(clipped.matches("…]").count(), 1, "{clipped}");
                let (head, rest) = clipped.split_once("[…").unwrap();
                let (_, tail) = rest.split_once("…]").unwrap();
                let kept = head.trim_end().len() + tail.trim_start().len();
                let missing = text.len() - kept;
                // Line ends beside the markers come and go.
                assert!(missing.abs_diff(omitted) <= 12, "{missing}, {omitted} told");
            }
        }
    }

    #[test]
    fn text_that_looks_like_a_marker_is_text() {
        for almost in [
            "[… ",
            "[… 12",
            "[… 12 characters omitted",
            "[… x characters omitted to fit the context window …]",
            "[… 99999999999999999999999 characters omitted to fit the context window …]",
        ] {
            let text = format!("{}{almost}{}", "x".repeat(500), "y".repeat(500));
            let (clipped, omitted) = clip_text(&text, 200, chars).unwrap();
            assert!(chars(&clipped) <= 200 && omitted <= text.len());
        }
        // A number as large as can be adds up to no more than that.
        let marker = marker(usize::MAX);
        let text = format!("{}{marker}{}", "x".repeat(500), "y".repeat(500));
        assert_eq!(clip_text(&text, 200, chars).unwrap().1, usize::MAX);
    }

    #[test]
    fn a_text_that_fits_or_leaves_no_room_for_the_marker_is_not_clipped() {
        assert_eq!(clip_text("short", 5, chars), None);
        assert_eq!(clip_text(&"x".repeat(1_000), 10, chars), None);
    }

    #[test]
    fn a_message_that_fits_by_a_fraction_is_not_clipped() {
        use crate::chat::{ChatMessage, ChatRequest, ContentPart};
        use crate::estimate::CharEstimator;
        // Two texts of 100 tokens and a half each, and 4 for the message.
        let parts = vec![ContentPart::text("x".repeat(402)); 2];
        let chat = ChatRequest::new("m", [ChatMessage::user(parts)]);
        let clip = |most| clip_message(&chat, &CharEstimator::default(), 0, most);
        assert_eq!(clip(205).clips, []);
        let tight = clip(204);
        assert_eq!(tight.clips.len(), 2);
        assert!(tight.tokens <= 204);
    }

    #[test]
    fn levels_fill_the_room() {
        assert_eq!(level_for(&[10, 10, 100], 60), 40);
        assert_eq!(level_for(&[50, 50], 60), 30);
        assert_eq!(level_for(&[50, 50], 100), u64::MAX);
        assert_eq!(level_for(&[], 0), u64::MAX);
        assert_eq!(level_for(&[5], 0), 0);
    }

    proptest! {
        #[test]
        fn a_clipped_text_fits_and_is_made_of_its_head_and_tail(
            text in "[a-z\n é😀]{0,400}", most in 0_u64..300,
        ) {
            if let Some((clipped, omitted)) = clip_text(&text, most, chars) {
                prop_assert!(chars(&clipped) <= most);
                let (head, rest) = clipped.split_once("[…").unwrap();
                let (_, tail) = rest.split_once("…]").unwrap();
                prop_assert!(text.starts_with(head.trim_end_matches('\n')));
                prop_assert!(text.ends_with(tail.trim_start_matches('\n')));
                prop_assert!(omitted > 0);
            }
        }

        #[test]
        fn capped_costs_fit(costs in prop::collection::vec(0_u64..1_000, 0..20), most in 0_u64..9_000) {
            let level = level_for(&costs, most);
            let sum = |level: u64| costs.iter().map(|cost| cost.min(&level)).sum::<u64>();
            prop_assert!(sum(level) <= most);
            prop_assert!(level == u64::MAX || sum(level + 1) > most);
        }
    }
}
