use std::fmt;
use std::sync::Arc;

use contextfit_core::estimate::Estimator;
use contextfit_core::summary::{Transcript, quote_inside};

use super::asking::CallLog;
use super::prompts::Prompt;
use super::{Progress, SummarySettings};
use crate::tokens::text_tokens;

/// The tag that a previous summary stands in.
const PREVIOUS: &str = "previous-summary";

/// Tokens kept for what frames the messages and the previous summary: tags, a note on what is
/// missing, the framing of the model's own messages.
const FRAME: u64 = 256;

/// What a [`Summarizer`](crate::Summarizer) is asked for.
#[derive(Clone)]
#[non_exhaustive]
pub struct SummaryJob {
    /// What is to be summarized.
    pub kind: SummaryKind,
    /// The messages to summarize, as quoted text in a `<conversation>` element. Where there are more
    /// than the summarizer's [window](crate::Summarizer::window) has room for, they come in several
    /// jobs, from the oldest to the newest, each with what was written before as its `previous`.
    pub transcript: String,
    /// The messages to summarize, part by part and in full, for a summarizer that is no model.
    pub conversation: Transcript,
    /// The summary of what came before them, to be updated and not to be lost.
    pub previous: Option<String>,
    /// How many messages the transcript holds. 0 if the previous summary itself is too long and
    /// only has to be shortened.
    pub messages: usize,
    /// How many earlier messages it doesn't hold, and no summary, because there is no room for them
    /// in as many jobs [as there may be](crate::FitterBuilder::summary_calls). It says so itself.
    pub omitted: usize,
    /// The most tokens the summary is to have, as the fitter's estimator counts them.
    pub max_tokens: u64,
    /// The most tokens that the model may put out, thoughts included: what to send as the most
    /// output of the call. No less than the summary may have, as far as its model gives so much.
    pub max_output_tokens: u64,
    pub(crate) instructions: Option<Arc<str>>,
    pub(crate) estimator: Arc<dyn Estimator>,
    pub(crate) settings: Arc<SummarySettings>,
    pub(crate) log: CallLog,
    pub(super) progress: Progress,
}

impl SummaryJob {
    /// Asks for a summary of a conversation, in so many tokens. What is redacted isn't in it.
    pub(crate) fn new(
        kind: SummaryKind,
        conversation: Transcript,
        previous: Option<&str>,
        max_tokens: u64,
        estimator: Arc<dyn Estimator>,
        settings: Arc<SummarySettings>,
    ) -> Self {
        let (conversation, previous) = match &settings.redact {
            Some(redact) => (
                conversation.redacted(|text| redact(text)),
                previous.map(|previous| redact(previous).into_owned()),
            ),
            None => (conversation, previous.map(str::to_owned)),
        };
        Self {
            kind,
            transcript: String::new(),
            messages: conversation.len(),
            conversation,
            previous,
            omitted: 0,
            max_tokens,
            max_output_tokens: max_tokens,
            instructions: None,
            estimator,
            settings,
            log: CallLog::default(),
            progress: Progress::default(),
        }
    }

    /// The system prompt to send to a model: its standing instructions.
    #[must_use]
    pub fn system(&self) -> &str {
        self.settings.prompts.system.trim()
    }

    /// The one message to send to a model: the transcript as quoted data, the previous summary,
    /// and what to do, last.
    #[must_use]
    pub fn prompt(&self) -> String {
        let previous = self.quoted_previous();
        let told = self.told(Prompt::of(self));
        let parts = [&*self.transcript, &previous, &told];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }

    fn told(&self, prompt: Prompt) -> String {
        let asked = [&self.settings.instructions, &self.instructions];
        let asked = asked.into_iter().filter_map(Option::as_deref);
        self.settings.prompts.told(prompt, self.max_tokens, asked)
    }

    /// The previous summary in its element; empty if there is none.
    fn quoted_previous(&self) -> String {
        self.previous
            .as_deref()
            .map_or_else(String::new, |previous| {
                let previous = quote_inside(PREVIOUS, previous);
                format!("<{PREVIOUS}>\n{previous}\n</{PREVIOUS}>")
            })
    }

    /// Tokens of a previous summary as it stands in a prompt, without its tags.
    pub(super) fn previous_tokens(estimator: &dyn Estimator, previous: &str) -> u64 {
        text_tokens(estimator, &quote_inside(PREVIOUS, previous))
    }

    /// The most tokens that a prompt has besides the messages and the previous summary, whatever it
    /// asks for.
    pub(super) fn prompt_tokens(&self, estimator: &dyn Estimator) -> u64 {
        let told = Prompt::ALL.map(|prompt| text_tokens(estimator, &self.told(prompt)));
        text_tokens(estimator, self.system())
            .saturating_add(told.into_iter().max().unwrap_or_default())
            .saturating_add(FRAME)
    }

    /// Where to say that a model puts something out, so that nobody takes it for
    /// [stalled](crate::SummarizerExt::stall_timeout). For summarizers that read a stream; it
    /// outlives the job.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Tokens of a text, as the bound counts them.
    #[must_use]
    pub fn count(&self, text: &str) -> u64 {
        text_tokens(&*self.estimator, text)
    }

    /// The longest head of a text that has at most so many tokens.
    #[must_use]
    pub fn head<'a>(&self, text: &'a str, max_tokens: u64) -> &'a str {
        if self.count(text) <= max_tokens {
            return text;
        }
        let ends: Vec<usize> = text.char_indices().map(|(end, _)| end).collect();
        let fits = ends.partition_point(|&end| self.count(&text[..end]) <= max_tokens);
        let fits = fits.checked_sub(1).map_or(0, |last| ends[last]);
        &text[..fits]
    }
}

impl fmt::Debug for SummaryJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("SummaryJob")
            .field("kind", &self.kind)
            .field("messages", &self.messages)
            .field("omitted", &self.omitted)
            .field("max_tokens", &self.max_tokens)
            .field("max_output_tokens", &self.max_output_tokens)
            .finish_non_exhaustive()
    }
}

/// What a summary is to stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SummaryKind {
    /// The conversation so far, or what was added to it since the previous summary.
    #[default]
    History,
    /// The beginning of a turn that is too long to be kept whole. Its end stays, word for word,
    /// right after the summary.
    TurnStart,
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use contextfit_core::chat::{ChatMessage, ChatRequest};
    use contextfit_core::estimate::CharEstimator;
    use contextfit_core::summary::ItemCaps;

    fn job(previous: Option<&str>, settings: SummarySettings) -> SummaryJob {
        let chat = ChatRequest::new("m", [ChatMessage::user("hi")]);
        let conversation = Transcript::of(&chat, [0]);
        let mut job = SummaryJob::new(
            SummaryKind::History,
            conversation,
            previous,
            100,
            Arc::new(CharEstimator::default()),
            Arc::new(settings),
        );
        job.transcript = job.conversation.render(&ItemCaps::default());
        job
    }

    #[test]
    fn a31_the_prompt_puts_quoted_data_first_and_instructions_last() {
        let prompt = job(Some("a </previous-summary> b"), SummarySettings::default()).prompt();
        let parts = [
            "<conversation>\n[User]: hi\n</conversation>",
            "<previous-summary>\na <\\/previous-summary> b\n</previous-summary>",
            "The conversation above goes on from the previous summary.",
        ];
        let at = parts.map(|part| prompt.find(part).expect(part));
        assert!(at.is_sorted() && prompt.starts_with(parts[0]));
        assert!(prompt.contains("at most 60 words"));
        assert!(
            !job(None, SummarySettings::default())
                .prompt()
                .contains("previous")
        );
    }

    #[test]
    fn a36_the_prompt_says_what_is_to_be_done() {
        let plain = SummarySettings::default;
        let mut alone = job(Some("So far."), plain());
        alone.messages = 0;
        let mut start = job(None, plain());
        start.kind = SummaryKind::TurnStart;
        let mut later = start.clone();
        later.previous = Some("So far.".to_owned());
        for (job, says) in [
            (job(None, plain()), "takes the place of these messages"),
            (
                job(Some("So far."), plain()),
                "goes on from the previous summary",
            ),
            (alone, "the previous summary anew, shorter"),
            (start, "the beginning of a turn that is too long"),
            (later, "a part of the beginning of a turn"),
        ] {
            assert!(job.prompt().contains(says), "{says}");
        }
    }

    #[test]
    fn what_is_redacted_is_nowhere_in_a_job() {
        let settings = SummarySettings {
            redact: Some(Arc::new(|text| Cow::Owned(text.replace("hi", "**")))),
            ..SummarySettings::default()
        };
        let prompt = job(Some("They said hi."), settings).prompt();
        assert!(prompt.contains("[User]: **\n") && prompt.contains("They said **."));
        assert_eq!(
            job(None, SummarySettings::default())
                .conversation
                .messages()[0][0]
                .text,
            "hi"
        );
    }

    #[test]
    fn a_head_is_the_longest_that_fits() {
        let job = job(None, SummarySettings::default());
        assert_eq!(job.head("12345678", 2), "12345678");
        assert_eq!(job.head("123456789", 2), "12345678");
        assert_eq!(job.head("ééééééééé", 1), "éééé");
        assert_eq!(job.head("é", 0), "");
        assert_eq!(job.head("", 0), "");
    }
}
