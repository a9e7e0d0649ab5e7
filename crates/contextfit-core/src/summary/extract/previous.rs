use super::book::FactBook;
use super::fact::{FactKind, kind_of, words};
use super::line::{Line, OPENING, TASK};
use super::read::{SENTENCE, units};
use super::section::Section;
use super::write::{BETWEEN, BETWEEN_NUMBERS, NOTE};

/// What an earlier line is worth, of what a new one of the same kind is.
const FADED: f64 = 0.7;
/// How many mentions the first fact of a list stands for. The others stand for fewer, the last for
/// none.
const FIRST: f64 = 3.0;

/// Reads an earlier summary: lines and lists of facts below our headings, and whatever somebody else
/// wrote, line by line.
pub(super) fn read<'a>(previous: &'a str, facts: &mut FactBook<'a>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let mut section = Section::Earlier;
    let mut opened = 0;
    facts.next_message();
    for line in previous.lines().filter(|&line| line != NOTE) {
        if let Some(next) = Section::of_heading(line) {
            section = next;
            continue;
        }
        if section == Section::Facts && list(line, facts) {
            continue;
        }
        if !line.is_empty() && !line.starts_with("- ") {
            section = Section::Earlier;
        }
        let worth = match section {
            Section::Earlier | Section::Goal | Section::Constraints => 2.0,
            Section::Done | Section::Decisions => 1.5,
            // It was the last one.
            Section::State | Section::Errors | Section::Facts => 1.0,
            Section::Notes => 0.5,
        };
        let section = match section {
            Section::State | Section::Facts => Section::Notes,
            other => other,
        };
        let whole = match section {
            Section::Earlier => SENTENCE,
            _ => usize::MAX,
        };
        for unit in units(line, whole) {
            let is_task = section <= Section::Goal && opened < OPENING;
            opened += if is_task { unit.text.len() } else { 0 };
            let worth = if is_task { TASK } else { worth * FADED };
            facts.read((unit.text, 0));
            lines.extend(Line::new(section, "", unit.text.into(), worth, facts));
        }
    }
    lines
}

/// Reads a list of facts, the best first. Whether it is one.
fn list<'a>(line: &'a str, facts: &mut FactBook<'a>) -> bool {
    let mut kinds = FactKind::ALL.into_iter();
    let list = kinds.find_map(|kind| Some((kind, line.strip_prefix(kind.label())?)));
    let Some((kind, list)) = list else {
        return false;
    };
    let all = list.split(BETWEEN).count() as f64;
    for (place, item) in list.split(BETWEEN).enumerate() {
        let rank = 1.0 - place as f64 / all;
        let label = match kind {
            FactKind::Number => of_numbers(item),
            FactKind::Path | FactKind::Name => "",
        };
        let shown = item[label.len()..].split(BETWEEN_NUMBERS);
        for shown in shown.filter(|shown| !shown.is_empty()) {
            facts.carry(kind, label, shown, FIRST * rank * rank);
        }
    }
    true
}

/// What the numbers of an item are of: what stands before the first.
fn of_numbers(item: &str) -> &str {
    let mut words = words(item);
    let number = words.find(|&(_, word)| kind_of(word) == Some(FactKind::Number));
    number.map_or("", |(start, _)| &item[..start])
}
