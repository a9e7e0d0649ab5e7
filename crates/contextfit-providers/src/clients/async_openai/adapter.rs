use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionRequestUserMessage, CreateChatCompletionRequest,
};
use contextfit_core::plan::Plan;
use contextfit_core::request::{AdapterError, ApplyError, RequestAdapter};

use super::ChatView;
use super::clip::clipped;

/// Teaches the layers the chat requests of `async-openai`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsyncOpenAi;

impl RequestAdapter<CreateChatCompletionRequest> for AsyncOpenAi {
    type View<'a> = ChatView<'a>;

    fn view<'a>(
        &self,
        request: &'a CreateChatCompletionRequest,
    ) -> Result<ChatView<'a>, AdapterError> {
        Ok(ChatView::new(request))
    }

    #[expect(
        deprecated,
        reason = "servers that aren't OpenAI's know no other field"
    )]
    fn apply(
        &self,
        request: &mut CreateChatCompletionRequest,
        plan: &Plan,
    ) -> Result<(), ApplyError> {
        request.messages = plan.rewrite(&request.messages, user, clipped)?;
        if let Some(tokens) = plan.lowered_output() {
            match (&mut request.max_completion_tokens, &mut request.max_tokens) {
                (None, None) => request.max_completion_tokens = Some(tokens),
                // Which of two a server reads, nobody knows.
                (newer, older) => {
                    for asked in [newer, older].into_iter().flatten() {
                        *asked = tokens.min(*asked);
                    }
                }
            }
        }
        Ok(())
    }

    fn try_clone(
        &self,
        request: &CreateChatCompletionRequest,
    ) -> Option<CreateChatCompletionRequest> {
        Some(request.clone())
    }
}

fn user(text: &str) -> ChatCompletionRequestMessage {
    ChatCompletionRequestUserMessage::from(text).into()
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;
    use contextfit_core::plan::Clip;

    use super::*;

    fn request(json: &str) -> CreateChatCompletionRequest {
        serde_json::from_str(json).unwrap()
    }

    fn lowered(asked: &str) -> serde_json::Value {
        let mut request = request(&format!(r#"{{"model":"m","messages":[]{asked}}}"#));
        let plan = Plan::untouched(0).max_output_tokens(Some(7));
        AsyncOpenAi.apply(&mut request, &plan).unwrap();
        let mut json = serde_json::to_value(request).unwrap();
        json.as_object_mut()
            .unwrap()
            .retain(|field, _| field.starts_with("max"));
        json
    }

    #[test]
    fn the_output_is_lowered_wherever_it_is_asked_for() {
        use serde_json::json;
        assert_eq!(lowered(r#","max_tokens":9"#), json!({"max_tokens": 7}));
        assert_eq!(
            lowered(r#","max_completion_tokens":9"#),
            json!({"max_completion_tokens": 7})
        );
        assert_eq!(
            lowered(r#","max_completion_tokens":9,"max_tokens":5"#),
            json!({"max_completion_tokens": 7, "max_tokens": 5})
        );
        assert_eq!(lowered(""), json!({"max_completion_tokens": 7}));
    }

    #[test]
    fn a_plan_that_is_wrong_changes_nothing() {
        let before = request(
            r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},
                {"role":"assistant","content":null,"tool_calls":[
                    {"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}]}"#,
        );
        let clip = |message, piece| Clip {
            message,
            piece,
            text: "h".into(),
            omitted_chars: 1,
        };
        let clips = vec![clip(0, 0), clip(1, 0)];
        for plan in [
            Plan::new(Cut::none(2), String::new(), clips),
            Plan::new(Cut::none(2), String::new(), vec![clip(0, 1)]),
            Plan::new(Cut::of(3, 0..2), "s".into(), vec![]),
        ] {
            let mut after = before.clone();
            let plan = plan.max_output_tokens(Some(1));
            assert!(AsyncOpenAi.apply(&mut after, &plan).is_err());
            assert_eq!(after, before);
        }
    }
}
