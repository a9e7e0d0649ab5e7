use std::collections::HashMap;

use super::book::{Fact, FactBook};
use super::choose::Choice;
use super::fact::FactKind;
use super::line::Line;
use super::section::Section;

/// Says what the lines are.
pub(super) const NOTE: &str = "Excerpts. Much is left out.";

/// What stands between two facts, and between two numbers of the same. No fact has it inside.
pub(super) const BETWEEN: &str = "; ";
pub(super) const BETWEEN_NUMBERS: &str = ", ";

/// Writes what was chosen: each section in the order of the conversation, and the facts that no line
/// names in lists, the best first.
pub(super) fn write(chosen: &[Choice], lines: &[Line<'_>], facts: &FactBook<'_>) -> String {
    let mut named = vec![false; facts.facts().len()];
    let mut kept_lines = Vec::new();
    for &choice in chosen {
        if let Choice::Line(line) = choice {
            kept_lines.push((lines[line].section, line));
            for &fact in facts.of(&lines[line].facts) {
                named[fact] = true;
            }
        }
    }
    kept_lines.sort_unstable();

    let mut text = format!("{NOTE}\n");
    for of_section in kept_lines.chunk_by(|(one, _), (other, _)| one == other) {
        open(&mut text, of_section[0].0);
        for &(_, line) in of_section {
            text.push_str(&lines[line].written());
            text.push('\n');
        }
    }
    let mut opened = false;
    for kind in FactKind::ALL {
        let listed = chosen.iter().filter_map(|&choice| match choice {
            Choice::Fact(fact) if !named[fact] => Some(&facts.facts()[fact]),
            _ => None,
        });
        let list = list(listed.filter(|fact| fact.kind == kind));
        if list.is_empty() {
            continue;
        }
        if !opened {
            open(&mut text, Section::Facts);
            opened = true;
        }
        text.push_str(kind.label());
        text.push_str(&list);
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

/// Facts in a row, and those that are of the same behind the first of them.
fn list<'a>(facts: impl Iterator<Item = &'a Fact<'a>>) -> String {
    let mut of_label: HashMap<&str, usize> = HashMap::new();
    let mut items: Vec<String> = Vec::new();
    for fact in facts {
        match of_label.get(fact.label) {
            Some(&item) if fact.kind == FactKind::Number => {
                items[item] += BETWEEN_NUMBERS;
                items[item] += fact.shown;
            }
            _ => {
                of_label.insert(fact.label, items.len());
                items.push(format!("{}{}", fact.label, fact.shown));
            }
        }
    }
    items.join(BETWEEN)
}

fn open(text: &mut String, section: Section) {
    text.push('\n');
    text.push_str(section.heading());
    text.push('\n');
}
