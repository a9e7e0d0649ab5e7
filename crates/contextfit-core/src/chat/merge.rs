use super::{ChatMessage, ChatRequest, ChatRole, Content, ContentPart};

impl ChatRequest {
    /// Joins messages that follow each other from the same side, for providers that demand
    /// that user and assistant alternate.
    ///
    /// Adjacent messages of the user become one, and so do adjacent messages of the assistant
    /// that call no tool, where they have the same name. Each text stays a part of its own, in
    /// order, so that nothing runs together and a summary can still be told from what was said
    /// next to it. Messages with fields this crate doesn't know are left alone, and all others
    /// too: there the text is shared with the request, not copied.
    ///
    /// It is meant for the copy on the wire: the layers find their own summary by its being a
    /// message alone. So it goes innermost, below them and right above the provider:
    /// `.layer(context_fit).map_request(ChatRequest::merge_neighbours).service(provider)` on a
    /// `tower::ServiceBuilder`.
    ///
    /// ```
    /// use contextfit_core::chat::{ChatMessage, ChatRequest};
    ///
    /// let provider = |request: ChatRequest| request.messages.len();
    /// let strict_provider = |request: ChatRequest| provider(request.merge_neighbours());
    ///
    /// let request = ChatRequest::new("a-model", [
    ///     ChatMessage::user("So far: they chose port 8080."),
    ///     ChatMessage::user("Which port?"),
    ///     ChatMessage::assistant("8080."),
    /// ]);
    /// assert_eq!(provider(request.clone()), 3);
    /// assert_eq!(strict_provider(request), 2);
    /// ```
    #[must_use]
    pub fn merge_neighbours(mut self) -> Self {
        if self
            .messages
            .windows(2)
            .any(|pair| go_together(&pair[0], &pair[1]))
        {
            self.messages = self.messages.chunk_by(go_together).map(merged).collect();
        }
        self
    }
}

fn go_together(one: &ChatMessage, next: &ChatMessage) -> bool {
    one.role == next.role && one.name == next.name && is_plain(one) && is_plain(next)
}

/// Whether a message is nothing but something said.
fn is_plain(message: &ChatMessage) -> bool {
    matches!(message.role, ChatRole::User | ChatRole::Assistant)
        && message.tool_calls.is_empty()
        && message.tool_call_id.is_none()
        && message.extra.is_empty()
}

/// One message of a run of them; a run is never empty.
fn merged(run: &[ChatMessage]) -> ChatMessage {
    let mut message = run[0].clone();
    if run.len() > 1 && run.iter().any(|one| one.content.is_some()) {
        let parts: Vec<ContentPart> = run.iter().flat_map(parts).collect();
        message.content = Some(parts.into());
    }
    message
}

fn parts(message: &ChatMessage) -> Vec<ContentPart> {
    match &message.content {
        Some(Content::Text(text)) => vec![ContentPart::text(text.clone())],
        Some(Content::Parts(parts)) => parts.to_vec(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn merge(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
        ChatRequest::new("m", messages).merge_neighbours().messages
    }

    fn texts(texts: &[&str]) -> Content {
        let parts: Vec<ContentPart> = texts.iter().map(|&text| ContentPart::text(text)).collect();
        parts.into()
    }

    fn silent() -> ChatMessage {
        let mut message = ChatMessage::assistant("");
        message.content = None;
        message
    }

    #[test]
    fn neighbours_become_one_message_with_their_texts_in_order() {
        let image = ContentPart {
            kind: "image_url".into(),
            text: None,
            extra: [("image_url".to_owned(), "i".into())].into_iter().collect(),
        };
        let mut said = merge(vec![
            ChatMessage::system("s"),
            ChatMessage::system("t"),
            ChatMessage::user("a"),
            ChatMessage::user(vec![image.clone(), ContentPart::text("b")]),
            ChatMessage::user(""),
            ChatMessage::assistant("c"),
            silent(),
            ChatMessage::assistant("d"),
            ChatMessage::user("e"),
        ]);
        let parts = vec![
            ContentPart::text("a"),
            image,
            ContentPart::text("b"),
            ContentPart::text(""),
        ];
        assert_eq!(said.remove(2), ChatMessage::user(parts));
        assert_eq!(
            said,
            [
                ChatMessage::system("s"),
                ChatMessage::system("t"),
                ChatMessage::assistant(texts(&["c", "d"])),
                ChatMessage::user("e"),
            ]
        );
    }

    #[test]
    fn messages_that_said_nothing_become_one_that_says_nothing() {
        assert_eq!(merge(vec![silent(), silent()]), [silent()]);
    }

    #[test]
    fn tool_calls_and_their_results_stay_as_they_are() {
        let messages = vec![
            ChatMessage::user("a"),
            ChatMessage::assistant("b"),
            ChatMessage::assistant("").call("1", "f", "{}"),
            ChatMessage::tool("1", "out"),
            ChatMessage::tool("1", "out"),
            ChatMessage::assistant("").call("2", "f", "{}"),
            ChatMessage::assistant("c"),
        ];
        assert_eq!(merge(messages.clone()), messages);
    }

    #[test]
    fn names_and_unknown_fields_keep_messages_apart() {
        let mut named = ChatMessage::user("a");
        named.name = Some("ann".into());
        let mut marked = ChatMessage::user("b");
        marked.extra.insert("cache_control".into(), true.into());
        let messages = vec![
            named.clone(),
            ChatMessage::user("c"),
            marked.clone(),
            marked,
            ChatMessage::user("d"),
        ];
        assert_eq!(merge(messages.clone()), messages);

        let mut both = ChatMessage::user(texts(&["a", "a"]));
        both.name = Some("ann".into());
        assert_eq!(merge(vec![named.clone(), named]), [both]);
    }

    #[test]
    fn what_is_not_merged_is_shared() {
        let parts: Arc<[ContentPart]> = vec![ContentPart::text("p")].into();
        let mut in_parts = ChatMessage::assistant("");
        in_parts.content = Some(Content::Parts(Arc::clone(&parts)));
        let text: Arc<str> = "a".into();
        let messages = vec![
            in_parts,
            ChatMessage::user(Arc::clone(&text)),
            ChatMessage::user("b"),
        ];
        let said = merge(messages);
        let Some(Content::Parts(kept)) = &said[0].content else {
            panic!("the parts are gone");
        };
        assert!(Arc::ptr_eq(kept, &parts));
        let Some(Content::Parts(both)) = &said[1].content else {
            panic!("nothing was merged");
        };
        assert!(Arc::ptr_eq(both[0].text.as_ref().unwrap(), &text));
    }

    #[test]
    fn merging_again_changes_nothing() {
        let once = merge(vec![ChatMessage::user("a"), ChatMessage::user("b")]);
        assert_eq!(merge(once.clone()), once);
        assert_eq!(merge(Vec::new()), []);
    }
}
