//! What is no overflow, and often sounds like one.

use crate::overflow::Class::{ByteSize, CountLimit, Other, OutputCap, RateOrQuota};
use crate::overflow::template::Known;

/// In the order in which they are asked.
pub(in crate::overflow) const OTHERS: &[Known] = &[
    // Too much in a while.
    Known::words("throttling", RateOrQuota, "throttl(?:ing|ed)")
        .from("Bedrock: RooCodeInc/Roo-Code#5050")
        .says("An error occurred (ThrottlingException) when calling the Converse operation: Too many tokens, please wait before trying again.", [0; 4]),
    // A name of a setting or of a header says nothing, nor does a link.
    Known::words(
        "rate-limit",
        RateOrQuota,
        r"rate limit(?:$|[^ :=a-z0-9_-]| (?:reached|exceeded|hit|error|for|of|on|in|is|was|has|and|or|by|at|per|when|triggered|quota|increase|met|while|because|please|try|your|you|this|with|from|to|will|may|can))|rate_limit_(?:exceeded|error|reached)|ratelimit(?:error|exceeded|reached)|rate[ -]?limited|rate[_-]limit[_-](?:exceeded|error|reached)",
    )
    .from("OpenAI, Anthropic, OpenRouter: OpenHands/OpenHands#9259")
    .says(r#"{"error":{"message":"Rate limit reached for gpt-4o in organization org-1","type":"requests","code":"rate_limit_exceeded"}}"#, [0; 4]),
    Known::words("too-many-requests", RateOrQuota, "too many requests")
        .from("HTTP")
        .says("429 Too Many Requests", [0; 4]),
    Known::words(
        "per-time",
        RateOrQuota,
        r"per[ -](?:second|sec|min|minute|hour|day|week|month)s?\b|(?:tokens|requests|images|calls)/(?:second|sec|min|minute|hour|day|week|month)\b|\((?:tpm|rpm|tpd|rpd|itpm|otpm|tph)\)|\b(?:tpm|rpm|tpd|rpd) (?:limit|quota|rate|exceeded)",
    )
    .from("Groq, OpenAI, Cerebras: anomalyco/opencode#13015")
    .says("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 51200. The input or output tokens must be reduced in order to run successfully.", [0; 4]),
    Known::words(
        "wait",
        RateOrQuota,
        r"please wait|(?:try|retry)(?:ing)?(?: again)? (?:in|after) (?:about )?\d|rate-limits",
    )
    .from("Bedrock, OpenAI: hyunhwan-bcm/MARRVEL_MCP#225")
    .says("Too many tokens. Please try again in 12s", [0; 4]),
    Known::words(
        "quota",
        RateOrQuota,
        r"exceed[^{}.]{0,40}quota|quota[^{}.]{0,30}(?:exceed|exhaust|reach|used up)|(?:insufficient|out of|check|over)[ _](?:your )?(?:quota|balance|credits?|funds)|resource(?: has been |_)exhausted|more credits|can only afford|credit balance|payment required|billing|extra usage is required|(?:daily|weekly|monthly|hourly|usage|session|5-hour)[ -](?:token |usage |request )?(?:limit|quota|cap)|tokens (?:used )?today|limit for (?:the|this) (?:month|week|day)|concurren(?:t|cy)[^{}.]{0,30}(?:limit|exceed)",
    )
    .from("OpenAI, OpenRouter, Gemini: ChatGPTNextWeb/NextChat#3123")
    .says(r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#, [0; 4]),
    Known::words(
        "chinese-rate",
        RateOrQuota,
        "频率|速率|每分钟|每秒|每日|每天|限流|余额|配额|欠费|并发|请求过于频繁",
    )
    .from("Zhipu, Volcengine, DashScope: their own texts")
    .says("您的账户已达到速率限制，请您控制请求频率", [0; 4]),
    Known::words(
        "engine-settings",
        Other,
        r"max(?:imum)? (?:seq|model|sequence)[ _]len(?:gth)? \(\d+\) is larger than",
    )
    .from("vLLM, which doesn't start: InternLM/lmdeploy#2365")
    .says("ValueError: The model's max seq len (40960) is larger than the maximum number of tokens that can be stored in KV cache (9120).", [0; 4]),
    Known::words("service-unavailable", Other, "service unavailable")
        .from("HTTP")
        .says("503 Service Unavailable", [0; 4]),
    // Too many bytes: shorter messages don't help where images are what is large.
    Known::words(
        "body-too-large",
        ByteSize,
        r"request entity too large|body exceeded|request body: length limit|(?:payload|body|content|upload) (?:is )?too large(?: ?$|[^ ]| [^f])|(?:type|code): ?request_too_large|requesttoolarge|payload_too_large|request exceeds the maximum (?:size|allowed number of bytes)|member must have length less than or equal to|string value length \(\d+\) exceeds|streamreadconstraints",
    )
    .from("Anthropic, nginx, Bedrock, DashScope: anthropics/claude-code#14567")
    .says(r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#, [0; 4]),
    Known::words(
        "bytes",
        ByteSize,
        r"(?:exceed|limit|max|larger|greater|more than|too large|too big|up to)[^{}]{0,60}?\d ?-?(?:bytes?|[kmg]i?b|(?:kilo|mega|giga)bytes?)\b|(?:body|payload|message|request|file|image|upload|content) size[^{}]{0,40}?\d{4,}[^{}]{0,30}?(?:exceed|limit|max)|(?:exceed|max|limit)[^{}]{0,40}?(?:body|payload|message|file|image|upload) size|(?:body|payload|request|file|image|upload|content|message) size[^{}]{0,20}? too large|bytes[^{}]{0,20}? too large",
    )
    .from("Anthropic, Moonshot, Gemini: MoonshotAI/kimi-code#1862, google-gemini/gemini-cli#13776")
    .says("400 total message size 3150954 exceeds limit 2097152", [0; 4]),
    // Too much output, whatever the prompt.
    Known::words(
        "output-supports",
        OutputCap,
        r"{max_tokens}[^{}\d]{0,20}?is too (?:large|high|big): ?{output}[^{}\d]{0,30}?supports at most {limit}",
    )
    .from("OpenAI: ChatGPTNextWeb/NextChat#3195")
    .says("max_tokens is too large: 20000. This model supports at most 16384 completion tokens, whereas you provided 20000.", [0, 20_000, 0, 16_384]),
    Known::words(
        "output-above",
        OutputCap,
        r"max_tokens: ?{output} > {limit}",
    )
    .from("Anthropic: its own text")
    .says("max_tokens: 70000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5", [0, 70_000, 0, 64_000]),
    Known::words(
        "output-integer",
        OutputCap,
        r"{max_tokens}[^{}]{0,120}?integer above maximum value[^{}\d]{0,40}?{limit}(?:,? but got {output})?",
    )
    .from("OpenAI, Volcengine: Gitlawb/openclaude#331")
    .says("Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 32768, but got 50000 instead.", [0, 50_000, 0, 32_768]),
    Known::words(
        "output-range",
        OutputCap,
        r"{max_tokens}[^{}]{0,60}?(?:range|between|interval|should be)[^{}\d]{0,40}?\[?\d+ ?(?:,|and|to|-|\(inclusive\) to) ?{limit}",
    )
    .from("DeepSeek, DashScope: their own texts")
    .says("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", [0, 0, 0, 8_192]),
    Known::words(
        "output-gemini",
        OutputCap,
        r"maxoutputtokens value of {output} but the supported range is from \d+ \(inclusive\) to {limit}",
    )
    .from("Vertex AI: its own text")
    .says("Unable to submit request because it has a maxOutputTokens value of 9000 but the supported range is from 1 (inclusive) to 8193 (exclusive).", [0, 9_000, 0, 8_193]),
    Known::words(
        "output-must-be",
        OutputCap,
        r"(?:^|[^+ ] |[^ ]|parameter )(?:{max_tokens}|maxtokens|maxoutputtokens|num_predict)(?: ?\(?{output}\)?)?(?: value)? (?:(?:must|should|needs? to|has to|is required to) be (?:(?:a )?(?:integer |value |number )?(?:less than or equal to|less than|smaller than|at most|no more than|no greater than|below|under|up to|<=|<)|between \d+ and|in (?:the )?range[^{}\d]{0,10}\d+ ?,)|(?:cannot|can not|must not|should not|may not|cant) (?:be (?:greater|larger|more|higher) than|exceed)) ?(?:the )?(?:(?:maximum|max|limit|of|value|allowed|models?|output|tokens?) )*:? ?{limit}(?:[^{}\d]{0,12}?(?:got|but|received|provided|was|is)[^{}\d]{0,10}?{output_after})?",
    )
    .from("Groq, text-generation-inference, Dify: anomalyco/opencode#1000, langgenius/dify#13451")
    .says("`max_tokens` must be less than or equal to `32768`", [0, 0, 0, 32_768]),
    Known::words(
        "output-chinese",
        OutputCap,
        r"(?:{max_tokens}|最大输出|输出长度|输出 ?tokens?).{0,60}?(?:范围|不能大于|不能超过|不得超过|超过|超出|上限|小于等于).{0,30}?(?:\[ ?\d+ ?, ?)?{limit}",
    )
    .from("Zhipu, Baidu: their own texts")
    .says("max_tokens 参数取值范围为 [1, 4096]", [0, 0, 0, 4_096]),
    Known::words(
        "output-exceeds",
        OutputCap,
        r"(?:^|[^+ ] |[^ ])(?:requested )?(?:{max_tokens}|maxtokens|maximum tokens you requested|(?:output|completion) tokens?(?: requested)?) ?(?:\(?{output}\)?)? ?(?:requested )?(?:exceeds?|(?:is )?(?:larger|greater|more|higher) than|>) (?:the )?(?:(?:models?|maximum|max|output|limit|allowed|number|of|tokens?|length|cap|completion|token|supported|value) )*:?\(?{limit}",
    )
    .from("Bedrock, and many more: RooCodeInc/Roo-Code#248")
    .says("Error: The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value lower than 8192.", [0, 0, 0, 8_192]),
    Known::words(
        "output-is-limited",
        OutputCap,
        r"{max_tokens} (?:is )?limited to {limit}|max(?:imum)? (?:number of )?output tokens[^{}\d]{0,30}?(?:is|of|:) {limit_after}",
    )
    .from("Scaleway, and others")
    .says("max_completion_tokens is limited to 16384 for this model", [0, 0, 0, 16_384]),
    Known::words(
        "output-limit",
        OutputCap,
        r"(?:maximum|max|limit|at most)[^{}\d]{0,30}?{limit} (?:output|completion|new) tokens(?:[^{}\d]{0,30}?(?:got|was|requested|provided|is|asked for) {output})?|(?:exceeds?|maximum|max)[^{}\d]{0,30}? (?:output|completion) (?:token )?(?:limit|length|cap)|max output tokens",
    )
    .from("many: the output alone")
    .says("This model can write at most 4096 output tokens", [0, 0, 0, 4_096]),
    // Too many of something else.
    Known::words(
        "array-too-long",
        CountLimit,
        r"array too long|too many properties|too much media|\d (?:images|pages|files|tools|blocks) > |array_above_max_length|maximum number of items|too many (?:images|files|tools|functions|messages|documents|pages|items|media|stop|cache)|number of (?:files|images|pages|stop sequences|tools|functions|documents|items)\b[^{}]{0,40}?(?:exceed|limit|max)|at most \d+ (?:images?|files?|tools?|documents?|pages?|items?)|maximum of \d+ (?:images?|files?|tools?|documents?|pages?|pdf|blocks?)|exceeds the limit of [\d,]+ (?:credits|files|images|pages|tools|users?|keys|requests|projects|characters|chars)",
    )
    .from("OpenAI, Groq, Anthropic: vishalmysore/Tools4AI#16, HunorLaczko/ha-groq-cloud-api#25")
    .says("Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2100 instead.", [0; 4]),
    Known::words(
        "name-too-long",
        CountLimit,
        r"(?:name|id|description|user|key|metadata|schema|arguments|stop|title)(?:\[\d+\])?: string too long|length of the (?:tool|function) name|(?:name|id|description|param)[^{}]{0,80}?string_above_max_length|image dimensions|image exceeds|(?:name|description|key|title|url)s? (?:exceeds?|is longer than|is too long|must be at most)",
    )
    .from("OpenAI, DashScope, Anthropic: danny-avila/LibreChat#7435, QwenLM/Qwen3-VL#2069")
    .says("400 Invalid 'tools[1].function.name': string too long. Expected a string with maximum length 64, but got a string with length 71 instead.", [0; 4]),
];
