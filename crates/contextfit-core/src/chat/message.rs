use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Content, Extra};

/// One message of a chat.
///
/// ```
/// use contextfit_core::chat::ChatMessage;
///
/// let asks = ChatMessage::assistant("Let me look.").call("call_1", "read", r#"{"path":"a.rs"}"#);
/// let answer = ChatMessage::tool("call_1", "fn main() {}");
/// assert_eq!(answer.tool_call_id.as_deref(), Some(&*asks.tool_calls[0].id));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What is said; may be absent where tools are called.
    #[serde(default)]
    pub content: Option<Content>,
    /// The name of the speaker or, with a result, of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// The calls in a message of the assistant.
    #[serde(
        default,
        skip_serializing_if = "no_calls",
        deserialize_with = "null_is_default"
    )]
    pub tool_calls: Arc<[ToolCall]>,
    /// The call that a message of a tool answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<Arc<str>>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The roles of a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// Standing instructions.
    System,
    /// Standing instructions, for newer OpenAI models.
    Developer,
    /// The user.
    User,
    /// The model.
    Assistant,
    /// The result of a tool call.
    Tool,
    /// The result of a function call, in the way older than tools.
    Function,
}

/// A call of a tool: most often of a function.
///
/// ```
/// use contextfit_core::chat::ToolCall;
///
/// let call = r#"{"id":"c","type":"custom","custom":{"name":"shell","input":"ls"}}"#;
/// let call: ToolCall = serde_json::from_str(call)?;
/// assert_eq!((call.name(), call.arguments()), ("shell", "ls"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What the result answers to.
    pub id: Arc<str>,
    /// The function and its arguments, where it is one that is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<FunctionCall>,
    /// All other fields, `type` among them, and `custom` where a custom tool is called.
    #[serde(flatten)]
    pub extra: Extra,
}

/// A function and its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionCall {
    /// The function.
    pub name: Arc<str>,
    /// Its arguments, as JSON text.
    pub arguments: Arc<str>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ToolCall {
    /// The tool that is called; empty where it isn't known.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.function {
            Some(function) => &function.name,
            None => self.custom("name"),
        }
    }

    /// What the tool is called with: JSON text for a function, any text for a custom tool.
    #[must_use]
    pub fn arguments(&self) -> &str {
        match &self.function {
            Some(function) => &function.arguments,
            None => self.custom("input"),
        }
    }

    fn custom(&self, field: &str) -> &str {
        let custom = self.extra.get("custom");
        custom
            .and_then(|custom| custom.get(field)?.as_str())
            .unwrap_or_default()
    }
}

impl ChatMessage {
    fn new(role: ChatRole, content: impl Into<Content>) -> Self {
        Self {
            role,
            content: Some(content.into()),
            name: None,
            tool_calls: Arc::default(),
            tool_call_id: None,
            extra: Extra::new(),
        }
    }

    /// A system message.
    pub fn system(content: impl Into<Content>) -> Self {
        Self::new(ChatRole::System, content)
    }

    /// A message of the user.
    pub fn user(content: impl Into<Content>) -> Self {
        Self::new(ChatRole::User, content)
    }

    /// A message of the assistant.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self::new(ChatRole::Assistant, content)
    }

    /// The result of the tool call `id`.
    pub fn tool(id: impl Into<Arc<str>>, content: impl Into<Content>) -> Self {
        Self {
            tool_call_id: Some(id.into()),
            ..Self::new(ChatRole::Tool, content)
        }
    }

    /// Adds a tool call, `arguments` being JSON text.
    #[must_use]
    pub fn call(
        mut self,
        id: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        arguments: impl Into<Arc<str>>,
    ) -> Self {
        let call = ToolCall {
            id: id.into(),
            function: Some(FunctionCall {
                name: name.into(),
                arguments: arguments.into(),
                extra: Extra::new(),
            }),
            extra: [("type".to_owned(), "function".into())]
                .into_iter()
                .collect(),
        };
        self.tool_calls = self.tool_calls.iter().cloned().chain([call]).collect();
        self
    }

    /// All text of the message, its parts joined by line ends.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.content {
            Some(content) => content.text(),
            None => String::new(),
        }
    }
}

fn no_calls(calls: &Arc<[ToolCall]>) -> bool {
    calls.is_empty()
}

/// Some clients send `null` for a list that is empty.
fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
