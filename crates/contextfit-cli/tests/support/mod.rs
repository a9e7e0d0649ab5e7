//! What the tests of the commands have in common.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each file of tests is a program of its own, and needs but a part of this"
)]

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use serde_json::{Value, json};

/// An agent's session of so many rounds: a call, its result, a word; a user now and then.
pub fn session(rounds: usize) -> Vec<Value> {
    let mut messages = vec![
        json!({"role": "system", "content": "You look after a fleet of servers."}),
        json!({"role": "user", "content": "Find out why the queue grows."}),
    ];
    for round in 0..rounds {
        let (first, second) = (format!("call_{round}_a"), format!("call_{round}_b"));
        let call = |id: &str| {
            json!({"id": id, "type": "function", "function": {
                "name": "logs", "arguments": format!("{{\"host\":\"worker-{round}\"}}")}})
        };
        messages.extend([
            json!({"role": "assistant", "content": format!("I look at worker {round}."),
                "tool_calls": [call(&first), call(&second)]}),
            json!({"role": "tool", "tool_call_id": first, "content": log(round)}),
            json!({"role": "tool", "tool_call_id": second, "content": "nothing"}),
        ]);
        if round % 5 == 4 {
            messages.extend([
                json!({"role": "assistant", "content": format!("Worker {round} is fine.")}),
                json!({"role": "user", "content": format!("And after worker {round}?")}),
            ]);
        }
    }
    messages.push(json!({"role": "assistant", "content": "It was the disk of the broker."}));
    messages
}

fn log(round: usize) -> String {
    let lines = (0..12).map(|line| {
        format!("2031-04-05T06:{round:02}:{line:02}Z worker-{round} INFO took job {line}\n")
    });
    lines.collect()
}

pub fn request(messages: &[Value]) -> String {
    json!({"model": "a-model", "messages": messages}).to_string()
}

pub fn jsonl(messages: &[Value]) -> String {
    messages
        .iter()
        .map(|message| format!("{message}\n"))
        .collect()
}

/// A file that is there until it is dropped.
pub struct TempFile(PathBuf);

impl TempFile {
    pub fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{}-{name}", std::process::id()));
        fs::write(&path, content).expect("the folder is for this");
        Self(path)
    }

    pub fn name(&self) -> &str {
        self.0.to_str().expect("the path is text")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// How a run of the command ended.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

pub fn run(args: &[&str], stdin: impl Into<Vec<u8>>) -> Run {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("contextfit"));
    let output = command.args(args).write_stdin(stdin).output();
    let output = output.expect("the command can be started");
    let text = |bytes| String::from_utf8(bytes).expect("only text is written");
    let run = Run {
        code: output.status.code().expect("no signal ended it"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
    run
}

pub fn number(value: &Value, key: &str) -> u64 {
    value[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} in {value}"))
}

/// Messages as no agent should write them, over and over.
pub fn odd_messages(count: usize) -> Vec<Value> {
    let odd = [
        // Nothing said, everything absent.
        json!({"role": "user", "content": null}),
        json!({"role": "assistant", "content": null}),
        json!({"role": "user", "content": []}),
        json!({"role": "assistant", "content": "", "tool_calls": null}),
        json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}),
        json!({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}),
        // Ids that are used again, results twice and out of order.
        json!({"role": "assistant", "content": "", "tool_calls": [
            {"id": "a", "function": {"name": "", "arguments": "not json"}},
            {"id": "a", "function": {"name": "f", "arguments": ""}}]}),
        json!({"role": "tool", "tool_call_id": "a", "content": "\u{0}\u{202e}😀"}),
        json!({"role": "tool", "content": "whose?"}),
        json!({"role": "function", "name": "f", "content": "old"}),
        json!({"role": "developer", "content": "late"}),
        json!({"role": "assistant", "content": "<contextfit-summary messages=\"1\""}),
    ];
    odd.into_iter().cycle().take(count).collect()
}
