//! Outlines of Markdown documents. Their symbols are the headings.

use pulldown_cmark::{Event, Tag, TagEnd};

use crate::markdown_reader::Markdown;
use crate::symbol::joined;
use crate::walk::MAX_NAME;
use crate::{Completeness, Language, Limits, Lines, Outline, Symbol, SymbolKind};

/// A heading. Levels and lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heading {
    level: usize,
    text: String,
    line: u32,
    last_line: u32,
}

/// Makes the outline of a document.
///
/// A heading's lines are its section, up to the next heading of the same or a higher rank.
pub(crate) fn outline(bytes: &[u8], limits: Limits) -> Outline {
    let headings = headings(&String::from_utf8_lossy(bytes));
    let ends = ends(&headings, line_count(bytes));
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut omitted = 0;
    let mut path_room = Some(limits.max_path_bytes);
    // The headings around the current one, as pairs of level and symbol index.
    let mut above: Vec<(usize, usize)> = Vec::new();
    for (heading, end) in headings.into_iter().zip(ends) {
        while above
            .last()
            .is_some_and(|(level, _)| *level >= heading.level)
        {
            above.pop();
        }
        if heading.text.len() > MAX_NAME
            || symbols.len() >= limits.max_symbols
            || above.len() >= limits.max_depth as usize
        {
            omitted += 1;
            continue;
        }
        let container = above.last().map(|(_, symbol)| *symbol);
        let around = container.map(|at| &symbols[at]);
        let segments: Vec<&str> = around
            .into_iter()
            .flat_map(Symbol::segments)
            .chain([heading.text.as_str()])
            .collect();
        let (path, parts) = joined(&segments, Language::Markdown.separator());
        let depth = around.map_or(0, |symbol| symbol.depth + 1);
        // As in `Walk`, we don't add any more symbols once a path didn't fit.
        path_room = path_room.and_then(|room| room.checked_sub(path.len()));
        if path_room.is_none() {
            omitted += 1;
            continue;
        }
        above.push((heading.level, symbols.len()));
        let (signature, line) = (signature(&heading), heading.line);
        let last_line = heading.last_line;
        symbols.push(Symbol {
            name: heading.text,
            kind: SymbolKind::Heading,
            path,
            lines: Lines::new(line, end),
            name_line: line,
            signature_lines: Lines::new(line, last_line),
            signature,
            visibility: None,
            container,
            depth,
            parts,
        });
    }
    let completeness = Completeness {
        damaged: 0,
        omitted,
    };
    Outline {
        symbols,
        completeness,
    }
}

fn signature(heading: &Heading) -> String {
    let mut signature = format!("{} {}", "#".repeat(heading.level), heading.text);
    if let Some((cut, _)) = signature.char_indices().nth(Symbol::MAX_SIGNATURE) {
        signature.truncate(cut);
        signature.push('…');
    }
    signature
}

fn line_count(bytes: &[u8]) -> u32 {
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    let unfinished = bytes.last().is_some_and(|last| *last != b'\n');
    u32::try_from(ends + usize::from(unfinished)).unwrap_or(u32::MAX)
}

/// Computes the last line of each section.
fn ends(headings: &[Heading], last_line: u32) -> Vec<u32> {
    // Going backwards, this has the line at which a section of each level would end.
    let mut next = [last_line.saturating_add(1); 7];
    let mut ends = vec![last_line; headings.len()];
    for (heading, end) in headings.iter().zip(&mut ends).rev() {
        *end = next[heading.level] - 1;
        next[heading.level..].fill(heading.line);
    }
    ends
}

/// Finds the headings of a text, except for those in lists, quotations and footnotes, which don't
/// divide the text.
fn headings(text: &str) -> Vec<Heading> {
    let (mut found, mut within, mut lines) = (Vec::new(), 0_usize, LineCount::default());
    for (event, range) in Markdown::of(text).events() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if within == 0 => {
                let written = text.get(range.clone()).unwrap_or_default().trim_end();
                // The parser mistakes an incomplete table row for a heading.
                if written.starts_with('|') {
                    continue;
                }
                found.push(Heading {
                    level: level as usize,
                    text: text_of(written),
                    line: lines.at(text, range.start),
                    last_line: lines.at(text, range.start + written.len()),
                });
            }
            Event::Start(Tag::Item | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => {
                within += 1;
            }
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition) => {
                within = within.saturating_sub(1);
            }
            _ => {}
        }
    }
    found
}

/// Extracts a heading's text as a single line, without its `#` marks or underline.
fn text_of(written: &str) -> String {
    let marks = written.bytes().take_while(|byte| *byte == b'#').count();
    let inner = &written[marks..];
    if (1..=6).contains(&marks) && (inner.is_empty() || inner.starts_with([' ', '\t'])) {
        let inner = inner.trim();
        let open = inner.trim_end_matches('#');
        let is_closed = open.is_empty() || open.ends_with([' ', '\t']);
        return if is_closed { open.trim_end() } else { inner }.to_owned();
    }
    // This heading has an underline instead of marks. The text above it may have several lines.
    let above = written
        .rsplit_once('\n')
        .map_or(written, |(above, _)| above);
    let mut text = String::new();
    for line in above.lines() {
        // No heading is this long, but a paragraph may be.
        if text.len() > MAX_NAME {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line.trim());
    }
    text
}

/// Counts lines up to a position. Positions must be ascending, so that the text is scanned only
/// once.
#[derive(Default)]
pub(crate) struct LineCount {
    done: usize,
    ends: usize,
}

impl LineCount {
    /// Returns the line of the byte at `at`, from 1.
    pub(crate) fn at(&mut self, text: &str, at: usize) -> u32 {
        let passed = text.as_bytes().get(self.done..at).unwrap_or_default();
        self.ends += passed.iter().filter(|byte| **byte == b'\n').count();
        self.done = self.done.max(at);
        u32::try_from(self.ends + 1).unwrap_or(u32::MAX)
    }
}
