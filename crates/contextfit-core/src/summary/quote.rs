use std::borrow::Cow;

/// Text that can stand inside `<tag>` … `</tag>` without closing it.
///
/// A backslash is put into every closing tag of that name, in whatever case it is written, and
/// however much white space stands before the name.
///
/// ```
/// use contextfit_core::summary::quote_inside;
///
/// assert_eq!(quote_inside("note", "a </Note> b"), r"a <\/Note> b");
/// assert_eq!(quote_inside("note", "</ note>"), r"<\/ note>");
/// assert_eq!(quote_inside("note", "a < b"), "a < b");
/// ```
#[must_use]
pub fn quote_inside<'a>(tag: &str, text: &'a str) -> Cow<'a, str> {
    let closes = |at: usize| {
        let name = text[at + 2..].trim_start().as_bytes().get(..tag.len());
        name.is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes()))
    };
    let mut quoted = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices("</").filter(|&(at, _)| closes(at)) {
        quoted.push_str(&text[done..=at]);
        quoted.push('\\');
        done = at + 1;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    quoted.push_str(&text[done..]);
    Cow::Owned(quoted)
}
