use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::tools::is_any_name;

/// Arguments that may hold others, one for each file that a tool works on.
const NESTS: &str = "args changes edits file files operations reads";

/// The arguments of a call, read as far as anybody asks.
pub(super) struct Arguments<'a> {
    /// As the model wrote them.
    pub(super) text: &'a str,
    /// By name, sorted, each as it is written in JSON; `None` if they aren't a JSON object.
    pub(super) fields: Option<Fields<'a>>,
}

type Fields<'a> = BTreeMap<String, &'a RawValue>;

impl<'a> Arguments<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self {
            text,
            fields: serde_json::from_str(text).ok(),
        }
    }

    /// The values of the arguments with one of these names: texts, and of lists each of their
    /// texts; of each file, where a list of them is given. Numbers too, if `numbers` says so.
    pub(super) fn values(&self, names: &str, numbers: bool) -> Vec<String> {
        let mut values = Vec::new();
        let mut read_named = |fields: &Fields<'_>| {
            for (_, value) in fields.iter().filter(|(name, _)| is_any_name(name, names)) {
                read(value, numbers, &mut values);
            }
        };
        if let Some(fields) = &self.fields {
            read_named(fields);
            let nests = fields.iter().filter(|(name, _)| is_any_name(name, NESTS));
            for nested in nests.flat_map(|(_, nest)| list(nest)) {
                if let Ok(fields) = serde_json::from_str(nested.get()) {
                    read_named(&fields);
                }
            }
        }
        values
    }

    /// The first text among the arguments with one of these names; words of a list are put
    /// together.
    pub(super) fn text_of(&self, names: &str) -> Option<String> {
        let mut fields = self.fields.iter().flatten();
        fields.find_map(|(name, value)| {
            let mut words = Vec::new();
            if is_any_name(name, names) {
                read(value, false, &mut words);
            }
            (!words.is_empty()).then(|| words.join(" "))
        })
    }

    /// All texts there are; what isn't JSON is one.
    pub(super) fn texts(&self) -> Vec<String> {
        let Some(fields) = &self.fields else {
            return vec![self.text.to_owned()];
        };
        let mut texts = Vec::new();
        for value in fields.values() {
            read(value, false, &mut texts);
        }
        texts
    }
}

/// The texts of a value.
fn read(value: &RawValue, numbers: bool, into: &mut Vec<String>) {
    let of_one = |value: &RawValue| {
        let json = value.get();
        let is_number = json.starts_with(|char: char| char.is_ascii_digit() || char == '-');
        match serde_json::from_str(json) {
            Ok(text) => Some(text),
            // As it is written: an id may be longer than numbers are.
            Err(_) => (numbers && is_number).then(|| json.to_owned()),
        }
    };
    match list(value) {
        list if list.is_empty() => into.extend(of_one(value)),
        list => into.extend(list.into_iter().filter_map(of_one)),
    }
}

/// The values of a list, none if it isn't one. One object stands for a list of one.
fn list(value: &RawValue) -> Vec<&RawValue> {
    if value.get().starts_with('{') {
        return vec![value];
    }
    serde_json::from_str(value.get()).unwrap_or_default()
}
