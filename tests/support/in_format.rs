use contextfit_core::estimate::{Estimator, PromptFormat, TokenCount};
use contextfit_core::request::{Piece, Role, Str};

/// Four characters to a token, in the format of a provider.
#[derive(Clone, Copy, Debug)]
pub struct InFormat(pub PromptFormat);

impl Estimator for InFormat {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        let quarters = |text: Str<'_>| TokenCount::ratio(text.char_count() as u64, 4);
        self.0.count(piece, quarters)
    }

    fn message_overhead(&self, role: Role) -> TokenCount {
        self.0.message(role)
    }

    fn request_overhead(&self, schemas: usize) -> TokenCount {
        self.0.request(schemas)
    }
}
