use std::fmt::Write as _;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};

use super::counter::Counter;
use super::counts::Counts;
use crate::number::grouped;
use crate::one_line::name;
use crate::role::role;

/// The columns where the terminal doesn't say how many it has.
const COLUMNS: usize = 100;
/// Cells of a bar in the list of totals.
const TOTAL_BAR: usize = 30;
/// The fewest cells of a message's bar.
const LEAST_BAR: usize = 12;

/// Prints what a file costs, as wide as the terminal.
pub(super) fn print(counts: &Counts, counters: &[Counter]) -> io::Result<()> {
    let columns = terminal_size::terminal_size().map_or(0, |(width, _)| usize::from(width.0));
    let columns = if columns == 0 { COLUMNS } else { columns };
    // Takes the colours out where nobody can see them, or wants to.
    let mut out = anstream::stdout().lock();
    out.write_all(draw(counts, counters, columns).as_bytes())?;
    out.flush()
}

fn draw(counts: &Counts, counters: &[Counter], columns: usize) -> String {
    let what = match counts.messages.len() {
        0 => "a text".to_owned(),
        _ => crate::number::counted(counts.messages.len(), "message"),
    };
    let mut text = format!("\n  {}: {what}\n\n", name(&counts.name));
    text.push_str(&totals(counts, counters, columns));
    if !counts.messages.is_empty() {
        text.push('\n');
        text.push_str(&messages(counts, counters, columns));
    }
    text
}

/// One estimator a line, and how far it is from what is exact.
fn totals(counts: &Counts, counters: &[Counter], columns: usize) -> String {
    /// Cells of the name, the tokens and the remark, with the spaces around them.
    const BEFORE: usize = 44;
    let cells = columns.saturating_sub(BEFORE).min(TOTAL_BAR);
    let exact = counters.iter().zip(&counts.totals);
    let exact: Vec<(&str, u64)> = exact
        .filter(|(counter, _)| counter.exact)
        .map(|(counter, &tokens)| (encoding(&counter.name), tokens))
        .collect();
    let most = counts.totals.iter().copied().max().unwrap_or(0);
    let mut text = String::new();
    for (counter, &tokens) in counters.iter().zip(&counts.totals) {
        // An estimate is for one vocabulary, and says nothing of another.
        let truth = exact
            .iter()
            .find(|(name, _)| *name == encoding(&counter.name));
        let remark = match truth {
            _ if counter.exact => "exact".to_owned(),
            Some(&(_, truth)) if truth > 0 => off(tokens, truth),
            _ => String::new(),
        };
        let bar = bar(tokens, most, cells, counter.exact);
        let line = format!(
            "  {:18}{:>12}  {remark:>8}  {bar}",
            counter.name,
            grouped(tokens)
        );
        // Writing to a string can't fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// What follows the kind of an estimator in its name; that of OpenAI's newest for one that is for
/// no vocabulary.
fn encoding(name: &str) -> &str {
    name.split_once('-')
        .map_or("o200k", |(_, encoding)| encoding)
}

/// How far an estimate is off.
fn off(tokens: u64, truth: u64) -> String {
    let off = (tokens as f64 / truth as f64 - 1.0) * 100.0;
    format!("{off:+.1} %")
}

/// One message a line, with as many estimators as there is room for: exact ones first.
fn messages(counts: &Counts, counters: &[Counter], columns: usize) -> String {
    /// Cells of the number and the role of a message, with the spaces around them.
    const BEFORE: usize = 18;
    let (exact, estimated): (Vec<usize>, Vec<usize>) =
        (0..counters.len()).partition(|&index| counters[index].exact);
    let by_worth: Vec<usize> = exact.into_iter().chain(estimated).collect();
    // What the bars show.
    let drawn = by_worth[0];
    let mut room = columns.saturating_sub(BEFORE + LEAST_BAR + 2);
    let mut shown: Vec<Column> = Vec::new();
    for index in by_worth {
        let column = Column::of(index, &counters[index]);
        if column.width > room && !shown.is_empty() {
            break;
        }
        room = room.saturating_sub(column.width);
        shown.push(column);
    }
    let most = counts.messages.iter().map(|message| message.tokens[drawn]);
    let most = most.chain([counts.beside[drawn]]).max().unwrap_or(0);
    let used: usize = shown.iter().map(|column| column.width).sum();
    let cells = columns.saturating_sub(BEFORE + used + 2);
    let cells = cells.min(LEAST_BAR + 40);

    let head = shown.iter().map(|column| column.cell(&column.head));
    let head: String = head.collect();
    let title = if counters[drawn].name.len() <= cells {
        &*counters[drawn].name
    } else {
        ""
    };
    let head = format!("  {:>5}  {:9}{head}  {title}", "#", "role");
    let mut text = format!("{}\n", head.trim_end());
    let mut row = |number: &str, role: &str, tokens: &[u64]| {
        let numbers = shown
            .iter()
            .map(|column| column.cell(&grouped(tokens[column.index])));
        let numbers: String = numbers.collect();
        let bar = bar(tokens[drawn], most, cells, counters[drawn].exact);
        let line = format!("  {number:>5}  {role:9}{numbers}  {bar}");
        let _ = writeln!(text, "{}", line.trim_end());
    };
    if counts.beside.iter().any(|&tokens| tokens > 0) {
        row("", "beside", &counts.beside);
    }
    for (index, message) in counts.messages.iter().enumerate() {
        row(&index.to_string(), role(message.role), &message.tokens);
    }
    text
}

/// The column of an estimator.
struct Column {
    index: usize,
    head: String,
    width: usize,
}

impl Column {
    fn of(index: usize, counter: &Counter) -> Self {
        let head = match counter.name.strip_prefix("weighted-") {
            Some(family) => family.to_owned(),
            None => counter.name.clone(),
        };
        let width = head.len().max(9) + 2;
        Self { index, head, width }
    }

    fn cell(&self, text: &str) -> String {
        format!("{text:>width$}", width = self.width)
    }
}

/// A bar of which `full` tokens are so many cells. Whatever has a token has a thin mark at least,
/// if there is a cell for it.
fn bar(tokens: u64, full: u64, cells: usize, exact: bool) -> String {
    let eighths = u128::from(tokens) * cells as u128 * 8 / u128::from(full.max(1));
    let eighths = usize::try_from(eighths)
        .unwrap_or(usize::MAX)
        .max(usize::from(tokens > 0 && cells > 0));
    let mut bar = "█".repeat((eighths / 8).min(cells));
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    bar.push_str(part);
    let color = if exact {
        AnsiColor::Green
    } else {
        AnsiColor::Blue
    };
    let style: Style = color.on_default();
    if bar.is_empty() {
        return bar;
    }
    format!("{style}{bar}{style:#}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use contextfit::estimate::CharEstimator;
    use contextfit::request::Role;

    use super::*;
    use crate::count::counts::MessageCounts;

    fn counters() -> Vec<Counter> {
        let counter = |name: &str, exact| Counter {
            name: name.to_owned(),
            estimator: Arc::new(CharEstimator::default()),
            exact,
        };
        vec![
            counter("char", false),
            counter("weighted-o200k", false),
            counter("tiktoken-o200k", true),
        ]
    }

    fn drawn(columns: usize) -> String {
        let message = |role, tokens: [u64; 3]| MessageCounts {
            role,
            tokens: tokens.to_vec(),
        };
        let counts = Counts {
            name: "a.json".to_owned(),
            totals: vec![900, 1_040, 1_000],
            messages: vec![
                message(Role::User, [800, 900, 900]),
                message(Role::Assistant, [1, 2, 1]),
            ],
            beside: vec![99, 138, 99],
        };
        let text = draw(&counts, &counters(), columns);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn estimates_stand_beside_what_is_exact() {
        let drawn = drawn(100);
        for line in [
            "a.json: 2 messages",
            "char                       900   -10.0 %",
            "weighted-o200k           1,040    +4.0 %",
            "tiktoken-o200k           1,000     exact",
        ] {
            assert!(drawn.contains(line), "{line}: {drawn}");
        }
        let rows: Vec<&str> = drawn.lines().rev().take(3).collect();
        assert!(rows[2].contains("beside") && rows[1].contains("user"));
        let numbers =
            |row: &str| -> Vec<String> { row.split_whitespace().map(str::to_owned).collect() };
        assert_eq!(numbers(rows[1])[..5], ["0", "user", "900", "800", "900"]);
        assert_eq!(numbers(rows[0]), ["1", "assistant", "1", "1", "2", "▏"]);
    }

    #[test]
    fn a_narrow_terminal_shows_what_is_exact() {
        let drawn = drawn(50);
        assert!(
            drawn.lines().all(|line| line.chars().count() <= 50),
            "{drawn}"
        );
        let head = drawn.lines().find(|line| line.contains("role")).unwrap();
        assert!(
            head.contains("tiktoken-o200k") && !head.contains("char"),
            "{head}"
        );
    }

    #[test]
    fn numbers_are_all_that_has_to_have_room() {
        for columns in 0..120 {
            let drawn = drawn(columns);
            // The name, the tokens and the remark of an estimator.
            let most = columns.max(42);
            let fits = |line: &str| line.chars().count() <= most;
            assert!(drawn.lines().all(fits), "{columns}: {drawn}");
            assert!(drawn.contains("1,040"));
        }
    }

    #[test]
    fn a_bar_is_as_wide_as_its_tokens() {
        let plain =
            |tokens, full| anstream::adapter::strip_str(&bar(tokens, full, 4, false)).to_string();
        assert_eq!(plain(100, 100), "████");
        assert_eq!(plain(50, 100), "██");
        assert_eq!(plain(1, 1_000), "▏");
        assert_eq!(plain(0, 1_000), "");
        assert_eq!(plain(u64::MAX, u64::MAX), "████");
    }
}
