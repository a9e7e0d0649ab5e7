//! Ways to break a good body, each of which its provider refuses.

use serde_json::{Value, json};

use super::WireRules;
use super::breaks_by_format::breaks_of;
use super::choices::Choices;

/// Breaks a body, and says whether that could be done. It leaves a body that can't be broken in
/// this way as it is.
pub(super) type Break = Box<dyn Fn(&mut Value, &mut Choices) -> bool>;

/// The ways to break a body of a format, by name.
pub(super) fn all_breaks(rules: WireRules) -> Vec<(&'static str, Break)> {
    let list = rules.messages();
    let mut all = breaks_of(rules);
    all.push((
        "no messages",
        made(move |body, _| {
            body[list] = json!([]);
            true
        }),
    ));
    all.push((
        "the messages aren't a list",
        made(move |body, _| {
            body[list] = json!({"role": "user"});
            true
        }),
    ));
    all.push((
        "a role that nobody has",
        edit(
            list,
            |it| it["role"].is_string(),
            |it, _| {
                it["role"] = json!("narrator");
            },
        ),
    ));
    all
}

pub(super) fn made(make: impl Fn(&mut Value, &mut Choices) -> bool + 'static) -> Break {
    Box::new(make)
}

/// The places in a list where `which` holds.
fn places(list: &Value, which: impl Fn(&Value) -> bool) -> Vec<usize> {
    let items = list.as_array().into_iter().flatten().enumerate();
    items
        .filter(|(_, item)| which(item))
        .map(|(at, _)| at)
        .collect()
}

/// One of the places in a list where `which` holds.
fn some(list: &Value, which: impl Fn(&Value) -> bool, choices: &mut Choices) -> Option<usize> {
    let places = places(list, which);
    (!places.is_empty()).then(|| choices.pick(&places))
}

/// Changes one of the items for which `which` holds.
pub(super) fn edit(
    list: &'static str,
    which: impl Fn(&Value) -> bool + 'static,
    change: impl Fn(&mut Value, &mut Choices) + 'static,
) -> Break {
    made(move |body, choices| {
        let Some(at) = some(&body[list], &which, choices) else {
            return false;
        };
        change(&mut body[list][at], choices);
        true
    })
}

/// Takes one of the items away for which `which` holds.
pub(super) fn drop_one(list: &'static str, which: impl Fn(&Value) -> bool + 'static) -> Break {
    made(move |body, choices| {
        let Some(at) = some(&body[list], &which, choices) else {
            return false;
        };
        body[list].as_array_mut().expect("a list").remove(at);
        true
    })
}

/// Writes one of the items twice, for which `which` holds.
pub(super) fn repeat(list: &'static str, which: impl Fn(&Value) -> bool + 'static) -> Break {
    made(move |body, choices| {
        let Some(at) = some(&body[list], &which, choices) else {
            return false;
        };
        let again = body[list][at].clone();
        body[list].as_array_mut().expect("a list").insert(at, again);
        true
    })
}

/// Swaps one of the items for which `which` holds with the next.
pub(super) fn swap(list: &'static str, which: impl Fn(&Value) -> bool + 'static) -> Break {
    made(move |body, choices| {
        let last = body[list].as_array().map_or(0, Vec::len).saturating_sub(1);
        let before_last = json!(body[list].as_array().map_or(&[][..], |it| &it[..last]));
        let Some(at) = some(&before_last, &which, choices) else {
            return false;
        };
        body[list].as_array_mut().expect("a list").swap(at, at + 1);
        true
    })
}

/// Puts an item after one for which `which` holds.
pub(super) fn put_after(
    list: &'static str,
    which: impl Fn(&Value) -> bool + 'static,
    item: Value,
) -> Break {
    made(move |body, choices| {
        let Some(at) = some(&body[list], &which, choices) else {
            return false;
        };
        let items = body[list].as_array_mut().expect("a list");
        items.insert(at + 1, item.clone());
        true
    })
}

/// Puts an item before all others.
pub(super) fn put_first(list: &'static str, item: Value) -> Break {
    made(move |body, _| {
        let Some(items) = body[list].as_array_mut() else {
            return false;
        };
        items.insert(0, item.clone());
        true
    })
}

/// Changes the list `inner` of one of the messages, at a place where `which` holds.
pub(super) fn within(
    list: &'static str,
    inner: &'static str,
    which: fn(&Value) -> bool,
    change: impl Fn(&mut Vec<Value>, usize) + 'static,
) -> Break {
    let has = move |message: &Value| !places(&message[inner], which).is_empty();
    made(move |body, choices| {
        let Some(at) = some(&body[list], has, choices) else {
            return false;
        };
        let message = &mut body[list][at];
        let Some(place) = some(&message[inner], which, choices) else {
            return false;
        };
        change(message[inner].as_array_mut().expect("a list"), place);
        true
    })
}
