//! Finds the introduction of a Markdown document, for use in summaries.

use pulldown_cmark::{Event, HeadingLevel, Tag, TagEnd};

use crate::Lines;
use crate::markdown::LineCount;
use crate::markdown_reader::Markdown;

const MAX_LINES: u32 = 12;

/// Minimum number of letters outside of links, counted in bytes. A block below this limit is not
/// prose but, say, a row of badges.
const MIN_LETTERS: usize = 20;

/// Finds the first paragraphs and lists in `text`, up to the next heading.
///
/// Omits anything that says little without its surroundings: pictures, badges, link bars, tables of
/// contents, code and HTML. Adjacent blocks are joined to one range.
#[must_use]
pub fn introduction(text: &str) -> Vec<Lines> {
    let mut found: Vec<Lines> = Vec::new();
    let mut left = MAX_LINES;
    for block in first_blocks(text) {
        let count = block.count().min(left);
        // Truncate the first block if it's too long, since part of it is better than nothing. Later
        // on, omit a long list instead.
        if count == 0 || (count < block.count() && !found.is_empty()) {
            break;
        }
        left -= count;
        let lines = Lines::new(block.first(), block.first() + count - 1);
        match found.last_mut() {
            Some(last) if is_blank_between(text, *last, lines) => {
                *last = Lines::new(last.first(), lines.last());
            }
            _ => found.push(lines),
        }
    }
    found
}

/// Finds the blocks of prose at the start of the document. The first heading after them is the end,
/// unless it is the title.
fn first_blocks(text: &str) -> Vec<Lines> {
    let (mut blocks, mut lines) = (Vec::new(), LineCount::default());
    let (mut depth, mut in_link, mut is_titled) = (0_u32, 0_u32, false);
    // Letters of the current block, or `None` if it can't be prose.
    let mut letters: Option<Letters> = None;
    for (event, range) in Markdown::of(text).events() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                // The first title doesn't end the introduction, since a remark may precede it.
                let is_title = level == HeadingLevel::H1 && !is_titled;
                if !blocks.is_empty() && !is_title {
                    break;
                }
                (depth, is_titled) = (1, true);
            }
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => in_link += 1,
            Event::End(TagEnd::Link | TagEnd::Image) => in_link = in_link.saturating_sub(1),
            Event::Start(Tag::Paragraph | Tag::List(_) | Tag::BlockQuote(_)) if depth == 0 => {
                letters = Some(Letters::default());
                depth = 1;
            }
            Event::Start(tag) if is_block(&tag) => depth += 1,
            Event::End(tag) if is_block_end(tag) => {
                depth = depth.saturating_sub(1);
                let written = text.get(range.clone()).unwrap_or_default().trim_end();
                if depth > 0 {
                    continue;
                }
                let is_prose = letters.take().is_some_and(Letters::are_prose);
                // This block introduces omitted code or links, and its colon would have nothing
                // after it.
                let is_lead = !blocks.is_empty() && written.ends_with(':');
                if is_prose && !is_directive(written) && !is_lead {
                    let first = lines.at(text, range.start);
                    let last = lines.at(text, range.start + written.len());
                    blocks.push(Lines::new(first, last));
                }
            }
            Event::Text(said) | Event::Code(said) => {
                if let Some(letters) = &mut letters {
                    letters.add(&said, in_link > 0);
                }
            }
            _ => {}
        }
    }
    blocks
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
    )
}

fn is_block_end(tag: TagEnd) -> bool {
    !matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

/// Returns true for a directive or field of another markup language, such as reStructuredText,
/// which the parser mistakes for a paragraph.
fn is_directive(block: &str) -> bool {
    ["..", ":", "image:", "|"]
        .iter()
        .any(|mark| block.starts_with(mark))
}

fn is_blank_between(text: &str, before: Lines, after: Lines) -> bool {
    let (skipped, end) = (before.last() as usize, after.first() as usize - 1);
    let between = text.lines().take(end).skip(skipped);
    between.into_iter().all(|line| line.trim().is_empty())
}

#[derive(Clone, Copy, Default)]
struct Letters {
    plain: usize,
    in_links: usize,
}

impl Letters {
    fn add(&mut self, text: &str, is_link: bool) {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        let bytes: usize = letters.map(char::len_utf8).sum();
        match is_link {
            true => self.in_links += bytes,
            false => self.plain += bytes,
        }
    }

    fn are_prose(self) -> bool {
        self.plain >= MIN_LETTERS && self.plain >= self.in_links
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let lines: Vec<&str> = text.lines().collect();
        let part = |part: &Lines| lines[part.first() as usize - 1..part.last() as usize].join("\n");
        introduction(text).iter().map(part).collect()
    }

    #[test]
    fn introduction_skips_badges_pictures_and_bars() {
        let text = "<p align=center><img src=x.svg></p>\n\n# Winch\n\n[![CI](https://ci.example/badge.svg)](https://ci.example)\n\
            [![Crate](https://c.example/b.svg)](https://c.example)\n\n[Install](#install) • [How to use it](#use) • [Help](#help)\n\n\
            - [Install](#install)\n- [Use](#use)\n\nWinch lifts anchors from the sea floor.\nIt is quiet.\n\n\
            - lifts many anchors at once\n\n```sh\nwinch up\n```\n\nIt never drops a chain that it holds.\n\n## Install\n\nTake it from the usual place.\n";
        assert_eq!(
            shown(text),
            [
                "Winch lifts anchors from the sea floor.\nIt is quiet.\n\n- lifts many anchors at once",
                "It never drops a chain that it holds."
            ]
        );
    }

    #[test]
    fn introduction_of_other_markup_and_scripts() {
        let rst = "Winch\n=====\n\n.. image:: https://ci.example/a-long-badge-name.svg\n   :target: https://ci.example\n\nWinch lifts anchors from the floor.\n";
        assert_eq!(shown(rst), ["Winch lifts anchors from the floor."]);
        assert_eq!(shown("# 絞盤\n\n絞盤は錨を持ち上げる道具です。\n").len(), 1);
        assert!(shown("# Winch\n\n![a picture of a winch on a ship](x.png)\n").is_empty());
    }

    #[test]
    fn introduction_goes_on_after_the_title() {
        let text = "**This text is about the next version of it.**\n\n# Winch\n\nWinch lifts anchors from the floor.\n\n\
            Then run it in this way, or in another:\n\n```sh\nwinch\n```\n\n# Use\n\nUse it as you would use any other.\n";
        let wanted = [
            "**This text is about the next version of it.**",
            "Winch lifts anchors from the floor.",
        ];
        assert_eq!(shown(text), wanted);
    }

    #[test]
    fn introduction_is_short() {
        let long = format!(
            "# Winch\n\n{}",
            "It lifts anchors from the floor.\n".repeat(40)
        );
        let found = introduction(&long);
        assert_eq!(found, [Lines::new(3, 14)]);
    }
}
