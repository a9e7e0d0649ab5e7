use contextfit_core::chat::ChatMessage;
use serde_json::json;

use super::{called, code, one};
use crate::random::Random;

const ITEMS: &[&str] = &[
    "desk lamp",
    "office chair",
    "standing desk",
    "monitor arm",
    "keyboard",
    "headset",
    "webcam",
];
const WISHES: &[&str] = &[
    "It never arrived.",
    "It came with a dent.",
    "I was charged twice.",
    "I need it before Friday, otherwise cancel it.",
    "Please send it to another address.",
    "I'd like to return it, but I don't have the box any more.",
];
const NAMES: &[&str] = &[
    "Marta Lind",
    "Jonas Weber",
    "Aoife Byrne",
    "Ravi Menon",
    "Chen Yu",
    "Lucia Ferri",
];

/// A desk where one customer after the other asks for something, and some come back.
pub(super) fn conversation() -> Vec<ChatMessage> {
    let random = &mut Random::new(11);
    let mut messages = vec![ChatMessage::system(
        "You are the support desk of a furniture shop.",
    )];
    let mut orders: Vec<(String, &str, &str)> = Vec::new();
    for round in 0..34 {
        let back = (round % 4 == 3).then(|| random.below(orders.len()));
        let (order, name, item) = match back {
            Some(order) => orders[order].clone(),
            None => {
                let order = (
                    format!("ORD-{}", code(random, 6)),
                    one(random, NAMES),
                    one(random, ITEMS),
                );
                orders.push(order.clone());
                order
            }
        };
        let wish = one(random, WISHES);
        messages.push(ChatMessage::user(match back {
            Some(_) => format!("{name} again, about {order}. You promised me an answer. {wish}"),
            None => format!("Hi, I'm {name}. I ordered a {item}, the number is {order}. {wish}"),
        }));
        let price = format!("{}.{:02}", 20 + random.below(700), random.below(100));
        let tracking = format!("1Z{}", code(random, 10));
        called(&mut messages, "Let me look that up for you.", "get_order", json!({"order_id": order}).to_string(),
            json!({"order_id": order, "customer": {"name": name, "id": format!("cust_{}", 10_000 + random.below(80_000)), "zip": format!("{:05}", random.below(99_999))},
                "items": [{"sku": format!("SKU{}", 1_000 + random.below(8_999)), "name": item, "price": price, "stock": random.below(400)}],
                "payment": {"method": format!("card_{}", 1_000 + random.below(8_999)), "charged": price},
                "shipping": {"carrier": "DPX", "tracking": tracking, "shipped": format!("2031-0{}-{:02}", 1 + random.below(9), 1 + random.below(28))}}).to_string());
        let depot = format!("DEPOT-{}", 10 + random.below(80));
        called(&mut messages, "", "track", json!({"tracking": tracking}).to_string(),
            json!({"tracking": tracking, "events": (0..4).map(|hour| json!({"at": format!("{:02}:{:02}", 6 + 3 * hour, random.below(60)), "place": depot, "scan": code(random, 8)})).collect::<Vec<_>>()}).to_string());
        messages.push(ChatMessage::assistant(format!("Your {item} of {price} EUR was last seen at {depot}, the tracking number is {tracking}. Shall I refund it, or send another one?")));
        messages.push(ChatMessage::user(one(
            random,
            &[
                "Refund it, please.",
                "Send another one, but only if it is here by Friday.",
                "What would you do? I must have it next week.",
            ],
        )));
        let fails = random.below(4) == 0;
        let reference = format!("RF{}", code(random, 8));
        called(
            &mut messages,
            "I try to refund it.",
            "create_refund",
            json!({"order_id": order, "amount": price}).to_string(),
            match fails {
                true => format!(
                    "Error: refund of {price} is over the limit of {} for agents",
                    50 + random.below(200)
                ),
                false => json!({"refund": reference, "amount": price, "days": 3 + random.below(7)})
                    .to_string(),
            },
        );
        messages.push(ChatMessage::assistant(match fails {
            true => format!("I can't refund {price} EUR myself, it is over my limit. I passed {order} on to a colleague, case CS-{}.", 20_000 + random.below(9_999)),
            false => format!("Done: {price} EUR are refunded for {order}, the reference is {reference}. It takes a few days."),
        }));
    }
    messages.push(ChatMessage::user(
        "Thanks. Could you send me a list of what is still open?",
    ));
    messages
}
