use super::{ChatMessage, ChatRequest, ChatRole, Content, ContentPart};
use crate::plan::{Clip, Plan};
use crate::request::{
    ApplyError, Conversation, EditConversation, Link, Media, MediaKind, MessageRef, Piece, Role,
    Str,
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
        let message = &self.messages[index];
        if let Some(thinking) = message
            .extra
            .get("reasoning_content")
            .and_then(|text| text.as_str())
        {
            visit(Piece::Thinking(thinking.into()));
        }
        match &message.content {
            Some(Content::Text(text)) => visit(message.piece(text)),
            Some(Content::Parts(parts)) => {
                for part in &**parts {
                    visit(part.piece(message));
                }
            }
            None => {}
        }
        for call in &*message.tool_calls {
            visit(Piece::ToolCall {
                id: Str::plain(&call.id),
                name: Str::plain(&call.function.name),
                arguments: Str::plain(&call.function.arguments),
            });
        }
    }

    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        for tool in self.tools.iter().flat_map(|tools| &**tools) {
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
            |message, clips| Ok(message.clipped(clips)),
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

impl ChatMessage {
    /// A text of this message as a piece.
    fn piece<'a>(&'a self, text: &'a str) -> Piece<'a> {
        match self.role {
            ChatRole::Tool | ChatRole::Function => Piece::ToolResult {
                call_id: Str::plain(self.tool_call_id.as_deref().unwrap_or_default()),
                name: Str::plain(self.name.as_deref().unwrap_or_default()),
                content: Str::plain(text),
            },
            _ => Piece::Text(Str::plain(text)),
        }
    }

    /// The message with the named pieces replaced.
    fn clipped(&self, clips: &[Clip]) -> Self {
        let mut message = self.clone();
        let thinks = usize::from(
            self.extra
                .get("reasoning_content")
                .is_some_and(|text| text.is_string()),
        );
        for clip in clips {
            match &mut message.content {
                Some(Content::Text(text)) if clip.piece == thinks => {
                    *text = clip.text.as_str().into();
                }
                Some(Content::Parts(parts)) => {
                    let mut owned = parts.to_vec();
                    if let Some(part) = clip
                        .piece
                        .checked_sub(thinks)
                        .and_then(|part| owned.get_mut(part))
                    {
                        part.text = Some(clip.text.as_str().into());
                    }
                    *parts = owned.into();
                }
                _ => {}
            }
        }
        message
    }
}

impl ContentPart {
    /// The part as a piece of the message it is in.
    fn piece<'a>(&'a self, message: &'a ChatMessage) -> Piece<'a> {
        if let Some(text) = &self.text {
            return message.piece(text);
        }
        let kind = match &*self.kind {
            "image_url" | "image" => MediaKind::Image,
            "input_audio" => MediaKind::Audio,
            "file" => MediaKind::File,
            // A refusal is text in a field of its own name.
            kind => {
                let text = self
                    .extra
                    .get(kind)
                    .and_then(|text| text.as_str())
                    .unwrap_or_default();
                return Piece::Opaque(Str::plain(text));
            }
        };
        Piece::Media(Media::new(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut::Cut;
    use crate::estimate::{CharEstimator, measure};

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
            "tools":[{"type":"function","function":{"name":"f"}}],"max_tokens":5,"top_p":0.5}"#;
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
                "tools":[{"a":"12345678901"}]}"#,
        );
        let measured = measure(&chat, &CharEstimator::default().with_message_overhead(0));
        assert_eq!((measured.fixed, measured.messages), (2 + 4, 0));
    }

    #[test]
    fn a_clip_replaces_one_text_and_leaves_the_rest() {
        let mut chat = request(
            r#"{"model":"m","messages":[{"role":"user","content":"hi"},
                {"role":"tool","tool_call_id":"c","name":"f","content":[
                    {"type":"text","text":"one"},{"type":"text","text":"two"}]}]}"#,
        );
        let clip = Clip {
            message: 1,
            piece: 1,
            text: "2".into(),
            omitted_chars: 2,
        };
        chat.apply(&Plan::new(Cut::none(2), String::new(), vec![clip]))
            .unwrap();
        assert_eq!(chat.messages[1].text(), "one\n2");
        assert_eq!(chat.messages[1].tool_call_id.as_deref(), Some("c"));
        assert_eq!(chat.messages[0].text(), "hi");
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
