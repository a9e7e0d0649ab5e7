use std::fmt;

use super::render::{TAG, framed, written};
use super::{ItemCaps, Transcript};
use crate::plan::clip_text;
use crate::summary::quote_inside;

/// As much of a transcript as a summarizer can read at once.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Chunk {
    /// The messages as text, as [`Transcript::render`] writes it. It says itself how many messages
    /// are missing before them.
    pub text: String,
    /// The messages.
    pub messages: Transcript,
    /// How many messages before them are in no chunk.
    pub omitted: usize,
}

impl Transcript {
    /// Cuts a transcript into chunks of at most `budget` tokens, in order, as `count` counts a
    /// text; of the newest messages as many as are in `most` chunks.
    ///
    /// The newest message is always there. A message that is over the budget by itself is a chunk of
    /// its own, and its middle is left out, as far as it can be. If not all messages are in a chunk,
    /// the first says how many are missing. That note isn't counted, and neither are the blank lines
    /// between messages: leave some room for them. There is at least one chunk, if an empty one.
    ///
    /// ```
    /// use contextfit_core::chat::{ChatMessage, ChatRequest};
    /// use contextfit_core::summary::{ItemCaps, Transcript};
    ///
    /// let chat = ChatRequest::new("a-model", [
    ///     ChatMessage::user("Which port?"),
    ///     ChatMessage::assistant("8080."),
    /// ]);
    /// let transcript = Transcript::of(&chat, 0..2);
    /// let within = |most| transcript.chunks(20, most, &ItemCaps::default(), |text| text.len() as u64);
    ///
    /// assert_eq!(within(8).len(), 2);
    /// let newest = &within(1)[0];
    /// assert_eq!((newest.messages.len(), newest.omitted), (1, 1));
    /// assert!(newest.text.starts_with("<conversation>\n[1 earlier message is not shown"));
    /// assert!(newest.text.ends_with("\n\n[Assistant]: 8080.\n</conversation>"));
    /// ```
    #[must_use]
    pub fn chunks(
        &self,
        budget: u64,
        most: usize,
        caps: &ItemCaps,
        count: impl Fn(&str) -> u64,
    ) -> Vec<Chunk> {
        let cost = |text: &str| count(&quote_inside(TAG, text));
        let mut chunks = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let (mut left, mut end) = (budget, self.len());
        let chunk = |texts: &mut Vec<String>, start: usize, end: usize, omitted: usize| {
            texts.extend((omitted > 0).then(|| not_shown(omitted)));
            texts.reverse();
            Chunk {
                text: framed(&std::mem::take(texts)),
                messages: self.slice(start..end),
                omitted,
            }
        };
        for (index, parts) in self.messages().iter().enumerate().rev() {
            let mut text = written(parts, caps);
            if text.is_empty() {
                continue;
            }
            let tokens = cost(&text);
            if tokens > left && !texts.is_empty() {
                if chunks.len() + 1 >= most {
                    chunks.push(chunk(&mut texts, index + 1, end, index + 1));
                    chunks.reverse();
                    return chunks;
                }
                chunks.push(chunk(&mut texts, index + 1, end, 0));
                (left, end) = (budget, index + 1);
            }
            if tokens > left
                && let Some((clipped, _)) = clip_text(&text, budget, cost)
            {
                text = clipped;
            }
            left = left.saturating_sub(tokens);
            texts.push(text);
        }
        chunks.push(chunk(&mut texts, 0, end, 0));
        chunks.reverse();
        chunks
    }
}

/// What stands for messages that the summarizer can't read.
fn not_shown(messages: usize) -> String {
    let are = match messages {
        1 => "message is",
        _ => "messages are",
    };
    format!(
        "[{messages} earlier {are} not shown: there was no room for more, and no earlier summary \
         covers what they said. Don't guess it, and say nothing of them as if it were known.]"
    )
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Chunk")
            .field("messages", &self.messages.len())
            .field("omitted", &self.omitted)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn of(chat: &ChatRequest) -> Transcript {
        Transcript::of(chat, 0..chat.messages.len())
    }

    /// The newest messages that are in one chunk.
    fn newest(chat: &ChatRequest, budget: u64) -> Chunk {
        of(chat).chunks(budget, 1, &ItemCaps::NONE, chars).remove(0)
    }

    fn chars(text: &str) -> u64 {
        text.chars().count() as u64
    }

    fn numbered(messages: usize) -> ChatRequest {
        // Each is written in 20 characters.
        let message = |number| ChatMessage::user(format!("message {number:04}"));
        ChatRequest::new("m", (0..messages).map(message))
    }

    #[test]
    fn a28_the_newest_messages_that_fit_are_kept() {
        let chat = numbered(10);
        for (budget, kept) in [(200, 10), (199, 9), (60, 3), (59, 2), (40, 2), (21, 1)] {
            let shown = newest(&chat, budget);
            assert_eq!((shown.messages.len(), shown.omitted), (kept, 10 - kept));
            for number in 0..10 {
                let message = format!("[User]: message {number:04}");
                assert_eq!(shown.text.contains(&message), number >= 10 - kept);
            }
        }
    }

    #[test]
    fn a28_the_newest_message_is_always_kept() {
        let long = "word ".repeat(1_000);
        let chat = ChatRequest::new("m", [ChatMessage::user("a"), ChatMessage::user(long)]);
        // Clipped if need be, and whole where not even a marker fits.
        for (budget, least, most) in [(10_000, 5_000, 5_100), (500, 600, 720), (1, 5_000, 5_300)] {
            let shown = newest(&chat, budget);
            assert!((least..most).contains(&chars(&shown.text)), "{budget}");
            assert_eq!(shown.messages.len(), if budget == 10_000 { 2 } else { 1 });
        }
        assert_eq!(newest(&ChatRequest::new("m", []), 0).messages.len(), 0);
    }

    #[test]
    fn a30_a_note_opens_the_transcript_if_anything_is_left_out() {
        let chat = numbered(10);
        let shown = newest(&chat, 60);
        let note = "<conversation>\n[7 earlier messages are not shown: ";
        assert!(shown.text.starts_with(note), "{}", shown.text);
        assert_eq!(
            newest(&chat, 200).text,
            of(&chat).render(&ItemCaps::default())
        );
    }

    #[test]
    fn what_is_never_shown_is_not_missed() {
        let mut chat = numbered(3);
        chat.messages.insert(0, ChatMessage::system("s"));
        chat.messages.insert(1, ChatMessage::user(""));
        chat.messages.push(ChatMessage::assistant(""));
        chat.messages.push(ChatMessage::system("s"));
        let all = newest(&chat, 60);
        assert_eq!((all.messages.len(), all.omitted), (5, 0));
        let two = newest(&chat, 59);
        assert_eq!((two.messages.len(), two.omitted), (3, 2));
    }

    proptest! {
        #[test]
        fn a_transcript_is_within_its_budget_and_can_not_be_closed(
            texts in vec("(</?conversation>|\\[User\\]: |\n|[a-zé ]){0,40}", 1..12),
            budget in 60_u64..400,
        ) {
            let messages = texts.iter().map(|text| ChatMessage::user(text.as_str()));
            let chat = ChatRequest::new("m", messages);
            let (shown, all) = (newest(&chat, budget), of(&chat));
            prop_assert_eq!(shown.messages.len() + shown.omitted, texts.len());
            prop_assert_eq!(shown.text.matches("</conversation>").count(), 1);

            let inside = shown.text.strip_prefix("<conversation>\n");
            let mut inside = inside.and_then(|text| text.strip_suffix("\n</conversation>")).unwrap();
            if shown.omitted > 0 {
                inside = inside.strip_prefix(&not_shown(shown.omitted)).unwrap().trim_start();
            }
            let between = 2 * (shown.messages.len() as u64).saturating_sub(1);
            prop_assert!(chars(inside) <= budget + between);
            // One more wouldn't fit.
            if shown.omitted > 0 {
                let newest = shown.omitted - 1..texts.len();
                let more: u64 = newest.map(|index| chars(&quote_inside(TAG, &written(&all.messages()[index], &ItemCaps::NONE)))).sum();
                prop_assert!(more > budget);
            }
        }

        #[test]
        fn every_message_is_in_one_chunk_in_order(
            texts in vec("[a-zé ]{0,60}", 0..20),
            budget in 20_u64..200,
            most in 1_usize..8,
        ) {
            let messages = texts.iter().map(|text| ChatMessage::user(text.as_str()));
            let chat = ChatRequest::new("m", messages);
            let all = of(&chat);
            let chunks = all.chunks(budget, most, &ItemCaps::NONE, chars);
            prop_assert!((1..=most).contains(&chunks.len()));
            let (first, later) = chunks.split_first().unwrap();
            prop_assert!(later.iter().all(|chunk| chunk.omitted == 0 && !chunk.messages.is_empty()));
            let joined: Vec<_> = chunks.iter().flat_map(|chunk| chunk.messages.messages()).collect();
            prop_assert_eq!(joined.len() + first.omitted, texts.len());
            prop_assert!(joined.into_iter().eq(&all.messages()[first.omitted..]));
            // None is missing while there are chunks left to be had.
            prop_assert!(first.omitted == 0 || chunks.len() == most);
        }
    }
}
