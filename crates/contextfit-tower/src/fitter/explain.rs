use std::sync::Arc;

use contextfit_core::budget::BudgetError;
use contextfit_core::cut::{Cut, Fate, enforce};
use contextfit_core::estimate::{Estimator, TokenCount, measure};
use contextfit_core::plan::Draft;
use contextfit_core::request::{Conversation, PieceKind, RequestAdapter, Role};
use contextfit_core::summary::Envelope;
use contextfit_core::table::{Pins, Row, Table};

use super::Fitter;
use super::compose::Composed;
use super::decide::Decision;
use super::due::Assessed;
use super::parts::Part;
use super::rewrite::Rewrite;
use crate::FitError;
use crate::explain::{ExpectedSummary, ExplainedMessage, Explanation, Outcome, Why};
use crate::overflow::Size;
use crate::summarize::Reading;

impl<A> Fitter<A> {
    /// Says what a fit would do to a request, without any call and without changing anything:
    /// what would be cut, clipped and kept, and why; and whether a summary would be asked for.
    ///
    /// ```
    /// use contextfit_core::chat::{ChatMessage, ChatRequest};
    /// use contextfit_core::cut::Fate;
    /// use contextfit_tower::{Fitter, HeadSummarizer, Outcome, Why};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let fitter = Fitter::builder().window(2_000).summarizer(HeadSummarizer).build()?;
    /// let long = (0..20).map(|turn| ChatMessage::user(format!("Fact {turn}: {}", "x".repeat(500))));
    ///
    /// let explanation = fitter.explain(&ChatRequest::new("a-model", long))?;
    /// assert!(matches!(explanation.outcome, Outcome::Changed(_)));
    /// assert_eq!(explanation.messages[0].why, Why::Task);
    /// assert_eq!(explanation.messages[1].fate, Fate::Summarize);
    /// assert!(explanation.summary.is_some_and(|summary| summary.messages > 10));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The request is malformed, or its model isn't known and such requests are refused.
    /// A request that would be refused is no error: see [`Outcome::Refused`].
    pub fn explain<R>(&self, request: &R) -> Result<Explanation, FitError>
    where
        A: RequestAdapter<R>,
    {
        let hints = self.adapter.hints(request);
        let view = self.adapter.view(request)?;
        let is_on = self.shared.settings.enabled && !hints.switch.is_off();
        let decision = if is_on {
            self.decide(&view, &hints, None)
        } else {
            Ok(Decision::LeftAlone)
        };
        let assessed = match &decision {
            Ok(Decision::AsItIs { assessed, .. } | Decision::Change { assessed, .. }) => {
                assessed.clone()
            }
            _ => match self.assess(&view, hints.switch, None, true) {
                Ok(Some(assessed)) => assessed,
                Ok(None) => self.unassessed(&view),
                Err(FitError::UnknownModel(_)) if !is_on => self.unassessed(&view),
                Err(error) => return Err(error),
            },
        };

        let previous = Envelope::find(&view, &self.keys(&hints)).ours;
        let table = self.table(&view, &hints, &assessed, previous.as_ref());
        let (mut budget, mut draft, mut summary) = (assessed.budget.ok(), None, None);
        let outcome = match decision {
            Ok(Decision::LeftAlone) => Outcome::LeftAlone,
            Ok(Decision::AsItIs { stuck: None, .. }) => Outcome::Fits,
            Ok(Decision::AsItIs { stuck: Some(_), .. }) => Outcome::Stuck,
            Err(error) => Outcome::Refused(error),
            Ok(Decision::Change {
                assessed,
                budget: allowed,
                drafted,
            }) => {
                budget = Some(allowed);
                let mut rewrite = self.rewrite(&view, &hints, None, assessed, allowed, *drafted);
                summary = self.expected_summary(&rewrite);
                let failure = rewrite.parts.iter_mut().find_map(Part::take_failure);
                let changed = match failure {
                    Some(error) if !self.archives(rewrite.optional) => {
                        self.without_summary(&mut rewrite, error)
                    }
                    _ => Ok(Some(Composed::default())),
                };
                match changed {
                    Ok(Some(_)) => {
                        draft = Some(rewrite.draft);
                        Outcome::Changed(rewrite.reason)
                    }
                    Ok(None) if rewrite.fits_as_it_is() => Outcome::Fits,
                    Ok(None) => Outcome::Stuck,
                    Err(error) => Outcome::Refused(error),
                }
            }
        };
        let tokens_before = assessed.measured.prompt();
        let asked = budget.and_then(|budget| self.shared.policy.cut(&table, &budget));
        let reasons = Reasons {
            table: &table,
            pins: self.shared.settings.pins,
            lawful: asked.clone().and_then(|cut| enforce(&table, cut)),
            asked,
            draft: draft.as_ref(),
            newest_group: table.newest_group(),
            summarizes: self.shared.summarizer.is_some(),
            nothing_has_to_go: matches!(outcome, Outcome::Fits | Outcome::LeftAlone),
        };
        let messages = (0..view.len())
            .map(|index| {
                let row = &table.rows()[index];
                let (fate, why) = reasons.of(index);
                ExplainedMessage {
                    role: row.role,
                    tokens: row.tokens,
                    kinds: kinds(&view, &*assessed.estimator, index),
                    tokens_after: match fate {
                        Fate::Keep => row.tokens,
                        Fate::Clip(tokens) => tokens,
                        _ => 0,
                    },
                    group: row.group(),
                    turn: row.turn(),
                    fate,
                    why,
                }
            })
            .collect();
        let after = draft.map(|draft| assessed.measured.fixed.saturating_add(draft.after));
        Ok(Explanation {
            model: view.model().map(str::to_owned),
            budget,
            tokens_before,
            tokens_after: after.unwrap_or(tokens_before),
            beside: assessed.measured.beside,
            hidden: assessed.measured.hidden,
            outcome,
            messages,
            summary,
        })
    }

    /// The numbers of a request that is left alone, of whose model nothing is known.
    fn unassessed<V: Conversation>(&self, view: &V) -> Assessed {
        let estimator = Arc::clone(&self.shared.estimator);
        let measured = measure(view, &*estimator);
        Assessed {
            size: Size::new(0, &measured),
            estimator,
            measured,
            budget: Err(BudgetError::EmptyWindow),
            due: None,
        }
    }

    fn expected_summary(&self, rewrite: &Rewrite) -> Option<ExpectedSummary> {
        let summarizer = self.shared.summarizer.as_deref()?;
        if !self.asks(rewrite) {
            return None;
        }
        let (mut messages, mut calls) = (0, 0);
        for part in rewrite.parts.iter().filter(|part| part.is_asked_for()) {
            let reading = Reading::of(summarizer, &part.job);
            for chunk in reading.map_or_else(|_| Vec::new(), |reading| reading.chunks) {
                messages += chunk.messages.len();
                calls += 1;
            }
        }
        Some(ExpectedSummary {
            messages,
            max_tokens: rewrite.draft.summary_bound,
            calls,
        })
    }
}

/// Tokens of a message by kind, in the order in which the kinds come up.
fn kinds<V: Conversation>(
    view: &V,
    estimator: &dyn Estimator,
    index: usize,
) -> Vec<(PieceKind, u64)> {
    let mut kinds: Vec<(PieceKind, TokenCount)> = Vec::new();
    view.pieces(index, &mut |piece| {
        let count = estimator.count(piece);
        match kinds.iter_mut().find(|(kind, _)| *kind == piece.kind()) {
            Some((_, sum)) => *sum += count,
            None => kinds.push((piece.kind(), count)),
        }
    });
    let floored = kinds.into_iter().map(|(kind, count)| (kind, count.floor()));
    floored.collect()
}

/// Why the messages of a conversation are kept or go.
struct Reasons<'a> {
    table: &'a Table,
    pins: Pins,
    /// What the policy would do, lawful or not.
    asked: Option<Cut>,
    /// What of that the laws allow.
    lawful: Option<Cut>,
    draft: Option<&'a Draft>,
    /// Whether anybody writes summaries.
    summarizes: bool,
    newest_group: Option<usize>,
    nothing_has_to_go: bool,
}

impl Reasons<'_> {
    /// What becomes of a message, and why.
    fn of(&self, index: usize) -> (Fate, Why) {
        let asked = self
            .asked
            .as_ref()
            .map_or(Fate::Keep, |cut| cut.fate(index));
        let fate = self.fate(index);
        let why = match fate {
            Fate::Keep => self.why_kept(index, asked),
            _ if fate.is_cut() && self.table.rows()[index].summary => Why::EarlierSummary,
            Fate::Clip(_) if matches!(asked, Fate::Clip(_)) => Why::PolicyCuts,
            Fate::Clip(_) => Why::NotEnough,
            _ if asked.is_cut() => Why::PolicyCuts,
            _ => Why::NotEnough,
        };
        (fate, why)
    }

    fn fate(&self, index: usize) -> Fate {
        let Some(draft) = self.draft else {
            return Fate::Keep;
        };
        // They are in order, and there may be as many as messages.
        let clip = draft
            .clips
            .binary_search_by_key(&index, |clip| clip.message);
        match (clip, draft.cut.fate(index)) {
            (Ok(clip), _) => Fate::Clip(draft.clips[clip].tokens),
            (Err(_), Fate::Summarize) if !self.summarizes && !self.table.rows()[index].summary => {
                Fate::Drop
            }
            (Err(_), fate) => fate,
        }
    }

    fn why_kept(&self, index: usize, asked: Fate) -> Why {
        let rows = self.table.rows();
        let row = &rows[index];
        let is_user = |row: &Row| row.role == Role::User && !row.summary;
        if row.role.is_fixed() {
            Why::Instructions
        } else if self.nothing_has_to_go {
            Why::NothingHasToGo
        } else if row.pinned && !row.summary {
            if self.pins.task && rows.iter().position(is_user) == Some(index) {
                Why::Task
            } else if self.pins.last_user && rows.iter().rposition(is_user) == Some(index) {
                Why::LastUser
            } else {
                Why::Marked
            }
        } else if Some(row.group()) == self.newest_group {
            Why::Newest
        } else if self.lawful.as_ref().is_some_and(|cut| cut.contains(index)) {
            Why::NotWorthIt
        } else if self.draft.is_none() {
            Why::NothingHelps
        } else if asked.is_cut() {
            Why::Group
        } else {
            Why::Policy
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeadSummarizer, ModelSpec, ModelTable, UnknownWindow};
    use contextfit_core::chat::{ChatMessage, ChatRequest};

    fn whys(fitter: &Fitter, messages: Vec<ChatMessage>) -> Vec<(Fate, Why)> {
        let explanation = fitter.explain(&ChatRequest::new("m", messages)).unwrap();
        let messages = explanation.messages.iter();
        messages
            .map(|message| (message.fate, message.why))
            .collect()
    }

    #[test]
    fn nobody_summarizes_without_a_summarizer() {
        let messages = || {
            let long = (0..20).map(|turn| format!("Fact {turn}: {}", "x".repeat(500)));
            long.map(ChatMessage::user).collect()
        };
        let builder = || Fitter::builder().window(2_000);
        let with = builder().summarizer(HeadSummarizer).build().unwrap();
        assert_eq!(
            whys(&with, messages())[1],
            (Fate::Summarize, Why::PolicyCuts)
        );
        let without = builder().build().unwrap();
        assert_eq!(whys(&without, messages())[1], (Fate::Drop, Why::PolicyCuts));
    }

    #[test]
    fn a_model_nobody_knows_is_left_alone_or_an_error_as_a_fit_is() {
        let table = || ModelTable::new().model("known", ModelSpec::new(1_000));
        let chat = || ChatRequest::new("unknown", [ChatMessage::user("12345678")]);
        let refusing = Fitter::builder().models(table()).build().unwrap();
        assert!(refusing.explain(&chat()).is_err());
        for builder in [
            Fitter::builder()
                .models(table())
                .unknown_window(UnknownWindow::LeaveAlone),
            Fitter::builder().models(table()).enabled(false),
        ] {
            let explained = builder.build().unwrap().explain(&chat()).unwrap();
            assert!(matches!(explained.outcome, Outcome::LeftAlone));
            assert_eq!((explained.budget, explained.tokens_before), (None, 6));
        }
    }

    #[test]
    fn what_is_not_cut_because_nothing_helps_is_not_said_to_be_kept_by_the_policy() {
        let long = "a word ".repeat(2_000);
        let fitter = Fitter::builder().window(1_000).build().unwrap();
        let messages = vec![
            ChatMessage::user("Short."),
            ChatMessage::assistant("Yes."),
            ChatMessage::user(long),
        ];
        let kept = |why| (Fate::Keep, why);
        assert_eq!(
            whys(&fitter, messages),
            [Why::Task, Why::NotWorthIt, Why::LastUser].map(kept)
        );
    }
}
