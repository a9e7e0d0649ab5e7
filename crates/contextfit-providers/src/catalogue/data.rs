use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::CatalogueEntry;
use super::name::normalized;

/// Written by `tools/catalogue/refresh.py`.
const FILE: &str = include_str!("models.json");

/// What is built in. It is read once; a test sees to it that it can be.
pub(super) static BUILT_IN: LazyLock<Data> = LazyLock::new(|| read(FILE).unwrap_or_default());

/// The entries of the file, and where each name leads.
#[derive(Default)]
pub(super) struct Data {
    pub(super) entries: Vec<CatalogueEntry>,
    pub(super) sources: BTreeMap<String, String>,
    index: HashMap<String, usize>,
}

impl Data {
    /// The place of the entry that has exactly this name, which is normalized.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}

#[derive(Deserialize)]
struct File {
    sources: BTreeMap<String, String>,
    models: Vec<CatalogueEntry>,
}

fn read(file: &str) -> Result<Data, serde_json::Error> {
    let File { sources, models } = serde_json::from_str(file)?;
    let mut index = HashMap::new();
    for (position, entry) in models.iter().enumerate() {
        for name in entry.names() {
            index.insert(normalized(name), position);
        }
    }
    Ok(Data {
        entries: models,
        sources,
        index,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::name::tests::is_date;
    use super::*;
    use contextfit_tower::Rates;

    fn data() -> Data {
        read(FILE).expect("a file that can be read")
    }

    #[test]
    fn the_file_can_be_read() {
        assert!(data().entries.len() > 200);
        assert_eq!(BUILT_IN.entries, data().entries);
    }

    #[test]
    fn every_name_is_there_once_and_in_small_letters() {
        let data = data();
        let mut seen = HashSet::new();
        for name in data.entries.iter().flat_map(CatalogueEntry::names) {
            assert_eq!(name, name.to_lowercase().trim());
            assert!(seen.insert(normalized(name)), "{name} twice");
        }
    }

    #[test]
    fn no_part_of_a_window_is_larger_than_all_of_it() {
        for entry in data().entries {
            let window = entry.window;
            assert!(window.total >= 4_096, "{entry:?}");
            // A limit as large as the window would be none.
            assert!(
                window
                    .input
                    .is_none_or(|input| (1..window.total).contains(&input)),
                "{entry:?}"
            );
            assert!(
                window
                    .output
                    .is_none_or(|output| (1..window.total).contains(&output)),
                "{entry:?}"
            );
        }
    }

    #[test]
    fn prices_are_those_of_tokens_by_the_million() {
        /// Between a hundredth of a dollar and a thousand dollars.
        const SANE: std::ops::RangeInclusive<u64> = 10_000..=1_000_000_000;
        let check = |name: &str, rates: Rates| {
            assert!(
                SANE.contains(&rates.input) && SANE.contains(&rates.output),
                "{name}"
            );
            assert!(
                rates.cached <= rates.input,
                "{name}: what is cached is dearer"
            );
            assert!(
                rates.input <= rates.output,
                "{name}: input is dearer than output"
            );
            // A cache that is kept for five minutes costs a quarter more, nowhere twice as much.
            assert!(
                (rates.input..rates.input * 2).contains(&rates.cache_write),
                "{name}"
            );
        };
        for entry in data().entries {
            let Some(prices) = entry.prices else { continue };
            check(&entry.name, prices.rates);
            if let Some(long) = prices.long {
                check(&entry.name, long.rates);
                assert!(long.rates.input >= prices.rates.input, "{}", entry.name);
                assert!(
                    (1..entry.window.total).contains(&long.above),
                    "{}",
                    entry.name
                );
            }
        }
    }

    #[test]
    fn every_entry_has_a_day_and_a_source() {
        let data = data();
        assert!(data.sources.len() >= 2);
        for entry in &data.entries {
            assert!(is_date(&entry.as_of), "{}: {}", entry.name, entry.as_of);
            assert!(!entry.sources.is_empty(), "{}", entry.name);
            assert!(entry.sources.iter().all(|source| !source.is_empty()));
        }
    }

    #[test]
    fn what_can_not_be_read_is_said() {
        for (line, why) in [
            (r#"{"name":"a"}"#, "missing field"),
            (
                r#"{"name":"a","provider":"nobody","family":"o200k","total":1,"as_of":"","sources":[]}"#,
                "no provider",
            ),
            (
                r#"{"name":"a","provider":"openai","family":"none","total":1,"as_of":"","sources":[]}"#,
                "no family",
            ),
        ] {
            let file = format!(r#"{{"sources":{{}},"models":[{line}]}}"#);
            let error = read(&file).err().expect("not readable").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
