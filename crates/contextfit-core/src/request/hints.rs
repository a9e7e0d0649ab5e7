use std::sync::Arc;

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
    /// Whom the conversation belongs to. What is kept of one tenant's is of no use to another: a
    /// summary that is found in a conversation counts only if it was written for the same one. It may
    /// as well name a conversation.
    pub tenant: Option<Arc<str>>,
    /// What whoever writes a summary of this conversation is to heed, in the caller's words.
    pub instructions: Option<Arc<str>>,
}

impl Hints {
    /// Sets the switch.
    #[must_use]
    pub fn switch(mut self, switch: Switch) -> Self {
        self.switch = switch;
        self
    }

    /// What a caller asks of a request, beside what the request says of itself. That its history is
    /// elsewhere, or that it can't be read, is a fact, which no wish to fit it changes.
    pub(super) fn asked(mut self, mut asked: Self) -> Self {
        if asked.switch != Switch::Off && self.switch.is_fact() || asked.switch == Switch::Auto {
            asked.switch = self.switch;
        }
        self.pins.append(&mut asked.pins);
        asked.pins = self.pins;
        asked.tenant = asked.tenant.or(self.tenant);
        asked.instructions = asked.instructions.or(self.instructions);
        asked
    }

    /// Says whom the conversation belongs to.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<Arc<str>>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// Says what a summary has to heed.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<Arc<str>>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Pins message `index`. An index out of range is ignored.
    #[must_use]
    pub fn pin(mut self, index: usize) -> Self {
        self.pins.push(index);
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
    /// Never, because the history stands on the provider's server, and the request only continues
    /// it: there is nothing here to count or to cut. As with [`Off`](Self::Off) the request goes
    /// through untouched, and nothing is resent.
    HistoryElsewhere,
    /// Never, because it can't be read, and the provider is to say what it thinks of it. Without
    /// this, a request that can't be read is refused.
    Unreadable,
}

impl Switch {
    /// Whether it says what a request is, and not what anybody wants.
    const fn is_fact(self) -> bool {
        matches!(self, Self::HistoryElsewhere | Self::Unreadable)
    }

    /// Whether the layers leave the request alone.
    #[must_use]
    pub const fn is_off(self) -> bool {
        matches!(self, Self::Off | Self::HistoryElsewhere | Self::Unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_wish_brings_a_history_here() {
        let own = || Hints::default().pin(1).switch(Switch::HistoryElsewhere);
        for (asked, is) in [
            (Switch::Auto, Switch::HistoryElsewhere),
            (Switch::Force, Switch::HistoryElsewhere),
            (Switch::Off, Switch::Off),
        ] {
            let hints = own().asked(Hints::default().pin(2).switch(asked));
            assert_eq!((hints.switch, hints.pins), (is, vec![1, 2]));
        }
    }

    #[test]
    fn what_is_asked_for_goes_before_what_a_request_says_unasked() {
        let own = Hints::default().switch(Switch::Off);
        let asked = Hints::default().switch(Switch::Force);
        assert_eq!(own.clone().asked(asked).switch, Switch::Force);
        assert_eq!(own.asked(Hints::default()).switch, Switch::Off);
    }
}
