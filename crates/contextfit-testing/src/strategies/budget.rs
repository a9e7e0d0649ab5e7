use contextfit_core::budget::{Budget, BudgetRules, OversizedOutput, Window, share_of};
use contextfit_core::plan::{DraftRules, SummaryCost};
use proptest::option::{of, weighted};
use proptest::prelude::*;

/// Any budget that leaves room: windows from one token to all a `u64` holds, limits for the
/// input alone, large and small reserves, fixed parts and outputs asked for.
pub fn budgets() -> impl Strategy<Value = Budget> {
    let window = prop_oneof![
        2 => 1_u64..100,
        4 => 100_u64..20_000,
        4 => 20_000_u64..1_000_000,
        1 => 1..=u64::MAX,
    ];
    let share = || prop_oneof![1 => Just(0.0), 3 => 0.0..0.9];
    let lower = prop_oneof![
        1 => Just(OversizedOutput::Refuse),
        3 => Just(OversizedOutput::Lower),
    ];
    let rules = (of(share()), lower, 0.01..=1.0);
    let request = (share(), of(any::<u32>()));
    let limits = (
        weighted(0.2, 1_u64..500_000),
        weighted(0.2, 1_u64..500_000),
        weighted(0.2, 1_u64..500_000),
        weighted(0.2, 1_usize..40),
    );
    (window, rules, request, limits).prop_filter_map(
        "the settings must leave room",
        |(total, (reserve, oversized_output, target), (fixed, asked), limits)| {
            let (input, max_context, most_prompt, max_messages) = limits;
            let mut window = Window::new(total);
            window.input = input;
            let mut rules = BudgetRules::default();
            rules.max_context = max_context;
            let ceiling = rules.ceiling(window);
            rules.reserve = reserve.map(|share| share_of(ceiling, share));
            rules.oversized_output = oversized_output;
            rules.target = target;
            rules.max_messages = max_messages;
            let most_input = ceiling.min(input.unwrap_or(ceiling));
            let fixed = share_of(most_input.min(most_prompt.unwrap_or(most_input)), fixed);
            Budget::new(window, &rules, fixed, asked, most_prompt).ok()
        },
    )
}

/// Any settings of a draft.
pub fn draft_rules() -> impl Strategy<Value = DraftRules> {
    let tokens =
        || prop_oneof![2 => Just(0), 6 => 1_u64..100, 3 => 100_u64..20_000, 1 => any::<u64>()];
    let clips = (any::<bool>(), any::<bool>());
    let gain = prop_oneof![1 => Just(0.0), 1 => Just(0.05), 1 => 0.0..1.0];
    let summary = (tokens(), tokens(), tokens()).prop_map(|(frame, bound, notice)| SummaryCost {
        frame,
        bound,
        notice,
    });
    (summary, clips, gain).prop_map(|(summary, clips, least_gain)| DraftRules {
        summary,
        clip_tool_results: clips.0,
        clip_user_messages: clips.1,
        least_gain,
    })
}
