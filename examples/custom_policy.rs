//! A cut policy of one's own: a pure function over a table of numbers.
//!
//! `cargo run -p contextfit-examples --example custom_policy`

use contextfit::BoxError;
use contextfit::Fitter;
use contextfit::budget::Budget;
use contextfit::chat::{ChatMessage, ChatRequest};
use contextfit::cut::{Cut, CutPolicy, enforce};
use contextfit::request::Role;
use contextfit::table::{Row, Table};

/// Cuts finished tool rounds first: what the tools said matters least once it was used.
/// Whole turns go only if that doesn't reach the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolRoundsFirst;

impl CutPolicy for ToolRoundsFirst {
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
        let is_round = |rows: &[Row]| rows.iter().any(|row| row.role == Role::Tool);
        // The laws keep the rest whatever is asked, so it frees nothing.
        let (rounds, others): (Vec<_>, Vec<_>) = table
            .cuttable()
            .partition(|group| is_round(&table.rows()[group.rows.clone()]));

        let mut cut = Cut::none(table.len());
        // One message takes the place of all that is cut.
        let (mut tokens, mut messages) = (table.tokens(), table.len() + 1);
        for group in rounds.into_iter().chain(others) {
            if tokens <= budget.target && messages <= budget.target_messages {
                break;
            }
            tokens = tokens.saturating_sub(group.tokens);
            messages -= group.messages;
            cut.add(group.rows);
        }
        (!cut.is_empty()).then_some(cut)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // A policy needs no conversation to be tried: a table of numbers is enough.
    let table = Table::new([
        Row::new(Role::User, 50).pinned(),
        Row::new(Role::Assistant, 20),
        Row::new(Role::Tool, 400).joined(),
        Row::new(Role::Assistant, 60),
        Row::new(Role::User, 30),
    ]);
    let budget = Budget::new(500.into(), &Default::default(), 0, None, None)?;
    let cut = ToolRoundsFirst
        .cut(&table, &budget)
        .expect("560 tokens are over the target");
    // Whatever a policy returns, the laws hold: groups whole, pins and the newest group kept.
    let lawful = enforce(&table, cut).expect("the tool round may go");
    println!(
        "cut of the table: messages {:?}",
        lawful.iter().collect::<Vec<_>>()
    );

    // In a fitter it decides for requests of any type.
    let fitter = Fitter::builder()
        .window(2_000)
        .policy(ToolRoundsFirst)
        .build()?;
    let mut chat = ChatRequest::new("a-model", [ChatMessage::user("Why does the build fail?")]);
    for step in 0..12 {
        let (id, log) = (
            format!("call_{step}"),
            "warning: unused import\n".repeat(30),
        );
        chat.messages.extend([
            ChatMessage::assistant("").call(id.as_str(), "build", "{}"),
            ChatMessage::tool(id, log),
            ChatMessage::assistant(format!("Finding {step}: a warning, not the error.")),
        ]);
    }
    let fitted = fitter.fit(chat).await?;
    let report = fitted.report.expect("it was too long");
    println!(
        "{} -> {} tokens: {} messages left out, {} kept",
        report.tokens_before, report.tokens_after, report.omitted, report.kept
    );
    for message in &fitted.request.messages {
        let text = message.text();
        println!(
            "{:?}: {}",
            message.role,
            text.lines().next().unwrap_or("(calls a tool)")
        );
    }
    Ok(())
}
