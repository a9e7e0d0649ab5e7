use anstyle::{AnsiColor, Style};

use super::super::kind::Look;

/// A text in a style.
pub(super) fn painted(text: &str, style: Style) -> String {
    if text.is_empty() {
        return String::new();
    }
    format!("{style}{text}{style:#}")
}

impl Look {
    /// What it is drawn with. Each differs from the others without its colour, too.
    pub(super) const fn pattern(self) -> char {
        match self {
            Self::Text => '█',
            Self::ToolResult => '▒',
            Self::ToolCall => '▓',
            Self::Thinking => '░',
            Self::Media => '▚',
            Self::Schema => '▤',
            Self::Summary => '▞',
            Self::Other => '·',
        }
    }

    /// Its colour, one of those that a terminal's theme sees to.
    pub(super) const fn style(self) -> Style {
        let color = match self {
            Self::Text => AnsiColor::Blue,
            Self::ToolResult => AnsiColor::Cyan,
            Self::ToolCall => AnsiColor::Yellow,
            Self::Thinking => AnsiColor::Magenta,
            Self::Media => AnsiColor::Red,
            Self::Schema => AnsiColor::BrightBlue,
            Self::Summary => AnsiColor::Green,
            Self::Other => return Style::new(),
        };
        color.on_default()
    }
}
