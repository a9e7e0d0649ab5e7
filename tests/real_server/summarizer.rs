//! A real small model that summarizes, through the whole chain: how it works, and each way it doesn't.
//!
//! What it says isn't judged: it is a model of 135 million parameters.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use contextfit_core::chat::{ChatMessage, ChatRequest};
use contextfit_core::estimate::{Family, WeightedEstimator};
use contextfit_core::summary::{Envelope, EnvelopeKey, EnvelopeKeys};
use contextfit_providers::http::{ModelEndpoint, http_summarizer};
use contextfit_providers::wire::WireFormat;
use contextfit_tower::{
    Archive, ExtractiveSummarizer, FitEvent, FitReport, Fitted, Fitter, FitterBuilder, Observer,
    Prompts, SummarizeError, Summarizer, SummarizerExt, Summary, SummaryJob, Usage,
};
use serde_json::{Value, json};
use tower::service_fn;

/// Tokens of the window that a conversation here has to fit into.
const WINDOW: u64 = 400;

/// The most tokens of a summary.
const BOUND: u64 = 100;

/// As long as a busy machine may need to read a prompt.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where a summarizer's model is, and what it was asked.
struct Model {
    address: String,
    /// Tokens of its window, as the summarizer is told.
    window: Option<u64>,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    fn running() -> Self {
        Self::at(set_by_script("CONTEXTFIT_LLAMA_SERVER"))
    }

    fn at(address: String) -> Self {
        Self {
            address,
            window: None,
            asked: Arc::default(),
        }
    }

    /// The model as a summarizer. `more` is what it is told besides.
    fn summarizer(
        &self,
        format: WireFormat,
        streamed: bool,
        more: Value,
    ) -> impl Summarizer + use<> {
        let path = match format {
            WireFormat::AnthropicMessages => "messages",
            _ => "chat/completions",
        };
        let uri = format!("{}/v1/{path}", self.address)
            .parse()
            .expect("a URL");
        let endpoint = ModelEndpoint::new(format, uri)
            .model("SmolLM2-135M")
            .json(json!({"temperature": 0}))
            .json(more);
        let endpoint = match streamed {
            true => endpoint.streamed().expect("it streams"),
            false => endpoint,
        };
        // The server closes a connection after some requests, without saying so.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).build();
        let (client, asked) = (client.expect("a client"), Arc::clone(&self.asked));
        let client = service_fn(move |request: http::Request<Bytes>| {
            let body = serde_json::from_slice(request.body()).expect("JSON");
            asked.lock().expect("not poisoned").push(body);
            let client = client.clone();
            async move {
                let response = client.execute(request.try_into()?).await?;
                Ok::<http::Response<reqwest::Body>, reqwest::Error>(response.into())
            }
        });
        let summarizer = http_summarizer(client, endpoint).max_output_tokens(120);
        match self.window {
            Some(window) => summarizer.window(window),
            None => summarizer,
        }
    }

    /// What it was asked since, each as the text of its message.
    fn prompts(&self) -> Vec<String> {
        let asked = std::mem::take(&mut *self.asked.lock().expect("not poisoned"));
        let prompt = |body: Value| {
            let last = body["messages"]
                .as_array()
                .and_then(|messages| messages.last());
            let text = last.and_then(|message| message["content"].as_str());
            text.expect("a prompt").to_owned()
        };
        asked.into_iter().map(prompt).collect()
    }
}

fn set_by_script(name: &str) -> String {
    std::env::var(name).expect("tools/llama-server/run.sh sets it")
}

/// A sentence: what it says is up to the model, how long it is isn't.
fn sentence(least: u32, most: u32) -> Value {
    json!({"grammar": format!("root ::= [A-Za-z0-9 ,'-]{{{least},{most}}} \".\"")})
}

/// What everybody who cares does with a summarizer.
fn chain(summarizer: impl Summarizer, patience: Duration) -> impl Summarizer {
    summarizer
        .stall_timeout(patience)
        .attempts(2)
        .or_else(ExtractiveSummarizer)
        .or_else(Archive)
}

/// What an observer heard of summaries.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<Told>>>);

#[derive(Clone, Debug, PartialEq)]
enum Told {
    Refused(&'static str),
    Run {
        model: Option<String>,
        calls: usize,
        usage: Option<Usage>,
        error: Option<&'static str>,
    },
    Fitted,
}

impl Observer for Heard {
    fn on_event(&self, event: &FitEvent<'_>) {
        let told = match event {
            FitEvent::SummaryRefused(error) => Told::Refused(error.kind()),
            FitEvent::SummaryRun {
                model,
                calls,
                usage,
                error,
                ..
            } => Told::Run {
                model: model.map(str::to_owned),
                calls: *calls,
                usage: *usage,
                error: error.map(SummarizeError::kind),
            },
            FitEvent::Fitted(_) => Told::Fitted,
            other => panic!("nothing else happens: {other:?}"),
        };
        self.0.lock().expect("not poisoned").push(told);
    }
}

impl Heard {
    /// What was heard since, of one request: why calls came to nothing, how many calls there were and
    /// what they cost.
    fn of_one(&self) -> (Vec<&'static str>, usize, Option<Usage>) {
        let told = std::mem::take(&mut *self.0.lock().expect("not poisoned"));
        let mut refused = Vec::new();
        let (mut run, mut written_by) = (None, None);
        for told in &told {
            match told {
                Told::Refused(kind) => refused.push(*kind),
                Told::Run {
                    model,
                    calls,
                    usage,
                    error,
                } => {
                    written_by = model.as_deref();
                    assert_eq!(*error, None, "there is always a summary in the end");
                    assert!(run.replace((*calls, *usage)).is_none(), "{told:?}");
                }
                Told::Fitted => {}
            }
        }
        assert_eq!(told.last(), Some(&Told::Fitted));
        // Who wrote it: the model, unless it came to nothing.
        let by_model = written_by == Some("SmolLM2-135M");
        let stood_in = matches!(written_by, Some("extractive" | "archive"));
        assert!(
            by_model || stood_in && !refused.is_empty(),
            "{written_by:?}"
        );
        let (calls, usage) = run.expect("a summary was asked for");
        (refused, calls, usage)
    }
}

fn keys() -> EnvelopeKeys {
    EnvelopeKeys::new(EnvelopeKey::new("the secret of this test").expect("long enough"))
}

/// Prompts are short: each token of them takes its time here.
fn fitter(heard: &Heard) -> FitterBuilder {
    let task = "Say in one short sentence what the conversation above is about.";
    let prompts = Prompts::default()
        .system("You keep records.")
        .first(task)
        .update(task)
        .form("At most {max_words} words.");
    Fitter::builder()
        .window(WINDOW)
        .reserve(0)
        .summary_tokens(BOUND)
        .prompts(prompts)
        .estimator(WeightedEstimator::new(Family::Widest))
        .summary_keys(keys())
        .observer(heard.clone())
}

fn turns(range: std::ops::Range<usize>) -> impl Iterator<Item = ChatMessage> {
    range.flat_map(|turn| {
        let said = format!(
            "In step {turn} the worker takes job {} from the queue and writes it to jobs-{turn}.txt.",
            turn * 7
        );
        [
            ChatMessage::user(said),
            ChatMessage::assistant(format!("Step {turn} is done.")),
        ]
    })
}

fn conversation(length: usize) -> ChatRequest {
    let question = ChatMessage::user("What was the last step?");
    ChatRequest::new("m", turns(0..length).chain([question]))
}

async fn fit(fitter: &Fitter, request: ChatRequest) -> (Envelope, FitReport, ChatRequest) {
    let Fitted {
        request, report, ..
    } = fitter.fit(request).await.expect("it fits");
    let (_, envelope) = Envelope::find(&request, &keys())
        .ours
        .expect("a sealed envelope");
    (envelope, report.expect("it was too long"), request)
}

#[tokio::test]
#[ignore = "takes a server"]
async fn its_summary_is_sealed_and_updated_by_the_next_compaction() {
    let model = Model::running();
    let ways = [
        (WireFormat::OpenAiChat, true),
        (WireFormat::OpenAiChat, false),
        (WireFormat::AnthropicMessages, true),
    ];
    // One after the other with the same prompt, which the server then has read already.
    let mut updated = Vec::new();
    for (format, streamed) in ways {
        let is_told = format!("{format} {streamed}");
        let heard = Heard::default();
        let more = match format {
            WireFormat::OpenAiChat => sentence(20, 60),
            // Here the server knows no grammars.
            _ => json!({"stop_sequences": ["."]}),
        };
        let summarizer = model.summarizer(format, streamed, more);
        let fitter = fitter(&heard).summarizer(chain(summarizer, PATIENCE));
        let fitter = fitter.build().unwrap();
        let (envelope, report, request) = fit(&fitter, conversation(12)).await;
        let (refused, calls, usage) = heard.of_one();
        assert_eq!((refused, calls), (vec![], 1), "{is_told}");
        let usage = usage.unwrap_or_else(|| panic!("{is_told}: it was told"));
        let output = 5..=120;
        assert!(
            usage.input > 100 && output.contains(&usage.output),
            "{is_told} {usage:?}"
        );
        assert_eq!(report.summarizer_usage, Some(usage), "{is_told}");
        assert!(
            !report.degraded && report.fits() && report.summarized > 10,
            "{is_told}"
        );
        assert_eq!(envelope.messages, report.summarized as u64, "{is_told}");
        assert!(envelope.summary.len() >= 20, "{is_told}: {envelope:?}");
        let prompts = model.prompts();
        assert!(prompts.len() == 1 && !prompts[0].contains("<previous-summary>"));
        if format == WireFormat::OpenAiChat {
            updated.push((fitter, heard, envelope, request));
        }
    }
    for (fitter, heard, before, mut request) in updated {
        request.messages.extend(turns(12..20));
        request.messages.push(ChatMessage::user("And now?"));
        let (after, report, request) = fit(&fitter, request).await;
        let (refused, calls, _) = heard.of_one();
        assert_eq!((refused, calls), (vec![], 1));
        assert!(!report.degraded && after.messages > before.messages + 10);
        let prompts = model.prompts();
        let previous = format!(
            "<previous-summary>\n{}\n</previous-summary>",
            before.summary
        );
        assert!(prompts.len() == 1 && prompts[0].contains(&previous));
        let sealed = |message: &&ChatMessage| format!("{message:?}").contains("contextfit-summary");
        assert_eq!(request.messages.iter().filter(sealed).count(), 1);
    }
}

#[tokio::test]
#[ignore = "takes a server"]
async fn a_summary_that_is_cut_off_is_refused_and_another_summarizer_stands_in() {
    let model = Model::running();
    for (format, streamed) in [
        (WireFormat::OpenAiChat, true),
        (WireFormat::OpenAiChat, false),
    ] {
        let is_told = format!("{format} {streamed}");
        let heard = Heard::default();
        let mut more = sentence(100, 120);
        more["max_tokens"] = 4.into();
        let summarizer = model.summarizer(format, streamed, more);
        let fitter = fitter(&heard).summarizer(chain(summarizer, PATIENCE));
        let (envelope, report, _) = fit(&fitter.build().unwrap(), conversation(12)).await;
        let (refused, calls, usage) = heard.of_one();
        assert_eq!(refused, ["cut_off", "cut_off"], "{is_told}");
        // Twice the model, and once who stands in, at no cost.
        assert_eq!((calls, model.prompts().len()), (3, 2), "{is_told}");
        let usage = usage.unwrap_or_else(|| panic!("{is_told}: it was told"));
        assert_eq!(usage.output, 8, "{is_told}");
        assert_eq!(report.summarizer_calls, 3);
        is_extracted(&envelope, &report);
    }
}

/// Who stands in quotes what was said.
fn is_extracted(envelope: &Envelope, report: &FitReport) {
    assert!(envelope.summary.contains("In step"), "{}", envelope.summary);
    assert!(report.fits() && report.archived == 0 && report.summarized > 10);
}

#[tokio::test]
#[ignore = "takes a server"]
async fn a_summary_over_its_bound_is_asked_for_once_more_in_fewer_words() {
    let model = Model::running();
    let heard = Heard::default();
    // More than it may have, whatever it says.
    let summarizer = model.summarizer(WireFormat::OpenAiChat, true, sentence(120, 140));
    let fitter = fitter(&heard).summary_tokens(20);
    let fitter = fitter.summarizer(chain(summarizer, PATIENCE));
    let (envelope, report, _) = fit(&fitter.build().unwrap(), conversation(12)).await;
    let (refused, calls, usage) = heard.of_one();
    assert_eq!(refused, ["over_bound", "over_bound"]);
    assert_eq!((calls, report.summarizer_calls), (3, 3));
    assert!(usage.is_some_and(|usage| usage.output > 40), "{usage:?}");
    let words = |prompt: &String| {
        let (_, most) = prompt.rsplit_once("At most ").expect("it says how many");
        let most = most.split(' ').next().expect("a number");
        most.parse::<u64>().expect("a number")
    };
    let asked: Vec<u64> = model.prompts().iter().map(words).collect();
    assert!(
        asked.len() == 2 && asked[0] == 12 && asked[1] < 9,
        "{asked:?}"
    );
    is_extracted(&envelope, &report);
}

#[tokio::test]
#[ignore = "takes a server"]
async fn a_conversation_above_its_window_is_read_in_several_calls() {
    let window = set_by_script("CONTEXTFIT_LLAMA_WINDOW").parse().unwrap();
    let model = Model {
        window: Some(window),
        ..Model::running()
    };
    let heard = Heard::default();
    let summarizer = model.summarizer(WireFormat::OpenAiChat, true, sentence(20, 60));
    let fitter = fitter(&heard).summarizer(chain(summarizer, PATIENCE));
    let (envelope, report, _) = fit(&fitter.build().unwrap(), conversation(26)).await;
    let (refused, calls, usage) = heard.of_one();
    let prompts = model.prompts();
    assert_eq!((refused, calls), (vec![], prompts.len()));
    assert!((2..=5).contains(&calls), "{calls}");
    assert!(usage.is_some_and(|usage| usage.input > 500), "{usage:?}");
    assert_eq!((report.omitted, report.degraded), (0, false));
    // Every message is in one of them, and only in one.
    let mut read = 0;
    for (number, prompt) in prompts.iter().enumerate() {
        let (transcript, rest) = prompt.split_once("</conversation>").expect("it closes");
        assert_eq!(rest.contains("<previous-summary>"), number > 0);
        read += transcript.matches("is done.").count() + transcript.matches("In step").count();
    }
    assert_eq!(read, report.summarized);
    assert_eq!(envelope.messages, report.summarized as u64);
}

#[tokio::test]
#[ignore = "takes a server"]
async fn where_no_server_is_another_summarizer_stands_in() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let model = Model::at(format!("http://{address}"));
    for streamed in [true, false] {
        let heard = Heard::default();
        let summarizer = model.summarizer(WireFormat::OpenAiChat, streamed, json!({}));
        let fitter = fitter(&heard).summarizer(chain(summarizer, PATIENCE));
        let (envelope, report, _) = fit(&fitter.build().unwrap(), conversation(12)).await;
        let failed = "summarizer_failed";
        assert_eq!(heard.of_one(), (vec![failed, failed], 3, None));
        is_extracted(&envelope, &report);
    }
}

/// A server that takes a request, answers with the start of a stream or with nothing, and then says
/// no more.
fn silent(start: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let mut open = Vec::new();
        while let Ok((mut connection, _)) = listener.accept() {
            let mut request = [0; 64 * 1024];
            let _ = connection.read(&mut request);
            let _ = connection.write_all(start.as_bytes());
            open.push(connection);
        }
    });
    address
}

#[tokio::test]
#[ignore = "takes a server"]
async fn a_server_that_falls_silent_is_given_up_and_another_summarizer_stands_in() {
    let headers = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let begun = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
                 data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"They \"}}]}\n\n";
    for (start, streamed) in [("", true), ("", false), (headers, true), (begun, true)] {
        let model = Model::at(format!("http://{}", silent(start)));
        let heard = Heard::default();
        let summarizer = model.summarizer(WireFormat::OpenAiChat, streamed, json!({}));
        let soon = Duration::from_millis(300);
        let fitter = fitter(&heard).summarizer(chain(summarizer, soon));
        let (envelope, report, _) = fit(&fitter.build().unwrap(), conversation(12)).await;
        assert_eq!(heard.of_one(), (vec!["stalled", "stalled"], 3, None));
        is_extracted(&envelope, &report);
    }
}

/// A summarizer that never has anything to say.
struct Mute;

#[async_trait]
impl Summarizer for Mute {
    async fn summarize(&self, _: SummaryJob) -> Result<Summary, SummarizeError> {
        Ok(Summary::new(""))
    }
}

#[tokio::test]
#[ignore = "takes a server"]
async fn where_nothing_can_be_extracted_either_a_raw_record_stands() {
    let model = Model::running();
    let heard = Heard::default();
    let mut more = sentence(100, 120);
    more["max_tokens"] = 4.into();
    let summarizer = model.summarizer(WireFormat::OpenAiChat, true, more);
    let summarizer = summarizer.stall_timeout(PATIENCE).attempts(2);
    let summarizer = summarizer.or_else(Mute).or_else(Archive);
    let fitter = fitter(&heard).summarizer(summarizer).build().unwrap();
    let (_, report, _) = fit(&fitter, conversation(12)).await;
    let (refused, calls, _) = heard.of_one();
    assert_eq!(refused, ["cut_off", "cut_off", "blank"]);
    assert_eq!((calls, report.degraded), (4, true));
    assert!(report.archived > 0 && report.fits());
}
