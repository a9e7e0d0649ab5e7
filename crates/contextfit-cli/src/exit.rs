//! How a run ends, and the exit codes that say so.

use std::process::ExitCode;

use crate::failure::Failure;
use crate::replay::Totals;

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every request fits, or was fitted, and was answered.
    Good,
    /// A request can't be fitted.
    Refused,
    /// Every request was fitted, but one was malformed.
    Malformed,
}

impl Ending {
    /// What became of all requests together.
    pub(crate) const fn of(totals: &Totals) -> Self {
        if totals.refusals > 0 {
            Self::Refused
        } else if totals.structure_errors > 0 {
            Self::Malformed
        } else {
            Self::Good
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::Good => 0,
            Self::Refused => 3,
            Self::Malformed => 4,
        }
    }
}

impl Failure {
    const fn code(&self) -> u8 {
        match self {
            Self::Output(_) => 1,
            Self::Input(_) | Self::Options(_) | Self::Counter(_) | Self::Unreadable(_) => 2,
        }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(ending.code())
    }
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> Self {
        Self::from(failure.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{inspect, replay};

    #[test]
    fn a_refusal_outweighs_a_structure_error() {
        let ending = |refusals, structure_errors| {
            Ending::of(&Totals {
                refusals,
                structure_errors,
                ..Totals::default()
            })
        };
        assert_eq!(ending(0, 0), Ending::Good);
        assert_eq!(ending(1, 1), Ending::Refused);
        assert_eq!(ending(0, 1), Ending::Malformed);
    }

    #[test]
    fn the_help_names_every_code() {
        let output = Failure::Output(std::io::Error::other("full"));
        let codes = [
            Ending::Good.code(),
            output.code(),
            Ending::Refused.code(),
            Ending::Malformed.code(),
        ];
        let named = |help: &str, code| help.contains(&format!("\n  {code}  "));
        for code in codes {
            assert!(named(replay::EXIT_CODES, code), "{code}");
            // Nothing is sent, so nobody finds it malformed.
            let malformed = code == Ending::Malformed.code();
            assert_eq!(named(inspect::EXIT_CODES, code), !malformed, "{code}");
        }
    }
}
