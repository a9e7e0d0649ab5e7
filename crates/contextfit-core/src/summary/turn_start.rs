/// Joins the summary of a history with one of the beginning of the turn that comes after it, for
/// a cut that falls inside of a turn.
///
/// What is blank is left out; a history that is blank is said to be empty.
///
/// ```
/// use contextfit_core::summary::with_turn_start;
///
/// let text = with_turn_start("They chose port 8080.", "The user asked for a test.");
/// assert!(text.starts_with("They chose port 8080.\n\n---\n\n"));
/// assert!(text.ends_with("\n\nThe user asked for a test."));
/// ```
#[must_use]
pub fn with_turn_start(history: &str, turn_start: &str) -> String {
    let (history, turn_start) = (history.trim(), turn_start.trim());
    if turn_start.is_empty() {
        return history.to_owned();
    }
    let history = if history.is_empty() {
        NO_HISTORY
    } else {
        history
    };
    format!("{history}\n\n---\n\n{HEADING}\n\n{turn_start}")
}

const NO_HISTORY: &str = "Nothing came before this turn.";
const HEADING: &str = "# How the current turn began (its end follows word for word)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a37_the_history_comes_first_and_the_start_of_the_turn_below_a_line() {
        assert_eq!(
            with_turn_start(" history\n", "start\n"),
            "history\n\n---\n\n# How the current turn began (its end follows word for word)\n\nstart"
        );
    }

    #[test]
    fn a37_an_empty_history_is_said_to_be_empty() {
        let text = with_turn_start(" \n", "start");
        assert!(text.starts_with("Nothing came before this turn.\n\n---\n\n"));
        assert!(text.ends_with("\n\nstart"));
    }

    #[test]
    fn a36_without_a_start_of_the_turn_the_history_stands_alone() {
        assert_eq!(with_turn_start("history", " "), "history");
        assert_eq!(with_turn_start("", ""), "");
    }
}
