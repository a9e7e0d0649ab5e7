use std::future::poll_fn;
use std::pin::pin;

use futures_core::Stream;

use super::SummaryChunk;
use crate::summarize::asking::CallLog;
use crate::summarize::{Progress, SummarizeError, Summary};
use crate::{BoxError, Stop};

/// Bytes of text that are read. No summary is so long; a model that doesn't stop is.
const LONGEST: usize = 8 * 1024 * 1024;

/// Reads a stream to its end, and says of each output that there is some.
///
/// An error fails all of it, whatever came before. A stream that ends without saying why was
/// broken off.
pub(in crate::summarize) async fn collect<St, E>(
    stream: St,
    progress: &Progress,
    log: &CallLog,
) -> Result<Summary, SummarizeError>
where
    St: Stream<Item = Result<SummaryChunk, E>>,
    E: Into<BoxError>,
{
    let mut stream = pin!(stream);
    let mut summary = Summary::new("");
    let mut stop = None;
    while let Some(chunk) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
        let chunk = chunk.map_err(|error| {
            log.paid(summary.usage);
            SummarizeError::failed(error)
        })?;
        match chunk {
            SummaryChunk::Text(text) => {
                // Many streams open with an empty one, which says no more than headers do.
                if !text.is_empty() {
                    progress.output();
                }
                summary.text.push_str(&text);
                if summary.text.len() > LONGEST {
                    stop = None;
                    break;
                }
            }
            SummaryChunk::Thinking => progress.output(),
            SummaryChunk::ToolCall => {
                progress.output();
                summary.calls_tool = true;
            }
            SummaryChunk::Finish(why) => stop = Some(why),
            SummaryChunk::Usage(more) => {
                let usage = summary.usage.map_or(more, |usage| usage.updated(more));
                summary.usage = Some(usage);
            }
        }
    }
    let is_whole = matches!(stop, Some(Stop::Done | Stop::Other));
    Ok(summary.cut_off(!is_whole))
}

#[cfg(test)]
mod tests {
    use futures_util::stream::{iter, repeat_with};
    use tokio_test::block_on;

    use super::*;
    use crate::Usage;

    type Chunks = Vec<Result<SummaryChunk, BoxError>>;

    fn read(chunks: Chunks) -> (Result<Summary, SummarizeError>, u64, Option<Usage>) {
        let (progress, log) = (Progress::default(), CallLog::default());
        let summary = block_on(collect(iter(chunks), &progress, &log));
        (summary, progress.outputs(), log.calls().usage)
    }

    fn text(text: &str) -> Result<SummaryChunk, BoxError> {
        Ok(SummaryChunk::Text(text.to_owned()))
    }

    const DONE: Result<SummaryChunk, BoxError> = Ok(SummaryChunk::Finish(Stop::Done));

    #[test]
    fn a41_thoughts_are_output_and_no_text() {
        let thinking = || Ok(SummaryChunk::Thinking);
        let chunks = vec![
            text(""),
            thinking(),
            text("They "),
            thinking(),
            text("met."),
            DONE,
        ];
        let (summary, outputs, _) = read(chunks);
        let summary = summary.unwrap();
        assert_eq!(
            (&*summary.text, summary.cut_off, outputs),
            ("They met.", false, 4)
        );
    }

    #[test]
    fn a41_an_error_fails_all_whatever_came_before_and_what_was_paid_is_counted() {
        let paid = || Ok(SummaryChunk::Usage(Usage::new(100, 2)));
        let chunks = vec![
            text("They met."),
            paid(),
            Err("reset".into()),
            text("."),
            DONE,
        ];
        let (summary, outputs, usage) = read(chunks);
        let error = summary.unwrap_err();
        assert!(matches!(error, SummarizeError::Failed(source) if source.to_string() == "reset"));
        assert_eq!((outputs, usage), (1, Some(Usage::new(100, 2))));
        let (aborted, ..) = read(vec![Err(SummarizeError::abort("cancelled").into())]);
        assert!(matches!(aborted, Err(SummarizeError::Abort(_))));
    }

    #[test]
    fn a41_the_last_reason_to_stop_counts() {
        let finish = |stop| Ok(SummaryChunk::Finish(stop));
        for (stops, cut_off) in [
            (&[Stop::Done][..], false),
            (&[Stop::Other], false),
            (&[Stop::Length, Stop::Done], false),
            (&[Stop::Done, Stop::Length], true),
            (&[Stop::ContextWindow], true),
            (&[Stop::Interrupted], true),
            // Nobody said that it was done.
            (&[], true),
        ] {
            let stops = stops.iter().map(|&stop| finish(stop));
            let (summary, ..) = read([text("They met.")].into_iter().chain(stops).collect());
            assert_eq!(summary.unwrap().cut_off, cut_off);
        }
    }

    #[test]
    fn a_call_of_a_tool_is_told_and_usage_is_what_was_told_last() {
        let chunks = vec![
            Ok(SummaryChunk::Usage(Usage::new(100, 0))),
            Ok(SummaryChunk::ToolCall),
            Ok(SummaryChunk::Usage(Usage::new(100, 7))),
            DONE,
        ];
        let (summary, outputs, logged) = read(chunks);
        let summary = summary.unwrap();
        assert!(summary.calls_tool && outputs == 1 && logged.is_none());
        assert_eq!(summary.usage, Some(Usage::new(100, 7)));
    }

    #[test]
    fn a_model_that_does_not_stop_is_stopped() {
        let endless = repeat_with(|| text(&"word ".repeat(100_000)));
        let (progress, log) = (Progress::default(), CallLog::default());
        let summary = block_on(collect(endless, &progress, &log)).unwrap();
        assert!(summary.cut_off && summary.text.len() < LONGEST + 1_000_000);
    }
}
