use std::fmt;

use contextfit_core::chat::ChatRequest;
use contextfit_core::cut::{Cut, cut_policy_fn};
use contextfit_core::request::{Hints, Native, RequestAdapter, Switch, WithHints};
use contextfit_tower::{
    ExtractiveSummarizer, FailedSummary, Fitter, HeadSummarizer, Summary, SummaryBound,
    summarizer_fn,
};

/// A way to write what stands for messages that are cut, without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// No summarizer answers, so a raw record of the newest messages stands.
    Archive,
    /// [`HeadSummarizer`].
    Head,
    /// [`ExtractiveSummarizer`].
    Extractive,
}

/// So many of the newest messages stay, and what belongs to them.
const KEPT: usize = 2;

type Forced = WithHints<Native, fn(&ChatRequest) -> Hints>;

fn force(_: &ChatRequest) -> Hints {
    Hints::default().switch(Switch::Force)
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Archive, Self::Head, Self::Extractive];

    /// A fitter that cuts whatever it is given, but for the newest messages, and has a summary of so
    /// many tokens stand for it.
    pub(super) fn fitter(self, bound: u64) -> Fitter<Forced> {
        let all_but_the_newest = cut_policy_fn(|table, _| {
            let end = table.len().checked_sub(KEPT)?;
            Some(Cut::of(table.len(), 0..end))
        });
        let fitter = Fitter::builder()
            .window(100_000_000)
            .adapter(Native.with_hints(force as _))
            .policy(all_but_the_newest)
            .summary_bound(SummaryBound::Tokens(bound));
        let fitter = match self {
            Self::Archive => fitter
                .summarizer(summarizer_fn(|_| async {
                    Err::<Summary, _>(std::io::Error::other("nobody is there"))
                }))
                .failed_summary(FailedSummary::Archive),
            Self::Head => fitter.summarizer(HeadSummarizer),
            Self::Extractive => fitter.summarizer(ExtractiveSummarizer),
        };
        fitter.build().expect("the settings are valid")
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Archive => "archive",
            Self::Head => "head",
            Self::Extractive => "extractive",
        })
    }
}
