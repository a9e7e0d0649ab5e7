use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use contextfit_core::estimate::Family;
use serde::Deserialize;

use crate::report::{row, title};

const MOST: f64 = 15.0;
/// No other kind of text is like base64.
const MOST_BASE64: f64 = 35.0;

/// What the fit said of a family.
#[derive(Deserialize)]
struct OfFamily {
    #[serde(default)]
    held_out: BTreeMap<String, Error100>,
}

#[derive(Deserialize)]
struct Error100 {
    mean: f64,
}

/// The errors of a kind by weights that were fitted without it, by the report of the fit.
pub(crate) fn print(path: &Path) -> Result<(), Box<dyn Error>> {
    let report = std::fs::read_to_string(path)?;
    let report: BTreeMap<String, OfFamily> = serde_json::from_str(&report)?;
    title("Mean error of a kind that is held out of the fit, in %, by the last fit");
    let families: Vec<_> = Family::ALL
        .into_iter()
        .filter_map(|family| report.get(family.name()))
        .filter(|family| !family.held_out.is_empty())
        .collect();
    let Some(first) = families.first() else {
        return Ok(());
    };
    for kind in first.held_out.keys() {
        let errors = families
            .iter()
            .filter_map(|family| family.held_out.get(kind));
        let most = if kind == "base64" { MOST_BASE64 } else { MOST };
        row(
            kind,
            &errors.map(|error| error.mean).collect::<Vec<_>>(),
            Some(most),
        );
    }
    Ok(())
}
