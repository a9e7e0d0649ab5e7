use std::collections::BTreeSet;

use super::compiled::Compiled;
use super::known::TEMPLATES;
use super::template::Grade;
use super::{Class, OverflowTemplates, Template};

/// Adds templates of yours to what providers are known to say. Made by
/// [`OverflowTemplates::builder`].
///
/// ```
/// use contextfit_providers::overflow::{Class, OverflowTemplates, Template};
///
/// let templates = OverflowTemplates::builder()
///     .template(Template::new(
///         "our-gateway",
///         Class::InputTooLong,
///         r"our gateway: (?<input>\d+) is more than (?<limit>\d+)",
///     ))
///     .exclusion("maintenance window")
///     .code("E_TOO_LONG")
///     .build()?;
/// let found = templates.classify("Our gateway: 9000 is more than 8000!", None);
/// assert_eq!((found.input, found.limit), (Some(9_000), Some(8_000)));
/// assert!(templates.classify(r#"{"code":"E_TOO_LONG"}"#, None).class.is_overflow());
/// let found = templates.classify("context window? No, maintenance window.", Some(400));
/// assert_eq!(found.class, Class::Other);
/// # Ok::<(), contextfit_providers::overflow::TemplateError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OverflowTemplatesBuilder {
    templates: Vec<Template>,
    statuses: Option<BTreeSet<u16>>,
}

impl OverflowTemplatesBuilder {
    /// Adds a template. One of an overflow is asked before those that are known; one of another
    /// class before all else, and a text that it matches is no overflow.
    #[must_use]
    pub fn template(mut self, mut template: Template) -> Self {
        if !template.class.is_overflow() {
            template.grade = Grade::Code;
        }
        self.templates.push(template);
        self
    }

    /// Adds a pattern that no overflow has: of a text with it, nothing else counts.
    #[must_use]
    pub fn exclusion(self, pattern: impl Into<String>) -> Self {
        self.template(Template::new("exclusion", Class::Other, pattern.into()))
    }

    /// Adds a code that only an overflow has, as it is written. Whatever else a text says, with it
    /// is one.
    #[must_use]
    pub fn code(mut self, code: &str) -> Self {
        let mut template = Template::new("code", Class::InputTooLong, regex::escape(code));
        template.grade = Grade::Code;
        self.templates.push(template);
        self
    }

    /// Sees an overflow in errors with these HTTP statuses only, and so in none whose status isn't
    /// known. All count unless set.
    #[must_use]
    pub fn only_statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.statuses = Some(statuses.into_iter().collect());
        self
    }

    /// Compiles what was added, once.
    ///
    /// # Errors
    ///
    /// A pattern isn't a regular expression, or they are too large.
    pub fn build(self) -> Result<OverflowTemplates, TemplateError> {
        let yours = self.templates.into_iter().map(Compiled::new);
        let mut templates: Vec<_> = yours.collect();
        for compiled in &templates {
            compiled.check()?;
        }
        let known = TEMPLATES.into_iter().flatten();
        templates.extend(known.map(|known| Compiled::new(known.into())));
        OverflowTemplates::new(templates, self.statuses).map_err(|_| TemplateError::TooMany)
    }
}

/// A template can't be looked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// Its pattern isn't a regular expression, or compiles to too large a one.
    #[error(
        "`{pattern}` of the template `{name}` is no regular expression: escape what is meant \
         literally, and bound what is repeated"
    )]
    Invalid {
        /// The name of the template.
        name: String,
        /// Its pattern.
        pattern: String,
        /// Why.
        source: regex::Error,
    },
    /// It asks for a number that there isn't.
    #[error(
        "the template `{name}` asks for `{number}`: the numbers of a template are `{{input}}`, \
         `{{output}}`, `{{requested}}` and `{{limit}}`, each once"
    )]
    UnknownNumber {
        /// The name of the template.
        name: String,
        /// What it asks for.
        number: String,
    },
    /// It matches a text with nothing in it, and so any.
    #[error("the template `{name}` matches any text: name what only this error says")]
    MatchesAnything {
        /// The name of the template.
        name: String,
    },
    /// They are too many, or too large together.
    #[error("the templates are too many: use fewer, or shorter ones")]
    TooMany,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_is_no_regular_expression_is_refused_by_name() {
        let broken = "prompt (is too long";
        let fine = Template::new("a", Class::InputTooLong, "fine");
        let builders = [
            OverflowTemplates::builder()
                .template(fine)
                .template(Template::new("b", Class::OutputCap, broken)),
            OverflowTemplates::builder().exclusion(broken),
        ];
        for builder in builders {
            let error = builder.build().unwrap_err();
            assert!(error.to_string().contains(broken), "{error}");
        }
    }

    #[test]
    fn a_pattern_that_matches_anything_is_refused() {
        for pattern in ["", ".*", "(too long)?", "a*"] {
            let error = OverflowTemplates::builder().exclusion(pattern).build();
            let name = "exclusion".to_owned();
            assert_eq!(error.err(), Some(TemplateError::MatchesAnything { name }));
        }
    }

    #[test]
    fn a_number_that_there_is_not_is_refused_by_name() {
        for (pattern, number) in [
            ("over {limits} tokens", "limits"),
            (r"over (?<total>\d+) tokens", "total"),
        ] {
            let template = Template::new("t", Class::InputTooLong, pattern);
            let error = OverflowTemplates::builder().template(template).build();
            assert!(error.unwrap_err().to_string().contains(number));
        }
        let fine = Template::new("t", Class::InputTooLong, r"a{2,3} over {limit} \{x");
        assert!(OverflowTemplates::builder().template(fine).build().is_ok());
    }

    #[test]
    fn patterns_without_bounds_are_refused() {
        let huge = r"(?:\w{900}x){900}".repeat(4);
        let builder = OverflowTemplates::builder().exclusion(huge);
        assert!(matches!(
            builder.build(),
            Err(TemplateError::Invalid { .. })
        ));
    }

    #[test]
    fn a_code_is_meant_literally() {
        let templates = OverflowTemplates::builder().code("E(1)").build().unwrap();
        assert!(templates.classify("code: E(1)", None).class.is_overflow());
        assert!(!templates.classify("code: E1", None).class.is_overflow());
    }
}
