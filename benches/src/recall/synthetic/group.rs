use contextfit_core::chat::ChatMessage;

use super::{code, one};
use crate::random::Random;

const PEOPLE: &[&str] = &["Ann", "Bert", "Chiara", "Dmitri"];
const TOPICS: &[&str] = &[
    "the venue",
    "the budget",
    "the speakers",
    "the recordings",
    "the badges",
    "catering",
    "the website",
    "insurance",
];
const SMALL_TALK: &[&str] = &[
    "Sounds good to me.",
    "Hm, let me think about it over lunch.",
    "I was at the dentist, sorry, what did I miss?",
    "Ha, that reminds me of last year.",
    "Can we talk about this on Monday instead? I'm on the train.",
    "Agreed.",
    "No strong feelings either way, honestly.",
];

/// Four people and an assistant plan a conference: much talk, a few things that count.
pub(super) fn conversation() -> Vec<ChatMessage> {
    let random = &mut Random::new(13);
    let mut messages = vec![says("Ann", "We plan the conference of next May here. @assistant please keep track of what we decide. The budget is 84,500 EUR and must not be exceeded, the code of the project is CONF-MAY31.".to_owned())];
    let mut known: Vec<String> = vec!["CONF-MAY31".to_owned()];
    for _ in 0..110 {
        let who = one(random, PEOPLE);
        let topic = one(random, TOPICS);
        let number = 100 + random.below(9_000);
        let text = match random.below(9) {
            0 => {
                let offer = format!("OFF-{}", code(random, 5));
                known.push(offer.clone());
                format!("I got an offer for {topic}: {number} EUR, valid until {:02}.0{}., number {offer}. See https://offers.example/{topic}/{number}", 1 + random.below(28), 1 + random.below(9)).replace("https://offers.example/the ", "https://offers.example/")
            }
            1 => format!(
                "We decided on {} for {topic}, because the others are over {number} EUR.",
                one(
                    random,
                    &known.iter().map(String::as_str).collect::<Vec<_>>()
                )
            ),
            2 => format!(
                "I can't accept that for {topic}. We need at least {} seats, and {} has only {number}.",
                150 + random.below(300),
                one(
                    random,
                    &known.iter().map(String::as_str).collect::<Vec<_>>()
                )
            ),
            3 => format!(
                "The upload of plan_{}.pdf failed: Error: quota of {} MB exceeded for {}@conf.example",
                number,
                100 + random.below(900),
                who.to_lowercase()
            ),
            4 => format!(
                "I put the numbers for {topic} into shared/2031/{}_{number}.xlsx, have a look at row {}.",
                topic.trim_start_matches("the "),
                10 + random.below(90)
            ),
            _ => one(random, SMALL_TALK).to_owned(),
        };
        messages.push(says(who, text));
        if random.below(4) == 0 {
            let about = known[random.below(known.len())].clone();
            messages.push(ChatMessage::assistant(format!(
                "Noted for {topic}: {about}. {} EUR are left of the budget.",
                10_000 + random.below(60_000)
            )));
        }
        messages.push(says(
            one(random, PEOPLE),
            one(random, SMALL_TALK).to_owned(),
        ));
    }
    messages.push(says(
        "Ann",
        "@assistant what did we decide so far?".to_owned(),
    ));
    messages
}

fn says(who: &str, text: String) -> ChatMessage {
    let mut message = ChatMessage::user(text);
    message.name = Some(who.into());
    message
}
