/// What one request asks of the layers, beyond the settings that hold for all.
///
/// Read from the request by [`RequestAdapter::hints`](super::RequestAdapter::hints); the easy
/// way to supply it is [`RequestAdapter::with_hints`](super::RequestAdapter::with_hints).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hints {
    /// Whether to fit this request at all.
    pub switch: Switch,
    /// Messages, by index, that must stay verbatim, besides those that are pinned anyway.
    pub pins: Vec<usize>,
}

impl Hints {
    /// Sets the switch.
    #[must_use]
    pub fn switch(mut self, switch: Switch) -> Self {
        self.switch = switch;
        self
    }

    /// Pins message `index`. An index out of range is ignored.
    #[must_use]
    pub fn pin(mut self, index: usize) -> Self {
        self.pins.push(index);
        self
    }

    /// Both together: the pins of both, and the switch that is set. One that is off stays off.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.pins.extend(other.pins);
        if self.switch != Switch::Off && other.switch != Switch::Auto {
            self.switch = other.switch;
        }
        self
    }
}

/// Whether a request is fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Switch {
    /// When it is over its limit, or a [trigger](crate::trigger::Trigger) is met.
    #[default]
    Auto,
    /// Never: the request goes through untouched, and nothing is resent.
    Off,
    /// Now, although it would fit: what a "compact" button asks for.
    Force,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_add_up_and_off_stays_off() {
        let hints = |switch| Hints::default().switch(switch);
        for (one, other, both) in [
            (Switch::Auto, Switch::Auto, Switch::Auto),
            (Switch::Auto, Switch::Force, Switch::Force),
            (Switch::Force, Switch::Auto, Switch::Force),
            (Switch::Force, Switch::Off, Switch::Off),
            (Switch::Off, Switch::Auto, Switch::Off),
            (Switch::Off, Switch::Force, Switch::Off),
        ] {
            let added = hints(one).pin(1).and(hints(other).pin(2));
            assert_eq!(added, hints(both).pin(1).pin(2));
        }
    }
}
