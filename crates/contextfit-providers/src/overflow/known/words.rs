//! What providers say of an overflow, word by word.

use crate::overflow::Class::{InputAndOutputTooLong, InputTooLong};
use crate::overflow::template::Known;

/// In the order in which they are asked: what has more numbers comes before what has fewer.
pub(in crate::overflow) const WORDS: &[Known] = &[
    // OpenAI, and the many that speak like it.
    Known::words(
        "context-requested-split",
        InputAndOutputTooLong,
        r"max(?:imum)? context (?:length|window|size)[^{}\d]{0,60}?{limit}(?: tokens?)?[^{}\d]{0,60}?requested (?:about |up to |at least |a total of )?{requested} tokens? ?\((?:at least )?{input} (?:tokens? )?(?:in|of|from) (?:the |your )?(?:messages|prompt|text input|input)[^()]{0,120}?{output} (?:tokens? )?(?:in|for|from) (?:the |your )?(?:completion|output)",
    )
    .total()
    .from("OpenAI, Azure, DeepSeek, vLLM, OpenRouter, llama-cpp-python: Chanzhaoyu/chatgpt-web#354, musistudio/claude-code-router#252")
    .says(
        "This model's maximum context length is 16385 tokens. However, you requested 17020 tokens (13020 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
        [13_020, 4_000, 17_020, 16_385],
    ),
    Known::words(
        "context-requested-output-and-input",
        InputAndOutputTooLong,
        r"max(?:imum)? context (?:length|window|size)[^{}\d]{0,60}?{limit}(?: tokens?)?[^{}\d]{0,60}?requested {output} (?:output|completion) tokens and your (?:prompt|request|input) (?:contains|has) (?:at least )?{input} input tokens(?:, for a total of (?:at least )?{requested})?",
    )
    .total()
    .from("vLLM: AIDotNet/OpenCowork#82")
    .says(
        "This model's maximum context length is 40960 tokens. However, you requested 32000 output tokens and your prompt contains at least 8961 input tokens, for a total of at least 40961 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=8961)",
        [8_961, 32_000, 40_961, 40_960],
    ),
    Known::words(
        "context-output-too-large",
        InputAndOutputTooLong,
        r"is too large: ?{output}\.? this models max(?:imum)? context length is {limit} tokens and your request has {input} input tokens",
    )
    .total()
    .from("vLLM: its own code")
    .says(
        "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 10000 tokens and your request has 1500 input tokens (9000 > 10000 - 1500).",
        [1_500, 9_000, 10_500, 10_000],
    ),
    Known::words(
        "context-passed",
        InputAndOutputTooLong,
        r"you passed {input} input tokens and requested {output} output tokens\. however, the models context length is only {limit}",
    )
    .total()
    .from("vLLM: its own code")
    .says(
        "You passed 3000 input tokens and requested 1500 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 2596 tokens. Please reduce the length of the input prompt.",
        [3_000, 1_500, 4_500, 4_096],
    ),
    Known::words(
        "context-resulted",
        InputTooLong,
        r"max(?:imum)? context (?:length|window|size)[^{}\d]{0,60}?{limit}(?: tokens?)?[^{}\d]{0,40}?(?:messages?|prompt|input|request|conversation|text)[^{}\d]{0,30}?(?:resulted in|contains?|has|have|is|consists? of|uses?) (?:about |at least |a total of )?{input}(?: input| prompt)? tokens?",
    )
    .total()
    .from("OpenAI, Azure, NVIDIA NIM, vLLM: ChatGPTNextWeb/NextChat#625, microsoft/kernel-memory#516")
    .says(
        r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
        [130_512, 0, 0, 128_000],
    ),
    Known::words(
        "context-total-split",
        InputAndOutputTooLong,
        r"max(?:imum)? context length of {limit} tokens\. you requested a total of {requested} tokens: {input} tokens from the input[^{}\d]{0,20}? and {output} tokens for the completion",
    )
    .total()
    .from("SGLang: RooCodeInc/Roo-Code#3963")
    .says(
        "Requested token count exceeds the model's maximum context length of 65536 tokens. You requested a total of 70001 tokens: 50001 tokens from the input messages and 20000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
        [50_001, 20_000, 70_001, 65_536],
    ),
    Known::words(
        "context-will-take",
        InputAndOutputTooLong,
        r"max(?:imum)? context (?:length|window|size)(?: of [^ ]{1,80})? (?:is|of) {limit}[^{}\d]{0,80}?(?:take|require|need|use|requested)s?(?: about| up to| at least| a total of)? {requested}(?: tokens?)?",
    )
    .total()
    .from("SambaNova, OpenAI: OpenHands/OpenHands#9252")
    .says(
        "SambanovaException - The maximum context length of Meta-Llama-3.3-70B-Instruct is 16384. However, answering your request will take 18001 tokens. Please reduce the length of the messages or the specified max_completion_tokens value.",
        [0, 0, 18_001, 16_384],
    ),
    Known::words(
        "configured-limit",
        InputTooLong,
        "input tokens exceed the configured limit of {limit} tokens(?:[^{}\\d]{0,20}?messages resulted in {input})?",
    )
    .from("OpenAI: cline/cline#5474")
    .says(
        "400 Input tokens exceed the configured limit of 922000 tokens. Your messages resulted in 931177 tokens. Please reduce the length of the messages.",
        [931_177, 0, 0, 922_000],
    ),
    // Anthropic.
    Known::words(
        "prompt-too-long",
        InputTooLong,
        "(?:prompt|input|context)(?: is)? too (?:long|large) ?[:(-] ?{input}(?: tokens?)? ?(?:>|,? max(?:imum)?|exceeds|is (?:more|greater|larger) than)[^{}\\d]{0,60}?{limit}",
    )
    .from("Anthropic, Fireworks, omlx: earendil-works/pi#102, fw-ai/cookbook#134, jundot/omlx#26")
    .says(
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"},"request_id":"req_1"}"#,
        [213_462, 0, 0, 200_000],
    ),
    Known::words(
        "input-plus-output",
        InputAndOutputTooLong,
        r"exceeds? (?:the )?(?:models? )?(?:max(?:imum)? )?context (?:limit|window|length|size): ?{input} ?\+ ?{output} ?> ?{limit}",
    )
    .total()
    .from("Anthropic: continuedev/continue#6080")
    .says(
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
        [188_240, 21_333, 209_573, 200_000],
    ),
    Known::words(
        "sum-of-names",
        InputAndOutputTooLong,
        r"(?:prompt|input|inputs|messages?)(?:[ _](?:length|tokens?|size|len))? ?\({input}(?: tokens?)?\)(?:, [a-z_ ]{1,24}\(\d+\))? ?(?:\+|and|plus|,)[^{}\d]{0,40}?\({output}(?: tokens?)?\)[^{}\d]{0,30}?(?:exceed|must be|should (?:not exceed|be)|cannot exceed|is (?:greater|larger|more) than|>)[^{}\d]{0,60}?{limit}",
    )
    .total()
    .from("TensorRT-LLM, watsonx, Aleph Alpha: their own code")
    .says(
        "The sum of prompt length (7900.0) and max_tokens (500) should not exceed max_num_tokens (8192)",
        [7_900, 500, 8_400, 8_192],
    ),
    Known::words(
        "sum-of-counts",
        InputAndOutputTooLong,
        r"{input} (?:input |prompt )?tokens? ?\+ ?{output} (?:new |output |completion |max_tokens|max_new_tokens)[^{}\d]{0,30}?(?:>|exceeds?|must be <=)[^{}\d]{0,50}?{limit}",
    )
    .total()
    .from("various servers: a sum with its terms named")
    .says(
        "7000 prompt tokens + 2000 output tokens > 8192",
        [7_000, 2_000, 9_000, 8_192],
    ),
    // text-generation-inference, and what came of it.
    Known::words(
        "tgi-sum",
        InputAndOutputTooLong,
        r"inputs tokens \+ max_new_tokens must be <= ?{limit}(?:\. given: {input} inputs tokens and {output} max_new_tokens)?",
    )
    .total()
    .from("text-generation-inference, Together: huggingface/llm-vscode#94")
    .says(
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 7700 `inputs` tokens and 1000 `max_new_tokens`",
        [7_700, 1_000, 8_700, 8_193],
    ),
    Known::words(
        "tgi-input",
        InputTooLong,
        r"inputs must have less than {limit} tokens\. given: {input}",
    )
    .from("text-generation-inference: h2oai/h2ogpt#373")
    .says("Input validation error: `inputs` must have less than 4096 tokens. Given: 5001", [5_001, 0, 0, 4_096]),
    Known::words(
        "no-room-for-output",
        InputTooLong,
        r"max_(?:completion_)?tokens must be at least 1, got -\d",
    )
    .from("vLLM: vllm-project/vllm#4667")
    .says("{'object': 'error', 'message': 'max_tokens must be at least 1, got -9041.', 'type': 'BadRequestError', 'param': None, 'code': 400}", [0; 4]),
    // Gemini.
    Known::words(
        "input-token-count",
        InputTooLong,
        r"input token count (?:is |of )?\(?{input}\)?[^{}\d]{0,30}?(?:exceeds|but)[^{}\d]{0,60}?{limit}",
    )
    .from("Gemini, Vertex AI: google-gemini/gemini-cli#6678")
    .says("The input token count (1061317) exceeds the maximum number of tokens allowed (1048576).", [1_061_317, 0, 0, 1_048_576]),
    Known::words(
        "input-token-count-limit",
        InputTooLong,
        r"input token count(?: \(\d+\))?[^{}]{0,20}?exceeds the maximum(?: number of tokens allowed)?(?:[^{}\d]{0,12}?{limit})?",
    )
    .from("Vertex AI: warpdotdev/warp#15662")
    .says("Vertex AI API error: Error 400, Message: The input token count exceeds the maximum number of tokens allowed 32768., Status: INVALID_ARGUMENT, Details: []", [0, 0, 0, 32_768]),
    // xAI.
    Known::words(
        "prompt-length-but",
        InputTooLong,
        r"max(?:imum)? (?:prompt|input|context) length (?:is|of) {limit}(?: tokens)?[^{}\d]{0,20}?but (?:the|your) (?:request|prompt|input) (?:contains|has) {input}",
    )
    .from("xAI: its own text")
    .says("This model's maximum prompt length is 256000 but the request contains 301250 tokens.", [301_250, 0, 0, 256_000]),
    Known::words(
        "prompt-length-is",
        InputTooLong,
        r"max(?:imum)? prompt length (?:is|of) {limit}|max(?:imum)? input length (?:is|of) {limit_after} tokens",
    )
    .from("xAI: its own text")
    .says("maximum prompt length is 131072 tokens", [0, 0, 0, 131_072]),
    // Mistral, Cohere, Moonshot, DashScope.
    Known::words(
        "too-large-for-model",
        InputTooLong,
        r"(?:prompt contains {input} tokens[^{}]{0,40}?)?too large for model with {limit} maximum context length",
    )
    .total()
    .from("Mistral")
    .says("Prompt contains 140250 tokens and 0 draft tokens, too large for model with 131072 maximum context length", [140_250, 0, 0, 131_072]),
    Known::words(
        "prompt-and-prediction",
        InputAndOutputTooLong,
        r"number of tokens \(prompt and prediction\) cannot exceed {limit} ?(?:-|,)? ?received {requested}",
    )
    .total()
    .from("Cohere: cohere-ai/sandbox-topically#4")
    .says("CohereError: too many tokens: total number of tokens (prompt and prediction) cannot exceed 4096 - received 5121. Try using a shorter prompt or a smaller max_tokens value.", [0, 0, 5_121, 4_096]),
    Known::words(
        "tokens-in-prompt",
        InputTooLong,
        r"(?:total )?number of (?:input |prompt )?tokens(?: in (?:the |your )?(?:prompt|input|request))?(?: \(?{input}\)?)? (?:cannot|can not|must not|should not|may not) exceed[^{}\d]{0,40}?{limit}(?:[^{}\d]{0,20}?received {input_after})?",
    )
    .from("Cohere, watsonx: their own texts")
    .says("too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 6200. Try using a shorter prompt", [6_200, 0, 0, 4_081]),
    Known::words(
        "model-token-limit",
        InputTooLong,
        r"exceed(?:ed|s)? (?:the )?model token limit(?: ?: ?{limit}(?: ?\(re ?quested: ?{requested}\))?)?",
    )
    .total()
    .from("Moonshot: MoonshotAI/kimi-cli#2011")
    .says("Invalid request: Your request exceeded model token limit: 131072 (requested: 139030)", [0, 0, 139_030, 131_072]),
    Known::words(
        "range-of-input-length",
        InputTooLong,
        r"range of input length should be(?: ?\[ ?\d+ ?, ?{limit} ?\])?",
    )
    .from("DashScope: QwenLM/qwen-code#98")
    .says("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]", [0, 0, 0, 98_304]),
    // Servers.
    Known::words(
        "lm-studio-keep",
        InputTooLong,
        r"keep the first {input} tokens when context the overflows[^{}\d]{0,80}?context length of only {limit}",
    )
    .total()
    .from("LM Studio: lmstudio-ai/lmstudio-bug-tracker#546")
    .says("Trying to keep the first 9338 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.", [9_338, 0, 0, 4_096]),
    Known::words(
        "lm-studio-n-keep",
        InputTooLong,
        r"n_keep: ?{input} ?>= ?n_ctx: ?{limit}",
    )
    .total()
    .from("LM Studio: its own text")
    .says("The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 6004>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.", [6_004, 0, 0, 4_096]),
    Known::words(
        "mid-generation",
        InputTooLong,
        r"reached context length of {limit}(?: tokens)?",
    )
    .total()
    .from("LM Studio: its own text")
    .says("Reached context length of 4096 tokens with this model, but this model does not currently support mid-generation context overflow.", [0, 0, 0, 4_096]),
    Known::words(
        "total-length",
        InputTooLong,
        r"prompt \((?:total )?length {input}\) is (?:too long to fit into the model \(context length|longer than the maximum model length of) {limit}",
    )
    .total()
    .from("vLLM: its own code")
    .says("The decoder prompt (length 9120) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.", [9_120, 0, 0, 8_192]),
    Known::words(
        "prompt-tokens-equals",
        InputTooLong,
        r"exceeds max(?:imum)? input (?:sequence )?length \({limit}(?: tokens)?\): ?prompt_tokens ?= ?{input}",
    )
    .from("tt-vllm: tenstorrent/tt-inference-server#4277")
    .says("Prompt exceeds maximum input sequence length (65536 tokens): prompt_tokens=66001", [66_001, 0, 0, 65_536]),
    Known::words(
        "max-seq-len",
        InputTooLong,
        r"length of prompt_tokens \({input}\) must be less than max_seq_len \({limit}\)",
    )
    .total()
    .from("SiliconFlow: its own text")
    .says(r#"{"code":20015,"message":"length of prompt_tokens (41250) must be less than max_seq_len (32768).","data":null}"#, [41_250, 0, 0, 32_768]),
    Known::words(
        "estimated-input-and-output",
        InputAndOutputTooLong,
        r"number of input and maximum output tokens \({requested}\) exceeded this model context window limit \({limit}\)",
    )
    .total()
    .from("Cloudflare Workers AI: its own text")
    .says("AiError: The estimated number of input and maximum output tokens (9241) exceeded this model context window limit (8192).", [0, 0, 9_241, 8_192]),
    Known::words(
        "current-length",
        InputTooLong,
        r"current length is {input} while limit is {limit}",
    )
    .from("Cerebras: its own text")
    .says("Please reduce the length of the messages or completion. Current length is 9450 while limit is 8192", [9_450, 0, 0, 8_192]),
    Known::words(
        "request-body-for-model",
        InputTooLong,
        r"request body too large for [^ ]{1,80} model\. max size: ?{limit} tokens",
    )
    .from("GitHub Models: its own text")
    .says("Request body too large for gpt-4o model. Max size: 8000 tokens.", [0, 0, 0, 8_000]),
    Known::words(
        "prompt-has-max-is",
        InputTooLong,
        r"prompt has {input} tokens, but the max(?:imum)? is {limit}",
    )
    .from("AI21: its own text")
    .says("Prompt has 10323 tokens, but the maximum is 8191", [10_323, 0, 0, 8_191]),
    Known::words(
        "max-input-tokens",
        InputTooLong,
        r"max input tokens: ?{limit}, request input token count: ?{input}",
    )
    .from("Bedrock, Titan: its own text")
    .says("400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 11040", [11_040, 0, 0, 8_192]),
    Known::words(
        "ollama-truncates",
        InputTooLong,
        r"truncating input prompt limit ?= ?{limit} prompt ?= ?{input}",
    )
    .total()
    .from("Ollama: what it logs and keeps to itself; ollama/ollama#3839")
    .says(r#"level=WARN source=runner.go:131 msg="truncating input prompt" limit=4096 prompt=7811 keep=4 new=4096"#, [7_811, 0, 0, 4_096]),
    Known::words(
        "sequence-of-indices",
        InputTooLong,
        r"sequence length is longer than the specified maximum sequence length for this model \({input} > {limit}\)",
    )
    .from("transformers: run-llama/llama_index#987")
    .says("Token indices sequence length is longer than the specified maximum sequence length for this model (2793 > 1024). Running this sequence through the model will result in indexing errors", [2_793, 0, 0, 1_024]),
    Known::words(
        "reserved-for-output",
        InputTooLong,
        r"available context size (?:of )?-\d+ (?:was|is) not (?:non-negative|positive)",
    )
    .from("LlamaIndex: its own code")
    .says("ValueError: Calculated available context size -1532 was not non-negative.", [0; 4]),
    Known::words(
        "physical-batch",
        InputTooLong,
        r"input(?: \({input} tokens\))? is too large to process\. increase the physical batch size(?: \(current batch size: {limit}\))?",
    )
    .from("llama.cpp, of embeddings: its own code")
    .says("input (1033 tokens) is too large to process. increase the physical batch size (current batch size: 512)", [1_033, 0, 0, 512]),
    // Without a number of their own.
    Known::words(
        "context-is",
        InputTooLong,
        r"max(?:imum)? (?:supported |allowed )?context (?:length|window|size)(?: of [^ ]{1,80})? ?(?:is|of|:) ?(?:only )?{limit}",
    )
    .total()
    .from("LiteLLM, OpenAI")
    .says("APIConnectionError: OpenAIException - Requested token count exceeds the model's maximum context length of 65536 tokens.", [0, 0, 0, 65_536]),
    Known::words(
        "context-exceeded-bare",
        InputTooLong,
        r"(?:your input exceeds|exceeds the context window of this model)",
    )
    .from("OpenAI Responses: openai/codex#3177")
    .says("Your input exceeds the context window of this model. Please adjust your input and try again.", [0; 4]),
    Known::words(
        "reduce-messages",
        InputTooLong,
        r"reduce the length of the (?:messages|prompt|input)",
    )
    .from("Groq: letta-ai/letta#1963")
    .says("Please reduce the length of the messages or completion.", [0; 4]),
    Known::words(
        "exceeded-by",
        InputTooLong,
        r"(?:prompt|context|input) too long; ?exceeded (?:max(?:imum)? )?context length",
    )
    .from("Ollama: a delta, and no limit")
    .says("prompt too long; exceeded max context length by 51200 tokens (ref: a)", [0; 4]),
    Known::words(
        "window-exceeds-limit",
        InputTooLong,
        r"context window exceeds limit",
    )
    .from("MiniMax: an error code behind it, and no limit; MiniMax-AI/MiniMax-M2#119")
    .says("invalid params, context window exceeds limit (2013)", [0; 4]),
    Known::words(
        "too-long-for-model",
        InputTooLong,
        r"input (?:is )?too long for (?:the )?(?:requested|this) model",
    )
    .from("Bedrock, Hugging Face: aws-samples/assessment-generator#2")
    .says(r#"{"errorType":"ValidationException","errorMessage":"Input is too long for requested model."}"#, [0; 4]),
    Known::words(
        "prompt-too-long-bare",
        InputTooLong,
        r"(?:prompt|context|conversation|chat history)s? (?:(?:is|are|was) )?too (?:long|large)",
    )
    .from("Anthropic, Vertex AI, Z.ai: anthropics/anthropic-sdk-python#1028")
    .says("Error code: 413 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'Prompt is too long'}, 'request_id': 'req_vrtx_1'}", [0; 4]),
    Known::words(
        "prompt-exceeds-max",
        InputTooLong,
        r"(?:prompt|input) exceeds max(?:imum)? (?:input |prompt |context )?length",
    )
    .from("Z.ai, mlx-serve: farion1231/cc-switch#6982, ddalcu/mlx-serve#66")
    .says("Error code: 400 {'code': '1200', 'message': 'Prompt exceeds max length'}", [0; 4]),
    Known::words(
        "input-tokens-too-long",
        InputTooLong,
        r"message you submitted was too long|input (?:token|text|prompt|sequence|context|message)s?(?: length| count| size)? (?:is |are |was )?too (?:long|large|many)|too many input tokens|input tokens exceeded",
    )
    .from("Moonshot, Bedrock Nova, ChatGPT: their own texts")
    .says("Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.", [0; 4]),
    Known::words(
        "tokens-in-request",
        InputTooLong,
        r"tokens in request more than max tokens allowed|tokens[^{}\d]{0,40}exceed(?:s|ed)? (?:the )?max(?:imum)? (?:message|input|prompt|context|model) tokens",
    )
    .from("an OpenAI-compatible server, Volcengine: anomalyco/opencode#27519")
    .says("tokens in request more than max tokens allowed", [0; 4]),
    Known::words(
        "string-too-long",
        InputTooLong,
        r"invalid (?:(?:messages|input)\[\d+\]\.content(?:\[\d+\]\.text)?|input|prompt): string too long",
    )
    .from("OpenAI: characters, not tokens")
    .says("Invalid 'input[4].content[0].text': string too long. Expected a string with maximum length 1048576, but got a string with length 1312442 instead.", [0; 4]),
    Known::words(
        "configured-context-size",
        InputTooLong,
        "but the configured context size is(?: {limit})?",
    )
    .total()
    .from("Ollama, mesh servers: their own texts")
    .says("the request needs 9000 tokens but the configured context size is 8192", [0, 0, 0, 8_192]),
    Known::words(
        "ran-out-of-room",
        InputTooLong,
        r"ran out of room in the models context window|single document was longer than the context length|context window is full|kv cache is full|context shift is disabled",
    )
    .from("Codex, LangChain, kronk, llama.cpp: ardanlabs/kronk#861")
    .says("Codex ran out of room in the model's context window. Start a new conversation or clear earlier history before retrying.", [0; 4]),
    Known::words(
        "no-body",
        InputTooLong,
        r"413 status code \(no body\)",
    )
    .from("Cerebras, which says no more than this: openclaw/openclaw#119596")
    .says("Error: 413 status code (no body)", [0; 4]),
];
