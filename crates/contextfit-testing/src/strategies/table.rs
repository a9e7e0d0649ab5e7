use contextfit_core::request::Role;
use contextfit_core::table::{Row, Table};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

/// The most tokens of a row: a handful of such rows exceeds a `u64`.
const HUGE: u64 = u64::MAX / 8;

/// Any table: all roles, calls with their results, system messages anywhere, pins, at most one
/// summary near the front, messages that cost nothing, and in some tables more than a `u64`
/// holds.
pub fn tables() -> impl Strategy<Value = Table> {
    let usual = prop_oneof![1 => Just(0), 8 => 1_u64..200, 4 => 200_u64..20_000].boxed();
    let huge = prop_oneof![3 => usual.clone(), 1 => 0..=HUGE].boxed();
    prop_oneof![4 => tables_of(usual), 1 => tables_of(huge)]
}

fn tables_of(tokens: BoxedStrategy<u64>) -> impl Strategy<Value = Table> {
    let summary = (0_usize..3, row(Just(Role::User), tokens.clone()));
    (vec(block(tokens), 0..12), weighted(0.3, summary)).prop_map(|(blocks, summary)| {
        let mut rows = blocks.concat();
        if let Some((place, row)) = summary {
            rows.insert(place.min(rows.len()), row.clippable(0).summary());
        }
        Table::new(rows)
    })
}

/// A few rows that belong together: most often one message, or calls with their results.
fn block(tokens: BoxedStrategy<u64>) -> impl Strategy<Value = Vec<Row>> {
    let one = |role: Role| row(Just(role), tokens.clone());
    let round = (one(Role::Assistant), vec(one(Role::Tool), 1..5)).prop_map(|(calls, results)| {
        let results = results.into_iter().map(Row::joined);
        std::iter::once(calls).chain(results).collect()
    });
    prop_oneof![
        1 => one(Role::System).prop_map(|row| vec![row]),
        4 => one(Role::User).prop_map(|row| vec![row]),
        4 => one(Role::Assistant).prop_map(|row| vec![row]),
        4 => round,
        1 => row(roles(), tokens.clone()).prop_map(|row| vec![row]),
        1 => row(roles(), tokens.clone()).prop_map(|row| vec![row.joined()]),
    ]
}

fn roles() -> impl Strategy<Value = Role> {
    prop_oneof![
        Just(Role::System),
        Just(Role::Developer),
        Just(Role::User),
        Just(Role::Assistant),
        Just(Role::Tool),
    ]
}

/// A row; only rows of tools and users have text that may be clipped.
fn row(
    role: impl Strategy<Value = Role>,
    tokens: impl Strategy<Value = u64>,
) -> impl Strategy<Value = Row> {
    let sixteenths = prop_oneof![1 => Just(0_u64), 3 => 0_u64..=16, 3 => Just(16)];
    let pinned = prop::bool::weighted(0.05);
    (role, tokens, sixteenths, pinned).prop_map(|(role, tokens, sixteenths, pinned)| {
        let mut row = Row::new(role, tokens);
        let text = tokens / 16 * sixteenths + tokens % 16 * sixteenths / 16;
        if matches!(role, Role::Tool | Role::User) {
            row = row.clippable(text);
        }
        if role == Role::Tool {
            // A marker costs some of it, or all.
            row = row.clearable(text.saturating_sub(20));
        }
        if pinned { row.pinned() } else { row }
    })
}
