//! Markdown, as far as headings go.

use crate::symbol::joined;
use crate::walk::MAX_NAME;
use crate::{Completeness, Language, Limits, Lines, Outline, Symbol, SymbolKind};

/// A heading: its level from 1, its text, and its first and last line from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heading {
    level: usize,
    text: String,
    line: u32,
    last_line: u32,
}

/// The sections of a text. The lines of one go up to the next heading of its level or above.
pub(crate) fn outline(bytes: &[u8], limits: Limits) -> Outline {
    let headings = headings(bytes);
    let ends = ends(&headings, line_count(bytes));
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut omitted = 0;
    let mut path_room = Some(limits.max_path_bytes);
    // The headings this one stands under: level and index of the symbol.
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

/// The last line of each heading's section. From the end, each level of heading knows the nearest one after it.
fn ends(headings: &[Heading], last_line: u32) -> Vec<u32> {
    let mut next = [last_line.saturating_add(1); 7];
    let mut ends = vec![last_line; headings.len()];
    for (heading, end) in headings.iter().zip(&mut ends).rev() {
        *end = next[heading.level] - 1;
        next[heading.level..].fill(heading.line);
    }
    ends
}

/// The headings of a text, outside of code and comments: those that begin with `#`, and those that are underlined.
fn headings(bytes: &[u8]) -> Vec<Heading> {
    let mut fence: Option<String> = None;
    let mut found = Vec::new();
    // The paragraph that the next line may underline.
    let mut paragraph: Option<Paragraph> = None;
    let mut first = 1;
    // Whether lines go on with a comment of HTML.
    let mut comment = false;
    // Whether lines go on with a list, a quote or HTML, up to one that is blank.
    let mut within = false;
    let mut lines = bytes.split(|byte| *byte == b'\n');
    if let Some(length) = front_matter(bytes) {
        lines.by_ref().take(length as usize).for_each(drop);
        first += length;
    }
    for (line, text) in (first..).zip(lines) {
        let text = String::from_utf8_lossy(text);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let indent = text.len() - text.trim_start_matches(' ').len();
        let tabbed = text[indent..].starts_with('\t');
        let text = text.trim();
        let run = |mark: char| text.chars().take_while(|c| *c == mark).count();
        if let Some(open) = &fence {
            let closes =
                text.starts_with(open.as_str()) && text.trim_start_matches(&open[..1]).is_empty();
            if closes {
                fence = None;
            }
            continue;
        }
        if comment {
            comment = !text.contains("-->");
            continue;
        }
        if indent > 3 || tabbed {
            // Code, or a line that goes on with a paragraph.
            if let Some(paragraph) = &mut paragraph {
                paragraph.add(text);
            }
            continue;
        }
        let above = paragraph.take();
        if let Some(rest) = text.strip_prefix("<!--") {
            comment = !rest.contains("-->");
            within = false;
        } else if let Some(mark) = ['`', '~'].into_iter().find(|mark| run(*mark) >= 3) {
            fence = Some(mark.to_string().repeat(run(mark)));
        } else if (1..=6).contains(&run('#')) && is_blank_or_none(&text[run('#')..]) {
            let level = run('#');
            let text = text[level..].trim();
            let text = text.trim_end_matches('#').trim_end().to_owned();
            let last_line = line;
            found.push(Heading {
                level,
                text,
                line,
                last_line,
            });
        } else if let Some((level, above)) = underline(text).zip(above.as_ref()) {
            found.push(above.heading(level, line));
        } else if text.is_empty() {
            within = false;
        } else if opens_something_else(text) {
            within = true;
        } else if let Some(mut above) = above {
            above.add(text);
            paragraph = Some(above);
        } else if !within && indent < 2 && !is_rule(text) {
            // What is indented more belongs to a list.
            paragraph = Some(Paragraph::begin(text, line));
        }
    }
    found
}

/// How many lines of metadata a text begins with: between `---` and `---` or `...`, as site generators take them.
fn front_matter(bytes: &[u8]) -> Option<u32> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| {
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        line.trim_ascii_end()
    });
    if lines.next()? != b"---" || lines.clone().next()?.is_empty() {
        return None;
    }
    let end = lines.position(|line| line == b"---" || line == b"...")?;
    u32::try_from(end + 2).ok()
}

fn is_blank_or_none(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t'])
}

/// The level of the heading that a line underlines.
fn underline(text: &str) -> Option<usize> {
    let all = |mark: char| !text.is_empty() && text.chars().all(|c| c == mark);
    match text {
        _ if all('=') => Some(1),
        _ if all('-') => Some(2),
        _ => None,
    }
}

/// A line across the page.
fn is_rule(text: &str) -> bool {
    ['-', '*', '_']
        .into_iter()
        .any(|mark| text.chars().all(|c| c == mark || c == ' ') && text.matches(mark).count() >= 3)
}

/// Whether a line begins a quote, a part of a list or a table, or HTML: what a line below it does not underline.
fn opens_something_else(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < text.len() && rest.starts_with(['.', ')']);
    let marked = rest.len() == text.len() && rest.starts_with(['-', '*', '+']);
    let in_list = (numbered || marked) && is_blank_or_none(&rest[1..]) && !is_rule(text);
    in_list || text.starts_with(['>', '|', '<'])
}

/// Lines that are a heading if they are underlined.
struct Paragraph {
    text: String,
    line: u32,
}

impl Paragraph {
    fn begin(text: &str, line: u32) -> Self {
        Self {
            text: text.to_owned(),
            line,
        }
    }

    fn add(&mut self, text: &str) {
        // More than a heading has; a paragraph may be as long as it likes.
        if self.text.len() <= MAX_NAME {
            self.text.push(' ');
            self.text.push_str(text);
        }
    }

    fn heading(&self, level: usize, last_line: u32) -> Heading {
        Heading {
            level,
            text: self.text.clone(),
            line: self.line,
            last_line,
        }
    }
}
