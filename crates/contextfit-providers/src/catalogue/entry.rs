use contextfit_core::budget::Window;
use contextfit_core::estimate::Family;
use contextfit_tower::{Prices, Rates};
use serde::Deserialize;

use super::Provider;

/// What the catalogue knows of one model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Line")]
#[non_exhaustive]
pub struct CatalogueEntry {
    /// Its name, as its provider writes it, but in small letters. Of a host that gives it a window
    /// of its own, with the host before it.
    pub name: String,
    /// Other names of it.
    pub also: Vec<String>,
    /// Whether the name moves from version to version, and the versions differ in their windows. A
    /// version that isn't listed is then not known.
    pub rolling: bool,
    /// Who made it.
    pub provider: Provider,
    /// The tokenizer that counts nearest to its own: [`Family::Widest`] where that isn't public, or
    /// is like none of the others.
    pub family: Family,
    /// What it can hold, in tokens.
    pub window: Window,
    /// What its provider, or the host in its name, asks for its tokens. None where nobody sells
    /// them by the token, or nobody knows.
    pub prices: Option<Prices>,
    /// The day on which that was so, as in `2026-11-30`.
    pub as_of: String,
    /// Who says so: names of [`Catalogue::sources`](super::Catalogue::sources), or plain words.
    pub sources: Vec<String>,
}

impl CatalogueEntry {
    /// All its names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name)
            .chain(&self.also)
            .map(String::as_str)
    }
}

/// An entry as a line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: String,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    rolling: bool,
    provider: String,
    family: String,
    total: u64,
    input: Option<u64>,
    output: Option<u64>,
    prices: Option<PriceLine>,
    as_of: String,
    sources: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceLine {
    input: u64,
    cached: Option<u64>,
    cache_write: Option<u64>,
    output: u64,
    long: Option<LongLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LongLine {
    above: u64,
    input: u64,
    cached: Option<u64>,
    cache_write: Option<u64>,
    output: u64,
}

impl TryFrom<Line> for CatalogueEntry {
    type Error = String;

    fn try_from(line: Line) -> Result<Self, String> {
        let provider = Provider::from_name(&line.provider)
            .ok_or_else(|| format!("{}: no provider {:?}", line.name, line.provider))?;
        let family = Family::from_name(&line.family)
            .ok_or_else(|| format!("{}: no family {:?}", line.name, line.family))?;
        let mut window = Window::new(line.total);
        window.input = line.input;
        window.output = line.output;
        Ok(Self {
            name: line.name,
            also: line.also,
            rolling: line.rolling,
            provider,
            family,
            window,
            prices: line.prices.map(Prices::from),
            as_of: line.as_of,
            sources: line.sources,
        })
    }
}

impl From<PriceLine> for Prices {
    fn from(line: PriceLine) -> Self {
        let usual = rates(line.input, line.cached, line.cache_write, line.output);
        match line.long {
            Some(long) => Self::new(usual).long(
                long.above,
                rates(long.input, long.cached, long.cache_write, long.output),
            ),
            None => Self::new(usual),
        }
    }
}

fn rates(input: u64, cached: Option<u64>, cache_write: Option<u64>, output: u64) -> Rates {
    Rates::new(input, output)
        .cached(cached.unwrap_or(input))
        .cache_write(cache_write.unwrap_or(input))
}
