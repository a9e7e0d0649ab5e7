/// A number with its thousands set apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in whole percent.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let percent = (u128::from(part) * 100).checked_div(u128::from(whole));
    match percent {
        None => "under 1 %".to_owned(),
        Some(0) if part > 0 => "under 1 %".to_owned(),
        Some(percent) => format!("{percent} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_share_is_never_blank() {
        for (part, whole, text) in [
            (0, 0, "under 1 %"),
            (9, 1_000, "under 1 %"),
            (10, 1_000, "1 %"),
            (0, 1_000, "0 %"),
            (3, 2, "150 %"),
            (u64::MAX, u64::MAX, "100 %"),
        ] {
            assert_eq!(percent(part, whole), text);
        }
    }
}
