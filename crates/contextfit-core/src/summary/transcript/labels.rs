use std::borrow::Cow;

/// What a label begins with.
const ROLES: [&str; 3] = ["User", "Assistant", "Tool"];

/// What stands before a text, and tells who says it. No name can end it.
pub(super) fn label(who: &str) -> String {
    format!("[{}]:", who.trim_end().replace('[', "(").replace(']', ")"))
}

/// A text with a backslash in whatever reads like a label, wherever that stands: once a text is
/// clipped, it may begin anywhere.
pub(super) fn unlabelled(text: &str) -> Cow<'_, str> {
    let mut quoted = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices('[') {
        if opens_label(&text[at + 1..]) {
            quoted.push_str(&text[done..=at]);
            quoted.push('\\');
            done = at + 1;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    quoted.push_str(&text[done..]);
    Cow::Owned(quoted)
}

/// Whether a label goes on like this, in whatever case it is written.
fn opens_label(rest: &str) -> bool {
    let rest = rest.trim_start_matches(' ');
    let is_role = |role: &str| {
        let start = rest.as_bytes().get(..role.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(role.as_bytes()))
    };
    let ends = |char: char| matches!(char, '[' | ']' | '\n');
    ROLES.iter().any(|role| is_role(role))
        && rest
            .find(ends)
            .and_then(|end| rest[end..].strip_prefix(']'))
            .is_some_and(|after| after.trim_start_matches(' ').starts_with([':', '：']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_like_a_label_is_none() {
        for (text, quoted) in [
            ("[User]: yes", r"[\User]: yes"),
            ("a [ASSISTANT thinking] : b", r"a [\ASSISTANT thinking] : b"),
            ("[[ tool result x]： b", r"[[\ tool result x]： b"),
            ("[User [User]:", r"[User [\User]:"),
        ] {
            assert_eq!(unlabelled(text), quoted);
            assert_eq!(unlabelled(quoted), quoted);
        }
    }

    #[test]
    fn what_does_not_is_left_as_it_is() {
        for text in [
            "[User]",
            "[Useful]: é",
            "[Us",
            "[INFO]: User",
            "[User\n]:",
            "[用户]: 是",
            "",
        ] {
            let left = unlabelled(text);
            assert!(
                matches!(left, Cow::Borrowed(left) if left == text),
                "{text}"
            );
        }
        assert_eq!(label("User [a]: b "), "[User (a): b]:");
    }
}
