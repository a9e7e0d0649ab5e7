//! Errors as they reach users: what each says, with its numbers, however it is wrapped.
//!
//! `data/errors.jsonl` has texts of providers, servers and libraries, as users reported them in
//! public or as their code writes them, with numbers of our own, and what only sounds like them. A
//! file of the same form that `CONTEXTFIT_PROVIDER_ERRORS` names is tried in the same way.

use std::fs;

use contextfit_providers::overflow::{Class, Classified, OverflowTemplates, is_overflow_text};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;

#[derive(Clone, Debug, Deserialize)]
struct Line {
    body: String,
    http_status: Option<u16>,
    /// `overflow`, `output_limit` or `not_overflow`.
    kind: String,
    requested_tokens: Option<u64>,
    limit_tokens: Option<u64>,
    /// Left out where the kind says it.
    class: Option<String>,
}

fn lines(jsonl: &str) -> Vec<Line> {
    let lines = jsonl.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

fn ours() -> Vec<Line> {
    lines(include_str!("data/errors.jsonl"))
}

/// Those of the file that is named, if one is.
fn theirs() -> Vec<Line> {
    let named = std::env::var_os("CONTEXTFIT_PROVIDER_ERRORS");
    named.map_or_else(Vec::new, |path| {
        lines(&fs::read_to_string(path).expect("the file that is named"))
    })
}

fn classify(body: &str, status: Option<u16>) -> Classified {
    OverflowTemplates::known().classify(body, status)
}

fn kind(class: Class) -> &'static str {
    match class {
        Class::OutputCap => "output_limit",
        class if class.is_overflow() => "overflow",
        _ => "not_overflow",
    }
}

/// What is wrong about a line, if anything is.
fn mistake(line: &Line, body: &str, status: Option<u16>) -> Option<String> {
    let found = classify(body, status);
    let numbers = match kind(found.class) {
        "not_overflow" => (None, None),
        _ => (found.requested_tokens(), found.limit),
    };
    let is_right = kind(found.class) == line.kind
        && numbers == (line.requested_tokens, line.limit_tokens)
        && line
            .class
            .as_deref()
            .is_none_or(|class| class == found.class.name());
    let template = found.template.as_deref().unwrap_or("no template");
    (!is_right).then(|| {
        format!(
            "{} {:?} by {template} {numbers:?}, not {} {:?}: {}",
            found.class.name(),
            status,
            line.kind,
            (line.requested_tokens, line.limit_tokens),
            line.body
        )
    })
}

/// All mistakes, with and without the status, in one message.
fn check(lines: &[Line], wrap: impl Fn(&str) -> String) {
    let mut mistakes = Vec::new();
    for line in lines {
        let body = wrap(&line.body);
        mistakes.extend(mistake(line, &body, line.http_status));
        if line.http_status.is_some() && !is_broad(line) {
            mistakes.extend(mistake(line, &body, None));
        }
    }
    let (count, all) = (mistakes.len(), lines.len());
    assert!(
        mistakes.is_empty(),
        "{count} mistakes in {all} lines:\n{}",
        mistakes.join("\n")
    );
}

/// Whether it takes its status to know what a line says.
fn is_broad(line: &Line) -> bool {
    let without = classify(&line.body, None);
    line.kind == "overflow" && without.template.is_none()
}

#[test]
fn each_line_says_what_it_says() {
    check(&ours(), str::to_owned);
}

#[test]
fn each_line_of_a_file_that_is_named_says_what_it_says() {
    check(&theirs(), str::to_owned);
}

type Wrap = fn(&str) -> String;

const WRAPPINGS: [(&str, Wrap); 9] = [
    ("JSON", |body| {
        json!({ "error": { "message": body } }).to_string()
    }),
    ("the JSON of a proxy", |body| {
        json!({ "detail": [{ "type": "upstream_error", "code": 502, "msg": body }] }).to_string()
    }),
    ("a text of JSON", |body| {
        serde_json::Value::from(body).to_string()
    }),
    ("Python", python),
    ("HTML", |body| {
        format!(
            "<!DOCTYPE html><html><body><pre class=\"e\">{}</pre></body></html>",
            html(body)
        )
    }),
    ("escaped for HTML in JSON", |body| {
        let json = json!({ "message": body }).to_string();
        json.replace('<', r"\u003c")
            .replace('>', r"\u003e")
            .replace('&', r"\u0026")
    }),
    ("a status before it", |body| format!("429 {body}")),
    ("text around it", |body| {
        format!(
            "2031-02-03T04:05:06Z ERROR call failed: {body}\n    at Client.send (client.ts:17:9)"
        )
    }),
    ("upper case", |body| body.to_uppercase()),
];

fn html(body: &str) -> String {
    let escapes = [
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("\"", "&quot;"),
        ("'", "&#x27;"),
    ];
    escapes
        .into_iter()
        .fold(body.to_owned(), |body, (char, name)| {
            body.replace(char, name)
        })
}

fn python(body: &str) -> String {
    let body = body
        .replace('\\', r"\\")
        .replace('\'', r"\'")
        .replace('\n', r"\n");
    format!("Error code: 400 - {{'error': {{'message': '{body}', 'param': None}}}}")
}

#[test]
fn each_line_says_the_same_however_it_is_wrapped() {
    for (name, wrap) in WRAPPINGS {
        println!("{name}");
        check(&ours(), wrap);
        check(&theirs(), wrap);
    }
}

#[test]
fn each_line_says_the_same_wrapped_twice() {
    for (_, outer) in WRAPPINGS {
        for (_, inner) in WRAPPINGS {
            check(&ours(), |body| outer(&inner(body)));
        }
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

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), status in any::<Option<u16>>()) {
        let _ = classify(&text, status);
    }

    #[test]
    fn no_text_of_its_own_words_makes_it_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "prompt", "input", "context length", "max_tokens", "tokens", "exceeds", "is too long",
                "{", "}", "(", ")", ":", ">", "+", "[1,", "131,072", "8192", "99999999999999999999",
                "1.5M", "limit of", "maximum", "\\\"", "\\u", "\\u2019", "&#", "&amp;", "<", "输入",
                "超过", "'", "\n",
            ]),
            0..60,
        ),
        blank in prop::sample::select(vec!["", " "]),
    ) {
        let text = words.join(blank);
        let found = classify(&text, Some(400));
        let is_believable = |limit| (64..=100_000_000).contains(&limit);
        prop_assert!(found.limit.is_none_or(is_believable));
    }

    #[test]
    fn numbers_are_read_however_they_are_written_and_wrapped(
        input in 1_000_001_u64..9_000_000,
        limit in 64_000_u64..1_000_000,
        mark in prop::sample::select(vec!["", ",", ".", "_", " "]),
        wrappings in prop::collection::vec(0..WRAPPINGS.len(), 0..4),
    ) {
        let write = |number: u64| {
            let digits = number.to_string();
            let groups = digits.as_bytes().rchunks(3).rev();
            let groups = groups.map(|group| String::from_utf8_lossy(group).into_owned());
            groups.collect::<Vec<_>>().join(mark)
        };
        let (from, to) = (write(input), write(limit));
        for text in [
            format!("prompt is too long: {from} tokens > {to} maximum"),
            format!("This model's maximum context length is {to} tokens. However, your messages resulted in {from} tokens."),
            format!("The input token count ({from}) exceeds the maximum number of tokens allowed ({to})."),
            format!("request ({from} tokens) exceeds the available context size ({to} tokens)"),
        ] {
            let wrap = |text: String, &index: &usize| (WRAPPINGS[index].1)(&text);
            let wrapped = wrappings.iter().fold(text, wrap);
            let found = classify(&wrapped, None);
            prop_assert_eq!(found.class, Class::InputTooLong, "{}", wrapped);
            prop_assert_eq!((found.input, found.limit), (Some(input), Some(limit)), "{}", wrapped);
        }
    }
}
