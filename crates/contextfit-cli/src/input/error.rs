use std::fmt;

/// An input that is of no use, and where in it that shows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{problem}")]
pub(crate) struct InputError {
    file: String,
    problem: Problem,
}

/// A problem in a file that somebody else names.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {text}")]
pub(super) struct Problem {
    pub(super) place: Place,
    pub(super) text: String,
}

impl Problem {
    /// A problem of a place.
    pub(super) fn at(place: Place, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { place, text }
    }

    /// A problem of the whole file.
    pub(super) fn somewhere(text: impl Into<String>) -> Self {
        Self::at(Place::default(), text)
    }

    /// Names the file.
    pub(super) const fn in_file(self, file: String) -> InputError {
        InputError {
            file,
            problem: self,
        }
    }
}

/// A place in a file, from 1; what is 0 isn't known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// A whole line.
    pub(super) const fn line(line: usize) -> Self {
        Self { line, column: 0 }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for number in [self.line, self.column] {
            if number == 0 {
                break;
            }
            write!(f, ":{number}")?;
        }
        Ok(())
    }
}
