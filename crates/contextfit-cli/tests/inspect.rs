//! `contextfit inspect` as somebody uses it: arguments and files in, a picture and exit code out.

mod support;

use std::fs;

use assert_cmd::Command;
use serde_json::{Value, json};

use self::support::{Run, TempFile, jsonl, number, odd_messages, request, run, session};

/// Inspects a conversation with `--json`.
fn inspect(messages: &[Value], options: &[&str]) -> (Run, Value) {
    let mut args = vec!["inspect", "-", "--json"];
    args.extend(options);
    let run = run(&args, request(messages));
    let map = serde_json::from_str(&run.stdout).expect("it is one object");
    (run, map)
}

/// The names in an object, in the order of the alphabet.
fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn sum(values: &Value, key: &str) -> u64 {
    let values = values.as_array().expect("a list").iter();
    values.map(|value| number(value, key)).sum()
}

/// All numbers of an object.
fn total(object: &Value) -> u64 {
    let numbers = object.as_object().expect("an object").values();
    numbers
        .map(|number| number.as_u64().expect("a number"))
        .sum()
}

/// Every way to show a map.
const OUTPUTS: [&[&str]; 3] = [&[], &["--json"], &["--html"]];

// ── What is shown ───────────────────────────────────────────────────────────────────────────

#[test]
fn the_json_has_these_names() {
    let (run, map) = inspect(&session(40), &["--window", "4000"]);
    assert_eq!((run.code, &*run.stderr), (0, ""));
    assert_eq!(run.stdout.lines().count(), 1);
    assert_eq!(
        keys(&map),
        [
            "budget",
            "cut",
            "file",
            "groups",
            "kinds",
            "kinds_after",
            "messages",
            "model",
            "outcome",
            "preset",
            "problem",
            "reason",
            "summary",
            "tokens_after",
            "tokens_before",
            "tokens_beside",
            "turns",
            "window",
        ]
    );
    assert_eq!(
        keys(&map["budget"]),
        ["fixed", "limit", "reserve", "target"]
    );
    assert_eq!(keys(&map["cut"]), ["before", "messages", "tokens"]);
    assert_eq!(keys(&map["summary"]), ["calls", "max_tokens", "messages"]);
    for spans in ["groups", "turns"] {
        assert_eq!(keys(&map[spans][0]), ["first", "last", "number", "tokens"]);
    }
    assert_eq!(
        keys(&map["messages"][2]),
        [
            "clipped_to",
            "excerpt",
            "fate",
            "group",
            "index",
            "kinds",
            "role",
            "tokens",
            "tokens_after",
            "turn",
            "why",
        ]
    );
    assert_eq!(
        keys(&map["messages"][2]["kinds"]),
        ["overhead", "text", "tool_call"]
    );
    assert_eq!(map["messages"][3]["role"], "tool");
    assert_eq!(map["messages"][3]["fate"], "summarized");
    assert_eq!(map["messages"][3]["why"], "policy_cuts");
    assert_eq!(map["messages"][1]["why"], "task");
    assert_eq!(map["model"], "a-model");
    assert_eq!(map["preset"], "topic-and-half");
    assert_eq!(
        (&map["outcome"], &map["reason"]),
        (&json!("changed"), &json!("over_limit"))
    );
}

#[test]
fn the_json_adds_up() {
    for options in [
        &[][..],
        &["--window", "4000"],
        &["--window", "4000", "--preset", "recent-budget"],
        &["--window", "4000", "--summarizer", "none"],
        &["--window", "600"],
    ] {
        let (_, map) = inspect(&session(40), options);
        let before = number(&map, "tokens_before");
        let beside = number(&map, "tokens_beside");
        for parts in ["messages", "groups", "turns"] {
            assert_eq!(
                sum(&map[parts], "tokens") + beside,
                before,
                "{parts} {options:?}"
            );
        }
        assert_eq!(total(&map["kinds"]), before);
        assert_eq!(total(&map["kinds_after"]), number(&map, "tokens_after"));
        for message in map["messages"].as_array().unwrap() {
            assert_eq!(total(&message["kinds"]), number(message, "tokens"));
        }
        let budget = &map["budget"];
        let parts = ["reserve", "fixed", "limit"].map(|part| number(budget, part));
        assert_eq!(parts.iter().sum::<u64>(), number(&map, "window"));
        if let Some(summary) = map["summary"].as_object() {
            let fates = map["messages"].as_array().unwrap().iter();
            let summarized = fates.filter(|message| message["fate"] == "summarized");
            assert_eq!(summary["messages"], summarized.count());
        }
    }
}

#[test]
fn a_conversation_that_fits_has_no_cut() {
    let (run, map) = inspect(&session(10), &[]);
    assert_eq!(run.code, 0);
    assert_eq!(map["outcome"], "fits");
    for nothing in ["cut", "summary", "reason", "problem"] {
        assert_eq!(map[nothing], Value::Null, "{nothing}");
    }
    let messages = map["messages"].as_array().unwrap();
    assert!(messages.iter().all(|message| message["fate"] == "kept"));
    assert_eq!(map["tokens_before"], map["tokens_after"]);
}

#[test]
fn nobody_has_to_have_answered() {
    let (run, map) = inspect(&session(0)[..2], &[]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(map["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn schemas_beside_the_messages_are_shown() {
    let schema =
        json!({"type": "function", "function": {"name": "f", "description": "d".repeat(400)}});
    let whole = json!({"model": "m", "messages": session(1), "tools": [schema]}).to_string();
    let run = run(&["inspect", "-", "--json"], whole);
    let map: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(number(&map, "tokens_beside") > 100);
    assert_eq!(map["kinds"]["schema"], map["tokens_beside"]);
}

#[test]
fn a_result_that_is_clipped_says_to_what() {
    let messages = [
        json!({"role": "user", "content": "Read it."}),
        json!({"role": "assistant", "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": "c", "content": "a line\n".repeat(3_000)}),
    ];
    let (run, map) = inspect(&messages, &["--window", "2000"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let clipped = &map["messages"][2];
    assert_eq!(clipped["fate"], "clipped");
    assert_eq!(clipped["clipped_to"], clipped["tokens_after"]);
    assert!(number(clipped, "clipped_to") < number(clipped, "tokens") / 2);
    let shown = support::run(&["inspect", "-", "--window", "2000"], request(&messages));
    let clipped = format!(
        "clipped to {},{:03}",
        number(clipped, "clipped_to") / 1000,
        number(clipped, "clipped_to") % 1000
    );
    assert!(
        shown.stdout.contains(&clipped) && shown.stdout.contains("▒╌"),
        "{}",
        shown.stdout
    );
}

#[test]
fn without_a_summarizer_messages_are_dropped() {
    let options = ["--window", "4000", "--summarizer", "none"];
    let (_, map) = inspect(&session(40), &options);
    assert_eq!(map["summary"], Value::Null);
    assert_eq!(map["messages"][5]["fate"], "dropped");
    assert!(number(&map["kinds_after"], "notice") > 0);
}

#[test]
fn the_map_on_a_terminal_says_all_of_it() {
    let file = TempFile::new("map.jsonl", jsonl(&session(40)));
    let run = run(&["inspect", file.name(), "--window", "4000"], "");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    for part in [
        "map.jsonl: 139 messages in 59 groups and 9 turns",
        "no model named, topic-and-half, extractive summarizer",
        "window 4,000 = reserve 1,000 + fixed part 12 + limit 2,988, of which a compaction keeps 1,494",
        "over its limit, so it is compacted: ",
        " → at most ",
        "a summary of ",
        "limit┘",
        "window┘",
        "tokens by kind",
        "tool result",
        "the cut: ",
        " ╭ assistant ",
        " │ tool ",
        " ╰ tool ",
        "the task, pinned — Find out",
        "the newest group — It was",
        " more ",
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line == line.trim_end()));
    assert!(run.stdout.lines().count() < 60, "{}", run.stdout);
}

#[test]
fn all_shows_every_message() {
    let lines = |options: &[&str]| {
        let args = [&["inspect", "-", "--window", "4000"], options].concat();
        let run = run(&args, request(&session(40)));
        run.stdout
            .lines()
            .filter(|line| line.contains(" tool  "))
            .count()
    };
    assert_eq!(lines(&["--all"]), 80);
    assert!(lines(&[]) < 40);
    let folds = |options: &[&str]| {
        let args = [&["inspect", "-", "--html"], options].concat();
        let page = run(&args, request(&session(40))).stdout;
        assert_eq!(page.matches("<li class=\"message").count(), 139);
        page.matches("<details>").count()
    };
    assert!(folds(&[]) > 0);
    assert_eq!(folds(&["--all"]), 0);
}

#[test]
fn colours_are_there_where_they_are_wanted_and_say_nothing_of_their_own() {
    let shown = |variable: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("contextfit"));
        let command = command
            .args(["inspect", "-", "--window", "4000"])
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env(variable, "1");
        let output = command.write_stdin(request(&session(40))).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let (plain, coloured) = (shown("NO_COLOR"), shown("CLICOLOR_FORCE"));
    assert!(!plain.contains('\u{1b}'));
    assert!(coloured.contains('\u{1b}'));
    let mut stripped = String::new();
    for (number, part) in coloured.split('\u{1b}').enumerate() {
        let end = if number == 0 {
            0
        } else {
            part.find('m').unwrap() + 1
        };
        stripped.push_str(&part[end..]);
    }
    assert_eq!(stripped, plain);
}

// ── The text of the conversation ────────────────────────────────────────────────────────────

#[test]
fn excerpts_are_in_every_output_and_without_text_in_none() {
    let mut messages = session(3);
    messages[1]["content"] = format!("xyzzy asks {}", "for more ".repeat(100)).into();
    messages[2]["tool_calls"][0]["function"]["name"] = "plugh".into();
    messages[3]["content"] = "plover".into();
    for output in OUTPUTS {
        let shown = |more: &[&str]| {
            let args = [&["inspect", "-", "--window", "800", "--all"], output, more].concat();
            let args: Vec<&str> = match output {
                ["--json"] => args.into_iter().filter(|arg| *arg != "--all").collect(),
                _ => args,
            };
            run(&args, request(&messages)).stdout
        };
        let with = shown(&[]);
        assert!(with.contains("xyzzy") && with.contains("plover"), "{with}");
        assert!(!with.contains(&"for more ".repeat(9)), "{with}");
        let without = shown(&["--no-text"]);
        for text in ["xyzzy", "plugh", "plover", "worker", "INFO"] {
            assert!(!without.contains(text), "{text} in {without}");
        }
        // What is left is the same picture.
        assert!(without.contains("task"), "{without}");
    }
}

#[test]
fn nothing_that_was_said_steers_a_terminal_or_a_page() {
    let evil =
        "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}<script>alert('\"')</script>&amp;</style><img src=x>";
    let file = TempFile::new(
        "evil&.jsonl",
        jsonl(&[
            json!({"role": "user", "content": evil}),
            json!({"role": "assistant", "name": evil, "tool_calls": [
            {"id": evil, "type": "function", "function": {"name": evil, "arguments": evil}}]}),
            json!({"role": "tool", "tool_call_id": evil, "content": evil}),
        ]),
    );
    let shown = |output: &[&str]| run(&[&["inspect", file.name()], output].concat(), "").stdout;
    let terminal = shown(&[]);
    assert!(
        !terminal
            .chars()
            .any(|char| char != '\n' && char.is_control()),
        "{terminal}"
    );
    assert!(!terminal.contains('\u{202e}'));
    let page = shown(&["--html"]);
    for tag in [
        "<script",
        "<img",
        "evil&.",
        "</style><",
        "\u{1b}",
        "\u{202e}",
    ] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert_eq!(page.matches("</style>").count(), 1);
    assert_eq!(page.matches("&#60;script&#62;alert").count(), 3);

    let model = json!({"model": evil, "messages": [{"role": "user", "content": "hi"}]}).to_string();
    assert!(
        !run(&["inspect", "-"], model.clone())
            .stdout
            .contains('\u{1b}')
    );
    assert!(
        !run(&["inspect", "-", "--html"], model)
            .stdout
            .contains("<script")
    );
}

// ── Where it goes ───────────────────────────────────────────────────────────────────────────

#[test]
fn a_page_is_complete_in_itself() {
    let page = run(&["inspect", "-", "--html"], request(&session(40))).stdout;
    assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
    for needs in [
        "<script", "<link", "<img", "http:", "https:", "url(", "@import", " src=",
    ] {
        assert!(!page.contains(needs), "{needs}");
    }
}

#[test]
fn a_page_goes_to_standard_output_or_to_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let option = format!("--html={}", path.display());
    let written = run(&["inspect", "-", &option], request(&session(3)));
    assert_eq!(
        (written.code, &*written.stdout, &*written.stderr),
        (0, "", "")
    );
    let printed = run(&["inspect", "-", "--html"], request(&session(3)));
    assert_eq!(fs::read_to_string(path).unwrap(), printed.stdout);
}

#[test]
fn a_path_that_can_not_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let option = format!(
        "--html={}",
        folder.path().join("no/such/page.html").display()
    );
    let run = run(&["inspect", "-", &option], request(&session(3)));
    assert_eq!((run.code, &*run.stdout), (1, ""));
    assert!(run.stderr.contains("page.html: "), "{}", run.stderr);
}

#[test]
fn a_second_file_is_never_written_over() {
    let first = TempFile::new("first.json", request(&session(1)));
    let second = TempFile::new("second.json", request(&session(1)));
    let run = run(&["inspect", "--html", first.name(), second.name()], "");
    assert_eq!(run.code, 2);
    assert_eq!(
        fs::read_to_string(first.name()).unwrap(),
        request(&session(1))
    );
}

#[test]
fn a_file_and_standard_input_and_jsonl_are_the_same() {
    let messages = session(5);
    let file = TempFile::new("same.json", request(&messages));
    let lines = TempFile::new("same.jsonl", jsonl(&messages));
    let whole = |run: Run| -> Value {
        let mut map: Value = serde_json::from_str(&run.stdout).unwrap();
        map["file"] = Value::Null;
        map["model"] = Value::Null;
        map
    };
    let (_, mut expected) = inspect(&messages, &[]);
    assert_eq!(expected["file"], "standard input");
    expected["file"] = Value::Null;
    expected["model"] = Value::Null;
    for args in [file.name(), lines.name()] {
        assert_eq!(whole(run(&["inspect", args, "--json"], "")), expected);
    }
}

// ── What goes wrong ─────────────────────────────────────────────────────────────────────────

#[test]
fn what_can_not_fit_ends_with_3_and_the_numbers() {
    let question = [json!({"role": "user", "content": "a word ".repeat(2_000)})];
    let mut fixed = session(2);
    fixed[0]["content"] = "always be kind ".repeat(1_000).into();
    for (messages, outcome, part) in [
        (&question[..], "stuck", "has 3,504 tokens and may have 750"),
        (
            &fixed,
            "refused",
            "the fixed part (system prompt, tools, response schema) takes 3754 of 1000",
        ),
        (
            &session(40),
            "changed",
            "and may have 90; compaction leaves ",
        ),
    ] {
        let window = if outcome == "changed" { "120" } else { "1000" };
        for output in OUTPUTS {
            let args = [&["inspect", "-", "--window", window], output].concat();
            let run = run(&args, request(messages));
            assert_eq!(run.code, 3, "{outcome}");
            assert_eq!(run.stderr.lines().count(), 1);
            assert!(run.stderr.contains(part), "{}", run.stderr);
            // The picture is there all the same, and says it too.
            let problem = run
                .stderr
                .trim_end()
                .rsplit_once("fit: ")
                .unwrap()
                .1
                .to_owned();
            assert!(
                run.stdout.replace("&#39;", "'").contains(&problem),
                "{}",
                run.stdout
            );
        }
        let (_, map) = inspect(messages, &["--window", window]);
        assert_eq!(map["outcome"], outcome);
    }
}

#[test]
fn what_is_no_conversation_is_refused() {
    for (content, part) in [
        ("", "is empty"),
        (
            "{\"model\":\"m\",\"messages\":[]}",
            ":1: the conversation has no messages",
        ),
        ("[]", "isn't a JSON object"),
        ("{\"role\":\"robot\"}", "unknown variant `robot`"),
    ] {
        for output in OUTPUTS {
            let run = run(&[&["inspect", "-"], output].concat(), content);
            assert_eq!((run.code, &*run.stdout), (2, ""), "{content}");
            assert!(run.stderr.contains(part), "{}", run.stderr);
        }
    }
    let run = run(&["inspect", "no/such/file.json"], "");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no/such/file.json"), "{}", run.stderr);
}

#[test]
fn a_wrong_command_line_is_refused() {
    for args in [
        &["inspect"][..],
        &["inspect", "-", "--json", "--html"],
        &["inspect", "-", "--json", "--all"],
        &["inspect", "-", "--window", "0"],
        &["inspect", "-", "--window", "1000", "--reserve", "1000"],
        &["inspect", "-", "--stateful"],
    ] {
        let run = run(args, "");
        assert_eq!((run.code, &*run.stdout), (2, ""), "{args:?}");
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn odd_conversations_never_panic() {
    let odd = request(&odd_messages(120));
    for window in ["1", "40", "300", "2000", "18446744073709551615"] {
        for preset in ["topic-and-half", "recent-budget"] {
            for summarizer in ["extractive", "head", "none"] {
                for output in OUTPUTS {
                    let options = [
                        "inspect",
                        "-",
                        "--window",
                        window,
                        "--preset",
                        preset,
                        "--summarizer",
                        summarizer,
                    ];
                    let run = run(&[&options[..], output].concat(), odd.clone());
                    assert!([0, 3].contains(&run.code), "{options:?}: {}", run.stderr);
                    assert!(!run.stdout.is_empty());
                }
            }
        }
    }
}
