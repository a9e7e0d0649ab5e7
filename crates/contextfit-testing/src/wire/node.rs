use serde_json::Value;

use super::{Rule, Violation};

/// A value in a body, and the place where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) value: &'a Value,
    pub(super) place: String,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Value) -> Self {
        let place = String::new();
        Self { value, place }
    }

    /// The place of a field, be it there or not.
    pub(super) fn inside(&self, name: &str) -> String {
        if self.place.is_empty() {
            return name.to_owned();
        }
        format!("{}.{name}", self.place)
    }

    /// A field. One that is null is none: clients write out what they left empty.
    pub(super) fn field(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        let place = self.inside(name);
        Some(Self { value, place })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.field(name).is_some()
    }

    /// A field that is a string.
    pub(super) fn str(&self, name: &str) -> Option<&'a str> {
        self.value.get(name)?.as_str()
    }

    /// What is in this list, if it is one.
    pub(super) fn list(&self) -> Option<Vec<Self>> {
        let items = self.value.as_array()?.iter().enumerate();
        let node = |(index, value)| Node {
            value,
            place: format!("{}[{index}]", self.place),
        };
        Some(items.map(node).collect())
    }

    /// What is in the list of this name; nothing, where there is none.
    pub(super) fn items(&self, name: &str) -> Vec<Self> {
        let list = self.field(name).and_then(|list| list.list());
        list.unwrap_or_default()
    }

    /// The names of the fields that are there.
    pub(super) fn names(&self) -> Vec<&'a str> {
        let fields = self.value.as_object().into_iter().flatten();
        let there = fields.filter(|(_, value)| !value.is_null());
        there.map(|(name, _)| name.as_str()).collect()
    }
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Findings(pub(super) Vec<Violation>);

impl Findings {
    pub(super) fn add(&mut self, place: impl Into<String>, rule: Rule) {
        let place = place.into();
        self.0.push(Violation { place, rule });
    }

    /// Adds a violation unless `holds`.
    pub(super) fn demand(&mut self, holds: bool, place: impl Into<String>, rule: Rule) {
        if !holds {
            self.add(place, rule);
        }
    }

    /// The messages under this name, of which there must be some.
    pub(super) fn messages<'a>(&mut self, body: &Node<'a>, name: &str) -> Vec<Node<'a>> {
        match body.field(name).map(|list| list.list()) {
            Some(Some(messages)) if !messages.is_empty() => return messages,
            Some(None) => self.add(name, Rule::Form),
            _ => self.add(name, Rule::NoMessages),
        }
        Vec::new()
    }

    /// A string that must be there, and not empty.
    pub(super) fn name<'a>(&mut self, node: &Node<'a>, field: &str) -> Option<&'a str> {
        let name = node.str(field).filter(|name| !name.is_empty());
        self.demand(name.is_some(), node.inside(field), Rule::Form);
        name
    }

    /// Text that must be there, and more than white space.
    pub(super) fn text(&mut self, node: &Node<'_>, field: &str) {
        match node.str(field) {
            None => self.add(node.inside(field), Rule::Form),
            Some(text) => self.not_blank(text, node.inside(field)),
        }
    }

    pub(super) fn not_blank(&mut self, text: &str, place: impl Into<String>) {
        self.demand(!text.trim().is_empty(), place, Rule::Blank);
    }

    /// Calls against the results that stand where theirs must stand: each has exactly one.
    pub(super) fn settle(&mut self, calls: &[Tie<'_>], results: &[Tie<'_>]) {
        let mut open: Vec<&Tie<'_>> = calls.iter().collect();
        for result in results {
            if let Some(call) = open.iter().position(|call| call.id == result.id) {
                open.remove(call);
            } else if calls.iter().any(|call| call.id == result.id) {
                self.add(&*result.place, Rule::SecondResult);
            } else {
                self.add(&*result.place, Rule::StrayResult);
            }
        }
        for call in open {
            self.add(&*call.place, Rule::OpenCall);
        }
    }

    /// No id is used twice.
    pub(super) fn unique(&mut self, ties: &[Tie<'_>]) {
        for (at, tie) in ties.iter().enumerate() {
            let before = ties[..at].iter().any(|before| before.id == tie.id);
            self.demand(!before, &*tie.place, Rule::RepeatedId);
        }
    }

    /// User and model take turns, the user first. `None` is who may stand anywhere.
    pub(super) fn alternate(&mut self, speakers: &[(String, Option<Speaker>)]) {
        let mut last = None;
        for (place, speaker) in speakers {
            match (last, speaker) {
                (_, None) => {}
                (None, Some(Speaker::Model)) => self.add(&**place, Rule::FirstRole),
                (Some(last), Some(speaker)) if last == *speaker => {
                    self.add(&**place, Rule::Alternation);
                }
                _ => {}
            }
            last = speaker.or(last);
        }
    }
}

/// The id of a call, or of the call that a result answers, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Tie<'a> {
    pub(super) id: &'a str,
    pub(super) place: String,
}

/// Who takes turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Model,
}

/// Ids as Anthropic and Bedrock take them.
pub(super) fn is_plain_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !id.is_empty() && id.chars().all(plain)
}
