//! Parses Markdown with the same options everywhere, so that all crates see the same document.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use crate::raw_html::readable_markdown;

/// The extensions of CommonMark supported by code hosting sites.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH);

const MARK: &str = "\u{feff}";

/// A Markdown document without the metadata at its start.
pub struct Markdown<'t> {
    /// The text after the metadata, changed by [`readable_markdown`].
    body: Cow<'t, str>,
    /// Offset of `body` in the original text.
    from: usize,
}

impl<'t> Markdown<'t> {
    /// Skips metadata and a byte order mark, and prepares the rest for the parser.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let from = front_matter(text);
        Self {
            body: readable_markdown(&text[from..]),
            from,
        }
    }

    /// The parser's events, each with its byte range in the original text.
    pub fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        self.definitions_and_events().1
    }

    /// Like [`Markdown::events`], but also returns the byte ranges of the link definitions
    /// (`[name]: target`), which cause no events.
    pub fn definitions_and_events(
        &self,
    ) -> (
        Vec<Range<usize>>,
        impl Iterator<Item = (Event<'_>, Range<usize>)>,
    ) {
        let events = self.parser().into_offset_iter();
        let definitions = events.reference_definitions().iter();
        let definitions = definitions.map(|(_, definition)| self.place(&definition.span));
        let definitions = definitions.collect();
        (
            definitions,
            events.map(|(event, range)| (event, self.place(&range))),
        )
    }

    fn parser(&self) -> Parser<'_> {
        Parser::new_ext(&self.body, OPTIONS)
    }

    fn place(&self, range: &Range<usize>) -> Range<usize> {
        self.from + range.start..self.from + range.end
    }
}

/// Returns the offset after a byte order mark and metadata.
///
/// Site generators expect metadata at the start, between `---` and `---` or `...`. The parser's own
/// option would accept such a block anywhere in the text.
fn front_matter(text: &str) -> usize {
    let begin = if text.starts_with(MARK) {
        MARK.len()
    } else {
        0
    };
    let mut lines = text[begin..].split_inclusive('\n');
    let is_begun = lines.next().is_some_and(|line| line.trim_end() == "---");
    let mut at = begin + text[begin..].find('\n').map_or(0, |end| end + 1);
    for (number, line) in lines.enumerate().take_while(|_| is_begun) {
        let plain = line.trim_end();
        // With a blank line below it, the first `---` is a thematic break.
        if number == 0 && plain.is_empty() {
            break;
        }
        at += line.len();
        if matches!(plain, "---" | "...") {
            return at;
        }
    }
    begin
}
