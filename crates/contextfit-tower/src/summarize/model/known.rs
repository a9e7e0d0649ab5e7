//! What is known of a summarizer's model.

use std::sync::Arc;

use contextfit_core::estimate::Estimator;

/// What a summarizer's model can do, as far as whoever made it says.
#[derive(Clone, Default)]
pub(in crate::summarize) struct Model {
    pub(in crate::summarize) name: Option<Arc<str>>,
    pub(in crate::summarize) window: Option<u64>,
    pub(in crate::summarize) max_output_tokens: Option<u32>,
    pub(in crate::summarize) estimator: Option<Arc<dyn Estimator>>,
}

/// Says what a model can do, on a type with a field `model`.
macro_rules! say_model {
    () => {
        /// Says what its model is called, for traces and metrics.
        #[must_use]
        pub fn model(mut self, name: impl Into<std::sync::Arc<str>>) -> Self {
            self.model.name = Some(name.into());
            self
        }

        /// Says how many tokens its model can hold, output included. What is longer is given to it
        /// in chunks, see [`Summarizer::window`](crate::Summarizer::window).
        #[must_use]
        pub const fn window(mut self, tokens: u64) -> Self {
            self.model.window = Some(tokens);
            self
        }

        /// Says how much output its model gives at most, in tokens. It bounds the summary.
        #[must_use]
        pub const fn max_output_tokens(mut self, tokens: u32) -> Self {
            self.model.max_output_tokens = Some(tokens);
            self
        }

        /// Says what counts tokens as its model does, for its window. The fitter's own estimator
        /// counts unless set.
        #[must_use]
        pub fn estimator(
            mut self,
            estimator: impl contextfit_core::estimate::Estimator + 'static,
        ) -> Self {
            self.model.estimator = Some(std::sync::Arc::new(estimator));
            self
        }
    };
}

/// Tells what the model of another summarizer can do, held in a field.
macro_rules! tell_model_of {
    ($inner:ident) => {
        fn model(&self) -> Option<&str> {
            self.$inner.model()
        }

        fn max_output_tokens(&self) -> Option<u32> {
            self.$inner.max_output_tokens()
        }

        fn window(&self) -> Option<u64> {
            self.$inner.window()
        }

        fn estimator(&self) -> Option<std::sync::Arc<dyn contextfit_core::estimate::Estimator>> {
            self.$inner.estimator()
        }
    };
}

/// Tells what a model can do, in an implementation of [`Summarizer`](crate::Summarizer).
macro_rules! tell_model {
    () => {
        fn model(&self) -> Option<&str> {
            self.model.name.as_deref()
        }

        fn max_output_tokens(&self) -> Option<u32> {
            self.model.max_output_tokens
        }

        fn window(&self) -> Option<u64> {
            self.model.window
        }

        fn estimator(&self) -> Option<std::sync::Arc<dyn contextfit_core::estimate::Estimator>> {
            self.model.estimator.clone()
        }
    };
}
