//! What is known of the models of the large providers, by their names: [`Catalogue`].
//!
//! Of each: the tokens it can hold, the input alone and all together kept apart, the most it writes,
//! the family of its tokenizer, and its prices. What is built in is of a day, which each
//! [`CatalogueEntry`] tells, with its sources. Providers change limits and prices: what you know
//! better, tell with [`Catalogue::model`]. Where sources disagree, the smaller limit is taken, unless it is
//! the other one rounded; where a
//! provider gives limits of input and of output and nothing for both together, that of the input is
//! taken for both.
//!
//! # How a name is read
//!
//! The longest name in the catalogue that the given one begins with is meant, if all that follows is
//! known to change nothing. Capitals, `_` for `-` and `4.5` for `4-5` don't matter. What changes
//! nothing:
//!
//! - before the name, the way to it: `openai/`, `openrouter/anthropic/`, `models/`, `azure/eu/`,
//!   `vertex_ai/`, `bedrock/us-east-1/`, the organisation that published its weights, Bedrock's
//!   `us.anthropic.`, an ARN with a name in it;
//! - after it, a date or the number of a version (`-2024-08-06`, `-20250929`, `@20250219`, `-0613`,
//!   `-001`, `-v1:0`), `-latest`, and a way to be served (`:free`, `:thinking`);
//! - around it, the marks of a tuned model: `ft:gpt-4o-mini-2024-07-18:org::id`. Its prices aren't
//!   known.
//!
//! Anything else makes it another model, with an entry of its own or none. So `gpt-4` isn't
//! `gpt-4o`, `gpt-5-mini` isn't `gpt-5`, and `gpt-5-some-new-thing` isn't known: an error, or what
//! you [choose](Catalogue::otherwise). That it were gpt-5 would be a guess, and one that costs a
//! refused request, or compactions at a tenth of the window, without a word.
//!
//! The same holds
//!
//! - for versions: where those of a name differ in their windows (`mistral-large`, `gpt-4`), only
//!   the dates that are listed are known;
//! - for hosts: who serves models with windows of their own (GitHub Copilot, Groq, Cerebras, Bedrock
//!   for weights of others, Ollama) isn't a way to a model. `github_copilot/gpt-4o` is listed with
//!   its own window, and `ollama/llama-3.3-70b-instruct` isn't known: its window is what you set;
//! - for a way on which a model has less room than its maker gives it: where that is known,
//!   `azure_ai/grok-4.3` is listed beside `grok-4.3`. A router that leaves its own name out can't be
//!   told from the maker, so tell the windows of open weights that you use through one;
//! - for marks of another window: `[1m]`, `-32k`, `:48k`.
//!
//! An entry of yours goes before the built-in ones, in all spellings. Of two entries of yours the
//! one with the longer name does, so `acme/gpt-4o` may have another window than `gpt-4o`.

mod data;
mod entry;
mod estimators;
mod format;
mod models;
mod name;
mod provider;

pub use self::entry::CatalogueEntry;
pub use self::models::Catalogue;
pub use self::provider::Provider;
