//! What roles are called.

use contextfit::request::Role;

/// Who speaks.
pub(crate) const fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}
