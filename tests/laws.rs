//! The laws of the pure half, on random tables and conversations.
//!
//! Whatever a policy does, what is sent stays a conversation that a provider accepts, and
//! costs what its draft says.

use std::sync::Arc;

use contextfit_core::budget::{Budget, BudgetRules, Window};
use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole};
use contextfit_core::cut::{
    Cut, CutPolicy, Fate, RecentBudget, TopicAndRecent, cut_policy_fn, enforce, everything,
};
use contextfit_core::estimate::{CharEstimator, Estimator, LEAST_CLIP, measure, message_tokens};
use contextfit_core::plan::{
    Clip, Draft, DraftRules, Plan, Step, SummaryCost, clip_message, draft,
};
use contextfit_core::request::{Conversation, EditConversation, Link, MessageRef, Piece, Role};
use contextfit_core::summary::{Envelope, Place};
use contextfit_core::table::{Cuttable, Pins, Table};
use contextfit_testing::laws::{check_cut, check_draft, check_lawful};
use contextfit_testing::strategies::{
    HostilePolicy, budgets, conversations, draft_rules, hostile_conversations, hostile_policies,
    tables, texts,
};
use contextfit_testing::summaries::{seal_summaries, summary_keys, summary_message};
use contextfit_tests::shipped_policies;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

type Checked = Result<(), TestCaseError>;

/// A check of a law as the result of a test case.
fn holds(check: Result<(), String>) -> Checked {
    check.map_err(TestCaseError::fail)
}

/// The shipped policies, and a hostile one alone and behind itself.
fn policies(hostile: HostilePolicy) -> Vec<Arc<dyn CutPolicy>> {
    let shipped = shipped_policies().into_iter().map(|(_, policy)| policy);
    let hostile: [Arc<dyn CutPolicy>; 2] = [Arc::new(hostile), Arc::new(hostile.then(hostile))];
    shipped.chain(hostile).collect()
}

/// A budget whose limit is the window.
fn budget_of(window: u64) -> Budget {
    let mut rules = BudgetRules::default();
    rules.reserve = Some(0);
    Budget::new(Window::new(window), &rules, 0, None, None).expect("the window isn't empty")
}

fn pins() -> impl Strategy<Value = Pins> {
    prop_oneof![Just(Pins::NONE), Just(Pins::BOTH)]
}

/// Every group that is asked for whole and that no law holds, with the summary: worked out
/// slowly from every pair of rows.
fn cut_by_force(table: &Table, asked: &Cut) -> Cut {
    let rows = table.rows();
    let is_ours = |index: usize| rows[index].summary;
    let newest = (0..rows.len()).rfind(|&index| !rows[index].role.is_fixed() && !is_ours(index));
    let holds_its_group = |index: usize| {
        let is_asked = asked.contains(index) || is_ours(index);
        let is_held = rows[index].pinned && !is_ours(index) || Some(index) == newest;
        !rows[index].role.is_fixed() && (is_held || !is_asked)
    };
    let mut cut = Cut::none(rows.len());
    for index in (0..rows.len()).filter(|&index| !rows[index].role.is_fixed()) {
        let mut mates = (0..rows.len()).filter(|&mate| rows[mate].group() == rows[index].group());
        if !mates.any(holds_its_group) {
            let fate = asked.fate(index);
            cut.set(index, if fate.is_cut() { fate } else { Fate::Summarize });
        } else if let clip @ Fate::Clip(most) = asked.fate(index)
            && rows[index].role == Role::Tool
            && !rows[index].pinned
            && most.max(rows[index].cleared()) < rows[index].tokens
        {
            cut.set(index, clip);
        }
    }
    // Ours goes with others alone, and nobody writes it anew for those that are dropped.
    let others =
        |fate: Fate| (0..rows.len()).any(|index| !is_ours(index) && cut.fate(index) == fate);
    let fate = match (others(Fate::Summarize), others(Fate::Drop)) {
        (true, _) => None,
        (false, true) => Some(Fate::Drop),
        (false, false) => Some(Fate::Keep),
    };
    for index in (0..rows.len()).filter(|&index| is_ours(index)) {
        if let (true, Some(fate)) = (cut.contains(index), fate) {
            cut.set(index, fate);
        }
    }
    cut
}

// ── Cuts and drafts ─────────────────────────────────────────────────────────────────────────

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_024))]

    #[test]
    fn every_cut_is_lawful_once_enforced(
        table in tables(), budget in budgets(), hostile in hostile_policies(),
    ) {
        for policy in policies(hostile) {
            holds(check_cut(&table, &budget, &policy))?;
        }
    }

    #[test]
    fn every_draft_is_honest_and_fits_or_is_the_smallest(
        table in tables(), budget in budgets(), hostile in hostile_policies(), rules in draft_rules(),
    ) {
        for policy in policies(hostile) {
            holds(check_draft(&table, &budget, &policy, &rules))?;
        }
    }

    #[test]
    fn a_draft_as_near_the_limit_as_can_be_is_honest_too(
        table in tables(), share in 0.0..1.2, hostile in hostile_policies(), rules in draft_rules(),
    ) {
        let window = (table.tokens() as f64 * share) as u64;
        for policy in policies(hostile) {
            holds(check_draft(&table, &budget_of(window.max(1)), &policy, &rules))?;
        }
    }

    #[test]
    fn the_groups_that_may_be_cut_are_all_that_may(table in tables()) {
        let rows = table.rows();
        let may_go = |index: &usize| !rows[*index].role.is_fixed() && !rows[*index].summary;
        let groups: Vec<Cuttable> = table.cuttable().collect();
        let in_groups = groups.iter().flat_map(|group| group.rows.clone());
        let cuttable: Vec<usize> = in_groups.filter(may_go).collect();
        let tokens = |sum: u64, tokens| sum.saturating_add(tokens);
        prop_assert_eq!(
            groups.iter().map(|group| group.tokens).fold(0, tokens),
            cuttable.iter().map(|&index| rows[index].tokens).fold(0, tokens)
        );
        prop_assert_eq!(groups.iter().map(|group| group.messages).sum::<usize>(), cuttable.len());
        match everything(&table) {
            Some(cut) => prop_assert_eq!(cut.iter().filter(may_go).collect::<Vec<_>>(), cuttable),
            // A summary that may not go would stand beside the new one.
            None => prop_assert!(cuttable.is_empty() || rows.iter().any(|row| row.summary)),
        }
    }

    #[test]
    fn what_is_asked_goes_where_the_laws_let_it(table in tables(), hostile in hostile_policies()) {
        let all = Cut::of(table.len(), 0..table.len());
        let asked = hostile.cut(&table, &budget_of(1)).filter(|cut| cut.len() == table.len());
        for (asked, enforced) in [
            (Some(all), everything(&table)),
            (asked.clone(), asked.and_then(|asked| enforce(&table, asked))),
        ] {
            let by_force = asked.map(|asked| cut_by_force(&table, &asked)).map(|mut cut| {
                if check_lawful(&table, &cut).is_err() {
                    // What may not be cut is kept; clips are.
                    let is_cut = |index: &usize| cut.contains(*index);
                    let kept: Vec<usize> = (0..cut.len()).filter(is_cut).collect();
                    kept.into_iter().for_each(|index| cut.keep(index));
                }
                cut
            });
            prop_assert_eq!(enforced, by_force.filter(|cut| !cut.is_untouched()));
        }
    }

    #[test]
    fn a_larger_window_never_keeps_fewer_messages(
        table in tables(), one in 1_u64..40_000, other in 1_u64..40_000, keep in 0_u64..5_000,
    ) {
        let budgets = [one.min(other), one.max(other)].map(|window| {
            Budget::new(Window::new(window), &BudgetRules::default(), 0, None, None)
                .expect("a default reserve leaves room")
        });
        let shipped = shipped_policies().into_iter().map(|(_, policy)| policy);
        let any_budget: Arc<dyn CutPolicy> = Arc::new(RecentBudget::new(keep));
        for policy in shipped.chain([any_budget]) {
            let [small, large] = budgets.map(|budget| {
                let cut = policy.cut(&table, &budget).and_then(|cut| enforce(&table, cut));
                table.len() - cut.map_or(0, |cut| cut.count())
            });
            prop_assert!(small <= large, "{small} kept, {large} in the larger window");
        }
    }

    #[test]
    fn what_topic_and_recent_keeps_fits_the_target_or_must_be_kept(
        table in tables(), budget in budgets(),
    ) {
        let rows = table.rows();
        let chosen = TopicAndRecent.cut(&table, &budget);
        let cut = chosen.clone().and_then(|cut| enforce(&table, cut));
        if chosen.is_some() != cut.is_some() {
            // Nothing of it was lawful, so all is kept.
            return Ok(());
        }
        let is_kept = |index: usize| cut.as_ref().is_none_or(|cut| !cut.contains(index));
        let topic = rows.iter().position(|row| row.role == Role::User && !row.summary);
        let held = |group: usize| {
            Some(group) == table.newest_group() || rows.iter().enumerate().any(|(index, row)| {
                row.group() == group && (Some(index) == topic || row.pinned && !row.summary)
            })
        };
        let kept: Vec<_> = (0..rows.len())
            .filter(|&index| is_kept(index) && !rows[index].role.is_fixed())
            .map(|index| &rows[index])
            .collect();
        let tokens = kept.iter().fold(0_u64, |sum, row| sum.saturating_add(row.tokens));
        let last = rows.iter().map(|row| row.group()).max();
        let newer = |group: usize| table.newest_group() < Some(group) && Some(group) <= last;
        prop_assert!(
            tokens <= budget.target
                || kept.iter().all(|row| held(row.group()) || newer(row.group()) || row.tokens == 0),
            "{} tokens are kept of {}", tokens, budget.target,
        );
    }

    #[test]
    fn recent_budget_keeps_no_more_than_it_says(
        table in tables(), budget in budgets(), keep in 0_u64..5_000,
    ) {
        let policy = RecentBudget::new(keep);
        let cut = policy.cut(&table, &budget).unwrap_or_else(|| Cut::none(table.len()));
        let kept = |index: usize| !cut.contains(index);
        let oldest = (0..table.len()).find(|&index| kept(index)).map(|index| table.rows()[index].group());
        let mut index = 0..table.len();
        let tokens = table.sum(|row| index.next().is_some_and(kept) && !row.role.is_fixed());
        prop_assert!(tokens <= policy.keep(&budget) || oldest >= table.newest_group());
    }

    #[test]
    fn any_number_of_messages_may_be_kept(table in tables(), any in any::<Index>()) {
        let len = table.len();
        for keep in [0, 1, any.index(len + 1), len, len + 1] {
            let policy = cut_policy_fn(|table, _| {
                Some(Cut::of(table.len(), 0..table.len().saturating_sub(keep)))
            });
            holds(check_cut(&table, &budget_of(1), &policy))?;
            let cut = policy.cut(&table, &budget_of(1)).and_then(|cut| enforce(&table, cut));
            prop_assert!(keep < len || cut.is_none());
        }
    }

    #[test]
    fn a_tail_that_fills_its_budget_is_kept_and_one_token_more_is_not(table in tables()) {
        let tokens = table.tokens();
        if !(2..u64::MAX / 8).contains(&tokens) {
            return Ok(());
        }
        let roomy = budget_of(u64::MAX);
        prop_assert_eq!(RecentBudget::new(tokens).cut(&table, &roomy), None);
        let cut = RecentBudget::new(tokens - 1).cut(&table, &roomy);
        // The newest group stays whatever it costs.
        prop_assert_eq!(cut.is_some(), table.newest_group() > Some(0));
    }

    #[test]
    fn a_draft_that_fills_its_limit_fits(
        table in tables(), window in 1_u64..20_000, rules in draft_rules(),
    ) {
        let first = draft(&table, &budget_of(window), &TopicAndRecent, &rules);
        let needed = table.tokens() > window;
        let Some(first) = first.filter(|draft| needed && draft.after > 0 && !draft.cut.is_empty()) else {
            return Ok(());
        };
        let cut = first.cut.clone();
        let same = cut_policy_fn(move |_, _| Some(cut.clone()));
        let exact = draft(&table, &budget_of(first.after), &same, &rules);
        prop_assert_eq!(exact, Some(first));
    }
}

// ── Groups ──────────────────────────────────────────────────────────────────────────────────

/// A conversation in which some messages also mean nothing without the next one.
struct Bound<'a> {
    chat: &'a ChatRequest,
    binds: &'a [bool],
}

impl Bound<'_> {
    fn binds(&self, index: usize) -> bool {
        self.binds.get(index) == Some(&true)
    }
}

impl Conversation for Bound<'_> {
    fn model(&self) -> Option<&str> {
        self.chat.model()
    }

    fn len(&self) -> usize {
        self.chat.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        self.chat.message(index)
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        self.chat.links(index, visit);
        if self.binds(index) {
            visit(Link::BindsNext);
        }
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        self.chat.pieces(index, visit);
    }
}

/// For each message, whether it must be in the group of the one before it: worked out slowly
/// from every pair of messages.
fn joined_by_force(view: &Bound<'_>) -> Vec<bool> {
    let messages = &view.chat.messages;
    let calls = |index: usize, id: &str| {
        messages[index]
            .tool_calls
            .iter()
            .any(|call| *call.id == *id)
    };
    let answers = |index: usize, id: &str| messages[index].tool_call_id.as_deref() == Some(id);
    // The latest call before a result, unless another result has answered it.
    let call_of = |result: usize| {
        let id = messages[result].tool_call_id.as_deref()?;
        let call = (0..result).rfind(|&call| calls(call, id))?;
        (call + 1..result)
            .all(|between| !answers(between, id))
            .then_some(call)
    };
    (0..messages.len())
        .map(|index| {
            let tied = |first: usize, last: usize| first < index && index <= last;
            let in_a_call = (0..messages.len())
                .any(|result| call_of(result).is_some_and(|call| tied(call, result)));
            let is_tool = view.message(index).role == Role::Tool;
            index > 0 && (in_a_call || view.binds(index - 1) || is_tool && call_of(index).is_none())
        })
        .collect()
}

/// For each row, whether it is in the group of the one before it; an error if groups aren't
/// runs numbered from 0.
fn joined(table: &Table) -> Result<Vec<bool>, TestCaseError> {
    let mut previous = None;
    let mut joined = Vec::new();
    for row in table.rows() {
        let next = previous.map_or(0, |group: usize| group + 1);
        prop_assert!(row.group() == next || Some(row.group()) == previous);
        joined.push(Some(row.group()) == previous);
        previous = Some(row.group());
    }
    let mut end = 0;
    for group in table.groups() {
        prop_assert!(group.start == end && group.end > end);
        end = group.end;
    }
    prop_assert_eq!(end, table.len());
    Ok(joined)
}

/// What a message costs, by the default estimator.
fn tokens_by_hand(chat: &ChatRequest, index: usize) -> u64 {
    let mut chars = 0;
    chat.pieces(index, &mut |piece| {
        piece.for_each_text(|text| chars += text.decode().chars().count() as u64);
    });
    let mut tokens = CharEstimator::MESSAGE_OVERHEAD + chars / 4;
    chat.pieces(index, &mut |piece| {
        tokens += u64::from(matches!(piece, Piece::Media(_))) * CharEstimator::MEDIA;
    });
    tokens
}

/// What of a message may be clipped: its texts above the least clip, less one of those for each
/// but the first.
fn clippable_by_hand(chat: &ChatRequest, index: usize) -> u64 {
    let role = chat.message(index).role;
    let mut texts = Vec::new();
    chat.pieces(index, &mut |piece| match (role, piece) {
        (Role::User, Piece::Text(text)) | (Role::Tool, Piece::ToolResult { content: text, .. }) => {
            texts.push(text.decode().chars().count() as u64 / 4);
        }
        _ => {}
    });
    texts.retain(|&tokens| tokens > LEAST_CLIP);
    texts.iter().sum::<u64>() - LEAST_CLIP * (texts.len() as u64).saturating_sub(1)
}

/// Whether a provider takes it: results stand right after their calls and answer each once,
/// and the first to speak is a user.
fn is_accepted(messages: &[ChatMessage]) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut spoken = false;
    for message in messages {
        match message.role {
            ChatRole::System | ChatRole::Developer => {}
            ChatRole::Tool | ChatRole::Function => {
                let answers = |id: &&str| Some(*id) == message.tool_call_id.as_deref();
                let Some(call) = open.iter().position(answers) else {
                    return false;
                };
                open.remove(call);
                continue;
            }
            ChatRole::User => spoken = true,
            ChatRole::Assistant if !spoken => return false,
            ChatRole::Assistant => {}
        }
        if !open.is_empty() {
            return false;
        }
        open.extend(message.tool_calls.iter().map(|call| &*call.id));
    }
    open.is_empty() && spoken
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn groups_are_what_the_ties_demand_and_no_more(
        chat in prop_oneof![hostile_conversations(), conversations()],
        binds in vec(prop::bool::weighted(0.1), 0..20),
        summary in prop::option::of(0_usize..30),
        pins in pins(),
    ) {
        let view = Bound { chat: &chat, binds: &binds };
        let table = Table::read(&view, &CharEstimator::default(), pins, summary);
        prop_assert_eq!(joined(&table)?, joined_by_force(&view));
    }

    #[test]
    fn a_group_of_a_sound_conversation_is_a_message_or_a_round(chat in conversations()) {
        prop_assert!(is_accepted(&chat.messages));
        let table = Table::read(&chat, &CharEstimator::default(), Pins::NONE, None);
        for group in table.groups() {
            let messages = &chat.messages[group];
            prop_assert_eq!(messages.len(), 1 + messages[0].tool_calls.len());
            prop_assert!(messages[1..].iter().all(|message| message.role == ChatRole::Tool));
        }
    }

    #[test]
    fn a_table_holds_what_is_measured(
        chat in prop_oneof![hostile_conversations(), conversations()], pins in pins(),
    ) {
        let estimator = CharEstimator::default();
        let table = Table::read(&chat, &estimator, pins, None);
        prop_assert_eq!(table.tokens(), measure(&chat, &estimator).messages);
        for (index, row) in table.rows().iter().enumerate() {
            prop_assert_eq!(row.tokens, tokens_by_hand(&chat, index));
            prop_assert_eq!(row.clippable, clippable_by_hand(&chat, index));
            prop_assert!(row.clippable <= row.tokens);
        }
        let users = || (0..chat.len()).filter(|&index| chat.messages[index].role == ChatRole::User);
        for index in users().next().into_iter().chain(users().next_back()) {
            prop_assert_eq!(table.rows()[index].pinned, pins == Pins::BOTH);
        }
    }
}

// ── Plans ───────────────────────────────────────────────────────────────────────────────────

/// What a message with a summary costs besides it, by the estimator of these tests.
const FRAME: u64 = CharEstimator::MESSAGE_OVERHEAD;

/// The plan of a draft, with the longest summary that it allows.
fn plan_of(chat: &ChatRequest, draft: &Draft) -> Plan {
    let chars = usize::try_from(draft.summary_bound).unwrap_or(0) * 4;
    let summary = "s".repeat(chars);
    let clips = draft.clips.iter().flat_map(|clip| {
        clip_message(chat, &CharEstimator::default(), clip.message, clip.tokens).clips
    });
    Plan::new(draft.cut.clone(), summary, clips.collect())
}

fn rules() -> impl Strategy<Value = DraftRules> {
    (draft_rules(), 0_u64..500).prop_map(|(rules, bound)| DraftRules {
        summary: SummaryCost {
            frame: FRAME,
            bound,
            notice: FRAME,
        },
        ..rules
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn steps_keep_the_order_and_place_one_summary(
        cut in vec(any::<bool>(), 0..30), clipped in vec(0_usize..35, 0..6),
    ) {
        let mut plan_cut = Cut::none(cut.len());
        for index in (0..cut.len()).filter(|&index| cut[index]) {
            plan_cut.add(index..index + 1);
        }
        let clip = |message| Clip {
            message, piece: 0, text: "…".into(), omitted_chars: 1,
        };
        let plan = Plan::new(plan_cut, "so far".into(), clipped.iter().copied().map(clip).collect());
        let mut expected = Vec::new();
        let mut actual = Vec::new();
        for (index, &is_cut) in cut.iter().enumerate() {
            let is_first = is_cut && !cut[..index].contains(&true);
            if is_first || !is_cut {
                expected.push((is_first, index, !is_cut && clipped.contains(&index)));
            }
        }
        let place = cut.iter().position(|&is_cut| is_cut).unwrap_or_default();
        for step in plan.steps() {
            actual.push(match step {
                Step::Keep(index) => (false, index, false),
                Step::Clip(index, clips) => {
                    prop_assert!(clips.iter().all(|clip| clip.message == index));
                    (false, index, true)
                }
                Step::Summary(text) => {
                    prop_assert_eq!(text, "so far");
                    (true, place, false)
                }
            });
        }
        prop_assert_eq!(actual, expected);
    }

    #[test]
    fn a_plan_keeps_what_it_keeps_and_leaves_a_sound_conversation(
        chat in conversations(), share in 0.0..1.0, pins in pins(),
        hostile in hostile_policies(), rules in rules(),
    ) {
        for policy in policies(hostile) {
            let table = Table::read(&chat, &CharEstimator::default(), pins, None);
            let budget = budget_of(((table.tokens() as f64 * share) as u64).max(1));
            let Some(draft) = draft(&table, &budget, &policy, &rules) else { continue };
            let plan = plan_of(&chat, &draft);
            let mut fitted = chat.clone();
            prop_assert!(fitted.apply(&plan).is_ok());
            prop_assert!(is_accepted(&fitted.messages));
            for (message, step) in fitted.messages.iter().zip(plan.steps()) {
                match step {
                    Step::Keep(index) => prop_assert_eq!(message, &chat.messages[index]),
                    Step::Summary(text) => prop_assert_eq!(message, &ChatMessage::user(text)),
                    Step::Clip(index, _) => {
                        let mut rest = message.clone();
                        rest.content.clone_from(&chat.messages[index].content);
                        prop_assert_eq!(&rest, &chat.messages[index]);
                        prop_assert!(message.text().contains("characters omitted"));
                    }
                }
            }
        }
    }

    #[test]
    fn a_plan_costs_no_more_than_its_draft_says(
        chat in prop_oneof![conversations(), hostile_conversations()],
        share in 0.0..1.0, pins in pins(), hostile in hostile_policies(), rules in rules(),
    ) {
        for policy in policies(hostile) {
            let estimator = CharEstimator::default();
            let table = Table::read(&chat, &estimator, pins, None);
            let budget = budget_of(((table.tokens() as f64 * share) as u64).max(1));
            let Some(draft) = draft(&table, &budget, &policy, &rules) else { continue };
            let mut fitted = chat.clone();
            prop_assert!(fitted.apply(&plan_of(&chat, &draft)).is_ok());
            let after = measure(&fitted, &estimator).messages;
            prop_assert!(after <= draft.after, "{after} tokens, {} promised", draft.after);
        }
    }

    #[test]
    fn a_clipped_message_fits_where_markers_do(
        chat in prop_oneof![conversations(), hostile_conversations()], most in 0_u64..4_000,
    ) {
        // More than a marker costs, with what the result costs beside its text.
        const MARKER: u64 = 24;
        let estimator = CharEstimator::default();
        for index in 0..chat.len() {
            let before = message_tokens(&chat, &estimator, index).all;
            let clipped = clip_message(&chat, &estimator, index, most);
            let clips = clipped.clips;
            let role = chat.message(index).role;
            prop_assert!(clips.is_empty() || before > most);
            prop_assert!(clips.is_empty() || matches!(role, Role::Tool | Role::User));
            let mut texts = 0;
            let mut rest = Estimator::message_overhead(&estimator, role);
            chat.pieces(index, &mut |piece| match (role, piece) {
                (Role::Tool, Piece::ToolResult { call_id, name, .. }) => {
                    texts += 1;
                    rest += estimator.count(Piece::Text(call_id)) + estimator.count(Piece::Text(name));
                }
                (Role::User, Piece::Text(_)) => texts += 1,
                _ => rest += estimator.count(piece),
            });
            let mut fitted = chat.clone();
            prop_assert!(fitted.apply(&Plan::new(Cut::none(chat.len()), String::new(), clips)).is_ok());
            let after = message_tokens(&fitted, &estimator, index).all;
            prop_assert_eq!(after, clipped.tokens);
            prop_assert!(after <= before);
            if matches!(role, Role::Tool | Role::User) && texts > 0 && most >= rest.ceil() + texts * MARKER {
                prop_assert!(after <= most, "{after} tokens of {before}, {most} allowed");
            }
        }
    }
}

// ── The policy that people copy ─────────────────────────────────────────────────────────────

#[path = "../examples/custom_policy.rs"]
#[expect(dead_code, reason = "the example has a main of its own")]
mod custom_policy;

proptest! {
    #[test]
    fn the_policy_of_the_examples_keeps_the_laws(table in tables(), budget in budgets()) {
        check_cut(&table, &budget, &custom_policy::ToolRoundsFirst).map_err(TestCaseError::fail)?;
    }
}

// ── Envelopes ───────────────────────────────────────────────────────────────────────────────

proptest! {
    #[test]
    fn an_envelope_is_opened_as_it_was_sealed(
        summary in prop_oneof![texts(), any::<String>()], messages: u64, omitted: u64,
    ) {
        let envelope = Envelope { summary, messages, omitted, ..Envelope::default() };
        let (place, keys) = (Place::default(), summary_keys());
        let text = envelope.seal(&place, &keys);
        prop_assert_eq!(Envelope::open(&text, &place, &keys), Ok(envelope));
    }

    #[test]
    fn the_first_message_that_was_sealed_for_its_place_is_found(
        mut chat in hostile_conversations(),
        places in vec((any::<Index>(), texts(), any::<bool>()), 0..3),
    ) {
        for (place, summary, ours) in places {
            let place = place.index(chat.len() + 1);
            let envelope = Envelope { summary, messages: 3, ..Envelope::default() };
            chat.messages.insert(place, summary_message(&envelope));
            if ours {
                seal_summaries(&mut chat);
            }
        }
        // Nothing but its text, whatever else rides along that nobody understands.
        let is_envelope = |index: usize| {
            let mut understood = Vec::new();
            chat.pieces(index, &mut |piece| match piece {
                Piece::Opaque(_) => {}
                Piece::Text(text) => understood.push(Some(text.decode().into_owned())),
                _ => understood.push(None),
            });
            let place = Place::of(&chat, index);
            let is_one = |text: &Option<String>| {
                text.as_deref().is_some_and(|text| Envelope::open(text, &place, &summary_keys()).is_ok())
            };
            let role = chat.messages[index].role;
            role == ChatRole::User && understood.len() == 1 && is_one(&understood[0])
        };
        let found = Envelope::find(&chat, &summary_keys()).ours;
        // Ours always has a message after it.
        let fixed = |message: &ChatMessage| {
            matches!(message.role, ChatRole::System | ChatRole::Developer)
        };
        let last = chat.messages.iter().rposition(|message| !fixed(message)).unwrap_or(0);
        let first = (0..last).find(|&index| is_envelope(index));
        prop_assert_eq!(found.as_ref().map(|(index, _)| *index), first);
        if let Some((index, envelope)) = found {
            let text = envelope.seal(&Place::of(&chat, index), &summary_keys());
            prop_assert_eq!(text, chat.messages[index].text());
        }
    }

    #[test]
    fn a_changed_envelope_is_ordinary_text(
        summary in texts(), at in any::<Index>(), change in "[ a-z0-9<>\"\\\\]", takes in 0_usize..3,
    ) {
        let envelope = Envelope { summary, messages: 7, omitted: 2, ..Envelope::default() };
        let (place, keys) = (Place::default(), summary_keys());
        let text = envelope.seal(&place, &keys);
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len() + 1);
        let rest = (at + takes).min(chars.len());
        let changed: String =
            chars[..at].iter().copied().chain(change.chars()).chain(chars[rest..].iter().copied()).collect();
        prop_assume!(changed != text);
        prop_assert!(Envelope::open(&changed, &place, &keys).is_err());
        prop_assert!(Envelope::open(&text[1..], &place, &keys).is_err());
        let longer = format!("{text}\n");
        prop_assert!(Envelope::open(&longer, &place, &keys).is_err());
    }
}
