use std::fmt;

use super::super::largest;
use super::{Entry, Ledger, LedgerRules};

const ENTRY: &str = "- ";
const OUTCOME: &str = "  → ";
/// A list of calls gives up entries as if it took so many times the room.
const CALLS_WEIGH: usize = 3;
const LEFT_OUT: (&str, &str) = ("[", " older left out]");

impl Ledger {
    /// The element that it stands in.
    pub(in crate::summary) const TAG: &str = "ledger";
    pub(in crate::summary) const OPENS: &str = "<ledger>";
    pub(in crate::summary) const CLOSES: &str = "</ledger>";

    /// Writes it for a model to read, in at most so many tokens; `count` counts those of a text.
    ///
    /// Where that is too long, the list that takes the most room gives up its oldest entry, until
    /// it fits. Calls give way sooner than paths: a few long ones don't push out many short paths. How many were left out over
    /// time, so or because a list was full, stands with each list. The text is empty if nothing is
    /// recorded, or if not even one entry is within the bound.
    ///
    /// The text is a whole element, and nothing in it needs to be quoted for the
    /// [`Envelope`](crate::summary::Envelope). The same ledger always gives the same bytes, and
    /// [`parse`](Self::parse) reads them back.
    pub fn render(&self, most_tokens: u64, count: impl Fn(&str) -> u64) -> String {
        let lists = self.giving_up();
        let fits = |text: &String| count(text) <= most_tokens;
        let written = |entries| {
            let ledger = self.without_oldest(&lists[..lists.len() - entries]);
            Some(ledger.to_string()).filter(fits)
        };
        match lists.len() {
            0 => String::new(),
            // Where nothing is left out, nothing has to be said of it.
            all => written(all)
                .or_else(|| largest(1..=all, written))
                .unwrap_or_default(),
        }
    }

    /// Reads back what [`render`](Self::render) wrote; `None` for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let lists = text.strip_prefix(Self::OPENS)?.strip_suffix(Self::CLOSES)?;
        let mut ledger = Self::default();
        let mut name = "";
        for line in lists.strip_prefix('\n')?.strip_suffix('\n')?.split('\n') {
            if let Some(entry) = line.strip_prefix(ENTRY) {
                let list = ledger.list(name)?;
                list.add(Entry::new(entry)?);
                if list.entries.len() > LedgerRules::MOST_EVER {
                    return None;
                }
            } else if let Some(outcome) = line.strip_prefix(OUTCOME) {
                ledger.list(name)?.entries.last_mut()?.answered(outcome);
            } else if let Some(left_out) = line.strip_prefix(LEFT_OUT.0) {
                let left_out = left_out.strip_suffix(LEFT_OUT.1)?;
                ledger.list(name)?.left_out = left_out.parse().ok()?;
            } else {
                name = line.strip_suffix(':')?;
            }
        }
        // Whatever we didn't write ourselves, byte for byte, is not ours.
        (ledger.to_string() == text).then_some(ledger)
    }

    /// The lists in the order in which they give up their oldest entries, until none is left.
    fn giving_up(&self) -> Vec<usize> {
        let sizes = self.lists.iter().map(|list| {
            // A call costs as much as several paths, and says less than they do.
            let weight = if list.name == LedgerRules::CALLS_MADE {
                CALLS_WEIGH
            } else {
                1
            };
            let entries = list.entries.iter().map(move |entry| entry.room() * weight);
            (entries.clone().sum::<usize>(), entries)
        });
        let mut left: Vec<_> = sizes.collect();
        let next = || {
            // The first of those that take the most room.
            let widest = (0..left.len()).rev().max_by_key(|&list| left[list].0)?;
            let (room, entries) = &mut left[widest];
            *room -= entries.next()?;
            Some(widest)
        };
        std::iter::from_fn(next).collect()
    }

    /// The ledger without the oldest entry of each of these lists, which may be named repeatedly.
    fn without_oldest(&self, lists: &[usize]) -> Self {
        let mut ledger = self.clone();
        for (place, list) in ledger.lists.iter_mut().enumerate() {
            let gone = lists.iter().filter(|&&gives_up| gives_up == place).count();
            list.keep_newest(list.entries.len() - gone);
        }
        ledger
    }
}

/// All of it, however long.
impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", Self::OPENS)?;
        for list in self.lists.iter().filter(|list| !list.is_blank()) {
            writeln!(f, "{}:", list.name)?;
            if list.left_out > 0 {
                let (before, after) = LEFT_OUT;
                writeln!(f, "{before}{}{after}", list.left_out)?;
            }
            for Entry { text, outcome } in &list.entries {
                writeln!(f, "{ENTRY}{text}")?;
                if !outcome.is_empty() {
                    writeln!(f, "{OUTCOME}{outcome}")?;
                }
            }
        }
        f.write_str(Self::CLOSES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn chars(text: &str) -> u64 {
        text.chars().count() as u64
    }

    /// Records calls with their results, all in one step.
    fn recorded(calls: &[(String, String, String)]) -> Ledger {
        let mut ledger = Ledger::default();
        ledger.record(&chat(calls), 0..2 * calls.len(), &rules());
        ledger
    }

    fn rules() -> LedgerRules {
        LedgerRules::default()
            .record("Tickets: [1 older left out]", "deploy", "path")
            .most_entries(LedgerRules::FILES_READ, 4)
            .most_entries(LedgerRules::CALLS_MADE, 3)
    }

    fn chat(calls: &[(String, String, String)]) -> ChatRequest {
        let messages = calls.iter().flat_map(|(tool, value, result)| {
            let value = serde_json::to_string(value).unwrap();
            let arguments = format!(r#"{{"path":{value}}}"#);
            [
                ChatMessage::assistant("").call("c", tool.as_str(), arguments),
                ChatMessage::tool("c", result.as_str()),
            ]
        });
        ChatRequest::new("m", messages)
    }

    /// Calls whose words would like to be more than words.
    fn calls() -> impl Strategy<Value = Vec<(String, String, String)>> {
        const HOSTILE: &str = "(</?ledger>|</contextfit-summary>|\n|\u{2028}|\u{1c}|- |  → |\
                               Files modified:|\\[9 older left out\\]|[a-cé<:\\[ ]|\u{0}|😀){0,8}";
        let long = (HOSTILE, 0_usize..80).prop_map(|(text, times)| text.repeat(times));
        let value = prop_oneof![4 => "[a-f]", 2 => HOSTILE, 1 => long];
        vec(("read|edit|deploy|</ledger>\n", value, HOSTILE), 0..14)
    }

    #[test]
    fn the_list_that_takes_the_most_room_gives_up_its_oldest_until_it_fits() {
        let [a, b, c] = ["a", "b", "c"].map(|name| name.repeat(40));
        let call = |tool: &str, value: &str| (tool.to_owned(), value.to_owned(), String::new());
        let ledger = recorded(&[call("read", &a), call("read", &b), call("edit", &c)]);
        let all = format!("Files read:\n- {a}\n- {b}\nFiles modified:\n- {c}");
        let two = format!("Files read:\n[1 older left out]\n- {b}\nFiles modified:\n- {c}");
        let one = format!("Files read:\n[2 older left out]\nFiles modified:\n- {c}");
        let bounds = [&all, &two, &one].map(|text| chars(text) + 19);
        for (bound, text) in [
            (bounds[0], &all),
            (bounds[0] - 1, &two),
            (bounds[1], &two),
            (bounds[1] - 1, &one),
            (bounds[2], &one),
        ] {
            assert_eq!(
                ledger.render(bound, chars),
                format!("<ledger>\n{text}\n</ledger>")
            );
        }
        assert_eq!(ledger.render(bounds[2] - 1, chars), "");
        assert_eq!(Ledger::default().render(1_000, chars), "");

        // Long calls don't push out short paths.
        let long = "x".repeat(90);
        let ledger = recorded(&[call("notify", &long), call("read", "a"), call("read", "b")]);
        let paths = "<ledger>\nFiles read:\n- a\n- b\nCalls made:\n[1 older left out]\n</ledger>";
        assert_eq!(ledger.render(100, chars), paths);

        // One that is left out takes less room than to say so.
        let short = recorded(&[call("read", "a"), call("read", "b")]);
        let all = "<ledger>\nFiles read:\n- a\n- b\n</ledger>";
        assert_eq!(short.render(chars(all), chars), all);
    }

    #[test]
    fn nothing_but_what_we_wrote_is_read() {
        let ours =
            "<ledger>\nFiles read:\n[2 older left out]\n- a\nCalls made:\n- f()\n  → b\n</ledger>";
        assert!(Ledger::parse(ours).is_some());
        let many = |most: u32| {
            (0..most)
                .map(|entry| format!("- {entry}\n"))
                .collect::<String>()
        };
        let most = format!("<ledger>\nFiles read:\n{}</ledger>", many(1_000));
        assert!(Ledger::parse(&most).is_some());
        for text in [
            "",
            "<ledger>",
            "<ledger></ledger>",
            "<ledger>\n</ledger>",
            "<ledger>\n\n</ledger>",
            "<ledger>\n- a\n</ledger>",
            "<ledger>\n  → a\n</ledger>",
            "<ledger>\nFiles read:\n</ledger>",
            "<ledger>\nFiles read:\n- a\n- a\n</ledger>",
            "<ledger>\nFiles read:\n-  a\n</ledger>",
            "<ledger>\nFiles read:\n- \n</ledger>",
            "<ledger>\nFiles read:\n- </a>\n</ledger>",
            "<ledger>\nFiles read:\n[0 older left out]\n- a\n</ledger>",
            "<ledger>\nFiles read:\n[+1 older left out]\n- a\n</ledger>",
            "<ledger>\nFiles read:\n- a\n[1 older left out]\n</ledger>",
            "<ledger>\nFiles read:\n[99999999999999999999 older left out]\n- a\n</ledger>",
            "<ledger>\nFiles modified:\n- a\nFiles read:\n- b\n</ledger>",
            "<ledger>\nFiles read:\n- a\nFiles read:\n- b\n</ledger>",
            "<ledger>\n:\n- a\n</ledger>",
            "<ledger>\n a:\n- a\n</ledger>",
            "<ledger>\na::\n- a\n</ledger>",
            "<ledger>\nFiles read:\n- a\n</ledger>\n",
            "<ledger>\nCalls made:\n- f()\n  → b\n  → b\n</ledger>",
            "<ledger>\nCalls made:\n- f()\n  → a  b\n</ledger>",
            &format!("<ledger>\nFiles read:\n- {}\n</ledger>", "a".repeat(301)),
            &format!("<ledger>\nFiles read:\n{}</ledger>", many(1_001)),
        ] {
            assert_eq!(Ledger::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_byte_for_byte(calls in calls(), bound in 0_u64..2_000) {
            let ledger = recorded(&calls);
            let text = ledger.render(bound, chars);
            prop_assert!(chars(&text) <= bound);
            prop_assert_eq!(&ledger.render(bound, chars), &text);
            if !text.is_empty() {
                let read = Ledger::parse(&text).unwrap();
                prop_assert_eq!(read.to_string(), text);
            }
            if !ledger.is_empty() {
                prop_assert_eq!(Ledger::parse(&ledger.to_string()), Some(ledger));
            }
        }

        #[test]
        fn no_word_of_others_poses_as_ours(calls in calls()) {
            let ledger = recorded(&calls);
            let text = ledger.to_string();
            prop_assert_eq!(text.matches("</").count(), 1);
            // Any line is a heading, a count, an entry or an outcome of ours.
            let lines: Vec<&str> = text.split(|char: char| {
                matches!(char, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
            }).collect();
            let entries = lines.iter().filter(|line| line.starts_with("- ")).count();
            prop_assert_eq!(entries, ledger.len());
            let headings = lines.iter().filter(|line| line.ends_with(':') && !line.starts_with([' ', '-']));
            for heading in headings {
                let name = heading.strip_suffix(':').unwrap();
                prop_assert!(ledger.lists.iter().any(|list| list.name == name), "{}", heading);
            }
            prop_assert!(ledger.lists.iter().all(|list| list.entries.len() <= 50));
            prop_assert!(lines.iter().all(|line| line.chars().count() <= 302));
        }

        #[test]
        fn several_steps_come_to_the_same_as_one(calls in calls(), steps in vec(0_usize..15, 0..10)) {
            let chat = chat(&calls);
            let mut steps: Vec<usize> = steps.into_iter().map(|step| step.min(calls.len())).collect();
            steps.sort_unstable();
            let mut ledger = Ledger::default();
            let mut done = 0;
            for step in steps.into_iter().chain([calls.len()]) {
                ledger.record(&chat, 2 * done..2 * step, &rules());
                done = step;
                // Between the steps it is text in the conversation.
                ledger = Ledger::parse(&ledger.to_string()).unwrap_or_default();
            }
            prop_assert_eq!(ledger, recorded(&calls));
        }

        #[test]
        fn the_newest_entry_of_a_list_is_there(calls in calls(), newest: String) {
            let mut calls = calls;
            calls.push(("edit".into(), newest.clone(), String::new()));
            let Some(newest) = Entry::new(&newest) else { return Ok(()) };
            let ledger = recorded(&calls);
            let last = ledger.entries(LedgerRules::FILES_MODIFIED).last();
            prop_assert_eq!(last, Some(&*newest.text));
            prop_assert!(!ledger.entries(LedgerRules::FILES_READ).any(|read| read == newest.text));
        }

        #[test]
        fn no_text_panics(text in "(</?ledger>|\n|- |  → |Files read:|\\[[0-9]{1,22} older left out\\]|[a-c: ]){0,20}") {
            for text in [&text, &format!("<ledger>\n{text}\n</ledger>")] {
                if let Some(ledger) = Ledger::parse(text) {
                    prop_assert_eq!(&ledger.to_string(), text);
                }
            }
        }
    }
}
