use contextfit_core::cut::{Cut, Fate, enforce};
use contextfit_core::estimate::{Estimator, TokenCount};
use contextfit_core::plan::Draft;
use contextfit_core::request::{Conversation, PieceKind, RequestAdapter, Role, Switch};
use contextfit_core::table::{Pins, Row, Table};

use super::Fitter;
use super::assess::{Assessed, Due};
use super::decide::{Decision, Drafted};
use crate::explain::{ExpectedSummary, ExplainedMessage, Explanation, Verdict, Why};
use crate::{FitError, Reason, UnknownModel};

impl<A> Fitter<A> {
    /// Says what a fit would do to a request, without any call and without changing anything:
    /// what would be cut, clipped and kept, and why; and whether a summary would be asked for.
    ///
    /// ```
    /// use contextfit_core::chat::{ChatMessage, ChatRequest};
    /// use contextfit_core::cut::Fate;
    /// use contextfit_tower::{Fitter, HeadSummarizer, Verdict, Why};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let fitter = Fitter::builder().window(2_000).summarizer(HeadSummarizer).build()?;
    /// let long = (0..20).map(|turn| ChatMessage::user(format!("Fact {turn}: {}", "x".repeat(500))));
    ///
    /// let explanation = fitter.explain(&ChatRequest::new("a-model", long))?;
    /// assert!(matches!(explanation.verdict, Verdict::Changed(_)));
    /// assert_eq!(explanation.messages[0].why, Why::Task);
    /// assert_eq!(explanation.messages[1].fate, Fate::Summarize);
    /// assert!(explanation.summary.is_some_and(|summary| summary.messages > 10));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// The request is malformed, or its model isn't known. A request that would be refused is no
    /// error: see [`Verdict::Refused`].
    pub fn explain<R>(&self, request: &R) -> Result<Explanation, FitError>
    where
        A: RequestAdapter<R>,
    {
        let hints = self.adapter.hints(request);
        let view = self.adapter.view(request)?;
        let Some(assessed) = self.assess(&view, hints.switch, None, true)? else {
            return Err(UnknownModel::new(view.model()).into());
        };
        let decision = if self.shared.settings.enabled && hints.switch != Switch::Off {
            self.decide(&view, &hints, None)
        } else {
            Ok(Decision::LeftAlone)
        };

        let (table, _) = self.table(&view, &hints, &assessed);
        let (mut budget, mut draft, mut summary) = (assessed.budget.ok(), None, None);
        let verdict = match decision {
            Ok(Decision::LeftAlone) => Verdict::LeftAlone,
            Ok(Decision::AsItIs { stuck: None, .. }) => Verdict::Fits,
            Ok(Decision::AsItIs { stuck: Some(_), .. }) => Verdict::Stuck,
            Err(error) => Verdict::Refused(error),
            Ok(Decision::Change {
                assessed,
                budget: allowed,
                drafted,
            }) => {
                summary = self.expected_summary(&view, &assessed, &drafted);
                budget = Some(allowed);
                draft = Some(drafted.draft);
                Verdict::Changed(assessed.due.map_or(Reason::OverLimit, Due::reason))
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
            nothing_has_to_go: matches!(verdict, Verdict::Fits | Verdict::LeftAlone),
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
            verdict,
            messages,
            summary,
        })
    }

    fn expected_summary<V: Conversation>(
        &self,
        view: &V,
        assessed: &Assessed,
        drafted: &Drafted,
    ) -> Option<ExpectedSummary> {
        let parts = self.parts(view, assessed, drafted);
        let asked = parts.iter().filter(|part| part.is_asked_for());
        let calls = asked.clone().count();
        (calls > 0).then(|| ExpectedSummary {
            messages: asked
                .map(|part| part.messages.len().saturating_sub(part.wanted.omitted()))
                .sum(),
            max_tokens: drafted.draft.summary_bound,
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
        clip.map_or(draft.cut.fate(index), |clip| {
            Fate::Clip(draft.clips[clip].tokens)
        })
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
        } else if asked.is_cut() {
            Why::Group
        } else {
            Why::Policy
        }
    }
}
