//! What providers are known to say. Each text is a pattern as [`pattern`](super::pattern) reads
//! it, in any case and anywhere in a text.

/// Of a text with one of these, nothing else counts.
pub(super) const EXCLUSIONS: &[&str] = &[
    // Too many requests, or too many tokens in a while.
    "throttling",
    "service unavailable",
    "rate[ _]limit",
    "too many requests",
    "per (second|min|minute|hour|day|month)",
    "please wait",
    // Too many bytes: shorter messages don't help where images are what is large.
    "request exceeds the maximum (size|allowed number of bytes)",
    r"exceeds the limit of [\d.,]+[ -]?(bytes?|[kmg]i?b|(kilo|mega|giga)bytes?)\b",
    // Too much of something else, where fewer messages don't help either: of output, of images.
    r"max(_(completion|output|new))?_tokens( \(?[\d,]+\)?)? exceeds the limit of \d",
    r"number of (files|images|pages|stop sequences|tools)\b.{0,40} exceeds the limit of \d",
    r"exceeds the limit of [\d,]+ (credits|files|images|output tokens|pages|tools)",
    // A quota that is used up.
    "(daily|weekly|monthly) token limit",
    "tokens today",
];

/// Only an overflow has these.
pub(super) const PHRASES: &[&str] = &[
    // The context: OpenAI and the many that speak like it, MiniMax, Mistral, llama.cpp, LM Studio.
    "exceed(s|ed|ing)? (the |this )?(model'?s? |available |max(imum)? )*context[ _]?(window|length|size|limit)",
    r"context[ _]?(window|length|size|limit)[ _]?((has been|was|is) )?(exceeded|full\b)",
    "context window exceeds limit",
    "context[ _]?overflow",
    "exceed_context_size",
    r"maximum (context|prompt) length (is|of) \d",
    r"too large for model with [\d,]+ maximum context length",
    "(longer|greater) than the (model'?s )?context length",
    r"loaded with context length of only \d",
    "but the configured context size is",
    // The prompt: Anthropic, AWS Bedrock, Z.ai, DashScope, Moonshot, vLLM, SGLang.
    "(prompt|context)[ _](is[ _])?too[ _](long|large)",
    r"(prompt|input) \([^)]{1,40}\) is too (long|large)",
    "input is too long for requested model",
    "input token length (is )?too long",
    r"(prompt|input)( length)?( of)?( \([^)]{1,40}\)| \d+)? (exceeds|is longer than) (the )?max(imum)?( allowed| model| input| sequence| token)* (length|limit)",
    "exceeds (the )?maximum allowed input length",
    "exceeds the max_model_len",
    "range of input length should be",
    "reduce the length of the messages",
    "request_too_large",
    // Its tokens: Gemini, Cohere, GitHub Copilot, Moonshot, Snowflake.
    "too many (input )?tokens",
    "token limit exceeded",
    "exceeded model token limit",
    "input token count.*exceeds the maximum",
    r"input token count is \d+ but (the )?model only supports",
    r"(input|initial) (token count|tokens) exceeds? (the )?((model|configured) )?(token )?limit",
    "tokens in request more than max tokens allowed",
    r"exceeds the limit of \d",
    r"max tokens of \d+ exceeded",
    "max_prompt_tokens_exceeded",
    // What is left of the window for it: text-generation-inference, vLLM.
    r"inputs.{0,6} tokens \+ .{0,6}max_new_tokens.{0,6} must be",
    r"inputs.{0,6} must have less than \d+ tokens",
    r"max_tokens must be at least 1, got -\d",
    // A text that is too long by itself. Of a name or an id the same words say something else.
    r"'((messages|input)\[\d+\]\.content(\[\d+\]\.text)?|input)': string too long",
    // Cerebras, which says no more than this.
    r"413 status code \(no body\)",
];

/// The statuses with which a broad phrase says that a request is too long.
pub(super) const BROAD_STATUSES: [u16; 2] = [400, 413];

/// An overflow has these, and other errors of other statuses have them too.
pub(super) const BROAD_PHRASES: &[&str] = &[
    "context length",
    "context_length",
    "context window",
    "maximum context",
    "input length",
    "input is too long",
];
