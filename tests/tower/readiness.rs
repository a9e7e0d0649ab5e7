//! The layers call no service that isn't ready, on every path, under and over other layers.
//!
//! The probe at the bottom of each stack panics otherwise.

use std::time::Duration;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatResponse};
use contextfit_core::request::{Hints, Native, RequestAdapter, Switch, WithHints};
use contextfit_testing::provider::SimulatedProvider;
use contextfit_tests::{
    Erased, Hesitant, Scribe, Shape, bottom, chat, provider, questions, send, text,
};
use contextfit_tower::{BoxError, Fitter};
use tokio::time::timeout;
use tokio_test::task;
use tower::buffer::Buffer;
use tower::limit::ConcurrencyLimit;
use tower::load_shed::LoadShed;
use tower::timeout::Timeout;
use tower::util::BoxCloneService;
use tower::{Service, ServiceExt};

const WINDOW: u64 = 4_000;

/// A way through the layers.
struct Path {
    name: &'static str,
    request: ChatRequest,
    provider: SimulatedProvider,
    summarizer: Option<Scribe>,
    /// How many calls the provider gets, and whether there is an answer.
    expected: fn(Shape) -> (usize, bool),
}

fn paths() -> Vec<Path> {
    let fits = || chat(5, 50);
    let near_the_limit = || chat(12, 100);
    let too_long = || chat(40, 100);
    let once = |shape| match shape {
        // It is sent as it is, and refused.
        Shape::Retry => (2, true),
        _ => (1, true),
    };
    let recovered = |shape| match shape {
        Shape::Fit => (1, false),
        _ => (2, true),
    };
    let path = |name, request, provider, summarizer, expected| Path {
        name,
        request,
        provider,
        summarizer,
        expected,
    };
    let mut switched_off = too_long();
    switched_off.extra.insert("off".into(), true.into());
    let mut no_room = fits();
    no_room.messages[0] = ChatMessage::system(text("Obey.", 5_000));
    let usual = || provider(WINDOW);
    let overflows = || provider(WINDOW).overflow_calls(1);
    let summarizer = || Some(Scribe::default());
    let slow = || Some(Scribe::default().pending(3));
    vec![
        path("fits", fits(), usual(), None, |_| (1, true)),
        path("is cut", too_long(), usual(), None, once),
        path("is summarized", too_long(), usual(), summarizer(), once),
        path("is summarized slowly", too_long(), usual(), slow(), once),
        path("overflows", near_the_limit(), overflows(), None, recovered),
        path(
            "overflows, slowly",
            near_the_limit(),
            overflows(),
            slow(),
            recovered,
        ),
        path(
            "is cut and overflows",
            too_long(),
            overflows(),
            slow(),
            recovered,
        ),
        path(
            "can't be made smaller",
            questions(1, 2_500),
            overflows(),
            slow(),
            |_| (1, false),
        ),
        path("is switched off", switched_off, usual(), slow(), |_| {
            (1, false)
        }),
        path(
            "has no room",
            no_room,
            usual(),
            slow(),
            |shape| match shape {
                Shape::Retry => (1, false),
                _ => (0, false),
            },
        ),
        path(
            "fails otherwise",
            fits(),
            usual().fail_after(0, 503),
            None,
            |_| (1, false),
        ),
    ]
}

type Adapter = WithHints<Native, fn(&ChatRequest) -> Hints>;

impl Path {
    fn fitter(&self) -> Fitter<Adapter> {
        let hints: fn(&ChatRequest) -> Hints = |request| {
            let off = request.extra.contains_key("off");
            Hints::default().switch(if off { Switch::Off } else { Switch::Auto })
        };
        let mut builder = Fitter::builder().window(WINDOW).reserve(1_000);
        if let Some(summarizer) = &self.summarizer {
            builder = builder.summarizer(summarizer.clone());
        }
        builder
            .adapter(Native.with_hints(hints))
            .build()
            .expect("settings that work")
    }
}

type Wrapper = fn(Erased) -> Erased;

/// Goes every way with every shape, the wrapper under the layers and over them.
async fn every_way(wrap: Wrapper) {
    let as_it_is: Wrapper = |service| service;
    for (under, over) in [(wrap, as_it_is), (as_it_is, wrap), (wrap, wrap)] {
        for shape in Shape::ALL {
            for path in paths() {
                // Shown if a test fails: the probe can't know.
                println!("{shape:?}: {}", path.name);
                let stack = shape.around(under(bottom(&path.provider)), &path.fitter());
                let stack: BoxCloneService<ChatRequest, ChatResponse, BoxError> =
                    BoxCloneService::new(over(stack));
                let response = stack.oneshot(path.request.clone());
                let result = timeout(Duration::from_secs(600), response)
                    .await
                    .expect("no deadlock");
                let (calls, answered) = (path.expected)(shape);
                assert_eq!(result.is_ok(), answered, "{result:?}");
                assert_eq!(path.provider.calls(), calls);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn holds_alone() {
    every_way(|service| service).await;
}

#[tokio::test(start_paused = true)]
async fn holds_with_a_service_that_is_slow_to_be_ready() {
    every_way(|service| Erased::new(Hesitant::new(service, 2))).await;
}

#[tokio::test(start_paused = true)]
async fn holds_with_a_buffer() {
    every_way(|service| Erased::new(Buffer::new(service, 1))).await;
}

#[tokio::test(start_paused = true)]
async fn holds_with_load_shed() {
    every_way(|service| Erased::new(LoadShed::new(service))).await;
}

#[tokio::test(start_paused = true)]
async fn holds_with_a_concurrency_limit() {
    every_way(|service| Erased::new(ConcurrencyLimit::new(service, 1))).await;
}

#[tokio::test(start_paused = true)]
async fn holds_with_a_timeout() {
    every_way(|service| Erased::new(Timeout::new(service, Duration::from_secs(60)))).await;
}

#[tokio::test(start_paused = true)]
async fn holds_with_all_of_them() {
    every_way(|service| {
        let service = Timeout::new(service, Duration::from_secs(60));
        let service = ConcurrencyLimit::new(service, 1);
        Erased::new(Buffer::new(LoadShed::new(service), 1))
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn holds_when_one_instance_is_used_again_and_again() {
    for shape in Shape::ALL {
        for path in paths() {
            println!("{shape:?}: {}", path.name);
            let mut stack = shape.around(bottom(&path.provider), &path.fitter());
            for _ in 0..3 {
                let service = stack.ready().await.expect("always ready");
                let response = service.call(path.request.clone());
                let _ = timeout(Duration::from_secs(600), response)
                    .await
                    .expect("no deadlock");
            }
        }
    }
}

#[test]
fn holds_when_clones_are_called_in_turns() {
    for shape in Shape::ALL {
        for path in paths() {
            println!("{shape:?}: {}", path.name);
            let stack = shape.around(bottom(&path.provider), &path.fitter());
            // All are ready before any is called, and the last is called first.
            let mut clones = vec![stack; 3];
            for clone in &mut clones {
                let mut ready = task::spawn(clone.ready());
                assert!(ready.poll().is_ready());
            }
            let mut responses: Vec<_> = clones
                .iter_mut()
                .rev()
                .map(|clone| task::spawn(clone.call(path.request.clone())))
                .collect();
            for _ in 0..100 {
                responses.retain_mut(|response| response.poll().is_pending());
            }
            assert!(responses.is_empty(), "all are answered");
        }
    }
}

#[tokio::test]
#[should_panic = "without readiness"]
async fn the_probe_sees_what_it_is_there_for() {
    let mut unready = bottom(&provider(WINDOW));
    let request = chat(1, 10);
    send(&unready, request.clone())
        .await
        .expect("a clone that is ready");
    drop(unready.call(request));
}
