//! Splits a Markdown document into parts with possible citations.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};
use windlass_outline::Markdown;

use super::link_target;

/// Ranges of the code in a block. They exclude line prefixes, so each line may have its own.
pub(super) type Code = Vec<Range<usize>>;

/// A part of a document with possible citations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Prose, outside code and links.
    Text(Range<usize>),
    /// Inline code, without backticks.
    Code(Range<usize>),
    /// A link target, without delimiters.
    Target(Range<usize>),
    /// A fenced code block and the ranges of its code. `None` if the parser expanded a tab, since
    /// the code then doesn't occur literally in the document.
    Fence(Range<usize>, Option<Code>),
}

/// State while walking the parser's events.
#[derive(Default)]
struct Around {
    /// Number of open code blocks, HTML blocks and strikethroughs. Text inside them isn't prose.
    silent: usize,
    /// The enclosing fenced block.
    fence: Option<(Range<usize>, Option<Code>)>,
    /// Open links, each with its range and the end of its text so far. That end is `usize::MAX` for
    /// a link without a target of its own.
    links: Vec<(Range<usize>, usize)>,
}

/// Splits `text` into parts, in no particular order.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let markdown = Markdown::of(text);
    let (definitions, events) = markdown.definitions_and_events();
    let mut pieces: Vec<Piece> = definitions
        .into_iter()
        .filter_map(|definition| link_target::defined_target(text, &definition))
        .map(Piece::Target)
        .collect();
    let mut around = Around::default();
    for (event, range) in events {
        // As long as the link is open, everything belongs to its text.
        if let Some((_, end)) = around.links.last_mut()
            && !matches!(event, Event::End(TagEnd::Link))
        {
            *end = (*end).max(range.end);
        }
        match event {
            Event::Start(tag) => open(text, &tag, range, &mut around),
            Event::End(tag) => close(text, tag, &mut around, &mut pieces),
            Event::Text(_) if around.silent == 0 => push_text(&mut pieces, range),
            Event::Text(code) => {
                if let Some((_, all)) = &mut around.fence {
                    match text.get(range.clone()) == Some(&*code) {
                        true => all.iter_mut().for_each(|all| all.push(range.clone())),
                        false => *all = None,
                    }
                }
            }
            Event::Code(_) if around.silent == 0 => pieces.extend(code(text, range)),
            _ => {}
        }
    }
    pieces
}

fn open(text: &str, tag: &Tag<'_>, range: Range<usize>, around: &mut Around) {
    match tag {
        Tag::CodeBlock(kind) => {
            around.silent += 1;
            if matches!(kind, CodeBlockKind::Fenced(_)) {
                around.fence = Some((range, Some(Vec::new())));
            }
        }
        Tag::HtmlBlock | Tag::Strikethrough => around.silent += 1,
        Tag::Link { .. } => {
            // Only the target of an inline link is here, before the `)`. A reference link has its
            // target in a definition.
            let start = range.start;
            let is_inline = text[range.clone()].ends_with(')');
            around
                .links
                .push((range, if is_inline { start } else { usize::MAX }));
        }
        _ => {}
    }
}

fn close(text: &str, tag: TagEnd, around: &mut Around, pieces: &mut Vec<Piece>) {
    match tag {
        TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::Strikethrough => {
            around.silent = around.silent.saturating_sub(1);
            let fence = around.fence.take();
            pieces.extend(fence.map(|(range, code)| Piece::Fence(range, code)));
        }
        TagEnd::Link => {
            if let Some((range, end)) = around.links.pop()
                && end != usize::MAX
                && around.silent == 0
            {
                pieces.extend(link_target::target(text, &range, end).map(Piece::Target));
            }
        }
        _ => {}
    }
}

/// Adds text, extending an adjacent previous part.
///
/// The parser also splits text at special characters, which may be in the middle of a path.
fn push_text(pieces: &mut Vec<Piece>, range: Range<usize>) {
    if let Some(Piece::Text(last)) = pieces.last_mut()
        && last.end == range.start
    {
        last.end = range.end;
        return;
    }
    pieces.push(Piece::Text(range));
}

/// Strips inline code of its backticks and the blanks inside them.
fn code(text: &str, range: Range<usize>) -> Option<Piece> {
    let whole = text.get(range.clone())?;
    let marks = whole.chars().take_while(|c| *c == '`').count();
    let inner = whole.get(marks..whole.len().checked_sub(marks)?)?;
    let blank = inner.len() - inner.trim_start().len();
    let start = range.start + marks + blank;
    Some(Piece::Code(start..start + inner.trim().len()))
}
