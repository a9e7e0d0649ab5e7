use contextfit_core::estimate::{Estimator, TokenCount};
use contextfit_core::request::{Media, MediaKind, Piece, Str};

/// Checks what an [`Estimator`] says of a text, and of another one that follows it.
///
/// - **zero**: empty text costs nothing.
/// - **deterministic**: the same piece costs the same when it is asked again.
/// - **alike escaped**: a text costs what it costs as the inside of a JSON string.
/// - **monotone**: both texts together cost no less than either.
/// - **additive**: they cost what they cost apart.
/// - **one answer**: `exceeds` says of any limit what `count` says.
///
/// `slack` is how much the seam between two texts may cost or save. It is nothing for an estimator
/// that counts characters one by one. A tokenizer joins what stands on both sides of a seam, so
/// there it is a few tokens, and one more for each chunk if it counts in chunks. What is escaped
/// has that slack, too: it may be cut elsewhere.
///
/// ```
/// use contextfit_core::estimate::{CharEstimator, TokenCount, estimator_fn};
/// use contextfit_testing::laws::check_estimator;
///
/// let chars = CharEstimator::default();
/// assert_eq!(check_estimator(&chars, "Which port ", "does it use?", TokenCount::ZERO), Ok(()));
///
/// // One that rounds up loses up to a token at every seam.
/// let words = estimator_fn(|piece| {
///     let mut tokens = 0;
///     piece.for_each_text(|text| tokens += text.char_count().div_ceil(4) as u64);
///     TokenCount::tokens(tokens)
/// });
/// let check = |slack| check_estimator(&words, "Which port", " is it now", slack);
/// assert!(check(TokenCount::ZERO).unwrap_err().starts_with("additive"));
/// assert_eq!(check(TokenCount::tokens(1)), Ok(()));
/// ```
///
/// # Errors
///
/// A text that names the law that is broken, and the numbers.
pub fn check_estimator<E>(
    estimator: &E,
    text: &str,
    more: &str,
    slack: TokenCount,
) -> Result<(), String>
where
    E: Estimator + ?Sized,
{
    let count = |text: Str<'_>| estimator.count(Piece::Text(text));
    let empty = count(Str::plain("")) + count(Str::escaped(""));
    if empty > TokenCount::ZERO {
        return Err(broken("zero", "empty text costs", empty, TokenCount::ZERO));
    }
    for piece in pieces(text, more) {
        check_piece(estimator, piece)?;
    }
    let both = [text, more].concat();
    let [first, second, together] = [text, more, &both].map(|text| count(Str::plain(text)));
    let json = serde_json::Value::from(&*both).to_string();
    let literal = json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let escaped = count(Str::escaped(literal.unwrap_or_default()));
    if !within(escaped, together, slack) {
        return Err(broken(
            "alike escaped",
            "an escaped text costs",
            escaped,
            together,
        ));
    }
    let larger = first.max(second);
    if together + slack < larger {
        return Err(broken(
            "monotone",
            "two texts together cost",
            together,
            larger,
        ));
    }
    if !within(together, first + second, slack) {
        let apart = first + second;
        return Err(broken(
            "additive",
            "two texts together cost",
            together,
            apart,
        ));
    }
    Ok(())
}

/// A piece of every kind, made of two texts.
fn pieces<'a>(text: &'a str, more: &'a str) -> [Piece<'a>; 8] {
    let [text, more] = [text, more].map(Str::plain);
    [
        Piece::Text(text),
        Piece::Thinking(text),
        Piece::Speaker(text),
        Piece::Schema(text),
        Piece::Opaque(text),
        Piece::ToolCall {
            id: Str::plain("call_1"),
            name: text,
            arguments: more,
        },
        Piece::ToolResult {
            call_id: Str::plain("call_1"),
            name: text,
            content: more,
        },
        Piece::Media(Media::new(MediaKind::Image).label(text)),
    ]
}

fn check_piece<E>(estimator: &E, piece: Piece<'_>) -> Result<(), String>
where
    E: Estimator + ?Sized,
{
    let kind = piece.kind().name();
    let count = estimator.count(piece);
    let again = estimator.count(piece);
    if again != count {
        return Err(broken(
            "deterministic",
            &format!("a {kind} costs"),
            again,
            count,
        ));
    }
    let unit = TokenCount::units(1);
    for limit in [
        TokenCount::ZERO,
        count.saturating_sub(TokenCount::tokens(1)),
        count.saturating_sub(unit),
        count,
        count + unit,
        TokenCount::units(u64::MAX),
    ] {
        if estimator.exceeds(piece, limit) != (count > limit) {
            let what = format!("`exceeds` disagrees about a {kind} that costs");
            return Err(broken("one answer", &what, count, limit));
        }
    }
    Ok(())
}

fn within(one: TokenCount, other: TokenCount, slack: TokenCount) -> bool {
    one <= other + slack && other <= one + slack
}

fn broken(law: &str, what: &str, cost: TokenCount, than: TokenCount) -> String {
    format!("{law}: {what} {cost} tokens, against {than}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    use contextfit_core::estimate::{CharEstimator, estimator_fn};
    use contextfit_core::request::Role;

    fn law(estimator: &impl Estimator) -> String {
        let broken = check_estimator(estimator, "one\n", "two", TokenCount::tokens(1));
        broken.unwrap_err().split(':').next().unwrap().to_owned()
    }

    fn of_chars(count: impl Fn(u64) -> u64 + Send + Sync) -> impl Estimator {
        estimator_fn(move |piece| {
            let mut chars = 0;
            piece.for_each_text(|text| chars += text.char_count() as u64);
            TokenCount::tokens(count(chars))
        })
    }

    /// Says that nothing is too much.
    struct Never;

    impl Estimator for Never {
        fn count(&self, piece: Piece<'_>) -> TokenCount {
            CharEstimator::default().count(piece)
        }

        fn message_overhead(&self, _: Role) -> TokenCount {
            TokenCount::ZERO
        }

        fn exceeds(&self, _: Piece<'_>, _: TokenCount) -> bool {
            false
        }
    }

    #[test]
    fn every_law_can_be_broken() {
        let (asked, written) = (AtomicU64::new(0), |text: Str<'_>| {
            text.written().len() as u64
        });
        assert_eq!(law(&of_chars(|chars| chars + 1)), "zero");
        let counting = of_chars(|chars| chars * asked.fetch_add(1, Ordering::Relaxed));
        assert_eq!(law(&counting), "deterministic");
        let escapes = estimator_fn(|piece| {
            let mut bytes = 0;
            piece.for_each_text(|text| bytes += 2 * written(text));
            TokenCount::tokens(bytes)
        });
        assert_eq!(law(&escapes), "alike escaped");
        assert_eq!(
            law(&of_chars(|chars| if chars > 5 { 0 } else { chars })),
            "monotone"
        );
        assert_eq!(law(&of_chars(|chars| chars * chars)), "additive");
        assert_eq!(law(&Never), "one answer");
    }

    #[test]
    fn slack_is_for_seams() {
        let rounded = of_chars(|chars| chars.div_ceil(4));
        let check = |slack| check_estimator(&rounded, "12345", "12", TokenCount::tokens(slack));
        assert!(check(0).unwrap_err().starts_with("additive"));
        assert_eq!(check(1), Ok(()));
    }
}
