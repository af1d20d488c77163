//! Renders views. A budget limits exactly the rendered text. On a terminal, only colors are added.

mod prose;
mod runbook_html;
mod runbook_json;
mod runbook_markdown;
mod screen_text;
mod state_words;

pub use runbook_html::{PlaceLink, pack_content};
pub use runbook_json::pack_schema;
pub(crate) use state_words::observed;
pub use state_words::state;

use self::prose::Prose;
use crate::printing::{Format, Styled};
use crate::runbook::entry_view::EntryView;
use crate::runbook::runbook_view::View;
use crate::runbook::value_parts::Part;
use crate::runbook::verified_lines::TextLine;

/// Renders `view` in the given format.
#[must_use]
pub fn render(view: &View<'_>, format: Format) -> Styled {
    match (format, format.prose()) {
        (Format::Html, _) => runbook_html::render(view),
        (_, Some(prose)) => prose.render(view),
        (_, None) => runbook_json::render(view, format == Format::Tron),
    }
}

/// The texts whose sizes decide how much to show. TRON uses those of JSON, which are larger, and a
/// web page uses those of its text.
impl Format {
    fn prose(self) -> Option<Prose> {
        match self {
            Self::Text { width } => Some(Prose::Screen(width)),
            Self::Markdown => Some(Prose::Markdown),
            Self::Html => Some(Prose::Screen(None)),
            Self::Json | Self::Tron => None,
        }
    }

    /// The text of an entry without its lines.
    pub(crate) fn entry_head(self, entry: &EntryView<'_>) -> String {
        match self.prose() {
            Some(prose) => prose.entry_head(entry).plain(),
            None => runbook_json::entry_head(entry),
        }
    }

    /// The text of an entry with its lines.
    pub(crate) fn entry(self, entry: &EntryView<'_>) -> String {
        match self.prose() {
            Some(prose) => prose.entry(entry).plain(),
            None => runbook_json::entry_head(entry),
        }
    }

    /// An approximation of the text that a part of an observation adds.
    pub(crate) fn part(self, part: &Part<'_, '_>) -> String {
        match self.prose() {
            Some(prose) => prose.part(part),
            None => runbook_json::part(part),
        }
    }

    /// The mark for omitted parts of an observation, with a number that's probably large enough.
    pub(crate) fn parts_mark(self) -> String {
        match self.prose() {
            Some(_) => self.cut_mark(9_999),
            None => runbook_json::PARTS.to_owned(),
        }
    }

    pub(crate) fn block_frame(self) -> &'static str {
        match self.prose() {
            Some(Prose::Screen(_)) => "",
            Some(Prose::Markdown) => runbook_markdown::FRAME,
            None => runbook_json::FRAME,
        }
    }

    pub(crate) fn line(self, line: &TextLine) -> String {
        match self.prose() {
            Some(Prose::Screen(width)) => screen_text::line(line, width).plain(),
            Some(Prose::Markdown) => runbook_markdown::line(line),
            None => runbook_json::line(line),
        }
    }

    pub(crate) fn piece(self, piece: &TextLine) -> String {
        match self.prose() {
            Some(Prose::Screen(width)) => screen_text::piece(piece, width).plain(),
            Some(Prose::Markdown) => runbook_markdown::piece(piece),
            None => runbook_json::piece(piece),
        }
    }

    pub(crate) fn cut_mark(self, lines: u32) -> String {
        match self.prose() {
            Some(_) => screen_text::cut_mark(lines).plain(),
            None => runbook_json::cut_mark(lines),
        }
    }
}
