use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::caps::capped;

/// The arguments of a call as `name=value` pairs, sorted by their names, each value as the JSON that
/// it was given as, in at most so many characters. What is no JSON object is shown as it is.
pub(super) fn pairs(arguments: &str, most: usize) -> String {
    let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(arguments) else {
        return capped(arguments, most).into_owned();
    };
    let pairs: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", capped(name, most), capped(value.get(), most)))
        .collect();
    pairs.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a34_arguments_are_pairs_sorted_by_name() {
        let arguments = r#"{"z": 1.50, "a": "x \"y\"", "m": {"q": [1]}, "b\n": null}"#;
        assert_eq!(
            pairs(arguments, 400),
            "a=\"x \\\"y\\\"\", b\n=null, m={\"q\": [1]}, z=1.50"
        );
        assert_eq!(pairs("{}", 400), "");
    }

    #[test]
    fn a34_what_is_no_object_is_shown_as_it_is() {
        for raw in ["[1,2]", "not json", "{\"a\":", "\"text\"", ""] {
            assert_eq!(pairs(raw, 400), raw);
        }
    }

    #[test]
    fn a34_each_value_has_a_cap_of_its_own() {
        let long = "line ".repeat(200);
        let shown = pairs(&format!(r#"{{"b":"{long}","a":"{long}"}}"#), 300);
        assert!(
            (500..=2 * 300 + 6).contains(&shown.chars().count()),
            "{shown}"
        );
        assert_eq!(shown.matches("characters omitted").count(), 2, "{shown}");
        let raw = pairs(&long, 300);
        assert!(
            raw.chars().count() <= 300 && raw.contains("characters omitted"),
            "{raw}"
        );
    }
}
