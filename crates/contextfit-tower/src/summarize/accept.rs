use super::{SummarizeError, Summary};

/// The text of a summary that can stand for a conversation; anything else is refused.
///
/// `count` counts the tokens of a text as the bound means them.
pub(crate) fn accept(
    summary: &Summary,
    bound: u64,
    count: impl Fn(&str) -> u64,
) -> Result<String, SummarizeError> {
    let text = summary.text.trim();
    if text.is_empty() {
        return Err(SummarizeError::Blank);
    }
    if summary.cut_off {
        return Err(SummarizeError::CutOff);
    }
    let tokens = count(text);
    if tokens > bound {
        return Err(SummarizeError::OverBound { tokens, bound });
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> u64 {
        text.chars().count() as u64
    }

    #[test]
    fn only_a_whole_summary_within_its_bound_is_accepted() {
        assert_eq!(accept(&Summary::new(" four\n"), 4, chars).unwrap(), "four");
        for (summary, text) in [
            (Summary::new(""), "blank"),
            (Summary::new(" \n "), "blank"),
            (Summary::new("four").cut_off(true), "cut off"),
            (Summary::new("five!"), "5 tokens, 4 were allowed"),
        ] {
            let error = accept(&summary, 4, chars).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
