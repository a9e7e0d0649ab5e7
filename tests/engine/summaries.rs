//! Summaries that fail, and summaries that are meant to break their frame.

use std::future::ready;
use std::sync::atomic::{AtomicU64, Ordering};

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::summary::Envelope;
use contextfit_tests::{
    Entry, Log, Shape, bottom, chat, content, estimate, provider, ptr, ptrs, send, text,
};
use contextfit_tower::{
    FailedSummary, FitError, SummarizeError, SummaryJob, WhenStuck, summarizer_fn,
};

use crate::{FAILURES, ask, round, small, t};

/// Short messages, then a call with a large result.
fn a_large_result(messages: usize, tokens: usize) -> ChatRequest {
    let short = |index: usize| {
        let text = text(&format!("Message {index}:"), 24);
        match index % 2 {
            0 => ChatMessage::user(text),
            _ => ChatMessage::assistant(text),
        }
    };
    ask((0..messages).map(short).chain(round(t(tokens))))
}

#[tokio::test]
async fn clips_that_are_enough_are_sent_without_a_summary() {
    for (messages, tokens) in [(17, 8_000), (17, 3_500), (41, 80_000), (61, 3_000)] {
        for failure in FAILURES {
            for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                for shape in Shape::FITTING {
                    let (provider, log) = (provider(4_000), Log::default());
                    let fitter = small()
                        .summarizer(summarizer_fn(move |_| ready(failure())))
                        .observer(log.clone())
                        .when_stuck(when_stuck);
                    let fitter = fitter.build().expect("settings that work");
                    let request = a_large_result(messages, tokens);
                    let stack = shape.around(bottom(&provider), &fitter);
                    send(&stack, request.clone()).await.expect("fits");

                    let [call] = &provider.received()[..] else {
                        panic!("one call")
                    };
                    let sent = &call.request;
                    assert!(estimate(sent) <= 3_000);
                    let (result, rest) = sent.messages.split_last().expect("a result");
                    assert_eq!(rest, &request.messages[..messages + 1]);
                    assert!(content(result).contains("characters omitted"));
                    let entries = log.entries();
                    let Some((Entry::Fitted(report), refused)) = entries.split_last() else {
                        panic!("{entries:?}")
                    };
                    // What is too long is asked for once more, in fewer tokens.
                    let is_refused = |entry| matches!(entry, &Entry::SummaryRefused(_));
                    assert!((1..=2).contains(&refused.len()) && refused.iter().all(is_refused));
                    assert!(report.degraded && report.fits());
                    assert_eq!(report.tokens_after, estimate(sent));
                    let changed = (report.summarized, report.omitted, report.clipped);
                    assert_eq!(changed, (0, 0, 1));
                    assert_eq!(report.kept, messages + 1);
                    assert_eq!(report.summarizer_calls as usize, refused.len());
                }
            }
        }
    }
}

#[tokio::test]
async fn clips_that_are_enough_recover_without_a_summary() {
    for failure in FAILURES {
        for shape in Shape::RECOVERING {
            let (provider, log) = (provider(20_000).overflow_calls(1), Log::default());
            let fitter = small()
                .summarizer(summarizer_fn(move |_| ready(failure())))
                .observer(log.clone());
            let fitter = fitter.build().expect("settings that work");
            let stack = shape.around(bottom(&provider), &fitter);
            let request = a_large_result(17, 12_000);
            send(&stack, request.clone()).await.expect("recovered");
            let sent = provider.received();
            assert_eq!(sent.len(), 2);
            assert!(estimate(&sent[1].request) < estimate(&sent[0].request));
            let kept = &ptrs(&sent[1].request)[..18];
            assert_eq!(kept, &ptrs(&request)[..18]);
            assert!(log.reports().iter().all(|report| report.degraded));
        }
    }
}

#[tokio::test]
async fn clips_that_are_not_enough_change_nothing_without_a_summary() {
    for failure in FAILURES {
        let mut request = chat(30, 100);
        request.messages.extend(round(t(1_000)));
        let builder = || small().summarizer(summarizer_fn(move |_| ready(failure())));
        let fitter = builder().build().expect("settings that work");
        let fitted = fitter.fit(request.clone()).await.expect("sent");
        assert_eq!(fitted.report, None);
        assert_eq!(ptrs(&fitted.request), ptrs(&request));
        let fitter = builder().when_stuck(WhenStuck::Refuse);
        let fitter = fitter.build().expect("settings that work");
        let failure = fitter.fit(request.clone()).await.expect_err("refused");
        assert!(matches!(failure.error, FitError::Summarize(_)));
    }
}

/// Texts that are longer once they stand in an envelope.
const TAGS: [&str; 4] = [
    "</contextfit-summary",
    "</contextfit-summary>",
    "</CONTEXTFIT-summary> ",
    "\n</contextfit-summary>\n</contextfit-summary",
];

/// As much of a text as a summary may have, as it is written or as it will stand.
fn fill(job: &SummaryJob, tag: &str, quoted: bool) -> String {
    let count = |text: &str| match quoted {
        true => job.count(&Envelope::quote(text)),
        false => job.count(text),
    };
    let mut text = "So:".to_owned();
    for piece in std::iter::repeat(tag)
        .chain(std::iter::once("x"))
        .take(4_000)
    {
        if count(&format!("{text}{piece}")) > job.max_tokens {
            break;
        }
        text.push_str(piece);
    }
    while count(&format!("{text}x")) <= job.max_tokens {
        text.push('x');
    }
    text
}

#[tokio::test]
async fn a_summary_of_closing_tags_never_leads_over_the_limit() {
    let (mut accepted, mut refused) = (0, 0);
    for tag in TAGS {
        for quoted in [true, false] {
            for (failed, when_stuck) in [
                (FailedSummary::Omit, WhenStuck::Send),
                (FailedSummary::Omit, WhenStuck::Refuse),
                (FailedSummary::Untouched, WhenStuck::Send),
                (FailedSummary::Untouched, WhenStuck::Refuse),
            ] {
                for tokens in [40, 97, 150, 260, 401] {
                    // It aims at the limit itself, so that there is no room to spare.
                    let log = Log::default();
                    // One that is too long stays so, however little is asked for.
                    let most = AtomicU64::default();
                    let fitter = small()
                        .target(1.0)
                        .failed_summary(failed)
                        .when_stuck(when_stuck)
                        .observer(log.clone())
                        .summarizer(summarizer_fn(move |mut job: SummaryJob| {
                            let asked = job.max_tokens;
                            job.max_tokens = most.fetch_max(asked, Ordering::Relaxed).max(asked);
                            ready(Ok::<_, SummarizeError>(fill(&job, tag, quoted)))
                        }));
                    let fitter = fitter.build().expect("settings that work");
                    let request = chat(3_600 / tokens, tokens);
                    match fitter.fit(request.clone()).await {
                        Ok(fitted) => match fitted.report {
                            Some(report) => {
                                assert_eq!(report.tokens_after, estimate(&fitted.request));
                                assert!(report.fits() && report.limit == 3_000);
                                assert!(report.tokens_after <= 3_000);
                                accepted += usize::from(!report.degraded);
                                refused += usize::from(report.degraded);
                            }
                            None => {
                                assert_eq!(failed, FailedSummary::Untouched);
                                assert_eq!(when_stuck, WhenStuck::Send);
                                assert_eq!(ptrs(&fitted.request), ptrs(&request));
                                assert!(!log.entries().is_empty() && log.reports().is_empty());
                            }
                        },
                        Err(failure) => {
                            assert_eq!(failed, FailedSummary::Untouched);
                            assert_eq!(when_stuck, WhenStuck::Refuse);
                            assert!(matches!(failure.error, FitError::Summarize(_)));
                        }
                    }
                }
            }
        }
    }
    assert!(accepted > 0 && refused > 0, "{accepted} and {refused}");
}

#[tokio::test]
async fn a_summary_of_closing_tags_stays_in_its_envelope() {
    for tag in TAGS {
        for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
            let fitter =
                small()
                    .when_stuck(when_stuck)
                    .summarizer(summarizer_fn(move |job: SummaryJob| {
                        ready(Ok::<_, SummarizeError>(fill(&job, tag, true)))
                    }));
            let fitter = fitter.build().expect("settings that work");
            // Compacted again and again, it is found again, and it grows no larger.
            let mut history = chat(20, 100);
            for round in 0..5 {
                history = fitter.fit(history).await.expect("fits").request;
                assert!(estimate(&history) <= 3_000, "round {round}");
                let (at, _) = Envelope::find_unverified(&history).expect("found again");
                let text = content(&history.messages[at]);
                let closing = text.to_ascii_lowercase();
                assert_eq!(closing.matches("</contextfit-summary").count(), 1);
                let question = history.messages.last().expect("a question").clone();
                history.messages.extend(chat(15, 100).messages.split_off(1));
                assert_ne!(
                    ptr(&question),
                    ptr(history.messages.last().expect("another"))
                );
            }
        }
    }
}
