use std::borrow::Cow;

use contextfit_tower::Scope;

use super::Class;

/// How sure a template is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    /// A code or a type that a provider made for it: nothing else counts.
    Code,
    /// The words of a provider: only this error has them.
    Words,
    /// Words that say it in whatever order: those of a provider come before.
    Kind,
    /// Another error may say this too. With some statuses it does.
    Ambiguous,
    /// So vague that it takes a status to say something.
    Broad,
}

/// A row of the table of what is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) class: Class,
    pub(super) grade: Grade,
    pub(super) scope: Scope,
    pub(super) pattern: &'static str,
    /// Who says it, and where that was seen.
    pub(super) source: &'static str,
    /// A text as it arrives.
    pub(super) example: &'static str,
    /// Its numbers: of input, output, both requested, and the limit. 0 is none.
    pub(super) numbers: [u64; 4],
}

impl Known {
    const fn new(name: &'static str, class: Class, grade: Grade, pattern: &'static str) -> Self {
        Self {
            name,
            class,
            grade,
            scope: Scope::Input,
            pattern,
            source: "",
            example: "",
            numbers: [0; 4],
        }
    }

    pub(super) const fn code(name: &'static str, class: Class, pattern: &'static str) -> Self {
        Self::new(name, class, Grade::Code, pattern)
    }

    pub(super) const fn words(name: &'static str, class: Class, pattern: &'static str) -> Self {
        Self::new(name, class, Grade::Words, pattern)
    }

    pub(super) const fn kind(name: &'static str, class: Class, pattern: &'static str) -> Self {
        Self::new(name, class, Grade::Kind, pattern)
    }

    pub(super) const fn ambiguous(name: &'static str, pattern: &'static str) -> Self {
        Self::new(name, Class::InputTooLong, Grade::Ambiguous, pattern)
    }

    pub(super) const fn broad(name: &'static str, pattern: &'static str) -> Self {
        Self::new(name, Class::InputTooLong, Grade::Broad, pattern)
    }

    /// Its limit is one of the input and the output together.
    pub(super) const fn total(mut self) -> Self {
        self.scope = Scope::Total;
        self
    }

    pub(super) const fn from(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    pub(super) const fn says(mut self, example: &'static str, numbers: [u64; 4]) -> Self {
        self.example = example;
        self.numbers = numbers;
        self
    }
}

/// Something that the text of an error may say, to be added to what is known with
/// [`OverflowTemplatesBuilder::template`](super::OverflowTemplatesBuilder::template).
///
/// Its pattern is a [regular expression](regex::bytes), found anywhere in the plain form of a text:
/// in lower case, without quotes and backslashes, with one blank for any white space, whatever the
/// text came wrapped in. Groups named `input`, `output`, `requested` and `limit` are its numbers, in
/// tokens; `{input}` and so on in place of a group takes a number however it is written, such as
/// `131,072` or `128k`.
///
/// ```
/// use contextfit_providers::overflow::{Class, OverflowTemplates, Template};
/// use contextfit_tower::Scope;
///
/// let gateway = Template::new("gateway", Class::InputTooLong, "ours: {input} is over {limit}")
///     .scope(Scope::Total);
/// let templates = OverflowTemplates::builder().template(gateway).build()?;
/// let found = templates.classify(r#"{"detail": "Ours: 9,000 is over 8k"}"#, None);
/// assert_eq!((found.input, found.limit), (Some(9_000), Some(8_000)));
/// assert_eq!(found.template.as_deref(), Some("gateway"));
/// # Ok::<(), contextfit_providers::overflow::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    pub(super) name: Cow<'static, str>,
    pub(super) class: Class,
    pub(super) grade: Grade,
    pub(super) scope: Scope,
    pub(super) pattern: Cow<'static, str>,
}

impl Template {
    /// Texts that match a pattern are of a class.
    ///
    /// The pattern is a [regular expression](regex): a bracket that is meant literally is `\(`. Its
    /// case and its quotes don't count, as those of texts don't. `{input}`, `{output}`, `{requested}`
    /// and `{limit}` stand for numbers; a limit below 64 is taken for none.
    ///
    /// A template of an overflow is asked before those that are known. One of another class is asked
    /// before all, and what it matches is no overflow.
    #[must_use]
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        class: Class,
        pattern: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            class,
            grade: Grade::Words,
            scope: match class {
                Class::InputAndOutputTooLong => Scope::Total,
                _ => Scope::Input,
            },
            pattern: pattern.into(),
        }
    }

    /// Sets what its limit is a limit of. Unless set, of the input and the output together for
    /// [`Class::InputAndOutputTooLong`], and else of the input.
    #[must_use]
    pub const fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Counts with HTTP status 400 or 413 only: for what is so vague that it takes that.
    #[must_use]
    pub const fn broad(mut self) -> Self {
        self.grade = Grade::Broad;
        self
    }
}

impl From<&Known> for Template {
    fn from(known: &Known) -> Self {
        Self {
            name: known.name.into(),
            class: known.class,
            grade: known.grade,
            scope: known.scope,
            pattern: known.pattern.into(),
        }
    }
}
