use contextfit_tower::{Usage, UsageReader};

use super::ResponseUsage;

/// Reads the usage from the whole JSON of a response, in bytes or as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonUsage;

impl<T: AsRef<[u8]>> UsageReader<T> for JsonUsage {
    fn usage(&self, response: &T) -> Option<Usage> {
        let mut usage = ResponseUsage::new();
        usage.read(response.as_ref());
        usage.usage()
    }
}
