use contextfit_core::plan::Plan;
use contextfit_core::request::{ApplyError, EditConversation, Hints, Switch};
use genai::chat::ChatMessage;

use super::GenaiRequest;
use super::clip::clipped;

impl EditConversation for GenaiRequest {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        let summary = |text: &str| ChatMessage::user(text);
        self.chat.messages = plan.rewrite(&self.chat.messages, summary, clipped)?;
        if let Some(tokens) = plan.lowered_output() {
            self.options.get_or_insert_default().max_tokens = Some(tokens);
        }
        Ok(())
    }

    fn hints(&self) -> Hints {
        match self.chat.previous_response_id {
            Some(_) => Hints::default().switch(Switch::HistoryElsewhere),
            None => Hints::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_lowered_and_no_other_option() {
        use genai::chat::{ChatOptions, ChatRequest};
        let plan = Plan::untouched(0).max_output_tokens(Some(7));
        let mut request = GenaiRequest::new("m", ChatRequest::default());
        for seed in [None, Some(9)] {
            request.options = seed.map(|seed| ChatOptions::default().with_seed(seed));
            request.apply(&plan).unwrap();
            let options = request.options.clone().unwrap();
            assert_eq!((options.max_tokens, options.seed), (Some(7), seed));
        }
    }
}
