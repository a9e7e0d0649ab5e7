use contextfit_core::request::Role;

use super::WireRequest;
use super::index::Message;
use super::json::Span;

impl WireRequest {
    /// Joins messages that follow each other from the same side, for providers that demand that
    /// user and assistant alternate.
    ///
    /// Neighbours become one message where each has nothing but a role and its content. Their
    /// texts stay parts of their own, in order, so that nothing runs together, and a summary can
    /// still be told from what was said next to it. All else is as it was. Formats without parts
    /// are left alone; so is a message of Anthropic's that begins with what the model thought, which
    /// has to come first; and so is everything where nothing is to be merged.
    ///
    /// Where the provider demands it, messages with further fields are merged, too: such fields
    /// stay, but of one message only.
    ///
    /// It is meant for the copy on the wire: the layers find their own summary by its being a
    /// message alone. So it goes innermost, below them and right above the provider.
    ///
    /// ```
    /// use contextfit_providers::wire::{WireFormat, WireRequest};
    ///
    /// let body = r#"{"messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b"}]}]}"#;
    /// let request = WireRequest::parse(WireFormat::OpenAiChat, body)?.merge_neighbours();
    /// assert_eq!(
    ///     request.body(),
    ///     r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}"#,
    /// );
    /// # Ok::<(), contextfit_providers::wire::WireError>(())
    /// ```
    #[must_use]
    pub fn merge_neighbours(self) -> Self {
        let merging = self.format.rules().merging;
        let Some(text_part) = merging.text_part else {
            return self;
        };
        let edits: Vec<_> = self
            .index
            .messages
            .chunk_by(|one, next| {
                let may_be_joined = merging.is_required || !one.has_more && !next.has_more;
                may_be_joined && go_together(one, next)
            })
            .filter(|run| run.len() > 1)
            .map(|run| {
                let range = run[0].span.start()..run[run.len() - 1].span.end();
                (range, self.merged(run, text_part))
            })
            .collect();
        if edits.is_empty() {
            return self;
        }
        let body = self.spliced(0..self.body.len(), edits);
        // What can't be read again is left as it was.
        self.with_body(body).unwrap_or(self)
    }

    /// A run of messages as one: the one with further fields, or else the first, with the content
    /// of all.
    pub(super) fn merged(&self, run: &[Message], text_part: [&str; 2]) -> String {
        let one = run.iter().find(|one| one.has_more).unwrap_or(&run[0]);
        let contents = run.iter().filter_map(|message| message.said);
        let is_empty = |said: &Span| said.is_literal() && said.start() == said.end();
        // Some providers refuse a part that says nothing.
        let says_nothing = contents.clone().all(|said| is_empty(&said));
        let parts: Vec<String> = contents
            .filter(|said| says_nothing || !is_empty(said))
            .map(|said| self.parts(said, text_part))
            .filter(|parts| !parts.is_empty())
            .collect();
        let content = one.said.map(|said| {
            let quotes = usize::from(said.is_literal());
            let written = said.start() - quotes..said.end() + quotes;
            (written, format!("[{}]", parts.join(",")))
        });
        let message = one.span.start()..one.span.end();
        self.spliced(message, content.into_iter().collect())
    }

    /// The parts of a content, without their brackets.
    fn parts(&self, said: Span, [before, after]: [&str; 2]) -> String {
        if said.is_literal() {
            format!("{before}\"{}\"{after}", said.written(&self.body))
        } else {
            let list = self.written(said.start() + 1..said.end() - 1);
            list.trim().to_owned()
        }
    }
}

fn go_together(one: &Message, next: &Message) -> bool {
    let same_side = side(one.role).is_some() && side(one.role) == side(next.role);
    same_side && one.said.is_some() && next.said.is_some()
}

/// Who speaks where there are but two sides: results of tools are told by the user.
const fn side(role: Role) -> Option<Role> {
    match role {
        Role::User | Role::Tool => Some(Role::User),
        Role::Assistant => Some(Role::Assistant),
        Role::System | Role::Developer => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::wire::{WireFormat, WireRequest};

    fn merged(messages: &str) -> String {
        let body = format!(r#"{{"messages":[{messages}]}}"#);
        let request = WireRequest::parse(WireFormat::OpenAiChat, body).unwrap();
        let body = request.merge_neighbours().into_body();
        let body = std::str::from_utf8(&body).unwrap();
        body[13..body.len() - 2].to_owned()
    }

    #[test]
    fn neighbours_become_one_message_with_their_parts_in_order() {
        let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
        let user = |content: &str| format!(r#"{{"role":"user","content":{content}}}"#);
        let parts = user(&format!("[ {} , {} ]", text("b"), text("c")));
        let run = [user(r#""a\n""#), parts, user("[]"), user(r#""""#)].join(" , ");
        let expected = [text("a\\n"), format!("{} , {}", text("b"), text("c"))];
        assert_eq!(merged(&run), user(&format!("[{}]", expected.join(","))));
    }

    #[test]
    fn what_has_more_than_a_content_stays_apart() {
        for messages in [
            r#"{"role":"user","content":"a","name":"ann"},{"role":"user","content":"b"}"#,
            r#"{"role":"user","content":"a"},{"role":"user","content":null}"#,
            r#"{"role":"system","content":"a"},{"role":"system","content":"b"}"#,
            r#"{"role":"user","content":"a"},{"role":"assistant","content":"b"}"#,
            r#"{"role":"tool","content":"a"},{"role":"user","content":"b"}"#,
            r#"{"role":"user","content":"a"}"#,
        ] {
            assert_eq!(merged(messages), messages);
        }
    }
}
