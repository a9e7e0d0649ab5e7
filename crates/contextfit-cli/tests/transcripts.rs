//! Replays and inspects real transcripts, where there are any.
//!
//! They aren't part of the repository. Name a folder of OpenAI chat requests to try them:
//! `CONTEXTFIT_TRANSCRIPTS=folder cargo test --release -p contextfit-cli --test transcripts`

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// The transcripts in the folder that is named, none if none is.
fn transcripts() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("CONTEXTFIT_TRANSCRIPTS") else {
        return Vec::new();
    };
    let files = std::fs::read_dir(folder).expect("a folder that can be read");
    files
        .map(|file| file.expect("a file that can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        // What the provider reported beside a transcript is none.
        .filter(|path| !path.to_string_lossy().ends_with(".usage.json"))
        .collect()
}

/// The last line of a command's JSON, and whether it ended with something that can't fit.
fn run(command: &str, file: &Path, options: &[&str]) -> (Value, bool) {
    let mut program = Command::cargo_bin("contextfit").expect("built");
    let output = program
        .arg(command)
        .arg(file)
        .arg("--json")
        .args(options)
        .output()
        .expect("ran");
    let code = output.status.code();
    assert!(
        matches!(code, Some(0 | 3)),
        "{file:?} {options:?}: {output:?}"
    );
    let refused = code == Some(3);
    // Nothing ends in vain without saying why.
    assert_eq!(refused, !output.stderr.is_empty(), "{file:?} {options:?}");
    let last = output
        .stdout
        .split(|&byte| byte == b'\n')
        .rfind(|line| !line.is_empty());
    let json = serde_json::from_slice(last.expect("a line")).expect("JSON");
    (json, refused)
}

/// The totals of a replay.
fn replay(file: &Path, options: &[&str]) -> Value {
    let (totals, refused) = run("replay", file, options);
    assert_eq!(totals["total"]["refusals"] != 0, refused);
    totals["total"].clone()
}

#[test]
fn no_window_breaks_a_real_conversation() {
    for file in transcripts() {
        for window in ["8000", "16000", "32000", "128000"] {
            for preset in ["topic-and-half", "recent-budget"] {
                for mode in [
                    &["--stateful"][..],
                    &["--stateless"],
                    &["--count-factor", "2"],
                ] {
                    let mut options = vec!["--window", window, "--preset", preset];
                    options.extend(mode);
                    let total = replay(&file, &options);
                    assert_eq!(total["structure_errors"], 0, "{file:?} {options:?}");
                    let number = |name: &str| total[name].as_u64().expect("a number");
                    assert!(number("overflows") >= number("recoveries"));
                    assert!(number("refusals") > 0 || number("overflows") == number("recoveries"));
                }
            }
        }
    }
}

#[test]
fn a_map_of_a_real_conversation_adds_up() {
    for file in transcripts() {
        for window in ["500", "8000", "32000", "128000"] {
            for preset in ["topic-and-half", "recent-budget"] {
                let options = ["--window", window, "--preset", preset];
                let (map, _) = run("inspect", &file, &options);
                let kinds = |name: &str| -> u64 {
                    let kinds = map[name].as_object().expect("kinds").values();
                    kinds.filter_map(Value::as_u64).sum()
                };
                assert_eq!(map["tokens_before"], kinds("kinds"), "{file:?} {options:?}");
                assert_eq!(map["tokens_after"], kinds("kinds_after"));
                let over = matches!(map["outcome"].as_str(), Some("refused" | "stuck"));
                assert!(!over || map["problem"].is_string());
            }
        }
    }
}
