use contextfit_core::request::{Conversation, RequestAdapter, Switch};

use super::Fitter;
use super::refit::Refit;
use crate::{FitEvent, FitFailure, Sent};

impl<A> Fitter<A> {
    /// Whether a request is not to be touched, and no copy of it kept. The observer hears why.
    pub(super) fn leaves_alone<R>(&self, request: &R, switch: Switch) -> bool
    where
        A: RequestAdapter<R>,
    {
        if !switch.is_off() {
            return false;
        }
        match (switch, self.adapter.view(request)) {
            (Switch::Unreadable, Err(error)) => self.observe(&FitEvent::Unreadable(&error)),
            (Switch::HistoryElsewhere, view) => {
                let model = view.as_ref().ok().and_then(Conversation::model);
                self.observe(&FitEvent::HistoryElsewhere { model });
            }
            (_, view) => {
                let model = view.as_ref().ok().and_then(Conversation::model);
                self.observe(&FitEvent::SwitchedOff { model });
            }
        }
        true
    }

    /// Tells that no request is fitted before it is sent.
    pub(super) fn tell_switched_off<R>(&self, request: &R)
    where
        A: RequestAdapter<R>,
    {
        let view = self.adapter.view(request).ok();
        let model = view.as_ref().and_then(Conversation::model);
        self.observe(&FitEvent::SwitchedOff { model });
    }

    /// Tells that a request is sent as it is: within its limit, or `over` it with so many tokens of
    /// messages where there may be so many.
    ///
    /// In a recovery nothing is told here, because several limits are tried there, and what comes of
    /// them is one event.
    pub(super) fn tell_as_it_is(
        &self,
        refit: Option<Refit>,
        sent: Sent<'_>,
        over: Option<(u64, u64)>,
    ) {
        match over {
            _ if refit.is_some() => {}
            Some((needed, limit)) => self.observe(&FitEvent::Stuck {
                sent,
                needed,
                limit,
            }),
            None => self.observe(&FitEvent::Passed { sent }),
        }
    }

    /// Tells that a request was refused.
    pub(crate) fn tell_refused<R>(&self, failure: &FitFailure<R>)
    where
        A: RequestAdapter<R>,
    {
        let view = self.adapter.view(&failure.request).ok();
        let model = view.as_ref().and_then(Conversation::model);
        let error = &failure.error;
        self.observe(&FitEvent::Refused { model, error });
    }
}
