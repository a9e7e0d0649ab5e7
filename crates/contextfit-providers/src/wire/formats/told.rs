//! What is told of a body, for tests of the formats.

use contextfit_core::request::{Conversation, Link, Piece};
use serde_json::Value;

use crate::wire::{WireFormat, WireRequest};

/// Everything that is told of a request: what is sent beside the messages, then each message with
/// its role, its pieces and its ties.
pub(super) fn told(format: WireFormat, body: &str) -> Vec<String> {
    let request = WireRequest::parse(format, body.to_owned()).unwrap();
    let mut told = vec![format!(
        "{:?} {:?}",
        request.model(),
        request.max_output_tokens()
    )];
    request.fixed(&mut |piece| told.push(of_piece(piece)));
    for index in 0..request.len() {
        let role = request.message(index).role;
        told.push(format!("{role:?}").to_lowercase());
        request.pieces(index, &mut |piece| told.push(of_piece(piece)));
        request.links(index, &mut |link| {
            told.push(match link {
                Link::Calls(id) => format!("calls {id}"),
                Link::Answers(id) => format!("answers {id}"),
                other => format!("{other:?}"),
            });
        });
    }
    told
}

fn of_piece(piece: Piece<'_>) -> String {
    let mut texts = vec![piece.kind().name().to_owned()];
    piece.for_each_text(|text| texts.push(text.decode().into_owned()));
    if let Piece::Media(media) = piece {
        texts.push(format!("{:?}", media.bytes));
    }
    texts.join("|")
}

/// The same body with the fields of every object the other way round, but for those inside of
/// fields of these names.
pub(super) fn turned_round(body: &str, but: &[&str]) -> [String; 2] {
    let value: Value = serde_json::from_str(body).unwrap();
    [false, true].map(|is_turned| written(&value, but, is_turned))
}

fn written(value: &Value, but: &[&str], is_turned: bool) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<_> = elements
                .iter()
                .map(|element| written(element, but, is_turned))
                .collect();
            format!("[{}]", elements.join(","))
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| {
                    let is_turned = is_turned && !but.contains(&name.as_str());
                    format!(
                        "{}:{}",
                        Value::from(name.as_str()),
                        written(value, but, is_turned)
                    )
                })
                .collect();
            if is_turned {
                fields.reverse();
            }
            format!("{{{}}}", fields.join(","))
        }
        other => other.to_string(),
    }
}

/// Bodies that are nested deeper than anybody reads: in a field that isn't known, and in each of
/// these places, which are marked by `?`. They are read or refused, and nothing else happens.
pub(super) fn assert_depth_is_bounded(format: WireFormat, places: &[&str]) {
    for place in places {
        for [open, close] in [
            ["[", "]"],
            [r#"{"a":"#, "}"],
            [r#"{"parts":"#, "}"],
            [r#"{"request":"#, "}"],
        ] {
            for (depth, inside) in [(150, "1"), (200_000, "1"), (200_000, "")] {
                let deep = format!("{}{inside}{}", open.repeat(depth), close.repeat(depth));
                let body = place.replace('?', &deep);
                if let Err(error) = WireRequest::parse(format, body.clone()) {
                    assert_eq!(error.into_body(), body);
                }
            }
        }
    }
}
