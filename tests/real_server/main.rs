//! A real llama.cpp server.
//!
//! Ignored unless asked for, because it takes the server that `tools/llama-server/run.sh` starts:
//!
//! - `tools/llama-server/run.sh cargo test -p contextfit-tests --test real_server -- --ignored layers::`
//! - the same for `summarizer::`, with `CONTEXTFIT_LLAMA_MODEL=real`: its model has to say something.

mod layers;
mod summarizer;
