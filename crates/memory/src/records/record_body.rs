//! Finds the sections and parts in the Markdown body of a record.
//!
//! Authors are free to arrange a record as they like, e.g. with other names or a deeper nesting.
//! The rules here decide which section is meant. It's important that reads and updates use the same
//! ones. Otherwise, an update would add a second section next to the one that's read.

use std::ops::Range;

use crate::markdown::{SECTION, Section, all_called, goes_by, is_same_heading, qualifies};
use crate::records::kind::RecordKind;

/// The placeholder that templates have in sections without content.
pub(crate) const NOT_SAID: &str = "Not said yet.";

/// The text below the frontmatter of a record. All ranges refer to the text of the whole record.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordBody<'a> {
    pub(super) kind: RecordKind,
    /// The whole record's text, including the frontmatter.
    pub(super) text: &'a str,
    /// Offset of the body in `text`.
    pub(super) start: usize,
    /// All sections in the order of the text, including nested ones.
    pub(super) sections: &'a [Section],
}

impl<'a> RecordBody<'a> {
    /// Finds a section with one of `names`. We prefer sections that aren't nested in another one.
    pub(crate) fn section(self, names: &[&str]) -> Option<&'a Section> {
        let nested = || {
            self.named(&self.sections.iter().collect::<Vec<_>>(), names)
                .first()
                .copied()
        };
        self.own_section(names).or_else(nested)
    }

    /// Like [`section`](Self::section), but ignores nested sections. A section below the title
    /// doesn't count as nested, nor does one below another heading that's higher than [`SECTION`].
    pub(crate) fn own_section(self, names: &[&str]) -> Option<&'a Section> {
        self.own_sections(names).into_iter().next()
    }

    /// Like [`own_section`](Self::own_section), but returns all matches. Only the first one is ever
    /// read or updated.
    pub(crate) fn own_sections(self, names: &[&str]) -> Vec<&'a Section> {
        let title = self.title();
        let mut end = 0;
        let own = self.sections.iter().filter(|section| {
            if title == Some(section) || section.heading.start < end {
                return false;
            }
            // Concatenated files have several first-level headings. The sections below each of them
            // aren't nested.
            end = match section.level < SECTION {
                true => section.heading.end,
                false => section.body.end,
            };
            true
        });
        self.named(&own.collect::<Vec<_>>(), names)
    }

    /// Filters `sections` by name. If none matches, we also accept the names of required parts with
    /// a number or a note, e.g. `Decision (accepted)`.
    fn named(self, sections: &[&'a Section], names: &[&str]) -> Vec<&'a Section> {
        let named = all_called(sections, names);
        if !named.is_empty() {
            return named;
        }
        let required = |name: &&&str| self.requires(&[**name]);
        let required: Vec<&str> = names.iter().filter(required).copied().collect();
        let mut qualified = sections.to_vec();
        qualified.retain(|section| qualifies(&section.title, &required));
        qualified
    }

    fn requires(self, names: &[&str]) -> bool {
        let mut parts = self.kind.parts().iter().flat_map(|part| part.iter());
        parts.any(|one| goes_by(one, names))
    }

    /// Finds the section with a part. A nested section only counts if this kind of record requires
    /// the part, since it's an accident otherwise: any section may have a subsection called
    /// "Notes".
    pub(crate) fn part(self, names: &[&str]) -> Option<&'a Section> {
        let nested = || self.requires(names).then(|| self.section(names)).flatten();
        self.own_section(names).or_else(nested)
    }

    /// The range of a section's own text. The title and similar headings enclose the whole record,
    /// so for those it ends at the first section.
    pub(crate) fn own_range(self, section: &Section) -> Range<usize> {
        let body = section.body.clone();
        if section.level >= SECTION {
            return body;
        }
        let mut inner = self.sections.iter();
        let inner =
            inner.find(|inner| inner.level == SECTION && body.contains(&inner.heading.start));
        body.start..inner.map_or(body.end, |inner| inner.heading.start)
    }

    /// The title: the first heading, if there's no text above it, and if it's at level 1 or
    /// encloses all other sections.
    pub(crate) fn title(self) -> Option<&'a Section> {
        let first = self.sections.first()?;
        let before = &self.text[self.start..first.heading.start];
        let encloses_all = || self.sections.len() > 1 && first.body.end == self.text.len();
        (before.trim().is_empty() && (first.level == 1 || encloses_all())).then_some(first)
    }

    /// The text between the title and the first section.
    pub(crate) fn lead(self) -> Range<usize> {
        let title = self.title().filter(|title| title.level == 1);
        let start = title.map_or(self.start, |title| title.heading.end);
        let next = self.sections.get(usize::from(title.is_some()));
        start..next.map_or(self.text.len(), |next| next.heading.start)
    }

    /// Sections without content: those that a template left unfilled, those that just say `None`,
    /// and those with nothing but a link back to the summary. In the summary, plain lists of links
    /// count too.
    pub(crate) fn blank_sections(self) -> impl Iterator<Item = &'a Section> {
        let is_blank = move |section: &&Section| section.level > 1 && self.is_blank(section);
        self.sections.iter().filter(is_blank)
    }

    fn is_blank(self, section: &Section) -> bool {
        let content = self.text[section.body.clone()].trim();
        let plain = content
            .trim_start_matches(['-', '*', ' '])
            .trim_end_matches('.');
        let is_back_link =
            plain.starts_with('[') && plain.ends_with("summary.md)") && !plain.contains('\n');
        let is_item = |line: &str| line.trim().is_empty() || line.starts_with("- [");
        let is_list = self.kind == RecordKind::Summary && content.lines().all(is_item);
        content == NOT_SAID
            || is_list
            || is_back_link
            || matches!(plain.to_lowercase().as_str(), "" | "none" | "none yet")
    }

    /// Splits `range` at the blank sections, and drops the pieces that consist of headings only.
    pub(crate) fn filled(self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut filled = Vec::new();
        let mut at = range.start;
        for blank in self.blank_sections() {
            if blank.heading.start >= at && blank.heading.start < range.end {
                filled.push(at..blank.heading.start);
                at = blank.body.end.min(range.end);
            }
        }
        filled.push(at..range.end.max(at));
        let text = self.text;
        let trimmed = filled.into_iter().map(|part| {
            let lead = text[part.clone()].len() - text[part.clone()].trim_start().len();
            let start = part.start + lead;
            start..start + text[start..part.end.max(start)].trim_end().len()
        });
        let has_content = |part: &Range<usize>| {
            let mut lines = text[part.clone()].lines();
            lines.any(|line| !line.trim().is_empty() && !line.starts_with('#'))
        };
        trimmed.filter(has_content).collect()
    }

    /// The words that the author chose: the text without blank sections and without the headings
    /// that all records of this kind have. We suggest keywords from it.
    pub(crate) fn own_words(self) -> String {
        let names = || self.kind.parts().iter().flat_map(|names| names.iter());
        let is_usual = |title: &str| names().any(|name| is_same_heading(title, name));
        let usual = self.sections.iter().filter(|one| is_usual(&one.title));
        let headings: Vec<_> = usual.map(|section| section.heading.clone()).collect();
        let mut words = String::new();
        for part in self.filled(self.start..self.text.len()) {
            let mut at = part.start;
            for heading in &headings {
                if heading.start >= at && heading.end <= part.end {
                    words.push_str(&self.text[at..heading.start]);
                    at = heading.end;
                }
            }
            words.push_str(&self.text[at..part.end]);
            words.push('\n');
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use windlass_base::{RepoPath, Source};

    use super::*;
    use crate::records::record::Record;

    #[test]
    fn blank_sections_detected() {
        let path = RepoPath::parse("memory/decisions/a.md").unwrap();
        let text = "# A\n\n## Decision\n\nSo.\n\n## Rationale\n\nNot said yet.\n\n## Consequences\n\nMany.\n\n## Related records\n\n- [Summary](../summary.md)\n";
        let record = Record::of(&path, &Source::new("a", text)).unwrap();
        let filled = record.body().filled(0..text.len());
        let filled: Vec<&str> = filled.into_iter().map(|part| &text[part]).collect();
        assert_eq!(
            filled,
            ["# A\n\n## Decision\n\nSo.", "## Consequences\n\nMany."]
        );
        let empty = "# A\n\n## Rationale\n\nNot said yet.\n";
        let record = Record::of(&path, &Source::new("a", empty)).unwrap();
        assert!(record.body().filled(0..empty.len()).is_empty());
    }

    #[test]
    fn own_section_precedes_nested() {
        let path = RepoPath::parse("memory/decisions/a.md").unwrap();
        for (text, own, any) in [
            (
                "# A\n\n## X\n\n### Notes\n\nin\n\n## Notes\n\nown\n",
                Some("own"),
                "own",
            ),
            ("# A\n\n## X\n\n### Notes\n\nin\n", None, "in"),
            ("## A\n\n### Notes\n\nown\n", Some("own"), "own"),
            ("### Notes\n\nown\n\n## Last\n\nx\n", Some("own"), "own"),
            (
                "# A\n\nx\n\n# More\n\n## Notes\n\nown\n",
                Some("own"),
                "own",
            ),
            (
                "# A\n\n## Notes\n\nown\n\n# Before\n\n## Notes\n\nold\n",
                Some("own"),
                "own",
            ),
        ] {
            let record = Record::of(&path, &Source::new("a", text)).unwrap();
            let says =
                |section: Option<&Section>| Some(text[section?.body.clone()].trim().to_owned());
            assert_eq!(
                says(record.body().own_section(&["notes"])).as_deref(),
                own,
                "{text}"
            );
            assert_eq!(
                says(record.body().section(&["notes"])).as_deref(),
                Some(any),
                "{text}"
            );
        }
    }
}
