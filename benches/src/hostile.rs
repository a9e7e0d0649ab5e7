use crate::random::Random;

/// What a tokenizer has trouble with: so many bytes of each, or a few less, by its name.
#[must_use]
pub fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let runs = [
        ("spaces", " "),
        ("tabs", "\t"),
        ("no-break spaces", "\u{a0}"),
        ("line ends", "\n"),
        ("one letter", "a"),
        ("equals signs", "="),
        ("one Chinese character", "中"),
        ("one emoji", "😀"),
    ];
    let runs = runs.map(|(name, one)| (name, one.repeat(bytes / one.len())));
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let base64 = format!("{letters}{}0123456789+/", letters.to_uppercase());
    let any: String = (0..=0xFFFF).filter_map(char::from_u32).collect();
    let random = [
        ("random letters", random(letters, bytes)),
        ("base64", random(&base64, bytes)),
        ("digits", random("0123456789", bytes)),
        ("random characters", random(&any, bytes)),
    ];
    runs.into_iter().chain(random).collect()
}

/// So many bytes of characters of an alphabet.
fn random(alphabet: &str, bytes: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut random = Random::new(9);
    let mut text = String::with_capacity(bytes);
    loop {
        let next = alphabet[random.below(alphabet.len())];
        if text.len() + next.len_utf8() > bytes {
            return text;
        }
        text.push(next);
    }
}
