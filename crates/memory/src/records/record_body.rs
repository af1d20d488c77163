//! The Markdown body of a record, with lookups of sections by name.

use std::ops::Range;

use crate::markdown::{SECTION, Section, all_called, goes_by, is_same_heading, qualifies};
use crate::records::kind::RecordKind;

/// Placeholder written by the templates into a section without content.
pub(crate) const NOT_SAID: &str = "Not said yet.";

/// The text below a record's frontmatter. Sections can be looked up by name, and parts by their
/// content. All ranges refer to the whole record's text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordBody<'a> {
    pub(super) kind: RecordKind,
    /// The whole record's text.
    pub(super) text: &'a str,
    /// Offset of the body in the text.
    pub(super) start: usize,
    /// All sections in the order of the text.
    pub(super) sections: &'a [Section],
}

impl<'a> RecordBody<'a> {
    /// Returns the section with one of `names`, preferring one that isn't nested in another.
    pub(crate) fn section(self, names: &[&str]) -> Option<&'a Section> {
        let nested = || {
            self.named(&self.sections.iter().collect::<Vec<_>>(), names)
                .first()
                .copied()
        };
        self.own_section(names).or_else(nested)
    }

    /// Returns the first section with one of `names` that isn't nested in another. The title and
    /// other headings above the section level don't count as nesting.
    pub(crate) fn own_section(self, names: &[&str]) -> Option<&'a Section> {
        self.own_sections(names).into_iter().next()
    }

    /// Returns all sections with one of `names` that aren't nested. Reads and updates use the
    /// first.
    pub(crate) fn own_sections(self, names: &[&str]) -> Vec<&'a Section> {
        let title = self.title();
        let mut end = 0;
        let own = self.sections.iter().filter(|section| {
            if title == Some(section) || section.heading.start < end {
                return false;
            }
            // Another first-level heading, as in concatenated files, doesn't make the sections
            // below it nested.
            end = match section.level < SECTION {
                true => section.heading.end,
                false => section.body.end,
            };
            true
        });
        self.named(&own.collect::<Vec<_>>(), names)
    }

    /// Returns the `sections` with one of `names`. If there are none, falls back on required names
    /// with a number or a note, such as `Decision (accepted)`.
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

    /// Returns true if the kind requires a part with one of `names`.
    fn requires(self, names: &[&str]) -> bool {
        let mut parts = self.kind.parts().iter().flat_map(|part| part.iter());
        parts.any(|one| goes_by(one, names))
    }

    /// Returns the section holding the part with one of `names`. Sections that aren't nested take
    /// precedence, and a nested one counts only if the kind requires the part. Reads and updates
    /// must agree on the section, so both call this.
    pub(crate) fn part(self, names: &[&str]) -> Option<&'a Section> {
        let nested = || self.requires(names).then(|| self.section(names)).flatten();
        self.own_section(names).or_else(nested)
    }

    /// Returns the range of the text that belongs to `section` itself. Above the section level, it
    /// ends at the first section.
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

    /// Returns the heading that serves as the title. That's the first heading, provided that no
    /// text comes before it. It must also have level 1 or enclose all other sections.
    pub(crate) fn title(self) -> Option<&'a Section> {
        let first = self.sections.first()?;
        let before = &self.text[self.start..first.heading.start];
        let encloses_all = || self.sections.len() > 1 && first.body.end == self.text.len();
        (before.trim().is_empty() && (first.level == 1 || encloses_all())).then_some(first)
    }

    /// Returns the range between the title and the first section.
    pub(crate) fn lead(self) -> Range<usize> {
        let title = self.title().filter(|title| title.level == 1);
        let start = title.map_or(self.start, |title| title.heading.end);
        let next = self.sections.get(usize::from(title.is_some()));
        start..next.map_or(self.text.len(), |next| next.heading.start)
    }

    /// Returns the sections without content: unfilled template sections, sections that say `None`,
    /// and sections with nothing but a link back to the summary. In the summary itself, lists of
    /// links count too.
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

    /// Returns the parts of `range` with content.
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

    /// Returns the text without the headings required by its kind and without unfilled template
    /// sections.
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
