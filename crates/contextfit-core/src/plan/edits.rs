use std::fmt;

use super::Clip;
use crate::cut::Cut;
use crate::request::ApplyError;

/// The edits that make a request fit.
///
/// A plan is made for one conversation and refers to its messages by index. An adapter carries
/// it out in one pass over [`steps`](Self::steps), or with [`rewrite`](Self::rewrite) where its
/// messages stand in a `Vec`. The same plan can be applied to the caller's own copy of the
/// history.
#[derive(Clone, PartialEq, Eq)]
pub struct Plan {
    cut: Cut,
    summary: Option<String>,
    clips: Vec<Clip>,
    max_output_tokens: Option<u32>,
}

/// One message of the result, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Message `index` as it is.
    Keep(usize),
    /// Message `index` with some of its text clipped.
    Clip(usize, &'a [Clip]),
    /// A new user message that stands for all that was cut.
    Summary(&'a str),
}

impl Plan {
    /// A plan that leaves all of `len` messages as they are.
    #[must_use]
    pub fn untouched(len: usize) -> Self {
        Self::new(Cut::none(len), String::new(), Vec::new())
    }

    /// A plan that replaces what is cut by one message with the text `summary`, and clips.
    ///
    /// Without a cut there is no such message. Clips of messages that are cut are dropped.
    #[must_use]
    pub fn new(cut: Cut, summary: String, mut clips: Vec<Clip>) -> Self {
        clips.retain(|clip| clip.message < cut.len() && !cut.contains(clip.message));
        clips.sort_by_key(|clip| (clip.message, clip.piece));
        let summary = (!cut.is_empty()).then_some(summary);
        Self {
            cut,
            summary,
            clips,
            max_output_tokens: None,
        }
    }

    /// Has the request ask for less output.
    #[must_use]
    pub const fn max_output_tokens(mut self, tokens: Option<u32>) -> Self {
        self.max_output_tokens = tokens;
        self
    }

    /// The output to ask for instead of what the request asks for, if it has to change.
    #[must_use]
    pub const fn lowered_output(&self) -> Option<u32> {
        self.max_output_tokens
    }

    /// How many messages the plan is for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cut.len()
    }

    /// Whether the plan is for a conversation without messages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the plan changes nothing.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.cut.is_empty() && self.clips.is_empty() && self.max_output_tokens.is_none()
    }

    /// The messages that are cut.
    #[must_use]
    pub const fn cut(&self) -> &Cut {
        &self.cut
    }

    /// The clipped texts, in order.
    #[must_use]
    pub fn clips(&self) -> &[Clip] {
        &self.clips
    }

    /// The text of the message that stands for what is cut.
    #[must_use]
    pub fn summary(&self) -> Option<&str> {
        self.summary.as_deref()
    }

    /// The messages of the result, in order. The summary stands where the first message was
    /// cut.
    ///
    /// ```
    /// use contextfit_core::cut::Cut;
    /// use contextfit_core::plan::{Plan, Step};
    ///
    /// let plan = Plan::new(Cut::of(4, 1..3), "so far".into(), vec![]);
    /// let steps: Vec<_> = plan.steps().collect();
    /// assert_eq!(steps, [Step::Keep(0), Step::Summary("so far"), Step::Keep(3)]);
    /// ```
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> + '_ {
        let mut summary = self.summary();
        let mut clips = self.clips.as_slice();
        (0..self.len()).filter_map(move |index| {
            if self.cut.contains(index) {
                return summary.take().map(Step::Summary);
            }
            let own = clips
                .iter()
                .take_while(|clip| clip.message == index)
                .count();
            let (own, later) = clips.split_at(own);
            clips = later;
            Some(if own.is_empty() {
                Step::Keep(index)
            } else {
                Step::Clip(index, own)
            })
        })
    }

    /// Carries the plan out on messages in a slice.
    ///
    /// `summary` makes a user message of a text; `clip` replaces the named pieces of a message,
    /// all of them in one call. It refuses a clip it finds no text for with
    /// [`ApplyError::NoSuchPiece`].
    ///
    /// # Errors
    ///
    /// There are not as many messages as the plan is for, or `clip` fails.
    pub fn rewrite<M: Clone>(
        &self,
        messages: &[M],
        summary: impl Fn(&str) -> M,
        mut clip: impl FnMut(&M, &[Clip]) -> Result<M, ApplyError>,
    ) -> Result<Vec<M>, ApplyError> {
        if messages.len() != self.len() {
            return Err(ApplyError::OtherRequest {
                planned: self.len(),
                found: messages.len(),
            });
        }
        self.steps()
            .map(|step| match step {
                Step::Keep(index) => Ok(messages[index].clone()),
                Step::Clip(index, clips) => clip(&messages[index], clips),
                Step::Summary(text) => Ok(summary(text)),
            })
            .collect()
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Plan")
            .field("messages", &self.len())
            .field("cut", &self.cut.count())
            .field("clips", &self.clips.len())
            .field("max_output_tokens", &self.max_output_tokens)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(message: usize, piece: usize) -> Clip {
        Clip {
            message,
            piece,
            text: format!("clip {message}.{piece}"),
            omitted_chars: 1,
        }
    }

    #[test]
    fn steps_keep_the_order_and_place_the_summary_once() {
        let mut cut = Cut::of(6, 1..2);
        cut.add(3..4);
        let plan = Plan::new(cut, "sum".into(), vec![clip(5, 1), clip(5, 0), clip(3, 0)]);
        let clips = [clip(5, 0), clip(5, 1)];
        assert_eq!(
            plan.steps().collect::<Vec<_>>(),
            [
                Step::Keep(0),
                Step::Summary("sum"),
                Step::Keep(2),
                Step::Keep(4),
                Step::Clip(5, &clips),
            ]
        );
    }

    #[test]
    fn a_plan_for_another_request_is_refused() {
        let plan = Plan::untouched(2);
        let result = plan.rewrite(&[1, 2, 3], |_| 0, |message, _| Ok(*message));
        assert_eq!(
            result,
            Err(ApplyError::OtherRequest {
                planned: 2,
                found: 3
            })
        );
        assert!(plan.is_untouched());
    }
}
