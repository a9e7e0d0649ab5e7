use super::book::FactBook;
use super::fact::FactKind;
use super::line::Line;
use super::section::Section;

/// What an earlier line is worth, of what a new one of the same kind is.
const FADED: f64 = 0.7;

/// Reads an earlier summary, ours or anybody's: its lines below their headings, and our lists of
/// facts.
pub(super) fn read<'a>(previous: &'a str, facts: &mut FactBook<'a>) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    let mut section = Section::Notes;
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
        if text.is_empty() {
            continue;
        }
        let is_task = section == Section::Goal && lines.is_empty();
        let (section, worth) = match section {
            Section::Goal if is_task => (section, 1_000.0),
            Section::Goal | Section::Constraints => (section, 3.0),
            Section::Done | Section::Decisions => (section, 1.5),
            Section::Errors => (section, 1.0),
            // It was the last one.
            Section::State | Section::Facts => (Section::Notes, 1.0),
            Section::Notes => (section, 0.5),
        };
        let named = facts.read(text, 1.0);
        lines.push(Line {
            section,
            speaker: "",
            text: text.into(),
            worth: worth * FADED,
            facts: named,
        });
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
    let all = list.split("; ").count() as f64;
    for (place, shown) in list.split("; ").enumerate() {
        let rank = 1.0 - place as f64 / all;
        facts.carry(kind, shown, 0.4 + 3.0 * rank * rank);
    }
    true
}
