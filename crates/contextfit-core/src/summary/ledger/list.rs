use super::Entry;

/// Entries of one kind, in the order in which they were last met.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct List {
    pub(super) name: String,
    /// The oldest first; none twice.
    pub(super) entries: Vec<Entry>,
    /// How many made room for newer ones since there is this list.
    pub(super) left_out: u64,
}

impl List {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            entries: Vec::new(),
            left_out: 0,
        }
    }

    pub(super) fn has(&self, text: &str) -> bool {
        self.entries.iter().any(|entry| entry.text == text)
    }

    /// Adds the newest entry. One of the same text was the same, so it only moves.
    pub(super) fn add(&mut self, entry: Entry) {
        self.remove(&entry.text);
        self.entries.push(entry);
    }

    pub(super) fn remove(&mut self, text: &str) {
        self.entries.retain(|entry| entry.text != text);
    }

    pub(super) fn keep_newest(&mut self, most: usize) {
        let surplus = self.entries.len().saturating_sub(most);
        self.entries.drain(..surplus);
        self.left_out = self.left_out.saturating_add(surplus as u64);
    }

    /// Whether it has nothing to say.
    pub(super) const fn is_blank(&self) -> bool {
        self.entries.is_empty() && self.left_out == 0
    }
}
