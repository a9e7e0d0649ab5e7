use contextfit_core::plan::SummaryCost;
use contextfit_core::request::Conversation;
use contextfit_core::summary::Ledger;

use super::Fitter;
use super::decide::Drafted;
use super::due::Assessed;
use crate::tokens::text_tokens;

/// Tokens that the ledger of a long session needs.
const USUAL: u64 = 700;

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
        if draft.summary_bound == 0 {
            return Ledger::default();
        }
        let rows = drafted.table.rows();
        let earlier = drafted
            .previous
            .as_ref()
            .map(|(_, envelope)| &envelope.ledger);
        let mut ledger = earlier.cloned().unwrap_or_default();
        let newly_cut = draft.cut.iter().filter(|&index| !rows[index].summary);
        ledger.record(view, newly_cut, &self.shared.ledger);

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
