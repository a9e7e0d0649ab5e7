use std::collections::BTreeMap;

/// The calls that wait for their result: by id, the message that calls.
///
/// Most calls are answered at once, so that only a few are ever open: those are looked through,
/// which takes a fraction of a map's time. The rest are in a map that is ordered, because nobody
/// can choose ids that make it slow.
#[derive(Default)]
pub(super) struct OpenCalls<'a> {
    few: Vec<(&'a str, usize)>,
    rest: BTreeMap<&'a str, usize>,
}

impl<'a> OpenCalls<'a> {
    /// So many are looked through.
    const FEW: usize = 8;

    /// Opens a call, instead of an earlier one of the same id.
    pub(super) fn call(&mut self, id: &'a str, message: usize) {
        if let Some(place) = self.place(id) {
            self.few[place].1 = message;
        } else if self.few.len() < Self::FEW && self.rest.is_empty() {
            // No id may be in both.
            self.few.push((id, message));
        } else {
            self.rest.insert(id, message);
        }
    }

    /// Closes the call of this id; `None` if none is open.
    pub(super) fn answer(&mut self, id: &str) -> Option<usize> {
        match self.place(id) {
            Some(place) => Some(self.few.swap_remove(place).1),
            None => self.rest.remove(id),
        }
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.few.iter().position(|&(open, _)| open == id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn calls_are_open_until_they_are_answered(
            steps in prop::collection::vec((any::<bool>(), "[a-e]{1,2}"), 0..120),
        ) {
            let (mut open, mut expected) = (OpenCalls::default(), HashMap::new());
            for (message, (calls, id)) in steps.iter().enumerate() {
                if *calls {
                    open.call(id, message);
                    expected.insert(id.as_str(), message);
                } else {
                    prop_assert_eq!(open.answer(id), expected.remove(id.as_str()));
                }
            }
        }
    }
}
