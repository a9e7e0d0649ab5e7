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

/// How much a line looks like what a program says that failed: 0 if not at all, 2 if its start or
/// its form says so.
pub(super) fn failure(line: &str) -> u32 {
    let line = line.trim_start();
    let mut found = 0;
    let mut words = line
        .split(|char: char| !char.is_alphanumeric() && char != '_')
        .filter(|word| word.len() > 3);
    let mut place = 0;
    for word in words.by_ref() {
        place += 1;
        let is = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
        let names_one = || {
            let named = |end: &str| word.len() > end.len() && word.ends_with(end);
            word.starts_with(|char: char| char.is_ascii_uppercase())
                && (named("Error") || named("Exception"))
        };
        if is(&[
            "error",
            "errors",
            "fatal",
            "failed",
            "panicked",
            "traceback",
            "exception",
            "failure",
        ]) || names_one()
        {
            let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
            let said = line[end..].starts_with([':', '[', '(']);
            found = found.max(if place <= 3 || said { 2 } else { 1 });
        } else if is(&[
            "denied",
            "refused",
            "timeout",
            "undefined",
            "unable",
            "cannot",
            "missing",
            "invalid",
        ]) {
            found = found.max(1);
        }
    }
    if found == 0 && !line.is_ascii() {
        let has = |cue: &&str| line.contains(cue);
        found = ["错误", "失败", "异常", "无法"].iter().any(has).into();
    }
    found
}

/// Whether a tool of this name changes something, so that it mustn't be called again unawares.
pub(super) fn has_effect(tool: &str) -> bool {
    const VERBS: [&str; 32] = [
        "add", "apply", "book", "buy", "cancel", "commit", "create", "delete", "deploy", "edit",
        "exchange", "insert", "install", "merge", "modify", "move", "order", "patch", "pay",
        "post", "publish", "push", "refund", "remove", "rename", "replace", "return", "send",
        "set", "transfer", "update", "write",
    ];
    let mut name = String::with_capacity(tool.len() + 4);
    for char in tool.chars().take(80) {
        if char.is_uppercase() {
            name.push('_');
        }
        name.extend(char.to_lowercase());
    }
    let mut parts = name.split(|char: char| !char.is_alphanumeric());
    parts.any(|part| VERBS.contains(&part))
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
            ("all went well", 0),
            ("查询失败", 1),
        ] {
            assert_eq!(failure(line), says, "{line}");
        }
    }

    #[test]
    fn a_tool_has_an_effect_if_its_name_says_so() {
        for tool in ["write_file", "WriteFile", "book-flight", "edit"] {
            assert!(has_effect(tool), "{tool}");
        }
        for tool in ["read", "address_lookup", "settings", ""] {
            assert!(!has_effect(tool), "{tool}");
        }
    }
}
