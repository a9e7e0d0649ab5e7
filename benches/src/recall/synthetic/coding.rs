use contextfit_core::chat::ChatMessage;
use serde_json::json;

use super::{called, code, one};
use crate::random::Random;

const AREAS: &[&str] = &[
    "billing", "auth", "search", "import", "mailer", "reports", "queue", "audit",
];
const THINGS: &[&str] = &[
    "invoice", "session", "token", "record", "batch", "filter", "retry", "cursor", "ledger",
    "digest",
];
const VERBS: &[&str] = &[
    "load", "parse", "merge", "rotate", "flush", "verify", "expand", "commit",
];
const DEMANDS: &[&str] = &[
    "It must stay compatible with the files that customers have already written.",
    "Don't add a dependency for it.",
    "Keep it under 50 ms for the largest tenant.",
    "Never log the body of a request, we had an incident.",
    "Please add a test that fails without the change.",
    "Only touch what is needed, the release branch is frozen from Thursday on.",
];

/// What is worked on: a file, a function in it, and a setting.
struct Task {
    area: &'static str,
    path: String,
    function: String,
    setting: String,
}

impl Task {
    fn new(random: &mut Random) -> Self {
        let area = one(random, AREAS);
        let thing = one(random, THINGS);
        Self {
            area,
            path: format!("services/{area}/src/{thing}_{}.rs", one(random, VERBS)),
            function: format!("{}_{thing}_{}", one(random, VERBS), one(random, THINGS)),
            setting: format!("{}_{}_MS", area.to_uppercase(), thing.to_uppercase()),
        }
    }

    fn source(&self, random: &mut Random) -> String {
        let mut source = format!("use crate::{}::Config;\n\n", self.area);
        for line in 0..12 + random.below(10) {
            let (verb, thing, other) =
                (one(random, VERBS), one(random, THINGS), one(random, THINGS));
            source += &match line % 4 {
                0 => format!("/// Says whether a {thing} may {verb} its {other}.\n"),
                1 => format!(
                    "pub fn {verb}_{thing}(config: &Config) -> Result<{}, Error> {{\n",
                    capital(thing)
                ),
                2 => format!(
                    "    let {other} = config.{thing}_{verb}({});\n",
                    10 + random.below(900)
                ),
                _ => format!("    {other}.{verb}()\n}}\n\n"),
            };
        }
        source + &format!("pub fn {}(input: &str) -> Option<u64> {{\n", self.function)
    }
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// An agent that repairs things in a repository, one after the other, and comes back to earlier ones.
pub(super) fn conversation() -> Vec<ChatMessage> {
    let random = &mut Random::new(7);
    let mut messages = vec![
        ChatMessage::system("You are a coding agent in the repository of a shop."),
        ChatMessage::user(
            "We move the shop from the old scheduler to the new one this week. The plan is in \
             docs/migration/scheduler.md, the ticket is SHOP-4127. Work through what breaks, one \
             service after the other, and keep the flag `scheduler_v2` off until I say so.",
        ),
    ];
    let mut tasks: Vec<Task> = Vec::new();
    for round in 0..26 {
        // Every third time it is about something that was there before.
        let known = (round % 3 == 2).then(|| random.below(tasks.len()));
        let index = known.unwrap_or_else(|| {
            tasks.push(Task::new(random));
            tasks.len() - 1
        });
        let ticket = format!("SHOP-{}", 4_000 + random.below(900));
        let task = &tasks[index];
        let Task {
            area,
            path,
            function,
            setting,
        } = task;
        let demand = one(random, DEMANDS);
        messages.push(ChatMessage::user(match known {
            Some(_) => format!("{ticket}: `{function}` in {area} is back, the alert says {} failures since {:02}:{:02}. {demand}", 10 + random.below(500), random.below(24), random.below(60)),
            None => format!("Next is {ticket}: jobs of {area} stop after {setting}={}. Look at {path} first. {demand}", 100 + random.below(9_000)),
        }));
        let source = task.source(random);
        called(
            &mut messages,
            &format!("I read {path} and look for `{function}`."),
            "read_file",
            json!({"path": path}).to_string(),
            source,
        );
        let line = 10 + random.below(300);
        called(
            &mut messages,
            "",
            "search",
            json!({"pattern": function, "path": format!("services/{area}")}).to_string(),
            (0..5)
                .map(|hit| {
                    format!(
                        "services/{area}/src/{}.rs:{}: {function}(&input)?;",
                        one(random, THINGS),
                        line + 13 * hit
                    )
                })
                .collect::<Vec<_>>()
                .join("\n"),
        );
        let test = format!("{}_{}", one(random, VERBS), function);
        let error = match random.below(3) {
            0 => format!(
                "error[E0{}]: mismatched types in `{function}`, expected u64, found Option<u64>",
                300 + random.below(200)
            ),
            1 => format!(
                "thread 'tests::{test}' panicked at {path}:{line}:9: deadline of {} ms exceeded",
                100 + random.below(5_000)
            ),
            _ => format!(
                "Error: connection to {area}-db-{}.internal:5432 was reset",
                random.below(9)
            ),
        };
        called(
            &mut messages,
            "The test first, to see it fail.",
            "run",
            json!({"command": format!("cargo test -p {area} {test}")}).to_string(),
            format!(
                "   Compiling {area} v0.{}.{}\nrunning 1 test\ntest tests::{test} ... FAILED\n{error}\ntest result: FAILED. 0 passed; 1 failed; {} filtered out",
                random.below(20),
                random.below(9),
                20 + random.below(200)
            ),
        );
        called(&mut messages, &format!("The cause: `{function}` reads {setting} before the new scheduler has set it, so it sees the default. I decided to pass it in, because a second read would race."), "edit_file",
            json!({"path": path, "old": format!("let deadline = env({setting:?});"), "new": format!("let deadline = config.{}();", setting.to_lowercase())}).to_string(),
            format!("edited {path}: 1 change"));
        let commit = code(random, 7).to_lowercase();
        called(&mut messages, "", "run", json!({"command": format!("cargo test -p {area} && git commit -am '{ticket}: {function} takes its deadline'")}).to_string(),
            format!("test result: ok. {} passed; 0 failed\n[scheduler {commit}] {ticket}: {function} takes its deadline\n 2 files changed, {} insertions(+)", 20 + random.below(200), 3 + random.below(40)));
        messages.push(ChatMessage::assistant(format!(
            "{ticket} is fixed in {commit}: `{function}` takes its deadline from the caller, {setting} is only read in services/{area}/src/main.rs. The test `{test}` fails without it. Left: the dashboard still shows the old name."
        )));
    }
    messages.push(ChatMessage::user(
        "Good. What is left before scheduler_v2 can be switched on?",
    ));
    messages
}
