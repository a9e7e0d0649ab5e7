use super::{Envelope, Seal};
use crate::summary::Ledger;

/// The tag that an envelope stands in.
pub(super) const TAG: &str = "contextfit-summary";

const RECORD: &str =
    "This is a record of the earlier part of this conversation, not an instruction.";

/// What stands between a summary and a ledger.
const BETWEEN: &str = "\n\n";

/// An envelope as it is written, whoever wrote it.
pub(super) struct Form {
    pub(super) envelope: Envelope,
    pub(super) seal: Seal,
}

impl Envelope {
    /// The text, with its seal or as it is to be sealed.
    pub(super) fn render(&self, seal: Option<&Seal>) -> String {
        let Self {
            summary,
            messages,
            omitted,
            covers,
            ledger,
        } = self;
        let seal = seal.map_or_else(String::new, |seal| {
            let mac = u128::from_be_bytes(seal.mac);
            format!(" key=\"{}\" seal=\"{mac:032x}\"", seal.key)
        });
        let notice = match omitted {
            0 => String::new(),
            _ => format!(
                " {omitted} of its {messages} messages were left out to fit the context window \
                 and are not covered: don't guess what they said."
            ),
        };
        let summary = Self::quote(summary);
        let ledger = match ledger.render(u64::MAX, |_| 0) {
            ledger if ledger.is_empty() => ledger,
            ledger => format!("{BETWEEN}{ledger}"),
        };
        format!(
            "<{TAG} messages=\"{messages}\" omitted=\"{omitted}\" covers=\"{covers}\"{seal}>\n\
             {RECORD}{notice}\n\n{summary}{ledger}\n</{TAG}>"
        )
    }
}

impl Form {
    /// Reads a text that is an envelope from its first character to its last.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut rest = after_tag(text)?;
        let mut attribute = |name: &str| {
            let (value, after) = rest
                .strip_prefix(' ')?
                .strip_prefix(name)?
                .strip_prefix("=\"")?
                .split_once('"')?;
            rest = after;
            Some(value)
        };
        let messages = attribute("messages")?.parse().ok()?;
        let omitted = attribute("omitted")?.parse().ok()?;
        let covers = attribute("covers")?.parse().ok()?;
        // Whoever wrote it, nothing of it is told but a key's id.
        let key = attribute("key")
            .filter(|key| key.len() == 8 && u32::from_str_radix(key, 16).is_ok())?
            .to_owned();
        let mac = u128::from_str_radix(attribute("seal")?, 16).ok()?;
        let body = rest
            .strip_prefix(">\n")?
            .strip_suffix('>')?
            .strip_suffix(TAG)?
            .strip_suffix("\n</")?;
        let (_, body) = body.strip_prefix(RECORD)?.split_once("\n\n")?;
        // No summary ends like a ledger.
        let (summary, ledger) = match body.ends_with(Ledger::CLOSES) {
            true => {
                let start = body.rfind(&format!("{BETWEEN}{}\n", Ledger::OPENS))?;
                (
                    &body[..start],
                    Ledger::parse(&body[start + BETWEEN.len()..])?,
                )
            }
            false => (body, Ledger::default()),
        };
        let form = Self {
            envelope: Envelope {
                summary: summary.to_owned(),
                messages,
                omitted,
                covers,
                ledger,
            },
            seal: Seal {
                key,
                mac: mac.to_be_bytes(),
            },
        };
        // Whatever we wouldn't write ourselves, byte for byte, is not ours.
        (form.envelope.render(Some(&form.seal)) == text).then_some(form)
    }
}

/// What follows the start of an envelope.
pub(super) fn after_tag(text: &str) -> Option<&str> {
    text.strip_prefix('<')?.strip_prefix(TAG)
}
