use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::counts::Counts;
use crate::counter::Counter;
use crate::role::role;

/// Writes what a file costs as one line.
pub(super) fn write(out: &mut impl Write, counts: &Counts, counters: &[Counter]) -> io::Result<()> {
    let by_name = |tokens| ByName { counters, tokens };
    let messages = counts.messages.iter().enumerate();
    let line = File {
        file: &counts.name,
        totals: by_name(&counts.totals),
        beside: by_name(&counts.beside),
        messages: messages
            .map(|(index, message)| Message {
                index,
                role: role(message.role),
                tokens: by_name(&message.tokens),
            })
            .collect(),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

#[derive(serde::Serialize)]
struct File<'a> {
    file: &'a str,
    totals: ByName<'a>,
    beside: ByName<'a>,
    messages: Vec<Message<'a>>,
}

#[derive(serde::Serialize)]
struct Message<'a> {
    index: usize,
    role: &'a str,
    tokens: ByName<'a>,
}

/// Tokens by the name of the estimator, in the order in which they are shown.
struct ByName<'a> {
    counters: &'a [Counter],
    tokens: &'a [u64],
}

impl Serialize for ByName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.tokens.len()))?;
        for (counter, tokens) in self.counters.iter().zip(self.tokens) {
            map.serialize_entry(&counter.name, tokens)?;
        }
        map.end()
    }
}
