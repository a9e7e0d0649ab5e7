use std::fmt::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};
use contextfit::budget::{BudgetRules, Window};

use super::input::Transcript;
use super::sparkline::sparkline;
use super::step::{Step, Totals};
use crate::args::ReplayArgs;

/// What a person wants to know of a replay.
pub(crate) fn report(transcript: &Transcript, args: &ReplayArgs, steps: &[Step]) -> String {
    let mut text = headline(transcript, args);
    let table = table(&Totals::of(steps), steps);
    let width = table.lines().next().map_or(0, |line| line.chars().count());
    let prompts: Vec<u64> = steps.iter().map(|step| step.prompt).collect();
    let line = sparkline(&prompts, args.window, width.saturating_sub(2));
    // Writing to a string can't fail.
    let _ = write!(
        text,
        "\n{table}\n\n  {line}\n  the prompt of each request; a full bar is the window\n"
    );
    text
}

fn headline(transcript: &Transcript, args: &ReplayArgs) -> String {
    let mut rules = BudgetRules::default();
    rules.reserve = args.reserve;
    let reserve = rules.reserve_floor(Window::new(args.window));
    let model = match &*transcript.recorded.model {
        "" => "no model named",
        model => model,
    };
    let counts = match args.count_factor {
        Some(factor) => format!("the provider counts {factor} times the client's estimate"),
        None => "the provider counts exactly".to_owned(),
    };
    format!(
        "\n  {}: {} messages, played {}\n  {model}, window {}, {} of it for the reply\n  \
         {}, {}, {counts}\n",
        transcript.name,
        grouped(transcript.recorded.messages.len() as u64),
        args.memory(),
        grouped(args.window),
        grouped(reserve),
        args.preset,
        args.summarizer,
    )
}

fn table(totals: &Totals, steps: &[Step]) -> String {
    let peak = steps.iter().map(|step| step.prompt).max().unwrap_or(0);
    let whole = steps
        .iter()
        .fold(0_u64, |sum, step| sum.saturating_add(step.whole));
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY.with_rounded_corners());
    for (name, number, note) in [
        (
            "requests",
            totals.requests,
            "one for each message of the assistant".to_owned(),
        ),
        (
            "tokens asked",
            totals.tokens_asked,
            format!("the whole history each time: {}", grouped(whole)),
        ),
        (
            "tokens sent",
            totals.tokens_sent,
            format!(
                "{} of the whole history; largest prompt {}",
                percent(totals.tokens_sent, whole),
                grouped(peak)
            ),
        ),
        ("compactions", totals.compactions, how_often(steps)),
        (
            "overflows",
            totals.overflows,
            unless_none(totals.overflows, "the provider said: too long"),
        ),
        (
            "recoveries",
            totals.recoveries,
            unless_none(totals.overflows, "overflows that were answered in the end"),
        ),
        ("summarizer calls", totals.summarizer_calls, String::new()),
        (
            "summarizer tokens",
            totals.summarizer_tokens,
            unless_none(totals.summarizer_tokens, "read and written"),
        ),
        (
            "refusals",
            totals.refusals,
            unless_none(totals.refusals, "could not be fitted: see below"),
        ),
        (
            "structure errors",
            totals.structure_errors,
            unless_none(
                totals.structure_errors,
                "malformed for the provider: see below",
            ),
        ),
    ] {
        table.add_row([name.to_owned(), grouped(number), note]);
    }
    if let Some(numbers) = table.column_mut(1) {
        numbers.set_cell_alignment(CellAlignment::Right);
    }
    let lines = table.lines().map(|line| format!("  {}", line.trim_end()));
    lines.collect::<Vec<_>>().join("\n")
}

fn unless_none(number: u64, note: &str) -> String {
    if number == 0 {
        String::new()
    } else {
        note.to_owned()
    }
}

/// Which requests were compacted, or how often that was if they are many.
fn how_often(steps: &[Step]) -> String {
    let compacted = steps.iter().filter(|step| step.compactions > 0);
    let requests: Vec<String> = compacted.map(|step| step.request.to_string()).collect();
    match requests.len() {
        0 => "everything fitted".to_owned(),
        1 => format!("at request {}", requests[0]),
        2..=8 => format!("at requests {}", requests.join(", ")),
        many => format!(
            "at {} of the requests",
            percent(many as u64, steps.len() as u64)
        ),
    }
}

/// A share in whole percent.
fn percent(part: u64, whole: u64) -> String {
    u128::from(part)
        .saturating_mul(100)
        .checked_div(u128::from(whole))
        .map_or_else(String::new, |percent| format!("{percent} %"))
}

/// A number with its thousands set apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        assert_eq!(percent(5, 0), "");
        assert_eq!(percent(u64::MAX, u64::MAX), "100 %");
    }

    #[test]
    fn compactions_are_named_unless_they_are_many() {
        let steps = |compacted: usize| -> Vec<Step> {
            let step = |request| Step {
                request,
                compactions: (request <= compacted).into(),
                ..Step::default()
            };
            (1..=20).map(step).collect()
        };
        assert_eq!(how_often(&steps(0)), "everything fitted");
        assert_eq!(how_often(&steps(1)), "at request 1");
        assert_eq!(how_often(&steps(3)), "at requests 1, 2, 3");
        assert_eq!(how_often(&steps(10)), "at 50 % of the requests");
    }

    #[test]
    fn every_total_has_its_row() {
        let totals = Totals {
            requests: 12,
            tokens_asked: 34_567,
            refusals: 89,
            ..Totals::default()
        };
        let table = table(&totals, &[]);
        for part in ["requests", "34,567", "89", "structure errors"] {
            assert!(table.contains(part), "{table}");
        }
        assert_eq!(table.lines().count(), 12);
    }
}
