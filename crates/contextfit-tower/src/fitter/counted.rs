use std::sync::Arc;

use contextfit_core::budget::Window;
use contextfit_core::estimate::{Estimator, Measured, measure};
use contextfit_core::request::{Conversation, RequestAdapter};

use super::Fitter;
use crate::calibrate::{Calibration, Other, Receipt, Scaled};
use crate::overflow::Size;
use crate::{FitError, FitEvent, Sent, UnknownModel, Usage};

/// A request, counted for its model.
pub(super) struct Counted {
    pub(super) window: Window,
    pub(super) estimator: Arc<dyn Estimator>,
    pub(super) measured: Measured,
    pub(super) size: Size,
}

impl<A> Fitter<A> {
    /// Counts a request; `None` if nothing is known of its model, and its requests are to be left
    /// alone.
    ///
    /// It is counted by what was learned until now, or by a `calibration` that is given, so that
    /// numbers of two moments can be compared.
    pub(super) fn count<V: Conversation>(
        &self,
        view: &V,
        calibration: Option<Calibration>,
    ) -> Result<Option<Counted>, UnknownModel> {
        let Some((window, estimator)) = self.model(view.model())? else {
            return Ok(None);
        };
        let Some(calibrator) = &self.shared.calibrator else {
            let measured = measure(view, &*estimator);
            return Ok(Some(Counted {
                window,
                estimator,
                size: Size::new(window.total, &measured),
                measured,
            }));
        };
        let prints = calibrator.fingerprints(view);
        let calibration =
            calibration.unwrap_or_else(|| calibrator.calibration(view.model(), &prints));
        let Calibration { slope, start } = calibration;
        let estimator = Scaled::by(slope, estimator);
        let mut measured = measure(view, &*estimator);
        let mut receipt = Receipt {
            fingerprint: prints.whole(),
            estimated: slope.unscaled(measured.prompt()),
            fixed: slope.unscaled(measured.fixed),
            other: None,
        };
        if let Some((messages, counted)) = start {
            let after = measured.each.iter().skip(messages);
            let after = after.fold(0_u64, |sum, one| sum.saturating_add(one.all));
            receipt.other = Some(Other::Start {
                fingerprint: prints.of_start(messages),
                counted,
                estimated: receipt.estimated.saturating_sub(slope.unscaled(after)),
            });
            measured.start_costs(messages, counted);
        }
        let mut size = Size::new(window.total, &measured);
        size.calibration = calibration;
        size.receipt = Some(receipt);
        Ok(Some(Counted {
            window,
            estimator,
            measured,
            size,
        }))
    }

    /// The receipt of a request that was changed: it starts as no other that was counted.
    pub(super) fn receipt_of_changed<R>(&self, request: &R) -> Option<Receipt>
    where
        A: RequestAdapter<R>,
    {
        self.shared.calibrator.as_ref()?;
        let view = self.adapter.view(request).ok()?;
        let counted = self.count(&view, Some(Calibration::NONE)).ok()??;
        counted.size.receipt
    }

    /// Learns what a provider counted for a request, for a caller without layers: whoever sends
    /// requests through [`ContextFit`](crate::ContextFit) or [`OverflowRetry`](crate::OverflowRetry)
    /// needn't call it.
    ///
    /// `request` is the one that was sent, not the one it was made from. Nothing is learned without
    /// a [`Calibrator`](crate::Calibrator).
    ///
    /// # Errors
    ///
    /// The request is malformed, or its model isn't known.
    pub fn learn<R>(&self, request: &R, usage: &Usage) -> Result<(), FitError>
    where
        A: RequestAdapter<R>,
    {
        let view = self.adapter.view(request)?;
        if let Some(counted) = self.count(&view, None)? {
            self.learn_count(view.model(), &counted.size, usage.input);
        }
        Ok(())
    }

    /// Learns how many tokens the provider counted for what was sent.
    pub(crate) fn learn_count(&self, model: Option<&str>, size: &Size, counted: u64) {
        if let Some((calibrator, receipt)) = self.shared.calibrator.as_ref().zip(size.receipt) {
            calibrator.learn(model, &receipt, counted);
        }
    }

    /// Takes note of what a response says it cost.
    pub(crate) fn note_usage(&self, sent: Sent<'_>, size: &Size, usage: Usage) {
        self.learn_count(sent.model, size, usage.input);
        self.observe(&FitEvent::Usage { sent, usage });
        if sent.is_far_above(usage.input) {
            self.observe(&FitEvent::Truncated { sent, usage });
        }
    }
}
