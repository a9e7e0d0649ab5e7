use super::super::{largest, one_line, shortened_middle};
use super::arguments::Arguments;

/// The most characters of a call.
const CALL: usize = 160;
/// The values of a call are cut to no fewer characters each; fewer say nothing.
const LEAST_VALUE: usize = 24;

/// A call in one line, such as `send(subject="Hi", to="ann")`. The arguments are sorted, so that
/// the same call always reads the same; where it is too long, its long arguments are shortened, so
/// that each is still seen.
pub(super) fn call_line(tool: &str, arguments: &Arguments<'_>) -> String {
    let tool = one_line(tool);
    let Some(fields) = &arguments.fields else {
        return shortened_middle(&format!("{tool}({})", one_line(arguments.text)), CALL);
    };
    let with_values_of = |most: usize| {
        let parts: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", shortened_middle(value.get(), most)))
            .collect();
        one_line(&format!("{tool}({})", parts.join(", "))).into_owned()
    };
    let fits = |line: &String| line.chars().count() <= CALL;
    largest(LEAST_VALUE..=CALL, |most| {
        Some(with_values_of(most)).filter(fits)
    })
    .unwrap_or_else(|| shortened_middle(&with_values_of(LEAST_VALUE), CALL))
}

/// A command of a shell in one line, such as `bash(git push)`. What else a call says, such as how
/// long to wait, is not what was done.
pub(super) fn command_line(tool: &str, command: &str) -> String {
    shortened_middle(&format!("{}({})", one_line(tool), one_line(command)), CALL)
}
