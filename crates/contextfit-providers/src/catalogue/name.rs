//! The many ways to write the name of one model.
//!
//! A name is a route, the name proper, and decorations: `openrouter/anthropic/`,
//! `claude-sonnet-4.5`, `-20250929:thinking`. Here is which routes and decorations leave a model
//! what it is. Whatever isn't here makes another model of it, which is known by itself or not at
//! all: `-mini`, `-32k`, `[1m]`, `:48k`.

/// A name with what differs between spellings taken out of it: small letters, `-` for `_`, and for
/// the dot in a number of a version.
pub(super) fn normalized(name: &str) -> String {
    let name = name.trim();
    let bytes = name.as_bytes();
    let is_digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    name.char_indices()
        .map(|(index, char)| match char {
            '_' => '-',
            '.' if index > 0 && is_digit(index - 1) && is_digit(index + 1) => '-',
            char => char.to_ascii_lowercase(),
        })
        .collect()
}

/// One way to read a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    /// What is left of it.
    pub(super) name: &'a str,
    /// A date or the number of a version was left out.
    pub(super) dated: bool,
    /// It is a model that was tuned on the one named.
    pub(super) tuned: bool,
}

/// Bytes of the longest name that is taken apart. Whoever sends a request chooses its length.
const LONGEST: usize = 256;

/// All readings of a normalized name, the longest first: what is left out more and more are
/// decorations, and then the route.
pub(super) fn readings(name: &str) -> impl Iterator<Item = Reading<'_>> {
    let most = if name.len() > LONGEST { 1 } else { usize::MAX };
    let routed = Some((name, false));
    let heads = std::iter::successors(routed, |&(name, tuned)| match tuned_on(name) {
        Some(base) => Some((base, true)),
        None => Some((without_route(name)?, tuned)),
    });
    heads
        .flat_map(|(name, tuned)| {
            let whole = Reading {
                name,
                dated: false,
                tuned,
            };
            std::iter::successors(Some(whole), |reading| reading.with_less())
        })
        .take(most)
}

impl Reading<'_> {
    /// The same with the last decoration left out.
    fn with_less(&self) -> Option<Self> {
        let plain = without_variant(self.name)
            .or_else(|| self.name.strip_suffix("-latest"))
            .or_else(|| self.name.strip_suffix("-v1"));
        let (name, dated) = match plain {
            Some(name) => (name, self.dated),
            None => (without_date(self.name)?, true),
        };
        Some(Self {
            name,
            dated,
            tuned: self.tuned,
        })
    }
}

/// What `ft:gpt-4o-mini-2024-07-18:org::id` was tuned on.
fn tuned_on(name: &str) -> Option<&str> {
    name.strip_prefix("ft:")?.split(':').next()
}

/// Who passes a request on to a model as its maker serves it, the makers, and what their weights
/// are published under.
const ROUTES: &[&str] = &[
    // Gateways and clouds.
    "amazon-bedrock",
    "azure",
    "azure-ai",
    "azure-openai",
    "bedrock",
    "bedrock-converse",
    "converse",
    "gemini",
    "google-vertex",
    "google-vertex-anthropic",
    "invoke",
    "litellm-proxy",
    "models",
    "openrouter",
    "vercel",
    "vercel-ai-gateway",
    "vertex",
    "vertex-ai",
    // Makers.
    "alibaba",
    "amazon",
    "amazon-nova",
    "anthropic",
    "cohere",
    "cohere-chat",
    "coherelabs",
    "dashscope",
    "deepseek",
    "deepseek-ai",
    "google",
    "meta",
    "meta-llama",
    "microsoft",
    "minimax",
    "minimaxai",
    "mistral",
    "mistralai",
    "moonshot",
    "moonshotai",
    "openai",
    "qwen",
    "x-ai",
    "xai",
    "z-ai",
    "zai",
    "zai-org",
];

/// Where a cloud may be told to stay.
const REGIONS: &[&str] = &[
    "apac",
    "au",
    "ca",
    "eu",
    "global",
    "global-standard",
    "jp",
    "sa",
    "us",
    "us-gov",
];

/// Before the names of models on Bedrock. The weights of others have windows of Bedrock's own, and
/// are listed with what stands before them.
const VENDORS: &[&str] = &["amazon", "anthropic"];

/// A name without the first part of its route.
fn without_route(name: &str) -> Option<&str> {
    if let Some((first, rest)) = name.split_once('/') {
        if matches!(first, "projects" | "publishers") {
            return Some(name.rsplit_once("/models/")?.1);
        }
        return (ROUTES.contains(&first) || is_region(first) || is_arn(first)).then_some(rest);
    }
    let (first, rest) = name.split_once('.')?;
    (REGIONS.contains(&first) || VENDORS.contains(&first)).then_some(rest)
}

/// A region of AWS, such as `us-east-1`, or one of [`REGIONS`].
fn is_region(part: &str) -> bool {
    let is_of_aws = || {
        let (place, last) = part.rsplit_once('-')?;
        let (country, place) = place.split_once('-')?;
        let is_place = place
            .split('-')
            .all(|word| !word.is_empty() && is_word(word));
        (country.len() == 2 && is_word(country) && is_place && number(last, 1).is_some())
            .then_some(())
    };
    REGIONS.contains(&part) || is_of_aws().is_some()
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// What stands before a model's own name in an ARN. Other ARNs have ids that tell nothing.
fn is_arn(part: &str) -> bool {
    part.starts_with("arn:")
        && (part.ends_with(":foundation-model") || part.ends_with(":inference-profile"))
}

/// How a router or a cloud marks a way to be served: cheaper, faster, thinking.
const VARIANTS: &[&str] = &[
    "beta", "exacto", "floor", "free", "latest", "nitro", "online", "thinking",
];

/// A name without `:free`, Bedrock's `-v1:0`, or Vertex' `@20250929`.
fn without_variant(name: &str) -> Option<&str> {
    if let Some((rest, variant)) = name.rsplit_once('@')
        && (matches!(variant, "default" | "latest")
            || number(variant, 3).is_some()
            || is_day(variant))
    {
        return Some(rest);
    }
    let (rest, variant) = name.rsplit_once(':')?;
    if VARIANTS.contains(&variant) {
        return Some(rest);
    }
    number(variant, 1)?;
    let (rest, version) = rest.rsplit_once('-')?;
    number(version.strip_prefix('v').unwrap_or(version), 1)?;
    Some(rest)
}

/// A name without the date or the number of a version at its end: `-2024-08-06`, `-20250929`,
/// `-251015`, `-0613`, `-2507`, `-08-2024`, `-05-06`, `-001`.
fn without_date(name: &str) -> Option<&str> {
    let (rest, last) = name.rsplit_once('-')?;
    let before = rest.rsplit_once('-');
    match last.len() {
        8 => is_day(last).then_some(rest),
        6 => {
            let is_day = is_year(number(last.get(..2)?, 2)?) && is_month_and_day(last.get(2..)?);
            is_day.then_some(rest)
        }
        4 => {
            if is_year_of_four(last)
                && let Some((rest, month)) = before
                && number(month, 2).is_some_and(is_month)
            {
                return Some(rest);
            }
            let [first, second] = [last.get(..2)?, last.get(2..)?].map(|part| number(part, 2));
            let is_year_and_month = is_year(first?) && is_month(second?);
            (is_year_and_month || is_month_and_day(last)).then_some(rest)
        }
        3 => (last.starts_with('0') && number(last, 3).is_some()).then_some(rest),
        2 => {
            let (rest, month) = before?;
            let is_day = is_month(number(month, 2)?) && is_day_of_month(number(last, 2)?);
            let rest = is_day.then_some(rest)?;
            match rest.rsplit_once('-') {
                Some((name, year)) if is_year_of_four(year) => Some(name),
                _ => Some(rest),
            }
        }
        _ => None,
    }
}

/// The number of a text of so many digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let all = text.bytes().all(|byte| byte.is_ascii_digit());
    (text.len() == digits && all)
        .then(|| text.parse().ok())
        .flatten()
}

fn is_year_of_four(text: &str) -> bool {
    number(text, 4).is_some_and(|year| (2000..2100).contains(&year) && is_year(year % 100))
}

/// A year in which there are models like these, of two digits.
fn is_year(year: u32) -> bool {
    (20..40).contains(&year)
}

fn is_month(month: u32) -> bool {
    (1..=12).contains(&month)
}

fn is_day_of_month(day: u32) -> bool {
    (1..=31).contains(&day)
}

fn is_month_and_day(text: &str) -> bool {
    number(text, 4).is_some_and(|both| is_month(both / 100) && is_day_of_month(both % 100))
}

/// A day such as `20250929`.
fn is_day(text: &str) -> bool {
    let (Some(year), Some(day)) = (text.get(..4), text.get(4..)) else {
        return false;
    };
    is_year_of_four(year) && is_month_and_day(day)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A day such as `2025-09-29`.
    pub(in crate::catalogue) fn is_date(text: &str) -> bool {
        text.len() == 10 && text.matches('-').count() == 2 && is_day(&text.replace('-', ""))
    }

    fn names(name: &str) -> Vec<&str> {
        readings(name).map(|reading| reading.name).collect()
    }

    #[test]
    fn spellings_of_one_name_are_one() {
        assert_eq!(normalized(" Claude-Sonnet_4.5 "), "claude-sonnet-4-5");
        assert_eq!(
            normalized("us.anthropic.claude-3.5"),
            "us.anthropic.claude-3-5"
        );
        assert_eq!(normalized(".5.a5.b"), ".5.a5.b");
        assert_eq!(normalized("é4.1É"), "é4-1É");
    }

    #[test]
    fn decorations_are_left_out_before_the_route() {
        assert_eq!(
            names("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            [
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "us.anthropic.claude-sonnet-4-5-20250929",
                "us.anthropic.claude-sonnet-4-5",
                "anthropic.claude-sonnet-4-5-20250929-v1:0",
                "anthropic.claude-sonnet-4-5-20250929",
                "anthropic.claude-sonnet-4-5",
                "claude-sonnet-4-5-20250929-v1:0",
                "claude-sonnet-4-5-20250929",
                "claude-sonnet-4-5",
            ]
        );
    }

    #[test]
    fn every_kind_of_date_is_one() {
        for date in [
            "2024-08-06",
            "20250929",
            "251015",
            "0613",
            "2507",
            "08-2024",
            "05-06",
            "001",
        ] {
            let name = format!("a-{date}");
            assert_eq!(without_date(&name), Some("a"), "{date}");
        }
        for none in [
            "2024-13-06",
            "20251329",
            "259915",
            "1399",
            "4096",
            "128k",
            "13-2024",
            "00-06",
            "101",
            "9",
            "2048",
            "32",
            "4-5",
            "é8-06",
        ] {
            let name = format!("a-{none}");
            assert_eq!(without_date(&name), None, "{none}");
        }
    }

    #[test]
    fn a_name_without_end_is_not_taken_apart() {
        let routes = "models/".repeat(1_000);
        assert_eq!(names(&routes).len(), 1);
        assert_eq!(names(&routes[..LONGEST]).len(), LONGEST.div_ceil(7));
        // Each request is read anew, whoever sends it.
        let both = "models/".repeat(LONGEST / 14) + &"-001".repeat(LONGEST / 8);
        assert!(names(&both).len() < 1_000);
    }

    #[test]
    fn only_the_base_of_a_tuned_model_is_its_base() {
        let readings: Vec<_> = readings("openai/ft:gpt-4o-2024-08-06:org::id").collect();
        let last = readings.last().expect("some");
        assert_eq!((last.name, last.dated, last.tuned), ("gpt-4o", true, true));
        assert!(!readings[0].tuned);
    }

    #[test]
    fn regions_of_clouds_are_part_of_a_route() {
        for region in [
            "us-east-1",
            "ap-southeast-2",
            "us-gov-west-1",
            "eu",
            "global",
        ] {
            assert!(is_region(region), "{region}");
        }
        for none in ["us-east", "gpt-4", "o1", "us--1", "llama-3-1", ""] {
            assert!(!is_region(none), "{none}");
        }
    }
}
