use std::sync::Arc;

use super::accept::accept;
use super::reading::Reading;
use super::{SummarizeError, Summarizer, Summary, SummaryJob};

/// Has a summarizer summarize all that a job is about, and accepts nothing that can't stand for it.
///
/// What is too long for the summarizer's window is read in chunks, from the oldest to the newest,
/// each with the summary of all before it, so that every message enters a summary. A summary over
/// its bound is asked for once more, in fewer tokens; whatever else can't be used is an error.
pub(crate) async fn run<Z>(summarizer: &Z, job: SummaryJob) -> Result<Summary, SummarizeError>
where
    Z: Summarizer + ?Sized,
{
    let mut reading = Reading::of(summarizer, &job)?;
    let mut most_asked = job.max_tokens;
    let mut previous = job.previous.clone();
    let (mut archived, mut omitted, mut degraded) = (0, 0, false);
    let mut chunks = std::mem::take(&mut reading.chunks).into_iter().peekable();
    while let Some(chunk) = chunks.next() {
        let (shown, whole) = match previous.take() {
            Some(previous) => reading.previous(previous),
            None => (None, true),
        };
        let part = SummaryJob {
            transcript: chunk.text,
            messages: chunk.messages.len(),
            conversation: chunk.messages,
            omitted: chunk.omitted,
            previous: shown,
            max_output_tokens: reading.max_output_tokens,
            ..job.clone()
        };
        let summary = within_bound(summarizer, part, &mut most_asked).await?;
        archived += summary.archived;
        omitted += chunk.omitted + summary.omitted;
        degraded |= summary.degraded || !whole;
        if chunks.peek().is_none() {
            return Ok(Summary {
                archived,
                omitted,
                degraded,
                ..summary
            });
        }
        job.log.written(&summary);
        previous = Some(summary.text);
    }
    // There is at least one chunk.
    Err(SummarizeError::Blank)
}

/// Asks for a summary, and once more for a shorter one if it is over its bound. How little had to
/// be asked for is what the next chunk is asked for.
async fn within_bound<Z>(
    summarizer: &Z,
    job: SummaryJob,
    most_asked: &mut u64,
) -> Result<Summary, SummarizeError>
where
    Z: Summarizer + ?Sized,
{
    let bound = job.max_tokens;
    let asked = |most: u64| SummaryJob {
        max_tokens: most,
        ..job.clone()
    };
    let error = match answer(summarizer, asked(*most_asked), bound).await {
        Err(error @ SummarizeError::OverBound { .. }) => error,
        answer => return answer,
    };
    if let SummarizeError::OverBound { tokens, .. } = error {
        *most_asked = less(*most_asked, bound, tokens);
    }
    job.log.failed(error);
    answer(summarizer, asked(*most_asked), bound).await
}

/// How many tokens to ask for, if `asked` for so many gave so many, and at most `bound` may be:
/// nine tenths of what is in proportion.
fn less(asked: u64, bound: u64, tokens: u64) -> u64 {
    let in_proportion = u128::from(asked) * u128::from(bound) / u128::from(tokens.max(1));
    let less = u64::try_from(in_proportion * 9 / 10).unwrap_or(u64::MAX);
    less.min(asked.saturating_sub(1)).max(1)
}

/// What a summarizer answers, if it can stand for a conversation.
async fn answer<Z>(summarizer: &Z, job: SummaryJob, bound: u64) -> Result<Summary, SummarizeError>
where
    Z: Summarizer + ?Sized,
{
    let (estimator, log) = (Arc::clone(&job.estimator), job.log.clone());
    let summary = summarizer.summarize(job).await?;
    match accept(&summary, bound, &*estimator) {
        Ok(text) => Ok(Summary { text, ..summary }),
        Err(error) => {
            log.paid(summary.usage);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn less_is_asked_for_in_proportion() {
        for (asked, bound, tokens, less_asked) in [
            (100, 100, 200, 45),
            (45, 100, 120, 33),
            (100, 100, 101, 89),
            (100, 100, u64::MAX, 1),
            (1, 1, 2, 1),
            (u64::MAX, u64::MAX, u64::MAX, u64::MAX / 10 * 9 + 4),
        ] {
            let less = less(asked, bound, tokens);
            assert!(less.abs_diff(less_asked) <= 1, "{less} for {less_asked}");
        }
    }
}
