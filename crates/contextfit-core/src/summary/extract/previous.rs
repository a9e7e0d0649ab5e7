use super::book::FactBook;
use super::fact::{FactKind, kind_of, label, unit, words};
use super::line::{Line, NEWEST, OPENING, TASK};
use super::read::{SENTENCE, units};
use super::section::Section;
use super::write::{BETWEEN, BETWEEN_NUMBERS, NOTE};
use crate::summary::archive;

/// What an earlier line is worth, of what a new one of the same kind is.
const FADED: f64 = 0.7;
/// How many mentions the first fact of a list stands for. The others stand for fewer, the last for
/// none.
const FIRST: f64 = 2.0;

/// Reads an earlier summary: lines and lists of facts below our headings, and whatever somebody else
/// wrote, line by line.
pub(super) fn read<'a>(previous: &'a str, facts: &mut FactBook<'a>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let mut section = Section::Earlier;
    let mut opened = 0;
    facts.next_message();
    let is_note = |line: &str| line == NOTE || line == archive::HEADING;
    for line in previous.lines().filter(|line| !is_note(line)) {
        if line.starts_with('#') || line == "---" {
            section = Section::of_heading(line).unwrap_or(Section::Earlier);
            continue;
        }
        if section == Section::Facts && list(line, facts) {
            continue;
        }
        let (section, worth) = match section {
            Section::Earlier | Section::Goal | Section::Constraints => (section, 2.0),
            Section::Done | Section::Decisions => (section, 1.5),
            Section::Errors => (section, 1.0),
            // It was the last one.
            Section::State | Section::Facts => (Section::Notes, 1.0),
            Section::Notes => (section, 0.5),
        };
        // Ours are cut short already.
        let whole = match line.starts_with("- ") {
            true => usize::MAX,
            false => SENTENCE,
        };
        for unit in units(line, whole) {
            let opens = opened < OPENING;
            let worth = match section {
                Section::Goal if opens => TASK,
                Section::Earlier if opens => NEWEST,
                _ => worth * FADED,
            };
            opened += unit.text.len();
            facts.read((unit.text, 0));
            lines.extend(Line::new(section, "", unit.text.into(), worth, facts));
        }
    }
    lines
}

/// Reads a list of facts. Whether it is one.
fn list<'a>(line: &'a str, facts: &mut FactBook<'a>) -> bool {
    let mut kinds = FactKind::ALL.into_iter();
    let list = kinds.find_map(|kind| Some((kind, line.strip_prefix(kind.label())?)));
    let Some((kind, list)) = list else {
        return false;
    };
    let all = list.split(BETWEEN).count() as f64;
    for (place, item) in list.split(BETWEEN).enumerate() {
        let rank = 1.0 - place as f64 / all;
        let mut of = "";
        for number in item.split(BETWEEN_NUMBERS) {
            // Whoever wrote the list, only facts are taken from it.
            let mut words = words(number);
            let fact = words.find(|&(_, word)| kind_of(word) == Some(kind));
            let Some((start, word)) = fact else {
                continue;
            };
            let mut shown = word;
            if kind == FactKind::Number {
                shown = &number[start..unit(number, start + word.len())];
                // The first says what all of them are of.
                of = if start > 0 { label(number, start) } else { of };
            }
            facts.carry(kind, word, of, shown, FIRST * rank * rank);
        }
    }
    true
}
