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

/// What stands in a part of a summary about which nobody said anything yet.
pub(crate) const NOT_SAID: &str = "Not said yet.";

/// A Markdown file of the memory. What stands in its head is known; the rest is read, and taken apart, where somebody asks for it.
#[derive(Debug, Clone)]
pub struct Record {
    /// Where.
    pub path: RepoPath,
    /// What it is.
    pub kind: RecordKind,
    head: Arc<Head>,
    text: Text,
    front: Arc<OnceLock<Option<FrontMatter>>>,
    body: Arc<OnceLock<(Vec<Section>, Vec<Link>)>>,
}

impl Record {
    /// The record in `source`; none where `path` is no Markdown of a memory.
    #[must_use]
    pub fn of(path: &RepoPath, source: &Arc<Source>) -> Option<Self> {
        Self::of_text(path, Text::from(Arc::clone(source)), None)
    }

    /// The record in `text`, whose head is known already, or read now.
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

    /// What is kept of it.
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

    /// What is known of it without its text.
    pub(crate) fn head(&self) -> &Arc<Head> {
        &self.head
    }

    /// Its text.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        self.text.source()
    }

    /// Whether its text is the one by which it is told whether it changed: what is known already may be older than what is read now.
    #[must_use]
    pub fn is_as_known(&self) -> bool {
        self.head.mark == Head::mark_of(self.source().text())
    }

    /// What stands at its beginning.
    #[must_use]
    pub fn front(&self) -> Option<&FrontMatter> {
        let front = || FrontMatter::of(self.source().text());
        self.front.get_or_init(front).as_ref()
    }

    /// Its headings.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.body().0
    }

    /// Where it leads.
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

    /// The text of a field of the frontmatter.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.head.field(key) {
            Some(known) => known,
            None => self.front()?.text(key),
        }
    }

    /// Its name; none where it has none.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// What a person calls it: its field, its first heading, or its file.
    #[must_use]
    pub fn title(&self) -> &str {
        match self.head.title.as_str() {
            "" => self.path.file_name(),
            title => title,
        }
    }

    /// Whether it is to be relied on; what says nothing of it, or nothing that is known, counts as active.
    #[must_use]
    pub fn status(&self) -> Status {
        self.text("status")
            .and_then(Status::parse)
            .unwrap_or_default()
    }

    /// The records whose place it says it took, as it names them.
    pub fn supersedes(&self) -> impl Iterator<Item = &str> {
        self.head.supersedes.iter().map(String::as_str)
    }

    /// Whether it is a record at all: notes without frontmatter are not.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.kind != RecordKind::Note || self.front().is_some()
    }

    /// The section that goes by one of these names: one of its own, else one within another.
    #[must_use]
    pub fn section(&self, names: &[&str]) -> Option<&Section> {
        let within = || self.called(&self.sections().iter().collect::<Vec<_>>(), names);
        let own = self.own_section(names);
        own.or_else(|| within().into_iter().next())
    }

    /// The section that goes by one of these names, and stands in no other one: below its title, or another heading above that of
    /// sections, alone.
    #[must_use]
    pub fn own_section(&self, names: &[&str]) -> Option<&Section> {
        self.own_sections(names).into_iter().next()
    }

    /// All of its own sections that go by one of these names: the first is the one that is read and changed.
    #[must_use]
    pub fn own_sections(&self, names: &[&str]) -> Vec<&Section> {
        let title = self.title_section();
        let mut end = 0;
        let own = self.sections().iter().filter(|section| {
            if title == Some(section) || section.heading.start < end {
                return false;
            }
            // Below a heading of the first level, as of one that joins two files, sections are those of the record all the same.
            end = match section.level < SECTION {
                true => section.heading.end,
                false => section.body.end,
            };
            true
        });
        self.called(&own.collect::<Vec<_>>(), names)
    }

    /// Those of `sections` that go by one of `names`. Where none does, those that say more than a name that its kind asks for.
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

    /// Whether its kind asks for a part that goes by one of `names`.
    fn asks_for(&self, names: &[&str]) -> bool {
        let mut asked = self.kind.parts().iter().flat_map(|part| part.iter());
        asked.any(|one| goes_by(one, names))
    }

    /// Where it says the part that goes by one of these names: in a section of its own. One within another is it as well where its
    /// kind asks for the part, and nothing else says it: what is read there is what is changed.
    #[must_use]
    pub fn part(&self, names: &[&str]) -> Option<&Section> {
        let elsewhere = || self.asks_for(names).then(|| self.section(names)).flatten();
        self.own_section(names).or_else(elsewhere)
    }

    /// What stands in `section` itself: one above the level of sections ends where the first of these begins.
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

    /// The heading that is its title: the first one, where nothing stands above it, and all stands below it or it is of the first level.
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

    /// Its sections that say nothing: those of a template of which nobody said anything yet, those that say that there is none,
    /// those that lead back to the summary alone, and in the summary itself those that only lead to records.
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

    /// The parts of `range`, of its text, that say something.
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

    /// What it says, without the headings that all of its kind have, and without what a template says of what nobody said yet.
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

    /// Whether a merge of it was not brought to an end: it says two things at once.
    #[must_use]
    pub fn is_unmerged(&self) -> bool {
        has_conflict_marks(self.source().text())
    }

    /// Where its text begins, behind the frontmatter.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.front().map_or(0, |front| front.end)
    }

    /// What stands above its first section, below its title.
    #[must_use]
    pub fn lead(&self) -> Range<usize> {
        let text = self.source().text();
        let from = self.body_start();
        let title = self.title_section().filter(|title| title.level == 1);
        let start = title.map_or(from, |title| title.heading.end);
        let next = self.sections().get(usize::from(title.is_some()));
        start..next.map_or(text.len(), |next| next.heading.start)
    }

    /// Where the field `key` stands; the beginning of the frontmatter, or of the file, where it is not there.
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

    /// The first line, which stands for the whole.
    pub(crate) fn first_line(&self) -> Range<usize> {
        let mark = if self.source().text().starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let line = self.source().line_range(1);
        mark.min(line.end)..line.end
    }

    /// The path a link in this record leads to, from the root of the repository; none where it leads to the web, to a
    /// place in the same file, or out of the repository.
    #[must_use]
    pub fn target_of(&self, link: &Link) -> Option<Result<RepoPath, String>> {
        resolve(&self.path, &link.target)
    }
}

/// Where `target`, written in the file `from`, leads to.
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
    // What begins with one slash leads from the root of the repository, where Markdown is shown.
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

/// `target` as it is written in the file `from`.
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
    fn what_says_nothing_is_told_from_what_does() {
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
    fn a_section_of_its_own_comes_before_one_within_another() {
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
    fn links_lead_from_the_file_they_stand_in() {
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
