//! What the names of tools say about what the tools do.

use super::arguments::Arguments;

/// Tools that read files, by the names that agents give them.
const READ: &[&str] = &[
    "cat",
    "file_read",
    "fs_read",
    "get_file",
    "get_file_content",
    "get_file_contents",
    "head",
    "load_file",
    "notebook_read",
    "open",
    "open_file",
    "read",
    "read_a_file",
    "read_file",
    "read_file_content",
    "read_file_contents",
    "read_files",
    "read_many_files",
    "read_media_file",
    "read_multiple_files",
    "read_notebook",
    "read_resource",
    "read_text_file",
    "show_file",
    "tail",
    "view",
    "view_file",
    "view_image",
];
/// Tools that modify files, create them or take them away.
const MODIFY: &[&str] = &[
    "append",
    "append_file",
    "append_to_file",
    "apply_edit",
    "apply_edits",
    "create",
    "create_and_write_file",
    "create_file",
    "create_new_file",
    "create_or_update_file",
    "delete",
    "delete_file",
    "edit",
    "edit_block",
    "edit_file",
    "edit_files",
    "edit_notebook",
    "edit_notebook_file",
    "file_edit",
    "file_write",
    "find_and_replace",
    "fs_write",
    "insert",
    "insert_at_line",
    "insert_content",
    "insert_edit_into_file",
    "multi_edit",
    "multi_replace_file_content",
    "new_file",
    "notebook_edit",
    "overwrite_file",
    "push_files",
    "remove_file",
    "replace",
    "replace_file_content",
    "replace_in_file",
    "replace_string_in_file",
    "save",
    "save_file",
    "search_and_replace",
    "search_replace",
    "str_replace",
    "undo_edit",
    "update",
    "update_file",
    "write",
    "write_file",
    "write_files",
    "write_text_file",
    "write_to_file",
];
/// Tools that give files another name.
const MOVE: &[&str] = &["mv", "move", "move_file", "rename", "rename_file"];
/// Tools of several commands, of which one argument tells which.
const EDITORS: &[&str] = &[
    "editor",
    "file",
    "file_editor",
    "files",
    "filesystem",
    "fs",
    "memory",
    "str_replace_based_edit_tool",
    "str_replace_editor",
    "text_editor",
];
/// Tools that take a patch, which names its files itself.
const PATCH: &[&str] = &["apply_diff", "apply_patch", "patch", "patch_file"];
/// Tools that run a command of a shell.
const SHELL: &[&str] = &[
    "bash",
    "cmd",
    "exec",
    "exec_command",
    "execute",
    "execute_bash",
    "execute_command",
    "local_shell",
    "powershell",
    "run",
    "run_bash",
    "run_command",
    "run_in_terminal",
    "run_shell_command",
    "run_terminal_cmd",
    "run_terminal_command",
    "sh",
    "shell",
    "shell_command",
    "terminal",
    "zsh",
];
/// Tools that only think, look, or keep the list of what is to be done.
const ASIDE: &[&str] = &[
    "bash_output",
    "task_output",
    "todo_read",
    "todo_write",
    "update_plan",
    "update_todo_list",
    "web_fetch",
    "web_search",
    "write_todos",
];

/// Arguments that name a file.
const PATHS: &[&str] = &[
    "absolute_file_path",
    "absolute_path",
    "file",
    "file_name",
    "file_names",
    "file_path",
    "file_paths",
    "file_uri",
    "files",
    "filename",
    "notebook_path",
    "path",
    "path_in_project",
    "paths",
    "rel_path",
    "relative_path",
    "relative_workspace_path",
    "target_file",
    "target_notebook",
    "uri",
    "uris",
];
/// Arguments that name a file, where it gets another name.
const MOVED_PATHS: &[&str] = &[
    "destination",
    "destination_path",
    "dst",
    "from",
    "new_name",
    "new_path",
    "old_name",
    "old_path",
    "source",
    "source_path",
    "src",
    "to",
];
/// Arguments that tell which of its commands a tool is to run.
const COMMANDS: &[&str] = &["action", "command", "mode", "operation"];
/// Arguments that hold a command of a shell.
const SCRIPTS: &[&str] = &["cmd", "command", "commands", "script"];

/// What a tool does, as far as its name and its arguments tell.
pub(super) enum Use {
    /// It reads these files.
    Reads(Vec<String>),
    /// It modifies these files, creates them or takes them away.
    Modifies(Vec<String>),
    /// It takes this patch.
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
        let is_any = |tools: &[&str]| tools.iter().any(|known| same_tool(tool, known));
        if is_any(EDITORS) {
            return match arguments.text_of(COMMANDS) {
                Some(command) => Self::of_file_tool(&command, arguments).unwrap_or(Self::Acts),
                None => Self::Acts,
            };
        }
        if is_any(PATCH) {
            return Self::Patches(arguments.texts());
        }
        if is_any(SHELL) {
            return arguments.text_of(SCRIPTS).map_or(Self::Acts, Self::Runs);
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
        let is_any = |tools: &[&str]| tools.iter().any(|known| same_tool(tool, known));
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

/// Whether two names are one, however they are written: `read_file`, `readFile`, `Read-File`.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    let letters = |name: &'_ str| {
        name.chars()
            .filter(|char| char.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    letters(one) == letters(other)
}

/// Whether a tool is the one that is meant, with or without the name of its server before it:
/// `mcp__disk__read_file`, `disk.read_file`.
pub(super) fn same_tool(tool: &str, meant: &str) -> bool {
    same_name(tool, meant) || same_name(without_server(tool), meant)
}

fn without_server(tool: &str) -> &str {
    let name = tool.rsplit("__").next().unwrap_or(tool);
    name.rsplit(['.', '/', ':']).next().unwrap_or(name)
}

/// Whether a tool's name begins with a word for looking, and has none for acting.
fn sounds_like_looking(tool: &str) -> bool {
    const LOOKS: &[&str] = &[
        "count", "describe", "fetch", "find", "get", "glob", "grep", "inspect", "list", "lookup",
        "ls", "peek", "read", "search", "show", "think", "view",
    ];
    const ACTS: &[&str] = &[
        "add", "and", "create", "delete", "insert", "move", "or", "remove", "replace", "run",
        "send", "set", "update", "write",
    ];
    let words = words(without_server(tool));
    let is_any = |word: &String, of: &[&str]| of.contains(&word.as_str());
    words.first().is_some_and(|word| is_any(word, LOOKS))
        && !words.iter().any(|word| is_any(word, ACTS))
}

/// The words of a name, in lower case: `getUser`, `get_user` and `get-user` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        let is_lower = char.is_lowercase() || char.is_numeric();
        if !char.is_alphanumeric() || (was_lower && char.is_uppercase()) {
            words.push(String::new());
        }
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
        was_lower = is_lower;
    }
    words.retain(|word| !word.is_empty());
    words
}
