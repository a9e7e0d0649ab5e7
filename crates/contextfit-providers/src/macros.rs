//! What every middleware here has.

/// Access to the service that a middleware wraps in its field `inner`.
macro_rules! inner_service_accessors {
    () => {
        /// The inner service.
        pub const fn get_ref(&self) -> &S {
            &self.inner
        }

        /// The inner service, to be changed.
        pub const fn get_mut(&mut self) -> &mut S {
            &mut self.inner
        }

        /// Takes the layer off.
        pub fn into_inner(self) -> S {
            self.inner
        }
    };
}
