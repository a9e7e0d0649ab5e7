use contextfit::overflow::Class;

/// What a class means for who sent the request.
pub(super) const fn kind(class: Class) -> &'static str {
    match class {
        Class::OutputCap => "output_limit",
        class if class.is_overflow() => "overflow",
        _ => "not_overflow",
    }
}
