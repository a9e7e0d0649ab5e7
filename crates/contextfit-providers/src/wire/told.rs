//! What tests of formats have in common.

use contextfit_core::request::{Conversation, Piece};

use super::{WireFormat, WireRequest};

/// All that a request tells: what is beside the messages, then for each message a line with its
/// role and its ties, and one for each piece.
pub(super) fn told(request: &WireRequest) -> Vec<String> {
    let mut told = vec![format!(
        "{:?} {:?}",
        request.model(),
        request.max_output_tokens()
    )];
    request.fixed(&mut |piece| told.push(line(&piece)));
    for index in 0..request.len() {
        let mut message = format!("{:?}", request.message(index).role);
        request.links(index, &mut |link| message.push_str(&format!(" {link:?}")));
        told.push(message);
        request.pieces(index, &mut |piece| told.push(line(&piece)));
    }
    told
}

fn line(piece: &Piece<'_>) -> String {
    let mut line = piece.kind().name().to_owned();
    piece.for_each_text(|text| {
        line.push('|');
        line.push_str(&text.decode());
    });
    if let Piece::Media(media) = piece
        && let Some(size) = media.size
    {
        line.push_str(&format!(" {}x{}", size.width, size.height));
    }
    line
}

/// Where a body is malformed. It is given back.
pub(super) fn place_of_error(format: WireFormat, body: &str) -> String {
    let error = WireRequest::parse(format, body.to_owned()).unwrap_err();
    let place = error.place().to_owned();
    assert_eq!(error.into_body(), body);
    place
}
