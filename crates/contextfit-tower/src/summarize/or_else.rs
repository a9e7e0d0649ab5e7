use async_trait::async_trait;

use super::run::run;
use super::{SummarizeError, Summarizer, Summary, SummaryJob};

/// A summarizer, and another one that is asked where the first has no usable summary. See
/// [`SummarizerExt::or_else`](crate::SummarizerExt::or_else).
///
/// Each of the two reads all of the conversation, as its own window asks for, so this one has none.
#[derive(Clone, Copy, Debug)]
pub struct OrElse<Z, O> {
    first: Z,
    other: O,
}

impl<Z, O> OrElse<Z, O> {
    pub(super) const fn new(first: Z, other: O) -> Self {
        Self { first, other }
    }

    /// The one that is asked first.
    pub const fn first(&self) -> &Z {
        &self.first
    }

    /// The one that is asked where the first has no usable summary.
    pub const fn other(&self) -> &O {
        &self.other
    }
}

#[async_trait]
impl<Z: Summarizer, O: Summarizer> Summarizer for OrElse<Z, O> {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let error = match run(&self.first, job.clone()).await {
            answer @ (Ok(_) | Err(SummarizeError::Abort(_))) => return answer,
            Err(error) => error,
        };
        let mut errors = job.log.failed(error);
        match run(&self.other, job).await {
            answer @ (Ok(_) | Err(SummarizeError::Abort(_))) => answer,
            Err(error) => {
                errors.extend(error.apart());
                Err(SummarizeError::exhausted(errors))
            }
        }
    }

    /// That of the first.
    fn model(&self) -> Option<&str> {
        self.first.model()
    }

    /// That of the first, which the bound of a summary is made for.
    fn max_output_tokens(&self) -> Option<u32> {
        self.first.max_output_tokens()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;
    use crate::Usage;
    use crate::summarize::scripted::{Answer, Scripted, job};
    use crate::summarize::{Archive, Exhausted, SummarizerExt};
    use tokio_test::block_on;

    /// The caller's own error.
    #[derive(Debug, thiserror::Error)]
    #[error("no more money")]
    struct Own;

    #[test]
    fn another_one_is_asked_where_the_first_has_no_usable_summary_and_only_then() {
        let refused: [fn() -> Answer; 5] = [
            || Err(SummarizeError::failed("no connection")),
            || Ok(Summary::new(" ")),
            || Ok(Summary::new("rejected").cut_off(true)),
            || Ok(Summary::new("rejected").calls_tool(true)),
            || Ok(Summary::new("rejected ".repeat(1_000))),
        ];
        for answer in refused {
            // One that is too long is asked for once more.
            let first = Scripted::new([answer(), answer()]);
            let other = Scripted::new([Ok(Summary::new("Other."))]);
            let job = job(3, None);
            let log = job.log.clone();
            let chain = first.clone().or_else(other.clone());
            assert_eq!(block_on(run(&chain, job)).unwrap().text, "Other.");
            assert_eq!(log.calls().number, first.calls());
            assert_eq!(log.calls().errors.len(), first.calls());
            assert!(!other.jobs()[0].prompt().contains("rejected"));
        }
        let (first, other) = (Scripted::default(), Scripted::default());
        block_on(run(&first.clone().or_else(other.clone()), job(3, None))).unwrap();
        assert_eq!((first.calls(), other.calls()), (1, 0));
    }

    #[test]
    fn nobody_is_called_who_has_no_room_to_read() {
        let (first, other) = (
            Scripted::default().window(10),
            Scripted::default().window(20),
        );
        let job = job(3, None);
        let log = job.log.clone();
        let answer = block_on(run(&first.clone().or_else(other.clone()), job));
        let mut calls = log.calls();
        assert_eq!((calls.number, calls.errors.len()), (0, 1));
        calls.end(&answer);
        assert_eq!((calls.number, first.calls() + other.calls()), (0, 0));
        assert!(answer.unwrap_err().last().to_string().contains("20 tokens"));
    }

    #[test]
    fn c1_each_reads_all_of_the_conversation_as_its_own_window_asks_for() {
        // The small one fails in its third chunk. The large one starts from the beginning.
        let said = || Ok(Summary::new("So far.").usage(Usage::new(7, 1)));
        let failed = || Err(SummarizeError::failed("no connection"));
        let small = Scripted::new([said(), said(), failed()]).window(2_400);
        let large = Scripted::default().window(100_000);
        let chain = small.clone().max_output_tokens(300).or_else(large.clone());
        assert_eq!(
            (chain.window(), chain.max_output_tokens()),
            (None, Some(300))
        );
        let job = job(40, Some("Before."));
        let log = job.log.clone();
        block_on(run(&chain, job)).unwrap();
        assert_eq!((small.calls(), large.calls()), (3, 1));
        let job = large.jobs().remove(0);
        assert_eq!((job.messages, job.omitted), (40, 0));
        assert_eq!(job.previous.as_deref(), Some("Before."));
        assert_eq!(
            (log.calls().number, log.calls().usage),
            (3, Some(Usage::new(14, 2)))
        );
    }

    #[test]
    fn b23_an_error_that_ends_the_request_ends_the_chain_whoever_says_it() {
        let abort = || Scripted::new([Err(SummarizeError::abort(Own))]);
        for (first, other, asked) in [
            (abort(), Scripted::default(), 0),
            (Scripted::failing(1), abort(), 1),
        ] {
            let error = block_on(run(&first.or_else(other.clone()), job(3, None))).unwrap_err();
            assert!(matches!(&error, SummarizeError::Abort(_)));
            assert!(error.source().unwrap().is::<Own>());
            assert_eq!(other.calls(), asked);
        }
    }

    #[test]
    fn b23_where_all_fail_the_errors_of_all_are_there_in_order_and_the_last_is_the_source() {
        let all = || {
            (
                Scripted::failing(1),
                Scripted::new([Ok(Summary::new(""))]),
                Scripted::new([Err(SummarizeError::failed(Own))]),
            )
        };
        let in_front = |(a, b, c): (Scripted, Scripted, Scripted), job| {
            block_on(run(&a.or_else(b).or_else(c), job)).unwrap_err()
        };
        let behind = |(a, b, c): (Scripted, Scripted, Scripted), job| {
            block_on(run(&a.or_else(b.or_else(c)), job)).unwrap_err()
        };
        for ask in [in_front, behind] {
            let job = job(3, None);
            let log = job.log.clone();
            let error = ask(all(), job);
            let SummarizeError::Exhausted(exhausted) = &error else {
                panic!("{error}")
            };
            let errors: Vec<&SummarizeError> = Exhausted::errors(exhausted).collect();
            assert!(matches!(
                errors[..],
                [
                    SummarizeError::Failed(_),
                    SummarizeError::Blank,
                    SummarizeError::Failed(_)
                ]
            ));
            assert!(error.source().unwrap().source().unwrap().is::<Own>());
            // The last is told by whoever gets the error.
            let logged = log.calls().errors;
            assert!(matches!(*logged[0], SummarizeError::Failed(_)));
            assert!(matches!(*logged[1], SummarizeError::Blank) && logged.len() == 2);
        }
    }

    #[test]
    fn a_chain_may_end_in_a_raw_record_which_is_degraded() {
        let chain = Scripted::failing(1).or_else(Archive);
        let summary = block_on(run(&chain, job(5, Some("Before.")))).unwrap();
        assert!(
            summary
                .text
                .starts_with("Before.\n\nRaw record of messages")
        );
        assert!(summary.is_degraded() && summary.archived + summary.omitted == 5);
        // Not where nothing fits.
        let mut tight = job(5, None);
        tight.max_tokens = 5;
        let error = block_on(run(&Scripted::failing(1).or_else(Archive), tight)).unwrap_err();
        assert!(matches!(error.last(), SummarizeError::Blank));
    }
}
