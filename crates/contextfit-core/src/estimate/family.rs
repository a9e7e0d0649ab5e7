/// Tokenizers that count alike: one table of weights, one answer, for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// OpenAI's `o200k_base` and `o200k_harmony`: GPT-4o and later.
    O200k,
    /// OpenAI's `cl100k_base`: GPT-4 and GPT-3.5.
    Cl100k,
    /// Llama 3 and later.
    Llama3,
    /// Qwen 2 and 3.
    Qwen,
    /// Gemma 3 and Gemini.
    Gemma,
    /// DeepSeek V3 and later.
    DeepSeek,
    /// Mistral's Tekken.
    Mistral,
    /// The one vocabulary that Anthropic published, of Claude 2. Later models publish none.
    Claude,
    /// Never below any of the others, within its headroom: for tokenizers nobody knows.
    Widest,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 9] = [
        Self::O200k,
        Self::Cl100k,
        Self::Llama3,
        Self::Qwen,
        Self::Gemma,
        Self::DeepSeek,
        Self::Mistral,
        Self::Claude,
        Self::Widest,
    ];

    /// A short name, such as `o200k`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Llama3 => "llama3",
            Self::Qwen => "qwen",
            Self::Gemma => "gemma",
            Self::DeepSeek => "deepseek",
            Self::Mistral => "mistral",
            Self::Claude => "claude",
            Self::Widest => "widest",
        }
    }

    /// The family of a [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}
