//! Markdown, as a parser has it.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use crate::raw_html::readable_markdown;

/// What is read beyond CommonMark, as sites of repositories show it.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH);

/// The byte order mark.
const MARK: &str = "\u{feff}";

/// A Markdown document, as it is read. Metadata at its beginning are left out.
pub struct Markdown<'t> {
    /// Without the metadata.
    body: Cow<'t, str>,
    /// Where that begins.
    from: usize,
}

impl<'t> Markdown<'t> {
    /// Reads `text`.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let from = front_matter(text);
        Self {
            body: readable_markdown(&text[from..]),
            from,
        }
    }

    /// What the parser finds, each with where it stands, in bytes.
    pub fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        self.definitions_and_events().1
    }

    /// The same, and where the definitions of links stand: `[name]: target`.
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

/// Where a text begins after its byte order mark and its metadata: those stand between `---` and `---` or `...`, as site generators
/// take them. The parser would take any two such lines for the ends of some, wherever they stand.
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
