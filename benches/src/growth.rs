/// The exponent of the power of `x` that grows most like `y`, over all pairs of `x` and `y`: the
/// slope of a straight line through their logarithms, by least squares. 1 is linear.
///
/// ```
/// use contextfit_benches::growth_exponent;
///
/// let square = [1.0, 10.0, 100.0].map(|x: f64| (x, 3.0 * x * x));
/// assert!((growth_exponent(&square) - 2.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn growth_exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / count;
    let covariance: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(y: impl Fn(f64) -> f64) -> f64 {
        growth_exponent(&[10.0, 100.0, 1_000.0, 10_000.0].map(|x| (x, y(x))))
    }

    #[test]
    fn a_power_is_found_whatever_it_is_multiplied_with() {
        for power in [0.5, 1.0, 1.05, 2.0] {
            for factor in [1e-9, 1.0, 300.0] {
                let found = of(|x| factor * x.powf(power));
                assert!((found - power).abs() < 1e-9, "{found} for {power}");
            }
        }
    }

    #[test]
    fn noise_that_cancels_out_changes_nothing() {
        let wobble = |x: f64| if x == 10.0 || x == 10_000.0 { 1.2 } else { 0.8 };
        let found = of(|x| wobble(x) * x.powf(1.5));
        assert!((found - 1.5).abs() < 1e-9, "{found}");
    }

    #[test]
    fn a_constant_cost_grows_less_and_a_sort_grows_more() {
        assert!(of(|x| 50.0 + x) < 0.95);
        assert!(of(|x| x * x.ln()) > 1.1);
    }
}
