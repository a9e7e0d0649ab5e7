//! Words that say what a sentence is about, in English and Chinese.
//!
//! In other languages, place and facts alone decide what is kept.

/// What a sentence is about, by its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cues {
    /// It demands something, or rules it out.
    pub(super) limits: bool,
    /// It decides something, or says why.
    pub(super) decides: bool,
    /// It says that something is done.
    pub(super) done: bool,
}

impl Cues {
    pub(super) fn of(sentence: &str) -> Self {
        let mut cues = Self::default();
        let is_inner = |char: char| char.is_alphanumeric() || matches!(char, '\'' | '’');
        let words = sentence.split(|char| !is_inner(char));
        for word in words.filter(|word| (4..=LONGEST).contains(&word.len())) {
            let word = &*word.to_ascii_lowercase();
            cues.limits |= LIMITS.contains(&word);
            cues.decides |= DECIDES.contains(&word);
            cues.done |= DONE.contains(&word);
        }
        if !sentence.is_ascii() {
            let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
            cues.limits |= has(LIMITS_ZH);
            cues.decides |= has(DECIDES_ZH);
            cues.done |= has(DONE_ZH);
        }
        cues
    }
}

/// No longer word is looked up.
const LONGEST: usize = 16;
const LIMITS: &[&str] = &[
    "always",
    "avoid",
    "budget",
    "cannot",
    "deadline",
    "don't",
    "don’t",
    "ensure",
    "except",
    "forbidden",
    "instead",
    "limit",
    "must",
    "mustn't",
    "mustn’t",
    "never",
    "only",
    "prefer",
    "preferred",
    "require",
    "required",
    "requires",
    "should",
    "shouldn't",
    "shouldn’t",
    "without",
];
const LIMITS_ZH: &[&str] = &[
    "一定要",
    "不得",
    "不能",
    "不要",
    "务必",
    "只要",
    "希望",
    "必须",
    "最好",
    "要求",
    "预算",
];
const DECIDES: &[&str] = &[
    "agree",
    "agreed",
    "approved",
    "because",
    "cause",
    "choose",
    "chose",
    "chosen",
    "conclude",
    "conclusion",
    "decide",
    "decided",
    "decision",
    "reason",
    "rejected",
    "settled",
    "therefore",
];
const DECIDES_ZH: &[&str] = &["决定", "原因", "同意", "因为", "所以", "结论", "选择"];
const DONE: &[&str] = &[
    "added",
    "booked",
    "canceled",
    "cancelled",
    "committed",
    "completed",
    "confirmed",
    "created",
    "deleted",
    "deployed",
    "done",
    "finished",
    "fixed",
    "implemented",
    "installed",
    "merged",
    "passed",
    "refunded",
    "released",
    "removed",
    "sent",
    "successfully",
    "updated",
    "written",
];
const DONE_ZH: &[&str] = &[
    "完成",
    "已为您",
    "已创建",
    "已发送",
    "已取消",
    "已将",
    "已经",
    "成功",
];

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
            let loud = || !word.contains(char::is_lowercase) || word == "Traceback";
            let opens = place == 0 && (loud() || names_error(word));
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
        for (sentence, limits, decides, done) in [
            ("It MUST NOT be cached.", true, false, false),
            ("We decided to use port 8080.", false, true, false),
            ("I've fixed it.", false, false, true),
            ("I fixed it, but never run it.", true, false, true),
            ("Don’t do it, because it is done.", true, true, true),
            ("Hello there.", false, false, false),
            ("预算不超过500元。", true, false, false),
            ("发票已成功生成。", false, false, true),
            ("我们决定换货。", false, true, false),
            ("你好。", false, false, false),
        ] {
            let cues = Cues {
                limits,
                decides,
                done,
            };
            assert_eq!(Cues::of(sentence), cues, "{sentence}");
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
            ("Error panels of the page", 1),
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
