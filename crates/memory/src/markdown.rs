//! What of Markdown matters here: headings with what stands below them, and links.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A heading and what stands below it, up to the next one of its level or above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its level, from 1.
    pub level: u32,
    /// Its text.
    pub title: String,
    /// The line of the heading.
    pub heading: Range<usize>,
    /// What stands below it.
    pub body: Range<usize>,
}

/// A link to somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as it is written.
    pub target: String,
    /// Where it stands.
    pub range: Range<usize>,
}

/// The sections and links of `text` from byte `from` on.
pub(crate) fn read(text: &str, from: usize) -> (Vec<Section>, Vec<Link>) {
    let body = &text[from..];
    let (mut sections, mut links): (Vec<Section>, Vec<Link>) = (Vec::new(), Vec::new());
    let mut heading: Option<(u32, String, Range<usize>)> = None;
    for (event, range) in Parser::new(body).into_offset_iter() {
        let range = from + range.start..from + range.end;
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((level as u32, String::new(), range));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, title, range)) = heading.take() {
                    close(&mut sections, level, range.start);
                    sections.push(Section {
                        level,
                        title: title.trim().to_owned(),
                        body: range.end..text.len(),
                        heading: range,
                    });
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, title, _)) = &mut heading {
                    title.push_str(&words);
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => links.push(Link {
                target: dest_url.into_string(),
                range,
            }),
            _ => {}
        }
    }
    (sections, links)
}

/// The line that begins a block of code in `text`, from byte `from` on, which nothing ends: everything behind it is code.
pub(crate) fn open_fence(text: &str, from: usize) -> Option<Range<usize>> {
    let body = &text[from..];
    let fences = Parser::new(body).into_offset_iter();
    let fences = fences.filter(|(event, _)| {
        matches!(
            event,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))
        )
    });
    let (_, range) = fences.last()?;
    let block = &body[range.clone()];
    let mark = block.trim_start().chars().next()?;
    let width = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '>']);
        line.chars().take_while(|c| *c == mark).count()
    };
    let mut lines = block.lines();
    let first = lines.next()?;
    let last = lines.next_back().unwrap_or_default();
    let ends = width(last) >= width(first) && last.trim_end().ends_with(mark);
    let is_open = !ends && body[range.end..].trim().is_empty();
    is_open.then(|| from + range.start..from + range.start + first.len())
}

/// `text`, and what ends the block of code in it that nothing ends.
pub(crate) fn with_closed_fence(text: &str) -> String {
    let Some(fence) = open_fence(text, 0) else {
        return text.to_owned();
    };
    let line = text[fence].trim_start();
    let mark = line.chars().next().unwrap_or('`');
    let end: String = line.chars().take_while(|c| *c == mark).collect();
    format!("{}\n{end}", text.trim_end_matches('\n'))
}

/// Ends the sections that a heading of `level` at byte `at` ends.
fn close(sections: &mut [Section], level: u32, at: usize) {
    for section in sections.iter_mut().rev() {
        if section.level >= level && section.body.end > at {
            section.body.end = at.max(section.body.start);
        }
        // What is above was ended before, or goes on.
        if section.level < level {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_code_that_nothing_ends_is_found_and_ended() {
        for (text, fence) in [
            ("a\n```rust\nfn x() {}\n", Some("```rust")),
            ("a\n```\nx\n```\n", None),
            ("```\nx\n```\n\n~~~~\ny\n~~~\n", Some("~~~~")),
            ("```\nx\n```\nafter\n", None),
            ("```", Some("```")),
            ("no code", None),
        ] {
            let found = open_fence(text, 0);
            assert_eq!(found.map(|range| &text[range]), fence, "{text}");
            let closed = with_closed_fence(text);
            assert_eq!(
                open_fence(&format!("{closed}\n\n## Next\n"), 0),
                None,
                "{closed}"
            );
            assert!(closed.starts_with(text.trim_end_matches('\n')));
        }
    }

    #[test]
    fn sections_end_where_the_next_of_their_level_begins() {
        let text = "---\nx\n---\n# Top\na\n## One `c`\nb [t](a.md#x)\n### In\nc\n```\n## no\n```\n## Two\nd\n";
        let (sections, links) = read(text, 10);
        let told: Vec<_> = sections
            .iter()
            .map(|s| (s.level, &*s.title, text[s.body.clone()].trim()))
            .collect();
        assert_eq!(
            told,
            [
                (1, "Top", text[16..].trim()),
                (2, "One c", "b [t](a.md#x)\n### In\nc\n```\n## no\n```"),
                (3, "In", "c\n```\n## no\n```"),
                (2, "Two", "d"),
            ]
        );
        assert_eq!(links[0].target, "a.md#x");
        assert_eq!(&text[links[0].range.clone()], "[t](a.md#x)");
    }
}
