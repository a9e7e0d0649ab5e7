//! Errors that real providers, servers and proxies gave to their users, as those reported them in
//! public. All 104 overflows are recognised, with their HTTP status and without; of the 52 others,
//! 8 of which are limits of the output alone, none is taken for one.

use contextfit_providers::overflow::is_overflow_text;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Line {
    kind: String,
    status: Option<u16>,
    body: String,
}

impl Line {
    fn is_overflow(&self) -> bool {
        self.kind == "overflow"
    }
}

fn corpus() -> Vec<Line> {
    let lines = include_str!("data/errors.jsonl").lines();
    let lines: Vec<Line> = lines
        .map(|line| serde_json::from_str(line).expect("a line of the corpus"))
        .collect();
    assert_eq!(lines.len(), 156);
    assert_eq!(lines.iter().filter(|line| line.is_overflow()).count(), 104);
    lines
}

/// The lines that are classified otherwise than they are labelled.
fn wrong(seen: impl Fn(&Line) -> bool) -> Vec<String> {
    let lines = corpus().into_iter();
    lines
        .filter(|line| seen(line) != line.is_overflow())
        .map(|line| line.body)
        .collect()
}

#[test]
fn with_its_status_each_line_is_classified_right() {
    assert_eq!(
        wrong(|line| is_overflow_text(&line.body, line.status)),
        [""; 0]
    );
}

#[test]
fn without_a_status_each_line_is_classified_right() {
    assert_eq!(wrong(|line| is_overflow_text(&line.body, None)), [""; 0]);
}

type Wrap<'a> = &'a dyn Fn(&str) -> String;

#[test]
fn wrapped_in_any_way_each_line_is_classified_right() {
    let json = |body: &str| json!({ "error": { "message": body } }).to_string();
    let escaped_html = |body: &str| {
        ["&", "<", ">", "\"", "'"]
            .iter()
            .zip(["&amp;", "&lt;", "&gt;", "&quot;", "&#x27;"])
            .fold(body.to_owned(), |body, (char, name)| {
                body.replace(char, name)
            })
    };
    let python = |body: &str| {
        let body = body
            .replace('\\', r"\\")
            .replace('\'', r"\'")
            .replace('\n', r"\n");
        format!("Error code: 400 - {{'error': {{'message': '{body}'}}}}")
    };
    let wrappings: [(&str, Wrap<'_>); 6] = [
        ("JSON", &json),
        ("JSON in JSON", &|body| json(&json(body))),
        ("Python", &python),
        ("HTML", &|body| {
            format!("<html><pre>{}</pre></html>", escaped_html(body))
        }),
        ("a status before it", &|body| format!("429 {body}")),
        ("upper case", &|body| body.to_uppercase()),
    ];
    for (name, wrap) in wrappings {
        for status in [true, false] {
            let classify =
                |line: &Line| is_overflow_text(&wrap(&line.body), line.status.filter(|_| status));
            assert_eq!(wrong(classify), [""; 0], "{name}, status: {status}");
        }
    }
}

/// Kinds of which the corpus has no line, as others were seen to say it.
#[test]
fn the_same_in_other_words_is_recognised_too() {
    for text in [
        "The input token count is 1305772 but the model only supports up to 1048576.",
        "input token count is 90000 but model only supports up to 32768. Reduce it and try again",
        "The prompt (total length 20111) is too long to fit into the model (context length 8192).",
        "Prompt length of 4097 is longer than the maximum model length of 4096.",
        "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        "The engine prompt length 10500 exceeds the max_model_len 8192.",
        "Input length (265330) exceeds model's maximum context length (262144).",
        "Input length 1581 exceeds context length 1500",
        "Request input tokens exceed model token limit. Reduce the input size.",
        "Input exceeds the max input token limit",
        "Context size has been exceeded",
        "Your input exceeds this model's context window.",
        "Invalid 'messages[3].content': string too long. Expected a maximum length of 1048576.",
        "This model's maximum context length is 131,072 tokens.",
        "max tokens of 200000 exceeded",
        "Input token length too long",
        "Your input context is too long.",
        "model_max_prompt_tokens_exceeded",
        "ContextOverflowError",
        "exceed_context_size_error",
    ] {
        assert!(is_overflow_text(text, None), "{text}");
    }
    for text in [
        "This request exceeds the limit of 30000 tokens per minute",
        "Too many tokens, please wait before trying again.",
        "max_tokens (10000) cannot exceed 8192. Please reduce the length of max output tokens.",
        "Invalid 'tools[0].function.description': string too long. Expected a maximum length of 64.",
        "Invalid 'input[2].call_id': string too long. Expected a maximum length of 64.",
        "Request payload size exceeds the limit: 20971520 bytes.",
        "The upload exceeds the limit of 20 MB.",
        "The image exceeds the limit of 3.5 MB",
        "Image size exceeds the limit of 5 megabytes",
        "The number of images in the request exceeds the limit of 20.",
        "The number of tools exceeds the limit of 128.",
        "The document exceeds the limit of 100 pages",
        "The requested max_tokens exceeds the limit of 8192",
        "max_output_tokens (65537) exceeds the limit of 65536",
        "max_tokens 70000 exceeds the limit of 65536 output tokens",
        "Daily token limit exceeded. Upgrade your plan.",
        "You have used too many tokens today",
        "request exceeds the maximum allowed number of bytes (request_too_large)",
        "Model context window too small (minimum is 16000 tokens)",
        "Resource has been exhausted (e.g. check quota).",
    ] {
        assert!(!is_overflow_text(text, None), "{text}");
    }
}

#[test]
fn what_is_said_broadly_takes_a_status_that_says_it_too() {
    for text in [
        "ValidationException: The input is too long",
        "Please check the context length.",
    ] {
        assert!(is_overflow_text(text, Some(400)), "{text}");
        assert!(!is_overflow_text(text, Some(401)), "{text}");
        assert!(!is_overflow_text(text, None), "{text}");
    }
}
