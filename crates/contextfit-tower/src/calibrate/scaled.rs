use std::sync::Arc;

use contextfit_core::estimate::{Estimator, TokenCount};
use contextfit_core::request::{Piece, Role};

use super::Slope;

/// An estimator whose tokens are worth what was learned of the provider's.
pub(crate) struct Scaled {
    inner: Arc<dyn Estimator>,
    slope: Slope,
}

impl Scaled {
    /// `inner` itself, where there is nothing to scale.
    pub(crate) fn by(slope: Slope, inner: Arc<dyn Estimator>) -> Arc<dyn Estimator> {
        let (counted, estimated) = slope.ratio();
        if counted == estimated {
            inner
        } else {
            Arc::new(Self { inner, slope })
        }
    }

    fn scale(&self, count: TokenCount) -> TokenCount {
        let (counted, estimated) = self.slope.ratio();
        count.scaled(counted, estimated)
    }
}

impl Estimator for Scaled {
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        self.scale(self.inner.count(piece))
    }

    fn message_overhead(&self, role: Role) -> TokenCount {
        self.scale(self.inner.message_overhead(role))
    }

    fn request_overhead(&self, schemas: usize) -> TokenCount {
        self.scale(self.inner.request_overhead(schemas))
    }
}
