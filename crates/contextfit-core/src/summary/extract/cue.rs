//! Words that say what a sentence is about, in English and Chinese.
//!
//! In other languages, place and facts alone decide what is kept.

use super::section::Section;

/// What a sentence is about, by its words.
pub(super) fn section_of(sentence: &str) -> Option<Section> {
    let mut found = None;
    let words = sentence.split(|char: char| !char.is_alphanumeric() && !matches!(char, '\'' | '’'));
    for word in words.filter(|word| (2..=LONGEST).contains(&word.len())) {
        let section = match &*word.to_ascii_lowercase() {
            "must" | "mustn't" | "never" | "always" | "don't" | "don’t" | "only" | "avoid"
            | "without" | "require" | "required" | "requires" | "ensure" | "prefer"
            | "preferred" | "should" | "shouldn't" | "limit" | "budget" | "deadline"
            | "forbidden" | "cannot" | "instead" | "except" => Section::Constraints,
            "decided" | "decide" | "decision" | "agreed" | "agree" | "chose" | "choose"
            | "chosen" | "because" | "therefore" | "conclusion" | "conclude" | "reason"
            | "approved" | "rejected" | "settled" | "cause" => Section::Decisions,
            "done" | "fixed" | "created" | "added" | "removed" | "deleted" | "updated"
            | "implemented" | "completed" | "committed" | "merged" | "deployed" | "sent"
            | "booked" | "cancelled" | "canceled" | "refunded" | "installed" | "passed"
            | "finished" | "written" | "successfully" | "confirmed" | "released" => Section::Done,
            _ => continue,
        };
        // A decision or a demand says more than that something is done.
        found = found.map_or(Some(section), |other: Section| Some(other.min(section)));
    }
    if found.is_some() || sentence.is_ascii() {
        return found;
    }
    let has = |cues: &[&str]| cues.iter().any(|cue| sentence.contains(cue));
    match () {
        () if has(&[
            "必须",
            "不要",
            "不能",
            "只要",
            "不得",
            "务必",
            "一定要",
            "预算",
            "要求",
            "最好",
            "希望",
        ]) =>
        {
            Some(Section::Constraints)
        }
        () if has(&["决定", "同意", "因为", "所以", "选择", "结论", "原因"]) => {
            Some(Section::Decisions)
        }
        () if has(&[
            "已经",
            "完成",
            "成功",
            "已为您",
            "已将",
            "已创建",
            "已发送",
            "已取消",
        ]) =>
        {
            Some(Section::Done)
        }
        () => None,
    }
}

const LONGEST: usize = 16;

/// How much a line looks like what a program says that failed: 0 if not at all, 2 if its form says
/// so.
pub(super) fn failure(line: &str) -> u32 {
    let line = line.trim();
    if is_code(line) {
        return 0;
    }
    if !line.is_ascii() {
        let has = |cue: &&str| line.contains(cue);
        if ["错误", "失败", "异常", "无法"].iter().any(has) {
            return 1;
        }
    }
    let mut found = 0;
    let mut rest = line;
    for place in 0.. {
        let Some(start) = rest.find(is_of_name) else {
            break;
        };
        rest = &rest[start..];
        let before = &line[..line.len() - rest.len()];
        let (word, after) =
            rest.split_at(rest.find(|char| !is_of_name(char)).unwrap_or(rest.len()));
        rest = after;
        let is = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        if is(FAILED) || names_error(word) {
            // Somebody tells of it, or it is what a program says.
            // It may have a number: `error TS1343: …`.
            let is_said = || after.chars().take(10).any(|char| matches!(char, ':' | '['));
            let opens = place == 0 && word.starts_with(char::is_uppercase);
            let says = opens || word == "panicked" || is_said();
            let is_quoted = || IN_CODE.iter().any(|mark| before.contains(mark));
            if !is_quoted() {
                found = found.max(1 + u32::from(says));
            }
        } else if is(AMISS) {
            found = found.max(1);
        }
    }
    // Prose has no such marks.
    if found == 1 && line.contains(['=', '(', '{', '|', '<']) {
        0
    } else {
        found
    }
}

/// What comes after these is said by code, not by a program that runs.
const IN_CODE: &[&str] = &["\"", "`", " = ", "=>", "->", "|>"];
const FAILED: &[&str] = &[
    "error",
    "errors",
    "exception",
    "failed",
    "failure",
    "fatal",
    "panicked",
    "traceback",
];
const AMISS: &[&str] = &[
    "denied",
    "invalid",
    "refused",
    "timeout",
    "unable",
    "undefined",
];

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// `ValueError`, `IOException`.
fn names_error(word: &str) -> bool {
    let ends = |end: &str| word.len() > end.len() && word.ends_with(end);
    word.starts_with(|char: char| char.is_ascii_uppercase()) && (ends("Error") || ends("Exception"))
}

/// Whether a line is of a program, not by one.
fn is_code(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "//", "/*", "*", "#", "\"", "'", "|", "}", "{", "import ", "use ", "from ", "let ",
        "const ", "return ", "<",
    ];
    line.ends_with(['{', '}', ';', ',', '(', '[', '>', '"', '\\'])
        || STARTS.iter().any(|start| line.starts_with(start))
}

/// Whether a call changes something, by the name of its tool or by the command that it gives to a
/// shell: it mustn't be made again unawares.
pub(super) fn has_effect(tool: &str, arguments: &str) -> bool {
    let mut parts = parts_of_name(tool).into_iter();
    if parts.any(|part| EFFECTS.contains(&&*part)) {
        return true;
    }
    let is_shell = parts_of_name(tool)
        .iter()
        .any(|part| SHELLS.contains(&&**part));
    let command = arguments.lines().next().unwrap_or_default();
    let mut words = command.split(|char: char| !char.is_alphanumeric()).take(24);
    is_shell && words.any(|word| EFFECTS.contains(&word) || COMMANDS.contains(&word))
}

const EFFECTS: &[&str] = &[
    "add", "apply", "book", "buy", "cancel", "commit", "create", "delete", "deploy", "edit",
    "exchange", "insert", "install", "merge", "modify", "move", "order", "patch", "pay", "post",
    "publish", "push", "refund", "remove", "rename", "replace", "send", "set", "transfer",
    "update", "write",
];
const SHELLS: &[&str] = &[
    "bash", "cmd", "command", "exec", "execute", "run", "shell", "terminal",
];
const COMMANDS: &[&str] = &["chmod", "cp", "kill", "mkdir", "mv", "rm"];

/// The words of a name, however it is written.
fn parts_of_name(name: &str) -> Vec<String> {
    let mut parts = String::new();
    for char in name.chars().take(80) {
        if char.is_uppercase() {
            parts.push(' ');
        }
        parts.extend(char.to_lowercase());
    }
    let parts = parts.split(|char: char| !char.is_alphanumeric());
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_about_what_its_words_say() {
        for (sentence, section) in [
            ("It MUST NOT be cached.", Some(Section::Constraints)),
            ("We decided to use port 8080.", Some(Section::Decisions)),
            ("I've fixed it.", Some(Section::Done)),
            ("I fixed it, but never run it.", Some(Section::Constraints)),
            ("Hello there.", None),
            ("预算不超过500元。", Some(Section::Constraints)),
            ("发票已成功生成。", Some(Section::Done)),
            ("你好。", None),
        ] {
            assert_eq!(section_of(sentence), section, "{sentence}");
        }
    }

    #[test]
    fn a_failure_is_told_from_code_that_speaks_of_one() {
        for (line, says) in [
            ("error[E0382]: borrow of moved value", 2),
            ("  ValueError: too many values", 2),
            ("thread 'main' panicked at src/main.rs:2:5", 2),
            ("/bin/sh: permission denied", 1),
            ("return handle_error(err)", 0),
            ("} catch (error) {", 0),
            ("npm error code 2", 1),
            ("src/a.ts(10,46): error TS1343: no such thing", 2),
            (r#"Logger.warning("parse failed: #{reason}")"#, 0),
            ("errors = load_errors(record)", 0),
            ("FAILED tests/a.py - assert 1 == 2", 2),
            ("all went well", 0),
            ("查询失败", 1),
        ] {
            assert_eq!(failure(line), says, "{line}");
        }
    }

    #[test]
    fn a_tool_has_an_effect_if_its_name_says_so() {
        for (tool, arguments, effect) in [
            ("write_file", "", true),
            ("WriteFile", "", true),
            ("book-flight", "", true),
            ("bash", "command: cd a && git commit -m b", true),
            ("bash", "command: git log", false),
            ("read", "path: commit", false),
            ("address_lookup", "", false),
            ("settings", "", false),
            ("", "", false),
        ] {
            assert_eq!(has_effect(tool, arguments), effect, "{tool} {arguments}");
        }
    }
}
