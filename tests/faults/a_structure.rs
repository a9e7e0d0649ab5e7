//! A. What is left after a cut is a conversation that a provider accepts.

use std::collections::HashSet;
use std::future::ready;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use contextfit_core::budget::BudgetError;
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole, ContentPart};
use contextfit_core::cut::{Cut, CutPolicy, RecentBudget, TopicAndRecent, cut_policy_fn};
use contextfit_core::estimate::{CharEstimator, Estimator, TokenCount, measure};
use contextfit_core::request::{Piece, Role};
use contextfit_core::table::Pins;
use contextfit_testing::probe::ReadinessProbe;
use contextfit_testing::provider::{SimulatedProvider, check_structure};
use contextfit_tests::{
    Erased, FixedPart, Item, Items, Log, Scribe, Shape, agent, bottom, chat, estimate, forms,
    policies, provider, questions, send, text, unique,
};
use contextfit_tower::{
    BoxError, ContextFitLayer, FitError, Fitter, FitterBuilder, Overflow, OversizedFixedPart,
    classifier_fn,
};
use tower::util::BoxCloneSyncService;
use tower::{Layer, ServiceExt, service_fn};

/// The work of agents that name their calls in different ways, of one turn and of several.
fn agents() -> Vec<ChatRequest> {
    let reused_each_turn = |_, round, call| format!("call_{round}_{call}");
    let reused_each_round = |_, _, call| format!("call_{call}");
    let mut in_order = agent(2, 3, 60, unique);
    for round in in_order
        .messages
        .chunk_by_mut(|one, next| one.role == ChatRole::Tool && next.role == ChatRole::Tool)
    {
        round.reverse();
    }
    vec![
        agent(2, 3, 60, unique),
        agent(2, 3, 60, reused_each_turn),
        agent(2, 3, 60, reused_each_round),
        agent(1, 8, 60, unique),
        in_order,
    ]
}

/// Windows for a request, without a reserve: just too small, and much too small.
fn windows(request: &ChatRequest) -> [u64; 2] {
    [estimate(request) - 1, estimate(request) / 2]
}

#[tokio::test]
async fn a1_no_cut_separates_a_call_from_its_results() {
    let mut cuts = 0;
    for request in agents() {
        assert_eq!(check_structure(&request), Ok(()));
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                for (shape, pins, overflows) in [
                    (Shape::Fit, Pins::BOTH, 0),
                    (Shape::Fit, Pins::NONE, 0),
                    // A recovery cuts too.
                    (Shape::Joint, Pins::NONE, 1),
                    (Shape::Retry, Pins::BOTH, 1),
                ] {
                    let (provider, log) =
                        (provider(100_000).overflow_calls(overflows), Log::default());
                    let fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .pins(pins)
                        .summarizer(Scribe::new("They worked."))
                        .observer(log.clone())
                        .build()
                        .expect("settings that work");
                    let _ = send(&shape.around(bottom(&provider), &fitter), request.clone()).await;
                    for call in provider.received() {
                        assert_eq!(check_structure(&call.request), Ok(()));
                    }
                    cuts += log
                        .reports()
                        .iter()
                        .filter(|report| report.summarized > 0)
                        .count();
                }
            }
        }
    }
    assert!(cuts > 1_000, "{cuts} cuts are a test of something");
}

/// Histories that are odd, or broken before anything is cut.
fn odd() -> Vec<ChatRequest> {
    let user = |label: &str| ChatMessage::user(text(label, 60));
    let calls = |label: &str, ids: &[&str]| {
        let says = ChatMessage::assistant(text(label, 60));
        ids.iter()
            .fold(says, |message, id| message.call(*id, "read", "{}"))
    };
    let result = |label: &str, id: &str| ChatMessage::tool(id, text(label, 60));
    let mut looks = ChatMessage::assistant(text("Looks:", 60));
    let call = serde_json::json!({"name": "look", "arguments": "{}"});
    looks.extra.insert("function_call".into(), call);
    let mut seen = ChatMessage::user(text("Seen:", 60));
    seen.role = ChatRole::Function;
    let histories = [
        // Interrupted, and called again under the same id.
        vec![
            calls("Interrupted:", &["a", "b"]),
            user("Go on:"),
            calls("Again:", &["a", "b"]),
            result("Second:", "b"),
            result("First:", "a"),
        ],
        // Among the results there is one that nobody asked for.
        vec![
            calls("Both:", &["a", "b"]),
            result("First:", "a"),
            result("Stray:", "x"),
            result("Second:", "b"),
        ],
        // Half of the results.
        vec![calls("Three:", &["a", "b", "c"]), result("Second:", "b")],
        // Somebody speaks between a call and its result.
        vec![
            calls("Both:", &["a", "b"]),
            result("First:", "a"),
            user("By the way:"),
            ChatMessage::system(text("Mind you:", 30)),
            result("Second:", "b"),
        ],
        // Two calls under one id, and a result too many.
        vec![
            calls("Twice:", &["a", "a"]),
            result("First:", "a"),
            result("Second:", "a"),
            result("Third:", "a"),
        ],
        // Many at once.
        vec![
            calls("Five:", &["a", "b", "c", "d", "e"]),
            result("1:", "e"),
            result("2:", "a"),
            result("3:", "c"),
            result("4:", "b"),
            result("5:", "d"),
        ],
        // The way older than tools has no ids.
        vec![looks, seen],
    ];
    let around = |odd: &Vec<ChatMessage>| {
        let mut messages = vec![result("Left over:", "z"), user("The task:")];
        messages.extend(odd.iter().cloned());
        messages.push(user("Another question:"));
        messages.extend(agent(1, 2, 60, |_, _, call| ["a", "b"][call].to_owned()).messages);
        ChatRequest::new("a-model", messages)
    };
    histories.iter().map(around).collect()
}

/// Each call with its results, by their places.
fn ties(request: &ChatRequest) -> Vec<(usize, usize)> {
    let mut ties = Vec::new();
    let mut open: Vec<(&str, usize)> = Vec::new();
    for (place, message) in request.messages.iter().enumerate() {
        open.extend(message.tool_calls.iter().map(|call| (&*call.id, place)));
        if let Some(id) = message.tool_call_id.as_deref()
            && let Some(call) = open.iter().rposition(|(open, _)| *open == id)
        {
            ties.push((open.remove(call).1, place));
        }
        if message.role == ChatRole::Function {
            ties.push((place - 1, place));
        }
    }
    ties
}

#[tokio::test]
async fn a1_what_belongs_together_stays_so_in_odd_histories_too() {
    for request in odd() {
        let ties = ties(&request);
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                for (shape, pins, overflows) in
                    [(Shape::Fit, Pins::NONE, 0), (Shape::Joint, Pins::BOTH, 1)]
                {
                    let provider = provider(100_000)
                        .check_structure(false)
                        .overflow_calls(overflows);
                    let fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .pins(pins)
                        .clip_tool_results(false)
                        .summarizer(Scribe::new("They worked."))
                        .build()
                        .expect("settings that work");
                    let _ = send(&shape.around(bottom(&provider), &fitter), request.clone()).await;
                    for call in provider.received() {
                        let kept =
                            |place: usize| call.request.messages.contains(&request.messages[place]);
                        for &(called, answered) in &ties {
                            assert_eq!(kept(called), kept(answered), "{called} and {answered}");
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a2_what_fits_is_sent_byte_for_byte_whatever_its_form() {
    let pair = ChatRequest::new(
        "a-model",
        [
            ChatMessage::system(vec![ContentPart::text("Obey.")]),
            ChatMessage::user("Look."),
            ChatMessage::assistant("").call("a", "read", "{}"),
            ChatMessage::tool("a", text("Result:", 200)),
        ],
    );
    for request in [pair, forms(1, 20), forms(4, 100)] {
        let given = json(&request);
        // From much more than it needs to just what it needs.
        for room in [100, 10, 2, 1] {
            for shape in Shape::ALL {
                let window = estimate(&request) * room;
                let (provider, scribe) = (provider(window), Scribe::default());
                let log = Log::default();
                let fitter = Fitter::builder()
                    .window(window)
                    .reserve(0)
                    .summarizer(scribe.clone())
                    .observer(log.clone())
                    .build()
                    .expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                send(&stack, request.clone()).await.expect("it fits");
                let sent = provider.last_received().expect("sent");
                assert_eq!(json(&sent.request), given, "{shape:?}");
                assert_eq!((scribe.calls(), log.entries()), (0, vec![]));
            }
        }
    }
}

fn json(request: &ChatRequest) -> String {
    serde_json::to_string(request).expect("JSON")
}

/// The messages as they go over the wire, one by one.
fn jsons(request: &ChatRequest) -> Vec<String> {
    let json = |message| serde_json::to_string(message).expect("JSON");
    request.messages.iter().map(json).collect()
}

#[tokio::test]
async fn a2_every_form_of_content_counts_and_can_be_cut() {
    let presets: [fn(FitterBuilder) -> FitterBuilder; 3] = [
        |builder| builder.topic_and_half(),
        |builder| builder.recent_budget(),
        |builder| builder.recent_budget().clip_user_messages(true),
    ];
    for (turns, tokens) in [(4, 60), (12, 100), (3, 600)] {
        for preset in presets {
            let request = forms(turns, tokens);
            // It counts with a tokenizer, so that nothing is overlooked on both sides.
            let window = estimate(&request) / 2;
            let (provider, log) = (SimulatedProvider::new(window), Log::default());
            let fitter = preset(Fitter::builder().window(window))
                .summarizer(Scribe::new("They worked."))
                .observer(log.clone())
                .build()
                .expect("settings that work");
            let stack = Shape::Fit.around(bottom(&provider), &fitter);
            send(&stack, request.clone()).await.expect("accepted");

            let reports = log.reports();
            let [report] = &reports[..] else {
                panic!("one report, not {reports:?}");
            };
            assert!(report.fits() && report.summarized > 0);
            let (given, sent) = (jsons(&request), provider.last_received().expect("sent"));
            let sent = jsons(&sent.request);
            assert_eq!(sent[..2], given[..2], "the system messages");
            let new = sent
                .iter()
                .filter(|message| !given.contains(message))
                .count();
            assert_eq!(new, 1 + report.clipped);
        }
    }
}

/// Counts as it is told to. After so many counts it gives up: then something goes in circles.
struct Tireless {
    count: fn(chars: u64, number: u64) -> TokenCount,
    counts: Arc<AtomicU64>,
}

impl Tireless {
    const MOST: u64 = 5_000;
}

impl Estimator for Tireless {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        let mut chars = 0;
        piece.for_each_text(|text| chars += text.char_count() as u64);
        let number = self.counts.fetch_add(1, Ordering::Relaxed);
        assert!(number < Self::MOST, "{number} counts, and no end");
        (self.count)(chars, number)
    }

    fn message_overhead(&self, _: Role) -> TokenCount {
        TokenCount::tokens(4)
    }
}

#[tokio::test]
async fn a2_fitting_ends_whatever_an_estimator_says() {
    type Count = fn(u64, u64) -> TokenCount;
    let counts: [Count; 7] = [
        |chars, _| TokenCount::ratio(chars, 4),
        |_, _| TokenCount::ZERO,
        // Shorter makes no difference, or makes it worse.
        |_, _| TokenCount::tokens(100),
        |chars, _| TokenCount::tokens(100_000 / (chars + 1)),
        |_, _| TokenCount::tokens(u64::MAX),
        // Never twice the same.
        |chars, number| TokenCount::tokens(chars / (1 + number % 7)),
        |_, number| TokenCount::tokens(number),
    ];
    // The agent is still at it, so there is something to clip.
    let mut results = agent(1, 3, 60, unique);
    results.messages.truncate(results.messages.len() - 2);
    for message in &mut results.messages {
        if message.role == ChatRole::Tool {
            message.content = Some(text("Result:", 3_000).replace(" and so", "\nand so").into());
        }
    }
    for count in counts {
        for request in [
            chat(20, 60),
            agent(3, 3, 60, unique),
            results.clone(),
            forms(4, 200),
        ] {
            for clip in [false, true] {
                for summarizer in [Some(Scribe::new("They worked.")), None] {
                    let estimator = Tireless {
                        count,
                        counts: Arc::default(),
                    };
                    let mut fitter = Fitter::builder()
                        .window(1_500)
                        .estimator(estimator)
                        .clip_user_messages(clip)
                        .least_gain(0.0);
                    if let Some(scribe) = summarizer.clone() {
                        fitter = fitter.summarizer(scribe);
                    }
                    let fitter = fitter.build().expect("settings that work");
                    // Whatever comes of it.
                    let _ = fitter.fit(request.clone()).await;
                    assert!(summarizer.is_none_or(|scribe| scribe.calls() <= 1));
                }
            }
        }
    }
}

#[tokio::test]
async fn a3_a_user_speaks_first_whatever_is_cut() {
    let mut greeting = chat(8, 60);
    greeting.messages.insert(
        1,
        ChatMessage::assistant(text("What can I do for you?", 60)),
    );
    let mut no_system = chat(8, 60);
    no_system.messages.remove(0);
    let requests = agents()
        .into_iter()
        .chain([chat(8, 60), greeting, no_system]);
    for request in requests {
        let first_was = spoken(&request)[0].role;
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                // With a summary, and with a notice that there is none.
                for summarizer in [Some(Scribe::new("They worked.")), None] {
                    let (provider, log) = (provider(100_000), Log::default());
                    let mut fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .pins(Pins::NONE)
                        .observer(log.clone());
                    if let Some(summarizer) = summarizer {
                        fitter = fitter.summarizer(summarizer);
                    }
                    let fitter = fitter.build().expect("settings that work");
                    let stack = Shape::Fit.around(bottom(&provider), &fitter);
                    send(&stack, request.clone()).await.expect("accepted");

                    let received = provider.last_received().expect("sent");
                    let spoken = spoken(&received.request);
                    assert!(spoken.iter().any(|message| message.role == ChatRole::User));
                    // Nobody but the user who spoke first before, or the summary in their place.
                    if spoken[0].role != ChatRole::User {
                        assert_eq!(first_was, spoken[0].role);
                        let kept = spoken_at(&request, 0);
                        assert!(
                            log.reports()
                                .iter()
                                .all(|report| !report.plan.cut().contains(kept))
                        );
                    }
                }
            }
        }
    }
}

/// All ways to put so many together of: a system message, one of the user, one of the assistant,
/// a round of a call and its result.
fn sequences(len: usize) -> Vec<ChatRequest> {
    let kinds = |number: usize| (0..len).map(move |place| number / 4_usize.pow(place as u32) % 4);
    let messages = |(place, kind): (usize, usize)| {
        let text = |label: &str| text(&format!("{label} {place}:"), 200);
        match kind {
            0 => vec![ChatMessage::system(text("Rule"))],
            1 => vec![ChatMessage::user(text("Question"))],
            2 => vec![ChatMessage::assistant(text("Answer"))],
            _ => vec![
                ChatMessage::assistant(text("Call")).call("a", "read", "{}"),
                ChatMessage::tool("a", text("Result")),
            ],
        }
    };
    let sequence = |number| {
        let messages = kinds(number).enumerate().flat_map(messages);
        ChatRequest::new("a-model", messages)
    };
    (0..4_usize.pow(len as u32)).map(sequence).collect()
}

#[tokio::test]
async fn a3_the_system_messages_are_never_all_that_is_left() {
    let policies: [Arc<dyn CutPolicy>; 3] = [
        Arc::new(cut_policy_fn(|table, _| {
            Some(Cut::of(table.len(), 0..table.len()))
        })),
        Arc::new(TopicAndRecent),
        Arc::new(RecentBudget::new(1)),
    ];
    for request in (1..=4).flat_map(sequences) {
        let Some(last) = spoken(&request).last().copied() else {
            continue;
        };
        for policy in &policies {
            let provider = provider(100_000).check_structure(false);
            let fitter = Fitter::builder()
                .window(estimate(&request) / 2)
                .reserve(0)
                .policy(Arc::clone(policy))
                .pins(Pins::NONE)
                .clip_tool_results(false)
                .oversized_fixed_part(OversizedFixedPart::Send)
                .summarizer(Scribe::new("They worked."));
            let fitter = fitter.build().expect("settings that work");
            let stack = Shape::Fit.around(bottom(&provider), &fitter);
            send(&stack, request.clone()).await.expect("accepted");
            let received = provider.last_received().expect("sent");
            let left = spoken(&received.request);
            assert_eq!(left.last(), Some(&last), "there is something to answer");
            let asks = |messages: &[&ChatMessage]| {
                messages
                    .iter()
                    .any(|message| message.role == ChatRole::User)
            };
            assert!(asks(&left) || !asks(&spoken(&request)));
        }
    }
}

/// All messages but those of the system.
fn spoken(request: &ChatRequest) -> Vec<&ChatMessage> {
    let is_spoken = |message: &&ChatMessage| !is_fixed(message);
    request.messages.iter().filter(is_spoken).collect()
}

fn spoken_at(request: &ChatRequest, number: usize) -> usize {
    let mut spoken = (0..request.messages.len()).filter(|&at| !is_fixed(&request.messages[at]));
    spoken.nth(number).expect("somebody spoke")
}

const fn is_fixed(message: &ChatMessage) -> bool {
    matches!(message.role, ChatRole::System | ChatRole::Developer)
}

/// An agent at work on one task, whose thoughts are signed. Nothing it wrote may be changed.
fn thinking(rounds: usize) -> ChatRequest {
    let mut request = agent(1, rounds, 60, unique);
    request.messages.truncate(request.messages.len() - 2);
    for (number, message) in request.messages.iter_mut().enumerate() {
        if message.role == ChatRole::Assistant {
            let mut thought = ContentPart::text("");
            thought.kind = "thinking".into();
            thought.text = None;
            for (field, said) in [
                ("thinking", text(&format!("Thought {number}:"), 30)),
                ("signature", format!("EqQB/{number}+9z==")),
            ] {
                thought.extra.insert(field.into(), said.into());
            }
            let said = ContentPart::text(text(&format!("Says {number}:"), 400));
            message.content = Some(vec![thought, said].into());
            let reasoning = text(&format!("Reasoning {number}:"), 30);
            message
                .extra
                .insert("reasoning_content".into(), reasoning.into());
        } else if message.role == ChatRole::Tool {
            message.content = Some(text(&format!("Result {number}:"), 200).into());
        }
    }
    request
}

#[tokio::test]
async fn a4_what_the_model_wrote_is_sent_byte_for_byte_or_not_at_all() {
    let mut clips = 0;
    for request in [thinking(8), forms(2, 100)] {
        let given: HashSet<_> = jsons(&request).into_iter().collect();
        let wrote = |message: &&ChatMessage| message.role == ChatRole::Assistant;
        let latest = request.messages.iter().rfind(wrote).expect("an answer");
        let is_last_group = request.messages.last().expect("messages").role == ChatRole::Tool;
        for policy in policies(request.messages.len()) {
            for window in [estimate(&request) - 1, 500] {
                for (shape, overflows) in [(Shape::Fit, 0), (Shape::Joint, 1)] {
                    let provider = provider(100_000).overflow_calls(overflows);
                    let fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .clip_user_messages(true)
                        .summarizer(Scribe::new("They worked."))
                        .build()
                        .expect("settings that work");
                    let _ = send(&shape.around(bottom(&provider), &fitter), request.clone()).await;
                    for call in provider.received() {
                        let sent = &call.request.messages;
                        assert!(sent.contains(latest) || !is_last_group);
                        for (message, json) in sent.iter().zip(jsons(&call.request)) {
                            let same = given.contains(&json);
                            assert!(same || !wrote(&message), "{json}");
                            // Of a result, only the content is clipped.
                            if !same && message.role == ChatRole::Tool {
                                let answers =
                                    |one: &&ChatMessage| one.tool_call_id == message.tool_call_id;
                                let whole = request.messages.iter().find(answers);
                                let mut whole = whole.expect("it was there").clone();
                                whole.content.clone_from(&message.content);
                                assert_eq!(&whole, message);
                                assert!(message.text().contains("omitted"));
                                clips += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(clips > 100, "{clips} clips are a test of something");
}

/// A conversation in which each thought is an item of its own, before what came of it.
fn thoughts() -> Items {
    let mut items = vec![Item::Said(Role::System, text("Obey.", 30))];
    for turn in 0..3 {
        let say = |role, what: &str| Item::Said(role, text(&format!("{what} {turn}:"), 60));
        let thought = |number| Item::Thought(text(&format!("{number}/{turn}+9z=="), 40));
        let id = |call| format!("call_{turn}_{call}");
        let call = |call| Item::Called(id(call), format!("{{\"turn\":{turn},\"call\":{call}}}"));
        let answer = |call| Item::Answered(id(call), text(&format!("Result {turn}.{call}:"), 60));
        items.extend([
            say(Role::User, "Task"),
            thought(0),
            call(0),
            answer(0),
            // Two thoughts before two calls.
            thought(1),
            thought(2),
            call(1),
            call(2),
            answer(2),
            answer(1),
            thought(3),
            say(Role::Assistant, "Report"),
        ]);
    }
    items.push(Item::Said(Role::User, text("The last task:", 60)));
    items.push(Item::Thought(text("The last thought:", 40)));
    items.push(Item::Called("last".into(), "{}".into()));
    items.push(Item::Answered("last".into(), text("The last result:", 60)));
    Items(items)
}

#[tokio::test]
async fn a4_a_thought_goes_with_what_came_of_it() {
    type Stack = BoxCloneSyncService<Items, (), BoxError>;
    let request = thoughts();
    let whole = measure(&request, &CharEstimator::default()).prompt();
    let mut cuts = 0;
    for policy in policies(request.0.len()) {
        for window in [whole - 1, whole / 2, whole / 4] {
            for (recovers, overflows) in [(false, 0), (true, 1)] {
                let received = Arc::new(Mutex::new(Vec::new()));
                let record = Arc::clone(&received);
                let model = service_fn(move |items: Items| {
                    let mut received = record.lock().expect("nobody panicked");
                    received.push(items);
                    ready(if received.len() <= overflows {
                        Err(BoxError::from("too long"))
                    } else {
                        Ok(())
                    })
                });
                let fitter = Fitter::builder()
                    .window(window)
                    .reserve(0)
                    .policy(policy.clone())
                    .pins(Pins::NONE)
                    .summarizer(Scribe::new("They worked."))
                    .build()
                    .expect("settings that work");
                let layer = ContextFitLayer::new(fitter);
                let model = ReadinessProbe::new(model);
                let stack = if recovers {
                    let too_long = classifier_fn(|_, result: &Result<(), BoxError>| {
                        result.as_ref().is_err().then(Overflow::new)
                    });
                    Stack::new(layer.overflow_retry(too_long).layer(model))
                } else {
                    Stack::new(layer.layer(model))
                };
                let _ = stack.oneshot(request.clone()).await;
                for sent in received.lock().expect("nobody panicked").iter() {
                    let kept =
                        |place: usize| sent.0.iter().any(|item| is_from(item, &request.0[place]));
                    for (place, item) in request.0.iter().enumerate() {
                        let with = match item {
                            Item::Said(..) => continue,
                            Item::Thought(_) => place + 1,
                            Item::Called(id, _) | Item::Answered(id, _) => {
                                let asks =
                                    |item: &Item| matches!(item, Item::Called(one, _) if one == id);
                                request.0.iter().position(asks).expect("it was called")
                            }
                        };
                        assert_eq!(kept(place), kept(with), "{place} and {with}");
                    }
                    cuts += usize::from(sent.0.len() < request.0.len());
                }
            }
        }
    }
    assert!(cuts > 100, "{cuts} cuts are a test of something");
}

/// Whether an item is the other one; of a result, the content may be clipped.
fn is_from(item: &Item, other: &Item) -> bool {
    match (item, other) {
        (Item::Answered(id, _), Item::Answered(other, _)) => id == other,
        _ => item == other,
    }
}

#[tokio::test]
async fn a5_system_messages_stay_verbatim_and_in_place_wherever_they_stand() {
    for places in [vec![0], vec![0, 1], vec![9], vec![0, 5, 12], vec![17]] {
        let mut request = chat(8, 60);
        request.messages.remove(0);
        for (number, &place) in places.iter().enumerate() {
            let rule = text(&format!("Rule {number}:"), 30);
            let message = match number {
                0 => ChatMessage::system(rule),
                // In parts, as some clients send it.
                1 => ChatMessage::system(vec![ContentPart::text(rule), ContentPart::text("Obey.")]),
                _ => {
                    let mut message = ChatMessage::system(rule);
                    message.role = ChatRole::Developer;
                    message
                }
            };
            request.messages.insert(place, message);
        }
        let fixed = |request: &ChatRequest| -> Vec<ChatMessage> {
            let messages = request.messages.iter();
            messages.filter(|one| is_fixed(one)).cloned().collect()
        };
        let rules = fixed(&request);
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                for (shape, overflows) in [(Shape::Fit, 0), (Shape::Joint, 1), (Shape::Retry, 1)] {
                    let provider = provider(100_000).overflow_calls(overflows);
                    let scribe = Scribe::new("They worked.");
                    let fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .policy(policy.clone())
                        .pins(Pins::NONE)
                        .summarizer(scribe.clone())
                        .build()
                        .expect("settings that work");
                    let stack = shape.around(bottom(&provider), &fitter);
                    let result = send(&stack, request.clone()).await;
                    assert!(result.is_ok() || overflows > 0);

                    for call in provider.received() {
                        assert_eq!(fixed(&call.request), rules);
                        // What is kept stands in the order in which it stood.
                        let messages = &call.request.messages;
                        let place =
                            |message| request.messages.iter().position(|one| one == message);
                        let places: Vec<_> = messages.iter().filter_map(place).collect();
                        assert!(places.is_sorted() && places.len() + 1 >= messages.len());
                    }
                    // And nobody folds them into a summary.
                    for job in scribe.jobs() {
                        assert!(!job.transcript.contains("Rule"));
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn a5_a_fixed_part_that_can_never_fit_is_refused_with_its_size() {
    for window in [2_000, 4_000] {
        for part in FixedPart::ALL {
            for tokens in [window, window + 1, 10 * window] {
                let mut request = questions(3, 20);
                part.add(&mut request, tokens);
                for shape in Shape::FITTING {
                    let (provider, scribe) = (provider(window as u64), Scribe::default());
                    let fitter = Fitter::builder()
                        .window(window as u64)
                        .summarizer(scribe.clone());
                    let fitter = fitter.build().expect("settings that work");
                    let stack = shape.around(bottom(&provider), &fitter);
                    let error = send(&stack, request.clone()).await.expect_err("no room");
                    let Some(&FitError::NoRoom(BudgetError::FixedPartTooLarge { fixed, ceiling })) =
                        error.downcast_ref()
                    else {
                        panic!("{error:?}");
                    };
                    assert_eq!(fixed, tokens as u64, "{part:?}");
                    assert_eq!(ceiling, window as u64);
                    let said = error.to_string();
                    assert!(
                        said.contains(&fixed.to_string()) && said.contains(&ceiling.to_string())
                    );
                    assert_eq!((provider.calls(), scribe.calls()), (0, 0), "{shape:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a3_merged_on_the_wire_no_one_speaks_twice_in_a_row() {
    for request in agents().into_iter().chain([chat(8, 60), questions(30, 60)]) {
        for policy in policies(request.messages.len()) {
            for window in windows(&request) {
                let provider = provider(100_000);
                let fitter = Fitter::builder()
                    .window(window)
                    .reserve(0)
                    .policy(policy.clone());
                let fitter = fitter.build().expect("settings that work");
                let wire = bottom(&provider).map_request(ChatRequest::merge_neighbours);
                let stack = Shape::Fit.around(Erased::new(wire), &fitter);
                send(&stack, request.clone()).await.expect("accepted");

                let received = provider.last_received().expect("sent");
                for pair in received.request.messages.windows(2) {
                    let [one, next] = pair else {
                        unreachable!("windows of two")
                    };
                    let twice = one.role == next.role && one.role == ChatRole::User;
                    assert!(!twice, "at a window of {window}");
                }
            }
        }
    }
}
