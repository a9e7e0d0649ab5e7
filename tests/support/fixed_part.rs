use contextfit_core::chat::{ChatMessage, ChatRequest};
use serde_json::value::RawValue;

use super::text;

/// Where the fixed part of a request may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedPart {
    /// A system message.
    System,
    /// A system message, and one of the developer in the middle of the conversation.
    Messages,
    /// Sixty tools.
    Tools,
    /// Sixty functions, in the way older than tools.
    Functions,
    /// The schema of the response.
    Schema,
    /// A part of each.
    Mixed,
}

impl FixedPart {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::System,
        Self::Messages,
        Self::Tools,
        Self::Functions,
        Self::Schema,
        Self::Mixed,
    ];

    /// Adds so many tokens to the fixed part of a request, as the default estimator counts. They
    /// are 2 000 or more.
    pub fn add(self, request: &mut ChatRequest, tokens: usize) {
        match self {
            Self::System => {
                let message = ChatMessage::system(text("Obey.", tokens));
                request.messages.insert(0, message);
            }
            Self::Messages => {
                Self::System.add(request, tokens / 2);
                let mut message = ChatMessage::system(text("And obey.", tokens - tokens / 2));
                message.role = contextfit_core::chat::ChatRole::Developer;
                let middle = request.messages.len() / 2;
                request.messages.insert(middle, message);
            }
            Self::Tools => request.tools = Some(sixty(tokens)),
            Self::Functions => request.functions = Some(sixty(tokens)),
            Self::Schema => request.response_format = Some(schema(tokens * 4).into()),
            Self::Mixed => {
                let part = tokens / 4;
                Self::System.add(request, tokens - 3 * part);
                Self::Tools.add(request, part);
                Self::Functions.add(request, part);
                Self::Schema.add(request, part);
            }
        }
    }
}

/// Sixty schemas that have so many tokens together.
fn sixty(tokens: usize) -> std::sync::Arc<[Box<RawValue>]> {
    let chars = tokens * 4;
    let share = chars / 60;
    (0..60)
        .map(|number| {
            schema(if number == 0 {
                chars - 59 * share
            } else {
                share
            })
        })
        .collect()
}

/// A schema of so many characters.
///
/// # Panics
///
/// They are too few.
fn schema(chars: usize) -> Box<RawValue> {
    let frame = r#"{"name":"read","description":""}"#;
    let rest = chars.checked_sub(frame.len()).expect("more characters");
    let description = "so on ".chars().cycle().take(rest).collect::<String>();
    let json = frame.replace(r#":"""#, &format!(":\"{description}\""));
    RawValue::from_string(json).expect("JSON")
}
