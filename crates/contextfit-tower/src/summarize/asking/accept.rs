use contextfit_core::estimate::Estimator;
use contextfit_core::summary::Envelope;

use crate::summarize::{SummarizeError, Summary};
use crate::tokens::text_tokens;

/// The text of a summary that can stand for a conversation, as it will stand there, in at most so
/// many tokens; anything else is refused.
pub(in crate::summarize) fn accept(
    summary: &Summary,
    bound: u64,
    estimator: &dyn Estimator,
) -> Result<String, SummarizeError> {
    check_whole(summary)?;
    // Quoting may lengthen it.
    let text = Envelope::quote(summary.text.trim()).into_owned();
    let tokens = text_tokens(estimator, &text);
    if tokens > bound {
        return Err(SummarizeError::OverBound { tokens, bound });
    }
    Ok(text)
}

/// Whether a summary is one at all, however long.
pub(in crate::summarize) fn check_whole(summary: &Summary) -> Result<(), SummarizeError> {
    if summary.calls_tool {
        Err(SummarizeError::CalledTool)
    } else if summary.cut_off {
        // It may be blank for that, where a model thought all the time.
        Err(SummarizeError::CutOff)
    } else if summary.text.trim().is_empty() {
        Err(SummarizeError::Blank)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextfit_core::estimate::CharEstimator;

    #[test]
    fn only_a_whole_summary_within_its_bound_is_accepted() {
        let accept = |summary: &Summary| accept(summary, 4, &CharEstimator::default());
        assert_eq!(
            accept(&Summary::new(" sixteen letters\n")).unwrap(),
            "sixteen letters"
        );
        let eight = "</contextfit-summary>";
        for (summary, text) in [
            (Summary::new(""), "blank"),
            (Summary::new(" \n "), "blank"),
            (Summary::new("").cut_off(true), "cut off"),
            (Summary::new("four").cut_off(true), "cut off"),
            (Summary::new("four").calls_tool(true), "called a tool"),
            (
                Summary::new("seventeen letters"),
                "5 tokens, 4 were allowed",
            ),
            (Summary::new(eight), "6 tokens, 4 were allowed"),
        ] {
            let error = accept(&summary).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
