use std::io;

use contextfit::{ConfigError, FitError};

use crate::counter::NoCounter;
use crate::input::InputError;

/// Why a command came to nothing.
///
/// A command line that can't be parsed never comes this far: clap ends it with 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The input is of no use.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The options don't work together.
    #[error(transparent)]
    Options(#[from] ConfigError),
    /// Nothing counts as was asked for.
    #[error(transparent)]
    Counter(#[from] NoCounter),
    /// The layers can't read the conversation.
    #[error("the conversation can't be explained: {0}")]
    Unreadable(#[from] FitError),
    /// The report can't be written.
    #[error("the output can't be written: {0}")]
    Output(#[from] io::Error),
}
