//! Parses Markdown, but only as much of it as a memory needs: sections, list items and links.
//!
//! All ranges are in bytes of the original text, so that callers can edit it in place and leave the
//! rest untouched.

mod called;
mod items;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, OffsetIter, Options, Parser, Tag, TagEnd};
use windlass_outline::readable_markdown;

pub(crate) use self::called::{all_called, goes_by, is_same_heading, qualifies};
pub(crate) use self::items::{Item, items};

/// Heading level of a record's sections. The title is at level 1.
pub(crate) const SECTION: u32 = 2;

/// A heading and the text below it, up to the next heading of the same or a higher level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Level of the heading, from 1 (the highest) to 6.
    pub level: u32,
    /// The heading's text, without markup.
    pub title: String,
    /// The range of the heading line.
    pub heading: Range<usize>,
    /// The range of the text below the heading, including nested sections.
    pub body: Range<usize>,
}

/// An inline link, or a reference link whose target is defined elsewhere in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The target, as written.
    pub target: String,
    /// The range of the whole link, including the text in brackets.
    pub range: Range<usize>,
}

/// Without footnotes, the parser would take `[^1]: so` for a link to `so`.
const OPTIONS: Options = Options::ENABLE_FOOTNOTES;

fn events(body: &str) -> OffsetIter<'_> {
    Parser::new_ext(body, OPTIONS).into_offset_iter()
}

/// Parses `text` from byte `from` on, which is where the frontmatter ends.
pub(crate) fn read(text: &str, from: usize) -> (Vec<Section>, Vec<Link>) {
    let body = readable_markdown(&text[from..]);
    let (mut sections, mut links): (Vec<Section>, Vec<Link>) = (Vec::new(), Vec::new());
    let mut heading: Option<(u32, String, Range<usize>)> = None;
    // A heading inside of a list item, a quotation or a footnote doesn't start a section of the
    // record.
    let mut depth = 0_usize;
    for (event, range) in events(&body) {
        let range = from + range.start..from + range.end;
        match event {
            Event::Start(Tag::Item | Tag::BlockQuote(_) | Tag::FootnoteDefinition(_)) => depth += 1,
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition) => {
                depth = depth.saturating_sub(1);
            }
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
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

/// Finds the ranges of link targets after byte `from`. For a reference link, that's the range in
/// the definition.
///
/// Targets with escapes such as `h\)i` are skipped: the parsed target differs from the text, so we
/// couldn't replace it safely.
pub(crate) fn destinations(text: &str, from: usize) -> Vec<(Range<usize>, String)> {
    let body = readable_markdown(&text[from..]);
    let parser = Parser::new_ext(&body, OPTIONS);
    let defined = parser.reference_definitions().iter().map(|(_, one)| {
        let span = from + one.span.start..from + one.span.end;
        (span, "]:", one.dest.clone().into_string())
    });
    let mut all: Vec<_> = defined.collect();
    for (event, range) in parser.into_offset_iter() {
        if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
            let range = from + range.start..from + range.end;
            all.push((range, "](", dest_url.into_string()));
        }
    }
    let places = all.into_iter().filter_map(|(range, mark, target)| {
        let said = &text[range.clone()];
        let after = said.rfind(mark)? + mark.len();
        // The opening bracket may be followed by blanks and `<`, as in `]( <z.md>)`.
        let blanks = said[after..].len()
            - said[after..]
                .trim_start_matches(|c: char| c.is_whitespace() || c == '<')
                .len();
        let start = range.start + after + blanks;
        text[start..]
            .starts_with(&target)
            .then(|| (start..start + target.len(), target))
    });
    let mut places: Vec<_> = places.filter(|(_, target)| !target.is_empty()).collect();
    places.sort_by_key(|(range, _)| range.start);
    places.dedup();
    places
}

/// Finds HTML comments after byte `from`, which readers of the rendered page don't see.
pub(crate) fn comments(text: &str, from: usize) -> Vec<Range<usize>> {
    if !text[from..].contains("<!--") {
        return Vec::new();
    }
    let body = readable_markdown(&text[from..]);
    let all = events(&body).filter_map(|(event, range)| {
        let is_html = matches!(event, Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_));
        let begins = body[range.clone()].trim_start().starts_with("<!--");
        (is_html && begins).then(|| from + range.start..from + range.end)
    });
    all.collect()
}

/// True if the parser reads `name` back unchanged after it's been written as a heading.
pub(crate) fn is_heading(name: &str) -> bool {
    let text = format!("## {name}\n");
    let (sections, _) = read(&text, 0);
    match sections.as_slice() {
        [only] => only.heading == (0..text.len()) && only.title == name && !name.is_empty(),
        _ => false,
    }
}

/// A block that's never closed. It extends to the end of the text and swallows all headings below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenBlock {
    /// The line that opens the block.
    pub(crate) line: Range<usize>,
    /// The text to append in order to close the block.
    pub(crate) end: String,
    /// True for a code block, false for an HTML comment or element.
    pub(crate) is_code: bool,
}

/// Finds the block after byte `from` that's still open at the end of the text.
///
/// There are many rules about what closes a block, and only the parser knows all of them. So we
/// append a heading and see if it ends up in a block. (A block inside of a list or a quotation ends
/// with its container, and is never open.)
pub(crate) fn open_block(text: &str, from: usize) -> Option<OpenBlock> {
    let body = &text[from..];
    let asked = format!("{body}\n\n## x\n");
    let asked = readable_markdown(&asked);
    let at = body.len();
    let mut holder = None;
    for (event, range) in events(&asked) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)) | Tag::HtmlBlock)
                if range.end > at + 2 =>
            {
                holder = Some((range, matches!(event, Event::Start(Tag::CodeBlock(_)))));
            }
            _ => {}
        }
    }
    let (range, is_code) = holder?;
    let line = body[range.start..].lines().next()?;
    let end = match is_code {
        true => {
            let mark = line.trim_start().chars().next()?;
            let marks = line.trim_start().chars();
            marks.take_while(|c| *c == mark).collect()
        }
        false => end_of_html(line),
    };
    let start = from + range.start;
    Some(OpenBlock {
        line: start..start + line.len(),
        end,
        is_code,
    })
}

/// Returns the text that closes an HTML block starting with `line`.
fn end_of_html(line: &str) -> String {
    let line = line.trim_start().to_ascii_lowercase();
    let ends = [
        ("<!--", "-->"),
        ("<?", "?>"),
        ("<![cdata[", "]]>"),
        ("<!", ">"),
    ];
    if let Some((_, end)) = ends.iter().find(|(begins, _)| line.starts_with(begins)) {
        return (*end).to_owned();
    }
    let name = line.trim_start_matches('<');
    let name: String = name.chars().take_while(char::is_ascii_alphabetic).collect();
    format!("</{name}>")
}

/// Closes the block that [`open_block`] finds, if any.
pub(crate) fn with_end(text: &str, from: usize) -> String {
    match open_block(text, from) {
        Some(open) => format!("{}\n{}", text.trim_end_matches('\n'), open.end),
        None => text.to_owned(),
    }
}

/// Makes `text` safe to put into a section of a record: an open block is closed, and headings are
/// moved to a deeper level, because they would end the section otherwise.
pub(crate) fn within_section(text: &str) -> String {
    within(text, SECTION)
}

/// Like [`within_section`], for a section of any `level`.
pub(crate) fn within(text: &str, level: u32) -> String {
    let text = with_end(text, 0);
    let (sections, _) = read(&text, 0);
    let highest = sections.iter().map(|section| section.level).min();
    let Some(deeper) = highest.and_then(|highest| level.checked_sub(highest)) else {
        return text;
    };
    // Shift all levels by the same amount, so that the structure of the text is preserved.
    let (mut out, mut at) = (String::new(), 0);
    for section in &sections {
        let heading = &text[section.heading.clone()];
        let level = (section.level + deeper + 1).min(6) as usize;
        out.push_str(&text[at..section.heading.start]);
        match heading.strip_prefix('#') {
            Some(rest) => {
                out.push_str(&"#".repeat(level));
                out.push_str(rest.trim_start_matches('#'));
            }
            // A setext heading, underlined with `===` or `---`. The last line is the underline, and
            // the heading itself may span several lines.
            None => {
                let mut lines: Vec<&str> = heading.lines().map(str::trim).collect();
                lines.pop();
                out.push_str(&format!("{} {}\n", "#".repeat(level), lines.join(" ")));
            }
        }
        at = section.heading.end;
    }
    out.push_str(&text[at..]);
    out
}

/// Ends the sections that a new heading of `level` at byte `at` closes.
fn close(sections: &mut [Section], level: u32, at: usize) {
    for section in sections.iter_mut().rev() {
        if section.level >= level && section.body.end > at {
            section.body.end = at.max(section.body.start);
        }
        // Sections around this one stay open, and any before that have already been closed.
        if section.level < level {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_block_found_and_closed() {
        for (text, line) in [
            ("a\n```rust\nfn x() {}\n", Some("```rust")),
            ("a\n```\nx\n```\n", None),
            ("```\nx\n```\n\n~~~~\ny\n~~~\n", Some("~~~~")),
            ("```\nx\n```\nafter\n", None),
            ("```", Some("```")),
            ("  ```\n  x", Some("```")),
            ("no code", None),
            ("- a\n\n  ```sh\n  make\n", None),
            ("> ```\n> x", None),
            ("a <!-- b", None),
            ("<!-- b\n\nc", Some("<!-- b")),
            ("<!-- b -->\n\nc", None),
            ("- <!-- b\n\n  c", None),
            ("<script>\nx", Some("<script>")),
            ("<details>\n\nx", None),
            ("<?php\n\nx", Some("<?php")),
            ("<![CDATA[\n\nx", Some("<![CDATA[")),
            ("<!DOCTYPE x\n\ny", Some("<!DOCTYPE x")),
        ] {
            let found = open_block(text, 0);
            assert_eq!(found.map(|open| &text[open.line]), line, "{text}");
            let closed = with_end(text, 0);
            assert_eq!(open_block(&closed, 0), None, "{closed}");
            assert!(closed.starts_with(text.trim_end_matches('\n')));
            let whole = format!("## One\n\n{closed}\n\n## Two\n\nx\n");
            let titles = read(&whole, 0).0.into_iter().map(|section| section.title);
            assert_eq!(titles.collect::<Vec<_>>(), ["One", "Two"], "{whole}");
        }
    }

    #[test]
    fn link_destinations_located() {
        let text =
            "[a](x.md#y \"t\") and ![b]( <z.md>) [c][d] <https://e.f> [g](h\\)i)\n\n[d]: w.md\n";
        let told = destinations(text, 0);
        let told: Vec<(&str, &str)> = told
            .iter()
            .map(|(range, target)| (&text[range.clone()], target.as_str()))
            .collect();
        let same = |target: &'static str| (target, target);
        assert_eq!(told, [same("x.md#y"), same("z.md"), same("w.md")]);
    }

    #[test]
    fn footnotes_are_not_links() {
        let text = "So it is[^1].\n\n[^1]: As [a](b.md) says.\n\n## A\n\n[^2]: ## no\n";
        let (sections, links) = read(text, 0);
        assert_eq!(links.len(), 1);
        assert_eq!(sections.len(), 1);
    }

    #[test]
    fn heading_is_one_nonempty_line() {
        for name in ["Next trigger", "a # b", "C#", "Größe", "Why?", "1. Step"] {
            assert!(is_heading(name), "{name}");
        }
        for name in [
            "",
            " a",
            "a\nb",
            "a\r",
            "a\n\n## b",
            "a ##",
            "#",
            "*a*",
            "[a](b)",
            "`a`",
        ] {
            assert!(!is_heading(name), "{name:?}");
        }
    }

    #[test]
    fn headings_demoted_below_section() {
        for (text, within) in [
            ("# A\n\nx\n\n### B\n", "### A\n\nx\n\n##### B\n"),
            ("x\n\n## B ##", "x\n\n### B ##"),
            ("One\ntwo\n---\nx", "### One two\nx"),
            ("### A\n\n#### B", "### A\n\n#### B"),
            ("- # a\n\n> ## b\n", "- # a\n\n> ## b\n"),
            ("```\n# no\n```", "```\n# no\n```"),
            ("# ", "### "),
        ] {
            assert_eq!(within_section(text), within);
            let whole = format!("## One\n\n{within}\n\n## Two\n\nx\n");
            let (sections, _) = read(&whole, 0);
            let one = &whole[sections[0].body.clone()];
            assert_eq!(one.trim(), within.trim());
        }
    }

    #[test]
    fn sections_end_at_next_of_level() {
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

    fn titles(text: &str) -> Vec<String> {
        let sections = read(text, 0).0.into_iter();
        sections.map(|section| section.title).collect()
    }

    #[test]
    fn any_end_tag_closes_block() {
        let text = "## A\n\n<style>\n## no\n</script> x\n\n## B\n\n<PRE\nclass=x>\n</Textarea>\n## C\n<script>\n</SCRIPT>\n## D\n";
        assert_eq!(titles(text), ["A", "B", "C", "D"]);
        assert_eq!(open_block(text, 0), None);
        let open = "## A\n\n<pre>\nx</style>\n\n<style>\n\n## no\n";
        assert_eq!(titles(open), ["A"]);
        assert_eq!(&open[open_block(open, 0).unwrap().line], "<style>");
        // An unknown or unclosed tag doesn't close a block, nor does a tag in code.
        for kept in [
            "<style>\n</script\n## no\n</pre >\n## no\n</style>\n## A\n",
            "```\n<style>\n</script>\n```\n## A\n",
            "<styles>\n</script>\n\n## A\n",
            "<pre>\n## no </style> é</pre> \n## A\n",
        ] {
            assert_eq!(titles(kept), ["A"], "{kept}");
        }
    }

    #[test]
    fn many_blocks_parse_in_time() {
        let block = "<style>\n## no\n</script>\n\n## é\n\n";
        let text = block.repeat(5_000);
        assert_eq!(read(&text, 0).0.len(), 5_000);
        let far = format!("{}{block}", "word word\n\n".repeat(20_000));
        assert_eq!(titles(&far), ["é"]);
    }
}
