//! The laws of a fit as a whole: random conversations, sound and broken, under shipped and
//! hostile policies, with summarizers that behave and that don't.

use std::sync::Arc;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::cut::{CutPolicy, Fate};
use contextfit_core::estimate::{CharEstimator, measure};
use contextfit_core::summary::Envelope;
use contextfit_core::table::Pins;
use contextfit_testing::provider::check_structure;
use contextfit_testing::strategies::{
    HostilePolicy, conversations, hostile_conversations, hostile_policies,
};
use contextfit_testing::summaries::summary_keys;
use contextfit_tests::shipped_policies;
use contextfit_tower::{
    BoxError, Calibrator, ExtractiveSummarizer, FailedSummary, FitError, FitReport, Fitted, Fitter,
    FitterBuilder, HeadSummarizer, Outcome, SplitTurn, SummarizeError, Summary, Usage, WhenStuck,
    summarizer_fn,
};
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::Index;

/// What is set, in a form that can be printed when a case fails.
#[derive(Clone, Debug)]
struct Setup {
    /// The window, in percent of what the conversation needs.
    window: u64,
    policy: Policy,
    summarizer: Summarizes,
    pins: Pins,
    failed_summary: FailedSummary,
    when_stuck: WhenStuck,
    clip_user_messages: bool,
    split_turn: SplitTurn,
    max_messages: Option<usize>,
    /// What a provider counted for a start of the conversation, in percent of what is estimated,
    /// and where that start ends.
    counted: Option<(Index, u64)>,
}

#[derive(Clone, Debug)]
enum Policy {
    /// One of the shipped ones, by its number.
    Shipped(Index),
    Hostile(HostilePolicy),
}

#[derive(Clone, Copy, Debug)]
enum Summarizes {
    Nobody,
    Head,
    Extractive,
    Blank,
    CutOff,
    OverBound,
    Fails,
}

impl Setup {
    fn fitter(&self, chat: &ChatRequest) -> Fitter {
        let needed = measure(chat, &CharEstimator::default()).prompt();
        let builder = Fitter::builder()
            .summary_keys(summary_keys())
            .window((needed * self.window / 100).max(4))
            .pins(self.pins)
            .failed_summary(self.failed_summary)
            .when_stuck(self.when_stuck)
            .split_turn(self.split_turn)
            .clip_user_messages(self.clip_user_messages);
        let builder = match self.max_messages {
            Some(most) => builder.max_messages(most),
            None => builder,
        };
        let builder = self.summarizer(builder);
        let policy: Arc<dyn CutPolicy> = match &self.policy {
            Policy::Shipped(number) => number.get(&shipped_policies()).1.clone(),
            Policy::Hostile(policy) => Arc::new(*policy),
        };
        let builder = builder.policy(policy);
        let build = |builder: FitterBuilder| builder.build().expect("the settings can work");
        let Some((end, percent)) = &self.counted else {
            return build(builder);
        };
        let fitter = build(builder.calibrator(Calibrator::default()));
        let ends = |&index: &usize| chat.messages[index].role == ChatRole::Assistant;
        let mut ends: Vec<usize> = (0..chat.messages.len()).filter(ends).collect();
        ends.push(chat.messages.len());
        let mut start = chat.clone();
        start.messages.truncate(*end.get(&ends));
        let estimated = fitter.measure(&start).expect("readable").prompt();
        let usage = Usage::new(estimated * percent / 100, 1);
        fitter.learn(&start, &usage).expect("readable");
        fitter
    }

    fn summarizer(&self, builder: FitterBuilder) -> FitterBuilder {
        let says = |builder: FitterBuilder, summary: fn(u64) -> Result<Summary, BoxError>| {
            builder.summarizer(summarizer_fn(
                move |job| async move { summary(job.max_tokens) },
            ))
        };
        match self.summarizer {
            Summarizes::Nobody => builder,
            Summarizes::Head => builder.summarizer(HeadSummarizer),
            Summarizes::Extractive => builder.summarizer(ExtractiveSummarizer),
            Summarizes::Blank => says(builder, |_| Ok(Summary::new(" \n"))),
            Summarizes::CutOff => says(builder, |_| Ok(Summary::new("and then").cut_off(true))),
            Summarizes::OverBound => says(builder, |tokens| {
                Ok(Summary::new("x".repeat(usize::try_from(tokens * 4 + 4)?)))
            }),
            Summarizes::Fails => says(builder, |_| Err("no route to model".into())),
        }
    }
}

fn setups() -> impl Strategy<Value = Setup> {
    let policy = prop_oneof![
        3 => any::<Index>().prop_map(Policy::Shipped),
        1 => hostile_policies().prop_map(Policy::Hostile),
    ];
    let summarizer = prop_oneof![
        2 => Just(Summarizes::Head),
        2 => Just(Summarizes::Extractive),
        1 => Just(Summarizes::Nobody),
        1 => Just(Summarizes::Blank),
        1 => Just(Summarizes::CutOff),
        1 => Just(Summarizes::OverBound),
        1 => Just(Summarizes::Fails),
    ];
    let failed_summary = prop_oneof![
        Just(FailedSummary::Untouched),
        Just(FailedSummary::Omit),
        Just(FailedSummary::Archive),
        Just(FailedSummary::Refuse),
    ];
    let split_turn = prop_oneof![Just(SplitTurn::Together), Just(SplitTurn::Apart)];
    let max_messages = weighted(0.2, 1_usize..30);
    let counted = weighted(0.3, (any::<Index>(), 20_u64..500));
    let when_stuck = prop_oneof![Just(WhenStuck::Send), Just(WhenStuck::Refuse)];
    let pins = any::<(bool, bool)>().prop_map(|(task, last_user)| Pins { task, last_user });
    let window = 5..160_u64;
    (
        window,
        policy,
        summarizer,
        pins,
        failed_summary,
        when_stuck,
        (any::<bool>(), split_turn, max_messages, counted),
    )
        .prop_map(
            |(window, policy, summarizer, pins, failed_summary, when_stuck, others)| {
                let (clip_user_messages, split_turn, max_messages, counted) = others;
                Setup {
                    window,
                    policy,
                    summarizer,
                    pins,
                    failed_summary,
                    when_stuck,
                    clip_user_messages,
                    split_turn,
                    max_messages,
                    counted,
                }
            },
        )
}

fn any_conversations() -> impl Strategy<Value = ChatRequest> {
    prop_oneof![conversations(), hostile_conversations()]
}

fn fixed(message: &ChatMessage) -> bool {
    matches!(message.role, ChatRole::System | ChatRole::Developer)
}

/// Each message of the result is the next message of the original, or the new summary, or a
/// clipped tool result or message of the user that the report names; nothing else, in order.
fn kept_in_order(
    before: &[ChatMessage],
    after: &[ChatMessage],
    report: &FitReport,
    may_clip_users: bool,
) -> Result<(), TestCaseError> {
    let mut next = 0;
    let mut summaries = 0;
    for message in after {
        if let Some(skipped) = before[next..]
            .iter()
            .position(|original| original == message)
        {
            next += skipped + 1;
            continue;
        }
        if Some(message.text().as_str()) == report.plan.summary() {
            summaries += 1;
            continue;
        }
        let clip = report.plan.clips().iter().find(|clip| {
            clip.message >= next && {
                let original = &before[clip.message];
                original.role == message.role
                    && original.tool_call_id == message.tool_call_id
                    && message.text().contains(&clip.text)
            }
        });
        let clip = clip.ok_or_else(|| TestCaseError::fail(format!("changed: {message:?}")))?;
        let user = message.role == ChatRole::User;
        prop_assert!(message.role != ChatRole::Assistant && (may_clip_users || !user));
        prop_assert!(clip.text.contains("characters omitted"));
        next = clip.message + 1;
    }
    prop_assert!(summaries <= 1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_fit_keeps_the_laws(chat in any_conversations(), setup in setups()) {
        let fitter = setup.fitter(&chat);
        let before = chat.messages.clone();
        let measured = fitter.measure(&chat).unwrap();
        let sound = check_structure(&chat).is_ok();
        let fitted = match tokio_test::block_on(fitter.fit(chat)) {
            Ok(fitted) => fitted,
            Err(failure) => {
                prop_assert_eq!(failure.request.messages, before);
                return Ok(());
            }
        };
        let after = &fitted.request.messages;
        let Some(report) = fitted.report else {
            prop_assert_eq!(after, &before);
            return Ok(());
        };

        // The report is honest. (What was counted holds for what was counted, and may be left out
        // of account where it would make a fit impossible.)
        if setup.counted.is_none() {
            let measured_after = fitter.measure(&fitted.request).unwrap();
            prop_assert_eq!(report.tokens_before, measured.prompt());
            prop_assert_eq!(report.tokens_after, measured_after.prompt());
        }
        let too_many = setup.max_messages.is_some_and(|most| before.len() > most);
        prop_assert!(too_many || report.tokens_after < report.tokens_before);
        prop_assert!(setup.when_stuck == WhenStuck::Send || report.fits());
        // Two parts, each read at once, and each asked for once more where it is over its bound.
        prop_assert!(report.summarizer_calls <= 4);
        let summary_before = Envelope::find(&ChatRequest::new("m", before.clone()), &summary_keys());
        let summary_before = summary_before.ours.map(|(index, _)| index);
        let cuts_summary = summary_before.is_some_and(|index| report.plan.cut().contains(index));
        let replaced = usize::from(cuts_summary);
        let cut = report.summarized + report.archived + report.omitted;
        let accounted = cut + report.clipped + report.kept;
        prop_assert_eq!(accounted + replaced, before.len());
        prop_assert!(report.archived == 0 || report.degraded);

        // Nothing is reordered or rewritten, and what must stay stays.
        kept_in_order(&before, after, &report, setup.clip_user_messages)?;
        prop_assert_eq!(
            before.iter().filter(|message| fixed(message)).collect::<Vec<_>>(),
            after.iter().filter(|message| fixed(message)).collect::<Vec<_>>()
        );
        if sound {
            prop_assert_eq!(check_structure(&fitted.request), Ok(()));
        }
        let users: Vec<&ChatMessage> = before
            .iter()
            .enumerate()
            .filter(|&(index, message)| {
                message.role == ChatRole::User && Some(index) != summary_before
            })
            .map(|(_, message)| message)
            .collect();
        if !setup.clip_user_messages {
            if let (true, Some(task)) = (setup.pins.task, users.first()) {
                prop_assert!(after.contains(task));
            }
            if let (true, Some(last)) = (setup.pins.last_user, users.last()) {
                prop_assert!(after.contains(last));
            }
        }
        if before.iter().any(|message| !fixed(message)) {
            prop_assert!(after.iter().any(|message| !fixed(message)));
        }
        if let Some(summary) = report.plan.summary() {
            let envelope = Envelope::read_unverified(summary).expect("an envelope of our own");
            prop_assert!(envelope.messages >= cut as u64);
            prop_assert!(envelope.omitted >= report.omitted as u64);
            prop_assert!(report.summarized == 0 || report.summarizer_calls > 0);
            if report.degraded && cut > 0 {
                prop_assert!(report.archived + report.omitted > 0);
            }
        }

        // A verified fit is left alone the next time.
        let few = setup.max_messages.is_none_or(|most| after.len() <= most);
        if report.fits() && few && setup.counted.is_none() {
            let again = tokio_test::block_on(fitter.fit(fitted.request.clone())).unwrap();
            prop_assert!(again.report.is_none());
            prop_assert_eq!(&again.request.messages, after);
        }
    }

    #[test]
    fn an_extractive_summary_is_never_refused_for_its_length(
        chat in any_conversations(), setup in setups(),
    ) {
        let failed_summary = FailedSummary::Refuse;
        let setup = Setup { summarizer: Summarizes::Extractive, failed_summary, ..setup };
        if let Err(failure) = tokio_test::block_on(setup.fitter(&chat).fit(chat)) {
            let error = failure.error;
            prop_assert!(!matches!(error, FitError::Summarize(SummarizeError::OverBound { .. })), "{error}");
            prop_assert!(!matches!(error, FitError::Summarize(SummarizeError::NotSmaller { .. })), "{error}");
        }
    }

    #[test]
    fn what_fits_is_not_touched_and_costs_no_call(chat in any_conversations(), setup in setups()) {
        let fitter = Setup { window: 1_000, max_messages: None, counted: None, ..setup }.fitter(&chat);
        let before = chat.messages.clone();
        let fitted = tokio_test::block_on(fitter.fit(chat)).unwrap();
        prop_assert!(fitted.report.is_none());
        prop_assert_eq!(fitted.request.messages, before);
    }

    #[test]
    fn an_explanation_says_what_a_fit_does(chat in any_conversations(), setup in setups()) {
        let fitter = setup.fitter(&chat);
        // Where nothing but the task is clipped, it is sealed again as it was.
        let earlier = Envelope::find(&chat, &summary_keys()).ours.map(|(index, _)| index);
        let explained = fitter.explain(&chat).unwrap();
        let measured = fitter.measure(&chat).unwrap();
        prop_assert!(setup.counted.is_some() || explained.tokens_before == measured.prompt());
        prop_assert_eq!(explained.messages.len(), chat.messages.len());
        for message in &explained.messages {
            let kinds = message.kinds.iter().map(|&(_, tokens)| tokens).sum::<u64>();
            prop_assert!(kinds <= message.tokens && message.tokens_after <= message.tokens);
            prop_assert_eq!(message.fate == Fate::Keep, message.tokens_after == message.tokens
                && !message.fate.is_cut());
        }
        match tokio_test::block_on(fitter.fit(chat)) {
            Ok(Fitted { report: Some(report), .. }) => {
                prop_assert!(matches!(explained.outcome, Outcome::Changed(reason) if reason == report.reason));
                if report.degraded {
                    return Ok(());
                }
                let calls = explained.summary.map_or(0, |summary| summary.calls);
                // Some summaries are over their bound.
                prop_assert!(calls <= report.summarizer_calls as usize);
                prop_assert!(report.summarizer_calls as usize <= 2 * calls);
                prop_assert_eq!(explained.summary.map_or(0, |summary| summary.messages), report.summarized);
                prop_assert!(report.tokens_after <= explained.tokens_after);
                for (index, message) in explained.messages.iter().enumerate() {
                    let is_cut = report.plan.cut().contains(index);
                    prop_assert!(message.fate.is_cut() == is_cut || Some(index) == earlier && is_cut);
                    let clipped = report.plan.clips().iter().any(|clip| clip.message == index);
                    prop_assert!(!clipped || matches!(message.fate, Fate::Clip(_)));
                }
            }
            // Nothing was changed: it fits, or nothing helps, or there was no usable summary.
            Ok(_) => {
                let fates = || explained.messages.iter().map(|message| message.fate);
                let agrees = match explained.outcome {
                    Outcome::Fits | Outcome::Stuck => true,
                    Outcome::Changed(_) => fates().any(|fate| fate != Fate::Keep),
                    _ => false,
                };
                prop_assert!(agrees);
            }
            Err(failure) => match explained.outcome {
                Outcome::Refused(error) => prop_assert_eq!(error.to_string(), failure.error.to_string()),
                _ => prop_assert!(matches!(failure.error, FitError::Summarize(_))),
            },
        }
    }
}
