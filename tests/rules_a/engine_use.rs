//! 61 to 69: how it is used around a call.

use std::sync::{Arc, Mutex};

use contextfit_core::budget::{Budget, BudgetRules, OversizedOutput, Window};
use contextfit_core::chat::{ChatRequest, ChatResponse, ChatRole};
use contextfit_core::cut::ClipToolResults;
use contextfit_core::request::EditConversation;
use contextfit_core::summary::Envelope;
use contextfit_core::trigger::Trigger;
use contextfit_testing::provider::{
    Overflowing, ProviderError, ProviderErrorKind, SimulatedProvider,
};
use contextfit_tests::{Entry, Erased, Log, bottom, content, provider, ptrs, send};
use contextfit_tower::{
    BoxError, ChatUsageReader, ContextFitLayer, FitError, Fitter, Overflow, OverflowClassifier,
    Reason, Summary, UsageOverflow, classifier_fn,
};
use tower::{Layer, ServiceBuilder};

use crate::exact::{
    ask, assistant, build, calls, fit, is_left_alone, preset, questions, result, rounds, sent,
    small, summary, tokens, user, with_a_schema,
};
use crate::writer::Writer;

/// A provider that nothing is too long for, but as many calls as are set.
fn large(overflows: usize) -> SimulatedProvider {
    provider(10_000_000).overflow_calls(overflows)
}

/// Both layers around a provider.
fn around<C>(provider: &SimulatedProvider, fitter: &Fitter, classifier: C) -> Erased
where
    C: OverflowClassifier<ChatResponse, BoxError> + Clone + Send + Sync + 'static,
{
    let layer = ContextFitLayer::new(fitter.clone()).overflow_retry(classifier);
    Erased::new(layer.layer(bottom(provider)))
}

/// Recognises an overflow, and passes no numbers on.
fn without_numbers() -> impl OverflowClassifier<ChatResponse, BoxError> + Clone {
    classifier_fn(|_, result: &Result<ChatResponse, BoxError>| {
        let error: &ProviderError = result.as_ref().err()?.downcast_ref()?;
        let too_long = matches!(error.kind, ProviderErrorKind::ContextLength { .. });
        too_long.then(Overflow::new)
    })
}

/// What a provider received, call by call.
fn received(provider: &SimulatedProvider) -> Vec<ChatRequest> {
    let calls = provider.received();
    calls.iter().map(|call| call.request.clone()).collect()
}

#[tokio::test]
async fn a61_tool_schemas_are_no_reason_for_a_compaction() {
    let fitter = build(small().summarizer(Writer::new()));
    let mut request = with_a_schema(ask(questions(12, 1_000)));
    assert!(is_left_alone(&fitter, &request).await);
    // Once there is one, they count: what comes of it fits beside them.
    request.messages.push(assistant("A", 1));
    let (fitted, report) = fit(&fitter, &request).await;
    assert_eq!((report.limit, report.tokens_before), (12_000, 16_003));
    assert!(tokens(&fitter, &fitted) <= 12_000);
}

#[tokio::test]
async fn a62_a_compaction_is_told_once_and_what_is_sent_is_measured_anew() {
    let (provider, log) = (large(0), Log::default());
    let fitter = small().summarizer(Writer::new()).observer(log.clone());
    let fitter = build(fitter);
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    let listens = classifier_fn(move |sent, _: &Result<ChatResponse, BoxError>| {
        heard.lock().expect("nobody panicked").push(sent.estimated);
        None
    });
    let request = ask(questions(13, 1_000));
    let stack = around(&provider, &fitter, listens);
    send(&stack, request.clone()).await.expect("answered");
    let [Entry::Fitted(report)] = &log.entries()[..] else {
        panic!("one event")
    };
    let [sent] = &received(&provider)[..] else {
        panic!("one call")
    };
    assert_eq!(report.tokens_before, 13_000);
    assert_eq!(report.tokens_after, tokens(&fitter, sent));
    assert_eq!(
        *told.lock().expect("nobody panicked"),
        [report.tokens_after]
    );
    // The plan is for the caller's own history.
    let mut own = request;
    own.apply(&report.plan).expect("it is of this one");
    assert_eq!(own.messages, sent.messages);
}

#[tokio::test]
async fn a63_a_summary_that_was_refused_is_asked_for_again_when_there_is_more_to_say() {
    let refused: [fn(&_) -> Result<Summary, _>; 3] = [
        |_| Ok(Summary::new(" ")),
        |_| Ok(Summary::new("They chose").cut_off(true)),
        |_| Ok(Summary::new("word ".repeat(10_000))),
    ];
    for (answer, tries) in refused.into_iter().zip([1, 1, 2]) {
        let writer = Writer::answering(answer);
        let fitter = build(small().summarizer(writer.clone()));
        let mut request = ask(questions(13, 1_000));
        let (first, first_report) = fit(&fitter, &request).await;
        for _ in 0..3 {
            let (again, report) = fit(&fitter, &request).await;
            assert_eq!(again.messages, first.messages);
            assert_eq!(report.summarizer_calls, 0);
        }
        // What is too long is asked for once more at once, in fewer tokens.
        let calls = writer.calls();
        assert_eq!(first_report.summarizer_calls as usize, calls);
        assert_eq!(calls, tries);
        request.messages.push(user("One more question", 1_000));
        fit(&fitter, &request).await;
        assert_eq!(writer.calls(), 2 * calls);
    }
}

#[tokio::test]
async fn a63_a_summarizer_that_failed_is_asked_again() {
    // It gave no answer that could be held against it: the next request may have more luck.
    let writer = Writer::failing();
    let fitter = build(small().summarizer(writer.clone()));
    let request = ask(questions(13, 1_000));
    for asked in 1..=3 {
        fit(&fitter, &request).await;
        assert_eq!(writer.calls(), asked);
    }
}

#[tokio::test]
async fn a63_a_summary_that_was_refused_is_not_asked_for_after_an_overflow() {
    let (provider, log) = (large(1), Log::default());
    let writer = Writer::answering(|_| Ok(Summary::new(" ")));
    let fitter = small()
        .soft_trigger(Trigger::Tokens(11_000))
        .summarizer(writer.clone())
        .observer(log.clone());
    let stack = around(&provider, &build(fitter), without_numbers());
    let request = ask(questions(12, 1_000));
    send(&stack, request.clone()).await.expect("recovered");
    let [first, second] = &received(&provider)[..] else {
        panic!("two calls")
    };
    // It wasn't needed at first, and then a record does.
    assert_eq!(ptrs(first), ptrs(&request));
    assert_eq!(ptrs(second)[1..], ptrs(&request)[9..]);
    assert!(log.reports()[0].degraded);
    assert_eq!(writer.calls(), 1);
}

#[tokio::test]
async fn a63_a_compaction_that_frees_less_than_a_twentieth_is_not_made() {
    let writer = Writer::new();
    let triggered = small().hard_trigger(Trigger::Tokens(11_000));
    let triggered = build(triggered.summarizer(writer.clone()));
    let request = |older: usize, newest: usize| {
        let older = questions(older / 500, 500);
        ask(older.into_iter().chain([user("The question", newest)]))
    };
    // Decided before anything is paid for.
    assert!(is_left_alone(&triggered, &request(500, 11_000)).await);
    assert_eq!(writer.calls(), 0);
    // A summary may be no longer than what frees a twentieth leaves it.
    for (calls, older) in [(1, 1_000), (2, 4_000)] {
        let (_, report) = fit(&triggered, &request(older, 11_500 - older)).await;
        assert_eq!((report.reason, writer.calls()), (Reason::Trigger, calls));
        assert!(report.tokens_after <= 11_500 - 11_500 / 20);
    }
    assert!(writer.jobs()[0].max_tokens < 500);
}

#[tokio::test]
async fn a63_a_twentieth_is_not_demanded_of_what_makes_a_request_fit() {
    // Otherwise it would be sent over its limit.
    let (writer, log) = (Writer::new(), Log::default());
    let fitter = small().summarizer(writer.clone()).observer(log.clone());
    let fitter = build(fitter);
    let (fitted, report) = fit(
        &fitter,
        &ask([user("The first", 400), user("The last", 11_800)]),
    )
    .await;
    assert!(report.fits() && writer.calls() == 1);
    assert!(tokens(&fitter, &fitted) * 20 > 12_200 * 19);
    // It is of one that doesn't.
    let request = ask([user("The first", 400), user("The last", 12_001)]);
    assert!(is_left_alone(&fitter, &request).await);
    assert_eq!(
        (writer.calls(), log.entries().last()),
        (1, Some(&Entry::Stuck))
    );
}

#[tokio::test]
async fn a64_an_overflow_compacts_what_is_below_the_threshold_once() {
    for overflows in [1, 2] {
        let (provider, writer) = (large(overflows), Writer::new());
        let fitter = build(small().summarizer(writer.clone()));
        let stack = around(&provider, &fitter, without_numbers());
        let request = ask(questions(7, 500));
        let answer = send(&stack, request.clone()).await;
        let [first, second] = &received(&provider)[..] else {
            panic!("two calls")
        };
        assert_eq!(ptrs(first), ptrs(&request));
        // To what is kept of any other.
        assert_eq!(ptrs(second)[1..], ptrs(&request)[1..]);
        assert_eq!(summary(second), Writer::HISTORY);
        assert_eq!(writer.calls(), 1);
        assert_eq!(answer.is_ok(), overflows == 1);
    }
}

#[tokio::test]
async fn a64_where_there_is_nothing_to_compact_tool_results_are_trimmed() {
    // Nothing at all before the newest group, too little for a summary, and too little to gain.
    for question in [1, 50, 150, 400] {
        let (provider, writer) = (large(1), Writer::new());
        let fitter = build(small().summarizer(writer.clone()));
        let stack = around(&provider, &fitter, without_numbers());
        let messages = [
            user("Q", question),
            calls(&["a", "b"], 100),
            result("a", 5_000),
            result("b", 5_000),
        ];
        let request = ask(messages);
        assert!(is_left_alone(&fitter, &request).await);
        send(&stack, request.clone()).await.expect("recovered");
        let [first, second] = &received(&provider)[..] else {
            panic!("two calls")
        };
        assert_eq!(ptrs(first), ptrs(&request));
        assert_eq!(second.messages[..2], request.messages[..2], "{question}");
        assert!(content(&second.messages[2]).contains("characters omitted"));
        assert_eq!(second.messages[3], request.messages[3]);
        assert_eq!(writer.calls(), 0);
    }
}

#[tokio::test]
async fn a64_what_was_compacted_before_it_was_sent_is_brought_to_half() {
    // To compact it as before would come to the same, and trimming alone to little less.
    let mut with_results = questions(8, 1_000);
    with_results.extend([calls(&["a"], 100), result("a", 8_000)]);
    for messages in [questions(13, 1_000), with_results] {
        let provider = large(1);
        let fitter = build(small().summarizer(Writer::new()));
        let stack = around(&provider, &fitter, without_numbers());
        send(&stack, ask(messages)).await.expect("recovered");
        let [first, second] = &received(&provider)[..] else {
            panic!("two calls")
        };
        assert!(summary(first).starts_with(Writer::HISTORY));
        assert!(tokens(&fitter, second) <= tokens(&fitter, first) / 2);
    }
}

#[tokio::test]
async fn a64_what_nothing_makes_smaller_is_sent_again_only_where_that_is_set() {
    // It would be too long once more, and paid for: not by default.
    for resend in [false, true] {
        let (provider, writer) = (large(1), Writer::new());
        let fitter = small().summarizer(writer.clone()).resend_unchanged(resend);
        let stack = around(&provider, &build(fitter), without_numbers());
        let request = ask([user("All there is", 2_500)]);
        let answer = send(&stack, request.clone()).await;
        let sent = received(&provider);
        assert!(sent.iter().all(|sent| ptrs(sent) == ptrs(&request)));
        if resend {
            assert!(answer.is_ok() && sent.len() == 2);
        } else {
            let error = answer.expect_err("too long");
            assert!(matches!(
                error.downcast_ref(),
                Some(FitError::StillTooLong { .. })
            ));
            assert_eq!(sent.len(), 1);
        }
        assert_eq!(writer.calls(), 0);
    }
}

#[tokio::test]
async fn a66_an_answer_from_a_full_window_is_asked_for_again_once() {
    for overflows in [1, 2] {
        let (writer, log) = (Writer::new(), Log::default());
        let provider = provider(20_000)
            .overflow(Overflowing::FullWindow)
            .overflow_calls(overflows);
        let fitter = small().summarizer(writer.clone()).observer(log.clone());
        let stack = around(
            &provider,
            &build(fitter),
            UsageOverflow::new(ChatUsageReader),
        );
        let request = ask(questions(7, 500));
        let answer = send(&stack, request.clone()).await.expect("an answer");
        let [first, second] = &received(&provider)[..] else {
            panic!("two calls")
        };
        assert_eq!(ptrs(first), ptrs(&request));
        assert_eq!(summary(second), Writer::HISTORY);
        // The first answer is gone, and the second stands whatever it is.
        assert_eq!(answer.text(), if overflows == 1 { "Done." } else { "" });
        assert_eq!(log.reports().len(), 1);
    }
}

#[tokio::test]
async fn a67_neighbours_are_merged_on_the_wire_alone() {
    let (provider, log) = (large(0), Log::default());
    let fitter = small().summarizer(Writer::new()).observer(log.clone());
    let stack = ServiceBuilder::new()
        .layer(ContextFitLayer::new(build(fitter)))
        .map_request(ChatRequest::merge_neighbours)
        .service(bottom(&provider));
    let stack = Erased::new(stack);

    let mut history = ask(questions(13, 1_000));
    for round in 0..3 {
        send(&stack, history.clone()).await.expect("answered");
        let sent = provider.last_received().expect("sent");
        // A summary and three questions of the user are one message.
        let [merged] = &sent.request.messages[..] else {
            panic!("one message")
        };
        assert_eq!(merged.role, ChatRole::User);
        assert!(Envelope::find_unverified(&sent.request).is_none());
        // In the caller's history it is alone, and is found again.
        let reports = log.reports();
        assert_eq!(reports.len(), round + 1);
        history
            .apply(&reports[round].plan)
            .expect("it is of this one");
        assert_eq!(history.messages.len(), 4);
        assert_eq!(summary(&history), Writer::HISTORY);
        history.messages.extend(questions(13, 1_000));
    }
}

/// The tokens of each result in a request.
fn results(fitter: &Fitter, request: &ChatRequest) -> Vec<u64> {
    let results = request
        .messages
        .iter()
        .filter(|one| one.role == ChatRole::Tool);
    results
        .map(|one| tokens(fitter, &ask([one.clone()])))
        .collect()
}

#[test]
fn a68_all_results_have_a_fifth_of_the_window_within_two_bounds() {
    // A request whose window isn't known isn't trimmed at all.
    for (window, expected) in [
        (20_000, 8_192),
        (40_960, 8_192),
        (40_965, 8_193),
        (100_000, 20_000),
        (163_840, 32_768),
        (1_000_000, 32_768),
    ] {
        let budget = Budget::new(Window::new(window), &BudgetRules::default(), 0, None, None);
        let total = ClipToolResults::default().total_under(&budget.expect("room"));
        assert_eq!(total, expected);
    }
}

#[tokio::test]
async fn a68_the_total_is_spent_on_the_newest_results_first() {
    // Results that carry schemas are no kind of their own here: a pin keeps them whole.
    let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut messages = vec![user("The task", 50), calls(&ids, 200)];
    messages.extend(ids.iter().map(|id| result(id, 6_000)));
    let request = ask(messages.clone());
    let writer = Writer::new();
    let fitter = preset(40_000).reserve(4_000).summarizer(writer.clone());
    let fitter = build(fitter);
    let sent = sent(&fitter, &request).await;
    assert_eq!(writer.calls(), 0);
    // The question and the calls are as they were, and so is what the caller has.
    assert_eq!(sent.messages[..2], request.messages[..2]);
    assert_eq!(request.messages, messages);

    let results = results(&fitter, &sent);
    let (total, [markers @ .., preview, whole]) = (results.iter().sum::<u64>(), &results[..])
    else {
        panic!("eight results")
    };
    assert_eq!(*whole, 6_000);
    assert_eq!(ptrs(&sent)[9], ptrs(&request)[9]);
    assert!((1_000..6_000).contains(preview));
    assert!(markers.iter().all(|&marker| marker < 30));
    assert!((8_192 - 50..=8_192).contains(&total), "{total}");

    // A quarter of what stays is the head, and the rest the tail.
    let (text, original) = (content(&sent.messages[8]), content(&request.messages[8]));
    let (head, rest) = text.split_once("\n[… ").expect("a marker");
    let (_, tail) = rest.split_once(" …]\n").expect("a marker");
    assert!(original.starts_with(head) && original.ends_with(tail));
    let quarter = (head.len() + tail.len()) / 4;
    assert!(head.len().abs_diff(quarter) <= 1);
    // Of the older ones, next to nothing but the number of what is missing.
    for message in &sent.messages[2..8] {
        let (head, rest) = content(message).split_once("[… ").expect("a marker");
        let (_, tail) = rest.split_once(" …]").expect("a marker");
        assert!(head.len() + tail.len() < 30);
    }
}

#[tokio::test]
async fn a68_nothing_is_trimmed_where_a_compaction_is_enough() {
    // Within the limit, that is: not only within what a compaction aims at.
    let mut messages = questions(20, 1_000);
    messages.extend(rounds(1, 10_000));
    let request = ask(messages);
    let fitter = preset(40_000).reserve(4_000).summarizer(Writer::new());
    let (fitted, report) = fit(&build(fitter), &request).await;
    assert_eq!((report.kept, report.clipped), (2, 0));
    assert_eq!(fitted.messages[1..], request.messages[20..]);
}

/// What a fit makes of a request that asks for so much output: the limit of the whole prompt, and
/// what it asks for then.
async fn output(fitter: &Fitter, request: ChatRequest, asked: u32) -> (Option<u64>, Option<u32>) {
    let fitted = fitter.fit(request.max_tokens(asked)).await.expect("sent");
    let limit = fitted.report.map(|report| report.limit);
    (limit, fitted.request.max_tokens)
}

#[tokio::test]
async fn a69_the_reserve_is_the_output_asked_for_and_4096_more() {
    let fitter = build(preset(128_000).summarizer(Writer::new()));
    for (asked, limit) in [
        (1, 111_616),
        (4_096, 111_616),
        (12_288, 111_616),
        (12_289, 111_615),
        (24_576, 99_328),
    ] {
        let request = ask(questions(112, 1_000));
        let lowered = output(&fitter, request, asked).await;
        assert_eq!(lowered, (Some(limit), Some(asked)));
    }
}

#[tokio::test]
async fn a69_output_is_lowered_to_what_is_left_less_4096_and_at_least_1() {
    let fitter = build(preset(128_000).summarizer(Writer::new()));
    for (prompt, asked, lowered) in [
        (99_328, 24_576, 24_576),
        (110_000, 24_576, 13_904),
        (110_000, 13_904, 13_904),
        (110_000, 13_905, 13_904),
        (123_903, 24_576, 1),
        (123_904, 24_576, 1),
        (127_999, 24_576, 1),
    ] {
        // One message, so that there is nothing to cut.
        let request = ask([user("The question", prompt)]);
        let (_, found) = output(&fitter, request, asked).await;
        assert_eq!(found, Some(lowered), "{asked} beside {prompt}");
    }
    // Nothing is asked for that wasn't.
    let request = ask([user("The question", 127_000)]);
    let fitted = fitter.fit(request).await.expect("sent");
    assert_eq!(fitted.request.max_tokens, None);
}

#[tokio::test]
async fn a69_output_of_the_whole_window_leaves_a_quarter_of_it_to_the_messages() {
    // Not a threshold of 1: what the caller asks for by habit is no reason to lose the history.
    let fitter = build(preset(128_000).summarizer(Writer::new()));
    let request = || ask(questions(32, 1_000));
    assert_eq!(
        output(&fitter, request(), 128_000).await,
        (Some(32_000), Some(91_904))
    );
    let refuses = preset(128_000).oversized_output(OversizedOutput::Refuse);
    let failure = build(refuses).fit(request().max_tokens(128_000)).await;
    let error = failure.expect_err("refused").error;
    assert!(matches!(error, FitError::NoRoom(_)));
}
