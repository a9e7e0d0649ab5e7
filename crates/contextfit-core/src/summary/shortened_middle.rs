/// The head and the tail of a text with how many characters are missing between them, in at most
/// so many characters; a text that is no longer is left as it is.
pub(super) fn shortened_middle(text: &str, most: usize) -> String {
    let chars = text.chars().count();
    if chars <= most {
        return text.to_owned();
    }
    let marker = |omitted: usize| format!("[… {omitted} more …]");
    // No number of what is left out is wider than that of all.
    let keep = most.saturating_sub(marker(chars).chars().count());
    let (head, tail) = (keep.div_ceil(2), keep / 2);
    text.chars()
        .take(head)
        .chain(marker(chars - keep).chars())
        .chain(text.chars().skip(chars - tail))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_kept_and_what_is_missing_is_counted() {
        assert_eq!(shortened_middle("twelve chars", 12), "twelve chars");
        let text = format!("head{}tail", "é".repeat(100));
        assert_eq!(shortened_middle(&text, 22), "head[… 100 more …]tail");
        assert_eq!(shortened_middle(&text, 0), "[… 108 more …]");
    }
}
