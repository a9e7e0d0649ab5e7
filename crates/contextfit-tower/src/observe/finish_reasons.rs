use crate::Stop;

/// Why a model stopped, as `gen_ai.response.finish_reasons`: a JSON array of strings, because a field
/// of a trace is no array. An answer that ended before it was done is an `error` there.
pub(super) const fn finish_reasons(stop: Stop) -> &'static str {
    match stop {
        Stop::Done => r#"["stop"]"#,
        Stop::Length => r#"["length"]"#,
        Stop::ContextWindow => r#"["context_window"]"#,
        Stop::Interrupted => r#"["error"]"#,
        Stop::Other => r#"["other"]"#,
    }
}
