//! Estimators that don't count as the default one does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contextfit_core::chat::{ChatMessage, ChatRequest, ContentPart};
use contextfit_core::estimate::{CharEstimator, Estimator, TokenCount, estimator_fn};
use contextfit_core::request::{Piece, Role};
use contextfit_tests::{Entry, Log, Scribe, text};
use contextfit_tower::{FailedSummary, FitterBuilder, Reason, WhenStuck};

use crate::{ask, prompt, round, small, t, talk};

/// Weighs the results of tools otherwise than the rest.
struct Weighs {
    numerator: u64,
    denominator: u64,
}

impl Estimator for Weighs {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        let mut chars = 0;
        piece.for_each_text(|text| chars += text.char_count() as u64);
        match piece {
            Piece::ToolResult { .. } => {
                TokenCount::ratio(chars * self.numerator, 4 * self.denominator)
            }
            other => CharEstimator::default().count(other),
        }
    }

    fn message_overhead(&self, role: Role) -> TokenCount {
        CharEstimator::default().message_overhead(role)
    }
}

/// A question and a round of so many results of so many tokens each, by their characters.
fn results(history: usize, results: &[usize]) -> ChatRequest {
    let calls = (0..results.len()).fold(ChatMessage::assistant("I look."), |message, call| {
        message.call(format!("call_{call}"), "read", "{}")
    });
    let mut request = ask(talk(history, 100));
    request
        .messages
        .push(ChatMessage::user(text("The question:", 20)));
    request.messages.push(calls);
    for (call, &tokens) in results.iter().enumerate() {
        let result = text(&format!("Result {call}:"), tokens).replace(" and so", "\nand so");
        request
            .messages
            .push(ChatMessage::tool(format!("call_{call}"), result));
    }
    request
}

#[tokio::test]
async fn clips_reach_the_limit_however_results_are_weighed() {
    for (numerator, denominator) in [(2, 1), (1, 2), (3, 1), (1, 1)] {
        for sizes in [
            &[8_000][..],
            &[120_000],
            &[7_000, 7_000],
            &[2_000, 40, 5_000, 40],
            &[1_000; 9],
        ] {
            for history in [0, 8] {
                for with_summary in [false, true] {
                    for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                        let log = Log::default();
                        let mut fitter = small().when_stuck(when_stuck).observer(log.clone());
                        fitter = fitter.estimator(Weighs {
                            numerator,
                            denominator,
                        });
                        if with_summary {
                            fitter = fitter.summarizer(Scribe::default());
                        }
                        let fitter = fitter.build().expect("settings that work");
                        let request = results(history, sizes);
                        let before = prompt(&fitter, &request);
                        assert!(before > 3_000);
                        let fitted = fitter.fit(request).await.expect("fits");
                        let report = fitted.report.expect("changed");
                        assert_eq!(report.reason, Reason::OverLimit);
                        assert_eq!(report.tokens_before, before);
                        assert_eq!(report.tokens_after, prompt(&fitter, &fitted.request));
                        assert!(report.fits(), "{numerator}/{denominator} {sizes:?}");
                        // Little more is given away than what the summary didn't use.
                        let unused = if with_summary && history > 0 { 750 } else { 0 };
                        assert!(report.tokens_after > 2_900 - unused);
                        assert_eq!(log.entries(), [Entry::Fitted(report)]);
                    }
                }
            }
        }
    }
}

/// Keeps how many characters it was shown.
#[derive(Clone, Default)]
struct Shown(Arc<AtomicUsize>);

impl Estimator for Shown {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        piece.for_each_text(|text| {
            self.0.fetch_add(text.char_count(), Ordering::Relaxed);
        });
        CharEstimator::default().count(piece)
    }

    fn message_overhead(&self, role: Role) -> TokenCount {
        CharEstimator::default().message_overhead(role)
    }
}

#[tokio::test]
async fn a_request_is_counted_once_and_its_summary_beside_it() {
    let chars = 4 * 200 * 100;
    for recent_budget in [false, true] {
        let shown = Shown::default();
        let mut fitter = small().estimator(shown.clone());
        if recent_budget {
            fitter = fitter.recent_budget();
        }
        let fitter = fitter.summarizer(Scribe::default());
        let fitter = fitter.build().expect("settings that work");
        let fitted = fitter.fit(ask(talk(200, 100))).await.expect("fits");
        assert!(fitted.report.expect("changed").summarized > 150);
        let shown = shown.0.load(Ordering::Relaxed);
        assert!(
            (chars..chars * 5 / 4).contains(&shown),
            "{shown} of {chars}"
        );
    }
}

#[tokio::test]
async fn an_estimator_that_counts_everything_as_infinite_is_no_panic() {
    let in_parts = round(vec![ContentPart::text(t(100)); 3]);
    let requests = [
        ask(talk(1_000, 3)),
        ask((0..500).flat_map(|_| round(t(100)))),
        ask((0..500).flat_map(|_| in_parts.clone())),
        ask(talk(1_000, 3).into_iter().chain(in_parts.clone())),
        ask([ChatMessage::system("Be brief.")]
            .into_iter()
            .chain(talk(1_000, 3))),
        // Even their sum is infinite.
        ask(talk(30_000, 1).into_iter().chain(in_parts)),
    ];
    let builders: [fn() -> FitterBuilder; 4] = [
        small,
        || small().recent_budget(),
        || small().summarizer(Scribe::default()),
        || {
            small()
                .summarizer(Scribe::new(""))
                .failed_summary(FailedSummary::Omit)
        },
    ];
    for request in requests {
        for builder in builders {
            for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                for clip_user_messages in [false, true] {
                    for units in [u64::MAX, u64::MAX / 900] {
                        let fitter = builder()
                            .estimator(estimator_fn(move |_| TokenCount::units(units)))
                            .when_stuck(when_stuck)
                            .clip_user_messages(clip_user_messages);
                        let fitter = fitter.build().expect("settings that work");
                        assert!(prompt(&fitter, &request) > 3_000);
                        if let Ok(fitted) = fitter.fit(request.clone()).await {
                            let report = fitted.report;
                            assert!(report.is_none_or(|report| !report.fits()));
                        }
                    }
                }
            }
        }
    }
}
