/// The files that a patch touches, in the two forms that agents write: `*** Update File: a.rs`,
/// and the `--- a/a.rs`, `+++ b/a.rs` of a unified diff.
pub(super) fn paths(patch: &str) -> Vec<&str> {
    let mut paths = Vec::new();
    let mut before = "";
    for line in patch.lines() {
        const HEADERS: [&str; 4] = [
            "*** Add File: ",
            "*** Update File: ",
            "*** Delete File: ",
            "*** Move to: ",
        ];
        let named = HEADERS.iter().find_map(|header| line.strip_prefix(header));
        // A line that was added may begin so too, but not after one that begins so.
        let unified = || {
            let old = side(before.strip_prefix("--- ")?, "a/");
            side(line.strip_prefix("+++ ")?, "b/").or(old)
        };
        paths.extend(named.or_else(unified));
        before = line;
    }
    paths
}

/// The path on one side of a unified diff; `None` if there is no file on it.
fn side<'a>(header: &'a str, prefix: &str) -> Option<&'a str> {
    let (path, _) = header.split_once('\t').unwrap_or((header, ""));
    let path = path.trim();
    (path != "/dev/null").then(|| path.strip_prefix(prefix).unwrap_or(path))
}
