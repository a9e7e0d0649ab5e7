use super::{AudioTokens, FileTokens, ImageTokens, PromptFormat};

impl PromptFormat {
    /// All that are known.
    pub const ALL: [Self; 10] = [
        Self::PLAIN,
        Self::OPENAI,
        Self::OPENAI_5_2,
        Self::ANTHROPIC,
        Self::ANTHROPIC_4_7,
        Self::GEMINI,
        Self::LLAMA,
        Self::QWEN,
        Self::MISTRAL,
        Self::DEEPSEEK,
    ];

    /// The least that can be said of any provider, and what most systems count: 4 tokens a
    /// message, 1 200 for an image, a sound or a file, all text as it is written.
    pub const PLAIN: Self = Self {
        message: 4,
        speaker: 0,
        tool_call: 0,
        tool_result: 0,
        call_ids: true,
        schema: 0,
        schema_percent: 100,
        request: 0,
        any_schema: 0,
        image: ImageTokens::Flat(1_200),
        audio: AudioTokens::flat(1_200),
        file: FileTokens::flat(1_200),
    };

    /// OpenAI's models up to GPT-5.1.
    ///
    /// - **Messages:** 3 tokens and the role, a token for having a name, 3 that prime the reply, as
    ///   the OpenAI cookbook has it in "How to count tokens with tiktoken".
    /// - **Tools** are written as types of TypeScript, which the counts of the same page agree with.
    ///   Five schemas written so came to 45 % to 68 % of their compact JSON: 75 % is never too little
    ///   for them. A schema of the response stays JSON, of which this is too little by a quarter.
    ///   12 once for any tools.
    /// - **Calls and results** aren't documented. In what users measured a call and its result cost
    ///   6 tokens beside their text and two messages; this counts 8. Several calls in one message
    ///   cost some 25 more, once, which this doesn't count. Ids aren't text: nobody who measured
    ///   found them.
    /// - **Images:** [`ImageTokens::GPT_4O`], the dearest of the models with tiles but
    ///   [for the mini](ImageTokens::GPT_4O_MINI).
    /// - **Sounds:** a token per tenth of a second, by the guide "Managing costs" of the realtime
    ///   models. Where only bytes are known, 16 000 of them are a second: right for MP3 of
    ///   128 kbit ⁄ s.
    /// - **Files:** the text and an image of each page, by the guide "File inputs", which has no
    ///   numbers. An estimate: 1 500 a page of 100 000 bytes, ten pages where nothing is known.
    ///   Scans have fewer pages than that, plain text has more.
    pub const OPENAI: Self = Self {
        message: 4,
        speaker: 1,
        tool_call: 4,
        tool_result: 4,
        call_ids: false,
        schema: 0,
        schema_percent: 75,
        request: 3,
        any_schema: 12,
        image: ImageTokens::GPT_4O,
        audio: AudioTokens {
            per_second: 10,
            bytes_per_second: BYTES_PER_SECOND,
            unknown: 600,
        },
        file: FileTokens {
            per_page: 1_500,
            per_second: 0,
            bytes_per_page: BYTES_PER_PAGE,
            unknown: 15_000,
        },
    };

    /// OpenAI's models from GPT-5.2 on: as [`OPENAI`](Self::OPENAI), with images by patches
    /// ([`ImageTokens::GPT_5_5`]).
    pub const OPENAI_5_2: Self = Self::OPENAI.with_image(ImageTokens::GPT_5_5);

    /// Claude before 4.7.
    ///
    /// - **Messages** aren't documented. By the examples in "Token counting" a first message costs
    ///   about 7 tokens beside its text, and a system prompt next to nothing: 3 for each, and 4 for
    ///   the reply. The example with a system prompt, 14 tokens, comes to 17 or 18.
    /// - **Tools:** a system prompt about them comes with the first. By "Tool use" it has 496 to 588
    ///   tokens in Claude 4.5 and 4.6, by how tools may be chosen, and 313 to 346 in Claude 4; this
    ///   counts the most. Their schemas count as they are written.
    /// - **Calls and results** aren't documented; estimates: 12 and 8 tokens. Ids aren't text, by the
    ///   same estimate.
    /// - **Images:** [`ImageTokens::CLAUDE`].
    /// - **Files:** by "PDF support", 1 500 to 3 000 tokens of text a page, and its image: the most
    ///   of both. Pages of 100 000 bytes, four where nothing is known, are estimates.
    /// - **Sounds** aren't taken: what other providers count.
    pub const ANTHROPIC: Self = Self {
        message: 3,
        speaker: 0,
        tool_call: 12,
        tool_result: 8,
        call_ids: false,
        schema: 0,
        schema_percent: 100,
        request: 4,
        any_schema: 588,
        image: ImageTokens::CLAUDE,
        audio: Self::GEMINI.audio,
        file: FileTokens {
            per_page: 3_000 + 1_568,
            per_second: 0,
            bytes_per_page: BYTES_PER_PAGE,
            unknown: 4 * (3_000 + 1_568),
        },
    };

    /// Claude from 4.7 on: as [`ANTHROPIC`](Self::ANTHROPIC), with larger images
    /// ([`ImageTokens::CLAUDE_4_7`]), and with 675 to 804 tokens for having tools. Later models have
    /// shorter prompts about them (290 to 474), of which this is too much.
    pub const ANTHROPIC_4_7: Self = Self {
        any_schema: 804,
        ..Self::ANTHROPIC.with_image(ImageTokens::CLAUDE_4_7)
    };

    /// Gemini.
    ///
    /// - **Messages:** by the examples in "Understand and count tokens", a token each, and one for the
    ///   request.
    /// - **Tools, calls and results** aren't documented; estimates: 8 tokens for each call and
    ///   result, the JSON of schemas as it is written. Ids aren't text.
    /// - **Images:** [`ImageTokens::GEMINI_3`]; set [`ImageTokens::GEMINI_2`] for older models.
    /// - **Sounds:** 32 tokens a second by the same page. By "Media resolution" it is 25 in Gemini 3.
    ///   Where only bytes are known, 16 000 of them are a second.
    /// - **Files:** by "Media resolution" 560 tokens a page in Gemini 3, and 258 before that. A
    ///   video is 263 a second, by "Understand and count tokens"; in Gemini 3 it is 70 a frame, so
    ///   that this is too much. Pages of 100 000 bytes, ten where nothing is known, are estimates.
    pub const GEMINI: Self = Self {
        message: 1,
        speaker: 0,
        tool_call: 8,
        tool_result: 8,
        call_ids: false,
        schema: 0,
        schema_percent: 100,
        request: 1,
        any_schema: 0,
        image: ImageTokens::GEMINI_3,
        audio: AudioTokens {
            per_second: 32,
            bytes_per_second: BYTES_PER_SECOND,
            unknown: 1_920,
        },
        file: FileTokens {
            per_page: 560,
            per_second: 263,
            bytes_per_page: BYTES_PER_PAGE,
            unknown: 5_600,
        },
    };

    /// Llama 3, by the chat template of Llama 3.1.
    ///
    /// 5 tokens a message; once, 5 around the reply and 25 of a system header that has the date;
    /// 56 that explain tools, whose schemas are written in four columns: 180 % of compact JSON
    /// (147 % to 219 %, by five schemas). 8 a call; results have quotes. No ids.
    /// Media as in [`PLAIN`](Self::PLAIN): what they cost differs by server.
    pub const LLAMA: Self = Self {
        message: 5,
        speaker: 0,
        tool_call: 8,
        tool_result: 2,
        call_ids: false,
        schema: 1,
        schema_percent: 180,
        request: 30,
        any_schema: 56,
        ..Self::PLAIN
    };

    /// Qwen 2.5 and 3, measured with the chat template of Qwen 3.
    ///
    /// 5 tokens a message, 3 that prime the reply, 82 that explain tools, and 12 and 4 around a call
    /// and a result. Schemas are written with spaces: 130 % of compact JSON (120 % to 144 %), so that
    /// this is too much for one that has them. No ids. An image is a token for each 28 pixels
    /// square, and at most 16 384, by the card of Qwen 2.5-VL; Qwen 3-VL has fewer. Sounds and
    /// files as in [`PLAIN`](Self::PLAIN).
    pub const QWEN: Self = Self {
        message: 5,
        speaker: 0,
        tool_call: 12,
        tool_result: 4,
        call_ids: false,
        schema: 1,
        schema_percent: 130,
        request: 3,
        any_schema: 82,
        image: ImageTokens::QWEN,
        ..Self::PLAIN
    };

    /// Mistral, measured with its library `mistral-common`, in the tokenizer of version 3.
    ///
    /// A message has 1 or 2 tokens, and the request one; 3 for tools, whose schemas are written with
    /// spaces: 130 %, as with [`QWEN`](Self::QWEN). 13 around a call and 12 around a result, both
    /// with their ids. Media as in [`PLAIN`](Self::PLAIN).
    pub const MISTRAL: Self = Self {
        message: 2,
        speaker: 0,
        tool_call: 13,
        tool_result: 12,
        call_ids: true,
        schema: 0,
        schema_percent: 130,
        request: 1,
        any_schema: 3,
        ..Self::PLAIN
    };

    /// DeepSeek V3, measured with its chat template.
    ///
    /// A message has 1 or 2 tokens, the request 2, a call 12 and a result 4. The template has no
    /// tools: what explains them is an estimate of 150 tokens, and schemas are taken to be
    /// written with spaces. No ids. Media as in [`PLAIN`](Self::PLAIN).
    pub const DEEPSEEK: Self = Self {
        message: 2,
        speaker: 0,
        tool_call: 12,
        tool_result: 4,
        call_ids: false,
        schema: 0,
        schema_percent: 130,
        request: 2,
        any_schema: 150,
        ..Self::PLAIN
    };
}

/// Bytes of a second of sound, as MP3 of 128 kbit ⁄ s has them.
const BYTES_PER_SECOND: u32 = 16_000;
/// Bytes of a page of a document with text and some figures.
const BYTES_PER_PAGE: u32 = 100_000;
