//! What of Markdown matters here: headings with what stands below them, and links.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

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
