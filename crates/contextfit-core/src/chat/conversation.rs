use super::{ChatMessage, ChatRequest, ChatRole};
use crate::plan::Plan;
use crate::request::{
    ApplyError, Conversation, EditConversation, Link, MessageRef, Piece, Role, Str,
};

impl Conversation for ChatRequest {
    fn model(&self) -> Option<&str> {
        (!self.model.is_empty()).then_some(&*self.model)
    }

    fn len(&self) -> usize {
        self.messages.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        MessageRef::new(match self.messages[index].role {
            ChatRole::System => Role::System,
            ChatRole::Developer => Role::Developer,
            ChatRole::User => Role::User,
            ChatRole::Assistant => Role::Assistant,
            ChatRole::Tool | ChatRole::Function => Role::Tool,
        })
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        let message = &self.messages[index];
        for call in &*message.tool_calls {
            visit(Link::Calls(&call.id));
        }
        if let Some(id) = &message.tool_call_id {
            visit(Link::Answers(id));
        }
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        self.messages[index].pieces(|_, piece| visit(piece));
    }

    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        for tool in [&self.tools, &self.functions]
            .into_iter()
            .flatten()
            .flat_map(|tools| &**tools)
        {
            visit(Piece::Schema(Str::plain(tool.get())));
        }
        if let Some(format) = &self.response_format {
            visit(Piece::Schema(Str::plain(format.get())));
        }
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.max_completion_tokens.or(self.max_tokens)
    }
}

impl EditConversation for ChatRequest {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        let messages = plan.rewrite(
            &self.messages,
            |text| ChatMessage::user(text),
            ChatMessage::clipped,
        )?;
        self.messages = messages;
        if let Some(tokens) = plan.lowered_output() {
            if self.max_completion_tokens.is_some() {
                self.max_completion_tokens = Some(tokens);
            } else {
                self.max_tokens = Some(tokens);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Content;
    use crate::cut::Cut;
    use crate::estimate::{CharEstimator, measure};
    use crate::plan::Clip;

    fn request(json: &str) -> ChatRequest {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn every_form_of_content_is_read_and_written_back() {
        let body = r#"{"model":"m","messages":[
            {"role":"system","content":[{"type":"text","text":"be kind"}]},
            {"role":"user","content":[{"type":"text","text":"look"},
                {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}],"name":"ann"},
            {"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[
                {"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"c","content":"out"},
            {"role":"assistant","content":"done"}],
            "tools":[{"type":"function","function":{"name":"f"}}],
            "functions":[{"name":"g"}],"max_tokens":5,"top_p":0.5}"#;
        let written = serde_json::to_value(request(body)).unwrap();
        assert_eq!(
            written,
            serde_json::from_str::<serde_json::Value>(body).unwrap()
        );
    }

    #[test]
    fn base64_costs_what_an_image_costs() {
        let image = "A".repeat(2_000_000);
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[
                {{"type":"image_url","image_url":{{"url":"data:image/png;base64,{image}"}}}}]}}]}}"#
        );
        let measured = measure(&request(&body), &CharEstimator::default());
        assert_eq!(
            measured.messages,
            CharEstimator::MEDIA + CharEstimator::MESSAGE_OVERHEAD
        );
    }

    #[test]
    fn tools_and_system_messages_are_the_fixed_part() {
        let chat = request(
            r#"{"model":"m","messages":[{"role":"system","content":"12345678"}],
                "tools":[{"a":"12345678901"}],"functions":[{"b":"12345678"}]}"#,
        );
        let measured = measure(&chat, &CharEstimator::default().with_message_overhead(0));
        assert_eq!((measured.fixed, measured.messages), (2 + 4 + 4, 0));
    }

    #[test]
    fn a_name_costs_its_text_and_nothing_where_there_is_none() {
        let messages = |name: &str| {
            let body = format!(
                r#"{{"model":"m","messages":[{{"role":"user"{name},"content":"12345678"}}]}}"#
            );
            let chars = CharEstimator::default().with_message_overhead(0);
            measure(&request(&body), &chars).messages
        };
        assert_eq!(messages(""), 2);
        assert_eq!(messages(r#","name":null"#), 2);
        assert_eq!(messages(r#","name":"Margaret""#), 4);
    }

    #[test]
    fn a_clip_replaces_one_text_and_leaves_the_rest() {
        let mut chat = request(
            r#"{"model":"m","messages":[{"role":"user","name":"ann","content":"hi"},
                {"role":"tool","tool_call_id":"c","name":"f","content":[
                    {"type":"text","text":"one"},{"type":"text","text":"two"}]}]}"#,
        );
        // The first piece of the user's message is a name.
        let clips = [(0, "h"), (1, "2")].map(|(message, text)| Clip {
            message,
            piece: 1,
            text: text.into(),
            omitted_chars: 2,
        });
        chat.apply(&Plan::new(Cut::none(2), String::new(), clips.into()))
            .unwrap();
        assert_eq!(chat.messages[1].text(), "one\n2");
        assert_eq!(chat.messages[1].tool_call_id.as_deref(), Some("c"));
        assert_eq!(chat.messages[0].text(), "h");
        assert_eq!(chat.messages[0].name.as_deref(), Some("ann"));
    }

    #[test]
    fn a_clip_that_is_wrong_changes_nothing() {
        let mut chat = request(
            r#"{"model":"m","messages":[{"role":"user","content":"hi"},
                {"role":"user","content":"ho"}]}"#,
        );
        let before = chat.messages.clone();
        let clip = |message, piece| Clip {
            message,
            piece,
            text: "h".into(),
            omitted_chars: 1,
        };
        let plan = Plan::new(Cut::none(2), String::new(), vec![clip(0, 0), clip(1, 1)])
            .max_output_tokens(Some(1));
        let error = chat.apply(&plan).unwrap_err();
        let expected = ApplyError::NoSuchPiece {
            message: 1,
            piece: 1,
        };
        assert_eq!(error, expected);
        assert_eq!((chat.messages, chat.max_tokens), (before, None));
    }

    #[test]
    fn a_plan_for_another_length_changes_nothing() {
        let mut chat = request(r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#);
        let before = chat.messages.clone();
        let plan = Plan::new(Cut::of(3, 0..2), "s".into(), vec![]).max_output_tokens(Some(1));
        assert!(chat.apply(&plan).is_err());
        assert_eq!((chat.messages, chat.max_tokens), (before, None));
    }

    #[test]
    fn text_is_shared_by_clones() {
        let chat = ChatRequest::new("m", [ChatMessage::user("a long text")]);
        let clone = chat.clone();
        let text = |chat: &ChatRequest| match &chat.messages[0].content {
            Some(Content::Text(text)) => text.as_ptr(),
            _ => std::ptr::null(),
        };
        assert_eq!(text(&chat), text(&clone));
    }
}
