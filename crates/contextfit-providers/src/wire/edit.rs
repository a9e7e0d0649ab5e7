use std::ops::Range;

use contextfit_core::plan::{Clip, Plan, Step};
use contextfit_core::request::{AdapterError, ApplyError, EditConversation, Hints, Switch};

use super::WireRequest;
use super::json::Span;

impl EditConversation for WireRequest {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        let found = self.index.messages.len();
        if plan.len() != found {
            let planned = plan.len();
            return Err(ApplyError::OtherRequest { planned, found });
        }
        if plan.is_untouched() {
            return Ok(());
        }
        let mut edits = self.lowered_output(plan);
        match self.index.list {
            Some(list) => {
                let messages = list.start() + 1..list.end() - 1;
                edits.push((messages, self.messages(plan, list)?));
            }
            None => edits.extend(self.clips_in_place(plan)?),
        }
        let body = self.spliced(0..self.body.len(), edits);
        *self = self.with_body(body).map_err(unreadable)?;
        Ok(())
    }

    fn hints(&self) -> Hints {
        Hints::default().switch(if self.is_continued() {
            Switch::HistoryElsewhere
        } else {
            Switch::Auto
        })
    }
}

/// What was made of a request is read again, so that what comes next is decided on what is sent.
fn unreadable(error: AdapterError) -> ApplyError {
    ApplyError::Unsupported(error.to_string())
}

/// A range of the body, and what comes in its place.
type Edit = (Range<usize>, String);

impl WireRequest {
    /// The messages of a plan, as they stand between the brackets of their list.
    fn messages(&self, plan: &Plan, brackets: Span) -> Result<String, ApplyError> {
        let [before, after] = self.format.rules().user_message;
        let mut list = String::with_capacity(self.body.len());
        // The brackets count as neighbours: what stands next to them is kept, too.
        let mut last = Some(0);
        for step in self.steps(plan) {
            let next = match step {
                Step::Keep(message) | Step::Clip(message, _) => Some(message + 1),
                Step::Summary(_) => None,
            };
            list.push_str(self.separator(brackets, last, next));
            match step {
                Step::Keep(message) => list.push_str(&self.message(message, &[])?),
                Step::Clip(message, clips) => list.push_str(&self.message(message, clips)?),
                Step::Summary(text) => {
                    list.push_str(before);
                    list.push_str(&literal(text));
                    list.push_str(after);
                }
            }
            last = next;
        }
        list.push_str(self.separator(brackets, last, Some(plan.len() + 1)));
        Ok(list)
    }

    /// The messages of a plan in order, with its summary where the provider reads it.
    fn steps<'a>(&self, plan: &'a Plan) -> Vec<Step<'a>> {
        let mut steps: Vec<_> = plan.steps().collect();
        let summary = steps
            .iter()
            .position(|step| matches!(step, Step::Summary(_)));
        let compacted = self.index.compacted.and_then(|compacted| {
            let is_it = |step: &Step<'_>| *step == Step::Keep(compacted);
            steps.iter().position(is_it)
        });
        if let (Some(summary), Some(compacted)) = (summary, compacted)
            && summary < compacted
        {
            steps[summary..=compacted].rotate_left(1);
        }
        steps
    }

    /// What stands between two messages of the result: what stood there before, where they were
    /// neighbours. A message has the number after its own, the brackets have the first and the
    /// last, and what is new has none.
    fn separator(&self, brackets: Span, last: Option<usize>, next: Option<usize>) -> &str {
        let messages = &self.index.messages;
        let close = messages.len() + 1;
        match (last, next) {
            (Some(last), Some(next)) if last + 1 == next => {
                let before = last.checked_sub(1).and_then(|last| messages.get(last));
                let after = messages.get(last);
                let start = before.map_or(brackets.start() + 1, |before| before.span.end());
                let end = after.map_or(brackets.end() - 1, |after| after.span.start());
                self.written(start..end)
            }
            (Some(0), _) => "",
            (_, Some(next)) if next == close => "",
            _ => ",",
        }
    }

    fn message(&self, message: usize, clips: &[Clip]) -> Result<String, ApplyError> {
        let span = self.index.messages[message].span;
        let clips = self.clips(message, clips)?;
        Ok(self.spliced(span.start()..span.end(), clips))
    }

    fn clips(&self, message: usize, clips: &[Clip]) -> Result<Vec<Edit>, ApplyError> {
        let pieces = self.index.pieces_of(message);
        clips
            .iter()
            .map(|clip| {
                let text = pieces.get(clip.piece).and_then(|piece| piece.clippable());
                let text = text.ok_or(ApplyError::NoSuchPiece {
                    message: clip.message,
                    piece: clip.piece,
                })?;
                let quoted = text.start() - 1..text.end() + 1;
                Ok((quoted, literal(&clip.text)))
            })
            .collect()
    }

    /// The clips where there is no list of messages: a lone text is clipped where it stands.
    fn clips_in_place(&self, plan: &Plan) -> Result<Vec<Edit>, ApplyError> {
        let mut edits = Vec::new();
        for step in plan.steps() {
            match step {
                Step::Keep(_) => {}
                Step::Clip(message, clips) => edits.extend(self.clips(message, clips)?),
                Step::Summary(_) => {
                    let problem = "the conversation is one text, with no place for a summary";
                    return Err(ApplyError::Unsupported(problem.to_owned()));
                }
            }
        }
        Ok(edits)
    }

    fn lowered_output(&self, plan: &Plan) -> Vec<Edit> {
        let Some(lowered) = plan.lowered_output() else {
            return Vec::new();
        };
        let asked = self.index.output.iter();
        let asked = asked.map(|&(tokens, span)| (tokens, span, lowered));
        // What doesn't fit into the output that was asked for isn't a part of it.
        let thought = self.index.thought.into_iter();
        let thought = thought.filter(|(tokens, _)| Some(*tokens) < self.index.max_output());
        let thought = thought.map(|(tokens, span)| (tokens, span, lowered.saturating_sub(1)));
        asked
            .chain(thought)
            .filter(|(tokens, _, lowered)| tokens > lowered)
            .map(|(_, span, lowered)| (span.start()..span.end(), lowered.to_string()))
            .collect()
    }

    /// A part of the body with some ranges of it replaced, none of which overlap.
    pub(super) fn spliced(&self, part: Range<usize>, mut edits: Vec<Edit>) -> String {
        edits.sort_by_key(|(range, _)| range.start);
        let mut result = String::with_capacity(part.len());
        let mut copied = part.start;
        for (range, text) in edits {
            result.push_str(self.written(copied..range.start));
            result.push_str(&text);
            copied = range.end;
        }
        result.push_str(self.written(copied..part.end));
        result
    }

    pub(super) fn written(&self, range: Range<usize>) -> &str {
        self.body.get(range).unwrap_or_default()
    }
}

/// A text as a JSON string.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;

    use super::*;
    use crate::wire::WireFormat;

    const BODY: &str = r#" {"max_tokens" : 100,"messages":[
        {"role":"system","content":"s"},
        {"role":"user","content":"\u0061b","x":[1.50, {"y":null}]} ,
        {"content":[{"text":"one","type":"text"},{"type":"text","text":"two"}],"role":"assistant"},
        {"role":"user","content":"d"}
    ], "max_completion_tokens":50.0,"seed":1e2}
"#;

    fn request() -> WireRequest {
        WireRequest::parse(WireFormat::OpenAiChat, BODY).unwrap()
    }

    fn applied(plan: &Plan) -> String {
        let mut request = request();
        request.apply(plan).unwrap();
        assert!(request.is_edited());
        String::from_utf8(request.into_body().into()).unwrap()
    }

    fn clip(message: usize, piece: usize, text: &str) -> Clip {
        Clip {
            message,
            piece,
            text: text.into(),
            omitted_chars: 1,
        }
    }

    #[test]
    fn all_that_is_kept_is_as_it_was_written() {
        let plan = Plan::new(Cut::of(4, 2..3), "so \"far\"\n".into(), vec![]);
        let expected = BODY.replace(
            r#"{"content":[{"text":"one","type":"text"},{"type":"text","text":"two"}],"role":"assistant"}"#,
            r#"{"role":"user","content":"so \"far\"\n"}"#,
        );
        // Only what stood between messages that were neighbours stands there again.
        let expected = expected
            .replace(
                " ,\n        {\"role\":\"user\",\"content\":\"so",
                ",{\"role\":\"user\",\"content\":\"so",
            )
            .replace("n\"},\n        {", "n\"},{");
        assert_eq!(applied(&plan), expected);
    }

    #[test]
    fn a_clip_replaces_a_text_and_nothing_else() {
        let clips = vec![clip(2, 1, "t\"w"), clip(1, 0, "é")];
        let plan = Plan::new(Cut::none(4), String::new(), clips);
        let expected = BODY
            .replace(r#""two""#, r#""t\"w""#)
            .replace(r#""\u0061b""#, r#""é""#);
        assert_eq!(applied(&plan), expected);
    }

    #[test]
    fn the_output_is_lowered_wherever_it_is_asked_for_and_never_raised() {
        let lowered = |tokens| applied(&Plan::untouched(4).max_output_tokens(Some(tokens)));
        assert!(lowered(70).starts_with(r#" {"max_tokens" : 70,"#));
        assert!(lowered(70).contains(r#""max_completion_tokens":50.0,"seed":1e2}"#));
        assert!(lowered(7).contains(r#""max_completion_tokens":7,"seed":1e2}"#));
    }

    #[test]
    fn a_plan_that_is_wrong_changes_nothing() {
        let mut request = request();
        let too_many = Plan::new(Cut::of(9, 1..3), "s".into(), vec![]);
        let no_text = Plan::new(Cut::of(4, 1..2), "s".into(), vec![clip(2, 2, "x")]);
        for plan in [too_many, no_text] {
            assert!(request.apply(&plan).is_err());
            assert_eq!(request.body(), BODY);
        }
        request.apply(&Plan::untouched(4)).unwrap();
        assert!(!request.is_edited());
    }
}
