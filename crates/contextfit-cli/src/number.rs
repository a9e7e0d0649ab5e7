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

/// A number of things: `1 message`, `2,000 messages`.
pub(crate) fn counted<N>(number: N, thing: &str) -> String
where
    N: TryInto<u64>,
{
    let number = number.try_into().unwrap_or(u64::MAX);
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", grouped(number))
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
    fn one_thing_is_not_several() {
        assert_eq!(counted(0_usize, "call"), "0 calls");
        assert_eq!(counted(1_u64, "call"), "1 call");
        assert_eq!(counted(2_000_u64, "call"), "2,000 calls");
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
