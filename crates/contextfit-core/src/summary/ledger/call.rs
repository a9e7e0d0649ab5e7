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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_argument_of_a_long_call_is_seen() {
        let long = "word ".repeat(100);
        let arguments = format!(r#"{{"to":"ann","body":"{long}","copy":"{long}","n":1.50}}"#);
        let line = call_line("send", &Arguments::of(&arguments));
        assert!((150..=CALL).contains(&line.chars().count()), "{line}");
        for part in [
            "send(body=\"word ",
            "word \", copy=\"word ",
            "word \", n=1.50, to=\"ann\")",
        ] {
            assert!(line.contains(part), "{line}");
        }
        // Both are shortened alike.
        assert_eq!(line.matches("[… 4").count(), 2, "{line}");
    }

    #[test]
    fn a_call_is_a_line_of_bounded_length_whatever_it_says() {
        let many: Vec<String> = (0..100)
            .map(|number| format!(r#""a{number}":{number}"#))
            .collect();
        let many = format!("{{{}}}", many.join(","));
        for arguments in [&*many, &"x".repeat(500), "{\n\"a\":\n[1,\n2]}", "\n"] {
            for tool in ["f", "f\n", &"f".repeat(500)] {
                let line = call_line(tool, &Arguments::of(arguments));
                assert!(
                    line.chars().count() <= CALL && !line.contains('\n'),
                    "{line}"
                );
            }
        }
        assert_eq!(command_line("sh", "make\n  all\n"), r"sh(make\n  all)");
        assert_eq!(command_line("sh", &"x".repeat(500)).chars().count(), CALL);
    }
}
