//! Markdown, as far as headings go.

use crate::symbol::joined;
use crate::walk::MAX_NAME;
use crate::{Completeness, Language, Limits, Lines, Outline, Symbol, SymbolKind};

/// A heading: its level from 1, its text, and its line from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heading {
    level: usize,
    text: String,
    line: u32,
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
        symbols.push(Symbol {
            name: heading.text,
            kind: SymbolKind::Heading,
            path,
            lines: Lines::new(line, end),
            name_line: line,
            signature_lines: Lines::new(line, line),
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

/// The ATX headings of a text, outside of fenced code.
fn headings(bytes: &[u8]) -> Vec<Heading> {
    let mut fence: Option<String> = None;
    let mut found = Vec::new();
    for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let text = String::from_utf8_lossy(text);
        let indent = text.len() - text.trim_start_matches(' ').len();
        let text = text.trim();
        if let Some(open) = &fence {
            let closes =
                text.starts_with(open.as_str()) && text.trim_start_matches(&open[..1]).is_empty();
            if closes {
                fence = None;
            }
            continue;
        }
        if indent > 3 {
            continue;
        }
        let run = |mark: char| text.chars().take_while(|c| *c == mark).count();
        if let Some(mark) = ['`', '~'].into_iter().find(|mark| run(*mark) >= 3) {
            fence = Some(mark.to_string().repeat(run(mark)));
        } else if (1..=6).contains(&run('#')) {
            let level = run('#');
            let rest = &text[level..];
            if rest.is_empty() || rest.starts_with([' ', '\t']) {
                let text = rest.trim().trim_end_matches('#').trim_end().to_owned();
                found.push(Heading { level, text, line });
            }
        }
    }
    found
}
