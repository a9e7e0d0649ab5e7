use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, ChatCompletionRequestMessage, CreateChatCompletionRequest,
};
use contextfit_core::request::{Conversation, Link, MessageRef, Piece, Role, Str};
use serde::Serialize;

use super::pieces::pieces;

/// A chat request of `async-openai`, seen as a conversation. Made by [`AsyncOpenAi`].
///
/// [`AsyncOpenAi`]: super::AsyncOpenAi
#[derive(Clone, Copy, Debug)]
pub struct ChatView<'a>(&'a CreateChatCompletionRequest);

impl<'a> ChatView<'a> {
    pub(super) const fn new(request: &'a CreateChatCompletionRequest) -> Self {
        Self(request)
    }
}

impl Conversation for ChatView<'_> {
    fn model(&self) -> Option<&str> {
        Some(self.0.model.as_str()).filter(|model| !model.is_empty())
    }

    fn len(&self) -> usize {
        self.0.messages.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        MessageRef::new(match &self.0.messages[index] {
            ChatCompletionRequestMessage::System(_) => Role::System,
            ChatCompletionRequestMessage::Developer(_) => Role::Developer,
            ChatCompletionRequestMessage::User(_) => Role::User,
            ChatCompletionRequestMessage::Assistant(_) => Role::Assistant,
            ChatCompletionRequestMessage::Tool(_) | ChatCompletionRequestMessage::Function(_) => {
                Role::Tool
            }
        })
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        match &self.0.messages[index] {
            ChatCompletionRequestMessage::Assistant(message) => {
                for call in message.tool_calls.iter().flatten() {
                    visit(Link::Calls(match call {
                        ChatCompletionMessageToolCalls::Function(call) => &call.id,
                        ChatCompletionMessageToolCalls::Custom(call) => &call.id,
                    }));
                }
            }
            ChatCompletionRequestMessage::Tool(message) => {
                visit(Link::Answers(&message.tool_call_id));
            }
            ChatCompletionRequestMessage::System(_)
            | ChatCompletionRequestMessage::Developer(_)
            | ChatCompletionRequestMessage::User(_)
            | ChatCompletionRequestMessage::Function(_) => {}
        }
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        pieces(&self.0.messages[index], |_, piece| visit(piece));
    }

    #[expect(deprecated, reason = "whoever sends functions pays for them")]
    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        for tool in self.0.tools.iter().flatten() {
            schema(tool, visit);
        }
        for function in self.0.functions.iter().flatten() {
            schema(function, visit);
        }
        if let Some(format) = &self.0.response_format {
            schema(format, visit);
        }
    }

    #[expect(
        deprecated,
        reason = "servers that aren't OpenAI's know no other field"
    )]
    fn max_output_tokens(&self) -> Option<u32> {
        self.0.max_completion_tokens.or(self.0.max_tokens)
    }
}

/// Shows a schema as the JSON that will be sent. What can't be written can't be sent either.
fn schema(schema: &impl Serialize, visit: &mut dyn FnMut(Piece<'_>)) {
    let json = serde_json::to_string(schema).unwrap_or_default();
    visit(Piece::Schema(Str::plain(&json)));
}
