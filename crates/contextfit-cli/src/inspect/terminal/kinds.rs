use super::super::kind::{Kind, Kinds};
use super::super::map::Map;
use super::paint::painted;
use crate::number::grouped;

/// Draws the tokens by kind, the largest first: what the patterns of the bars mean.
pub(super) fn draw(map: &Map<'_>) -> String {
    let tokens = |kinds: &Kinds, kind| kinds.get(&kind).map_or_else(String::new, |&n| grouped(n));
    let row = |kind: Kind| {
        let look = kind.look();
        let swatch = painted(&look.pattern().to_string().repeat(2), look.style());
        let before = tokens(&map.kinds, kind);
        let share = map.share(kind).unwrap_or_default();
        let row = format!("  {swatch} {:14}{before:>11}  {share:>10}", kind.name());
        match map.changes() {
            true => format!("{row}{:>13}", tokens(&map.kinds_after, kind)),
            false => row,
        }
    };
    let mut lines = vec![format!(
        "     {:14}{:>11}  {:>10}{}",
        "tokens by kind",
        "now",
        "share",
        if map.changes() {
            format!("{:>13}", "after")
        } else {
            String::new()
        }
    )];
    lines.extend(map.kinds_by_size().into_iter().map(row));
    let lines = lines.iter().map(|line| line.trim_end());
    lines.collect::<Vec<_>>().join("\n")
}
