//! 1 to 10: settings, and the numbers that follow from them.

use contextfit_core::budget::{Budget, BudgetError, BudgetRules, Window};
use contextfit_core::chat::ChatRequest;
use contextfit_core::cut::RecentBudget;
use contextfit_core::summary::{ItemCaps, Transcript};
use contextfit_tests::{Entry, Log, Shape, bottom, provider, ptrs, send};

use contextfit_tower::{
    ConfigError, FitEvent, Fitter, ModelSpec, ModelTable, SummaryKind, observer_fn,
};

use crate::exact::{
    ask, build, envelope, fit, forced, is_left_alone, preset, questions, rounds, sent, small,
    summary, user, with_a_schema,
};
use crate::writer::Writer;

/// So many tokens, in questions of 1 000 and a last one.
fn of_tokens(tokens: usize) -> ChatRequest {
    let mut messages = questions(tokens / 1_000 - 1, 1_000);
    messages.push(user("The last question", 1_000 + tokens % 1_000));
    ask(messages)
}

#[tokio::test]
async fn a01_by_default_20_000_tokens_are_kept_and_16_384_are_reserved() {
    // The reserve is never more than a quarter of a window, so this is one of 65 536 or more.
    // Attempts, stalls and temperature are the summarizer's own affair.
    let fitter = build(preset(200_000).summarizer(Writer::new()));
    assert!(is_left_alone(&fitter, &of_tokens(183_616)).await);
    let (_, report) = fit(&fitter, &ask(questions(184, 1_000))).await;
    assert_eq!((report.limit, report.kept), (183_616, 20));
}

#[tokio::test]
async fn a02_a_recent_budget_of_nothing_is_the_default() {
    // A reserve that isn't set is the default. One that is set to 0 is 0: it is no unset number.
    assert_eq!(RecentBudget::new(0), RecentBudget::default());
    let policy = RecentBudget::new(0);
    let fitter = preset(200_000).policy(policy).summarizer(Writer::new());
    let (_, report) = fit(&build(fitter), &ask(questions(184, 1_000))).await;
    assert_eq!((report.limit, report.kept), (183_616, 20));
    let fitter = preset(200_000).reserve(0).summarizer(Writer::new());
    let (_, report) = fit(&build(fitter), &ask(questions(201, 1_000))).await;
    assert_eq!((report.limit, report.kept), (200_000, 20));
}

/// What a budget of recent messages comes to under a window, a reserve and a fixed part.
fn kept(policy: RecentBudget, window: u64, reserve: u64, fixed: u64) -> (u64, Budget) {
    let mut rules = BudgetRules::default();
    rules.reserve = Some(reserve);
    let budget = Budget::new(Window::new(window), &rules, fixed, None, None).expect("room");
    (policy.keep(&budget), budget)
}

#[test]
fn a03_at_most_a_quarter_of_what_the_reserve_leaves_is_kept() {
    let default = RecentBudget::default();
    for (window, reserve, fixed, expected) in [
        (20_000, 8_000, 0, 3_000),
        (20_003, 8_000, 0, 3_000),
        (20_004, 8_000, 0, 3_001),
        (200_000, 16_384, 0, 20_000),
        // Tool schemas are not subtracted.
        (20_000, 8_000, 5_000, 3_000),
    ] {
        let (keep, _) = kept(default, window, reserve, fixed);
        assert_eq!(keep, expected);
        // Applied once more, it stays.
        assert_eq!(
            kept(RecentBudget::new(keep), window, reserve, fixed).0,
            keep
        );
    }
    // Where the quarter comes to nothing, or to more than is aimed at, what is aimed at is kept:
    // we aim at half of the limit, and no compaction keeps more.
    for (window, reserve, fixed) in [(1_003, 1_000, 0), (20_000, 8_000, 7_000)] {
        let (keep, budget) = kept(default, window, reserve, fixed);
        assert_eq!(keep, budget.target);
        assert_eq!(keep, (window - reserve - fixed) / 2);
    }
}

#[tokio::test]
async fn a03_the_quarter_is_what_a_fit_keeps() {
    let fitter = build(small().summarizer(Writer::new()));
    let request = ask(questions(13, 1_000));
    let (_, report) = fit(&fitter, &request).await;
    assert_eq!((report.limit, report.kept), (12_000, 3));
    let (_, report) = fit(&fitter, &with_a_schema(request)).await;
    assert_eq!((report.limit, report.kept), (12_000, 3));
}

#[tokio::test]
async fn a04_the_window_less_the_reserve_is_the_threshold() {
    let fitter = preset(128_000).reserve(28_672).summarizer(Writer::new());
    let fitter = build(fitter);
    assert!(is_left_alone(&fitter, &of_tokens(99_328)).await);
    let (_, report) = fit(&fitter, &of_tokens(99_329)).await;
    assert_eq!(report.limit, 99_328);
}

#[test]
fn a04_a_threshold_of_nothing_is_refused_when_the_fitter_is_built() {
    // Not a threshold of 1, which no conversation is below; nor a switch to turn all off.
    let error = |fitter: Result<Fitter, _>| fitter.expect_err("no room");
    for reserve in [128_000, 128_001, u64::MAX] {
        let too_large = BudgetError::ReserveTooLarge {
            reserve,
            ceiling: 128_000,
        };
        assert_eq!(
            error(preset(128_000).reserve(reserve).build()),
            ConfigError::Budget(too_large)
        );
    }
    assert!(preset(128_000).reserve(127_999).build().is_ok());
    assert_eq!(
        error(preset(0).build()),
        ConfigError::Budget(BudgetError::EmptyWindow)
    );
}

#[tokio::test]
async fn a05_more_than_the_threshold_is_compacted_and_no_less() {
    let builder = || small().summarizer(Writer::new());
    let on = build(builder());
    for tokens in [11_999, 12_000] {
        let request = of_tokens(tokens);
        assert_eq!(ptrs(&sent(&on, &request).await), ptrs(&request));
    }
    let request = of_tokens(12_001);
    assert_eq!(summary(&sent(&on, &request).await), Writer::HISTORY);
    let off = build(builder().enabled(false));
    assert_eq!(ptrs(&sent(&off, &request).await), ptrs(&request));
}

#[tokio::test]
async fn a06_an_overflow_is_repaired_where_the_routine_check_is_off() {
    let (provider, writer) = (provider(9_000), Writer::new());
    let fitter = small().enabled(false).summarizer(writer.clone());
    let stack = Shape::Joint.around(bottom(&provider), &build(fitter));
    let request = of_tokens(12_001);
    send(&stack, request.clone()).await.expect("repaired");
    let [first, second] = &provider.received()[..] else {
        panic!("two calls")
    };
    assert_eq!(ptrs(&first.request), ptrs(&request));
    assert_eq!(summary(&second.request), Writer::HISTORY);
    assert_eq!(writer.calls(), 1);
}

#[tokio::test]
async fn a07_a_summary_has_four_fifths_of_the_reserve_and_the_least_wins_over_the_most() {
    for (window, reserve, output, expected) in [
        (400_000, 10_000, 100_000, 8_000),
        (400_000, 16_384, 100_000, 13_107),
        // At most what the summarizer's model gives, and what is kept.
        (400_000, 16_384, 4_096, 4_096),
        (400_000, 100_000, 100_000, 20_000),
        // The least there is wins over all of these.
        (400_000, 1_000, 100_000, 1_024),
        (400_000, 10_000, 100, 1_024),
    ] {
        let writer = Writer::new().output(output);
        let fitter = preset(window).reserve(reserve).summarizer(writer.clone());
        fit(&forced(fitter), &ask(questions(60, 1_000))).await;
        assert_eq!(writer.job().max_tokens, expected);
    }
}

#[tokio::test]
async fn a07_no_summary_is_larger_than_a_quarter_of_the_limit() {
    // There, the least doesn't win: a summary must leave room for what it stands before.
    for (window, reserve) in [(4_000, 1_000), (8_000, 2_000), (20_000, 8_000)] {
        let writer = Writer::new().output(100_000);
        let fitter = preset(window).reserve(reserve).summarizer(writer.clone());
        fit(&build(fitter), &ask(questions(13, 1_000))).await;
        let most = (window - reserve) / 4;
        assert!((most / 2..most).contains(&writer.job().max_tokens));
    }
}

#[tokio::test]
async fn a08_the_start_of_a_turn_has_half_of_that_and_at_least_512_tokens() {
    let request = || {
        let mut messages = questions(40, 1_000);
        messages.extend(rounds(40, 1_000));
        ask(messages)
    };
    for (reserve, history, turn_start) in [(10_000, 8_000, 4_000), (1_000, 1_024, 512)] {
        let writer = Writer::new().output(100_000);
        let fitter = preset(400_000).reserve(reserve).summarizer(writer.clone());
        fit(&forced(fitter), &request()).await;
        let bounds: Vec<u64> = writer.jobs().iter().map(|job| job.max_tokens).collect();
        assert_eq!(bounds, [history, turn_start]);
    }
    // What is set in tokens is the most, here too.
    let writer = Writer::new();
    let fitter = preset(400_000)
        .summary_tokens(100)
        .summarizer(writer.clone());
    fit(&forced(fitter), &request()).await;
    let bounds: Vec<u64> = writer.jobs().iter().map(|job| job.max_tokens).collect();
    assert_eq!(bounds, [100, 512]);
}

/// A conversation whose cut falls into its last turn, with a summary from before.
fn compacted() -> ChatRequest {
    let mut messages = vec![envelope("fact ".repeat(400))];
    messages.extend(questions(400, 20));
    messages.extend(rounds(200, 20));
    ask(messages)
}

#[tokio::test]
async fn a09_a_summarizer_reads_nine_tenths_of_what_its_window_leaves() {
    const WINDOW: u64 = 6_000;
    let writer = Writer::new().window(WINDOW);
    let fitter = small().summary_calls(1).summarizer(writer.clone());
    fit(&build(fitter), &compacted()).await;
    let [history, turn_start] = &writer.jobs()[..] else {
        panic!("two jobs")
    };
    // The start of a turn goes on from no summary, and has a smaller bound.
    assert!(history.previous.is_some() && turn_start.previous.is_none());
    assert!(turn_start.max_tokens < history.max_tokens);
    for job in [history, turn_start] {
        assert!(job.omitted > 0);
        let read = job.count(&job.transcript);
        let system = job.count(job.system());
        let prompt = system + job.count(&job.prompt()) - read;
        let left = WINDOW - job.max_tokens - prompt;
        assert!(read <= left * 9 / 10, "{read} of {left}");
        // Our instructions differ in length, and room is kept for the longest.
        assert!(read >= left * 9 / 10 - 600, "{read} of {left}");
    }
}

#[tokio::test]
async fn a09_without_a_window_of_its_own_a_summarizer_reads_all() {
    let writer = Writer::new();
    let request = compacted();
    let (_, report) = fit(&build(small().summarizer(writer.clone())), &request).await;
    let [history, turn_start] = &writer.jobs()[..] else {
        panic!("two jobs")
    };
    let end = report.plan.cut().count();
    assert_eq!(
        history.transcript,
        Transcript::of(&request, 1..400).render(&ItemCaps::default())
    );
    assert_eq!(
        turn_start.transcript,
        Transcript::of(&request, 400..end).render(&ItemCaps::default())
    );
    assert_eq!((history.omitted, turn_start.omitted), (0, 0));
}

#[tokio::test]
async fn a09_a_summarizer_whose_window_leaves_nothing_is_not_asked_and_it_is_said_why() {
    // Ours differs: a call that can't fit is no call. A record stands for what it would have read.
    let (writer, log) = (Writer::new().window(1_000), Log::default());
    let fitter = small().summarizer(writer.clone()).observer(log.clone());
    let (fitted, report) = fit(&build(fitter), &ask(questions(13, 1_000))).await;
    assert_eq!((writer.calls(), report.archived), (0, 10));
    assert!(summary(&fitted).contains("- User: Question 9: "));
    let Entry::SummaryRefused(why) = &log.entries()[0] else {
        panic!("{:?}", log.entries())
    };
    assert!(
        why.contains("window of 1000 tokens leaves no room"),
        "{why}"
    );
}

#[tokio::test]
async fn a10_without_a_window_nothing_is_compacted() {
    let none = Fitter::builder().recent_budget().build();
    assert_eq!(none.expect_err("no window"), ConfigError::NoWindow);

    // A model that isn't known is left alone, before it is sent and after an overflow.
    let unknown = std::sync::Arc::new(std::sync::Mutex::new(0));
    let heard = std::sync::Arc::clone(&unknown);
    let observer = observer_fn(move |event| {
        assert!(matches!(event, FitEvent::UnknownModel(_)), "{event:?}");
        *heard.lock().expect("nobody panicked") += 1;
    });
    let writer = Writer::new();
    let fitter = small()
        .models(ModelTable::new().model("another-model", ModelSpec::new(20_000)))
        .summarizer(writer.clone())
        .observer(observer);
    let fitter = build(fitter);
    let provider = provider(9_000);
    let stack = Shape::Joint.around(bottom(&provider), &fitter);
    let mut request = of_tokens(30_000);
    send(&stack, request.clone()).await.expect_err("too long");
    let [call] = &provider.received()[..] else {
        panic!("one call")
    };
    assert_eq!(ptrs(&call.request), ptrs(&request));
    assert!(*unknown.lock().expect("nobody panicked") > 0);
    assert_eq!(writer.calls(), 0);

    // The same request for a model that is known.
    request.model = "another-model".into();
    let fitter = small().models(ModelTable::new().model("another-model", ModelSpec::new(20_000)));
    fit(&build(fitter.summarizer(writer.clone())), &request).await;
    assert_eq!(writer.job().kind, SummaryKind::History);
}
