use contextfit_core::plan::Plan;
use contextfit_core::request::{
    ApplyError, Conversation, EditConversation, Link, MessageRef, Piece, Role, Str,
};

/// A request as a list of items: what the model thought, its calls and their results each stand
/// in an item of their own, and mean nothing without each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Items(pub Vec<Item>);

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Somebody says something.
    Said(Role, String),
    /// The model thought, and nobody but the provider can read it.
    Thought(String),
    /// The model calls a tool, under this id, with these arguments.
    Called(String, String),
    /// What the tool answered to the call of this id.
    Answered(String, String),
}

impl Conversation for Items {
    fn model(&self) -> Option<&str> {
        None
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        MessageRef::new(match &self.0[index] {
            Item::Said(role, _) => *role,
            Item::Thought(_) | Item::Called(..) => Role::Assistant,
            Item::Answered(..) => Role::Tool,
        })
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        match &self.0[index] {
            Item::Said(..) => {}
            Item::Thought(_) => visit(Link::BindsNext),
            Item::Called(id, _) => visit(Link::Calls(id)),
            Item::Answered(id, _) => visit(Link::Answers(id)),
        }
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        visit(match &self.0[index] {
            Item::Said(_, text) => Piece::Text(Str::plain(text)),
            Item::Thought(secret) => Piece::Opaque(Str::plain(secret)),
            Item::Called(id, arguments) => Piece::ToolCall {
                id: Str::plain(id),
                name: Str::plain("read"),
                arguments: Str::plain(arguments),
            },
            Item::Answered(id, content) => Piece::ToolResult {
                call_id: Str::plain(id),
                name: Str::plain(""),
                content: Str::plain(content),
            },
        });
    }
}

impl EditConversation for Items {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        self.0 = plan.rewrite(
            &self.0,
            |summary| Item::Said(Role::User, summary.to_owned()),
            |item, clips| {
                let mut item = item.clone();
                // Each item has one piece, so there is one clip.
                for clip in clips {
                    match &mut item {
                        Item::Said(_, text) | Item::Answered(_, text) => {
                            text.clone_from(&clip.text);
                        }
                        Item::Thought(_) | Item::Called(..) => {
                            return Err(ApplyError::NoSuchPiece {
                                message: clip.message,
                                piece: clip.piece,
                            });
                        }
                    }
                }
                Ok(item)
            },
        )?;
        Ok(())
    }
}
