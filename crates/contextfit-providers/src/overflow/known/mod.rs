//! What providers are known to say: one table of templates, in four parts.
//!
//! A pattern is a regular expression over the plain form of a text: in lower case, without quotes
//! and backslashes, with one blank for any white space. `{input}`, `{output}`, `{requested}` and
//! `{limit}` stand for numbers, other names for what is in [`FRAGMENTS`].
//!
//! Parts and rows stand in the order in which they are asked. What decides among several that match
//! is in [`OverflowTemplates`](super::OverflowTemplates).

mod codes;
mod kinds;
mod others;
mod words;

use super::template::Known;

/// All of it.
pub(super) const TEMPLATES: [&[Known]; 4] =
    [codes::CODES, words::WORDS, others::OTHERS, kinds::KINDS];

/// What patterns have in common, by the name that stands for it. A fragment may use those after it.
pub(super) const FRAGMENTS: &[(&str, &str)] = &[
    // How a text says that one thing is more than another.
    (
        "{exceeds}",
        "(?:exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|overflow(?:s|ed|ing)?|goes? (?:over|beyond)\
         |(?:(?:is|are|was|were) )?(?:longer|larger|greater|bigger|higher|more) than\
         |(?:is|are) (?:over|above|beyond)\
         |(?:does not|doesnt|do not|dont|cannot|can not|cant|will not|wont) fit(?: in(?:to|side)?)?|>)",
    ),
    // What is too small for it, where it is the window or a part of it.
    (
        "{window}",
        "(?:context[ _-]?(?:window|lengths?|size|limits?|len|budget|capacity)|n_ctx|num_ctx\
         |max_(?:model|seq|prompt|input|context|sequence)_(?:len(?:gth)?|tokens)|max_position_embeddings|session_len\
         |(?:prompt|input|sequence|seq|session)[ _-](?:token |max(?:imum)? )?(?:window|lengths?|size|limits?|len|budget)\
         |(?:model|input|prompt|context) ?tokens? (?:limits?|length|budget|window|capacity))",
    ),
    // Up to six words in a sentence.
    ("{words}", "(?:[^ {}]{0,60}[^ {}.;,:] ){0,6}?"),
    // Anything in an object that isn't a number.
    ("{gap}", r"[^{}\d]{0,60}?"),
    // The output, as a parameter.
    (
        "{max_tokens}",
        "max_?(?:completion_|output_|new_|gen_)?(?:tokens|length)(?:_to_sample)?",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::overflow::compiled::Compiled;
    use crate::overflow::plain::plain;
    use crate::overflow::template::Grade;
    use crate::overflow::{Classified, OverflowTemplates};

    fn all() -> impl Iterator<Item = &'static Known> {
        TEMPLATES.into_iter().flatten()
    }

    fn numbers(found: &Classified) -> [u64; 4] {
        [found.input, found.output, found.requested, found.limit].map(Option::unwrap_or_default)
    }

    #[test]
    fn each_example_is_read_by_its_own_template() {
        for known in all() {
            let compiled = Compiled::new(known.into());
            compiled
                .check()
                .unwrap_or_else(|error| panic!("{}: {error}", known.name));
            let example = plain(known.example);
            let found = compiled.read(&example, 0..example.len());
            let found = found.unwrap_or_else(|| panic!("{} doesn't match", known.name));
            let [input, output, requested, limit] = known.numbers;
            // A total may stand for the sum of its parts.
            let requested = if numbers(&found)[2] == 0 {
                0
            } else {
                requested
            };
            assert_eq!(
                numbers(&found),
                [input, output, requested, limit],
                "{}",
                known.name
            );
        }
    }

    #[test]
    fn each_example_is_of_its_class_among_all_templates() {
        for known in all() {
            let status = (known.grade == Grade::Broad).then_some(400);
            let found = OverflowTemplates::known().classify(known.example, status);
            let by = found.template.as_deref().unwrap_or("none");
            assert_eq!(found.class, known.class, "{}, by {by}", known.name);
            if known.class.is_overflow() {
                let [input, output, requested, limit] = known.numbers;
                let total = if requested > 0 {
                    requested
                } else {
                    input + output
                };
                let told = (
                    found.requested_tokens().unwrap_or(0),
                    found.limit.unwrap_or(0),
                );
                assert_eq!(told, (total, limit), "{}, by {by}", known.name);
            }
        }
    }

    #[test]
    fn each_template_has_a_name_of_its_own_a_source_and_words_to_look_for() {
        let names: BTreeSet<_> = all().map(|known| known.name).collect();
        assert_eq!(names.len(), all().count());
        for known in all() {
            assert!(!known.source.is_empty(), "{}", known.name);
            assert!(
                !Compiled::new(known.into()).required().is_empty(),
                "{}",
                known.name
            );
        }
    }
}
