//! Maps for tests.

use clap::Parser;
use contextfit::chat::ChatMessage;

use super::map::Map;
use crate::args::{Args, Command};
use crate::input::Recording;

/// Shows the map that these options give of a conversation.
pub(super) fn with_map<T>(
    messages: Vec<ChatMessage>,
    options: &[&str],
    look: impl FnOnce(&Map<'_>) -> T,
) -> T {
    let command = ["contextfit", "inspect", "a.json"];
    let Command::Inspect(args) = Args::parse_from(command.iter().chain(options)).command else {
        unreachable!("another command was named");
    };
    let recording = Recording::of(messages);
    let fitter = super::fitter(&args).unwrap();
    let explanation = fitter.explain(&recording.request).unwrap();
    look(&Map::new(&recording, &args, &explanation))
}

/// An agent's session of so many rounds, each a call and its result; a user now and then.
pub(super) fn session(rounds: usize) -> Vec<ChatMessage> {
    let mut messages = vec![
        ChatMessage::system("You look after a fleet of servers."),
        ChatMessage::user("Find out why the queue grows."),
    ];
    for round in 0..rounds {
        let id = format!("call_{round}");
        let call = ChatMessage::assistant(format!("I look at worker {round}."));
        messages.push(call.call(&*id, "logs", format!("{{\"host\":{round}}}")));
        messages.push(ChatMessage::tool(
            &*id,
            "took a job\n".repeat(20 + round % 7 * 20),
        ));
        if round % 5 == 4 {
            messages.push(ChatMessage::assistant("That one is fine."));
            messages.push(ChatMessage::user("And the next?"));
        }
    }
    messages
}

/// Options that fit, that compact, that don't summarize, and that can't fit.
pub(super) const OPTIONS: [&[&str]; 6] = [
    &[],
    &["--window", "3000"],
    &["--window", "3000", "--preset", "recent-budget"],
    &["--window", "3000", "--summarizer", "none"],
    &["--window", "60"],
    &["--window", "12"],
];
