//! Renders views. The budget counts the rendered text, and a terminal only adds colors to it.

mod runbook_html;
mod runbook_json;
mod runbook_markdown;
mod screen_text;
mod state_words;

pub use runbook_html::{PlaceLink, pack_content};
pub use runbook_json::pack_schema;
pub(crate) use state_words::observed;
pub use state_words::state;

use crate::printing::{Format, Styled};
use crate::runbook::entry_view::EntryView;
use crate::runbook::runbook_view::View;
use crate::runbook::value_parts::Part;
use crate::runbook::verified_lines::TextLine;

/// Prints `view` in the given format.
#[must_use]
pub fn render(view: &View<'_>, format: Format) -> Styled {
    match format {
        Format::Text { width } => screen_text::render(view, width),
        Format::Markdown => runbook_markdown::render(view),
        Format::Html => runbook_html::render(view),
        Format::Json => runbook_json::render(view, false),
        Format::Tron => runbook_json::render(view, true),
    }
}

/// Texts whose sizes decide how much to show. For TRON these are the texts of JSON, which are
/// larger. For a web page they're those of its text.
impl Format {
    /// Returns the text of an entry without its lines.
    pub(crate) fn entry_head(self, entry: &EntryView<'_>) -> String {
        match self {
            Self::Text { width } => screen_text::entry_head(entry, width).plain(),
            Self::Markdown => runbook_markdown::entry_head(entry).plain(),
            Self::Html => screen_text::entry_head(entry, None).plain(),
            Self::Json | Self::Tron => runbook_json::entry_head(entry),
        }
    }

    /// Returns the text of an entry with its lines.
    pub(crate) fn entry(self, entry: &EntryView<'_>) -> String {
        match self {
            Self::Text { width } => screen_text::entry_text(entry, width).plain(),
            Self::Markdown => runbook_markdown::entry_text(entry).plain(),
            Self::Html => screen_text::entry_text(entry, None).plain(),
            Self::Json | Self::Tron => runbook_json::entry_head(entry),
        }
    }

    /// Returns approximately the text added by a part of an observation.
    pub(crate) fn part(self, part: &Part<'_, '_>) -> String {
        match self {
            Self::Json | Self::Tron => runbook_json::part(part),
            Self::Text { width } => screen_text::part(part, width),
            Self::Markdown => runbook_markdown::part(part),
            Self::Html => screen_text::part(part, None),
        }
    }

    /// Returns the mark for omitted parts of an observation.
    pub(crate) fn parts_mark(self) -> String {
        match self {
            Self::Json | Self::Tron => runbook_json::PARTS.to_owned(),
            Self::Text { .. } | Self::Markdown | Self::Html => self.cut_mark(9_999),
        }
    }

    /// Returns the text around the lines of a block.
    pub(crate) fn block_frame(self) -> String {
        match self {
            Self::Text { .. } | Self::Html => String::new(),
            Self::Markdown => runbook_markdown::FRAME.to_owned(),
            Self::Json | Self::Tron => runbook_json::FRAME.to_owned(),
        }
    }

    /// Returns the text for one line of a block.
    pub(crate) fn line(self, line: &TextLine) -> String {
        match self {
            Self::Text { width } => screen_text::line(line, width).plain(),
            Self::Markdown => runbook_markdown::line(line),
            Self::Html => screen_text::line(line, None).plain(),
            Self::Json | Self::Tron => runbook_json::line(line),
        }
    }

    /// Returns the text for a piece of a long line.
    pub(crate) fn piece(self, piece: &TextLine) -> String {
        match self {
            Self::Text { width } => screen_text::piece(piece, width).plain(),
            Self::Markdown => runbook_markdown::piece(piece),
            Self::Html => screen_text::piece(piece, None).plain(),
            Self::Json | Self::Tron => runbook_json::piece(piece),
        }
    }

    /// Returns the mark for omitted lines.
    pub(crate) fn cut_mark(self, lines: u32) -> String {
        match self {
            Self::Text { .. } | Self::Markdown | Self::Html => screen_text::cut_mark(lines).plain(),
            Self::Json | Self::Tron => runbook_json::cut_mark(lines),
        }
    }
}
