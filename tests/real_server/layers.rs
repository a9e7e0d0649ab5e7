//! The layers around a server, by each of its three ways to talk to it, plain and streamed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use contextfit_core::estimate::{Family, WeightedEstimator};
use contextfit_providers::http::{HttpFitLayer, Peeked};
use contextfit_tower::{
    BoxError, Calibrator, FitEvent, Fitter, FitterBuilder, HeadSummarizer, Observer, Overflow,
};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::util::BoxCloneService;
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

/// Where the server is, and how many tokens its window has.
struct Server {
    address: String,
    window: u64,
    client: reqwest::Client,
    /// Requests that were sent to it.
    sent: Arc<AtomicUsize>,
}

/// How a server is talked to.
#[derive(Clone, Copy, Debug)]
enum Way {
    Chat,
    Responses,
    Messages,
}

/// A message: whether the user says it, and what.
type Said = (bool, String);

const WAYS: [(Way, bool); 6] = [
    (Way::Chat, false),
    (Way::Chat, true),
    (Way::Responses, false),
    (Way::Responses, true),
    (Way::Messages, false),
    (Way::Messages, true),
];

impl Server {
    fn running() -> Self {
        let set = |name| std::env::var(name).expect("tools/llama-server/run.sh sets it");
        Self {
            address: set("CONTEXTFIT_LLAMA_SERVER"),
            window: set("CONTEXTFIT_LLAMA_WINDOW").parse().expect("a number"),
            // It closes a connection after some requests, without saying so.
            client: reqwest::Client::builder()
                .pool_max_idle_per_host(0)
                .build()
                .expect("a client"),
            sent: Arc::default(),
        }
    }

    fn fitter(&self) -> FitterBuilder {
        Fitter::builder()
            .window(self.window)
            .estimator(WeightedEstimator::new(Family::Widest))
            .summarizer(HeadSummarizer)
    }

    fn stack(&self, fitter: Fitter) -> BoxCloneService<http::Request<Bytes>, Reply, BoxError> {
        let (client, sent) = (self.client.clone(), Arc::clone(&self.sent));
        let provider = service_fn(move |request: http::Request<Bytes>| {
            sent.fetch_add(1, Ordering::SeqCst);
            let client = client.clone();
            async move {
                let response = client.execute(request.try_into()?).await?;
                Ok::<http::Response<reqwest::Body>, reqwest::Error>(response.into())
            }
        });
        let service = ServiceBuilder::new()
            .layer(HttpFitLayer::new(fitter))
            .service(provider);
        let read = service.and_then(|response: http::Response<Peeked<reqwest::Body>>| async {
            let (head, body) = response.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok(Reply {
                status: head.status.as_u16(),
                body: String::from_utf8(body.into())?,
            })
        });
        BoxCloneService::new(read)
    }

    fn sent(&self) -> usize {
        self.sent.swap(0, Ordering::SeqCst)
    }

    fn request(
        &self,
        way: Way,
        streamed: bool,
        said: &[Said],
        output: u32,
    ) -> http::Request<Bytes> {
        let messages: Vec<Value> = said
            .iter()
            .map(|(by_user, text)| {
                json!({"role": if *by_user { "user" } else { "assistant" }, "content": text})
            })
            .collect();
        let (path, body) = match way {
            Way::Chat => (
                "chat/completions",
                json!({"model": "m", "messages": messages, "max_tokens": output, "stream": streamed,
                    "stream_options": {"include_usage": true}}),
            ),
            Way::Responses => (
                "responses",
                json!({"model": "m", "input": items(said), "max_output_tokens": output, "stream": streamed}),
            ),
            Way::Messages => (
                "messages",
                json!({"model": "m", "messages": messages, "max_tokens": output, "stream": streamed}),
            ),
        };
        http::Request::post(format!("{}/v1/{path}", self.address))
            .header("content-type", "application/json")
            .body(body.to_string().into())
            .expect("a request")
    }
}

/// The same as items: this server wants those of the assistant in full.
fn items(said: &[Said]) -> Vec<Value> {
    let item = |(by_user, text): &Said| match by_user {
        true => json!({"role": "user", "content": text}),
        false => json!({"type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}),
    };
    said.iter().map(item).collect()
}

/// What an observer heard.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    fitted: usize,
    usages: usize,
    overflows: Vec<Overflow>,
}

impl Observer for Heard {
    fn on_event(&self, event: &FitEvent<'_>) {
        let mut counts = self.0.lock().expect("not poisoned");
        match event {
            FitEvent::Fitted(_) => counts.fitted += 1,
            FitEvent::Usage { .. } => counts.usages += 1,
            FitEvent::Overflow { overflow, .. } => counts.overflows.push(*overflow),
            _ => {}
        }
    }
}

/// A response, read to its end.
#[derive(Debug)]
struct Reply {
    status: u16,
    body: String,
}

/// What the user says in a turn: about a tenth of a small window.
fn words(turn: usize) -> String {
    let sentence = |number: usize| {
        format!(
            "In step {turn}.{number} the worker takes a job from the queue and writes it down. "
        )
    };
    (0..6).map(sentence).collect()
}

fn conversation(tokens: u64) -> Vec<Said> {
    let mut said = Vec::new();
    let mut chars = 0;
    for turn in 0.. {
        for text in [words(turn), format!("Step {turn} is done.")] {
            chars += text.len() as u64;
            said.push((said.len() % 2 == 0, text));
        }
        if chars / 4 > tokens {
            break;
        }
    }
    said.push((true, "What was the last step?".to_owned()));
    said
}

#[tokio::test]
#[ignore = "takes a server"]
async fn a_conversation_of_ten_windows_stays_inside() {
    let server = Server::running();
    for (way, streamed) in WAYS {
        let heard = Heard::default();
        let fitter = server.fitter().calibrator(Calibrator::default());
        let fitter = fitter.observer(heard.clone()).build().unwrap();
        let mut service = server.stack(fitter);
        let whole = conversation(server.window * 10);
        let mut requests = 0;
        for end in (1..=whole.len()).step_by(2) {
            let request = server.request(way, streamed, &whole[..end], 8);
            let reply = service.ready().await.unwrap().call(request).await.unwrap();
            assert_eq!(reply.status, 200, "{way:?} {streamed}: {reply:?}");
            requests += 1;
        }
        let heard = heard.0.lock().unwrap();
        let is_told = format!("{way:?} {streamed}");
        assert_eq!(server.sent(), requests, "{is_told}: nothing was sent twice");
        assert_eq!(heard.usages, requests, "{is_told}: each told what it cost");
        assert!(heard.fitted > requests / 2, "{is_told}: most had to be cut");
    }
}

#[tokio::test]
#[ignore = "takes a server"]
async fn without_a_fit_each_crossing_is_recovered_once() {
    let server = Server::running();
    for (way, streamed) in WAYS {
        let heard = Heard::default();
        let fitter = server.fitter().enabled(false).observer(heard.clone());
        let mut service = server.stack(fitter.build().unwrap());
        for (percent, expected) in [(50, 1), (150, 2), (300, 2), (1_000, 2)] {
            let said = conversation(server.window * percent / 100);
            let request = server.request(way, streamed, &said, 8);
            let reply = service.ready().await.unwrap().call(request).await.unwrap();
            let is_told = format!("{way:?} {streamed} {percent} %");
            assert_eq!(reply.status, 200, "{is_told}: {reply:?}");
            assert_eq!(server.sent(), expected, "{is_told}");
        }
        let heard = heard.0.lock().unwrap();
        assert_eq!(heard.overflows.len(), 3, "{way:?} {streamed}");
        for overflow in &heard.overflows {
            assert_eq!(overflow.limit, Some(server.window));
            assert!(overflow.input > overflow.limit);
        }
    }
}

#[tokio::test]
#[ignore = "takes a server"]
async fn an_answer_that_the_window_cut_off_is_an_overflow() {
    let server = Server::running();
    let heard = Heard::default();
    let fitter = server.fitter().enabled(false).observer(heard.clone());
    let mut service = server.stack(fitter.build().unwrap());
    // There is room for a few tokens only.
    let said = conversation(server.window * 85 / 100);
    let output = u32::try_from(server.window / 4).unwrap();
    let request = server.request(Way::Chat, false, &said, output);
    let reply = service.ready().await.unwrap().call(request).await.unwrap();
    assert_eq!(server.sent(), 2);
    assert_eq!(heard.0.lock().unwrap().overflows.len(), 1);
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(body["usage"]["completion_tokens"], output);
}
