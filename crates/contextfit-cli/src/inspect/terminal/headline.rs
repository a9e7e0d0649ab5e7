use anstyle::Style;

use super::super::map::Map;
use super::paint::painted;

/// What is looked at, and what becomes of it, in sentences.
pub(super) fn draw(map: &Map<'_>) -> String {
    let bold = |text: String| painted(&text, Style::new().bold());
    let what = [
        format!("{}: {}", bold(map.file()), map.size()),
        map.how(),
        map.budget(),
    ];
    let outcome = [Some(bold(map.outcome())), map.summary(), map.problem()];
    let outcome: Vec<String> = outcome.into_iter().flatten().collect();
    let [what, outcome] = [&what[..], &outcome].map(|lines| lines.join("\n  "));
    format!("  {what}\n\n  {outcome}")
}
