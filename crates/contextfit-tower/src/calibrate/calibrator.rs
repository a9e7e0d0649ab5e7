use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use contextfit_core::request::Conversation;
use quick_cache::sync::Cache;
use rapidhash::quality::RandomState;

use super::slope::Samples;
use super::{Fingerprints, Slope};

/// Learns from what providers count, so that estimates come true.
///
/// A provider says how many tokens a prompt had. The next request of the same conversation starts
/// with the same messages: their count is known then, hidden tokens included (a template, tools
/// that the provider adds), and only what came after is estimated. From two counts of one
/// conversation it also learns how many of the provider's tokens an estimated one is worth, for
/// each model.
///
/// - A count holds for the very prompt that was counted. A conversation that was compacted or
///   edited starts otherwise, and is estimated until it is counted anew.
/// - The prompt as a whole is never scaled by counted ⁄ estimated: that would multiply what is
///   hidden. Only differences teach the ratio; little evidence moves it little, and it stays between
///   a quarter and four.
/// - A count below a quarter of the estimate isn't believed: the provider may have cut the prompt.
///   Where one isn't above that of an earlier part of the same prompt, one of the two is wrong, and
///   neither is believed any longer.
/// - What is learned never refuses a request that would be sent without it.
///
/// Give it to [`FitterBuilder::calibrator`](crate::FitterBuilder::calibrator). It is fed by both
/// layers: from responses, if they know how to read them
/// ([`UsageOverflow`](crate::UsageOverflow) does, and
/// [`ContextFitLayer::usage`](crate::ContextFitLayer::usage)), and from the numbers of an overflow.
/// Without layers, call [`Fitter::learn`](crate::Fitter::learn).
///
/// A clone shares what is learned. It remembers no text, only keyed hashes.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_tower::{Calibrator, Fitter, Usage};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fitter = Fitter::builder().window(128_000).calibrator(Calibrator::default()).build()?;
/// let mut chat = ChatRequest::new("a-model", [ChatMessage::user("What is 17 × 23?")]);
/// assert_eq!(fitter.measure(&chat)?.prompt(), 8);
///
/// // The provider has a long template.
/// fitter.learn(&chat, &Usage::new(817, 3))?;
/// chat.messages.push(ChatMessage::assistant("391"));
/// chat.messages.push(ChatMessage::user("And 17 × 24?"));
/// assert_eq!(fitter.measure(&chat)?.prompt(), 817 + 4 + 7);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Calibrator {
    shared: Arc<Shared>,
}

struct Shared {
    /// Makes fingerprints that nobody can foresee.
    key: RandomState,
    /// Tokens of prompts, by their fingerprint.
    counts: Cache<u64, u64>,
    models: RwLock<HashMap<String, Samples>>,
}

/// How a request is counted: by what is known of its model and of its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Calibration {
    pub(crate) slope: Slope,
    /// So many messages at the start were counted, with so many tokens.
    pub(crate) start: Option<(usize, u64)>,
}

impl Calibration {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        slope: Slope::ONE,
        start: None,
    };
}

/// What the provider's count of a prompt is to be kept under, and compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// The fingerprint of the prompt.
    pub(crate) fingerprint: u64,
    /// Its tokens, as they are estimated without anything that was learned.
    pub(crate) estimated: u64,
    /// Those of what is never cut, estimated in the same way.
    pub(crate) fixed: u64,
    /// Another prompt of the same conversation: the difference teaches.
    pub(crate) other: Option<Other>,
}

/// A prompt that was counted, and what was estimated for it without anything that was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    /// The start of this one, with the fingerprint of it.
    Start {
        fingerprint: u64,
        counted: u64,
        estimated: u64,
    },
    /// The one that was too long, and that this one was made from.
    TooLong { counted: u64, estimated: u64 },
}

impl Calibrator {
    /// Prompts whose counts are remembered, unless set.
    pub const PROMPTS: usize = 16_384;
    /// More models than anybody uses; beyond them no ratio is learned.
    const MODELS: usize = 1_024;

    /// A calibrator that remembers the counts of so many prompts, of 16 bytes and about as many
    /// more each. A conversation needs one; the longest unused go first.
    #[must_use]
    pub fn remembering(prompts: usize) -> Self {
        Self {
            shared: Arc::new(Shared {
                key: RandomState::new(),
                counts: Cache::new(prompts),
                models: RwLock::default(),
            }),
        }
    }

    pub(crate) fn fingerprints<V: Conversation>(&self, view: &V) -> Fingerprints {
        Fingerprints::of(view, &self.shared.key)
    }

    /// What is known of a request: of its model, and of the longest start that was counted.
    pub(crate) fn calibration(&self, model: Option<&str>, prints: &Fingerprints) -> Calibration {
        let models = self.shared.models.read();
        let models = models.unwrap_or_else(PoisonError::into_inner);
        let samples = models.get(model.unwrap_or_default()).copied();
        drop(models);
        let start = prints
            .longest_first()
            .find_map(|(messages, print)| Some((messages, self.shared.counts.get(&print)?)));
        Calibration {
            slope: samples.map_or(Slope::ONE, Samples::slope),
            start,
        }
    }

    /// Learns that the provider counted so many tokens for a prompt, if that can be.
    pub(crate) fn learn(&self, model: Option<&str>, receipt: &Receipt, counted: u64) {
        if counted == 0 || counted < receipt.estimated / Slope::MOST {
            return;
        }
        let counts = &self.shared.counts;
        let known = counts.get(&receipt.fingerprint);
        if known.is_some_and(|known| counted < known) {
            // Another layer had it counted since, and sent less of it after that.
            counts.remove(&receipt.fingerprint);
            return;
        }
        let more = match receipt.other {
            None => None,
            Some(Other::Start {
                fingerprint,
                counted: start,
                estimated,
            }) => {
                let added = receipt.estimated.saturating_sub(estimated);
                // Whatever is added costs a token at least.
                if counted < start || counted == start && added > 0 {
                    counts.remove(&fingerprint);
                    return;
                }
                Some((counted - start, added))
            }
            Some(Other::TooLong {
                counted: other,
                estimated,
            }) => other
                .checked_sub(counted)
                .zip(estimated.checked_sub(receipt.estimated)),
        };
        counts.insert(receipt.fingerprint, counted);
        if let Some((counted, estimated)) = more
            && estimated > 0
        {
            self.sample(model.unwrap_or_default(), counted, estimated);
        }
    }

    fn sample(&self, model: &str, counted: u64, estimated: u64) {
        let models = self.shared.models.write();
        let mut models = models.unwrap_or_else(PoisonError::into_inner);
        if let Some(samples) = models.get_mut(model) {
            samples.add(counted, estimated);
        } else if models.len() < Self::MODELS {
            let mut samples = Samples::default();
            samples.add(counted, estimated);
            models.insert(model.to_owned(), samples);
        }
    }

    /// Whether anything was learned.
    pub(crate) fn is_empty(&self) -> bool {
        self.shared.counts.is_empty()
    }
}

impl Default for Calibrator {
    fn default() -> Self {
        Self::remembering(Self::PROMPTS)
    }
}

impl fmt::Debug for Calibrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calibrator")
            .field("prompts", &self.shared.counts.len())
            .finish_non_exhaustive()
    }
}
