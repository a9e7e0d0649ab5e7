//! The summary that is in a conversation already: ours, or one that the user pasted.

use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::cut::DropOldest;
use contextfit_core::estimate::CharEstimator;
use contextfit_core::summary::{Envelope, LedgerRules};
use contextfit_testing::summaries::{seal_summaries, summary_message};
use contextfit_tests::{
    Entry, Log, Scribe, Shape, bottom, estimate, policies, provider, ptr, send, text,
};
use contextfit_tower::{
    FailedSummary, FitterBuilder, SummarizeError, Summary, WhenStuck, summarizer_fn,
};

use crate::{ask, envelope, round, small, t, talk};

/// An envelope that stands for 1 000 messages, 400 of them without a summary.
fn earlier(summary: impl Into<String>) -> Envelope {
    Envelope {
        summary: summary.into(),
        messages: 1_000,
        omitted: 400,
        ..Envelope::default()
    }
}

fn message(envelope: &Envelope) -> ChatMessage {
    summary_message(envelope)
}

fn left_out(messages: u64) -> Envelope {
    Envelope {
        summary: String::new(),
        messages,
        omitted: messages,
        ..Envelope::default()
    }
}

#[tokio::test]
async fn an_envelope_that_is_asked_about_is_the_question() {
    let presets: [fn(FitterBuilder) -> FitterBuilder; 2] =
        [|builder| builder, FitterBuilder::recent_budget];
    for pasted in [
        message(&earlier("Port 8080 was chosen.")),
        message(&earlier(t(500))),
        message(&left_out(9)),
    ] {
        for after in [vec![], vec![ChatMessage::system("Be brief.")]] {
            for preset in presets {
                for summarizer in [Some(Scribe::default()), None] {
                    let mut fitter = preset(small());
                    if let Some(summarizer) = summarizer.clone() {
                        fitter = fitter.summarizer(summarizer);
                    }
                    let fitter = fitter.build().expect("settings that work");
                    let mut request = ask(talk(40, 100));
                    request.messages.push(pasted.clone());
                    request.messages.extend(after.clone());
                    let fitted = fitter.fit(request.clone()).await.expect("fits");
                    let report = fitted.report.expect("changed");

                    let last = fitted.request.messages.len() - 1 - after.len();
                    let last = &fitted.request.messages[last];
                    assert_eq!(ptr(last), ptr(&pasted), "verbatim");
                    let found = envelope(&fitted.request);
                    assert_eq!(found.messages, report.plan.cut().count() as u64);
                    assert_eq!(found.omitted, report.omitted as u64);
                    if let Some(scribe) = summarizer {
                        assert!(scribe.jobs().iter().all(|job| job.previous.is_none()));
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn an_envelope_that_is_asked_about_stays_under_any_policy() {
    let pasted = message(&earlier("Port 8080 was chosen."));
    let mut request = ask(talk(16, 100));
    request.messages.push(pasted.clone());
    for policy in policies(request.messages.len()) {
        for (shape, overflows) in [(Shape::Fit, 0), (Shape::Joint, 1), (Shape::Retry, 1)] {
            let provider = provider(100_000).overflow_calls(overflows);
            let fitter = small().max_context_tokens(1_500).reserve(0);
            let fitter = fitter.policy(policy.clone()).summarizer(Scribe::default());
            let stack = shape.around(
                bottom(&provider),
                &fitter.build().expect("settings that work"),
            );
            let _ = send(&stack, request.clone()).await;
            for call in provider.received() {
                let last = call.request.messages.last().expect("the question");
                assert_eq!(ptr(last), ptr(&pasted));
            }
        }
    }
}

#[tokio::test]
async fn what_tools_did_stays_known_where_nobody_writes_a_new_summary() {
    let call = ChatMessage::assistant("").call("c", "edit", r#"{"path":"src/a.rs"}"#);
    for said in ["They agreed.", ""] {
        let mut before = earlier(said);
        let did = ask([call.clone()]);
        before.ledger.record(&did, [0], &LedgerRules::default());
        let mut messages = talk(40, 100);
        messages.insert(1, message(&before));
        let mut request = ask(messages);
        seal_summaries(&mut request);
        // Nobody is there to write one, or a policy drops what it cuts.
        let drops = small().policy(DropOldest).summarizer(Scribe::default());
        for fitter in [small(), drops] {
            let fitter = fitter.build().expect("settings that work");
            let fitted = fitter.fit(request.clone()).await.expect("fits");
            assert!(fitted.report.expect("changed").fits());
            let found = envelope(&fitted.request);
            let modified = found.ledger.entries(LedgerRules::FILES_MODIFIED);
            assert_eq!(modified.collect::<Vec<_>>(), ["src/a.rs"]);
            assert_eq!(found.summary, said);
        }
    }
}

/// What becomes of an earlier summary that nobody writes anew.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Earlier {
    Carried,
    Shortened,
    Gone,
}

#[tokio::test]
async fn an_earlier_summary_is_carried_where_it_fits_and_else_counted_as_omitted() {
    use Earlier::{Carried, Gone, Shortened};
    for (summary, bound, chars, becomes) in [
        (t(10), None, 4, Carried),
        (t(100), None, 4, Carried),
        (t(100), Some(100), 4, Carried),
        (t(100), Some(99), 4, Shortened),
        (t(700), Some(100), 4, Shortened),
        // Less than the marker that says how much is missing.
        (t(8), Some(20), 1, Gone),
        (t(100), Some(40), 1, Gone),
        // There was none.
        (String::new(), None, 4, Gone),
    ] {
        let failures: [fn() -> Result<Summary, SummarizeError>; 3] = [
            || Err(SummarizeError::failed("no connection")),
            || Ok(Summary::new(" \n")),
            || Ok(Summary::new("They").cut_off(true)),
        ];
        for failure in failures {
            let divisor = std::num::NonZeroU32::new(chars).expect("not zero");
            let mut fitter = small()
                .estimator(CharEstimator::new(divisor))
                .failed_summary(FailedSummary::Omit)
                .summarizer(summarizer_fn(move |_| std::future::ready(failure())));
            if let Some(bound) = bound {
                fitter = fitter.summary_tokens(bound);
            }
            let fitter = fitter.build().expect("settings that work");
            let mut request = ask(talk(61, 100));
            let before = if summary.is_empty() {
                left_out(400)
            } else {
                earlier(summary.trim())
            };
            request.messages.insert(1, message(&before));
            seal_summaries(&mut request);
            let fitted = fitter.fit(request).await.expect("fits");
            let report = fitted.report.expect("changed");
            assert!(report.degraded && report.fits() && report.omitted > 0);

            let (cut, now) = (report.omitted as u64, envelope(&fitted.request));
            assert_eq!(now.messages, before.messages + cut);
            let case = format!("{bound:?} {chars}");
            match becomes {
                Carried => assert_eq!(now.summary, before.summary, "{case}"),
                Shortened => {
                    assert!(now.summary.contains("characters omitted"), "{case}");
                    let chars = |envelope: &Envelope| envelope.summary.chars().count();
                    assert!(chars(&now) < chars(&before), "{case}");
                }
                Gone => assert_eq!(now.summary, "", "{case}"),
            }
            let omitted = match becomes {
                Carried | Shortened => before.omitted + cut,
                Gone => now.messages,
            };
            assert_eq!(now.omitted, omitted, "{case}");
        }
    }
}

#[tokio::test]
async fn without_a_summarizer_a_summary_larger_than_the_window_is_shortened() {
    for tokens in [3_000, 5_000, 50_000] {
        for (before, after) in [
            // Nothing else to cut, …
            (vec![], talk(1, 50)),
            (talk(1, 50), talk(1, 50)),
            (vec![ChatMessage::system(t(200))], talk(1, 1_000)),
            // … or a little, or a lot.
            (talk(1, 50), talk(7, 50)),
            (talk(1, 50), talk(41, 100)),
        ] {
            for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
                let fitter = small().when_stuck(when_stuck);
                let fitter = fitter.build().expect("settings that work");
                let summary = message(&earlier(t(tokens).trim()));
                let messages = before.iter().cloned().chain([summary]).chain(after.clone());
                let request = ask(messages);
                let fitted = fitter.fit(request.clone()).await.expect("fits");
                let report = fitted.report.expect("changed");
                assert!(report.fits());
                assert_eq!(report.tokens_after, estimate(&fitted.request));
                let now = envelope(&fitted.request);
                assert!(now.summary.starts_with("abc ") && now.summary.ends_with(" abc"));
                assert!(now.summary.contains("characters omitted"));
                let cut = report.omitted as u64;
                assert_eq!((now.messages, now.omitted), (1_000 + cut, 400 + cut));
            }
        }
    }
}

#[tokio::test]
async fn a_summary_that_is_too_long_by_itself_is_written_anew_once() {
    for tokens in [2_980, 5_000, 50_000] {
        for (before, after) in [
            (vec![], talk(1, 50)),
            (talk(1, 50), talk(1, 50)),
            (vec![ChatMessage::system(t(200))], talk(1, 1_000)),
            // The newest group is kept too.
            (talk(1, 50), [talk(1, 50), round(t(100)).to_vec()].concat()),
        ] {
            for (shape, window) in [(Shape::Fit, 4_000), (Shape::Joint, 4_000)] {
                let (provider, scribe) = (provider(window), Scribe::new("Port 8080."));
                let log = Log::default();
                let fitter = small().summarizer(scribe.clone()).observer(log.clone());
                let fitter = fitter.build().expect("settings that work");
                let long = earlier(t(tokens).trim());
                let messages = before.iter().cloned().chain([message(&long)]);
                let request = ask(messages.chain(after.clone()));
                let stack = shape.around(bottom(&provider), &fitter);
                send(&stack, request.clone()).await.expect("fits");

                let [job] = &scribe.jobs()[..] else {
                    panic!("one job")
                };
                assert_eq!(job.messages, 0);
                assert_eq!(job.previous.as_deref(), Some(&*long.summary));
                assert!(
                    job.prompt()
                        .contains("Write the previous summary anew, shorter")
                );
                let [Entry::Fitted(report)] = &log.entries()[..] else {
                    panic!("one report")
                };
                assert_eq!((report.summarized, report.omitted), (0, 0));
                assert_eq!(report.kept, request.messages.len() - 1);

                // Its numbers stay, and so does everything else.
                let sent = provider.last_received().expect("sent");
                let anew = earlier("Port 8080.");
                assert_eq!(envelope(&sent.request), anew);
                let others = |request: &ChatRequest| {
                    let mut others = request.messages.clone();
                    others.remove(before.len());
                    others
                };
                assert_eq!(others(&sent.request), others(&request));
                // The next request needs no other one.
                send(&stack, sent.request.clone()).await.expect("fits");
                assert_eq!(scribe.calls(), 1);
            }
        }
    }
}

#[tokio::test]
async fn a_summary_that_nobody_wrote_anew_is_shortened_if_so_set() {
    for tokens in [3_000, 50_000] {
        for summarizer in [Scribe::new(""), Scribe::new("word ".repeat(10_000))] {
            let long = earlier(t(tokens).trim());
            let request = ask([message(&long)].into_iter().chain(talk(1, 50)));
            let builder = || small().summarizer(summarizer.clone());

            let fitter = builder().failed_summary(FailedSummary::Omit);
            let fitter = fitter.build().expect("settings that work");
            let fitted = fitter.fit(request.clone()).await.expect("fits");
            let report = fitted.report.expect("changed");
            assert!(report.degraded && report.fits());
            let now = envelope(&fitted.request);
            assert!(now.summary.contains("characters omitted"));
            assert_eq!((now.messages, now.omitted), (1_000, 400));

            let fitter = builder().build().expect("settings that work");
            let fitted = fitter.fit(request.clone()).await.expect("sent as it is");
            assert_eq!(fitted.report, None);
            assert_eq!(fitted.request.messages, request.messages);
        }
    }
}

#[tokio::test]
async fn a_summary_goes_with_whatever_else_is_cut() {
    // There is something else to cut, so it isn't written anew by itself.
    for tokens in [100, 700, 5_000] {
        let scribe = Scribe::new("Port 8080.");
        let fitter = small().summarizer(scribe.clone());
        let fitter = fitter.build().expect("settings that work");
        let mut request = ask(talk(61, 100));
        let question = ChatMessage::user(text("The last question:", 20));
        request
            .messages
            .insert(1, message(&earlier(t(tokens).trim())));
        seal_summaries(&mut request);
        request.messages.push(question);
        let fitted = fitter.fit(request).await.expect("fits");
        let report = fitted.report.expect("changed");
        let [job] = &scribe.jobs()[..] else {
            panic!("one job")
        };
        assert_eq!(job.messages, report.summarized);
        assert!(job.messages > 0);
        let now = envelope(&fitted.request);
        assert_eq!(now.messages, 1_000 + report.summarized as u64);
        assert_eq!(now.omitted, 400);
    }
}
