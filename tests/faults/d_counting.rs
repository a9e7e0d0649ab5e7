//! D. All that is sent counts: output and its reserve, messages and their number, and the edges of
//! the arithmetic.

use std::sync::Arc;

use contextfit_core::budget::{BudgetError, OversizedOutput};
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::cut::{
    ClearToolResults, Cut, CutPolicy, DropOldest, RecentBudget, TopicAndRecent, cut_policy_fn,
};
use contextfit_core::estimate::{
    CharEstimator, Estimator, Family, PromptFormat, TokenCount, WeightedEstimator, measure,
};
use contextfit_core::request::{
    Conversation, Detail, Hints, Native, Piece, PixelSize, RequestAdapter, Switch,
};
use contextfit_core::table::Pins;
use contextfit_testing::provider::{Counting, ExactCounter, SimulatedProvider};
use contextfit_tests::{
    Entry, FixedPart, InFormat, Log, Scribe, Shape, Writing, agent, bottom, chat, content,
    estimate, provider, ptrs, questions, send, sized, text, texts, unique,
};
use contextfit_tower::{
    Calibrator, ConfigError, FitError, Fitter, FitterBuilder, Usage, WhenStuck,
};

/// Four characters to a token, counted without anything of what is tested, and 4 tokens more for
/// each message.
fn counted(request: &ChatRequest) -> u64 {
    let chars = |text: &str| text.chars().count() as u64;
    let messages = texts(request)
        .iter()
        .map(|text| 4 + chars(text) / 4)
        .sum::<u64>();
    let tools = [&request.tools, &request.functions].into_iter().flatten();
    let schemas = tools.flat_map(|tools| &**tools).map(|tool| &**tool);
    let schemas = schemas.chain(request.response_format.as_deref());
    messages + schemas.map(|schema| chars(schema.get())).sum::<u64>() / 4
}

/// So many characters of base64 that begin as a PNG of 1920 × 1080 pixels does.
fn screenshot(chars: usize) -> String {
    let header = "iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4CAYAAADo";
    header.to_owned() + &"A".repeat(chars - header.len())
}

/// A request with a part of content, in a message of the user or in the result of a tool.
fn with_part(part: &str, of_a_tool: bool) -> ChatRequest {
    let (calls, role) = if of_a_tool {
        let call = r#"{"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}"#;
        let calls = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}},"#);
        (calls, r#""role":"tool","tool_call_id":"c""#)
    } else {
        (String::new(), r#""role":"user""#)
    };
    let json = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"Look."}},{calls}
            {{{role},"content":[{part}]}}]}}"#
    );
    serde_json::from_str(&json).expect("a request")
}

/// What a part of content costs in a format, wherever it stands.
fn cost(format: PromptFormat, part: &str) -> u64 {
    let [user, tool] = [false, true].map(|of_a_tool| {
        let request = with_part(part, of_a_tool);
        let each = measure(&request, &InFormat(format)).each;
        each.last().expect("a message").all - u64::from(format.message)
    });
    assert_eq!(user, tool, "in a result as in a message of the user");
    user
}

#[test]
fn d2_an_image_costs_what_its_size_does_however_it_is_sent() {
    let image = |url: &str| format!(r#"{{"type":"image_url","image_url":{{"url":"{url}"}}}}"#);
    let data = |chars| format!("data:image/png;base64,{}", screenshot(chars));
    for format in PromptFormat::ALL {
        let large = cost(format, &image(&data(2_000_000)));
        let pixels = PixelSize {
            width: 1_920,
            height: 1_080,
        };
        let published = format.image.count(Some(pixels), Detail::Auto);
        assert_eq!(large, published.floor());
        // Of the same pixels, whatever they are encoded with.
        assert_eq!(large, cost(format, &image(&data(2_000))));
        let bare = data(2_000_000);
        for form in [
            format!(r#"{{"type":"image_url","image_url":"{bare}"}}"#),
            format!(r#"{{"type":"input_image","image_url":"{bare}"}}"#),
            format!(r#"{{"type":"picture","of":"{bare}"}}"#),
        ] {
            assert_eq!(large, cost(format, &form));
        }
        // One elsewhere, or broken, has no known size: then it is of the same order.
        for unknown in ["https://example.org/a.png", "data:image/png;base64,broken"] {
            let unknown = cost(format, &image(unknown));
            assert!((500..4_000).contains(&large), "{large}");
            assert!(
                unknown <= 3 * large && large <= 3 * unknown,
                "{unknown}, {large}"
            );
        }
    }
}

#[test]
fn d2_a_sound_or_a_file_is_never_counted_as_text() {
    let base64 = "A".repeat(2_000_000);
    let pdf = format!("data:application/pdf;base64,{base64}");
    let sound = |data: &str| {
        format!(r#"{{"type":"input_audio","input_audio":{{"data":"{data}","format":"mp3"}}}}"#)
    };
    let file = |what: &str| format!(r#"{{"type":"file","file":{{{what}}}}}"#);
    for format in PromptFormat::ALL {
        for (known, unknown) in [
            (
                sound(&base64),
                r#"{"type":"audio_url","audio_url":{"url":"https://a/b"}}"#.into(),
            ),
            (
                file(&format!(r#""file_data":"{pdf}""#)),
                file(r#""file_id":"f""#),
            ),
            (
                format!(r#"{{"type":"paper","of":"{pdf}"}}"#),
                file(r#""file_id":"f""#),
            ),
        ] {
            let (known, unknown) = (cost(format, &known), cost(format, &unknown));
            assert!((500..100_000).contains(&known), "{known}");
            assert!(
                unknown <= 4 * known && known <= 4 * unknown,
                "{unknown}, {known}"
            );
        }
    }
}

#[tokio::test]
async fn d2_images_fill_a_window_by_what_they_cost() {
    let image = format!(
        r#"{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{}"}}}}"#,
        screenshot(200_000)
    );
    let messages = (0..20).flat_map(|_| {
        let seen = with_part(&image, false).messages.pop().expect("a message");
        [seen, ChatMessage::assistant("I see.")]
    });
    let mut request = ChatRequest::new("m", messages);
    request.messages.push(ChatMessage::user("And so?"));
    for format in PromptFormat::ALL {
        let estimator = InFormat(format);
        let tokens = measure(&request, &estimator).prompt();
        assert!(tokens > 20 * 500);
        for (window, is_cut) in [(tokens + 1_000, false), (tokens + 999, true)] {
            let fitter = Fitter::builder().window(window).reserve(1_000);
            let fitter = fitter.estimator(estimator).summarizer(Scribe::default());
            let fitter = fitter.build().expect("settings that work");
            let fitted = fitter.fit(request.clone()).await.expect("fits");
            assert_eq!(fitted.report.is_some(), is_cut);
            assert!(measure(&fitted.request, &estimator).prompt() <= window - 1_000);
        }
    }
}

/// Four characters to a token, and all that a format adds, counted without it.
fn counted_in(format: PromptFormat, request: &ChatRequest) -> u64 {
    let quarters = |text: &str| text.chars().count() as u64;
    let messages = texts(request)
        .into_iter()
        .map(|text| u64::from(format.message) + quarters(&text) / 4);
    let schemas = request.tools.iter().chain(&request.functions);
    let schemas = schemas.flat_map(|schemas| schemas.iter().map(|schema| schema.get()));
    let schemas: Vec<&str> = schemas
        .chain(
            request
                .response_format
                .as_deref()
                .map(|schema| schema.get()),
        )
        .collect();
    let text: u64 = schemas.iter().map(|schema| quarters(schema)).sum();
    let framing = u64::from(format.schema) * schemas.len() as u64;
    let any = if schemas.is_empty() {
        0
    } else {
        format.any_schema
    };
    let beside = text * u64::from(format.schema_percent) / 400 + framing;
    messages.sum::<u64>() + beside + u64::from(format.request) + u64::from(any)
}

#[tokio::test]
async fn d3_every_format_counts_tools_schemas_and_the_system_prompt() {
    for format in PromptFormat::ALL {
        for part in FixedPart::ALL {
            let mut request = questions(5, 2_000);
            part.add(&mut request, 60 * 500);
            let estimator = InFormat(format);
            let measured = measure(&request, &estimator);
            let tokens = counted_in(format, &request);
            assert_eq!(measured.prompt(), tokens, "{part:?} in {format:?}");
            assert!(measured.fixed > 60 * 500 * 3 / 4);
            for (window, is_cut) in [(tokens + 5_000, false), (tokens + 4_999, true)] {
                let fitter = Fitter::builder().window(window).reserve(5_000);
                let fitter = fitter.estimator(estimator).summarizer(Scribe::default());
                let fitter = fitter.build().expect("settings that work");
                let fitted = fitter.fit(request.clone()).await.expect("fits");
                assert_eq!(fitted.report.is_some(), is_cut, "{part:?} in {format:?}");
                assert!(counted_in(format, &fitted.request) <= window - 5_000);
            }
        }
    }
}

/// The example in the OpenAI cookbook, "How to count tokens with tiktoken": 124 tokens, as its
/// page has them for GPT-4o.
#[test]
fn d3_openai_counts_the_example_of_its_cookbook_so() {
    let said = [
        (
            "system",
            None,
            "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
        ),
        (
            "system",
            Some("example_user"),
            "New synergies will help drive top-line growth.",
        ),
        (
            "system",
            Some("example_assistant"),
            "Things working well together will increase revenue.",
        ),
        (
            "system",
            Some("example_user"),
            "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        ),
        (
            "system",
            Some("example_assistant"),
            "Let's talk later when we're less busy about how to do better.",
        ),
        (
            "user",
            None,
            "This late pivot means we don't have time to boil the ocean for the client deliverable.",
        ),
    ];
    let messages = said.map(|(role, name, text)| {
        let mut message = if role == "user" {
            ChatMessage::user(text)
        } else {
            ChatMessage::system(text)
        };
        message.name = name.map(Into::into);
        message
    });
    let exact = ExactCounter::new();
    let formatted = |piece: Piece<'_>| {
        PromptFormat::OPENAI.count(piece, |text| {
            TokenCount::tokens(exact.count_text(&text.decode()))
        })
    };
    let request = ChatRequest::new("gpt-4o", messages);
    let mut tokens = PromptFormat::OPENAI.request(0);
    for index in 0..request.len() {
        tokens += PromptFormat::OPENAI.message(request.message(index).role);
        request.pieces(index, &mut |piece| tokens += formatted(piece));
    }
    assert_eq!(tokens.floor(), 124);
}

/// The work of an agent, all of whose results are written in one way.
fn results(writing: Writing, calls: u64) -> ChatRequest {
    let mut messages = vec![ChatMessage::user("Find out what is in these files.")];
    for call in 0..calls {
        let id = format!("call_{call}");
        messages.push(ChatMessage::assistant("The next one.").call(&*id, "read", "{}"));
        messages.push(ChatMessage::tool(id, writing.text(call, 4_000)));
    }
    ChatRequest::new("a-model", messages)
}

/// Overflows of a window that counts as a real model does, over conversations that grow until they
/// are well beyond it.
async fn overflows(writing: Writing, estimator: impl Estimator + 'static) -> usize {
    const WINDOW: u64 = 32_000;
    let provider = SimulatedProvider::new(WINDOW);
    let fitter = Fitter::builder()
        .window(WINDOW)
        .reserve(500)
        .estimator(estimator);
    let fitter = fitter.build().expect("settings that work");
    let stack = Shape::Fit.around(bottom(&provider), &fitter);
    for calls in (2..40).step_by(2) {
        let _ = send(&stack, results(writing, calls)).await;
    }
    provider.totals().overflows
}

#[tokio::test]
async fn d1_text_that_is_dense_in_tokens_is_not_underestimated() {
    for writing in Writing::DENSE {
        let weighted =
            WeightedEstimator::new(Family::O200k).with_headroom(Family::O200k.headroom_95());
        assert_eq!(overflows(writing, weighted).await, 0, "{writing:?}");
        // Four characters to a token are too few.
        assert!(
            overflows(writing, CharEstimator::default()).await > 0,
            "{writing:?}"
        );
    }
}

#[tokio::test]
async fn d3_tools_schemas_and_the_system_prompt_count_as_much_as_messages() {
    for part in FixedPart::ALL {
        let mut request = questions(5, 2_000);
        part.add(&mut request, 60 * 500);
        assert_eq!(counted(&request), 40_000, "{part:?}");
        // All of it just fits; it doesn't, by a token; it doesn't by far.
        for (window, cuts) in [(45_000, 0), (44_999, 1), (40_000, 1)] {
            for shape in Shape::FITTING {
                let (provider, scribe) = (provider(window), Scribe::default());
                let fitter = Fitter::builder().window(window).reserve(5_000);
                let fitter = fitter.summarizer(scribe.clone()).build();
                let stack = shape.around(bottom(&provider), &fitter.expect("settings that work"));
                send(&stack, request.clone()).await.expect("answered");
                assert_eq!(scribe.calls(), cuts, "{part:?} in {window}");
                let sent = provider.last_received().expect("sent");
                assert!(counted(&sent.request) <= window - 5_000);
            }
        }
    }
}

/// Sends a request that its provider finds too long, and expects it to be recovered.
async fn is_recovered(part: FixedPart, real: u64) {
    for shape in Shape::RECOVERING {
        let mut request = questions(5, 2_000);
        part.add(&mut request, 60 * 500);
        let (provider, scribe) = (provider(real), Scribe::default());
        let fitter = Fitter::builder().window(60_000).summarizer(scribe.clone());
        let fitter = fitter.build().expect("settings that work");
        let stack = shape.around(bottom(&provider), &fitter);
        send(&stack, request).await.expect("recovered");
        assert_eq!((provider.calls(), scribe.calls()), (2, 1), "{shape:?}");
        let sent = provider.last_received().expect("sent");
        assert!(counted(&sent.request) <= real);
    }
}

#[tokio::test]
async fn d3_a_recovery_is_sized_by_all_that_is_sent() {
    for part in FixedPart::ALL {
        for real in [39_000, 39_500, 39_999] {
            is_recovered(part, real).await;
        }
    }
}

#[tokio::test]
async fn d3_what_an_overflow_teaches_is_no_reason_not_to_recover() {
    for part in FixedPart::ALL {
        for real in [36_000, 38_000] {
            is_recovered(part, real).await;
        }
    }
}

/// A request asks for output in one of the ways there are.
fn ask(mut request: ChatRequest, output: u32, way: usize) -> ChatRequest {
    match way {
        0 => request.max_tokens = Some(output),
        1 => request.max_completion_tokens = Some(output),
        _ => {
            request.max_tokens = Some(output);
            request.max_completion_tokens = Some(output);
        }
    }
    request
}

#[tokio::test]
async fn d4_input_and_the_output_asked_for_fit_together() {
    const WINDOW: u64 = 8_000;
    for output in [0, 1, 499, 500, 501, 2_000, 4_000, 6_000] {
        let room = WINDOW - u64::from(output.max(500));
        for way in 0..3 {
            for tokens in [200, room - 1, room, room + 1, WINDOW, WINDOW + 1, 20_000] {
                for shape in Shape::FITTING {
                    let (provider, scribe) = (provider(WINDOW), Scribe::default());
                    let fitter = Fitter::builder().window(WINDOW).reserve(500);
                    let fitter = fitter.summarizer(scribe.clone()).build();
                    let stack =
                        shape.around(bottom(&provider), &fitter.expect("settings that work"));
                    let request = ask(sized(tokens), output, way);
                    assert_eq!(estimate(&request), tokens);
                    send(&stack, request)
                        .await
                        .expect("it fits at the first go");
                    assert_eq!(provider.totals().overflows, 0);
                    let is_cut = scribe.calls() > 0;
                    assert_eq!(is_cut, tokens > room, "{tokens} with {output} of output");
                }
            }
        }
    }
}

#[tokio::test]
async fn d5_output_of_the_whole_window_is_refused_with_the_numbers() {
    for window in [4_000_u64, 128_000] {
        for more in [0, 1, 10_000] {
            for way in 0..3 {
                let output = u32::try_from(window).expect("small") + more;
                let (provider, scribe) = (provider(window), Scribe::default());
                let fitter = Fitter::builder().window(window).summarizer(scribe.clone());
                let fitter = fitter.build().expect("settings that work");
                let stack = Shape::Joint.around(bottom(&provider), &fitter);
                let request = ask(chat(5, 50), output, way);
                let error = send(&stack, request)
                    .await
                    .expect_err("no room for any message");
                let Some(&FitError::NoRoom(BudgetError::OutputTooLarge {
                    reserve, ceiling, ..
                })) = error.downcast_ref()
                else {
                    panic!("{error:?}");
                };
                assert_eq!((reserve, ceiling), (output.into(), window));
                assert_eq!((provider.calls(), scribe.calls()), (0, 0));
            }
        }
    }
}

#[tokio::test]
async fn d5_output_of_the_whole_window_is_lowered_if_so_set() {
    for window in [4_000_u64, 128_000] {
        for more in [0, 1, 10_000] {
            for way in 0..3 {
                let output = u32::try_from(window).expect("small") + more;
                let (provider, scribe) = (provider(window), Scribe::default());
                let fitter = Fitter::builder()
                    .window(window)
                    .summarizer(scribe.clone())
                    .oversized_output(OversizedOutput::Lower)
                    .build()
                    .expect("settings that work");
                let stack = Shape::Joint.around(bottom(&provider), &fitter);
                // Turn after turn, a short conversation stays as it is.
                for turns in 1..8 {
                    let request = ask(chat(turns, 50), output, way);
                    send(&stack, request.clone()).await.expect("answered");
                    let sent = provider.last_received().expect("sent");
                    assert_eq!(ptrs(&sent.request), ptrs(&request));
                }
                assert_eq!(scribe.calls(), 0);
                // A long one is cut once and fits.
                send(&stack, ask(sized(window), output, way))
                    .await
                    .expect("answered");
                assert_eq!((scribe.calls(), provider.totals().overflows), (1, 0));
            }
        }
    }
}

#[test]
fn d5_a_reserve_that_leaves_nothing_is_refused_when_the_fitter_is_built() {
    for window in [1_u64, 100, 8_000, 128_000] {
        for more in [0, 1, window, 1_000_000] {
            let error = Fitter::builder()
                .window(window)
                .reserve(window + more)
                .build();
            assert_eq!(
                error.err(),
                Some(ConfigError::Budget(BudgetError::ReserveTooLarge {
                    reserve: window + more,
                    ceiling: window,
                }))
            );
            // A ceiling of the caller's own counts as well.
            let capped = Fitter::builder()
                .window(2 * window + 2)
                .max_context_tokens(window);
            assert!(capped.reserve(window + more).build().is_err());
        }
        assert!(
            Fitter::builder()
                .window(window)
                .reserve(window - 1)
                .build()
                .is_ok()
        );
        assert!(
            Fitter::builder().window(window).build().is_ok(),
            "the default always fits"
        );
    }
    assert!(Fitter::builder().window(0).build().is_err());
}

#[tokio::test]
async fn d5_the_reserve_is_counted_once() {
    for (window, reserve) in [(8_000_u64, 1_000_u32), (8_000, 4_000), (128_000, 16_384)] {
        let room = window - u64::from(reserve);
        // Set, asked for, or both: the same room.
        for (set, asked) in [(true, false), (false, true), (true, true)] {
            for (tokens, cuts) in [(room, 0), (room + 1, 1)] {
                let (provider, scribe) = (provider(window), Scribe::default());
                let fitter = Fitter::builder().window(window).summarizer(scribe.clone());
                let fitter = fitter.reserve(if set { reserve.into() } else { 0 });
                let stack = Shape::Joint.around(
                    bottom(&provider),
                    &fitter.build().expect("settings that work"),
                );
                let request = if asked {
                    sized(tokens).max_tokens(reserve)
                } else {
                    sized(tokens)
                };
                send(&stack, request).await.expect("answered");
                assert_eq!(scribe.calls(), cuts, "{tokens} of {window}");
            }
        }
    }
}

#[tokio::test]
async fn d5_by_default_three_quarters_of_any_window_are_used() {
    for window in [1_000, 4_000, 8_000, 32_000, 128_000, 200_000, 1_000_000] {
        let scribe = Scribe::default();
        let fitter = Fitter::builder().window(window).summarizer(scribe.clone());
        let fitter = fitter.build().expect("settings that work");
        let fitted = fitter.fit(sized(window / 4 * 3)).await.expect("fits");
        assert!(fitted.report.is_none(), "a window of {window}");
    }
}

#[tokio::test]
async fn d7_what_is_new_counts_beside_what_was_counted() {
    for shape in Shape::FITTING {
        // The fitter takes each token for a third of what it is, so that only the count tells how
        // full the window is.
        let provider = SimulatedProvider::new(100_000).counting(Counting::Estimate { factor: 3.0 });
        let scribe = Scribe::default();
        let fitter = Fitter::builder()
            .window(100_000)
            .calibrator(Calibrator::default())
            .summarizer(scribe.clone())
            .build()
            .expect("settings that work");
        let mut request = questions(20, 1_000);
        fitter
            .learn(&request, &Usage::new(60_000, 10))
            .expect("readable");
        let stack = shape.around(bottom(&provider), &fitter);

        // Six tenths were counted, and what is new takes five more by the estimate alone.
        request.messages.push(ChatMessage::assistant("Done."));
        for part in 0..5 {
            let question = text(&format!("And another question, {part}:"), 10_000);
            request.messages.push(ChatMessage::user(question));
        }
        send(&stack, request).await.expect("answered");
        assert_eq!(
            (scribe.calls(), provider.totals().overflows),
            (1, 0),
            "{shape:?}"
        );
    }
}

/// So many messages of hardly any text, of the user and the assistant in turn.
fn tiny(count: usize) -> ChatRequest {
    let message = |index: usize| match index % 2 {
        0 => ChatMessage::user("Ok?"),
        _ => ChatMessage::assistant("Ok."),
    };
    ChatRequest::new("a-model", (0..count).map(message))
}

#[tokio::test]
async fn d8_no_more_messages_are_sent_than_are_allowed() {
    // A notice is longer than all that the smallest of these say.
    for (count, most) in [
        (2_100, 2_048),
        (2_049, 2_048),
        (21, 20),
        (6, 5),
        (2_101, 20),
    ] {
        for summarizer in [Some(Scribe::new("They agreed.")), None] {
            for shape in Shape::FITTING {
                let (provider, log) = (provider(128_000), Log::default());
                let mut fitter = Fitter::builder().window(128_000).max_messages(most);
                fitter = fitter.observer(log.clone());
                if let Some(summarizer) = summarizer.clone() {
                    fitter = fitter.summarizer(summarizer);
                }
                let fitter = fitter.build().expect("settings that work");
                let stack = shape.around(bottom(&provider), &fitter);
                let request = tiny(count);
                send(&stack, request.clone()).await.expect("answered");
                let sent = &provider.last_received().expect("sent").request;
                assert!(sent.messages.len() <= most, "{count} of {most}");
                assert_eq!(sent.messages[0], request.messages[0]);
                assert_eq!(sent.messages.last(), request.messages.last());
                let [report] = &log.reports()[..] else {
                    panic!("one report")
                };
                let gone = report.summarized + report.omitted;
                assert_eq!(sent.messages.len() + gone, count + 1);
                assert!(!report.degraded);
            }
        }
    }
}

#[tokio::test]
async fn d8_a_policy_that_cuts_nothing_does_not_lift_the_bound() {
    for request in [chat(200, 60), tiny(400)] {
        let policies: [Arc<dyn CutPolicy>; 2] = [
            Arc::new(cut_policy_fn(|_, _| None)),
            Arc::new(ClearToolResults::default()),
        ];
        for policy in policies {
            let fitter = Fitter::builder().window(128_000).max_messages(80);
            let fitter = fitter.policy(policy).summarizer(Scribe::default()).build();
            let fitter = fitter.expect("settings that work");
            let fitted = fitter.fit(request.clone()).await.expect("fits");
            assert!(fitted.request.messages.len() <= 80);
            assert!(!fitted.report.expect("too many").degraded);
        }
    }
}

#[tokio::test]
async fn d8_as_many_messages_as_are_allowed_are_left_alone() {
    for (count, most) in [
        (2_048, Some(2_048)),
        (20, Some(20)),
        (1, Some(1)),
        (2_100, None),
    ] {
        let scribe = Scribe::default();
        let mut fitter = Fitter::builder().window(128_000).summarizer(scribe.clone());
        if let Some(most) = most {
            fitter = fitter.max_messages(most);
        }
        let fitter = fitter.build().expect("settings that work");
        let request = tiny(count);
        let fitted = fitter.fit(request.clone()).await.expect("fits");
        assert_eq!(ptrs(&fitted.request), ptrs(&request), "{count} of {most:?}");
        assert_eq!((fitted.report, scribe.calls()), (None, 0));
    }
}

#[tokio::test]
async fn d8_a_bound_below_what_has_to_stay_is_missed_or_refused_as_set() {
    // The task, the question and the newest answer, and a notice for the one between them.
    for most in 1..=3 {
        for (when_stuck, refused) in [(WhenStuck::Send, false), (WhenStuck::Refuse, true)] {
            let (provider, log) = (provider(128_000), Log::default());
            let fitter = Fitter::builder().window(128_000).max_messages(most);
            let fitter = fitter.when_stuck(when_stuck).observer(log.clone()).build();
            let stack =
                Shape::Joint.around(bottom(&provider), &fitter.expect("settings that work"));
            let result = send(&stack, tiny(4)).await;
            assert_eq!((result.is_err(), provider.calls() == 0), (refused, refused));
            if refused {
                let error = result.expect_err("refused");
                let cannot_fit = error.downcast_ref::<FitError>();
                assert!(matches!(cannot_fit, Some(FitError::TooManyMessages { .. })));
            } else {
                assert_eq!(log.entries(), [Entry::Stuck]);
                let sent = provider.last_received().expect("sent");
                assert_eq!(sent.request.messages, tiny(4).messages);
            }
        }
    }
}

#[tokio::test]
async fn d8_without_a_usable_summary_too_many_messages_are_untouched_too() {
    for when_stuck in [WhenStuck::Send, WhenStuck::Refuse] {
        let fitter = Fitter::builder().window(128_000).max_messages(20);
        let fitter = fitter.when_stuck(when_stuck).summarizer(Scribe::new(" "));
        let fitter = fitter.build().expect("settings that work");
        for request in [chat(20, 60), tiny(400)] {
            match fitter.fit(request.clone()).await {
                Ok(fitted) => {
                    assert_eq!(when_stuck, WhenStuck::Send);
                    assert_eq!(fitted.report, None);
                    assert_eq!(ptrs(&fitted.request), ptrs(&request));
                }
                Err(failure) => {
                    assert_eq!(when_stuck, WhenStuck::Refuse);
                    assert!(matches!(failure.error, FitError::Summarize(_)));
                }
            }
        }
    }
}

#[tokio::test]
async fn d8_few_messages_still_have_to_fit_by_their_tokens() {
    for most in [3, 20, 2_048] {
        for shape in Shape::FITTING {
            let (provider, scribe) = (provider(4_000), Scribe::default());
            let fitter = Fitter::builder().window(4_000).max_messages(most);
            let fitter = fitter.summarizer(scribe.clone()).build();
            let stack = shape.around(bottom(&provider), &fitter.expect("settings that work"));
            let request = ChatRequest::new(
                "a-model",
                [
                    ChatMessage::user(text("The task:", 1_000)),
                    ChatMessage::assistant(text("An answer:", 3_000)),
                    ChatMessage::user(text("The question:", 1_000)),
                ],
            );
            assert!(estimate(&request) > 4_000);
            send(&stack, request).await.expect("it fits");
            let sent = provider.last_received().expect("sent");
            assert!(estimate(&sent.request) <= 3_000);
            assert_eq!((provider.totals().overflows, scribe.calls()), (0, 1));
        }
    }
}

#[tokio::test]
async fn d8_a_bound_on_messages_is_not_hit_at_every_turn() {
    let presets: [fn(FitterBuilder) -> FitterBuilder; 4] = [
        |builder| builder.topic_and_half(),
        |builder| builder.recent_budget(),
        |builder| builder.policy(DropOldest),
        |builder| builder.policy(ClearToolResults::default().then(TopicAndRecent)),
    ];
    for preset in presets {
        let (provider, log) = (provider(128_000), Log::default());
        let fitter = Fitter::builder().window(128_000).max_messages(80);
        let fitter = preset(fitter)
            .summarizer(Scribe::new("They agreed."))
            .observer(log.clone());
        let fitter = fitter.build().expect("settings that work");
        let stack = Shape::Joint.around(bottom(&provider), &fitter);
        let mut history = ChatRequest::new("a-model", []);
        for turn in 0..200 {
            let question = text(&format!("Question {turn}:"), 60);
            history.messages.push(ChatMessage::user(question));
            send(&stack, history.clone()).await.expect("answered");
            let sent = &provider.last_received().expect("sent").request;
            assert!(sent.messages.len() <= 80, "turn {turn}");
            history.messages.clone_from(&sent.messages);
            let answer = text(&format!("Answer {turn}:"), 60);
            history.messages.push(ChatMessage::assistant(answer));
        }
        // 400 messages, of which a compaction makes room for 40.
        let compactions = log.reports().len();
        assert!((8..=10).contains(&compactions), "{compactions}");
    }
}

#[tokio::test]
async fn d9_a_request_of_exactly_its_limit_fits() {
    for limit in [200_u64, 201, 1_000, 3_001, 9_999] {
        for reserve in [0, 1, 777] {
            for (tokens, changes) in [(limit - 1, 0), (limit, 0), (limit + 1, 1)] {
                if tokens < 200 {
                    continue;
                }
                let (provider, log) = (provider(limit + reserve), Log::default());
                let fitter = Fitter::builder().window(limit + reserve).reserve(reserve);
                // Without a notice's cost in the way, so that a token more is always a change.
                let fitter = fitter
                    .clip_user_messages(true)
                    .least_gain(0.0)
                    .observer(log.clone());
                let stack = Shape::Joint.around(
                    bottom(&provider),
                    &fitter.build().expect("settings that work"),
                );
                send(&stack, sized(tokens)).await.expect("fits");
                assert_eq!(log.reports().len(), changes, "{tokens} of {limit}");
                assert_eq!(provider.totals().overflows, 0);
            }
        }
    }
}

#[tokio::test]
async fn d9_whatever_a_policy_keeps_there_is_something_to_answer() {
    for request in [
        chat(8, 60),
        agent(2, 3, 60, unique),
        chat(0, 400),
        agent(0, 0, 400, unique),
    ] {
        let len = request.messages.len();
        let last = request.messages.last().expect("a question");
        for keep in 0..=len + 1 {
            for pins in [Pins::NONE, Pins::BOTH] {
                for window in [estimate(&request) - 1, estimate(&request) / 3] {
                    let provider = provider(100_000);
                    let fitter = Fitter::builder()
                        .window(window)
                        .reserve(0)
                        .pins(pins)
                        .summarizer(Scribe::new("They worked."))
                        .policy(cut_policy_fn(move |table, _| {
                            Some(Cut::of(table.len(), 0..table.len().saturating_sub(keep)))
                        }))
                        .build()
                        .expect("settings that work");
                    let stack = Shape::Fit.around(bottom(&provider), &fitter);
                    send(&stack, request.clone()).await.expect("accepted");
                    let sent = provider.last_received().expect("sent");
                    let answered = sent.request.messages.last().expect("not empty");
                    assert_eq!(answered, last, "{keep} of {len} kept");
                }
            }
        }
    }
}

#[tokio::test]
async fn d9_the_recent_budget_may_be_any_number_of_tokens() {
    let request = chat(8, 60);
    let all = estimate(&request);
    for keep in [0, 1, 59, 60, 61, all - 1, all, all + 1, u64::MAX] {
        for window in [all - 1, all / 2, all / 4, 50] {
            let provider = provider(100_000);
            let fitter = Fitter::builder()
                .window(window)
                .reserve(0)
                .recent_budget()
                .policy(RecentBudget::new(keep))
                .summarizer(Scribe::new("They worked."))
                .build()
                .expect("settings that work");
            let stack = Shape::Fit.around(bottom(&provider), &fitter);
            send(&stack, request.clone()).await.expect("accepted");
            let sent = provider.last_received().expect("sent");
            assert_eq!(
                sent.request.messages.last(),
                request.messages.last(),
                "{keep} tokens"
            );
        }
    }
}

#[tokio::test]
async fn d9_nothing_is_made_of_nothing() {
    let none = ChatRequest::new("a-model", []);
    let only_system = ChatRequest::new("a-model", [ChatMessage::system(text("Obey.", 30))]);
    for request in [none, only_system] {
        for switch in [Switch::Auto, Switch::Force, Switch::Off] {
            for shape in Shape::ALL {
                let (provider, scribe) = (provider(100).overflow_calls(1), Scribe::default());
                let fitter = Fitter::builder()
                    .window(100)
                    .summarizer(scribe.clone())
                    .adapter(
                        Native.with_hints(move |_: &ChatRequest| Hints::default().switch(switch)),
                    );
                let stack = shape.around(
                    bottom(&provider),
                    &fitter.build().expect("settings that work"),
                );
                let _ = send(&stack, request.clone()).await;
                let sent = provider.last_received().expect("sent");
                assert_eq!(sent.request.messages, request.messages);
                assert_eq!((provider.calls(), scribe.calls()), (1, 0), "{shape:?}");
            }
        }
    }
}

#[tokio::test]
async fn d9_a_limit_too_small_for_anything_loses_nothing() {
    for window in [1, 2, 10, 30] {
        let provider = provider(100_000);
        let mut request = chat(8, 60);
        request.messages.remove(0);
        let fitter = Fitter::builder().window(window).reserve(0);
        let fitter = fitter.summarizer(Scribe::new("They worked.")).build();
        let stack = Shape::Joint.around(bottom(&provider), &fitter.expect("settings that work"));
        send(&stack, request.clone())
            .await
            .expect("the provider takes it");
        let sent = provider.last_received().expect("sent");
        let kept = &sent.request.messages;
        assert_eq!(kept.first(), request.messages.first());
        assert_eq!(kept.last(), request.messages.last());
        assert!(kept.iter().all(|message| message.role != ChatRole::System));
        assert!(kept.iter().all(|message| !content(message).is_empty()));
    }
}
