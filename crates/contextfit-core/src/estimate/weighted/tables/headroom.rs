use crate::estimate::Family;

/// Percent to add so that 95 % and 99 % of texts aren't underestimated.
pub(super) const fn headroom(family: Family) -> [u32; 2] {
    match family {
        _ => [10, 20],
    }
}
