/// Draws numbers as a row of bars, of at most `width` characters.
///
/// `full` is the height of a whole bar. Where there are more numbers than characters, each
/// bar is the largest of its numbers.
pub(crate) fn sparkline(numbers: &[u64], full: u64, width: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let width = width.min(numbers.len());
    (0..width)
        .map(|bar| {
            let (start, end) = (
                bar * numbers.len() / width,
                (bar + 1) * numbers.len() / width,
            );
            let most = numbers[start..end].iter().max().copied().unwrap_or(0);
            let height = u128::from(most) * BARS.len() as u128 / u128::from(full.max(1));
            BARS[usize::try_from(height)
                .map_or(BARS.len() - 1, |height| height.min(BARS.len() - 1))]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_with_the_numbers() {
        assert_eq!(sparkline(&[0, 50, 99, 100, u64::MAX], 100, 80), "▁▅███");
        assert_eq!(sparkline(&[], 100, 80), "");
        assert_eq!(sparkline(&[1], 0, 80), "█");
    }

    #[test]
    fn a_long_row_shows_the_peaks() {
        let mut numbers = vec![0; 1_000];
        numbers[999] = 100;
        let line = sparkline(&numbers, 100, 10);
        assert_eq!(line, "▁▁▁▁▁▁▁▁▁█");
    }
}
