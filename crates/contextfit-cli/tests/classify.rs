//! `contextfit classify` as somebody uses it: errors in, what they say and exit code out.

mod support;

use serde_json::{Value, json};

use self::support::{Run, TempFile, run};

fn classify(options: &[&str], input: impl Into<Vec<u8>>) -> Run {
    let mut args = vec!["classify", "-"];
    args.extend(options);
    let run = run(&args, input);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

/// What each line says, as JSON.
fn classified(input: impl Into<Vec<u8>>) -> Vec<Value> {
    let run = classify(&["--json"], input);
    let lines = run.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("one object"))
        .collect()
}

const OVERFLOW: &str = "prompt is too long: 213462 tokens > 200000 maximum";

#[test]
fn each_line_says_what_it_is() {
    let lines = [
        OVERFLOW.to_owned(),
        json!({"body": "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", "http_status": 400}).to_string(),
        json!({"error": {"message": "max_tokens is too large: 20000. This model supports at most 16384 completion tokens, whereas you provided 20000."}}).to_string(),
        json!({"body": "Please check the context length.", "http_status": 400}).to_string(),
        json!({"body": "Please check the context length.", "http_status": null}).to_string(),
        "Too many tokens, please wait before trying again.".to_owned(),
    ];
    let said = |kind, class, requested: Value, limit: Value, template: Value| json!({"kind": kind, "class": class, "requested_tokens": requested, "limit_tokens": limit, "template": template});
    let expected = [
        said(
            "overflow",
            "input_too_long",
            json!(213_462),
            json!(200_000),
            json!("prompt-too-long"),
        ),
        said(
            "overflow",
            "input_and_output_too_long",
            json!(209_573),
            json!(200_000),
            json!("input-plus-output"),
        ),
        said(
            "output_limit",
            "output_cap",
            json!(20_000),
            json!(16_384),
            json!("output-supports"),
        ),
        said(
            "overflow",
            "input_too_long",
            Value::Null,
            Value::Null,
            json!("context-broad"),
        ),
        said(
            "not_overflow",
            "other",
            Value::Null,
            Value::Null,
            Value::Null,
        ),
        said(
            "not_overflow",
            "rate_or_quota",
            Value::Null,
            Value::Null,
            json!("wait"),
        ),
    ];
    assert_eq!(classified(lines.join("\n")), expected);
}

#[test]
fn a_file_is_read_as_standard_input_is() {
    let file = TempFile::new("errors.txt", format!("{OVERFLOW}\r\n{OVERFLOW}\n"));
    let run = run(&["classify", file.name(), "--json"], "");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert_eq!(
        run.stdout,
        classify(&["--json"], format!("{OVERFLOW}\n{OVERFLOW}")).stdout
    );
    assert_eq!(run.stdout.lines().count(), 2);
}

#[test]
fn the_table_has_a_line_for_each_error() {
    let run = classify(&[], format!("{OVERFLOW}\n\u{1b}[31mno\u{1b}[0m\n"));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.stdout);
    for part in [
        "1  overflow",
        "input_too_long",
        "213,462",
        "200,000",
        "prompt-too-long",
        "prompt is",
    ] {
        assert!(lines[1].contains(part), "{part}: {}", lines[1]);
    }
    assert!(lines[2].contains("2  not_overflow"), "{}", lines[2]);
    assert!(
        !run.stdout.contains('\u{1b}'),
        "what a text has steers no terminal"
    );
}

#[test]
fn an_odd_line_is_classified_too_and_said_to_be_odd() {
    let mut input = Vec::new();
    for line in [
        b"\n".to_vec(),
        br#"{"body": {"error": {"code": "context_length_exceeded"}}}"#.to_vec(),
        br#"{"body": "prompt is too long", "http_status": "bad request"}"#.to_vec(),
        b"prompt is too long \xff\xfe".to_vec(),
        [&vec![b'x'; 3 << 20][..], b" prompt is too long"].concat(),
        br#"{"body": 5}"#.to_vec(),
        vec![b'['; 100_000],
    ] {
        input.extend(line);
        if input.last() != Some(&b'\n') {
            input.push(b'\n');
        }
    }
    let run = classify(&["--json"], input);
    let kinds: Vec<bool> = run
        .stdout
        .lines()
        .map(|line| line.contains("\"overflow\""))
        .collect();
    assert_eq!(kinds, [false, true, true, true, true, false, false]);
    let said: Vec<&str> = run.stderr.lines().collect();
    let expected = [
        "standard input:1: there is no text",
        "standard input:2: `body` isn't a text",
        "standard input:3: `http_status` isn't",
        "standard input:4: the line isn't UTF-8",
        "standard input:6: `body` isn't a text",
    ];
    assert_eq!(said.len(), expected.len(), "{}", run.stderr);
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn without_lines_there_is_nothing_to_say() {
    assert_eq!(classify(&["--json"], "").stdout, "");
    assert_eq!(classify(&[], "").stdout.lines().count(), 1);
}

#[test]
fn a_file_that_is_not_there_is_refused_by_name() {
    let run = run(&["classify", "no-such-file.jsonl"], "");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("no-such-file.jsonl: can't be read"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
}
