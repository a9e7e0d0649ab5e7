use contextfit_core::estimate::Estimator;
use contextfit_core::plan::SummaryCost;
use contextfit_core::request::Conversation;
use contextfit_core::summary::Ledger;

use super::Fitter;
use super::decide::Drafted;
use super::due::Assessed;
use crate::tokens::text_tokens;

/// Tokens that the ledger of a long session needs.
const USUAL: u64 = 700;

/// What stays of an earlier ledger where nobody writes a new summary: as much as a quarter of so
/// many tokens holds; and how many of them are left for the earlier summary.
pub(super) fn carried(estimator: &dyn Estimator, earlier: &Ledger, most: u64) -> (Ledger, u64) {
    let count = |text: &str| text_tokens(estimator, text);
    let text = earlier.render(most / 4, count);
    match Ledger::parse(&text) {
        Some(ledger) => (ledger, most.saturating_sub(count(&format!("\n\n{text}")))),
        None => (Ledger::default(), most),
    }
}

impl<A> Fitter<A> {
    /// What tools did in the messages that are cut, now and before. It takes its tokens from what the
    /// summary may have: a quarter of them, or so many as most ledgers need, but no more than half;
    /// and a quarter at most of what is replaced.
    pub(super) fn ledger<V: Conversation>(
        &self,
        view: &V,
        assessed: &Assessed,
        drafted: &mut Drafted,
    ) -> Ledger {
        let draft = &drafted.draft;
        let rows = drafted.table.rows();
        let earlier = drafted
            .previous
            .as_ref()
            .map(|(_, envelope)| &envelope.ledger);
        let mut ledger = earlier.cloned().unwrap_or_default();
        let newly_cut = draft.cut.iter().filter(|&index| !rows[index].summary);
        let rules = &self.shared.ledger;
        match &self.shared.summaries.redact {
            Some(redact) => ledger.record_redacted(view, newly_cut, rules, |text| redact(text)),
            None => ledger.record(view, newly_cut, rules),
        }

        let bound = draft.summary_bound;
        let most = (bound / 4).max(USUAL.min(bound / 2));
        let most = most.min(draft.cut.tokens(&drafted.table) / 4);
        let count = |text: &str| text_tokens(&*assessed.estimator, text);
        let text = ledger.render(most, count);
        let left = bound.saturating_sub(count(&format!("\n\n{text}")));
        if text.is_empty() || left < SummaryCost::LEAST {
            return Ledger::default();
        }
        drafted.draft.summary_bound = left;
        Ledger::parse(&text).unwrap_or_default()
    }
}
