//! What a request cost, read from the JSON of its response.
//!
//! Each provider has names of its own for the same numbers, and no name means two things. So the
//! names decide, and no format has to be told: OpenAI's Chat Completions and Responses and all that
//! speak like them, Anthropic's Messages, Gemini, Bedrock's Converse, Ollama.
//!
//! [`JsonUsage`] reads a whole body; [`ResponseUsage`] gathers from the events of a stream.
//!
//! ```
//! use contextfit_providers::usage::JsonUsage;
//! use contextfit_tower::{Stop, Usage, UsageReader};
//!
//! let body = r#"{"stop_reason":"max_tokens","usage":{"input_tokens":9,"cache_read_input_tokens":24,"output_tokens":15}}"#;
//! let usage = Usage::new(33, 15).cached(24).stop(Some(Stop::Length));
//! assert_eq!(JsonUsage.usage(&body), Some(usage));
//! ```

mod json_usage;
mod response_usage;
mod stop;

pub use self::json_usage::JsonUsage;
pub use self::response_usage::ResponseUsage;
pub use self::stop::stop_by_name;
