use crate::estimate::TokenCount;

/// What it costs where nobody knows how much there is of it.
const UNKNOWN: TokenCount = TokenCount::tokens(1_200);

/// What something sealed costs that has so many bytes once it is open. It is text, most often in
/// English: four bytes to a token. Its seal costs nothing, however it is written.
pub(in crate::estimate) fn sealed(bytes: Option<u64>) -> TokenCount {
    bytes.map_or(UNKNOWN, |bytes| TokenCount::ratio(bytes, 4))
}
