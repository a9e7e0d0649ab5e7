use std::collections::HashMap;
use std::ops::Range;

use super::fact::{FactKind, kind_of, label, unit, weight, words};
use super::plain::Said;

/// All facts of a conversation, and how often each is named.
#[derive(Default)]
pub(super) struct FactBook<'a> {
    facts: Vec<Fact<'a>>,
    by_text: HashMap<&'a str, usize>,
    /// The facts of all lines, one line after the other.
    named: Vec<usize>,
    /// The message that is read.
    message: usize,
}

/// A fact, and what it is worth.
pub(super) struct Fact<'a> {
    pub(super) kind: FactKind,
    /// What it is of, if it is a number.
    pub(super) label: &'a str,
    /// A number is shown with its unit.
    pub(super) shown: &'a str,
    /// How many messages name it.
    mentions: f64,
    /// What it says, of what any fact says.
    weight: f64,
    /// The message that named it last.
    last: usize,
    /// A fact that this one contains: the name of a file at the end of its path.
    pub(super) inside: Option<usize>,
}

impl Fact<'_> {
    /// What it is worth to keep it. Named twice as often, it isn't worth twice as much.
    pub(super) fn worth(&self) -> f64 {
        // Nobody knows what a bare number is of.
        let is_bare =
            self.kind == FactKind::Number && self.label.is_empty() && self.shown.len() < 5;
        let weight = if is_bare {
            self.weight * 0.7
        } else {
            self.weight
        };
        weight * self.mentions.sqrt()
    }

    /// What it costs in a list, in characters. Those with the same label share it.
    pub(super) fn cost(&self) -> usize {
        self.shown.chars().count() + 2 + self.label.chars().count() / 3
    }
}

/// The facts that a line names.
pub(super) type Named = Range<usize>;

impl<'a> FactBook<'a> {
    /// What is read from here on is of the next message.
    pub(super) const fn next_message(&mut self) {
        self.message += 1;
    }

    /// Reads a line from where its value starts: a name that a program gave a value is no fact, but
    /// says what a number is of.
    pub(super) fn read(&mut self, (line, value): Said<'a>) {
        for (start, word) in words(line).filter(|&(start, _)| start >= value) {
            let Some(kind) = kind_of(word) else {
                continue;
            };
            let id = self.id(kind, word);
            self.mention(id, 1.0);
            let fact = &mut self.facts[id];
            if kind == FactKind::Number && fact.label.is_empty() {
                fact.label = label(line, start);
                fact.shown = &line[start..unit(line, start + word.len())];
            }
        }
    }

    /// The facts that a text names, of those that were read.
    pub(super) fn named_in(&mut self, text: &str) -> Named {
        let from = self.named.len();
        let ids = words(text).filter_map(|(_, word)| self.by_text.get(word));
        self.named.extend(ids);
        from..self.named.len()
    }

    /// A fact as an earlier extract shows it, and for how many mentions it stands.
    pub(super) fn carry(
        &mut self,
        kind: FactKind,
        text: &'a str,
        label: &'a str,
        shown: &'a str,
        mentions: f64,
    ) {
        let id = self.id(kind, text);
        (self.facts[id].label, self.facts[id].shown) = (label, shown);
        self.mention(id, mentions);
    }

    fn id(&mut self, kind: FactKind, text: &'a str) -> usize {
        if let Some(&id) = self.by_text.get(text) {
            return id;
        }
        let file = text.rsplit(['/', '\\']).next();
        let file = file.filter(|file| kind == FactKind::Path && file.len() < text.len());
        let file = file.and_then(|file| Some((kind_of(file)?, file)));
        let inside = file.map(|(kind, file)| self.id(kind, file));
        let id = self.facts.len();
        self.facts.push(Fact {
            kind,
            label: "",
            shown: text,
            mentions: 0.0,
            weight: weight(kind, text),
            last: usize::MAX,
            inside,
        });
        self.by_text.insert(text, id);
        id
    }

    /// A message names a fact once, however often it says it.
    fn mention(&mut self, id: usize, mentions: f64) {
        let fact = &mut self.facts[id];
        if fact.last != self.message {
            fact.last = self.message;
            fact.mentions += mentions;
        }
    }

    pub(super) fn facts(&self) -> &[Fact<'a>] {
        &self.facts
    }

    pub(super) fn of(&self, named: &Named) -> &[usize] {
        &self.named[named.clone()]
    }
}
