use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};
use windlass_outline::readable_markdown;

use super::events;

/// An item of a top-level list, including everything nested in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Range from the first line of the item to the end of the blank lines below.
    pub(crate) range: Range<usize>,
    /// Range of the indentation, the marker and the spaces after the marker.
    pub(crate) mark: Range<usize>,
    /// End of the first paragraph. Any text of the item after that is indented.
    pub(crate) lead_end: usize,
}

/// Finds the items of top-level lists after byte `from`, except for lists in a quotation.
pub(crate) fn items(text: &str, from: usize) -> Vec<Item> {
    let body = readable_markdown(&text[from..]);
    let mut items: Vec<Item> = Vec::new();
    let (mut depth, mut lead) = (0_usize, None);
    for (event, range) in events(&body) {
        let range = from + range.start..from + range.end;
        match event {
            Event::Start(Tag::Item) if depth == 0 => {
                depth = 1;
                lead = Some(range);
            }
            Event::Start(tag) if is_block(&tag) => {
                // The first block in the item. A tight list has no paragraphs, so the item's own
                // text ends where this block begins.
                if depth == 1
                    && let Some(item) = lead.take()
                {
                    let end = match tag {
                        Tag::Paragraph => range.end,
                        _ => range.start,
                    };
                    items.extend(item_of(text, item, end));
                }
                depth += usize::from(is_holder(&tag));
            }
            Event::End(
                end @ (TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition),
            ) => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && matches!(end, TagEnd::Item)
                    && let Some(item) = lead.take()
                {
                    let end = item.end;
                    items.extend(item_of(text, item, end));
                }
            }
            _ => {}
        }
    }
    items
}

fn is_block(tag: &Tag<'_>) -> bool {
    let is_other = matches!(
        tag,
        Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::List(_)
    );
    is_other || is_holder(tag)
}

fn is_holder(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Item | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)
    )
}

fn item_of(text: &str, range: Range<usize>, lead_end: usize) -> Option<Item> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..range.end].lines().next()?;
    let blanks = line.len() - line.trim_start().len();
    let digits = &line[blanks..];
    let digits = digits.len()
        - digits
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let marked = (blanks + digits + 1).min(line.len());
    let after = line[marked..].len() - line[marked..].trim_start().len();
    // If somebody removes the item, the blank lines below it should go as well.
    let mut end = range.end;
    while let Some(blank) = text[end..].split_inclusive('\n').next()
        && blank.trim().is_empty()
    {
        end += blank.len();
    }
    let lead = text[range.start..lead_end.max(range.start)].trim_end();
    Some(Item {
        range: start..end,
        mark: start..start + marked + after,
        lead_end: range.start + lead.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_includes_nested_text() {
        let text = "x\n\n- a\nlazy\n- b\n\n  more\n\n  ```\n  - no\n  ```\n- c\n  - in\n\n> - no\n\n 12)  d\n\ny\n";
        let told: Vec<_> = items(text, 3)
            .into_iter()
            .map(|item| {
                (
                    &text[item.mark.clone()],
                    &text[item.mark.end..item.range.end],
                    &text[item.mark.end..item.lead_end],
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("- ", "a\nlazy\n", "a\nlazy"),
                ("- ", "b\n\n  more\n\n  ```\n  - no\n  ```\n", "b"),
                ("- ", "c\n  - in\n\n", "c"),
                (" 12)  ", "d\n\n", "d"),
            ]
        );
    }
}
