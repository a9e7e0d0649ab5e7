use async_trait::async_trait;

use crate::summarize::asking::check_whole;
use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// A summarizer that is asked again where a call of it came to nothing. See
/// [`SummarizerExt::attempts`](crate::SummarizerExt::attempts).
#[derive(Clone, Copy, Debug)]
pub struct Attempts<Z> {
    inner: Z,
    most: usize,
}

impl<Z> Attempts<Z> {
    pub(in crate::summarize) const fn new(inner: Z, most: usize) -> Self {
        Self { inner, most }
    }

    /// The inner summarizer.
    pub const fn get_ref(&self) -> &Z {
        &self.inner
    }

    /// Takes the attempts off.
    pub fn into_inner(self) -> Z {
        self.inner
    }
}

#[async_trait]
impl<Z: Summarizer> Summarizer for Attempts<Z> {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        for _ in 1..self.most {
            let error = match self.inner.summarize(job.clone()).await {
                Ok(summary) => match check_whole(&summary) {
                    Ok(()) => return Ok(summary),
                    Err(error) => {
                        job.log.paid(summary.usage);
                        error
                    }
                },
                Err(error) if error.is_worth_an_attempt() => error,
                Err(error) => return Err(error),
            };
            job.log.failed(error);
        }
        self.inner.summarize(job).await
    }

    tell_model_of!(inner);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summarize::SummarizerExt;
    use crate::summarize::run;
    use crate::summarize::scripted::{Answer, Scripted, job};
    use crate::{Usage, summarizer_fn};
    use tokio_test::block_on;

    #[test]
    fn a43_what_came_to_nothing_is_asked_for_again_as_often_as_that() {
        let refused: [fn() -> Answer; 5] = [
            || Err(SummarizeError::failed("no connection")),
            || {
                Err(SummarizeError::Stalled {
                    after: std::time::Duration::from_secs(60),
                })
            },
            || Ok(Summary::new(" ").usage(Usage::new(5, 0))),
            || Ok(Summary::new("They").cut_off(true).usage(Usage::new(5, 0))),
            || {
                Ok(Summary::new("They")
                    .calls_tool(true)
                    .usage(Usage::new(5, 0)))
            },
        ];
        for answer in refused {
            for most in [0, 1, 2, 3] {
                for failures in 0..=4 {
                    let model = Scripted::new((0..failures).map(|_| answer()));
                    let job = job(3, None);
                    let log = job.log.clone();
                    let summary = block_on(run(&model.clone().attempts(most), job));
                    let most = most.max(1);
                    assert_eq!(summary.is_ok(), failures < most);
                    assert_eq!(model.calls(), most.min(failures + 1));
                    // The last call is answered to whoever asked.
                    let calls = log.calls();
                    assert_eq!(calls.number, model.calls() - 1);
                    assert_eq!(calls.errors.len(), calls.number);
                    let paid = calls.usage.map_or(0, |usage| usage.input);
                    let refused = failures.min(most) as u64;
                    assert!(paid == 0 || paid == 5 * refused, "{paid}");
                }
            }
        }
    }

    #[test]
    fn what_another_attempt_can_not_mend_is_not_asked_for_again() {
        let errors: [fn() -> SummarizeError; 3] = [
            || SummarizeError::abort("cancelled"),
            || SummarizeError::WindowTooSmall {
                window: 1,
                taken: 2,
            },
            || SummarizeError::OverBound {
                tokens: 2,
                bound: 1,
            },
        ];
        for error in errors {
            let model = Scripted::new([Err(error())]);
            let answer = block_on(model.clone().attempts(5).summarize(job(3, None)));
            assert!(answer.is_err() && model.calls() == 1);
        }
        // Too long is whole, and asked for less by whoever knows the bound.
        let long = || Ok(Summary::new("word ".repeat(1_000)));
        let model = Scripted::new([long(), long()]);
        assert!(block_on(run(&model.clone().attempts(5), job(3, None))).is_err());
        assert_eq!(model.calls(), 2);
    }

    #[test]
    fn the_model_is_told_through_attempts_and_time_outs() {
        struct Never;
        impl crate::Timer for Never {
            fn sleep(
                &self,
                _: std::time::Duration,
            ) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>> {
                Box::pin(std::future::pending())
            }
        }
        let model = summarizer_fn(|_| async { Ok::<_, SummarizeError>("text") })
            .window(8_000)
            .max_output_tokens(500)
            .estimator(contextfit_core::estimate::CharEstimator::default());
        let model = model
            .stall_timeout_with(std::time::Duration::ZERO, Never)
            .attempts(2);
        assert_eq!(
            (model.window(), model.max_output_tokens()),
            (Some(8_000), Some(500))
        );
        assert!(model.estimator().is_some());
        assert_eq!(
            block_on(model.summarize(job(3, None))).unwrap().text,
            "text"
        );
    }
}
