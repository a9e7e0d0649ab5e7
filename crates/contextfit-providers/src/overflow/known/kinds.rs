//! What an overflow says in whatever words, and what says it vaguely.

use crate::overflow::Class::{InputAndOutputTooLong, InputTooLong};
use crate::overflow::template::Known;

/// In the order in which they are asked: what has more numbers comes before what has fewer.
pub(in crate::overflow) const KINDS: &[Known] = &[
    Known::kind(
        "total-exceeds-limit",
        InputAndOutputTooLong,
        r"(?:prompt|input|(?:your |user |the )message|messages)[^{}\d]{0,20}? (?:and|plus|\+)[^{}\d]{0,20}? (?:output|completion|max_tokens|max_new_tokens|generated|generation|response)[^{}\d]{0,30}?{requested}(?: tokens?)?\)?[^{}\d]{0,20}?{exceeds}[^{}\d]{0,60}?{limit}",
    )
    .total()
    .from("a kind: the sum, its limit behind it")
    .says("The total of input and output tokens (9300) exceeds the context window (8192)", [0, 0, 9_300, 8_192]),
    Known::kind(
        "input-and-output-limit",
        InputAndOutputTooLong,
        r"{input} (?:input|prompt) tokens[^{}\d]{0,20}?{output} (?:output|completion|new) tokens[^{}\d]{0,60}?(?:limit|max|exceed|>|window)[^{}\d]{0,30}?{limit}",
    )
    .total()
    .from("a kind: both named, and the limit behind them")
    .says("This request has 8000 input tokens and 500 output tokens; the limit is 8192", [8_000, 500, 8_500, 8_192]),
    Known::kind(
        "used-of-limit",
        InputTooLong,
        r"(?:exceeded (?:the )?(?:context|prompt|input|token)|(?:context|prompt|input|token)[^{}]{0,40}?exceeded)[^{}\d]{0,30}?{input} ?(?:of|/|out of) ?{limit} tokens",
    )
    .total()
    .from("a kind: a share of the window")
    .says("Request exceeded context window: context exceeded, used 9000 of 8192 tokens", [9_000, 0, 0, 8_192]),
    Known::kind(
        "input-exceeds-limit",
        InputTooLong,
        r"(?:prompt|input|context|request|(?:your |user |the )message|messages|conversation|history|query|text|tokens?|sequence|document)[^{}.:\d]{0,40}?(?: ?[(:=] ?| ){input}(?: (?:input |prompt |total |context )?tokens?)?\)?[^{}\d]{0,60}?{exceeds}[^{}\d]{0,80}?(?:[ (:=\[]|<=){limit}",
    )
    .from("llama.cpp, llama-cpp-python, SGLang, Volcengine, GitHub Copilot: QwenLM/Qwen3#1321, langgenius/dify#32221, microsoft/vscode#293419, fedora-copr/logdetective-website#193")
    .says("The input (50709 tokens) is longer than the model's context length (40960 tokens).", [50_709, 0, 0, 40_960]),
    Known::kind(
        "input-too-long-limit",
        InputTooLong,
        r"(?:prompt|input|context|request|(?:your |user |the )message|messages|conversation|sequence)[^{}.\d]{0,40}?{input}(?: (?:input |prompt |total )?tokens?)?\)?[^{}\d]{0,30}?too (?:long|large)[^{}\d]{0,60}?(?:max|limit|only|supports?|context|window|allowed)[^{}\d]{0,30}?{limit}",
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
        "too-long-tokens-limit",
        InputTooLong,
        r"(?:prompt|input|context|history|conversation|(?:your |user |the )message|messages|request|tokens?)[^{}\d]{0,40}?(?:too (?:long|large|big|many)|exceed(?:s|ed|ing)?|over)[^{}\d]{0,60}?{input}(?: [a-z]{1,10})?(?: tokens?)?[^{}\d]{0,40}?(?:max(?:imum)?|limit|n_ctx|allowed|>|context|window)[^{}\d]{0,30}?{limit}",
    )
    .from("a kind: what is wrong first, then the numbers")
    .says("Chat history too long for model: 9900 tokens (limit 8192)", [9_900, 0, 0, 8_192]),
    Known::kind(
        "too-many-then-limit",
        InputTooLong,
        r"too many (?:[a-z]{1,10} )?tokens[^{}\d]{0,40}?{input}[^{}\d]{0,40}?(?:max(?:imum)?|limit|allowed|>)[^{}\d]{0,30}?{limit}",
    )
    .from("a kind: what is wrong first, then the numbers")
    .says("The text you sent has too many tokens: 9000. The maximum is 8192.", [9_000, 0, 0, 8_192]),
    Known::kind(
        "tokens-but-limit",
        InputTooLong,
        r"{input} (?:input |prompt |context )?tokens?[,;.]? (?:but|while|and|however)[^{}\d]{0,60}?(?:allows?|supports?|accepts?|max(?:imum)?|limit|handles?|takes?|only|at most)[^{}\d]{0,40}?{limit}",
    )
    .from("a kind: no verb says that it is too long")
    .says("This prompt contains 40.112 tokens, but the model allows at most 32.768 tokens.", [40_112, 0, 0, 32_768]),
    Known::kind(
        "requested-max",
        InputTooLong,
        r"requested {requested} tokens[^{}\d]{0,20}?(?:max(?:imum)?|limit|only)[^{}\d]{0,30}?{limit}",
    )
    .total()
    .from("OpenAI, of embeddings: a sum over all inputs")
    .says("Requested 310113 tokens, max 300000 tokens per request", [0, 0, 310_113, 300_000]),
    Known::kind(
        "limit-then-input",
        InputTooLong,
        r"(?:context (?:window|length|size|limit)|(?:context|prompt|input|sequence|model|tokens?)[^{}\d]{0,50}?(?:max(?:imum)?|limit|only|up to|at most|allowed|supports?|less than|<=?)|(?:max(?:imum)?|limit|at most|only)[^{}\d]{0,30}?(?:tokens?|context|length|input|prompt))[^{}\d]{0,40}?{limit}(?: tokens?)?[^{}\d]{0,60}?(?:got|given|received?|contain(?:s|ed)?|has|have|had|was|were|is|requested|resulted in|provided|supplied|current(?: length)?(?: is)?|sent|passed|used|using|actual|your|but)[^{}\d]{0,40}?{input}(?: tokens|[^\d ]|$)",
    )
    .from("a kind: the limit first, what was sent behind it")
    .says("Your input is too long. Max input length is 4096 tokens, but you supplied 5200 tokens.", [5_200, 0, 0, 4_096]),
    Known::kind(
        "window-of-exceeded",
        InputTooLong,
        r"{window} (?:of|\() ?{limit}(?: tokens?)?\)? (?:was |is |has been )?exceeded(?:[^{}\d]{0,30}?{input})?",
    )
    .total()
    .from("a kind, in the passive")
    .says("Context window of 8192 tokens exceeded (prompt: 9300 tokens)", [9_300, 0, 0, 8_192]),
    Known::kind(
        "must-be-at-most",
        InputTooLong,
        r"(?:prompt|inputs?|context|(?:your |user |the )message|messages|request)[^{}.:\d]{0,30}?(?:cannot|can not|must not|may not|should not|must|should|has to|have to)(?: be| have)? (?:longer than|larger than|exceed|more than|at most|less than|no longer than|no more than|fewer than|up to|within|below|under|<=?)[^{}\d]{0,20}?{limit} tokens",
    )
    .from("a kind: a rule, and no number of what broke it")
    .says("Model input cannot be longer than 8192 tokens", [0, 0, 0, 8_192]),
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
        r"(?:prompt|input|initial|context|conversation|(?:your |user |the )message|messages)(?: (?:token|text|length|size|count|tokens|sequence))*[^{}.:\d]{0,30}?(?:exceeds?|exceeded|(?:is )?(?:longer|larger|greater) than) (?:the )?(?:(?:models?|maximum|max|allowed|configured|supported|input|total|sequence|token|number|of) )*(?:tokens?|length|limit|size)",
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
        "shorten",
        InputTooLong,
        r"(?:shorten|reduce|trim|compact|truncate) (?:the |your )(?:prompt|input|messages|conversation|context|chat history)",
    )
    .from("a kind: the remedy alone")
    .says("Please shorten your prompt or start a new conversation", [0; 4]),
    Known::kind(
        "chinese-input-then-limit",
        InputTooLong,
        r"{input} ?(?:个)? ?tokens?.{0,30}?(?:超过|超出|大于).{0,60}?{limit}",
    )
    .from("Chinese gateways")
    .says("您的输入过长：本次请求 12000 tokens，超过模型上限 8192 tokens", [12_000, 0, 0, 8_192]),
    Known::kind(
        "chinese-limit-then-input",
        InputTooLong,
        r"(?:最大|上限|限制|不能超过|不得超过|不超过).{0,40}?{limit}.{0,60}?(?:请求|输入|实际|当前|共计|总计|使用).{0,30}?{input}",
    )
    .from("Chinese gateways: the limit first")
    .says("该模型最大上下文长度为 16384 个 token，您请求了 20112 个 token", [20_112, 0, 0, 16_384]),
    Known::kind(
        "chinese-input-and-max",
        InputTooLong,
        r"(?:超过|超出|超长|超限|过长|太长|大于).{0,80}?(?:输入|当前|实际|请求|用量)[^\d]{0,16}{input}[^\d]{0,40}?(?:最大|上限|限制|最多)[^\d]{0,16}{limit}",
    )
    .from("a kind: what was sent, and the limit behind it")
    .says("请求的tokens数量超过了模型的上下文长度限制: 输入 41000, 最大 40960", [41_000, 0, 0, 40_960]),
    Known::kind(
        "chinese",
        InputTooLong,
        r"(?:输入|提示|上下文|对话|会话|消息|文本|请求|prompt|tokens?|inputs?).{0,60}?(?:{input}.{0,40}?)?(?:超过|超出|超长|超限|过长|太长|大于)(?:了)?(?:.{0,80}?(?:最大|限制|上限|长度|上下文|窗口|不能超过).{0,40}?{limit})?",
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
