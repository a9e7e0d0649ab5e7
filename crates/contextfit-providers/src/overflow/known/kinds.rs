//! What an overflow says in whatever words, and what says it vaguely.

use crate::overflow::Class::{InputAndOutputTooLong, InputTooLong};
use crate::overflow::template::Known;

/// In the order in which they are asked: what has more numbers comes before what has fewer.
pub(in crate::overflow) const KINDS: &[Known] = &[
    Known::kind(
        "total-exceeds-limit",
        InputAndOutputTooLong,
        r"(?:prompt|input|messages?)[^{}\d]{0,20}? (?:and|plus|\+)[^{}\d]{0,20}? (?:output|completion|max_tokens|max_new_tokens|generated|generation|response)[^{}\d]{0,30}?{requested}(?: tokens?)?\)?[^{}\d]{0,20}?{exceeds}[^{}\d]{0,60}?{limit}",
    )
    .total()
    .from("a kind: the sum, its limit behind it")
    .says("The total of input and output tokens (9300) exceeds the context window (8192)", [0, 0, 9_300, 8_192]),
    Known::kind(
        "input-exceeds-limit",
        InputTooLong,
        r"(?:prompt|input|context|request|messages?|conversation|history|query|text|tokens?|sequence|document)[^{}.\d]{0,40}?[(:= ]{input}(?: (?:input |prompt |total |context )?tokens?)?\)?[^{}\d]{0,60}?{exceeds}[^{}\d]{0,80}?(?:[ (:=\[]|<=){limit}",
    )
    .from("llama.cpp, llama-cpp-python, SGLang, Volcengine, GitHub Copilot: QwenLM/Qwen3#1321, langgenius/dify#32221, microsoft/vscode#293419, fedora-copr/logdetective-website#193")
    .says("The input (50709 tokens) is longer than the model's context length (40960 tokens).", [50_709, 0, 0, 40_960]),
    Known::kind(
        "input-too-long-limit",
        InputTooLong,
        r"(?:prompt|input|context|request|messages?|conversation|sequence)[^{}.\d]{0,40}?{input}(?: (?:input |prompt |total )?tokens?)?\)?[^{}\d]{0,30}?too (?:long|large)[^{}\d]{0,60}?(?:max|limit|only|supports?|context|window|allowed)[^{}\d]{0,30}?{limit}",
    )
    .from("vLLM: vllm-project/vllm#10440")
    .says("scheduler.py:648] Input prompt (9170 tokens) is too long and exceeds limit of 8192", [9_170, 0, 0, 8_192]),
    Known::kind(
        "tokens-exceed-limit",
        InputTooLong,
        r"{input} (?:input |prompt |total |context )?tokens?\)?[^{}\d]{0,60}?{exceeds}[^{}\d]{0,80}?(?:[ (:=\[]|<=){limit}",
    )
    .from("Zed: zed-industries/zed#62362")
    .says("Context window exceeded: 131500 tokens exceeds the limit of 131072 tokens", [131_500, 0, 0, 131_072]),
    Known::kind(
        "too-long-paren",
        InputTooLong,
        r"(?:prompt|input|context|request)[^{}.\d]{0,20}?too (?:long|large)[^{}\d]{0,40}?{input}(?: tokens?)?[^{}\d]{0,20}?(?:max|limit|n_ctx|allowed|>|context)[^{}\d]{0,20}?{limit}",
    )
    .from("WasmEdge: second-state/WasmEdge-WASINN-examples#50")
    .says("[error] [WASI-NN] GGML backend: Error: prompt too long (1770 tokens, max 1532)", [1_770, 0, 0, 1_532]),
    Known::kind(
        "limit-then-input",
        InputTooLong,
        r"(?:(?:context|prompt|input|sequence|model|tokens?)[^{}\d]{0,50}?(?:max(?:imum)?|limit|only|up to|at most|allowed|supports?|less than|<=?)|(?:max(?:imum)?|limit|at most|only)[^{}\d]{0,30}?(?:tokens?|context|length|input|prompt))[^{}\d]{0,40}?{limit}(?: tokens?)?[^{}\d]{0,60}?(?:got|given|received?|contains?|has|have|was|were|requested|resulted in|provided|supplied|current(?: length)?(?: is)?|sent|passed|used|using|actual|but)[^{}\d]{0,40}?{input}(?: tokens|[^\d ]|$)",
    )
    .from("a kind: the limit first, what was sent behind it")
    .says("Your input is too long. Max input length is 4096 tokens, but you supplied 5200 tokens.", [5_200, 0, 0, 4_096]),
    Known::kind(
        "exceeds-window-limit",
        InputTooLong,
        r"{exceeds} {words}{window}(?: (?:size|length|limit|window|tokens?|allowed|of this model|for this model|of the model))*(?: ?\(| of| is|:|=| =)+ ?(?:only |up to )?(?:n_ctx ?= ?)?{limit}",
    )
    .from("a kind: only the limit is told")
    .says("the request exceeds the model's context window of 8192 tokens", [0, 0, 0, 8_192]),
    Known::kind(
        "exceeds-window",
        InputTooLong,
        r"{exceeds} {words}{window}|{exceeds} (?:the )?max_model_len",
    )
    .from("GPT4All, Ollama, oMLX: nomic-ai/gpt4all#664, nano-step/nano-brain#208")
    .says(r#"ollama: unexpected status 400: {"error":"the input length exceeds the context length"}"#, [0; 4]),
    Known::kind(
        "window-exceeded",
        InputTooLong,
        r"{window}(?: of [^ ]{1,40})?(?: limit| size| tokens?)? ?(?:(?:has been|have been|was|is|were|being|already) )*(?:exceeded|surpassed|overflow(?:ed)?|full\b)|context[ _](?:window|length|limit|size) (?:(?:has been|was|is) )?(?:reached|exhausted|hit)",
    )
    .from("a kind, in the passive")
    .says("Error: 400 - The context size has been exceeded.", [0; 4]),
    Known::kind(
        "input-exceeds-max",
        InputTooLong,
        r"(?:prompt|input|initial|context|conversation|messages?)(?: (?:token|text|length|size|count|tokens|sequence))*[^{}.\d]{0,30}?(?:exceeds?|exceeded|(?:is )?(?:longer|larger|greater) than) (?:the )?(?:(?:models?|maximum|max|allowed|configured|supported|input|total|sequence|token|number|of) )*(?:tokens?|length|limit|size)",
    )
    .from("LlamaIndex: run-llama/llama_index#9371")
    .says("ValueError: Initial token count exceeds token limit", [0; 4]),
    Known::kind(
        "does-not-fit",
        InputTooLong,
        r"(?:does not|doesnt|do not|dont|cannot|cant|wont|not) fit (?:in|into|inside|within) {words}{window}|too (?:long|large|big|many tokens) for {words}{window}|(?:out of|no (?:more )?room in|insufficient) {words}context(?:$|[^a-z])",
    )
    .from("a kind: the window is too small")
    .says("The prompt does not fit into the context window", [0; 4]),
    Known::kind(
        "chinese",
        InputTooLong,
        r"(?:输入|提示|上下文|对话|会话|消息|文本|请求|prompt|tokens?|inputs?).{0,60}?(?:{input}.{0,40}?)?(?:超过|超出|超长|过长|太长|大于)(?:了)?(?:.{0,80}?(?:最大|限制|上限|长度|上下文|窗口|不能超过).{0,40}?{limit})?",
    )
    .from("Zhipu, Baidu, DashScope, iFlytek: their own texts")
    .says("输入长度超过模型最大上下文长度 8192", [0, 0, 0, 8_192]),
    // What is said of something else too.
    Known::ambiguous("too-many-tokens", "too many (?:total |prompt )?tokens")
        .from("Cohere, Bedrock")
        .says("too many tokens", [0; 4]),
    Known::ambiguous("token-limit-exceeded", "token limit (?:is |was |has been )?exceeded|max(?:imum)? tokens of {limit} exceeded")
        .from("Snowflake, and others")
        .says("max tokens of 200000 exceeded", [0, 0, 0, 200_000]),
    Known::ambiguous("exceeds-limit-of", r"exceeds the limit of (?:{limit}|\d)")
        .from("GitHub Copilot")
        .says("the prompt's size exceeds the limit of 64000", [0, 0, 0, 64_000]),
    Known::ambiguous("request-too-large", "request_too_large")
        .from("Anthropic: bytes where it says so, and else anything")
        .says("API Error: request_too_large", [0; 4]),
    Known::broad("context-broad", "context[ _]length|context window|maximum context")
        .from("any: only the status says that it is an error of the request")
        .says("Please check the context length.", [0; 4]),
    Known::broad("input-broad", "input length|input is too long|(?:message|request|text)s? (?:is |are )?too long")
        .from("Bedrock, Amazon Q: only the status says that it is an error of the request")
        .says("ValidationException: The input is too long", [0; 4]),
];
