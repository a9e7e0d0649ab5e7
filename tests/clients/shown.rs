use contextfit_core::request::{Conversation, Role};

/// All that a view shows, in an order and in a form that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) model: Option<String>,
    pub(crate) messages: Vec<ShownMessage>,
    pub(crate) fixed: Vec<String>,
    pub(crate) max_output: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownMessage {
    pub(crate) role: Role,
    pub(crate) pinned: bool,
    pub(crate) links: Vec<String>,
    pub(crate) pieces: Vec<String>,
}

pub(crate) fn shown(view: &impl Conversation) -> Shown {
    let message = |index| {
        let message = view.message(index);
        let (mut links, mut pieces) = (Vec::new(), Vec::new());
        view.links(index, &mut |link| links.push(format!("{link:?}")));
        view.pieces(index, &mut |piece| pieces.push(format!("{piece:?}")));
        ShownMessage {
            role: message.role,
            pinned: message.pinned,
            links,
            pieces,
        }
    };
    let mut fixed = Vec::new();
    view.fixed(&mut |piece| fixed.push(format!("{piece:?}")));
    Shown {
        model: view.model().map(str::to_owned),
        messages: (0..view.len()).map(message).collect(),
        fixed,
        max_output: view.max_output_tokens(),
    }
}
