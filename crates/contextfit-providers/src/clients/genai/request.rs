use contextfit_core::request::{Conversation, Link, MessageRef, Piece, Role, Str};
use genai::ModelSpec;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ChatRole, ContentPart,
};
use serde::Serialize;

use super::pieces::pieces;

/// A chat of `genai`, with the model that is asked and the options of the call.
///
/// ```
/// use contextfit_core::request::Conversation;
/// use contextfit_providers::clients::genai::GenaiRequest;
/// use contextfit_providers::clients::genai::genai::chat::{ChatOptions, ChatRequest};
///
/// let request = GenaiRequest::new("openai::a-model", ChatRequest::from_user("Which port?"))
///     .options(ChatOptions::default().with_max_tokens(1_000));
/// assert_eq!(request.model(), Some("a-model"));
/// assert_eq!(request.max_output_tokens(), Some(1_000));
/// ```
#[derive(Clone, Debug)]
pub struct GenaiRequest {
    /// The model that is asked.
    pub model: ModelSpec,
    /// The conversation, with its tools.
    pub chat: ChatRequest,
    /// How it is to be answered.
    pub options: Option<ChatOptions>,
}

impl GenaiRequest {
    /// A chat with a model, without options.
    #[must_use]
    pub fn new(model: impl Into<ModelSpec>, chat: ChatRequest) -> Self {
        Self {
            model: model.into(),
            chat,
            options: None,
        }
    }

    /// Sets the options of the call.
    #[must_use]
    pub fn options(mut self, options: ChatOptions) -> Self {
        self.options = Some(options);
        self
    }
}

impl Conversation for GenaiRequest {
    /// The model without what says whose it is: `gpt-4o` of `openai::gpt-4o`.
    fn model(&self) -> Option<&str> {
        let name = match &self.model {
            ModelSpec::Name(name) => name,
            ModelSpec::Iden(model) => &model.model_name,
            ModelSpec::Target(target) => &target.model.model_name,
        };
        let (_, name) = name.namespace_and_name();
        Some(name).filter(|name| !name.is_empty())
    }

    fn len(&self) -> usize {
        self.chat.messages.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        let message = &self.chat.messages[index];
        MessageRef::new(match message.role {
            ChatRole::System => Role::System,
            ChatRole::User if holds_only_results(message) => Role::Tool,
            ChatRole::User => Role::User,
            ChatRole::Assistant => Role::Assistant,
            ChatRole::Tool => Role::Tool,
        })
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        for part in &self.chat.messages[index].content {
            match part {
                ContentPart::ToolCall(call) => visit(Link::Calls(&call.call_id)),
                ContentPart::ToolResponse(result) => visit(Link::Answers(&result.call_id)),
                _ => {}
            }
        }
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        pieces(&self.chat.messages[index], |_, piece| visit(piece));
    }

    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        if let Some(system) = &self.chat.system {
            visit(Piece::Text(Str::plain(system)));
        }
        for tool in self.chat.tools.iter().flatten() {
            schema(tool, visit);
        }
        let options = self.options.as_ref();
        if let Some(ChatResponseFormat::JsonSpec(spec)) =
            options.and_then(|options| options.response_format.as_ref())
        {
            schema(spec, visit);
        }
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.options.as_ref()?.max_tokens
    }
}

/// Whether a message of the user is nothing but results of tools.
fn holds_only_results(message: &ChatMessage) -> bool {
    let mut parts = message.content.iter();
    !message.content.is_empty() && parts.all(|part| matches!(part, ContentPart::ToolResponse(_)))
}

/// Shows a schema as JSON. What can't be written can't be sent either.
fn schema(schema: &impl Serialize, visit: &mut dyn FnMut(Piece<'_>)) {
    let json = serde_json::to_string(schema).unwrap_or_default();
    visit(Piece::Schema(Str::plain(&json)));
}
