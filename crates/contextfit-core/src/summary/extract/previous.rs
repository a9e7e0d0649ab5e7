use super::book::FactBook;
use super::fact::{FactKind, kind_of, words};
use super::line::{Line, OPENING, TASK};
use super::section::Section;
use super::write::{BETWEEN, BETWEEN_NUMBERS};

/// What an earlier line is worth, of what a new one of the same kind is.
const FADED: f64 = 0.7;

/// Reads an earlier summary, ours or anybody's: its lines below their headings, and our lists of
/// facts.
pub(super) fn read<'a>(previous: &'a str, facts: &mut FactBook<'a>) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    let mut section = Section::Notes;
    let mut opened = 0;
    facts.next_message();
    for line in previous.lines() {
        if let Some(next) = Section::of_heading(line) {
            section = next;
            continue;
        }
        if section == Section::Facts && list(line, facts) {
            continue;
        }
        let text = line.trim_start_matches(['-', '*', ' ']);
        let is_task = section == Section::Goal && opened < OPENING;
        let (section, worth) = match section {
            Section::Goal if is_task => (section, TASK),
            Section::Goal | Section::Constraints => (section, 2.0),
            Section::Done | Section::Decisions => (section, 1.5),
            Section::Errors => (section, 1.0),
            // It was the last one.
            Section::State | Section::Facts => (Section::Notes, 1.0),
            Section::Notes => (section, 0.5),
        };
        opened += if is_task { text.len() } else { 0 };
        let worth = if is_task { worth } else { worth * FADED };
        facts.read((text, 0), 1.0);
        lines.extend(Line::new(section, "", text.into(), worth, facts));
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
        let weight = 0.4 + 3.0 * rank * rank;
        let label = match kind {
            FactKind::Number => of_numbers(item),
            FactKind::Path | FactKind::Name => "",
        };
        let numbers = &item[label.len()..];
        for shown in numbers
            .split(BETWEEN_NUMBERS)
            .filter(|shown| !shown.is_empty())
        {
            facts.carry(kind, label, shown, weight);
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
