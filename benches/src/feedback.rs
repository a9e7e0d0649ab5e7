//! How well the next prompt is predicted, before and after its provider's counts are heeded.

use contextfit_core::chat::ChatRequest;
use contextfit_core::estimate::Estimator;
use contextfit_tower::{Calibrator, Fitter, Usage};

/// What a provider counted for the first so many messages of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Reported {
    /// How many messages.
    pub messages: usize,
    /// Tokens of the prompt.
    pub tokens: u64,
}

/// How far off the predictions were, as shares of what was counted. A negative one was too low.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// Without feedback.
    pub before: Vec<f64>,
    /// With the counts of all earlier requests.
    pub after: Vec<f64>,
}

/// Predicts each count from the second on, and then learns it.
///
/// Where a count is lower than the one before it, the session was compacted or begun anew: nothing
/// of what was counted holds, and nothing is predicted.
///
/// # Panics
///
/// If a conversation can't be read, which this crate's can.
pub fn play(
    chat: &ChatRequest,
    reports: &[Reported],
    estimator: impl Estimator + Clone + 'static,
) -> Errors {
    let fitter = |calibrator: Option<Calibrator>| {
        let fitter = Fitter::builder()
            .window(10_000_000)
            .estimator(estimator.clone());
        match calibrator {
            Some(calibrator) => fitter.calibrator(calibrator),
            None => fitter,
        }
        .build()
        .expect("the settings can work")
    };
    let plain = fitter(None);
    let mut calibrated = fitter(Some(Calibrator::default()));
    let mut errors = Errors::default();
    let mut last = None;
    for report in reports {
        let mut request = chat.clone();
        request.messages.truncate(report.messages);
        let predicted = |fitter: &Fitter| {
            let measured = fitter.measure(&request).expect("it can be read");
            measured.prompt() as f64 / report.tokens as f64 - 1.0
        };
        match last {
            Some(last) if report.tokens >= last => {
                errors.before.push(predicted(&plain));
                errors.after.push(predicted(&calibrated));
            }
            Some(_) => calibrated = fitter(Some(Calibrator::default())),
            None => {}
        }
        let usage = Usage::new(report.tokens, 0);
        calibrated.learn(&request, &usage).expect("it can be read");
        last = Some(report.tokens);
    }
    errors
}
