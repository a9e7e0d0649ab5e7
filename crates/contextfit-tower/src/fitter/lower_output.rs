use contextfit_core::budget::Window;
use contextfit_core::plan::Plan;
use contextfit_core::request::{Conversation, RequestAdapter};

use super::Fitter;
use crate::overflow::{Size, lowered_output};
use crate::{FitEvent, FitReport, Overflow, Reason};

impl<A> Fitter<A> {
    /// Has a request that was too long ask for less output, if that is allowed and enough. What was
    /// done, and the numbers of the request then; `None` if it is to be made smaller otherwise.
    ///
    /// It is the request as it was sent.
    pub(crate) fn lower_output<R>(
        &self,
        request: &mut R,
        model: Option<&str>,
        sent: Size,
        overflow: &Overflow,
    ) -> Option<(FitReport, Size)>
    where
        A: RequestAdapter<R>,
    {
        let settings = &self.shared.settings;
        if !settings.lower_output_first {
            return None;
        }
        let usual = settings.budget.reserve_floor(Window::new(sent.window));
        let output = lowered_output(&sent.sent(model), overflow, usual)?;
        let messages = self.adapter.view(request).ok()?.len();
        let plan = Plan::untouched(messages).max_output_tokens(Some(output));
        self.adapter.apply(request, &plan).ok()?;
        // Sent as it was, it would be too long again.
        let asks = self.adapter.view(request).ok()?.max_output_tokens();
        if asks != Some(output) {
            return None;
        }
        let report = FitReport {
            reason: Reason::Overflow,
            model: model.map(str::to_owned),
            tokens_before: sent.estimated,
            tokens_after: sent.estimated,
            limit: sent.estimated,
            max_messages: usize::MAX,
            summarized: 0,
            archived: 0,
            omitted: 0,
            clipped: 0,
            kept: messages,
            degraded: false,
            split_turn: false,
            summarizer_calls: 0,
            summarizer_failures: 0,
            summarizer_model: None,
            summarizer_usage: None,
            plan,
        };
        self.observe(&FitEvent::Fitted(&report));
        let mut size = Size {
            max_output: asks,
            ..sent
        };
        if let Some(receipt) = &mut size.receipt {
            // What the difference to an earlier prompt teaches, the overflow has taught.
            receipt.other = None;
        }
        Some((report, size))
    }
}
