use std::fmt::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use super::step::{Step, Totals};
use super::transcript::Transcript;
use crate::args::ReplayArgs;
use crate::number::{grouped, percent};
use crate::one_line::name;
use crate::sparkline::sparkline;

/// What a person wants to know of a replay.
pub(crate) fn report(transcript: &Transcript, args: &ReplayArgs, steps: &[Step]) -> String {
    let mut text = headline(transcript, args);
    let table = table(&Totals::of(steps), steps, args.setup.window);
    let width = table.lines().next().map_or(0, |line| line.chars().count());
    let prompts: Vec<u64> = steps.iter().map(|step| step.prompt).collect();
    let line = sparkline(&prompts, args.setup.window, width.saturating_sub(2));
    // Writing to a string can't fail.
    let _ = write!(
        text,
        "\n{table}\n\n  {line}\n  the prompt of each request; a full bar is the window\n"
    );
    if let Some(remark) = remark(
        steps,
        args.setup.window.saturating_sub(args.setup.reserve()),
    ) {
        let _ = writeln!(text, "  {remark}");
    }
    text
}

/// Why the largest prompt is over the client's limit, if that is because the provider counts more.
fn remark(steps: &[Step], limit: u64) -> Option<String> {
    let largest = steps.iter().max_by_key(|step| step.prompt)?;
    // Above the limit, the client knew.
    let estimate = largest
        .estimate
        .filter(|estimate| (1..=limit).contains(estimate))?;
    let times = largest.prompt as f64 / estimate as f64;
    // Less would be shown as once.
    if largest.prompt <= limit || times < 1.05 {
        return None;
    }
    Some(format!(
        "the largest prompt goes over {}, what the reserve leaves: the provider counts {times:.1} \
         × what the client estimates",
        grouped(limit)
    ))
}

fn headline(transcript: &Transcript, args: &ReplayArgs) -> String {
    let setup = &args.setup;
    let model = match &*transcript.recorded.model {
        "" => "no model named".to_owned(),
        model => name(model),
    };
    let counts = match args.count_factor {
        Some(factor) => format!("the provider counts {factor} times the client's estimate"),
        None => "the provider counts exactly".to_owned(),
    };
    format!(
        "\n  {}: {} messages, played {}\n  {model}, window {}, {} of it for the reply\n  \
         {}, {}, {counts}\n",
        name(&transcript.name),
        grouped(transcript.recorded.messages.len() as u64),
        args.memory(),
        grouped(setup.window),
        grouped(setup.reserve()),
        setup.preset,
        setup.summarizer,
    )
}

fn table(totals: &Totals, steps: &[Step], window: u64) -> String {
    let peak = steps.iter().map(|step| step.prompt).max().unwrap_or(0);
    let whole = steps
        .iter()
        .fold(0_u64, |sum, step| sum.saturating_add(step.whole));
    let over = steps.iter().filter(|step| step.whole > window).count() as u64;
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY.with_rounded_corners());
    for (name, number, note) in [
        (
            "requests",
            totals.requests,
            "one for each message of the assistant".to_owned(),
        ),
        (
            "without the layers",
            over,
            format!(
                "{} whose whole history is over the window",
                if over == 1 { "request" } else { "requests" }
            ),
        ),
        (
            "whole history",
            whole,
            "tokens, if all of it were sent each time".to_owned(),
        ),
        (
            "tokens asked",
            totals.tokens_asked,
            format!(
                "{} of the whole history",
                percent(totals.tokens_asked, whole)
            ),
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
        ("compactions", totals.compactions, how_often(totals, steps)),
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
fn how_often(totals: &Totals, steps: &[Step]) -> String {
    let compacted = steps.iter().filter(|step| step.compactions > 0);
    let requests: Vec<String> = compacted.map(|step| step.request.to_string()).collect();
    match requests.len() {
        0 if totals.refusals > 0 || totals.overflows > 0 => String::new(),
        0 => "everything fitted".to_owned(),
        1 => format!("at request {}", requests[0]),
        2..=8 => format!("at requests {}", requests.join(", ")),
        many => format!(
            "at {} of the requests",
            percent(many as u64, steps.len() as u64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let how_often = |compacted| how_often(&Totals::default(), &steps(compacted));
        assert_eq!(how_often(0), "everything fitted");
        assert_eq!(how_often(1), "at request 1");
        assert_eq!(how_often(3), "at requests 1, 2, 3");
        assert_eq!(how_often(10), "at 50 % of the requests");
    }

    #[test]
    fn not_everything_fitted_what_was_refused_or_overflowed() {
        for (refusals, overflows) in [(1, 0), (0, 1)] {
            let totals = Totals {
                refusals,
                overflows,
                ..Totals::default()
            };
            assert_eq!(how_often(&totals, &[Step::default()]), "");
        }
    }

    #[test]
    fn a_whole_history_is_over_the_window_or_not() {
        let step = |whole| Step {
            whole,
            ..Step::default()
        };
        for (wholes, row) in [
            ([10, 100, 100], "0   requests whose"),
            ([10, 100, 101], "1   request whose"),
            ([10, 101, 5_000], "2   requests whose"),
        ] {
            let table = table(&Totals::default(), &wholes.map(step), 100);
            assert!(table.contains(row), "{row} in {table}");
        }
    }

    #[test]
    fn a_prompt_in_the_reserve_is_remarked_upon() {
        let said = |prompt, estimate, limit| {
            let small = Step {
                prompt: 10,
                estimate: Some(1),
                ..Step::default()
            };
            let largest = Step {
                prompt,
                estimate,
                ..Step::default()
            };
            remark(&[largest, small], limit)
        };
        let remark = said(130, Some(100), 120).unwrap();
        assert!(remark.ends_with("counts 1.3 × what the client estimates"));
        assert_eq!(said(130, Some(100), 130), None);
        // The client knew that it was over the limit, or the difference is hardly any.
        assert_eq!(said(180, Some(130), 120), None);
        assert_eq!(said(121, Some(120), 120), None);
        assert_eq!(said(130, Some(0), 120), None);
        assert_eq!(said(130, None, 120), None);
    }

    #[test]
    fn every_total_has_its_row() {
        let totals = Totals {
            requests: 12,
            tokens_asked: 34_567,
            refusals: 89,
            ..Totals::default()
        };
        let table = table(&totals, &[], 100);
        for part in ["requests", "34,567", "89", "structure errors"] {
            assert!(table.contains(part), "{table}");
        }
        assert_eq!(table.lines().count(), 14);
    }
}
