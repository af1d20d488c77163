use std::ops::Range;
use std::sync::{Arc, OnceLock};

use windlass_base::{Place, RepoPath, Source};

use crate::markdown::{
    self, Link, SECTION, Section, all_called, goes_by, is_same_heading, qualifies,
};
use crate::records::head::{FIELDS, Head};
use crate::records::kind::{RecordKind, Status};
use crate::texts::conflict_marks::has_conflict_marks;
use crate::texts::front_matter::FrontMatter;
use crate::texts::read_text::Text;

/// Placeholder for a part that has not been filled in.
pub(crate) const NOT_SAID: &str = "Not said yet.";

/// Markdown file of the memory. Its head is known; the rest of the text is read and parsed on demand.
#[derive(Debug, Clone)]
pub struct Record {
    /// Path of the file.
    pub path: RepoPath,
    /// Kind of the record.
    pub kind: RecordKind,
    head: Arc<Head>,
    text: Text,
    front: Arc<OnceLock<Option<FrontMatter>>>,
    body: Arc<OnceLock<(Vec<Section>, Vec<Link>)>>,
}

impl Record {
    /// Reads the record in `source`; `None` if `path` is not a Markdown file of a memory.
    #[must_use]
    pub fn of(path: &RepoPath, source: &Arc<Source>) -> Option<Self> {
        Self::of_text(path, Text::from(Arc::clone(source)), None)
    }

    /// Creates a record from `text`; the head is read from it unless given.
    pub(crate) fn of_text(path: &RepoPath, text: Text, head: Option<Arc<Head>>) -> Option<Self> {
        let kind = RecordKind::of_path(path.as_str())?;
        let mut record = Self {
            path: path.clone(),
            kind,
            head: Arc::default(),
            text,
            front: Arc::default(),
            body: Arc::default(),
        };
        record.head = head.unwrap_or_else(|| Arc::new(record.read_head()));
        Some(record)
    }

    /// Reads the head from the text.
    fn read_head(&self) -> Head {
        let front = self.front();
        let text = |key: &str| front.and_then(|front| front.text(key));
        let heading = || self.sections().first().map(|first| first.title.as_str());
        let title = text("title").or_else(heading).unwrap_or_default();
        Head {
            title: title.to_owned(),
            fields: FIELDS.map(|key| text(key).map(str::to_owned)),
            supersedes: front
                .map(|front| front.texts("supersedes"))
                .unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            mark: Head::mark_of(self.source().text()),
        }
    }

    /// Returns the head, which is known without reading the text.
    pub(crate) fn head(&self) -> &Arc<Head> {
        &self.head
    }

    /// Returns the text.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        self.text.source()
    }

    /// True if the text still matches the cached head, which may be older.
    #[must_use]
    pub fn is_as_known(&self) -> bool {
        self.head.mark == Head::mark_of(self.source().text())
    }

    /// Returns the frontmatter.
    #[must_use]
    pub fn front(&self) -> Option<&FrontMatter> {
        let front = || FrontMatter::of(self.source().text());
        self.front.get_or_init(front).as_ref()
    }

    /// Returns all sections in the order of the text.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.body().0
    }

    /// Returns all links in the order of the text.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.body().1
    }

    fn body(&self) -> &(Vec<Section>, Vec<Link>) {
        self.body.get_or_init(|| {
            let text = self.source().text();
            let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
            let from = self.front().map_or(mark, |front| front.end);
            markdown::read(text, from)
        })
    }

    /// Returns the text of a frontmatter field.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.head.field(key) {
            Some(known) => known,
            None => self.front()?.text(key),
        }
    }

    /// Returns the id; `None` if the frontmatter has none.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// Returns the title field, the first heading, or the file name.
    #[must_use]
    pub fn title(&self) -> &str {
        match self.head.title.as_str() {
            "" => self.path.file_name(),
            title => title,
        }
    }

    /// Returns the status; a missing or unknown one counts as active.
    #[must_use]
    pub fn status(&self) -> Status {
        self.text("status")
            .and_then(Status::parse)
            .unwrap_or_default()
    }

    /// Returns the names of the superseded records, as written.
    pub fn supersedes(&self) -> impl Iterator<Item = &str> {
        self.head.supersedes.iter().map(String::as_str)
    }

    /// True for every file except notes without frontmatter.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.kind != RecordKind::Note || self.front().is_some()
    }

    /// Returns the section with one of `names`, preferring one that is not nested in another section.
    #[must_use]
    pub fn section(&self, names: &[&str]) -> Option<&Section> {
        let within = || self.called(&self.sections().iter().collect::<Vec<_>>(), names);
        let own = self.own_section(names);
        own.or_else(|| within().into_iter().next())
    }

    /// Returns the first section with one of `names` that is not nested in another section; the title and other
    /// headings above the level of sections do not count as nesting.
    #[must_use]
    pub fn own_section(&self, names: &[&str]) -> Option<&Section> {
        self.own_sections(names).into_iter().next()
    }

    /// Returns all sections as [`Record::own_section`] does; the first is the one that is read and changed.
    #[must_use]
    pub fn own_sections(&self, names: &[&str]) -> Vec<&Section> {
        let title = self.title_section();
        let mut end = 0;
        let own = self.sections().iter().filter(|section| {
            if title == Some(section) || section.heading.start < end {
                return false;
            }
            // Below a further first-level heading, as in joined files, sections are not nested.
            end = match section.level < SECTION {
                true => section.heading.end,
                false => section.body.end,
            };
            true
        });
        self.called(&own.collect::<Vec<_>>(), names)
    }

    /// Returns the `sections` with one of `names`; if there are none, those with a qualified name of a part that the
    /// kind requires.
    fn called<'a>(&self, sections: &[&'a Section], names: &[&str]) -> Vec<&'a Section> {
        let called = all_called(sections, names);
        if !called.is_empty() {
            return called;
        }
        let asked = |name: &&&str| self.asks_for(&[**name]);
        let asked: Vec<&str> = names.iter().filter(asked).copied().collect();
        let mut qualified = sections.to_vec();
        qualified.retain(|section| qualifies(&section.title, &asked));
        qualified
    }

    /// True if the kind requires a part with one of `names`.
    fn asks_for(&self, names: &[&str]) -> bool {
        let mut asked = self.kind.parts().iter().flat_map(|part| part.iter());
        asked.any(|one| goes_by(one, names))
    }

    /// Returns the section that holds the part with one of `names`, preferring one that is not nested. A nested section
    /// counts only if the kind requires the part. Reading and updating use the same section.
    #[must_use]
    pub fn part(&self, names: &[&str]) -> Option<&Section> {
        let elsewhere = || self.asks_for(names).then(|| self.section(names)).flatten();
        self.own_section(names).or_else(elsewhere)
    }

    /// Returns the own text of `section`; above the level of sections, it ends at the first section.
    #[must_use]
    pub fn own_body(&self, section: &Section) -> Range<usize> {
        let body = section.body.clone();
        if section.level >= SECTION {
            return body;
        }
        let mut inner = self.sections().iter();
        let inner =
            inner.find(|inner| inner.level == SECTION && body.contains(&inner.heading.start));
        body.start..inner.map_or(body.end, |inner| inner.heading.start)
    }

    /// Returns the heading that serves as the title: the first one, if no text precedes it and it is of the first level
    /// or encloses all other sections.
    pub(crate) fn title_section(&self) -> Option<&Section> {
        let text = self.source().text();
        let first = self.sections().first()?;
        let is_first = text[self.body_start()..first.heading.start]
            .trim()
            .is_empty();
        (is_first
            && (first.level == 1 || self.sections().len() > 1 && first.body.end == text.len()))
        .then_some(first)
    }

    /// Returns the sections without content: unfilled template sections, `None`, a mere link back to the summary, and
    /// lists of links in the summary itself.
    pub fn silent_sections(&self) -> impl Iterator<Item = &Section> {
        let text = self.source().text();
        self.sections().iter().filter(move |section| {
            section.level > 1 && {
                let says = text[section.body.clone()].trim();
                let plain = says
                    .trim_start_matches(['-', '*', ' '])
                    .trim_end_matches('.');
                let is_back_link = plain.starts_with('[')
                    && plain.ends_with("summary.md)")
                    && !plain.contains('\n');
                let is_item = |line: &str| line.trim().is_empty() || line.starts_with("- [");
                let is_list = self.kind == RecordKind::Summary && says.lines().all(is_item);
                says == NOT_SAID
                    || is_list
                    || is_back_link
                    || matches!(plain.to_lowercase().as_str(), "" | "none" | "none yet")
            }
        })
    }

    /// Returns the parts of `range` that have content.
    #[must_use]
    pub fn saying(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut saying = Vec::new();
        let mut at = range.start;
        for silent in self.silent_sections() {
            if silent.heading.start >= at && silent.heading.start < range.end {
                saying.push(at..silent.heading.start);
                at = silent.body.end.min(range.end);
            }
        }
        saying.push(at..range.end.max(at));
        let text = self.source().text();
        let trimmed = saying.into_iter().map(|part| {
            let lead = text[part.clone()].len() - text[part.clone()].trim_start().len();
            let start = part.start + lead;
            start..start + text[start..part.end.max(start)].trim_end().len()
        });
        let says = |part: &Range<usize>| {
            let mut lines = text[part.clone()].lines();
            lines.any(|line| !line.trim().is_empty() && !line.starts_with('#'))
        };
        trimmed.filter(says).collect()
    }

    /// Returns the text without the usual headings of its kind and without unfilled template sections.
    pub(crate) fn own_words(&self) -> String {
        let text = self.source().text();
        let names = || self.kind.parts().iter().flat_map(|names| names.iter());
        let is_usual = |title: &str| names().any(|name| is_same_heading(title, name));
        let usual = self.sections().iter().filter(|one| is_usual(&one.title));
        let headings: Vec<_> = usual.map(|section| section.heading.clone()).collect();
        let mut words = String::new();
        for part in self.saying(self.body_start()..text.len()) {
            let mut at = part.start;
            for heading in &headings {
                if heading.start >= at && heading.end <= part.end {
                    words.push_str(&text[at..heading.start]);
                    at = heading.end;
                }
            }
            words.push_str(&text[at..part.end]);
            words.push('\n');
        }
        words
    }

    /// True if the text has conflict markers.
    #[must_use]
    pub fn is_unmerged(&self) -> bool {
        has_conflict_marks(self.source().text())
    }

    /// Returns the offset of the text behind the frontmatter.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.front().map_or(0, |front| front.end)
    }

    /// Returns the range between the title and the first section.
    #[must_use]
    pub fn lead(&self) -> Range<usize> {
        let text = self.source().text();
        let from = self.body_start();
        let title = self.title_section().filter(|title| title.level == 1);
        let start = title.map_or(from, |title| title.heading.end);
        let next = self.sections().get(usize::from(title.is_some()));
        start..next.map_or(text.len(), |next| next.heading.start)
    }

    /// Returns the place of the field `key`; the first line if the field is missing.
    #[must_use]
    pub fn place_of(&self, key: &str) -> Place {
        let range = match self.front() {
            None => self.first_line(),
            Some(front) => match front.field(key) {
                Some(field) => field.key_range.clone(),
                None => self.first_line(),
            },
        };
        Place::new(self.source(), range)
    }

    /// Returns the range of the first line, used as the place of the whole record.
    pub(crate) fn first_line(&self) -> Range<usize> {
        let mark = if self.source().text().starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let line = self.source().line_range(1);
        mark.min(line.end)..line.end
    }

    /// Resolves a link to a path from the root of the repository. Returns `None` for a web address or a place in the
    /// same file, and an error for a target outside of the repository.
    #[must_use]
    pub fn target_of(&self, link: &Link) -> Option<Result<RepoPath, String>> {
        resolve(&self.path, &link.target)
    }
}

/// Resolves `target`, written in the file `from`.
pub(crate) fn resolve(from: &RepoPath, target: &str) -> Option<Result<RepoPath, String>> {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let is_web = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    });
    if target.is_empty() || is_web {
        return None;
    }
    let target = target.replace("%20", " ");
    // A leading slash means the root of the repository, as on code hosts.
    let rooted = target
        .strip_prefix('/')
        .filter(|rest| !rest.starts_with('/'));
    let parent = match rooted {
        Some(_) => RepoPath::root(),
        None => from.parent().unwrap_or_else(RepoPath::root),
    };
    let target = rooted.unwrap_or(&target);
    if RepoPath::is_absolute(target) {
        return Some(Err(format!("`{target}` is absolute")));
    }
    let mut parts: Vec<&str> = match parent.is_root() {
        true => Vec::new(),
        false => parent.as_str().split('/').collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Some(Err(format!("`{target}` leads out of the repository")));
                }
            }
            part => parts.push(part),
        }
    }
    Some(RepoPath::parse(&parts.join("/")).map_err(|error| error.to_string()))
}

/// Returns the relative link from the file `from` to `target`.
pub(crate) fn relative(from: &RepoPath, target: &RepoPath) -> String {
    let parent = from.parent().unwrap_or_else(RepoPath::root);
    let above: Vec<&str> = match parent.is_root() {
        true => Vec::new(),
        false => parent.as_str().split('/').collect(),
    };
    let parts: Vec<&str> = target.as_str().split('/').collect();
    let common = above
        .iter()
        .zip(&parts[..parts.len() - 1])
        .take_while(|(a, b)| a == b)
        .count();
    let up = vec![".."; above.len() - common];
    let way: Vec<&str> = up
        .into_iter()
        .chain(parts[common..].iter().copied())
        .collect();
    way.join("/").replace(' ', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_sections_detected() {
        let path = RepoPath::parse("memory/decisions/a.md").unwrap();
        let text = "# A\n\n## Decision\n\nSo.\n\n## Rationale\n\nNot said yet.\n\n## Consequences\n\nMany.\n\n## Related records\n\n- [Summary](../summary.md)\n";
        let record = Record::of(&path, &Source::new("a", text)).unwrap();
        let saying = record.saying(0..text.len());
        let saying: Vec<&str> = saying.into_iter().map(|part| &text[part]).collect();
        assert_eq!(
            saying,
            ["# A\n\n## Decision\n\nSo.", "## Consequences\n\nMany."]
        );
        let empty = "# A\n\n## Rationale\n\nNot said yet.\n";
        let record = Record::of(&path, &Source::new("a", empty)).unwrap();
        assert!(record.saying(0..empty.len()).is_empty());
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
                says(record.own_section(&["notes"])).as_deref(),
                own,
                "{text}"
            );
            assert_eq!(
                says(record.section(&["notes"])).as_deref(),
                Some(any),
                "{text}"
            );
        }
    }

    #[test]
    fn links_resolve_from_their_file() {
        let from = RepoPath::parse("memory/decisions/a.md").unwrap();
        let to = |target: &str| resolve(&from, target).map(|to| to.map(|path| path.to_string()));
        assert_eq!(to("b.md#x"), Some(Ok("memory/decisions/b.md".to_owned())));
        assert_eq!(
            to("../summary.md"),
            Some(Ok("memory/summary.md".to_owned()))
        );
        assert_eq!(to("https://x.y/z.md"), None);
        assert_eq!(to("#here"), None);
        assert!(to("../../../x").unwrap().is_err());
        assert_eq!(
            to("/docs/x.md"),
            Some(Ok("docs/x.md".to_owned())),
            "from the root of the repository"
        );
        assert!(to("//server/x").unwrap().is_err());
        assert!(to("/../x").unwrap().is_err());
        for target in [
            "memory/decisions/b.md",
            "memory/summary.md",
            "docs/a b.md",
            "x",
        ] {
            let target = RepoPath::parse(target).unwrap();
            let way = relative(&from, &target);
            assert_eq!(resolve(&from, &way), Some(Ok(target)), "{way}");
        }
    }
}
