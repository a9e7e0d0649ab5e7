//! Codes and types that providers and libraries made for an overflow, wherever in a text they are.

use crate::overflow::Class::InputTooLong;
use crate::overflow::template::Known;

/// In the order in which they are asked.
pub(in crate::overflow) const CODES: &[Known] = &[
    Known::code(
        "llama-cpp-counts",
        InputTooLong,
        "n_prompt_tokens ?[:=] ?{input}[^{}]{0,80}n_ctx ?[:=] ?{limit}",
    )
    .total()
    .from("llama.cpp: oobabooga/textgen#7257")
    .says(
        r#"{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":20117,"n_ctx":16384}}"#,
        [20_117, 0, 0, 16_384],
    ),
    Known::code(
        "context-code",
        InputTooLong,
        "context_(?:length|window|size|limit)_exceed(?:s|ed)?|context_exceeded|exceed_context_size\
         |context_overflow|exceeded_context|context(?:window|length|size|limit)exceeded\
         |contextoverflow|exceeds?_(?:max_)?context",
    )
    .from("OpenAI, Azure, Groq, Cerebras, LiteLLM, llama.cpp, and many more: thepersonalaicompany/amurex-backend#51")
    .says(
        "groq.BadRequestError: Error code: 400 - {'error': {'message': 'Please reduce the length.', 'type': 'invalid_request_error', 'param': 'messages', 'code': 'context_length_exceeded'}}",
        [0; 4],
    ),
    Known::code(
        "prompt-code",
        InputTooLong,
        "max_prompt_tokens_exceeded|content_length_exceeds_threshold|tokens_limit_reached\
         |(?:prompt|input|context|messages)_(?:is_)?too_(?:long|large)\
         |(?:prompt|input|context)toolong|input_length_error|input_tokens_exceeded\
         |max_input_tokens_exceeded|input_too_many_tokens|max_tokens_per_request",
    )
    .from("GitHub Copilot, GitHub Models, Amazon Q, LMDeploy: their own code")
    .says(
        r#"{"error":{"message":"","code":"model_max_prompt_tokens_exceeded","param":""}}"#,
        [0; 4],
    ),
    Known::code(
        "numeric-code",
        InputTooLong,
        r"code: ?(?:1261|3051|10907|336103)\b",
    )
    .from("Z.ai (1261), Mistral (3051), iFlytek (10907), Baidu (336103): mangowhoiscloud/geode#668")
    .says(r#"{"error":{"code":"1261","message":"too much"}}"#, [0; 4]),
    Known::code(
        "content-param",
        InputTooLong,
        r"param: ?(?:messages(?:\[\d+\]\.content[^ ,]{0,20})?|input(?:\[\d+\]\.content[^ ,]{0,20})?|prompt), ?code: ?string_above_max_length",
    )
    .from("OpenAI: a text that is too long by itself, in characters")
    .says(
        r#"{"error":{"message":"String too long.","type":"invalid_request_error","param":"input","code":"string_above_max_length"}}"#,
        [0; 4],
    ),
];
