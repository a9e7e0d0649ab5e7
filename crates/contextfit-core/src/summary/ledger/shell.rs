/// Programs that change nothing, whatever they are told.
const READERS: &[&str] = &[
    "basename", "cat", "cd", "cut", "df", "diff", "dirname", "du", "echo", "egrep", "false",
    "fgrep", "file", "grep", "head", "id", "jq", "ls", "nl", "printf", "ps", "pwd", "readlink",
    "realpath", "rg", "sleep", "stat", "tail", "test", "tr", "true", "type", "uname", "uniq", "wc",
    "whereis", "which", "whoami",
];
/// Commands of git that change nothing.
const GIT_READERS: &[&str] = &[
    "blame",
    "describe",
    "diff",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "rev-parse",
    "show",
    "status",
];
/// Redirections that write no file.
const NOWHERE: &[&str] = &[
    "2>&1",
    "&>/dev/null",
    "2>/dev/null",
    ">/dev/null",
    "&> /dev/null",
    "2> /dev/null",
    "> /dev/null",
];

/// The command itself, where a shell is told to run it: `bash -lc make` is `make`.
pub(super) fn script(command: &str) -> &str {
    let shells = ["bash -lc ", "bash -c ", "sh -c ", "zsh -lc ", "zsh -c "];
    let told = shells.iter().find_map(|shell| command.strip_prefix(shell));
    told.unwrap_or(command)
}

/// Whether a command of a shell only looks at something, as most do. What isn't understood does
/// more: better to list a command in vain than to have it done again.
pub(super) fn only_reads(command: &str) -> bool {
    // What is put in runs, even inside of quotes.
    if ["`", "$(", "<(", "<<"]
        .iter()
        .any(|put_in| command.contains(put_in))
    {
        return false;
    }
    let Some(mut command) = without_quotes(command) else {
        return false;
    };
    for nowhere in NOWHERE {
        command = command.replace(nowhere, " ");
    }
    let mut parts = command
        .split([';', '|', '&', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty());
    !command.contains('>') && parts.all(reads)
}

/// Whether a program with its arguments changes nothing.
fn reads(part: &str) -> bool {
    const FIND_ACTS: [&str; 5] = ["-delete", "-exec", "-fls", "-fprint", "-ok"];
    let words: Vec<&str> = part.split_whitespace().collect();
    let is_option = |word: &&&str| word.starts_with('-');
    match *words.as_slice() {
        ["git", command, ..] => GIT_READERS.contains(&command),
        ["find", ref told @ ..] => {
            let acts = |word: &&str| FIND_ACTS.iter().any(|act| word.starts_with(act));
            !told.iter().any(acts)
        }
        ["sed", "-n", ref told @ ..] => told.iter().find(is_option).is_none(),
        ["sort", ref told @ ..] => !told.iter().filter(is_option).any(|word| word.contains('o')),
        [program, ..] => READERS.contains(&program),
        [] => true,
    }
}

/// The command with `_` for what is quoted or escaped; `None` if a quote doesn't end.
fn without_quotes(command: &str) -> Option<String> {
    let mut bare = String::with_capacity(command.len());
    let mut chars = command.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                chars.next();
            }
            '\'' => {
                chars.find(|&char| char == '\'')?;
            }
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => {
                        chars.next();
                    }
                    _ => {}
                }
            },
            bare_char => {
                bare.push(bare_char);
                continue;
            }
        }
        bare.push('_');
    }
    Some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_only_looks_is_told_from_one_that_acts() {
        for command in [
            "ls -la src",
            "cd core && grep -rn \"a|b > c\" src | head -20",
            "cat a.toml 2>/dev/null; git log --oneline -5 2>&1 | tail -3",
            "sed -n '10,20p' a.rs",
            "find . -name '*.rs' -type f | sort -u | wc -l",
            "echo 'it is \"here\"'",
        ] {
            assert!(only_reads(command), "{command}");
        }
        for command in [
            "git push",
            "git",
            "rm -r target",
            "ls; rm a",
            "ls\nrm a",
            "ls & rm a",
            "echo a > b",
            "cat a >> b",
            "cat <<E\nrm\nE",
            "echo $(rm a)",
            "echo \"`rm a`\"",
            "diff <(rm a) b",
            "sed -i s/a/b/ c",
            "sed -n -i s/a/b/ c",
            "sed 's/a/b/' c",
            "find . -name x -delete",
            "find . -exec rm {} +",
            "sort -o a b",
            "sort -uo a b",
            "grep -l a . | xargs rm",
            "A=1 make",
            "echo 'open",
            "make",
        ] {
            assert!(!only_reads(command), "{command}");
        }
    }
}
