use std::sync::Arc;

use contextfit_core::cut::{Cut, CutPolicy, cut_policy_fn};

use crate::shipped_policies;

/// Policies for a conversation of so many messages: the shipped ones, and ones written without
/// any care, which cut up to every border, every single message, every other one, or all.
#[must_use]
pub fn policies(len: usize) -> Vec<Arc<dyn CutPolicy>> {
    let shipped = shipped_policies().into_iter().map(|(_, policy)| policy);
    let mut policies: Vec<Arc<dyn CutPolicy>> = shipped.collect();
    policies.push(Arc::new(cut_policy_fn(|table, _| {
        let mut cut = Cut::none(table.len());
        for index in (0..table.len()).step_by(2) {
            cut.add(index..index + 1);
        }
        Some(cut)
    })));
    for border in 1..=len {
        policies.push(Arc::new(cut_policy_fn(move |table, _| {
            Some(Cut::of(table.len(), 0..border))
        })));
        policies.push(Arc::new(cut_policy_fn(move |table, _| {
            Some(Cut::of(table.len(), border - 1..border))
        })));
    }
    policies
}
