use super::book::FactBook;
use super::choose::Choice;
use super::fact::FactKind;
use super::line::Line;
use super::section::Section;

/// What stands between two facts. No fact has it inside.
pub(super) const BETWEEN: &str = "; ";

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

    let mut text = String::new();
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
        let shown: Vec<&str> = listed
            .filter(|fact| fact.kind == kind)
            .map(|fact| fact.shown)
            .collect();
        if shown.is_empty() {
            continue;
        }
        if !opened {
            open(&mut text, Section::Facts);
            opened = true;
        }
        text.push_str(kind.label());
        text.push_str(&shown.join(BETWEEN));
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text
}

fn open(text: &mut String, section: Section) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(section.heading());
    text.push('\n');
}
