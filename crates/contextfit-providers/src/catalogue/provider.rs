/// Who made a model. Others may serve it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI, with its open weights.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google, with Gemma.
    Google,
    /// Meta, with Llama.
    Meta,
    /// Mistral AI.
    Mistral,
    /// DeepSeek.
    DeepSeek,
    /// Alibaba's Qwen.
    Qwen,
    /// xAI, with Grok.
    XAi,
    /// Cohere.
    Cohere,
    /// Moonshot AI, with Kimi.
    Moonshot,
    /// Z.ai, with GLM.
    Zai,
    /// MiniMax.
    MiniMax,
    /// Amazon, with Nova.
    Amazon,
    /// Microsoft, with Phi.
    Microsoft,
}

impl Provider {
    /// All providers.
    pub const ALL: [Self; 14] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Google,
        Self::Meta,
        Self::Mistral,
        Self::DeepSeek,
        Self::Qwen,
        Self::XAi,
        Self::Cohere,
        Self::Moonshot,
        Self::Zai,
        Self::MiniMax,
        Self::Amazon,
        Self::Microsoft,
    ];

    /// A short name, such as `openai`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::Meta => "meta",
            Self::Mistral => "mistral",
            Self::DeepSeek => "deepseek",
            Self::Qwen => "qwen",
            Self::XAi => "xai",
            Self::Cohere => "cohere",
            Self::Moonshot => "moonshot",
            Self::Zai => "zai",
            Self::MiniMax => "minimax",
            Self::Amazon => "amazon",
            Self::Microsoft => "microsoft",
        }
    }

    /// The provider of a [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
