use std::sync::Arc;

use contextfit_core::cut::{
    ClearToolResults, ClipToolResults, CutPolicy, DropOldest, Enough, RecentBudget, TopicAndRecent,
};

/// Every shipped policy, by its name: with its defaults, with settings that cut more than usual,
/// and behind another one. What holds for any policy is tested with each of them.
#[must_use]
pub fn shipped_policies() -> Vec<(&'static str, Arc<dyn CutPolicy>)> {
    let clip = ClipToolResults::total(200);
    vec![
        ("TopicAndRecent", Arc::new(TopicAndRecent)),
        ("RecentBudget", Arc::new(RecentBudget::default())),
        ("RecentBudget of 50", Arc::new(RecentBudget::new(50))),
        ("RecentBudget of 1", Arc::new(RecentBudget::new(1))),
        ("DropOldest", Arc::new(DropOldest)),
        ("ClearToolResults", Arc::new(ClearToolResults::keep(1))),
        ("ClipToolResults", Arc::new(clip)),
        (
            "ClearToolResults, then TopicAndRecent",
            Arc::new(ClearToolResults::keep(1).then(TopicAndRecent)),
        ),
        (
            "RecentBudget, then ClipToolResults",
            Arc::new(RecentBudget::new(50).then(clip).enough(Enough::Limit)),
        ),
    ]
}
