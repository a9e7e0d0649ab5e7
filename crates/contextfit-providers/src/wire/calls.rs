//! Which result answers which call.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::index::Id;

/// The calls of a conversation that wait for their results, for formats in which the two may know
/// each other by an id, by the name of the tool, or by nothing but their order.
///
/// Calls and results get ids that are made here, so that none of them can be mistaken for another
/// that a client wrote.
#[derive(Default)]
pub(super) struct Calls<'a> {
    calls: Vec<Call>,
    by_id: HashMap<Cow<'a, str>, usize>,
    by_name: HashMap<Cow<'a, str>, Waiting>,
    in_order: Waiting,
    /// Calls that are made at once have a round of their own.
    round: usize,
}

struct Call {
    is_open: bool,
    has_id: bool,
}

/// The calls of a round, the first first.
#[derive(Default)]
struct Waiting {
    round: usize,
    calls: VecDeque<usize>,
}

impl Waiting {
    /// Adds a call. What an earlier round left open is waited for no longer.
    fn add(&mut self, call: usize, round: usize) {
        if self.round != round {
            self.round = round;
            self.calls.clear();
        }
        self.calls.push_back(call);
    }

    fn first(&mut self, calls: &[Call]) -> Option<usize> {
        let is_open = |call: usize| calls.get(call).is_some_and(|call| call.is_open);
        while let Some(&call) = self.calls.front() {
            if is_open(call) {
                return Some(call);
            }
            self.calls.pop_front();
        }
        None
    }
}

impl<'a> Calls<'a> {
    /// A tool is called, under an id where it has one.
    pub(super) fn call(&mut self, id: Option<Cow<'a, str>>, name: Cow<'a, str>) -> Id {
        let number = self.calls.len();
        self.calls.push(Call {
            is_open: true,
            has_id: id.is_some(),
        });
        let round = self.round;
        self.in_order.add(number, round);
        self.by_name.entry(name).or_default().add(number, round);
        if let Some(id) = id {
            self.by_id.insert(id, number);
        }
        made(number)
    }

    /// A result comes: it answers the call of its id. Where one of the two has no id, it answers
    /// the first call of its name that is open, and where it has no name either, the first that is
    /// open at all. `None` if it answers none.
    pub(super) fn answer(&mut self, id: Option<&str>, name: Option<&str>) -> Option<Id> {
        let same_id = id.and_then(|id| self.by_id.get(id)).copied();
        let number = same_id
            .filter(|&call| self.calls[call].is_open)
            .or_else(|| self.first(id.is_some(), name))?;
        self.calls[number].is_open = false;
        Some(made(number))
    }

    fn first(&mut self, has_id: bool, name: Option<&str>) -> Option<usize> {
        let waiting = match name {
            Some(name) => self.by_name.get_mut(name)?,
            None => &mut self.in_order,
        };
        let first = waiting.first(&self.calls)?;
        // Two ids that differ are two calls, whatever they are named.
        (!has_id || !self.calls[first].has_id).then_some(first)
    }

    /// Ends a round: what is called from now on isn't called together with what was called before.
    pub(super) fn end_round(&mut self) {
        self.round += 1;
    }
}

fn made(number: usize) -> Id {
    Id::Made(number.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls (`+`) and results (`-`) by id and name, and rounds that end (`.`): for each result,
    /// the call it answers.
    fn answers(steps: &[&'static str]) -> Vec<Option<usize>> {
        let mut calls = Calls::default();
        let mut answers = Vec::new();
        for step in steps {
            let (id, name) = step[1..].split_once(':').unwrap_or(("", &step[1..]));
            let [id, name] = [id, name].map(|text| Some(text).filter(|text| !text.is_empty()));
            match &step[..1] {
                "+" => drop(calls.call(id.map(Cow::from), name.unwrap_or_default().into())),
                "-" => answers.push(calls.answer(id, name).map(|id| id.get("").parse().unwrap())),
                _ => calls.end_round(),
            }
        }
        answers
    }

    #[test]
    fn a_result_answers_the_call_of_its_id_or_else_the_next_of_its_name() {
        for (steps, expected) in [
            // By id, in any order.
            (&["+1:f", "+2:f", "-2:f", "-1:f"][..], [Some(1), Some(0)]),
            // By name, and by order among calls of one name.
            (&["+f", "+g", "+f", "-f", "-f"], [Some(0), Some(2)]),
            // By order alone.
            (&["+f", "+g", "-", "-"], [Some(0), Some(1)]),
            (&["+f", "+g", "-g", "-"], [Some(1), Some(0)]),
            // Only one of the two has an id.
            (&["+1:f", "+f", "-f", "-9:f"], [Some(0), Some(1)]),
            // Ids that differ are two calls; a name that differs is, too.
            (&["+1:f", "-2:f", "-1:f"], [None, Some(0)]),
            (&["+f", "-g", "-f"], [None, Some(0)]),
            // No call has two results.
            (&["+1:f", "-1:f", "-1:f"], [Some(0), None]),
            // What was never answered is forgotten when the tool is called again.
            (&["+f", ".", "+f", "-f", "-f"], [Some(1), None]),
            (&["+f", ".", "+g", "-", "-f"], [Some(1), Some(0)]),
            // An id that is used again is the later call's.
            (&["+1:f", ".", "+1:f", "-1:f", "-1:f"], [Some(1), None]),
        ] {
            assert_eq!(answers(steps), expected, "{steps:?}");
        }
    }
}
