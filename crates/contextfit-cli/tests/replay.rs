//! `contextfit replay` as somebody uses it: arguments and files in, text and exit code out.

mod support;

use serde_json::{Value, json};

use self::support::{Run, TempFile, jsonl, number, odd_messages, request, run, session};

/// Replays a conversation with `--json`.
fn replay(messages: &[Value], options: &[&str]) -> (Run, Vec<Value>, Value) {
    let mut args = vec!["replay", "-", "--json"];
    args.extend(options);
    let run = run(&args, request(messages));
    let mut lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let last = lines.pop().expect("there is a total");
    let total = last["total"].clone();
    (run, lines, total)
}

// ── What goes well ──────────────────────────────────────────────────────────────────────────

#[test]
fn the_json_has_a_line_for_each_request_and_a_total() {
    let messages = session(10);
    let (run, lines, total) = replay(&messages, &[]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let replies = messages
        .iter()
        .filter(|message| message["role"] == "assistant");
    assert_eq!(lines.len(), replies.count());

    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let mut expected = vec![
        "request",
        "messages",
        "tokens_asked",
        "tokens_sent",
        "compactions",
        "overflows",
        "recoveries",
        "summarizer_calls",
        "summarizer_tokens",
        "refused",
        "structure_error",
    ];
    expected.sort_unstable();
    let mut found = keys(&lines[0]);
    found.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(lines[0]["request"], 1);
    assert_eq!(lines[0]["messages"], 2);
    assert_eq!(lines[0]["refused"], Value::Null);
    assert_eq!(lines[0]["structure_error"], Value::Null);

    let mut expected = vec![
        "requests",
        "tokens_asked",
        "tokens_sent",
        "compactions",
        "overflows",
        "recoveries",
        "summarizer_calls",
        "summarizer_tokens",
        "refusals",
        "structure_errors",
    ];
    expected.sort_unstable();
    let mut found = keys(&total);
    found.sort_unstable();
    assert_eq!(found, expected);
    for key in expected {
        assert!(total[key].is_u64(), "{key}");
    }
}

#[test]
fn what_fits_is_sent_as_it_is() {
    let (_, lines, total) = replay(&session(10), &[]);
    assert_eq!(
        number(&total, "tokens_asked"),
        number(&total, "tokens_sent")
    );
    assert_eq!(number(&total, "compactions"), 0);
    let asked: Vec<u64> = lines
        .iter()
        .map(|line| number(line, "tokens_asked"))
        .collect();
    assert!(asked.is_sorted(), "{asked:?}");
}

#[test]
fn the_lines_add_up_to_the_total() {
    for options in [
        &["--window", "4000"][..],
        &["--window", "4000", "--stateless"],
        &["--window", "4000", "--count-factor", "2"],
        &["--window", "600"],
    ] {
        let (_, lines, total) = replay(&session(40), options);
        assert_eq!(number(&total, "requests"), lines.len() as u64);
        for key in [
            "tokens_asked",
            "tokens_sent",
            "compactions",
            "overflows",
            "recoveries",
            "summarizer_calls",
            "summarizer_tokens",
        ] {
            let sum: u64 = lines.iter().map(|line| number(line, key)).sum();
            assert_eq!(sum, number(&total, key), "{key} with {options:?}");
        }
        let refused = lines.iter().filter(|line| line["refused"].is_string());
        assert_eq!(refused.count() as u64, number(&total, "refusals"));
    }
}

#[test]
fn both_presets_keep_a_long_session_inside_a_small_window() {
    for preset in ["topic-and-half", "recent-budget"] {
        for memory in ["--stateful", "--stateless"] {
            let options = ["--window", "4000", "--preset", preset, memory];
            let (run, lines, total) = replay(&session(40), &options);
            assert_eq!(run.code, 0, "{options:?}: {}", run.stderr);
            assert!(number(&total, "compactions") > 2, "{options:?}: {total}");
            assert!(number(&total, "summarizer_tokens") > 0);
            assert_eq!(number(&total, "structure_errors"), 0);
            for line in lines {
                // An overflow is sent twice.
                let calls = 1 + number(&line, "overflows");
                let sent = number(&line, "tokens_sent");
                assert!(sent <= calls * 5_000, "{options:?}: {line}");
                assert!(calls > 1 || sent <= 4_000, "{options:?}: {line}");
            }
        }
    }
}

#[test]
fn an_agent_that_keeps_the_fitted_history_asks_for_less() {
    let options = ["--window", "4000"];
    let (_, _, stateful) = replay(&session(40), &options);
    let (_, lines, stateless) = replay(&session(40), &["--window", "4000", "--stateless"]);
    assert!(number(&stateful, "tokens_asked") < number(&stateless, "tokens_asked") / 2);
    assert!(number(&stateful, "compactions") < number(&stateless, "compactions"));
    // The whole history, every time.
    let last = lines.last().unwrap();
    assert_eq!(number(last, "messages"), session(40).len() as u64 - 1);
}

#[test]
fn stateful_is_the_default() {
    let options = ["--window", "4000", "--stateful"];
    let (explicit, ..) = replay(&session(40), &options);
    let (default, ..) = replay(&session(40), &options[..2]);
    assert_eq!(explicit.stdout, default.stdout);
}

#[test]
fn a_provider_that_counts_twice_costs_overflows_and_no_refusal() {
    let options = ["--window", "6000", "--count-factor", "2"];
    let (run, lines, total) = replay(&session(60), &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let overflows = number(&total, "overflows");
    assert!(overflows > 1);
    assert_eq!(overflows, number(&total, "recoveries"));
    assert_eq!(number(&total, "refusals"), 0);
    assert!(lines.iter().all(|line| number(line, "overflows") <= 1));
    // What overflowed was sent as well.
    assert!(number(&total, "tokens_sent") > number(&total, "tokens_asked"));
}

#[test]
fn without_a_summarizer_nobody_is_called() {
    let options = ["--window", "4000", "--summarizer", "none"];
    let (run, _, total) = replay(&session(40), &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(number(&total, "compactions") > 0);
    assert_eq!(number(&total, "summarizer_calls"), 0);
    assert_eq!(number(&total, "summarizer_tokens"), 0);
}

#[test]
fn a_larger_reserve_compacts_earlier() {
    let first = |reserve| {
        let options = ["--window", "8000", "--reserve", reserve];
        let (_, lines, _) = replay(&session(60), &options);
        let compacted = lines
            .iter()
            .position(|line| number(line, "compactions") > 0);
        compacted.expect("it is compacted at last")
    };
    assert!(first("4000") < first("500"));
}

#[test]
fn a_file_and_standard_input_and_jsonl_are_the_same() {
    let messages = session(5);
    let file = TempFile::new("session.json", request(&messages));
    let spread = serde_json::to_string_pretty(&json!({"model": "m", "messages": messages}));
    let lines = TempFile::new("session.jsonl", jsonl(&messages));
    let expected = run(&["replay", "-", "--json"], request(&messages));
    assert_eq!(expected.code, 0);
    for run in [
        run(&["replay", file.name(), "--json"], ""),
        run(&["replay", lines.name(), "--json"], ""),
        run(&["replay", "-", "--json"], jsonl(&messages)),
        run(&["replay", "-", "--json"], spread.unwrap()),
    ] {
        assert_eq!(
            (run.code, &run.stdout),
            (0, &expected.stdout),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn the_table_shows_every_total() {
    let file = TempFile::new("table.jsonl", jsonl(&session(40)));
    let run = run(&["replay", file.name(), "--window", "4000"], "");
    // Not a terminal: no progress bar.
    assert_eq!((run.code, &*run.stderr), (0, ""));
    for part in [
        "table.jsonl",
        "window 4,000",
        "topic-and-half",
        "stateful",
        "requests",
        "without the layers",
        "whose whole history is over the window",
        "whole history",
        "tokens asked",
        "tokens sent",
        "compactions",
        "overflows",
        "recoveries",
        "summarizer calls",
        "summarizer tokens",
        "refusals",
        "structure errors",
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
}

#[test]
fn the_transcript_that_comes_along_is_compacted_several_times() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/data/release-agent.jsonl"
    );
    for preset in ["topic-and-half", "recent-budget"] {
        let args = [
            "replay", file, "--json", "--window", "16000", "--preset", preset,
        ];
        let run = run(&args, "");
        assert_eq!(run.code, 0, "{}", run.stderr);
        let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
        let total = &last["total"];
        assert!(number(total, "compactions") >= 3, "{total}");
        assert_eq!(number(total, "structure_errors"), 0);
    }
}

// ── What goes wrong ─────────────────────────────────────────────────────────────────────────

#[test]
fn what_can_not_fit_is_counted_and_explained() {
    let messages = [
        json!({"role": "user", "content": "a word ".repeat(2_000)}),
        json!({"role": "assistant", "content": "Too long."}),
        json!({"role": "user", "content": "Shorter."}),
        json!({"role": "assistant", "content": "Still too long."}),
    ];
    let (run, lines, total) = replay(&messages, &["--window", "1000"]);
    assert_eq!(run.code, 3);
    assert_eq!(number(&total, "refusals"), 2);
    let reason = lines[0]["refused"].as_str().unwrap();
    assert!(reason.contains("1000"), "{reason}");
    assert!(
        run.stderr.contains("2 of 2 requests could not be fitted"),
        "{}",
        run.stderr
    );
    // A person reads the same, but for the thousands.
    assert!(
        run.stderr
            .replace(',', "")
            .contains(&reason.replace(',', "")),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("1,000"), "{}", run.stderr);
}

#[test]
fn the_table_never_says_that_everything_fitted_if_it_did_not() {
    let mut messages = session(2);
    messages[0]["content"] = "always be kind ".repeat(1_000).into();
    let run = run(&["replay", "-", "--window", "2000"], request(&messages));
    assert_eq!(run.code, 3);
    assert!(!run.stdout.contains("everything fitted"), "{}", run.stdout);
}

#[test]
fn a_fixed_part_that_leaves_no_room_is_explained() {
    let mut messages = session(2);
    messages[0]["content"] = "always be kind ".repeat(1_000).into();
    let (run, lines, total) = replay(&messages, &["--window", "2000"]);
    assert_eq!(run.code, 3);
    assert_eq!(number(&total, "refusals"), lines.len() as u64);
    // It was never sent.
    assert_eq!(number(&total, "tokens_sent"), 0);
    assert!(run.stderr.contains("the fixed part"), "{}", run.stderr);
}

#[test]
fn a_malformed_conversation_is_a_structure_error_and_no_refusal() {
    let messages = [
        json!({"role": "user", "content": "Go."}),
        json!({"role": "tool", "tool_call_id": "nobody", "content": "done"}),
        json!({"role": "assistant", "content": "Gone."}),
    ];
    let (run, lines, total) = replay(&messages, &[]);
    assert_eq!(run.code, 4);
    assert_eq!(number(&total, "structure_errors"), 1);
    assert_eq!(number(&total, "refusals"), 0);
    assert!(
        lines[0]["structure_error"]
            .as_str()
            .unwrap()
            .contains("tool_calls")
    );
    assert!(
        run.stderr.contains("a result without its call"),
        "{}",
        run.stderr
    );
}

#[test]
fn bad_input_is_named_with_its_line() {
    let user = r#"{"role":"user","content":"hi"}"#;
    let assistant = r#"{"role":"assistant","content":"hello"}"#;
    for (content, line, part) in [
        (String::new(), ": ", "is empty"),
        ("hello\n".to_owned(), ":1:1: ", "isn't a JSON object"),
        ("[]".to_owned(), ":1:1: ", "wrap an array of messages as"),
        (format!("{user}\n{{\"role\":"), ":2:8: ", "ends too early"),
        (
            format!("{user}{assistant}"),
            ":1:",
            "more follows after the end of the JSON",
        ),
        (
            format!("{user}\n{{\"role\":\"robot\"}}\n"),
            ":2:",
            "unknown variant `robot`",
        ),
        (
            format!("{user}\n\n{assistant}\n{{oops}}\n"),
            ":4:2: ",
            "key must be a string",
        ),
        (
            format!("{user}\n{assistant}\n{{\"content\":\"x\"}}"),
            ":3:",
            "missing field `role`",
        ),
        (
            "{\n  \"model\": \"m\",\n  \"messages\": 7\n}".to_owned(),
            ":3:",
            "invalid type",
        ),
        (
            "{\"messages\":[]}".to_owned(),
            ":1:",
            "missing field `model`",
        ),
        (
            "{\"model\":\"m\",\"messages\":[]}".to_owned(),
            ":1: ",
            "has no messages",
        ),
        (
            format!("{user}\n{user}\n"),
            ":2: ",
            "no message of the assistant",
        ),
    ] {
        let file = TempFile::new("bad.txt", &content);
        for args in [
            &["replay", file.name()][..],
            &["replay", file.name(), "--json"],
        ] {
            let run = run(args, "");
            assert_eq!((run.code, &*run.stdout), (2, ""), "{content}");
            let place = format!("{}{line}", file.name());
            assert!(
                run.stderr.contains(&place) && run.stderr.contains(part),
                "{place} and {part} in {}",
                run.stderr
            );
        }
        let run = run(&["replay", "-"], content);
        assert_eq!(run.code, 2);
        assert!(
            run.stderr.contains(&format!("standard input{line}")),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let run = run(&["replay", "no/such/file.json"], "");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no/such/file.json"), "{}", run.stderr);
}

#[test]
fn a_wrong_command_line_is_refused() {
    for args in [
        &[][..],
        &["replay"],
        &["replay", "-", "--stateful", "--stateless"],
        &["replay", "-", "--preset", "none"],
        &["replay", "-", "--window", "0"],
        &["replay", "-", "--window", "many"],
        &["replay", "-", "--count-factor", "0"],
        &["replay", "-", "--window", "1000", "--reserve", "1000"],
    ] {
        let run = run(args, "");
        assert_eq!(
            (run.code, &*run.stdout),
            (2, ""),
            "{args:?}: {}",
            run.stderr
        );
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn a_number_below_its_least_is_told_the_least() {
    for (option, number, part) in [
        ("--window", "-5", "whole number of tokens"),
        ("--reserve", "-5", "whole number of tokens"),
        ("--count-factor", "-1", "between 0.001 and 1000"),
        ("--count-factor", "1e-9", "between 0.001 and 1000"),
    ] {
        let run = run(&["replay", "-", option, number], "");
        assert_eq!((run.code, &*run.stdout), (2, ""));
        assert!(run.stderr.contains(part), "{}", run.stderr);
        assert!(!run.stderr.contains("unexpected"), "{}", run.stderr);
    }
}

#[test]
fn garbage_never_panics() {
    let whole = request(&session(2));
    let mut inputs: Vec<Vec<u8>> = vec![
        vec![0xff, 0xfe, 0x00],
        vec![0; 100],
        "[".repeat(100_000).into(),
        "{\"a\":".repeat(100_000).into(),
        format!("{{\"model\":\"m\",\"messages\":[{}", "[".repeat(100_000)).into(),
        "{\"model\":\"m\",\"messages\":[null]}".into(),
        "{\"role\":\"assistant\",\"content\":\"\\ud800\"}".into(),
        "{\"role\":\"user\",\"content\":1e999}".into(),
        "\u{feff}".into(),
        "{}\n{}".into(),
        "{\"model\":\"m\",\"messages\":[],\"messages\":[]}".into(),
    ];
    // Cut short, and with a byte flipped.
    for at in (1..whole.len()).step_by(whole.len() / 12) {
        inputs.push(whole.as_bytes()[..at].to_vec());
    }
    for input in inputs {
        let shown = String::from_utf8_lossy(&input[..input.len().min(60)]).into_owned();
        let run = run(&["replay", "-", "--json"], input);
        assert_eq!(run.code, 2, "{shown}: {}", run.stderr);
    }
}

#[test]
fn odd_conversations_never_panic() {
    let odd = odd_messages(120);
    for window in ["1", "40", "300", "2000", "18446744073709551615"] {
        for memory in ["--stateful", "--stateless"] {
            for factor in ["0.001", "2", "1000"] {
                let options = ["--window", window, memory, "--count-factor", factor];
                let (run, ..) = replay(&odd, &options);
                assert!([0, 3, 4].contains(&run.code), "{options:?}: {}", run.stderr);
            }
        }
    }
}
