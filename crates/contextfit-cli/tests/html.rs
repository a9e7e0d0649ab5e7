//! The page of `contextfit inspect --html`, looked at in a browser that has no window.
//!
//! It needs Chromium: the one that `CHROMIUM` names, or one on the path. Where there is none, the
//! tests say so and are skipped.

mod support;

use std::fs;
use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use self::support::{request, run, session};

/// A browser that hangs is given up after this.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser, if there is one.
fn chromium() -> Option<String> {
    let named = std::env::var("CHROMIUM").ok();
    let usual = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    let found = named.into_iter().chain(usual).find(|name| {
        let version = Command::new(name)
            .arg("--version")
            .timeout(PATIENCE)
            .output();
        version.is_ok_and(|output| output.status.success())
    });
    if found.is_none() {
        eprintln!("skipped: there is no Chromium on the path, and CHROMIUM names none");
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Light,
    Dark,
}

/// What was measured in the browser, by `browser/measure.js`.
#[derive(Debug, Deserialize)]
struct Facts {
    dark: bool,
    ground: f64,
    width: f64,
    scroll_width: f64,
    outside: Vec<String>,
    texts: usize,
    worst: Worst,
    messages: usize,
    shown: usize,
    bars: Vec<Bar>,
    swatches: Vec<Swatch>,
    unnamed: usize,
    headings: usize,
    title: String,
    fetched: usize,
}

/// The text that is the hardest to read.
#[derive(Debug, Deserialize)]
struct Worst {
    ratio: f64,
    text: String,
}

/// The bar of a message, in pixels.
#[derive(Debug, Deserialize)]
struct Bar {
    tokens: f64,
    room: f64,
    width: f64,
}

/// What a kind is drawn with.
#[derive(Debug, Deserialize)]
struct Swatch {
    kind: String,
    image: String,
    contrast: Option<f64>,
}

/// A page in a browser.
struct Browser {
    chromium: String,
    folder: TempDir,
}

impl Browser {
    /// Opens the page of a conversation; `None` without a browser.
    fn open(messages: &[Value], options: &[&str]) -> Option<Self> {
        let chromium = chromium()?;
        let args = [&["inspect", "-", "--html"], options].concat();
        let page = run(&args, request(messages)).stdout;
        let folder = tempfile::tempdir().expect("a folder for the page");
        let measure = include_str!("browser/measure.js");
        let page = page.replace("</body>", &format!("<script>{measure}</script>\n</body>"));
        fs::write(folder.path().join("page.html"), page).expect("the folder is for this");
        Some(Self { chromium, folder })
    }

    /// Measures the page at a width, in pixels. A window has a least width, so that a narrow page
    /// has to be in a frame.
    fn facts(&self, width: u32, scheme: Scheme) -> Facts {
        let frame = include_str!("browser/frame.html").replace("WIDTH", &width.to_string());
        let path = self.folder.path().join("frame.html");
        fs::write(&path, frame).expect("the folder is for this");
        let dom = self.run(&path, width, scheme);
        let (_, facts) = dom
            .split_once("<pre id=\"facts\">")
            .expect("the frame is shown");
        let (facts, _) = facts.split_once("</pre>").expect("the frame is whole");
        let facts = facts
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let facts: Facts =
            serde_json::from_str(&facts).unwrap_or_else(|error| panic!("{error}: {facts}"));
        // It is what was asked for that was measured.
        assert_eq!(facts.width, f64::from(width));
        assert_eq!(facts.dark, scheme == Scheme::Dark);
        assert!(facts.texts > 50, "{}", facts.texts);
        facts
    }

    /// What the browser makes of a file, as text.
    fn run(&self, file: &Path, width: u32, scheme: Scheme) -> String {
        let scheme = match scheme {
            Scheme::Dark => 0,
            Scheme::Light => 1,
        };
        let mut command = Command::new(&self.chromium);
        let command = command
            .timeout(PATIENCE)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            .arg(format!(
                "--user-data-dir={}",
                self.folder.path().join("profile").display()
            ))
            .arg(format!("--window-size={},1000", width.max(1_280)))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            // Time in the page runs until nothing is left to do, or for so many milliseconds.
            .args(["--virtual-time-budget=5000", "--dump-dom"])
            .arg(format!("file://{}", file.display()));
        let output = command.output().expect("the browser can be started");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("a page is text")
    }

    /// The page at every width and in every scheme that it is meant for.
    fn everywhere(&self, mut check: impl FnMut(&Facts)) {
        for width in [360, 1_280] {
            for scheme in [Scheme::Light, Scheme::Dark] {
                check(&self.facts(width, scheme));
            }
        }
    }
}

/// A conversation with every kind of piece, and with what may break a line or a page.
fn motley() -> Vec<Value> {
    let call = |id: &str| {
        json!([{"id": id, "type": "function", "function": {
            "name": "read", "arguments": format!("{{\"path\":\"{}\"}}", "a".repeat(300))}}])
    };
    let mut messages = session(30);
    messages.extend([
        json!({"role": "user", "content": [
            {"type": "text", "text": "<b>Look</b>"},
            {"type": "image_url", "image_url": {"url": "x"}}]}),
        json!({"role": "assistant", "content": "مرحبا بالعالم", "reasoning_content": "hm ".repeat(200)}),
        json!({"role": "user", "content": "x".repeat(400)}),
        json!({"role": "assistant", "content": null, "tool_calls": call("a")}),
        json!({"role": "tool", "tool_call_id": "a", "content": "</li></ol><script>document.body.remove()</script>".repeat(400)}),
    ]);
    messages
}

const COMPACTED: [&str; 2] = ["--window", "4000"];

#[test]
fn nothing_is_wider_than_the_screen() {
    let Some(browser) = Browser::open(&motley(), &COMPACTED) else {
        return;
    };
    browser.everywhere(|facts| {
        assert!(facts.scroll_width <= facts.width, "{}", facts.scroll_width);
        assert_eq!(facts.outside, [""; 0]);
    });
}

#[test]
fn every_text_can_be_read_in_light_and_dark() {
    let Some(browser) = Browser::open(&motley(), &COMPACTED) else {
        return;
    };
    browser.everywhere(|facts| {
        assert_eq!(facts.ground < 0.1, facts.dark, "{}", facts.ground);
        let Worst { ratio, text } = &facts.worst;
        assert!(*ratio >= 4.5, "{ratio} for {text}");
    });
}

#[test]
fn bars_are_as_wide_as_their_tokens() {
    let Some(browser) = Browser::open(&motley(), &COMPACTED) else {
        return;
    };
    browser.everywhere(|facts| {
        assert!(facts.shown > 10, "{}", facts.shown);
        let largest = facts.bars.iter().map(|bar| bar.tokens).fold(0.0, f64::max);
        let mut widest: f64 = 0.0;
        for bar in &facts.bars {
            // What is tiny has a mark of two pixels.
            let expected = (bar.room * bar.tokens / largest).max(2.0);
            assert!((bar.width - expected).abs() < 2.5, "{bar:?}, {expected}");
            widest = widest.max(bar.width / bar.room);
        }
        assert!((widest - 1.0).abs() < 0.01, "{widest}");
    });
}

#[test]
fn kinds_are_told_apart_with_and_without_colour() {
    let Some(browser) = Browser::open(&motley(), &COMPACTED) else {
        return;
    };
    browser.everywhere(|facts| {
        let kinds: Vec<&str> = facts.swatches.iter().map(|swatch| &*swatch.kind).collect();
        for kind in [
            "text",
            "thinking",
            "tool call",
            "tool result",
            "image",
            "overhead",
            "summary",
        ] {
            assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
        }
        for (index, swatch) in facts.swatches.iter().enumerate() {
            let same = facts.swatches[..index]
                .iter()
                .find(|other| other.image == swatch.image);
            assert!(same.is_none(), "{same:?} {swatch:?}");
            // What has no ground of its own is drawn on that of the page.
            assert!(
                swatch.contrast.is_none_or(|ratio| ratio >= 3.0),
                "{swatch:?}"
            );
        }
    });
}

#[test]
fn a_page_is_whole_and_named_for_those_who_hear_it() {
    let messages = motley();
    let Some(browser) = Browser::open(&messages, &COMPACTED) else {
        return;
    };
    let facts = browser.facts(1_280, Scheme::Light);
    // What was said in the conversation has closed no list and run no script.
    assert_eq!(facts.messages, messages.len());
    assert!(facts.shown < facts.messages, "the long runs are folded");
    assert_eq!((facts.headings, facts.unnamed, facts.fetched), (1, 0, 0));
    assert_eq!(facts.title, "The context of standard input");
    let all = Browser::open(&messages, &["--all"]).expect("it was there just now");
    let facts = all.facts(1_280, Scheme::Light);
    assert_eq!(facts.shown, messages.len());
}
