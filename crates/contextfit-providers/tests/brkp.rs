#![allow(missing_docs)]
#![allow(warnings, clippy::all, clippy::pedantic)]
use contextfit_providers::overflow::is_overflow_text;
#[test]
fn p() {
    let not = [
        (400, "Image size exceeds the limit of 5 megabytes"),
        (400, "image exceeds the limit of 3.5 MB"),
        (
            400,
            "The number of images in the request exceeds the limit of 20.",
        ),
        (
            400,
            "Invalid 'tools': array too long. The number of tools exceeds the limit of 128.",
        ),
        (400, "Number of stop sequences exceeds the limit of 4"),
        (400, "The PDF exceeds the limit of 100 pages"),
        (400, "Request body size exceeds the limit of 4194304-bytes"),
        (403, "Daily token limit exceeded. Upgrade your plan."),
        (402, "Monthly token limit exceeded for this organization"),
        (429, "token limit exceeded"),
        (
            403,
            "Your team's token limit exceeded: 1,000,000 tokens used this month",
        ),
        (
            400,
            "You have used too many tokens today, try again tomorrow",
        ),
        (503, "Too many tokens in flight, model is overloaded"),
        (
            403,
            "Too many tokens issued for this user; revoke an API token first",
        ),
        (401, "invalid_grant: too many tokens"),
        (
            400,
            "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4",
        ),
        (
            400,
            "max_tokens is too large: 200000. This model supports at most 16384 completion tokens",
        ),
        (
            400,
            "Invalid value for max_completion_tokens: maximum context length is 128000 but output cap 16384",
        ),
        (
            400,
            "Invalid schema for function 'set_context_window': context window must be integer",
        ),
        (400, "Unknown parameter: 'context_length'."),
        (
            400,
            "Invalid 'messages[3].name': string too long. Expected a string with maximum length 64",
        ),
        (413, "Payload Too Large"),
        (
            413,
            "Request Entity Too Large: client intended to send too large body: 12345678 bytes",
        ),
        (
            413,
            "{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\",\"message\":\"Request size exceeds the 32 MB limit\"}}",
        ),
        (
            413,
            "{\"error\":{\"type\":\"request_too_large\",\"message\":\"Request exceeds 32 MB\"}}",
        ),
        (500, "Internal error while reading field context_window"),
        (404, "model gpt-4-32k with context length 32768 not found"),
        (
            400,
            "The input length of parameter 'user' must be at most 64",
        ),
        (400, "Embedding input length must be ≤ 2048 items"),
        (
            400,
            "'input[0].content[0].text': string too long. maximum length 10485760",
        ),
        (
            400,
            "Credit balance is too low; token budget exceeds the limit of 5 USD",
        ),
        (403, "Your spend exceeds the limit of $5"),
        (403, "Your spend exceeds the limit of 500 credits"),
        (
            400,
            "Thinking budget exceeds the limit of 32768 tokens for this model",
        ),
        (
            400,
            "max_tokens 70000 exceeds the limit of 65536 output tokens",
        ),
        (400, "The requested max_tokens exceeds the limit of 8192"),
        (400, "max_output_tokens (65537) exceeds the limit of 65536"),
        (
            500,
            "upstream connect error or disconnect/reset before headers. reset reason: overflow",
        ),
        (400, "The batch context overflow buffer failed"),
        (
            429,
            "You exceeded your current quota, please check your plan and billing details",
        ),
        (400, "Prompt is too large to cache: minimum 1024"),
        (503, "The server had too many input tokens queued"),
        (529, "Overloaded: too many tokens are being processed"),
    ];
    for (s, t) in not {
        let a = is_overflow_text(t, Some(s));
        let b = is_overflow_text(t, None);
        if a || b {
            println!("FP status {a} none {b}: {s} {t}");
        }
    }
    let yes = [
        (
            400,
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
        ),
        (
            400,
            "The prompt has 5000 tokens. See https://docs/rate_limits. maximum context length is 4096 tokens",
        ),
        (
            400,
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
        ),
        (
            400,
            "litellm.ContextWindowExceededError: BadRequestError: too long. Model group fallbacks. Received rate_limit=None",
        ),
        (
            400,
            "litellm.BadRequestError: This model's maximum context length is 8192 tokens. LiteLLM rate limit settings: None",
        ),
        (
            400,
            "Requested token count exceeds the model's maximum context length of 32768 tokens.",
        ),
        (
            400,
            "The sum of prompt length (33000), query length (0) should not exceed max_num_tokens (32768)",
        ),
        (
            400,
            "prompt token count of 150000 exceeds the limit of 128000",
        ),
        (
            400,
            "Prompt has 70000 tokens, but the model's limit is 65536",
        ),
        (
            422,
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`",
        ),
        (500, "Context size has been exceeded."),
        (
            400,
            "the request exceeds the available context size. try increasing the context size or enable context shift",
        ),
    ];
    for (s, t) in yes {
        let a = is_overflow_text(t, Some(s));
        let b = is_overflow_text(t, None);
        if !a || !b {
            println!("FN status {a} none {b}: {s} {t}");
        }
    }
    // cost
    for unit in [
        "a",
        "input token count ",
        "exceed ",
        "context window ",
        "\\\\\\\\\\",
        "prompt (",
        "inputs ",
        " \\n\\n",
        "'",
    ] {
        let t = unit.repeat(131072 / unit.len());
        let now = std::time::Instant::now();
        is_overflow_text(&t, Some(400));
        println!("{unit:?}: {:?}", now.elapsed());
        let t = unit.repeat(50_000_000 / unit.len());
        let now = std::time::Instant::now();
        is_overflow_text(&t, Some(400));
        println!("   50MB: {:?}", now.elapsed());
    }
}
