//! What tools did, recorded from their calls: no model has to remember it.

mod arguments;
mod call;
mod entry;
mod list;
mod patch;
mod rules;
mod shell;
mod text;
mod tools;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

pub use self::rules::LedgerRules;

use self::entry::{Entry, name_form};
use self::list::List;
use crate::request::{Conversation, Piece, Str};

/// The most lists of a ledger. Entries of further ones aren't recorded.
const MOST_LISTS: usize = 32;

/// What tools did in messages that were cut: files read and modified, calls made.
///
/// A summarizer forgets files, and what was done already; then it is done again. So this is
/// recorded from the tool calls themselves, by [`LedgerRules`], and stands beside every summary.
/// The next compaction [reads it back](Self::parse) and [records](Self::record) what happened
/// since.
///
/// Each list is bounded, and its oldest entries make room. An entry that is met again is the
/// newest again. A file that was modified is listed as that, and not as read too.
///
/// Where a ledger comes from matters: only read one back that you wrote yourself. File names and
/// results of tools are the words of others, so each is kept to one line, which can't close the
/// element or pose as another entry.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_core::summary::{Ledger, LedgerRules};
///
/// let chat = ChatRequest::new("a-model", [
///     ChatMessage::assistant("")
///         .call("1", "read_file", r#"{"path":"a.toml"}"#)
///         .call("2", "edit_file", r#"{"path":"b.toml","old":"1","new":"2"}"#)
///         .call("3", "deploy", r#"{"version":"3.4.0"}"#),
///     ChatMessage::tool("1", "port = 8080"),
///     ChatMessage::tool("2", "ok"),
///     ChatMessage::tool("3", "done, release 118"),
/// ]);
/// let mut ledger = Ledger::default();
/// ledger.record(&chat, 0..4, &LedgerRules::default());
///
/// let text = ledger.render(100, |text| text.len() as u64 / 4);
/// assert_eq!(text, "\
/// <ledger>
/// Files read:
/// - a.toml
/// Files modified:
/// - b.toml
/// Calls made:
/// - deploy(version=\"3.4.0\")
///   → done, release 118
/// </ledger>");
/// assert_eq!(Ledger::parse(&text), Some(ledger));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// In the order in which they are written; none twice.
    lists: Vec<List>,
}

impl Ledger {
    /// Records the tool calls of messages that come after those recorded before.
    ///
    /// It makes no difference whether messages are recorded at once or in several steps, as long
    /// as no step parts a call from its result.
    pub fn record<V>(
        &mut self,
        view: &V,
        messages: impl IntoIterator<Item = usize>,
        rules: &LedgerRules,
    ) where
        V: Conversation + ?Sized,
    {
        self.record_redacted(view, messages, rules, |text| Cow::Borrowed(text));
    }

    /// [Records](Self::record) tool calls with each text as `redact` leaves it: the name of the tool,
    /// the arguments as they were written, and the result.
    pub fn record_redacted<V>(
        &mut self,
        view: &V,
        messages: impl IntoIterator<Item = usize>,
        rules: &LedgerRules,
        redact: impl Fn(&str) -> Cow<'_, str>,
    ) where
        V: Conversation + ?Sized,
    {
        let mut records = Vec::new();
        let mut open = OpenCalls::default();
        for index in messages {
            view.pieces(index, &mut |piece| match piece {
                Piece::ToolCall {
                    id,
                    name,
                    arguments,
                } => {
                    let (tool, arguments) = (name.decode(), arguments.decode());
                    for record in rules.records(&redact(&tool), &redact(&arguments)) {
                        if record.is_call {
                            open.call(id, name, records.len());
                        }
                        records.push((record.list, record.entry));
                    }
                }
                Piece::ToolResult {
                    call_id,
                    name,
                    content,
                } => {
                    if let Some(call) = open.answer(call_id, name) {
                        records[call].1.answered(&redact(&content.decode()));
                    }
                }
                _ => {}
            });
        }
        for (list, entry) in records {
            self.add(list, entry, rules);
        }
        self.keep_within(rules);
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entries there are, in all lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists.iter().map(|list| list.entries.len()).sum()
    }

    /// The entries of a list, such as [`LedgerRules::FILES_READ`], the oldest first. Of a call it
    /// is the call, without what became of it.
    pub fn entries(&self, list: &str) -> impl Iterator<Item = &str> {
        let list = self.lists.iter().find(|known| known.name == list);
        list.into_iter()
            .flat_map(|list| list.entries.iter().map(|entry| &*entry.text))
    }

    fn add(&mut self, name: &str, entry: Entry, rules: &LedgerRules) {
        let mut name = name;
        if name == LedgerRules::FILES_READ && self.has(LedgerRules::FILES_MODIFIED, &entry) {
            name = LedgerRules::FILES_MODIFIED;
        }
        if name == LedgerRules::FILES_MODIFIED
            && let Some(read) = self.place(LedgerRules::FILES_READ)
        {
            self.lists[read].remove(&entry.text);
        }
        if let Some(list) = self.list(name) {
            list.add(entry);
            list.keep_newest(rules.most(name));
        }
    }

    fn has(&self, name: &str, entry: &Entry) -> bool {
        self.place(name)
            .is_some_and(|place| self.lists[place].has(&entry.text))
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.lists.iter().position(|list| list.name == name)
    }

    /// The list of a name, made if there is none; `None` if there is no room for another, or if
    /// the name isn't one.
    fn list(&mut self, name: &str) -> Option<&mut List> {
        if let Some(place) = self.place(name) {
            return Some(&mut self.lists[place]);
        }
        if self.lists.len() == MOST_LISTS || name.is_empty() || name_form(name) != name {
            return None;
        }
        let place = self
            .lists
            .partition_point(|list| order(&list.name) < order(name));
        self.lists.insert(place, List::new(name));
        Some(&mut self.lists[place])
    }

    /// Keeps what an earlier ledger brought along within the bounds of today's rules.
    fn keep_within(&mut self, rules: &LedgerRules) {
        self.lists.retain_mut(|list| {
            let most = rules.most(&list.name);
            list.keep_newest(most);
            most > 0 && !list.is_blank()
        });
    }
}

/// Where a list stands: ours come first, in the order of what is done with a file.
fn order(name: &str) -> (usize, &str) {
    let ours = LedgerRules::OURS.iter().position(|&ours| ours == name);
    (ours.unwrap_or(LedgerRules::OURS.len()), name)
}

/// The calls that wait for their result: by id, or by the tool's name where there is none.
#[derive(Default)]
struct OpenCalls(BTreeMap<(String, String), VecDeque<usize>>);

impl OpenCalls {
    fn call(&mut self, id: Str<'_>, name: Str<'_>, record: usize) {
        self.0
            .entry(Self::key(id, name))
            .or_default()
            .push_back(record);
    }

    fn answer(&mut self, id: Str<'_>, name: Str<'_>) -> Option<usize> {
        self.0.get_mut(&Self::key(id, name))?.pop_front()
    }

    fn key(id: Str<'_>, name: Str<'_>) -> (String, String) {
        let name = if id.is_empty() {
            name.decode()
        } else {
            "".into()
        };
        (id.decode().into_owned(), name.into_owned())
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        let lists = self.lists.iter();
        f.debug_map()
            .entries(lists.map(|list| (&list.name, list.entries.len())))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};

    const READ: &str = LedgerRules::FILES_READ;
    const MODIFIED: &str = LedgerRules::FILES_MODIFIED;
    const CALLS: &str = LedgerRules::CALLS_MADE;

    /// Records calls of tools for files, such as `read a.rs`, and gives the entries of a list.
    fn record(ledger: &mut Ledger, rules: &LedgerRules, calls: &[&str]) {
        let messages = calls.iter().map(|call| {
            let (tool, path) = call.split_once(' ').unwrap();
            let path = serde_json::to_string(path).unwrap();
            ChatMessage::assistant("").call("c", tool, format!(r#"{{"path":{path}}}"#))
        });
        let chat = ChatRequest::new("m", messages);
        ledger.record(&chat, 0..calls.len(), rules);
    }

    fn of(calls: &[&str]) -> Ledger {
        let mut ledger = Ledger::default();
        record(&mut ledger, &LedgerRules::default(), calls);
        ledger
    }

    fn entries<'a>(ledger: &'a Ledger, list: &str) -> Vec<&'a str> {
        ledger.entries(list).collect()
    }

    #[test]
    fn a49_what_was_recorded_before_is_inherited_as_it_was() {
        let earlier = of(&["read a", "edit b", "read c"]).render(1_000, |text| text.len() as u64);
        let mut ledger = Ledger::parse(&earlier).unwrap();
        record(
            &mut ledger,
            &LedgerRules::default(),
            &["read d", "write a", "read b"],
        );
        assert_eq!(entries(&ledger, READ), ["c", "d"]);
        assert_eq!(entries(&ledger, MODIFIED), ["a", "b"]);
    }

    #[test]
    fn a50_a_file_that_was_modified_is_not_listed_as_read() {
        let ledger = of(&[
            "read a", "read b", "write c", "edit a", "edit c", "read c", "read d",
        ]);
        assert_eq!(entries(&ledger, MODIFIED), ["a", "c"]);
        assert_eq!(entries(&ledger, READ), ["b", "d"]);
        let text = ledger.render(1_000, |text| text.len() as u64);
        assert_eq!(
            text,
            "<ledger>\nFiles read:\n- b\n- d\nFiles modified:\n- a\n- c\n</ledger>"
        );

        let modified = of(&["read a", "edit a"]).render(1_000, |text| text.len() as u64);
        assert_eq!(modified, "<ledger>\nFiles modified:\n- a\n</ledger>");
        assert_eq!(of(&["ls ."]).render(1_000, |text| text.len() as u64), "");
    }

    #[test]
    fn a51_the_oldest_makes_room_and_the_newest_survives() {
        let calls: Vec<String> = (0..60).map(|number| format!("edit {number}")).collect();
        let calls: Vec<&str> = calls.iter().map(|call| &**call).collect();
        let mut ledger = of(&calls);
        let expected: Vec<String> = (10..60).map(|number| number.to_string()).collect();
        assert_eq!(entries(&ledger, MODIFIED), expected);

        // The newest survives as many compactions as others come after it.
        for number in 0..49 {
            record(
                &mut ledger,
                &LedgerRules::default(),
                &[&format!("edit new {number}")],
            );
            ledger = Ledger::parse(&ledger.render(u64::MAX, |_| 0)).unwrap();
            assert_eq!(entries(&ledger, MODIFIED).len(), 50);
            assert!(ledger.entries(MODIFIED).any(|entry| entry == "59"));
        }
        record(&mut ledger, &LedgerRules::default(), &["edit one more"]);
        assert!(!ledger.entries(MODIFIED).any(|entry| entry == "59"));
        let text = ledger.render(u64::MAX, |_| 0);
        assert!(
            text.contains("\nFiles modified:\n[60 older left out]\n- new 0\n"),
            "{text}"
        );
    }

    #[test]
    fn a51_at_the_limit_a_duplicate_or_a_blank_evicts_nothing() {
        let rules = LedgerRules::default().most_entries(MODIFIED, 3);
        let mut ledger = Ledger::default();
        record(
            &mut ledger,
            &rules,
            &["edit a", "edit b", "edit c", "edit a", "edit  \n"],
        );
        assert_eq!(entries(&ledger, MODIFIED), ["b", "c", "a"]);
        assert!(!ledger.to_string().contains("left out"));
        record(&mut ledger, &rules, &["edit d"]);
        assert_eq!(entries(&ledger, MODIFIED), ["c", "a", "d"]);
    }

    #[test]
    fn bounds_hold_for_what_is_inherited_too() {
        let mut ledger = of(&["read a", "read b", "edit c"]);
        let rules = LedgerRules::default()
            .most_entries(READ, 1)
            .most_entries(MODIFIED, 0);
        record(&mut ledger, &rules, &["edit d"]);
        assert_eq!(
            ledger.to_string(),
            "<ledger>\nFiles read:\n[1 older left out]\n- b\n</ledger>"
        );
    }

    #[test]
    fn a_call_stands_once_with_what_became_of_it_last() {
        let chat: ChatRequest = serde_json::from_str(
            r#"{"model":"m","messages":[
                {"role":"assistant","tool_calls":[
                    {"id":"1","function":{"name":"deploy","arguments":"{\"to\":\"a\"}"}},
                    {"id":"2","function":{"name":"deploy","arguments":"{\"to\":\"b\"}"}},
                    {"id":"3","function":{"name":"get_status","arguments":"{}"}}]},
                {"role":"tool","tool_call_id":"2","content":"b is\nbusy"},
                {"role":"tool","tool_call_id":"3","content":"fine"},
                {"role":"tool","tool_call_id":"1","content":"done"},
                {"role":"assistant","tool_calls":[
                    {"id":"1","function":{"name":"deploy","arguments":"{ \"to\": \"b\" }"}},
                    {"id":"4","function":{"name":"notify","arguments":"{}"}}]},
                {"role":"tool","tool_call_id":"1","content":"done"}]}"#,
        )
        .unwrap();
        let mut ledger = Ledger::default();
        ledger.record(&chat, 0..4, &LedgerRules::default());
        let expected = "<ledger>\nCalls made:\n- deploy(to=\"a\")\n  → done\n\
                        - deploy(to=\"b\")\n  → b is busy\n</ledger>";
        assert_eq!(ledger.to_string(), expected);
        ledger.record(&chat, 4..6, &LedgerRules::default());
        let expected = "<ledger>\nCalls made:\n- deploy(to=\"a\")\n  → done\n\
                        - deploy(to=\"b\")\n  → done\n- notify()\n</ledger>";
        assert_eq!(ledger.to_string(), expected);
        assert_eq!(entries(&ledger, CALLS).len(), 3);
        assert_eq!(format!("{ledger:?}"), r#"{"Calls made": 3}"#);
    }

    #[test]
    fn without_ids_results_belong_to_calls_by_name_and_in_order() {
        let chat: ChatRequest = serde_json::from_str(
            r#"{"model":"m","messages":[
                {"role":"assistant","tool_calls":[
                    {"id":"","function":{"name":"get_status","arguments":"{}"}},
                    {"id":"","function":{"name":"deploy","arguments":"{\"to\":\"a\"}"}},
                    {"id":"","function":{"name":"notify","arguments":"{}"}},
                    {"id":"","function":{"name":"deploy","arguments":"{\"to\":\"b\"}"}}]},
                {"role":"tool","tool_call_id":"","name":"get_status","content":"fine"},
                {"role":"tool","tool_call_id":"","name":"deploy","content":"done"},
                {"role":"tool","tool_call_id":"","name":"notify","content":"sent"},
                {"role":"tool","tool_call_id":"","name":"deploy","content":"busy"},
                {"role":"tool","tool_call_id":"","name":"deploy","content":"nobody asked"}]}"#,
        )
        .unwrap();
        let mut ledger = Ledger::default();
        ledger.record(&chat, 0..chat.len(), &LedgerRules::default());
        let expected = "<ledger>\nCalls made:\n- deploy(to=\"a\")\n  → done\n\
                        - notify()\n  → sent\n- deploy(to=\"b\")\n  → busy\n</ledger>";
        assert_eq!(ledger.to_string(), expected);
    }

    #[test]
    fn lists_of_any_name_are_bounded_in_number() {
        let mut rules = LedgerRules::none().record(" \n", "t", "id");
        for number in 0..40 {
            rules = rules.record(format!("- List {number:02}:\n"), "t", "id");
        }
        let chat = ChatRequest::new(
            "m",
            [ChatMessage::assistant("").call("c", "t", r#"{"id":1}"#)],
        );
        let mut ledger = Ledger::default();
        ledger.record(&chat, [0], &rules);
        assert_eq!(ledger.len(), MOST_LISTS);
        let text = ledger.to_string();
        assert!(
            text.starts_with("<ledger>\nList 00:\n- 1\nList 01:\n- 1\n"),
            "{text}"
        );
        assert_eq!(Ledger::parse(&text), Some(ledger));
    }
}
