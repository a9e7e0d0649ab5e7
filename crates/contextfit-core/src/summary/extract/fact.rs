//! What can't be guessed once it is lost: names, paths and numbers, as they are written.

/// What a word of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum FactKind {
    /// A path, the name of a file, or an address on the web.
    Path,
    /// What somebody named: an identifier, a flag, a hash, a version.
    Name,
    /// A number, with its unit where that is written beside it.
    Number,
}

impl FactKind {
    pub(super) const ALL: [Self; 3] = [Self::Path, Self::Name, Self::Number];

    /// What the list of them opens with.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Path => "- Paths: ",
            Self::Name => "- Names: ",
            Self::Number => "- Numbers: ",
        }
    }
}

/// No longer one is a fact: it is data.
const LONGEST: usize = 160;

/// The words of a line: what stands between white space, quotes, brackets and writing without
/// spaces, with what joins the parts of a path, a name or a number.
pub(super) fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &line[from..];
            // A colon ends a word, and starts none.
            let start = from + rest.find(|char| is_of_word(char) && char != ':')?;
            let end = end_of_word(line, start);
            from = end;
            let word = line[start..end].trim_end_matches(['.', ',', ':', '-', '+', '#', '@']);
            let bare = word.trim_start_matches(['+', '%']);
            // "</pre>" is no path.
            let bare = match line[..start].ends_with('<') {
                true => bare.trim_start_matches('/'),
                false => bare,
            };
            if !bare.is_empty() {
                return Some((start + word.len() - bare.len(), bare));
            }
        }
    })
}

fn is_of_word(char: char) -> bool {
    match char {
        'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        '_' | '-' | '.' | '/' | ':' | '@' | '#' | '%' | '+' | '~' | '$' | '€' | '£' | '¥' => {
            true
        }
        // Chinese, Japanese and Korean are written without spaces around names and numbers.
        _ => !char.is_ascii() && char < '\u{2E80}' && char.is_alphanumeric(),
    }
}

fn end_of_word(line: &str, start: usize) -> usize {
    let bytes = line.as_bytes();
    let (mut is_address, mut has_drive) = (false, false);
    for (offset, char) in line[start..].char_indices() {
        let at = start + offset;
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        match char {
            ':' if bytes[at..].starts_with(b"://") => is_address = true,
            ':' if next.is_ascii_digit() || next == b':' => {}
            ':' if at > start && bytes[at - 1] == b':' => {}
            ':' if at == start + 1 && next == b'\\' => has_drive = true,
            '\\' if has_drive => {}
            ':' => return at,
            '=' | '?' | '&' | ',' if is_address => {}
            ',' if is_thousands(&bytes[start..at], &bytes[at + 1..]) => {}
            _ if is_of_word(char) => {}
            _ => return at,
        }
    }
    line.len()
}

/// Whether a comma between these is one of `1,024`.
fn is_thousands(before: &[u8], after: &[u8]) -> bool {
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit());
    before.last().is_some_and(u8::is_ascii_digit) && digits.take(4).count() == 3
}

/// What kind of fact a word is; `None` for those that say nothing by themselves.
pub(super) fn kind_of(word: &str) -> Option<FactKind> {
    if word.len() < 2 || word.len() > LONGEST {
        return None;
    }
    if word.contains("://") {
        return (word.len() > "https://".len()).then_some(FactKind::Path);
    }
    let bytes = word.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = word.chars().filter(|char| char.is_alphabetic()).count();
    if is_number(word, digits, letters) {
        return (digits > 1).then_some(FactKind::Number);
    }
    if letters == 0 {
        return None;
    }
    if word.contains(['/', '\\']) {
        return is_path(word).then_some(FactKind::Path);
    }
    if let Some((stem, extension)) = word.rsplit_once('.') {
        let is_stem = stem.ends_with(|char: char| char.is_alphanumeric());
        if is_stem && EXTENSIONS.contains(&&*extension.to_ascii_lowercase()) {
            return Some(FactKind::Path);
        }
    }
    is_name(word, digits, letters).then_some(FactKind::Name)
}

/// Digits, with what may stand in a number, a date or a time, and a short unit.
fn is_number(word: &str, digits: usize, letters: usize) -> bool {
    let number = word.trim_start_matches(['-', '+', '$', '€', '£', '¥', '#', '~']);
    if digits == 0 || !number.starts_with(|char: char| char.is_ascii_digit()) {
        return false;
    }
    let is_unit = |unit: &str| unit.chars().count() <= 3 || unit.starts_with('%');
    let unit = number.trim_start_matches(|char: char| {
        char.is_ascii_digit() || matches!(char, '.' | ',' | ':' | '-' | '/')
    });
    let is_time = || {
        let marks = |char: char| matches!(char, 'T' | 'Z');
        number.contains('-')
            && number
                .chars()
                .all(|char| !char.is_alphabetic() || marks(char))
    };
    let of_unit = unit.chars().filter(|char| char.is_alphabetic()).count();
    let is_word = |char: char| char.is_alphabetic() || char == '%';
    of_unit == letters && unit.chars().all(is_word) && is_unit(unit) || is_time()
}

fn is_path(word: &str) -> bool {
    let parts = || word.split(['/', '\\']).filter(|part| !part.is_empty());
    let named = parts().filter(|part| part.contains(char::is_alphanumeric));
    match named.count() {
        _ if word.len() < 4 => false,
        0 => false,
        1 => word.starts_with(['/', '~', '.']) || word.ends_with('/'),
        // "and/or" is none.
        2 => {
            word.starts_with(['/', '~', '.', '@'])
                || word.contains(['.', '_', '-', '\\'])
                || word.contains(|char: char| char.is_ascii_digit())
                || word.ends_with('/')
        }
        _ => true,
    }
}

/// How much it says, of what a fact of any kind says. What is short, or made of words, is common.
pub(super) fn weight(kind: FactKind, word: &str) -> f64 {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    match kind {
        // More parts say more: where there is room for few, long paths would never be kept.
        FactKind::Path if word.contains('/') => 0.75 + 0.5 * word.matches('/').count() as f64,
        FactKind::Path => 1.2,
        FactKind::Name if word.len() < 4 => 0.4,
        FactKind::Name if digits == 0 && !word.contains(['_', '-', '@', '$']) && is_plain(word) => {
            0.4
        }
        FactKind::Name => 1.0,
        FactKind::Number if digits < 3 && word.len() < 4 => 0.3,
        FactKind::Number if digits < 4 && word.len() == digits => 0.6,
        FactKind::Number => 0.8,
    }
}

/// Words with points between them, as most calls in code are.
fn is_plain(word: &str) -> bool {
    word.contains('.') && !word.chars().any(char::is_uppercase)
}

fn is_name(word: &str, digits: usize, letters: usize) -> bool {
    if letters < 2 && digits < 2 {
        return false;
    }
    let inner = word.trim_matches(|char: char| !char.is_alphanumeric());
    let is_flag = word.starts_with("--") && letters > 1;
    let mixes = digits > 0 && letters > 0 && word.len() > 2;
    let mut before = ' ';
    let has_hump = inner.chars().any(|char| {
        let hump = before.is_lowercase() && char.is_uppercase();
        before = char;
        hump
    });
    let is_dotted = || {
        let mut parts = inner.split('.');
        inner.contains('.') && parts.all(|part| part.chars().count() > 1)
    };
    let is_marked = word.starts_with(['$', '@']) && letters > 1;
    is_flag
        || mixes
        || has_hump
        || is_marked
        || inner.contains('_')
        || inner.contains("::")
        || inner.contains('@')
        || is_dotted()
}

/// Endings of the names of files. Others are paths where they have a slash.
const EXTENSIONS: &[&str] = &[
    "bash", "bat", "bin", "bz2", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "db", "diff",
    "doc", "docx", "env", "ex", "exs", "gif", "go", "gz", "h", "heex", "hpp", "html", "ini",
    "ipynb", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "lua", "md", "mjs", "mp3",
    "mp4", "patch", "pdf", "php", "png", "proto", "py", "rb", "rs", "rst", "scss", "sh", "sql",
    "svg", "swift", "toml", "ts", "tsx", "txt", "vue", "xls", "xlsx", "xml", "yaml", "yml", "zip",
];

const LONGEST_LABEL: usize = 24;
const JOINS: &[char] = &[
    '是', '的', '为', '在', '到', '了', '和', '有', '与', '至', '也', '就', '从', '这',
];
const UNITS: &[&str] = &[
    "小时", "分钟", "公里", "美元", "星期", "个月", "元", "分", "米", "年", "月", "日", "号", "个",
    "天", "点", "次", "人", "岁", "层", "楼", "块", "条", "秒",
];

fn is_cjk(char: char) -> bool {
    char >= '\u{2E80}' && char.is_alphabetic()
}

/// What a number that starts here is of: the word before it, with what joins them.
pub(super) fn label(line: &str, start: usize) -> &str {
    let before = &line[..start];
    if before.ends_with(is_cjk) {
        // Words aren't set apart: the last characters, without those that only join words.
        let of = before.trim_end_matches(JOINS);
        let chars = of.char_indices().rev().take(4);
        let chars = chars.take_while(|&(_, char)| is_cjk(char));
        let from = chars.last().map_or(of.len(), |(at, _)| at);
        return of[from..].trim_start_matches(JOINS);
    }
    let of = before.trim_end_matches([' ', ':', '=', '：']);
    let mut from = start_of_word(of);
    // "of" says nothing.
    if (1..=3).contains(&(of.len() - from)) && of[..from].ends_with(' ') {
        from = start_of_word(of[..from].trim_end());
    }
    let label = &before[from..];
    let says = label.len() <= LONGEST_LABEL && label.contains(char::is_alphabetic);
    let is_number = |(_, word)| kind_of(word) == Some(FactKind::Number);
    if says && !words(label).any(is_number) {
        label
    } else {
        ""
    }
}

fn start_of_word(text: &str) -> usize {
    let is_inner =
        |char: char| char.is_alphanumeric() && !is_cjk(char) || matches!(char, '_' | '-');
    text.trim_end_matches(is_inner).len()
}

/// Where the unit ends of a number that ends here.
pub(super) fn unit(line: &str, end: usize) -> usize {
    let after = &line[end..];
    if let Some(unit) = UNITS.iter().find(|&unit| after.starts_with(unit)) {
        return end + unit.len();
    }
    let Some(word) = after.strip_prefix(' ') else {
        return end;
    };
    let letters = word.find(|char: char| !char.is_ascii_lowercase());
    let letters = letters.unwrap_or(word.len());
    let goes_on = word[letters..].starts_with(|char: char| char.is_alphanumeric() || char == '_');
    match &word[..letters] {
        "" | "a" | "an" | "and" | "as" | "at" | "but" | "by" | "for" | "from" | "if" | "in"
        | "is" | "it" | "of" | "on" | "or" | "so" | "that" | "the" | "then" | "to" | "was"
        | "which" | "with" => end,
        _ if goes_on || letters > 10 => end,
        _ => end + 1 + letters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(line: &str) -> Vec<(FactKind, &str)> {
        let words = words(line);
        words
            .filter_map(|(_, word)| Some((kind_of(word)?, word)))
            .collect()
    }

    #[test]
    fn paths_names_and_numbers_are_facts_and_words_are_none() {
        use FactKind::{Name, Number, Path};
        for (line, expected) in [
            (
                "the well-known words and/or none of them. e.g. i.e. a",
                &[][..],
            ),
            ("<pre>so</pre></div> </ledger>", &[]),
            (
                "see src/main.rs:12, ./run or Cargo.toml.",
                &[
                    (Path, "src/main.rs:12"),
                    (Path, "./run"),
                    (Path, "Cargo.toml"),
                ],
            ),
            (
                "open https://a.example/b?c=1&d=2, then",
                &[(Path, "https://a.example/b?c=1&d=2")],
            ),
            (r"C:\new\a.txt", &[(Path, r"C:\new\a.txt")]),
            (
                "`max_tokens` of std::fmt in FooBar --all $HOME v1.2.3",
                &[
                    (Name, "max_tokens"),
                    (Name, "std::fmt"),
                    (Name, "FooBar"),
                    (Name, "--all"),
                    (Name, "$HOME"),
                    (Name, "v1.2.3"),
                ],
            ),
            (
                "commit 5be01c7 of #1188",
                &[(Name, "5be01c7"), (Number, "#1188")],
            ),
            (
                "port: 8080, 30s, 12.5% and 1,024 at 10:30 on 2024-05-15T10:00:00Z, 7",
                &[
                    (Number, "8080"),
                    (Number, "30s"),
                    (Number, "12.5%"),
                    (Number, "1,024"),
                    (Number, "10:30"),
                    (Number, "2024-05-15T10:00:00Z"),
                ],
            ),
            (
                "人均消费68元，编号INV12345。",
                &[(Number, "68"), (Name, "INV12345")],
            ),
        ] {
            let found = facts(line);
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_number_is_shown_with_what_it_is_of() {
        for (line, number, of, shown) in [
            ("the port: 8080 is", "8080", "port: ", "8080"),
            (
                "a timeout of 30 seconds is",
                "30",
                "timeout of ",
                "30 seconds",
            ),
            ("人均消费是68元的", "68", "人均消费", "68元"),
            ("共有68家", "68", "共", "68"),
            ("1234", "1234", "", "1234"),
            ("| 1234 |", "1234", "", "1234"),
            ("total_tokens=512;", "512", "total_tokens=", "512"),
        ] {
            let start = line.find(number).unwrap();
            assert_eq!(label(line, start), of, "{line}");
            assert_eq!(
                &line[start..unit(line, start + number.len())],
                shown,
                "{line}"
            );
        }
    }
}
