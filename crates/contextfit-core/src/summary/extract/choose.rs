use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

use super::book::FactBook;
use super::line::Line;
use super::section::Section;

/// One thing that an extract may hold, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Line(usize),
    Fact(usize),
}

/// What to keep, the best first, up to so many characters.
///
/// In each section, what is worth most for its length comes first. A fact counts once: what names
/// it after that is worth less. The sections take turns, so that each has its share however little
/// is kept.
pub(super) fn choose(lines: &[Line<'_>], facts: &FactBook<'_>, most: usize) -> Vec<Choice> {
    let mut chooser = Chooser {
        lines,
        facts,
        kept: vec![false; facts.facts().len()],
        said: HashSet::new(),
    };
    let mut heaps: [BinaryHeap<Rated>; Section::ALL.len()] = Default::default();
    for (index, line) in lines.iter().enumerate() {
        heaps[line.section as usize].push(chooser.rated(Choice::Line(index)));
    }
    for index in 0..facts.facts().len() {
        heaps[Section::Facts as usize].push(chooser.rated(Choice::Fact(index)));
    }

    let mut spent = [0.0_f64; Section::ALL.len()];
    let mut length = 0;
    let mut chosen = Vec::new();
    while length < most {
        let turn = Section::ALL
            .into_iter()
            .filter(|&section| !heaps[section as usize].is_empty())
            .min_by(|&one, &other| spent[one as usize].total_cmp(&spent[other as usize]));
        let Some(section) = turn else { break };
        let heap = &mut heaps[section as usize];
        while let Some(best) = heap.pop() {
            let now = chooser.rated(best.choice);
            if heap.peek().is_some_and(|next| now < *next) {
                // Others were chosen since that say the same.
                if now.rate > 0.0 {
                    heap.push(now);
                }
                continue;
            }
            if now.rate > 0.0 && chooser.take(best.choice) {
                let cost = chooser.cost(best.choice);
                length += cost;
                spent[section as usize] += cost as f64 / f64::from(section.share());
                chosen.push(best.choice);
                break;
            }
        }
    }
    chosen
}

struct Chooser<'a, 'b> {
    lines: &'b [Line<'a>],
    facts: &'b FactBook<'a>,
    kept: Vec<bool>,
    said: HashSet<String>,
}

impl Chooser<'_, '_> {
    fn rated(&self, choice: Choice) -> Rated {
        let worth = match choice {
            Choice::Line(line) => {
                let line = &self.lines[line];
                let named = self.facts.of(&line.facts).iter();
                let new = named.filter(|&&fact| !self.kept[fact]);
                line.worth
                    + new
                        .map(|&fact| self.facts.facts()[fact].worth())
                        .sum::<f64>()
            }
            Choice::Fact(fact) if self.kept[fact] => 0.0,
            Choice::Fact(fact) => self.facts.facts()[fact].worth(),
        };
        Rated {
            rate: worth / self.cost(choice) as f64,
            choice,
        }
    }

    fn cost(&self, choice: Choice) -> usize {
        match choice {
            Choice::Line(line) => self.lines[line].cost(),
            Choice::Fact(fact) => self.facts.facts()[fact].cost(),
        }
    }

    /// Keeps what it says; `false` if that is said already.
    fn take(&mut self, choice: Choice) -> bool {
        match choice {
            Choice::Line(line) => {
                let line = &self.lines[line];
                let is_new = self.said.insert(line.written());
                for &fact in self.facts.of(&line.facts) {
                    self.keep(fact);
                }
                is_new
            }
            Choice::Fact(fact) => {
                self.keep(fact);
                true
            }
        }
    }

    fn keep(&mut self, fact: usize) {
        self.kept[fact] = true;
        if let Some(inside) = self.facts.facts()[fact].inside {
            self.kept[inside] = true;
        }
    }
}

/// A choice and what it is worth for its length. Of lines that are equals the earlier is the better,
/// of facts the later.
#[derive(Clone, Copy, Debug)]
struct Rated {
    rate: f64,
    choice: Choice,
}

impl Rated {
    fn place(&self) -> (bool, usize) {
        match self.choice {
            Choice::Line(line) => (true, usize::MAX - line),
            Choice::Fact(fact) => (false, fact),
        }
    }
}

impl Ord for Rated {
    fn cmp(&self, other: &Self) -> Ordering {
        let rate = self.rate.total_cmp(&other.rate);
        rate.then_with(|| self.place().cmp(&other.place()))
    }
}

impl PartialOrd for Rated {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rated {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rated {}
