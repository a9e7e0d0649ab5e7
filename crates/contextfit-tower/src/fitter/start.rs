use contextfit_core::budget::Budget;
use contextfit_core::request::{Conversation, Hints, RequestAdapter};

use super::decide::{Decision, Drafted};
use super::due::{Assessed, Due};
use super::ledger::carried;
use super::refit::Refit;
use super::rewrite::Rewrite;
use super::{Fitter, Shared};
use crate::overflow::Size;
use crate::{FitError, FitEvent, Reason, UnknownModel};

/// What measuring a request comes to.
pub(crate) enum Start {
    /// It is sent as it is. The numbers are there unless the layers are to leave it alone.
    Untouched(Option<Size>),
    /// It has to be changed.
    Rewrite(Box<Rewrite>),
}

impl Start {
    /// The numbers of the request as it was given, unless it is to be left alone.
    pub(crate) fn size(&self) -> Option<Size> {
        match self {
            Self::Untouched(size) => *size,
            Self::Rewrite(rewrite) => Some(rewrite.size),
        }
    }
}

impl<A> Fitter<A> {
    /// Measures a request and, if it has to be changed, decides how. Nothing is changed yet.
    pub(crate) fn start<R>(&self, request: &R, refit: Option<Refit>) -> Result<Start, FitError>
    where
        A: RequestAdapter<R>,
    {
        let hints = self.adapter.hints(request);
        if self.leaves_alone(request, hints.switch) {
            return Ok(Start::Untouched(None));
        }
        if !self.shared.settings.enabled && refit.is_none() {
            self.tell_switched_off(request);
            return Ok(Start::Untouched(self.count_size(request)));
        }
        let view = self.adapter.view(request)?;
        Ok(match self.decide(&view, &hints, refit)? {
            Decision::LeftAlone => {
                let unknown = UnknownModel::new(view.model());
                self.observe(&FitEvent::UnknownModel(&unknown));
                Start::Untouched(None)
            }
            Decision::AsItIs { assessed, stuck } => {
                let sent = assessed.size.sent(view.model());
                let needed = assessed.measured.messages;
                self.tell_as_it_is(refit, sent, stuck.map(|limit| (needed, limit)));
                Start::Untouched(Some(assessed.size))
            }
            Decision::Change {
                assessed,
                budget,
                drafted,
            } => {
                if let Some((message, reason)) = &drafted.foreign {
                    self.observe(&FitEvent::ForeignSummary {
                        model: view.model(),
                        message: *message,
                        reason,
                    });
                }
                let rewrite = self.rewrite(&view, &hints, refit, assessed, budget, *drafted);
                Start::Rewrite(Box::new(rewrite))
            }
        })
    }

    pub(super) fn rewrite<V: Conversation>(
        &self,
        view: &V,
        hints: &Hints,
        refit: Option<Refit>,
        assessed: Assessed,
        budget: Budget,
        mut drafted: Drafted,
    ) -> Rewrite {
        let due = assessed.due;
        let (ledger, carried) = match (drafted.draft.summary_bound, &drafted.previous) {
            (0, Some((_, earlier))) => {
                let most = Shared::carried(&budget);
                carried(&*assessed.estimator, &earlier.ledger, most)
            }
            (0, None) => Default::default(),
            _ => {
                let ledger = self.ledger(view, &assessed, &mut drafted);
                (ledger, drafted.draft.summary_bound)
            }
        };
        let parts = self.parts(view, hints, &assessed, &drafted);
        Rewrite {
            refit,
            reason: match refit {
                Some(_) => Reason::Overflow,
                None => due.map_or(Reason::OverLimit, Due::reason),
            },
            optional: due == Some(Due::Soft),
            model: view.model().map(str::to_owned),
            estimator: assessed.estimator,
            size: assessed.size,
            budget,
            table: drafted.table,
            rules: drafted.rules,
            draft: drafted.draft,
            previous: drafted.previous.map(|(_, envelope)| envelope),
            keys: drafted.keys,
            ledger,
            carried,
            parts,
        }
    }
}
