/// What a cost should come to.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
    Below(f64),
}

impl Goal {
    /// The goal, and whether a cost meets it.
    pub(crate) fn of(self, cost: f64) -> String {
        let (met, goal) = match self {
            Self::AtLeast(least) => (cost >= least, format!("at least {least}")),
            Self::AtMost(most) => (cost <= most, format!("at most {most}")),
            Self::Below(end) => (cost < end, format!("below {end}")),
        };
        format!("{goal}: {}", if met { "met" } else { "MISSED" })
    }
}
