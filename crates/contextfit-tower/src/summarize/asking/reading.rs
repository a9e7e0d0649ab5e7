use std::sync::Arc;

use contextfit_core::estimate::Estimator;
use contextfit_core::plan::clip_text;
use contextfit_core::summary::{Chunk, input_budget};

use crate::summarize::{SummarizeError, Summarizer, SummaryJob};
use crate::tokens::text_tokens;

/// How a summarizer gets to read what it is to summarize: in as many chunks as its window asks for.
pub(crate) struct Reading {
    /// What is read at once, oldest first. What is in none of them was left out before the first.
    pub(crate) chunks: Vec<Chunk>,
    /// The most tokens that the model may put out.
    pub(in crate::summarize) max_output_tokens: u64,
    /// The most tokens that a previous summary may have beside a chunk.
    most_previous: u64,
    /// What counts for the summarizer's window.
    estimator: Arc<dyn Estimator>,
}

impl Reading {
    /// What a model may put out beside a summary of the longest, to think.
    const THINKING: u64 = 4_096;
    /// It is of no use to read fewer tokens.
    const LEAST: u64 = 64;

    /// Packs what a job is about for a summarizer.
    ///
    /// From its window go what it may put out, its prompt, and what was summarized before; of the
    /// rest a tenth is kept free, because counts are estimates. A message counts with the blank line
    /// below it.
    pub(crate) fn of<Z>(summarizer: &Z, job: &SummaryJob) -> Result<Self, SummarizeError>
    where
        Z: Summarizer + ?Sized,
    {
        let estimator = summarizer.estimator();
        let estimator = estimator.unwrap_or_else(|| Arc::clone(&job.estimator));
        let max_output_tokens = most_output(summarizer, job.max_tokens);
        let between = text_tokens(&*estimator, "\n\n");
        let count = |text: &str| text_tokens(&*estimator, text).saturating_add(between);
        let caps = &job.settings.caps;
        let Some(window) = summarizer.window() else {
            // Nothing has to be counted.
            return Ok(Self {
                chunks: job.conversation.chunks(u64::MAX, 1, caps, |_| 0),
                max_output_tokens,
                most_previous: u64::MAX,
                estimator,
            });
        };
        let prompt = job.prompt_tokens(&*estimator);
        let budget = |previous| input_budget(window, max_output_tokens, prompt, previous);
        // A previous summary may have half of what is to be read, and all of it if that is all.
        let most_previous = match job.conversation.len() {
            0 => budget(0),
            _ => budget(0) / 2,
        };
        let previous = job.previous.as_deref();
        let previous = previous.map_or(0, |text| SummaryJob::previous_tokens(&*estimator, text));
        let previous = previous.min(most_previous);
        if budget(previous).max(previous) < Self::LEAST {
            let taken = [max_output_tokens, prompt, previous];
            let taken = taken.into_iter().fold(0, u64::saturating_add);
            return Err(SummarizeError::WindowTooSmall { window, taken });
        }
        let calls = job.settings.calls.max(1);
        let mut chunks = job.conversation.chunks(budget(previous), 1, caps, count);
        if calls > 1 && chunks.iter().any(|chunk| chunk.omitted > 0) {
            // Each summary is the previous one of the next.
            let previous = previous.max(job.max_tokens).min(most_previous);
            chunks = job
                .conversation
                .chunks(budget(previous), calls, caps, count);
        }
        Ok(Self {
            chunks,
            max_output_tokens,
            most_previous,
            estimator,
        })
    }

    /// A previous summary as far as there is room for it, with a marker for the rest, and whether
    /// that is all of it.
    pub(in crate::summarize) fn previous(&self, previous: String) -> (Option<String>, bool) {
        let cost = |text: &str| SummaryJob::previous_tokens(&*self.estimator, text);
        if self.most_previous == u64::MAX || cost(&previous) <= self.most_previous {
            return (Some(previous), true);
        }
        let clipped = clip_text(&previous, self.most_previous, cost);
        (clipped.map(|(shorter, _)| shorter), false)
    }
}

/// The most tokens that a summarizer's model may put out for a summary of so many: with a share of
/// its own for thinking, where it has one, as long as that leaves half of the window to read in.
fn most_output<Z: Summarizer + ?Sized>(summarizer: &Z, max_tokens: u64) -> u64 {
    let Some(output) = summarizer.max_output_tokens() else {
        return max_tokens;
    };
    let half = summarizer.window().map_or(u64::MAX, |window| window / 2);
    let with_thoughts = max_tokens.saturating_add(Reading::THINKING);
    u64::from(output).min(with_thoughts.min(half.max(max_tokens)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarize::{HeadSummarizer, SummaryKind, SummarySettings, summarizer_fn};
    use crate::{BoxError, summarizer_service};
    use contextfit_core::chat::{ChatMessage, ChatRequest};
    use contextfit_core::estimate::{CharEstimator, TokenCount, estimator_fn};
    use contextfit_core::summary::Transcript;
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;
    use tower::service_fn;

    /// A job of 40 messages of 250 tokens each.
    fn job(kind: SummaryKind, previous: Option<&str>, calls: usize) -> SummaryJob {
        let long = "word ".repeat(200);
        let messages = (0..40).map(|number| ChatMessage::user(format!("{number}: {long}")));
        let chat = ChatRequest::new("m", messages);
        SummaryJob::new(
            kind,
            Transcript::of(&chat, 0..40),
            previous,
            100,
            Arc::new(CharEstimator::default()),
            Arc::new(SummarySettings {
                calls,
                ..SummarySettings::default()
            }),
        )
    }

    fn reading(window: u64, job: &SummaryJob) -> Result<Reading, SummarizeError> {
        let model = summarizer_fn(|_| async { Ok::<_, BoxError>("summary") }).window(window);
        Reading::of(&model, job)
    }

    #[test]
    fn a30_prompt_and_summary_fit_into_the_window() {
        let previous = "fact ".repeat(1_000);
        for (kind, previous) in [
            (SummaryKind::History, None),
            (SummaryKind::History, Some(&*previous)),
            (SummaryKind::TurnStart, None),
        ] {
            for calls in [1, 3, 8, 100] {
                let job = job(kind, previous, calls);
                let reading = reading(4_000, &job).unwrap();
                let read: usize = reading
                    .chunks
                    .iter()
                    .map(|chunk| chunk.messages.len())
                    .sum();
                let omitted = reading.chunks[0].omitted;
                assert_eq!(read + omitted, 40);
                assert!(omitted == 0 || calls < 100);
                assert!(omitted > 0 || calls > 3);
                let previous = previous.map(|text| reading.previous(text.to_owned()));
                assert!(previous.as_ref().is_none_or(|(_, all)| *all));
                for (number, chunk) in reading.chunks.iter().enumerate() {
                    let job = SummaryJob {
                        transcript: chunk.text.clone(),
                        previous: previous.clone().and_then(|(text, _)| text),
                        ..job.clone()
                    };
                    let (system, prompt) = (job.system(), job.prompt());
                    let tokens = job.count(system) + job.count(&prompt) + job.max_tokens;
                    assert!(
                        tokens <= 4_000 && (tokens >= 2_500 || number == 0),
                        "{tokens}"
                    );
                    let note = format!("<conversation>\n[{omitted} earlier messages");
                    assert_eq!(prompt.starts_with(&note), number == 0 && omitted > 0);
                }
            }
        }
    }

    #[test]
    fn without_a_window_all_is_read_at_once_and_nothing_is_counted() {
        let job = job(SummaryKind::History, Some("fact"), 8);
        let reading = Reading::of(&HeadSummarizer, &job).unwrap();
        assert_eq!(reading.chunks.len(), 1);
        assert_eq!(reading.chunks[0].messages.len(), 40);
        assert_eq!(reading.max_output_tokens, 100);
        assert_eq!(
            reading.previous("fact".to_owned()),
            (Some("fact".to_owned()), true)
        );
    }

    #[test]
    fn a_previous_summary_that_is_too_large_for_the_window_is_clipped_and_says_so() {
        let previous = "fact ".repeat(10_000);
        let job = job(SummaryKind::History, Some(&previous), 8);
        let reading = reading(4_000, &job).unwrap();
        let (shorter, whole) = reading.previous(previous);
        let shorter = shorter.unwrap();
        assert!(!whole && shorter.contains("characters omitted"));
        assert!((1_000..2_000).contains(&job.count(&shorter)));
        assert!(
            reading
                .chunks
                .iter()
                .all(|chunk| job.count(&chunk.text) > 500)
        );
    }

    #[test]
    fn a_window_without_room_to_read_is_an_error_with_its_numbers() {
        let job = job(SummaryKind::History, None, 8);
        let error = reading(500, &job).map(|_| ()).unwrap_err();
        assert!(
            matches!(error, SummarizeError::WindowTooSmall { window: 500, taken } if taken > 400),
            "{error}"
        );
        assert!(reading(2_000, &job).is_ok());
    }

    #[test]
    fn a_window_is_counted_by_the_summarizers_own_estimator() {
        let job = job(SummaryKind::History, None, 1);
        let half = estimator_fn(|piece| {
            let mut chars = 0;
            piece.for_each_text(|text| chars += text.char_count() as u64);
            TokenCount::tokens(chars.div_ceil(2))
        });
        let model = || summarizer_fn(|_| async { Ok::<_, BoxError>("summary") }).window(6_000);
        let by_fitter = Reading::of(&model(), &job).unwrap();
        let by_itself = Reading::of(&model().estimator(half), &job).unwrap();
        let read = |reading: &Reading| reading.chunks[0].messages.len();
        assert!(read(&by_itself) < read(&by_fitter) / 2);
    }

    #[test]
    fn c1_many_short_messages_fit_with_the_blank_lines_between_them() {
        let chat = ChatRequest::new("m", (0..5_000).map(|_| ChatMessage::user("a")));
        let chars = estimator_fn(|piece| {
            let mut chars = 0;
            piece.for_each_text(|text| chars += text.char_count() as u64);
            TokenCount::tokens(chars)
        });
        let mut job = job(SummaryKind::History, None, 1);
        job.conversation = Transcript::of(&chat, 0..5_000);
        job.estimator = Arc::new(chars);
        let reading = reading(20_000, &job).unwrap();
        job.transcript.clone_from(&reading.chunks[0].text);
        let prompt = job.count(job.system()) + job.count(&job.prompt());
        let tokens = prompt + reading.max_output_tokens;
        assert!((17_000..=20_000).contains(&tokens), "{tokens}");
    }

    #[test]
    fn c6_a_model_may_put_out_more_than_the_summary_so_that_it_can_think() {
        for (output, window, most) in [
            (None, None, 100),
            (Some(50), None, 50),
            (Some(2_000), None, 2_000),
            (Some(64_000), None, 4_196),
            (Some(64_000), Some(4_000), 2_000),
            (Some(64_000), Some(150), 100),
        ] {
            let service = service_fn(|(): ()| async { Ok::<_, BoxError>(()) });
            let mut model = summarizer_service(
                service,
                |_: &SummaryJob| (),
                |()| Ok::<_, BoxError>("summary".into()),
            );
            if let Some(output) = output {
                model = model.max_output_tokens(output);
            }
            if let Some(window) = window {
                model = model.window(window);
            }
            assert_eq!(most_output(&model, 100), most, "{output:?} {window:?}");
        }
    }

    proptest! {
        #[test]
        fn c1_c7_no_call_is_larger_than_the_window_and_every_message_is_read_or_counted(
            messages in vec(prop_oneof![0_usize..4, 0_usize..2_000], 1..60),
            previous in option::of(0_usize..20_000),
            window in 0_u64..12_000,
            output in option::of(0_u32..10_000),
            calls in 0_usize..12,
            is_start in any::<bool>(),
        ) {
            let chat = messages.iter().map(|&chars| ChatMessage::user("x".repeat(chars)));
            let chat = ChatRequest::new("m", chat);
            let kind = if is_start { SummaryKind::TurnStart } else { SummaryKind::History };
            let whole = SummaryJob::new(
                kind,
                Transcript::of(&chat, 0..messages.len()),
                previous.map(|chars| "x".repeat(chars)).as_deref(),
                100,
                Arc::new(CharEstimator::default()),
                Arc::new(SummarySettings { calls, ..SummarySettings::default() }),
            );
            let mut model = summarizer_fn(|_| async { Ok::<_, BoxError>("summary") }).window(window);
            if let Some(output) = output {
                model = model.max_output_tokens(output);
            }
            let reading = match Reading::of(&model, &whole) {
                Ok(reading) => reading,
                Err(error) => {
                    let is_small = matches!(error, SummarizeError::WindowTooSmall { .. });
                    prop_assert!(is_small && window < 4_000, "{error}");
                    return Ok(());
                }
            };
            let read: usize = reading.chunks.iter().map(|chunk| chunk.messages.len()).sum();
            prop_assert_eq!(read + reading.chunks[0].omitted, messages.len());
            prop_assert!((1..=calls.max(1)).contains(&reading.chunks.len()));
            let mut previous = whole.previous.clone();
            for chunk in &reading.chunks {
                let shown = previous.take().map(|previous| reading.previous(previous));
                let job = SummaryJob {
                    transcript: chunk.text.clone(),
                    messages: chunk.messages.len(),
                    previous: shown.and_then(|(text, _)| text),
                    ..whole.clone()
                };
                let prompt = job.count(job.system()) + job.count(&job.prompt());
                prop_assert!(prompt + reading.max_output_tokens <= window, "{prompt}");
                // The longest that a summary may be.
                previous = Some("y".repeat(4 * 100));
            }
        }
    }
}
