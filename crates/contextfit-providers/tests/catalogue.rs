//! The names by which models are known, as providers, clouds and routers write them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contextfit_core::budget::Window;
use contextfit_core::estimate::{CharEstimator, Family, estimator_fn};
use contextfit_providers::catalogue::{Catalogue, CatalogueEntry, Provider};
use contextfit_tower::{ModelSpec, Models, Rates};
use proptest::prelude::*;

fn entry(name: &str) -> &'static CatalogueEntry {
    Catalogue::entry(name).unwrap_or_else(|| panic!("{name} isn't known"))
}

#[test]
fn a_model_is_known_in_every_spelling_of_its_name() {
    for (name, spellings) in [
        (
            "gpt-4o",
            &[
                "GPT-4o",
                "gpt-4o-2024-08-06",
                "openai/gpt-4o",
                "openrouter/openai/gpt-4o-2024-11-20",
                "azure/gpt-4o",
                "azure/eu/gpt-4o-2024-08-06",
                "azure/global-standard/gpt-4o",
                "ft:gpt-4o-2024-08-06:acme::9x1",
                "openai/ft:gpt-4o-2024-08-06:acme:suffix:9x1",
                "vercel_ai_gateway/openai/gpt-4o",
            ][..],
        ),
        ("gpt-4o-2024-05-13", &["openai/gpt-4o-2024-05-13"]),
        (
            "gpt-4o-mini",
            &[
                "gpt-4o-mini-2024-07-18",
                "ft:gpt-4o-mini-2024-07-18:org::id",
            ],
        ),
        ("chatgpt-4o", &["chatgpt-4o-latest"]),
        ("gpt-4", &["gpt-4", "azure/gpt-4"]),
        ("gpt-4-0613", &["gpt-4-0314"]),
        (
            "gpt-4-turbo",
            &[
                "gpt-4-turbo-2024-04-09",
                "gpt-4-1106-preview",
                "gpt-4-0125-preview",
            ],
        ),
        ("gpt-4.1", &["gpt-4.1-2025-04-14", "gpt-4-1"]),
        ("gpt-3.5-turbo", &["gpt-35-turbo", "openai/gpt-3.5-turbo"]),
        ("azure/gpt-35-turbo", &["azure/gpt-35-turbo"]),
        (
            "gpt-3.5-turbo-16k",
            &["gpt-35-turbo-16k", "gpt-3.5-turbo-16k-0613"],
        ),
        ("gpt-5", &["gpt-5-2025-08-07", "openai/gpt-5:online"]),
        ("gpt-5-chat", &["gpt-5-chat-latest"]),
        ("gpt-5.6-sol", &["gpt-5.6"]),
        ("o1", &["o1-2024-12-17"]),
        (
            "gpt-oss-120b",
            &[
                "openai/gpt-oss-120b",
                "openai/gpt-oss-120b:free",
                "openai/gpt-oss-120b:exacto",
            ],
        ),
        (
            "claude-sonnet-4-5",
            &[
                "claude-sonnet-4-5-20250929",
                "claude-sonnet-4-5@20250929",
                "anthropic/claude-sonnet-4.5",
                "openrouter/anthropic/claude-sonnet-4.5:thinking",
                "vertex_ai/claude-sonnet-4-5@20250929",
                "google-vertex-anthropic/claude-sonnet-4-5@default",
                "anthropic.claude-sonnet-4-5-20250929-v1:0",
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "apac.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "bedrock/us-east-1/anthropic.claude-sonnet-4-5-20250929-v1:0",
                "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0",
                "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            ],
        ),
        (
            "claude-opus-4-6",
            &["anthropic.claude-opus-4-6-v1", "claude-opus-4-6[1m]"],
        ),
        (
            "claude-3-5-sonnet",
            &[
                "claude-3-5-sonnet-latest",
                "claude-3-5-sonnet-v2@20241022",
                "anthropic.claude-3-5-sonnet-20241022-v2:0",
                "anthropic/claude-3.5-sonnet:beta",
            ],
        ),
        (
            "claude-3-7-sonnet",
            &["claude-3-7-sonnet@20250219", "anthropic/claude-3.7-sonnet"],
        ),
        (
            "claude-opus-4",
            &["claude-opus-4-20250514", "claude-opus-4-0"],
        ),
        (
            "gemini-2.5-pro",
            &[
                "models/gemini-2.5-pro",
                "gemini/gemini-2.5-pro",
                "google/gemini-2.5-pro-preview-05-06",
                "vertex_ai/gemini-2.5-pro",
                "publishers/google/models/gemini-2.5-pro",
                "projects/acme/locations/europe-west4/publishers/google/models/gemini-2.5-pro",
            ],
        ),
        ("gemini-2.0-flash", &["gemini-2.0-flash-001"]),
        (
            "gemini-2.5-flash",
            &[
                "gemini-2.5-flash-preview-09-2025",
                "gemini-2.5-flash-preview-04-17",
            ],
        ),
        (
            "llama-3.3-70b-instruct",
            &[
                "meta-llama/Llama-3.3-70B-Instruct",
                "meta-llama/llama-3.3-70b-instruct:nitro",
            ],
        ),
        (
            "meta.llama3-3-70b-instruct-v1:0",
            &["us.meta.llama3-3-70b-instruct-v1:0"],
        ),
        (
            "mistral-large-latest",
            &["mistral/mistral-large-latest", "mistralai/mistral-large"],
        ),
        ("mistral-large-2411", &["mistral-large-2411"]),
        (
            "deepseek-r1",
            &["deepseek-ai/DeepSeek-R1-0528", "deepseek/deepseek-r1:free"],
        ),
        (
            "deepseek.r1-v1:0",
            &["us.deepseek.r1-v1:0", "bedrock/us.deepseek.r1-v1:0"],
        ),
        (
            "qwen3-235b-a22b-instruct-2507",
            &["Qwen/Qwen3-235B-A22B-Instruct-2507"],
        ),
        (
            "grok-4",
            &["x-ai/grok-4", "grok-4-0709", "xai/grok-4-latest"],
        ),
        ("command-r-plus-08-2024", &["cohere/command-r-plus-08-2024"]),
        (
            "kimi-k2-0905-preview",
            &["moonshotai/Kimi-K2-Instruct-0905"],
        ),
        ("glm-4.6", &["z-ai/glm-4.6", "zai-org/GLM-4.6"]),
        ("minimax-m2", &["MiniMaxAI/MiniMax-M2"]),
        (
            "nova-pro",
            &[
                "amazon.nova-pro-v1:0",
                "us.amazon.nova-pro-v1:0",
                "amazon/nova-pro-v1",
            ],
        ),
        ("phi-4", &["microsoft/phi-4"]),
        (
            "github_copilot/gpt-4o",
            &["github-copilot/gpt-4o-2024-11-20"],
        ),
        ("azure_ai/grok-4.3", &["azure-ai/grok-4.3"]),
        ("azure/gpt-5.2-chat", &["azure/gpt-5.2-chat-2025-12-11"]),
        (
            "openrouter/deepseek/deepseek-r1",
            &["openrouter/deepseek/deepseek-r1:nitro"],
        ),
        ("groq/openai/gpt-oss-20b", &["groq/openai/gpt-oss-20b"]),
    ] {
        for spelling in spellings {
            assert_eq!(entry(spelling).name, name, "{spelling}");
        }
    }
}

#[test]
fn what_only_looks_like_a_model_is_none() {
    for name in [
        "",
        "-",
        ":",
        "/",
        "gpt",
        "gpt-",
        "gpt-4x",
        "gpt-4oo",
        "gpt-4o-",
        "o1x",
        "gpt-5-some-new-thing",
        "gpt-5-mini-2",
        "gpt-6",
        "claude",
        "claude-sonnet-4-50",
        // Marks of another window.
        "claude-sonnet-4-5[1m]",
        "gpt-4-64k",
        "amazon.nova-pro-v1:0:24k",
        // Versions that aren't listed, of names whose versions differ.
        "mistral-large-2402",
        "gpt-3.5-turbo-0301",
        "qwen-plus-2025-01-25",
        "gpt-4-2023-03-14",
        // Hosts with windows of their own, and those nobody knows.
        "ollama/llama-3.3-70b-instruct",
        "together_ai/meta-llama/llama-3.3-70b-instruct",
        "groq/gpt-4o",
        "acme/gpt-4o",
        "mistral.mistral-large-2411",
        // Ids that tell nothing.
        "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc",
        "ft:",
        "ft::",
        "azure/my-deployment",
    ] {
        assert_eq!(Catalogue::entry(name), None, "{name:?}");
        assert!(
            Catalogue::builtin().resolve(Some(name)).is_err(),
            "{name:?}"
        );
    }
    assert!(Catalogue::builtin().resolve(None).is_err());
}

#[test]
fn models_of_one_family_keep_their_own_windows() {
    let window = |name| entry(name).window;
    assert_eq!(window("gpt-4").total, 8_192);
    assert_eq!(window("gpt-4-32k").total, 32_768);
    assert_eq!(window("gpt-4-turbo").total, 128_000);
    assert_eq!(window("gpt-4.1").total, 1_047_576);
    assert_eq!(
        window("gpt-5"),
        Window::new(400_000)
            .input_limit(272_000)
            .output_limit(128_000)
    );
    assert_eq!(
        window("gpt-5-chat"),
        Window::new(128_000).output_limit(16_384)
    );
    assert_eq!(window("claude-sonnet-4-5").total, 200_000);
    assert_eq!(window("claude-sonnet-4-6").total, 1_000_000);
    assert_eq!(window("mistral-large-2411").total, 131_072);
    assert_eq!(window("mistral-large-latest").total, 262_144);
}

#[test]
fn families_and_prices_are_those_of_the_model() {
    for (name, provider, family) in [
        ("gpt-5", Provider::OpenAi, Family::O200k),
        ("gpt-4", Provider::OpenAi, Family::Cl100k),
        ("claude-sonnet-4-5", Provider::Anthropic, Family::Claude),
        ("claude-opus-4-7", Provider::Anthropic, Family::Widest),
        ("gemini-2.5-pro", Provider::Google, Family::Gemma),
        ("llama-3.1-8b-instruct", Provider::Meta, Family::Llama3),
        (
            "us.meta.llama3-1-8b-instruct-v1:0",
            Provider::Meta,
            Family::Llama3,
        ),
        ("qwen3-max", Provider::Qwen, Family::Qwen),
        ("deepseek-r1", Provider::DeepSeek, Family::DeepSeek),
        ("mistral-small-2603", Provider::Mistral, Family::Mistral),
        ("grok-4", Provider::XAi, Family::Widest),
        (
            "github_copilot/claude-sonnet-4.5",
            Provider::Anthropic,
            Family::Claude,
        ),
    ] {
        let entry = entry(name);
        assert_eq!((entry.provider, entry.family), (provider, family), "{name}");
    }
    let sonnet = Rates::new(3_000_000, 15_000_000)
        .cached(300_000)
        .cache_write(3_750_000);
    assert_eq!(
        entry("claude-sonnet-4-5").prices.map(|prices| prices.rates),
        Some(sonnet)
    );
    let pro = entry("gemini-2.5-pro").prices.expect("known");
    assert_eq!(pro.of_prompt(200_000).input, 1_250_000);
    assert_eq!(pro.of_prompt(200_001).input, 2_500_000);
    assert_eq!(entry("github_copilot/gpt-5.4").prices, None);
}

#[test]
fn what_a_tuned_model_costs_is_not_known() {
    let models = Catalogue::builtin();
    let spec = |name| models.resolve(Some(name)).expect("known");
    assert!(spec("gpt-4o-mini-2024-07-18").prices.is_some());
    let tuned = spec("ft:gpt-4o-mini-2024-07-18:org::id");
    assert_eq!((tuned.window.total, tuned.prices), (128_000, None));
}

#[test]
fn an_entry_of_the_users_wins_in_every_spelling() {
    let models = Catalogue::builtin()
        .model("GPT_4o", ModelSpec::new(64_000))
        .model(
            "acme/gpt-4o",
            ModelSpec::new(Window::new(50_000).output_limit(10)),
        )
        .model("a-model-of-mine", ModelSpec::new(1_000));
    let total = |name: &str| models.resolve(Some(name)).map(|spec| spec.window.total);
    for name in [
        "gpt-4o",
        "openai/gpt-4o-2024-08-06",
        "gpt-4o-2024-05-13",
        "gpt-4o-latest",
    ] {
        assert_eq!(total(name), Ok(64_000), "{name}");
    }
    // It isn't a beginning of other models.
    assert_eq!(total("gpt-4o-mini"), Ok(128_000));
    assert_eq!(total("acme/gpt-4o-2024-08-06"), Ok(50_000));
    assert_eq!(total("openai/a-model-of-mine-2026-01-01"), Ok(1_000));
    assert!(total("a-model-of-mine-too").is_err());
    // What is left open is as it is in the built-in one.
    let own = models.resolve(Some("gpt-4o")).expect("known");
    assert_eq!(own.window.output, Some(16_384));
    assert_eq!(own.prices, entry("gpt-4o").prices);
    assert!(own.estimator.is_some());
    let acme = models.resolve(Some("acme/gpt-4o")).expect("known");
    assert_eq!((acme.window.output, acme.prices), (Some(10), None));
}

#[test]
fn a_default_has_to_be_named() {
    let models = Catalogue::builtin().otherwise(ModelSpec::new(8_000));
    assert_eq!(
        models
            .resolve(Some("unheard-of"))
            .map(|spec| spec.window.total),
        Ok(8_000)
    );
    assert_eq!(
        models.resolve(None).map(|spec| spec.window.total),
        Ok(8_000)
    );
    assert_eq!(
        models.resolve(Some("gpt-4o")).map(|spec| spec.window.total),
        Ok(128_000)
    );
    let like = Catalogue::builtin()
        .otherwise_like("claude-haiku-4-5")
        .expect("known");
    assert_eq!(
        like.resolve(None).map(|spec| spec.window.total),
        Ok(200_000)
    );
    assert!(Catalogue::builtin().otherwise_like("unheard-of").is_err());
}

#[test]
fn only_what_is_likely_to_be_used_is_checked_beforehand() {
    // A reserve that is too large for one model of hundreds is nothing to somebody who uses others.
    assert_eq!(Catalogue::builtin().known().len(), 0);
    let models = Catalogue::builtin().model("mine", ModelSpec::new(1));
    let models = models.otherwise_like("gpt-4").expect("known");
    let mut totals: Vec<_> = models
        .known()
        .iter()
        .map(|spec| spec.window.total)
        .collect();
    totals.sort_unstable();
    assert_eq!(totals, [1, 8_192]);
}

#[test]
fn an_estimator_is_chosen_once_for_each_model_and_kept() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let models = Catalogue::builtin().estimator_with(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Arc::new(estimator_fn(|_| Default::default()))
    });
    let of = |name| {
        models
            .resolve(Some(name))
            .ok()
            .and_then(|spec| spec.estimator)
    };
    let [one, again] = ["gpt-4o", "azure/gpt-4o-2024-08-06"].map(|name| of(name).expect("one"));
    assert!(Arc::ptr_eq(&one, &again));
    let _ = of("gpt-4o-mini");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    // Clones share them.
    let cloned = models
        .clone()
        .resolve(Some("gpt-4o"))
        .ok()
        .and_then(|spec| spec.estimator);
    assert!(Arc::ptr_eq(&one, &cloned.expect("one")));
    assert_eq!(asked.load(Ordering::Relaxed), 2);
    // An estimator of the user's is the user's.
    let models = models.model(
        "gpt-4o",
        ModelSpec::new(1).estimator(CharEstimator::default()),
    );
    let own = models
        .resolve(Some("gpt-4o"))
        .ok()
        .and_then(|spec| spec.estimator);
    assert!(!Arc::ptr_eq(&one, &own.expect("one")));
}

#[test]
fn a_name_whose_listed_versions_have_other_windows_knows_no_others() {
    for version in Catalogue::entries() {
        for (at, _) in version.name.match_indices('-') {
            let Some(base) = Catalogue::entry(&version.name[..at]) else {
                continue;
            };
            // Is this one a version of that? Then its date, made another, would lead there.
            let other_version = format!("{}-2031-11-21", base.name);
            let rest = &version.name[at..];
            let is_version = rest[1..]
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
                && rest.len() >= 5;
            if is_version
                && (base.window.total, base.window.input)
                    != (version.window.total, version.window.input)
            {
                assert_eq!(
                    Catalogue::entry(&other_version),
                    None,
                    "{} and {}",
                    base.name,
                    version.name
                );
            }
        }
    }
}

fn any_entry() -> impl Strategy<Value = (&'static CatalogueEntry, &'static str)> {
    let names = Catalogue::entries()
        .iter()
        .flat_map(|entry| entry.names().map(move |name| (entry, name)));
    prop::sample::select(names.collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn no_name_is_too_odd(name: String, junk in "[-:/.@0-9a-z]{0,40}", (_, known) in any_entry()) {
        for name in [&name, &junk, &format!("{known}{junk}"), &format!("{junk}{known}"), &format!("ft:{junk}")] {
            let _ = Catalogue::builtin().resolve(Some(name));
        }
    }

    #[test]
    fn whatever_route_and_decoration_a_known_name_has_it_is_known(
        (entry, name) in any_entry(),
        route in prop::sample::select(vec!["", "openai/", "openrouter/", "azure/", "models/", "bedrock/us-east-1/"]),
        date in prop::sample::select(vec!["", "-2031-11-21", "-20311121", "-3111", "@20311121", "-011"]),
        mark in prop::sample::select(vec!["", "-latest", ":free", ":thinking"]),
        upper: bool,
    ) {
        prop_assume!(date.is_empty() || !entry.rolling);
        // On this way, or with this mark, it may be listed by itself.
        let plain = |name: &str| name.replace('.', "-");
        let listed = [format!("{route}{name}"), format!("{route}{name}{mark}")];
        let listed = listed.map(|name| plain(&name));
        let name = format!("{route}{name}{date}{mark}");
        let name = if upper { name.to_uppercase() } else { name };
        let found = Catalogue::entry(&name).expect("known");
        let by_itself = found.names().any(|one| listed.contains(&plain(one)));
        prop_assert!(found == entry || by_itself, "{name} is taken for {}", found.name);
    }

    #[test]
    fn a_known_name_that_goes_on_is_another_model(
        (_, name) in any_entry(), more in "[a-z]{1,12}", border in prop::sample::select(vec!["", "-"]),
    ) {
        let longer = format!("{name}{border}{more}");
        let found = Catalogue::entry(&longer);
        // It is one that is listed by itself, or none; but for what is a decoration.
        prop_assume!(more != "latest");
        if let Some(found) = found {
            prop_assert!(found.names().any(|known| known == longer), "{longer} is taken for {}", found.name);
        }
    }
}
