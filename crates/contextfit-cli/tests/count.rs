//! `contextfit count` as somebody uses it: files in, numbers and exit code out.

mod support;

use serde_json::{Value, json};

use self::support::{Run, TempFile, jsonl, request, run, session};

const TEXT: &str = "The quick brown fox jumps over the lazy dog.\n";

fn count(options: &[&str], input: impl Into<Vec<u8>>) -> Run {
    let mut args = vec!["count", "-"];
    args.extend(options);
    run(&args, input)
}

/// What one input comes to, as JSON.
fn counted(options: &[&str], input: impl Into<Vec<u8>>) -> Value {
    let run = count(&[options, &["--json"]].concat(), input);
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).expect("one object")
}

fn names(totals: &Value) -> Vec<&str> {
    let totals = totals.as_object().expect("an object");
    let mut names: Vec<&str> = totals.keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_text_is_counted_by_each_estimator_side_by_side() {
    let counted = counted(&[], TEXT);
    assert_eq!(counted["file"], "standard input");
    assert_eq!(counted["messages"], json!([]));
    let totals = &counted["totals"];
    let mut expected = vec!["char"];
    expected.extend([
        "weighted-o200k",
        "weighted-cl100k",
        "weighted-llama3",
        "weighted-qwen",
        "weighted-gemma",
        "weighted-deepseek",
        "weighted-mistral",
        "weighted-claude",
        "weighted-widest",
        "tiktoken-o200k",
        "tiktoken-cl100k",
    ]);
    expected.sort_unstable();
    let mut found = names(totals);
    found.sort_unstable();
    assert_eq!(found, expected);
    // Forty-five characters; nine words and a full stop with the end of its line.
    let expected = (&json!(11), &json!(10));
    assert_eq!((&totals["char"], &totals["tiktoken-o200k"]), expected);
}

#[test]
fn a_conversation_is_counted_by_message_and_as_a_prompt() {
    let messages = session(4);
    for input in [request(&messages), jsonl(&messages)] {
        let counted = counted(&[], input);
        let rows = counted["messages"].as_array().expect("a list");
        assert_eq!(rows.len(), messages.len());
        for (index, (row, message)) in rows.iter().zip(&messages).enumerate() {
            assert_eq!(
                (&row["index"], &row["role"]),
                (&json!(index), &message["role"])
            );
            assert_eq!(names(&row["tokens"]), names(&counted["totals"]));
        }
        for name in names(&counted["totals"]) {
            let each = rows
                .iter()
                .map(|row| row["tokens"][name].as_u64().expect("a number"));
            // Nothing stands beside these messages.
            assert_eq!(json!(each.sum::<u64>()), counted["totals"][name], "{name}");
        }
    }
}

#[test]
fn tools_count_beside_the_messages() {
    let tool = json!({"type": "function", "function": {"name": "look", "parameters":
        {"type": "object", "properties": {"place": {"type": "string"}}}}});
    let bare = json!({"model": "m", "messages": session(1)});
    let mut tools = bare.clone();
    tools["tools"] = json!([tool]);
    let [bare, tools] = [bare, tools].map(|request| counted(&[], request.to_string()));
    for name in names(&bare["totals"]) {
        let total = |counted: &Value| counted["totals"][name].as_u64().expect("a number");
        assert!(total(&tools) > total(&bare), "{name}");
    }
    assert_eq!(bare["messages"], tools["messages"]);
    let picture = count(
        &[],
        json!({"model": "m", "messages": session(1), "tools": [tool]}).to_string(),
    );
    assert!(picture.stdout.contains("beside"), "{}", picture.stdout);
}

#[test]
fn a_model_is_counted_by_its_own_estimator() {
    let of = |model, options: &[&str]| {
        let counted = counted(&[&["--model", model], options].concat(), TEXT);
        names(&counted["totals"])
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("gpt-4o-2024-08-06", &[]), ["weighted-o200k"]);
    assert_eq!(of("openai/gpt-4", &[]), ["weighted-cl100k"]);
    assert_eq!(of("gemini-2.5-pro", &[]), ["weighted-gemma"]);
    assert_eq!(of("gpt-4o", &["--exact"]).len(), 2);
}

#[test]
fn one_estimator_may_be_chosen() {
    let of = |options: &[&str]| names(&counted(options, TEXT)["totals"]).join(" ");
    assert_eq!(of(&["--estimator", "char"]), "char");
    assert_eq!(of(&["--estimator", "weighted-widest"]), "weighted-widest");
    assert_eq!(
        of(&["--estimator", "char", "--exact"]),
        "char tiktoken-o200k"
    );
    let cl100k = "tiktoken-cl100k weighted-cl100k";
    assert_eq!(of(&["--estimator", "weighted-cl100k", "--exact"]), cl100k);
}

#[test]
fn several_files_are_several_lines() {
    let text = TempFile::new("a.txt", TEXT);
    let chat = TempFile::new("b.jsonl", jsonl(&session(1)));
    let run = run(&["count", text.name(), chat.name(), "--json"], "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let files: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    assert_eq!(files.len(), 2);
    assert_eq!(
        (&files[0]["file"], &files[1]["file"]),
        (&json!(text.name()), &json!(chat.name()))
    );
}

#[test]
fn what_nobody_counts_by_is_refused_with_what_there_is() {
    for (options, part) in [
        (
            &["--model", "gpt-5-some-new-thing"] as &[&str],
            "isn't in the catalogue",
        ),
        (
            &["--estimator", "words"],
            "choose one of char, weighted-o200k",
        ),
        (
            &["--model", "claude-sonnet-4-5", "--exact"],
            "no exact tokenizer",
        ),
        (
            &["--model", "gpt-4o", "--estimator", "char"],
            "cannot be used with",
        ),
    ] {
        let run = count(options, TEXT);
        assert_eq!(run.code, 2, "{options:?}");
        assert!(
            run.stderr.contains(part) && run.stdout.is_empty(),
            "{}",
            run.stderr
        );
    }
    let broken = count(&[], "{\"role\": \"user\", \"content\": 5}");
    assert_eq!(broken.code, 2);
    assert!(
        broken.stderr.contains("content must be"),
        "{}",
        broken.stderr
    );
}

#[test]
fn a_bare_list_of_messages_is_not_counted_as_a_text() {
    for list in [
        json!(session(1)).to_string(),
        "\n[ {\"role\":\"user\"}".to_owned(),
    ] {
        let run = count(&[], list);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains("wrap an array"), "{}", run.stderr);
    }
    for text in ["[1, 2]", "[{\"name\": 1}]", "[note] it works", "[", "[]"] {
        assert_eq!(counted(&[], text)["messages"], json!([]), "{text}");
    }
}

#[test]
fn the_picture_has_a_line_for_each_estimator_and_message() {
    let run = count(&[], request(&session(2)));
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "standard input: 9 messages",
        "weighted-o200k",
        "exact",
        "system",
        "█",
    ] {
        assert!(run.stdout.contains(part), "{part}: {}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "colours in a pipe");
}

#[test]
fn an_empty_text_has_no_tokens() {
    let counted = counted(&[], "");
    let totals = counted["totals"].as_object().expect("an object");
    assert!(totals.values().all(|tokens| *tokens == 0), "{totals:?}");
}
