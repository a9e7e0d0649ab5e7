/// How far estimates are from the truth: `estimate ⁄ truth` for each text, and how much it counts.
#[derive(Clone, Default)]
pub(crate) struct Figures(Vec<(f64, f64)>);

impl Figures {
    /// Texts that count as much as one, all together, so that a kind with many texts counts no more
    /// than another.
    pub(crate) fn of_kind(ratios: impl Iterator<Item = f64>) -> Self {
        let ratios: Vec<f64> = ratios.collect();
        let weight = 1.0 / ratios.len() as f64;
        Self(ratios.into_iter().map(|ratio| (ratio, weight)).collect())
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The mean error, in percent of the truth.
    pub(crate) fn mean(&self) -> f64 {
        let all: f64 = self.0.iter().map(|(_, weight)| weight).sum();
        let error = |&(ratio, weight): &(f64, f64)| (ratio - 1.0).abs() * weight;
        100.0 * self.0.iter().map(error).sum::<f64>() / all
    }

    /// The error that 95 % of texts are within, in percent.
    pub(crate) fn p95(&self) -> f64 {
        let errors = self
            .0
            .iter()
            .map(|&(ratio, weight)| ((ratio - 1.0).abs(), weight));
        100.0 * quantile(errors.collect(), 0.95)
    }

    /// The error of the worst underestimate and of the worst overestimate, in percent.
    pub(crate) fn worst(&self) -> (f64, f64) {
        let ratios = || self.0.iter().map(|&(ratio, _)| ratio);
        let percent = |ratio| 100.0 * (ratio - 1.0);
        (
            percent(ratios().fold(f64::INFINITY, f64::min)),
            percent(ratios().fold(0.0, f64::max)),
        )
    }

    /// How many percent of texts are still underestimated with so much headroom.
    pub(crate) fn under(&self, headroom: u32) -> f64 {
        let factor = 1.0 + f64::from(headroom) / 100.0;
        let all: f64 = self.0.iter().map(|(_, weight)| weight).sum();
        let under = self.0.iter().filter(|(ratio, _)| ratio * factor < 1.0);
        100.0 * under.map(|(_, weight)| weight).sum::<f64>() / all
    }
}

/// The value that a share of the weight is up to.
fn quantile(mut values: Vec<(f64, f64)>, share: f64) -> f64 {
    values.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
    let all: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    for &(value, weight) in &values {
        below += weight;
        if below >= share * all {
            return value;
        }
    }
    values.last().map_or(f64::NAN, |&(value, _)| value)
}
