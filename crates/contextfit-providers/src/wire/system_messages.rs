use contextfit_core::request::Role;

use super::WireRequest;
use super::index::Message;

impl WireRequest {
    /// Moves each system message behind the user's next words, or else their last, where an
    /// answer follows: what stood around it may have been cut. Those that meet become one.
    pub(super) fn system_messages_behind_user(self) -> Self {
        let messages = &self.index.messages;
        let (Some(list), true) = (self.index.list, messages.iter().any(is_system)) else {
            return self;
        };
        let runs = runs(messages);
        let moved = runs.iter().flatten().map(|message| message.span);
        let in_order = moved.eq(messages.iter().map(|message| message.span));
        if in_order && runs.iter().all(|run| run.len() < 2) {
            return self;
        }
        let written: Vec<String> = runs.iter().flat_map(|run| self.as_one(run)).collect();
        let inside = list.start() + 1..list.end() - 1;
        let body = self.spliced(0..self.body.len(), vec![(inside, written.join(","))]);
        // What can't be read again is left as it was.
        self.with_body(body).unwrap_or(self)
    }

    /// A run of messages as one, where they can be joined.
    fn as_one(&self, run: &[Message]) -> Vec<String> {
        match self.format.rules().merging.text_part {
            Some(text_part) if run.len() > 1 && can_be_joined(run) => {
                vec![self.merged(run, text_part)]
            }
            _ => {
                let spans = run.iter().map(|message| message.span);
                let written = spans.map(|span| self.written(span.start()..span.end()));
                written.map(str::to_owned).collect()
            }
        }
    }
}

fn can_be_joined(run: &[Message]) -> bool {
    let with_more = run.iter().filter(|one| one.has_more).count();
    with_more < 2 && run.iter().all(|one| one.said.is_some())
}

/// The messages in their new order, with the system messages that meet as one run.
fn runs(messages: &[Message]) -> Vec<Vec<Message>> {
    // Those that come before all others stay there: this provider takes them.
    let first = messages.iter().take_while(|message| is_system(message));
    let mut runs: Vec<_> = first.map(|&message| vec![message]).collect();
    let mut waiting = Vec::new();
    // Where the run after the user's last words is.
    let mut behind_user = runs.len();
    for &message in &messages[runs.len()..] {
        if is_system(&message) {
            waiting.push(message);
            continue;
        }
        let is_answer = message.role == Role::Assistant;
        if is_answer && !waiting.is_empty() && behind_user == runs.len() {
            runs.push(std::mem::take(&mut waiting));
        }
        runs.push(vec![message]);
        if !is_answer {
            behind_user = runs.len();
        }
    }
    match runs.get_mut(behind_user) {
        Some(run) if run.iter().all(is_system) => run.append(&mut waiting),
        _ if waiting.is_empty() => {}
        _ => runs.insert(behind_user, waiting),
    }
    runs
}

fn is_system(message: &Message) -> bool {
    message.role.is_fixed()
}

#[cfg(test)]
mod tests {
    use contextfit_core::cut::Cut;
    use contextfit_core::plan::Plan;
    use contextfit_core::request::EditConversation;
    use serde_json::Value;

    use crate::wire::{WireFormat, WireRequest};

    /// The messages of a conversation, a letter each, once those at some places are cut.
    fn cut(messages: &str, places: &[usize]) -> String {
        let each = messages.chars().enumerate().map(|(number, letter)| {
            let role = match letter {
                'u' => "user",
                'a' => "assistant",
                _ => "system",
            };
            format!(r#"{{"role":"{role}","content":"{letter}{number}"}}"#)
        });
        let body = format!(
            r#"{{"messages":[{}],"max_tokens":9}}"#,
            each.collect::<Vec<_>>().join(" , ")
        );
        let mut request = WireRequest::parse(WireFormat::AnthropicMessages, body).unwrap();
        let mut cut = Cut::none(messages.len());
        for &place in places {
            cut.add(place..place + 1);
        }
        let plan = Plan::new(cut, "sum".to_owned(), vec![]);
        request.apply(&plan).unwrap();
        let body: Value = serde_json::from_slice(&request.into_body()).unwrap();
        assert_eq!(body["max_tokens"], 9);
        let texts = body["messages"].as_array().unwrap().iter().map(|message| {
            let content = &message["content"];
            let parts = content.as_array().into_iter().flatten();
            let parts: Vec<_> = parts.filter_map(|part| part["text"].as_str()).collect();
            content.as_str().map_or(parts.join("+"), str::to_owned)
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_system_message_waits_for_the_next_words_of_the_user() {
        for (messages, places, expected) in [
            // Where it may stand it stays.
            ("usauau", &[4][..], "u0 s1 a2 u3 sum u5"),
            ("usau", &[0], "sum s1 a2 u3"),
            ("ssuauau", &[3], "s0 s1 u2 sum u4 a5 u6"),
            // Elsewhere it doesn't.
            ("usau", &[0, 2], "sum u3 s1"),
            ("usaua", &[2], "u0 sum u3 s1 a4"),
            ("usauaua", &[2, 3, 4], "u0 sum u5 s1 a6"),
            ("uauausau", &[1, 4], "u0 sum u2 a3 a6 u7 s5"),
            // Nobody speaks after it but the assistant.
            ("uauausa", &[1, 4], "u0 sum u2 s5 a3 a6"),
            ("usauausa", &[0, 3, 5], "sum s1+s6 a2 a4 a7"),
            // Two that meet are one.
            ("usauusau", &[0, 2, 3], "sum u4 s1+s5 a6 u7"),
            ("usauus", &[0, 2, 3], "sum u4 s1+s5"),
        ] {
            assert_eq!(cut(messages, places), expected, "{messages}");
        }
    }
}
