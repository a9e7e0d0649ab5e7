use std::io::{self, Write};

use contextfit::overflow::Classified;

use super::kind::kind;

#[derive(serde::Serialize)]
struct Said<'a> {
    kind: &'a str,
    class: &'a str,
    requested_tokens: Option<u64>,
    limit_tokens: Option<u64>,
    template: Option<&'a str>,
}

/// Writes what an error says as one line.
pub(super) fn write(out: &mut impl Write, found: &Classified) -> io::Result<()> {
    let said = Said {
        kind: kind(found.class),
        class: found.class.name(),
        requested_tokens: found.requested_tokens(),
        limit_tokens: found.limit,
        template: found.template.as_deref(),
    };
    serde_json::to_writer(&mut *out, &said)?;
    writeln!(out)
}
