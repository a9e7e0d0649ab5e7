use std::collections::BTreeSet;
use std::sync::Arc;

use metrics::{Label, Unit, counter, describe_counter, describe_histogram, histogram};

use super::{FitEvent, Observer};
use crate::FitReport;

/// An observer that counts, by the crate `metrics`. Takes the feature `metrics`.
///
/// | metric | what | unit | labels |
/// |---|---|---|---|
/// | `contextfit.requests` | counter: [decisions](FitEvent::is_decision), one for each request | requests | `outcome`: the event's [name](FitEvent::name) |
/// | `contextfit.fits` | counter: requests that were changed, also in a recovery | fits | `reason` |
/// | `contextfit.fits.degraded` | counter: those of them that miss a summary | fits | `reason` |
/// | `contextfit.fits.over_limit` | counter: those of them that are still over their limit | fits | `reason` |
/// | `contextfit.tokens.before`, `contextfit.tokens.after` | histograms: prompts before and after a fit, as estimated | tokens | `reason` |
/// | `contextfit.tokens.removed` | counter: what fits took away, as estimated | tokens | `reason` |
/// | `contextfit.messages` | counter: messages that didn't stay as they were | messages | `fate`: `summarized`, `archived`, `omitted`, `clipped` |
/// | `contextfit.overflows` | counter: requests that the provider found too long | requests | `recovering`: whether a smaller one is made |
/// | `contextfit.recoveries` | counter: what came of those that are made smaller | requests | `outcome`: `recovered`, `not_recovered` |
/// | `contextfit.retries.refused` | counter: recoveries for which there was no budget | requests | |
/// | `contextfit.truncated` | counter: prompts that the provider read in part | requests | |
/// | `contextfit.summaries` | counter: summaries, or parts of one, that were asked for | summaries | `outcome`: `written`, `failed` |
/// | `contextfit.summarizer.calls` | counter: calls that these took: attempts, chunks | calls | |
/// | `contextfit.summaries.refused` | counter: times when there was no usable summary | summaries | `reason`: [its kind](crate::SummarizeError::kind) |
/// | `contextfit.tokens.used` | counter: what calls cost, as the provider counted | tokens | `purpose`: `answer`, `compaction`; `gen_ai.token.type`: `input`, `output` |
/// | `contextfit.tokens.cached` | counter: those of the input that were read from a cache | tokens | `purpose` |
/// | `contextfit.estimate.ratio` | histogram: what the provider counted for a prompt, by what was estimated; 1 is exact, and more was underestimated | | |
///
/// All labels have a few values that are known beforehand. The names of models come from requests,
/// so there is no label of them unless the models are [listed](Self::models).
///
/// The tokens have names of our own, because those of OpenTelemetry's conventions for generative AI
/// demand the name of a provider, which nobody here knows.
///
/// ```
/// use contextfit_tower::{Fitter, RecordMetrics};
///
/// // After the recorder is installed.
/// let metrics = RecordMetrics::new().models(["gpt-5-mini", "claude-sonnet-4-5"]);
/// let fitter = Fitter::builder().window(128_000).observer(metrics).build()?;
/// # Ok::<(), contextfit_tower::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordMetrics {
    models: BTreeSet<Arc<str>>,
}

const REQUESTS: &str = "contextfit.requests";
const FITS: &str = "contextfit.fits";
const DEGRADED: &str = "contextfit.fits.degraded";
const OVER_LIMIT: &str = "contextfit.fits.over_limit";
const TOKENS_BEFORE: &str = "contextfit.tokens.before";
const TOKENS_AFTER: &str = "contextfit.tokens.after";
const TOKENS_REMOVED: &str = "contextfit.tokens.removed";
const MESSAGES: &str = "contextfit.messages";
const OVERFLOWS: &str = "contextfit.overflows";
const RECOVERIES: &str = "contextfit.recoveries";
const RETRIES_REFUSED: &str = "contextfit.retries.refused";
const TRUNCATED: &str = "contextfit.truncated";
const SUMMARIES: &str = "contextfit.summaries";
const SUMMARIZER_CALLS: &str = "contextfit.summarizer.calls";
const SUMMARIES_REFUSED: &str = "contextfit.summaries.refused";
const TOKENS_USED: &str = "contextfit.tokens.used";
const TOKENS_CACHED: &str = "contextfit.tokens.cached";
const ESTIMATE_RATIO: &str = "contextfit.estimate.ratio";

/// A label, and one of its few values.
type Pair = (&'static str, &'static str);

/// What the counters count.
const COUNTERS: [(&str, &str); 15] = [
    (
        REQUESTS,
        "Requests, by what was decided before they were sent.",
    ),
    (FITS, "Requests that were changed to fit."),
    (DEGRADED, "Fits that should have a summary and have none."),
    (OVER_LIMIT, "Fits that left a request over its limit."),
    (TOKENS_REMOVED, "Tokens that fits took away, as estimated."),
    (MESSAGES, "Messages that did not stay as they were."),
    (OVERFLOWS, "Requests that the provider found too long."),
    (
        RECOVERIES,
        "Requests that were too long, by what came of making them smaller.",
    ),
    (RETRIES_REFUSED, "Recoveries for which there was no budget."),
    (TRUNCATED, "Prompts that the provider read in part."),
    (SUMMARIES, "Summaries that were asked for."),
    (SUMMARIZER_CALLS, "Calls that summaries took."),
    (SUMMARIES_REFUSED, "Times when there was no usable summary."),
    (
        TOKENS_USED,
        "Tokens that calls cost, as the provider counted.",
    ),
    (
        TOKENS_CACHED,
        "Tokens of prompts that were read from a cache.",
    ),
];

impl RecordMetrics {
    /// Counts without looking at models. Describes the metrics to the recorder that is installed.
    #[must_use]
    pub fn new() -> Self {
        for (name, description) in COUNTERS {
            describe_counter!(name, Unit::Count, description);
        }
        describe_histogram!(
            TOKENS_BEFORE,
            Unit::Count,
            "Tokens of prompts before a fit, as estimated."
        );
        describe_histogram!(
            TOKENS_AFTER,
            Unit::Count,
            "Tokens of prompts after a fit, as estimated."
        );
        describe_histogram!(
            ESTIMATE_RATIO,
            "Tokens of prompts as counted, by those estimated."
        );
        Self {
            models: BTreeSet::new(),
        }
    }

    /// Adds a label `model` to all metrics: one of these names, `other`, or `none` where no model is
    /// named. Of summarizers it is the model that they name.
    #[must_use]
    pub fn models<N>(mut self, names: impl IntoIterator<Item = N>) -> Self
    where
        N: Into<Arc<str>>,
    {
        self.models.extend(names.into_iter().map(Into::into));
        self
    }

    fn count(&self, event: &FitEvent<'_>, name: &'static str, count: u64, labels: &[Pair]) {
        if count > 0 {
            counter!(name, self.labels(event, labels)).increment(count);
        }
    }

    fn measure(&self, event: &FitEvent<'_>, name: &'static str, tokens: u64, labels: &[Pair]) {
        histogram!(name, self.labels(event, labels)).record(tokens as f64);
    }

    fn labels(&self, event: &FitEvent<'_>, labels: &[Pair]) -> Vec<Label> {
        let label = |&(key, value)| Label::from_static_parts(key, value);
        let own = labels.iter().map(label);
        own.chain(self.model_label(event)).collect()
    }

    /// The model's label, if there is to be one.
    fn model_label(&self, event: &FitEvent<'_>) -> Option<Label> {
        if self.models.is_empty() {
            return None;
        }
        let Some(model) = event.model() else {
            return Some(Label::from_static_parts("model", "none"));
        };
        Some(match self.models.get(model) {
            Some(name) => Label::new("model", Arc::clone(name)),
            None => Label::from_static_parts("model", "other"),
        })
    }

    fn fitted(&self, event: &FitEvent<'_>, report: &FitReport) {
        let reason = [("reason", report.reason.as_str())];
        let removed = report.tokens_before.saturating_sub(report.tokens_after);
        self.count(event, FITS, 1, &reason);
        self.count(event, DEGRADED, report.degraded.into(), &reason);
        self.count(event, OVER_LIMIT, (!report.fits()).into(), &reason);
        self.measure(event, TOKENS_BEFORE, report.tokens_before, &reason);
        self.measure(event, TOKENS_AFTER, report.tokens_after, &reason);
        self.count(event, TOKENS_REMOVED, removed, &reason);
        for (fate, messages) in [
            ("summarized", report.summarized),
            ("archived", report.archived),
            ("omitted", report.omitted),
            ("clipped", report.clipped),
        ] {
            self.count(event, MESSAGES, messages as u64, &[("fate", fate)]);
        }
    }
}

impl Default for RecordMetrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Observer for RecordMetrics {
    fn on_event(&self, event: &FitEvent<'_>) {
        if event.is_decision() {
            self.count(event, REQUESTS, 1, &[("outcome", event.name())]);
        }
        if let Some((purpose, usage)) = event.usage() {
            let purpose = ("purpose", purpose.as_str());
            for (kind, tokens) in [("input", usage.input), ("output", usage.output)] {
                let labels = [purpose, ("gen_ai.token.type", kind)];
                self.count(event, TOKENS_USED, tokens, &labels);
            }
            self.count(event, TOKENS_CACHED, usage.cached, &[purpose]);
        }
        match event {
            FitEvent::Fitted(report) => self.fitted(event, report),
            FitEvent::SummaryRun { error, calls, .. } => {
                let outcome = if error.is_some() { "failed" } else { "written" };
                self.count(event, SUMMARIES, 1, &[("outcome", outcome)]);
                self.count(event, SUMMARIZER_CALLS, *calls as u64, &[]);
            }
            FitEvent::SummaryRefused(error) => {
                self.count(event, SUMMARIES_REFUSED, 1, &[("reason", error.kind())]);
            }
            FitEvent::Overflow { recovering, .. } => {
                let recovering = if *recovering { "true" } else { "false" };
                self.count(event, OVERFLOWS, 1, &[("recovering", recovering)]);
            }
            FitEvent::Recovered { .. } | FitEvent::NotRecovered { .. } => {
                self.count(event, RECOVERIES, 1, &[("outcome", event.name())]);
            }
            FitEvent::RetryRefused { .. } => self.count(event, RETRIES_REFUSED, 1, &[]),
            FitEvent::Truncated { .. } => self.count(event, TRUNCATED, 1, &[]),
            FitEvent::Usage { sent, usage } if sent.estimated > 0 && usage.input > 0 => {
                let ratio = usage.input as f64 / sent.estimated as f64;
                histogram!(ESTIMATE_RATIO, self.labels(event, &[])).record(ratio);
            }
            _ => {}
        }
    }
}
