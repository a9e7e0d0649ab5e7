use std::collections::BTreeMap;

use super::arguments::Arguments;
use super::call::{call_line, command_line};
use super::entry::{Entry, name_form};
use super::tools::{Use, is_any_tool, letters};
use super::{patch, shell};

/// What a [`Ledger`](super::Ledger) records, and how much of it.
///
/// By default it is the paths that tools for files are called with, under the usual names of such
/// tools and of their arguments: `read_file`, `Edit`, `str_replace_editor`, `apply_patch`,
/// `mcp__disk__write_file`. And it is the calls of all other tools, so that nobody does again what
/// is done; but for those that only look, as their name says (`get_user`, `search`, `list_files`),
/// and for commands of a shell that only look (`git status`, `grep x | head`).
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_core::summary::{Ledger, LedgerRules};
///
/// let rules = LedgerRules::none().record("Tickets touched", "update_ticket", "ticket_id");
/// let chat = ChatRequest::new("a-model", [
///     ChatMessage::assistant("").call("1", "update_ticket", r#"{"ticket_id":4711}"#),
/// ]);
/// let mut ledger = Ledger::default();
/// ledger.record(&chat, [0], &rules);
/// assert_eq!(ledger.entries("Tickets touched").collect::<Vec<_>>(), ["4711"]);
/// ```
#[derive(Clone, Debug)]
pub struct LedgerRules {
    /// Whether files and calls are recorded.
    ours: bool,
    named: Vec<Named>,
    /// Tools whose calls are recorded whatever their name sounds like; the letters of each.
    acting: Vec<String>,
    /// Tools of which nothing is recorded; the letters of each.
    passed_over: Vec<String>,
    most: BTreeMap<String, usize>,
}

/// An argument whose values are recorded; of names, the letters.
#[derive(Clone, Debug)]
struct Named {
    list: String,
    tool: String,
    argument: String,
}

/// What is recorded of a call.
pub(super) struct Record<'a> {
    pub(super) list: &'a str,
    pub(super) entry: Entry,
    /// Whether it is the call itself, so that its result belongs to it.
    pub(super) is_call: bool,
}

impl LedgerRules {
    /// The list of the files that were read and not modified.
    pub const FILES_READ: &'static str = "Files read";
    /// The list of the files that were modified, created or taken away.
    pub const FILES_MODIFIED: &'static str = "Files modified";
    /// The list of the calls that may have had side effects.
    pub const CALLS_MADE: &'static str = "Calls made";

    pub(super) const OURS: [&str; 3] = [Self::FILES_READ, Self::FILES_MODIFIED, Self::CALLS_MADE];
    /// The most entries of a list, unless it is set.
    const MOST: usize = 50;
    /// A call is longer than a path, and the newest matter most.
    const MOST_CALLS: usize = 20;
    /// However many are asked for.
    pub(super) const MOST_EVER: usize = 1_000;

    /// Nothing is recorded but what is added.
    #[must_use]
    pub fn none() -> Self {
        Self {
            ours: false,
            named: Vec::new(),
            acting: Vec::new(),
            passed_over: Vec::new(),
            most: BTreeMap::from([(Self::CALLS_MADE.to_owned(), Self::MOST_CALLS)]),
        }
    }

    /// Records what a tool's argument says, under a list of any name: a text, a number, or a list
    /// of such. Its calls still stand under [`CALLS_MADE`](Self::CALLS_MADE), if they did.
    ///
    /// Names of tools and of arguments are compared without regard to case, `_` and `-`, and the
    /// name of a tool's server before it may be left out. A name of a list that can't be a line
    /// of its own is made one; under a blank one nothing is recorded.
    #[must_use]
    pub fn record(
        mut self,
        list: impl AsRef<str>,
        tool: impl AsRef<str>,
        argument: impl AsRef<str>,
    ) -> Self {
        self.named.push(Named {
            list: name_form(list.as_ref()),
            tool: letters(tool.as_ref()).collect(),
            argument: letters(argument.as_ref()).collect(),
        });
        self
    }

    /// Records the calls of a tool under [`CALLS_MADE`](Self::CALLS_MADE), also if its name sounds
    /// as if it only looked.
    #[must_use]
    pub fn record_calls(mut self, tool: impl AsRef<str>) -> Self {
        self.acting.push(letters(tool.as_ref()).collect());
        self
    }

    /// Records nothing of a tool, whatever else is set for it.
    #[must_use]
    pub fn pass_over(mut self, tool: impl AsRef<str>) -> Self {
        self.passed_over.push(letters(tool.as_ref()).collect());
        self
    }

    /// How many entries a list has at most; 0 is no such list. 50 by default, 20 calls, and never
    /// more than 1,000.
    #[must_use]
    pub fn most_entries(mut self, list: impl AsRef<str>, entries: usize) -> Self {
        self.most.insert(name_form(list.as_ref()), entries);
        self
    }

    pub(super) fn most(&self, list: &str) -> usize {
        let most = self.most.get(list).copied().unwrap_or(Self::MOST);
        most.min(Self::MOST_EVER)
    }

    /// What is recorded of a call.
    pub(super) fn records(&self, tool: &str, arguments: &str) -> Vec<Record<'_>> {
        let is_any = |tools: &[String]| tools.iter().any(|known| is_any_tool(tool, known));
        if tool.trim().is_empty() || is_any(&self.passed_over) {
            return Vec::new();
        }
        let arguments = Arguments::of(arguments);
        let mut records = Vec::new();
        if is_any(&self.acting) {
            records.extend(call(&call_line(tool, &arguments)));
        } else if self.ours {
            records = ours(tool, &arguments);
        }
        for named in self
            .named
            .iter()
            .filter(|named| is_any_tool(tool, &named.tool))
        {
            let values = arguments.values(&named.argument, true);
            records.extend(values.iter().filter_map(|value| of(&named.list, value)));
        }
        records
    }
}

impl Default for LedgerRules {
    /// Files and calls.
    fn default() -> Self {
        Self {
            ours: true,
            ..Self::none()
        }
    }
}

/// What is recorded of a call without anybody asking for it.
fn ours(tool: &str, arguments: &Arguments<'_>) -> Vec<Record<'static>> {
    let paths_under = |list: &'static str, paths: &[String]| -> Vec<_> {
        paths.iter().filter_map(|path| of(list, path)).collect()
    };
    let this_call = || Vec::from_iter(call(&call_line(tool, arguments)));
    let files = match Use::of(tool, arguments) {
        Use::Looks => return Vec::new(),
        Use::Acts => return this_call(),
        Use::Reads(paths) => return paths_under(LedgerRules::FILES_READ, &paths),
        Use::Runs(command) => match patched(&[&command]) {
            paths if !paths.is_empty() => paths,
            _ if shell::only_reads(&command) => return Vec::new(),
            _ => return Vec::from_iter(call(&command_line(tool, &command))),
        },
        Use::Patches(texts) => patched(&texts),
        Use::Modifies(paths) => paths,
    };
    let files = paths_under(LedgerRules::FILES_MODIFIED, &files);
    // A call without a path may well have done something. One that nobody can read didn't.
    if files.is_empty() && arguments.fields.is_some() {
        return this_call();
    }
    files
}

fn patched(texts: &[impl AsRef<str>]) -> Vec<String> {
    let paths = texts.iter().flat_map(|text| patch::paths(text.as_ref()));
    paths.map(str::to_owned).collect()
}

fn call(line: &str) -> Option<Record<'static>> {
    let mut record = of(LedgerRules::CALLS_MADE, line)?;
    record.is_call = true;
    Some(record)
}

fn of<'a>(list: &'a str, text: &str) -> Option<Record<'a>> {
    Some(Record {
        list,
        entry: Entry::new(text)?,
        is_call: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// What is recorded, each as `list: entry`.
    fn recorded(rules: &LedgerRules, tool: &str, arguments: &str) -> Vec<String> {
        let records = rules.records(tool, arguments).into_iter();
        records
            .map(|record| format!("{}: {}", record.list, record.entry.text))
            .collect()
    }

    fn by_default(tool: &str, arguments: &str) -> Vec<String> {
        recorded(&LedgerRules::default(), tool, arguments)
    }

    #[test]
    fn a48_tools_for_files_are_known_by_any_usual_name() {
        let path = r#"{"path":" a.rs "}"#;
        for tool in [
            "read",
            "Read",
            "read_file",
            "ReadFile",
            "view",
            "mcp__disk__read_file",
        ] {
            assert_eq!(by_default(tool, path), ["Files read: a.rs"], "{tool}");
        }
        for tool in [
            "write",
            "create_file",
            "edit",
            "Edit",
            "MultiEdit",
            "str_replace",
            "NotebookEdit",
            "insert",
            "disk.write_file",
            "functions/edit-file",
            "delete_file",
        ] {
            assert_eq!(by_default(tool, path), ["Files modified: a.rs"], "{tool}");
        }
        for argument in [
            "path",
            "file_path",
            "filePath",
            "FilePath",
            "filename",
            "file_name",
            "target_file",
            "absolute_path",
            "notebook_path",
            "relative_path",
            "uri",
            "paths",
            "files",
        ] {
            for value in [r#""a.rs""#, r#"["a.rs"]"#] {
                let arguments = format!(r#"{{"{argument}":{value}}}"#);
                assert_eq!(by_default("read", &arguments), ["Files read: a.rs"]);
            }
        }
    }

    #[test]
    fn a48_every_file_of_a_call_is_recorded() {
        let two = ["Files read: a", "Files read: skill://b"];
        assert_eq!(
            by_default("read_files", r#"{"paths":["a"," ",3,"skill://b"]}"#),
            two
        );
        let each = r#"{"files":[{"path":"a","lines":[1,2]},{"path":"skill://b"},7]}"#;
        assert_eq!(by_default("read_files", each), two);
        assert_eq!(
            by_default("move_file", r#"{"source":"a","destination":"b"}"#),
            ["Files modified: b", "Files modified: a"]
        );
        // What a file holds names no file.
        let content = r#"{"path":"a","content":[{"path":"b"}]}"#;
        assert_eq!(by_default("write", content), ["Files modified: a"]);
    }

    #[test]
    fn a48_what_names_no_file_is_skipped() {
        for arguments in [
            "",
            "null",
            "[]",
            r#""a.rs""#,
            r#"{"path":"a.rs""#,
            r#"{"path":7}"#,
            r#"{"path":null}"#,
            r#"{"path":" "}"#,
            r#"{"path":[]}"#,
            r#"{"path":{"path":"a"}}"#,
            r#"{"content":"a"}"#,
        ] {
            assert_eq!(by_default("read", arguments), [""; 0], "{arguments}");
        }
        for arguments in ["", "null", r#"{"path":"a.rs""#] {
            assert_eq!(by_default("write", arguments), [""; 0], "{arguments}");
        }
        // It may have done something all the same.
        assert_eq!(
            by_default("edit", r#"{"new":"b"}"#),
            [r#"Calls made: edit(new="b")"#]
        );
    }

    #[test]
    fn a48_the_command_of_an_editor_decides() {
        for tool in [
            "str_replace_editor",
            "str_replace_based_edit_tool",
            "memory",
        ] {
            for (command, list) in [
                ("view", "Files read"),
                ("create", "Files modified"),
                ("str_replace", "Files modified"),
                ("insert", "Files modified"),
                ("undo_edit", "Files modified"),
            ] {
                let arguments = format!(r#"{{"command":"{command}","path":"a.rs"}}"#);
                assert_eq!(by_default(tool, &arguments), [format!("{list}: a.rs")]);
            }
        }
        let unknown = r#"{"command":"lint","path":"a.rs"}"#;
        assert_eq!(
            by_default("str_replace_editor", unknown),
            [r#"Calls made: str_replace_editor(command="lint", path="a.rs")"#]
        );
    }

    #[test]
    fn a48_a_patch_names_its_files() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+++ y\n*** Add File: b.rs\n\
                     +*** Update File: no.rs\n*** Delete File: c.rs\n*** End Patch";
        let files = [
            "Files modified: a.rs",
            "Files modified: b.rs",
            "Files modified: c.rs",
        ];
        let quoted = serde_json::to_string(patch).unwrap();
        assert_eq!(by_default("apply_patch", patch), files);
        assert_eq!(
            by_default("apply_patch", &format!(r#"{{"input":{quoted}}}"#)),
            files
        );
        let command = format!(r#"{{"command":["apply_patch",{quoted}]}}"#);
        assert_eq!(by_default("shell", &command), files);

        let unified = "diff --git a/a.rs b/a.rs\n--- a/a.rs\t2020\n+++ b/a.rs\t2021\n@@ -1 +1 @@\n\
                       -x\n+++ b/y\n--- /dev/null\n+++ b/b.rs\n--- a/c.rs\n+++ /dev/null\n";
        let quoted = serde_json::to_string(unified).unwrap();
        assert_eq!(
            by_default("apply_diff", &format!(r#"{{"diff":{quoted}}}"#)),
            files
        );
        assert_eq!(
            by_default("apply_patch", r#"{"input":"none"}"#),
            [r#"Calls made: apply_patch(input="none")"#]
        );
    }

    #[test]
    fn calls_that_may_have_done_something_are_recorded() {
        for (tool, arguments, call) in [
            (
                "send_email",
                r#"{"to":"ann", "body":"Hi\nAnn"}"#,
                r#"send_email(body="Hi\nAnn", to="ann")"#,
            ),
            ("deploy", "{}", "deploy()"),
            (
                "get_or_create_user",
                r#"{"id":12345678901234567890123}"#,
                "get_or_create_user(id=12345678901234567890123)",
            ),
            ("issue", "free\ntext", r"issue(free\ntext)"),
            (
                "Bash",
                r#"{"command":"git push\n","timeout":9}"#,
                "Bash(git push)",
            ),
            (
                "shell",
                r#"{"cmd":["bash","-lc","make all"]}"#,
                "shell(make all)",
            ),
            ("run", r#"{"id":3}"#, "run(id=3)"),
        ] {
            assert_eq!(by_default(tool, arguments), [format!("Calls made: {call}")]);
        }
        for (tool, arguments) in [
            ("get_user", "{}"),
            ("listFiles", "{}"),
            ("Grep", "{}"),
            ("think", "{}"),
            ("mcp__web__search", "{}"),
            ("TodoWrite", "{}"),
            ("", "{}"),
            (" ", "{}"),
            ("bash", r#"{"command":"git status 2>&1 | head -3"}"#),
            ("shell", r#"{"command":["bash","-lc","rg 'a|b' src"]}"#),
        ] {
            assert_eq!(by_default(tool, arguments), [""; 0], "{tool}");
        }
    }

    #[test]
    fn anybody_can_add_lists_and_leave_out_what_is_ours() {
        let rules = LedgerRules::none().record("Tickets", "updateTicket", "ticket id");
        assert_eq!(
            recorded(&rules, "update_ticket", r#"{"ticketId":"T 1"}"#),
            ["Tickets: T 1"]
        );
        assert_eq!(
            recorded(
                &rules,
                "jira.update_ticket",
                r#"{"ticket_id":[1,"b",true,2.50]}"#
            ),
            ["Tickets: 1", "Tickets: b", "Tickets: 2.50"]
        );
        assert_eq!(recorded(&rules, "update", r#"{"ticket_id":1}"#), [""; 0]);
        assert_eq!(recorded(&rules, "read", r#"{"path":"a"}"#), [""; 0]);

        let rules = LedgerRules::default()
            .record_calls("get_cash")
            .pass_over("deploy");
        assert_eq!(
            recorded(&rules, "get_cash", "{}"),
            ["Calls made: get_cash()"]
        );
        assert_eq!(recorded(&rules, "deploy", "{}"), [""; 0]);
    }

    proptest! {
        #[test]
        fn no_call_panics_and_every_entry_is_a_line(
            tool in "(read|Edit|mv|bash|apply_patch|memory|get|[a-zÉ_.: \n]){0,3}",
            names in vec("path|files|command|cmd|input|[a-z]", 0..4),
            values in vec(
                "\"[a-z \\\\'\"|;>&/]{0,12}\"|\\[(\"a\",?|1,?|\\{\"path\":\"x\"\\},?){0,3}\\]|[0-9tn{}]{0,3}",
                4,
            ),
            noise in "[{}\\[\\]\",:a1\\\\ ]{0,12}",
        ) {
            let fields: Vec<String> = names
                .iter()
                .zip(&values)
                .map(|(name, value)| format!("\"{name}\":{value}"))
                .collect();
            let rules = LedgerRules::default().record("Any", &tool, "path");
            for arguments in [format!("{{{}}}", fields.join(",")), noise] {
                for record in rules.records(&tool, &arguments) {
                    let text = record.entry.text;
                    prop_assert!(!text.is_empty() && !text.contains('\n'));
                    prop_assert!(text.chars().count() <= 300);
                }
            }
        }
    }
}
