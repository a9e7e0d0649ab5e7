//! What the names of tools say about what the tools do.
//!
//! Names are written as `read_file` here, and known in any other spelling.

use super::arguments::Arguments;
use super::shell::script;

/// Tools that read files, by the names that agents give them.
const READ: &str = "
    cat file_read fs_read get_file get_file_content get_file_contents head load_file notebook_read
    open open_file read read_a_file read_file read_file_content read_file_contents read_files
    read_many_files read_media_file read_multiple_files read_notebook read_resource read_text_file
    show_file tail view view_file view_image";

/// Tools that modify files, create them or take them away.
const MODIFY: &str = "
    append append_file append_to_file apply_edit apply_edits create create_file create_new_file
    create_or_update_file delete delete_file edit edit_block edit_file edit_files edit_notebook
    edit_notebook_file file_edit file_write find_and_replace fs_write insert insert_at_line
    insert_content insert_edit_into_file multi_edit multi_replace_file_content new_file
    notebook_edit overwrite_file push_files remove_file replace replace_file_content
    replace_in_file replace_string_in_file save save_file search_and_replace search_replace
    str_replace undo_edit update update_file write write_file write_files write_text_file
    write_to_file";

/// Tools that give files another name. A bare `move` may well move something else.
const MOVE: &str = "move_file mv rename rename_file";

/// Tools of several commands, of which one argument tells which.
const EDITORS: &str = "
    editor file file_editor files filesystem fs memory str_replace_based_edit_tool
    str_replace_editor text_editor";

/// Tools that take a patch, which names its files itself.
const PATCH: &str = "apply_diff apply_patch patch patch_file";

/// Tools that run a command of a shell.
const SHELL: &str = "
    bash cmd exec exec_command execute execute_bash execute_command local_shell powershell run
    run_bash run_command run_in_terminal run_shell_command run_terminal_cmd run_terminal_command
    sh shell shell_command terminal zsh";

/// Tools that only look, or keep the list of what is to be done, though no word of theirs says so.
const ASIDE: &str = "
    bash_output task_output todo_write update_plan update_todo_list web_fetch web_search
    write_todos";

/// Arguments that name a file.
const PATHS: &str = "
    absolute_file_path absolute_path file file_name file_names file_path file_paths file_uri files
    notebook_path path path_in_project paths rel_path relative_path relative_workspace_path
    target_file target_notebook uri uris";

/// Arguments that name a file where it gets another name.
const MOVED_PATHS: &str = "
    destination destination_path dst new_path old_path source source_path src";

/// Arguments that tell which of its commands a tool is to run.
const COMMANDS: &str = "action command mode operation";

/// Arguments that hold a command of a shell.
const SCRIPTS: &str = "cmd command commands script";

/// Words that a tool's name begins with if it only looks.
const LOOKS: &str = "
    calculate compute count describe fetch find get glob grep inspect list lookup ls peek read
    search show think view";

/// Words that are in a tool's name if it does more.
const ACTS: &str = "
    add and create delete insert move or remove replace run send set update write";

/// What a tool does, as far as its name and its arguments tell.
pub(super) enum Use {
    /// It reads these files.
    Reads(Vec<String>),
    /// It modifies these files, creates them or takes them away.
    Modifies(Vec<String>),
    /// It takes a patch that is among these texts.
    Patches(Vec<String>),
    /// It runs this command of a shell.
    Runs(String),
    /// It changes nothing.
    Looks,
    /// Nobody here knows.
    Acts,
}

impl Use {
    pub(super) fn of(tool: &str, arguments: &Arguments<'_>) -> Self {
        let is_any = |tools: &str| is_any_tool(tool, tools);
        if is_any(EDITORS) {
            let command = arguments.text_of(COMMANDS);
            let file_tool = command.and_then(|command| Self::of_file_tool(&command, arguments));
            return file_tool.unwrap_or(Self::Acts);
        }
        if is_any(PATCH) {
            return Self::Patches(arguments.texts());
        }
        if is_any(SHELL) {
            let command = arguments.text_of(SCRIPTS);
            return command.map_or(Self::Acts, |command| Self::Runs(script(&command).into()));
        }
        if let Some(file_tool) = Self::of_file_tool(tool, arguments) {
            return file_tool;
        }
        if is_any(ASIDE) || sounds_like_looking(tool) {
            return Self::Looks;
        }
        Self::Acts
    }

    /// What a tool for files does, or a command of one; `None` if it is none.
    fn of_file_tool(tool: &str, arguments: &Arguments<'_>) -> Option<Self> {
        let is_any = |tools: &str| is_any_tool(tool, tools);
        let paths = || arguments.values(PATHS, false);
        if is_any(READ) {
            return Some(Self::Reads(paths()));
        }
        if is_any(MODIFY) {
            return Some(Self::Modifies(paths()));
        }
        is_any(MOVE).then(|| {
            let moved = arguments.values(MOVED_PATHS, false);
            Self::Modifies([paths(), moved].concat())
        })
    }
}

/// Whether a name is one of those in a list, however it is written: `read_file`, `readFile` and
/// `Read-File` are one.
pub(super) fn is_any_name(name: &str, names: &str) -> bool {
    names
        .split_whitespace()
        .any(|known| letters(name).eq(letters(known)))
}

/// Whether a tool is one of those in a list, with or without the name of its server before its
/// own: `mcp__disk__read_file`, `disk.read_file`.
pub(super) fn is_any_tool(tool: &str, tools: &str) -> bool {
    is_any_name(tool, tools) || is_any_name(without_server(tool), tools)
}

/// All that matters of how a name is written.
pub(super) fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

fn without_server(tool: &str) -> &str {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    name.rsplit(['.', '/', ':']).next().unwrap_or(name)
}

/// Whether a tool's name begins with a word for looking, and has none for acting.
fn sounds_like_looking(tool: &str) -> bool {
    let words = words(without_server(tool));
    let is_any = |word: &str, of: &str| of.split_whitespace().any(|known| known == word);
    words.first().is_some_and(|word| is_any(word, LOOKS))
        && !words.iter().any(|word| is_any(word, ACTS))
}

/// The words of a name, in lower case: `getUser`, `get_user` and `get-user` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for char in name.chars() {
        if !char.is_alphanumeric() || (was_lower && char.is_uppercase()) {
            words.push(std::mem::take(&mut word));
        }
        word.extend(char.to_lowercase().filter(|char| char.is_alphanumeric()));
        was_lower = char.is_lowercase() || char.is_numeric();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_however_they_are_written() {
        for name in ["read_file", "readFile", "Read-File", "READ FILE"] {
            assert!(is_any_name(name, "a read_file b"), "{name}");
        }
        assert!(!is_any_name("read_files", "a read_file b"));
        assert!(!is_any_name("", "a b"));
        for tool in [
            "mcp__disk__read_file",
            "disk.readFile",
            "api:read_file",
            "x/y/read_file",
        ] {
            assert!(is_any_tool(tool, "read_file"), "{tool}");
            assert!(!is_any_tool("read_file", tool), "{tool}");
        }
        assert!(is_any_tool("github.create_issue", "github__create_issue"));
        assert!(!is_any_tool("jira.create_issue", "github.create_issue"));
    }

    #[test]
    fn looking_is_told_from_acting_by_the_words_of_a_name() {
        for tool in [
            "get_user",
            "getUser",
            "ListFiles2",
            "web.search",
            "Grep",
            "x__find-all",
        ] {
            assert!(sounds_like_looking(tool), "{tool}");
        }
        for tool in [
            "",
            "_",
            "target",
            "getaway",
            "get_or_create",
            "findAndDelete",
            "budget_get",
        ] {
            assert!(!sounds_like_looking(tool), "{tool}");
        }
    }
}
