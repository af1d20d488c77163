use std::ops::Range;
use std::sync::{Arc, OnceLock};

use windlass_base::{Place, RepoPath, Source};

use crate::markdown::{self, Link, Section};
use crate::records::head::{FIELDS, Head};
use crate::records::kind::{RecordKind, Status};
use crate::records::link_paths::resolve;
use crate::records::record_body::RecordBody;
use crate::texts::conflict_marks::has_conflict_marks;
use crate::texts::front_matter::FrontMatter;
use crate::texts::read_text::Text;

/// A Markdown file of the memory. Its head is always available, while the text may be read and
/// parsed on demand.
#[derive(Debug, Clone)]
pub struct Record {
    /// Path of the file.
    pub path: RepoPath,
    /// Kind of the record.
    pub kind: RecordKind,
    head: Arc<Head>,
    text: Text,
    front: Arc<OnceLock<Option<FrontMatter>>>,
    parsed: Arc<OnceLock<(Vec<Section>, Vec<Link>)>>,
}

impl Record {
    /// Creates the record in `source`, or returns `None` if `path` isn't a Markdown file of a
    /// memory.
    #[must_use]
    pub fn of(path: &RepoPath, source: &Arc<Source>) -> Option<Self> {
        Self::of_text(path, Text::from(Arc::clone(source)), None)
    }

    /// Creates a record from `text`, parsing the head from it unless `head` is given. Returns
    /// `None` if `path` isn't a Markdown file of a memory.
    pub(crate) fn of_text(path: &RepoPath, text: Text, head: Option<Arc<Head>>) -> Option<Self> {
        let kind = RecordKind::of_path(path.as_str())?;
        let mut record = Self {
            path: path.clone(),
            kind,
            head: Arc::default(),
            text,
            front: Arc::default(),
            parsed: Arc::default(),
        };
        record.head = head.unwrap_or_else(|| Arc::new(record.read_head()));
        Some(record)
    }

    /// Parses the head from the text.
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

    /// Returns the head, for which the text needn't be read.
    pub(crate) fn head(&self) -> &Arc<Head> {
        &self.head
    }

    /// Returns the text, reading it if necessary.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        self.text.source()
    }

    /// Returns true if the text still matches the head, which may come from a cache.
    #[must_use]
    pub fn is_as_known(&self) -> bool {
        self.head.mark == Head::mark_of(self.source().text())
    }

    /// Returns the frontmatter, or `None` if the record has none.
    #[must_use]
    pub fn front(&self) -> Option<&FrontMatter> {
        let front = || FrontMatter::of(self.source().text());
        self.front.get_or_init(front).as_ref()
    }

    /// Returns all sections in the order of the text.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.parsed().0
    }

    /// Returns all links in the order of the text.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.parsed().1
    }

    /// Returns the body, which gives access to its sections.
    pub(crate) fn body(&self) -> RecordBody<'_> {
        RecordBody {
            kind: self.kind,
            text: self.source().text(),
            start: self.body_start(),
            sections: self.sections(),
        }
    }

    fn parsed(&self) -> &(Vec<Section>, Vec<Link>) {
        self.parsed.get_or_init(|| {
            let text = self.source().text();
            let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
            let from = self.front().map_or(mark, |front| front.end);
            markdown::read(text, from)
        })
    }

    /// Returns the text of the frontmatter field `key`. Cached fields don't touch the file.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.head.field(key) {
            Some(known) => known,
            None => self.front()?.text(key),
        }
    }

    /// Returns the id, or `None` if the frontmatter has none.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// Returns the title field, or else the first heading, or else the file name.
    #[must_use]
    pub fn title(&self) -> &str {
        match self.head.title.as_str() {
            "" => self.path.file_name(),
            title => title,
        }
    }

    /// Returns the status. A missing or unknown status counts as active.
    #[must_use]
    pub fn status(&self) -> Status {
        self.text("status")
            .and_then(Status::parse)
            .unwrap_or_default()
    }

    /// Returns the names of the records superseded by this one, as written.
    pub fn supersedes(&self) -> impl Iterator<Item = &str> {
        self.head.supersedes.iter().map(String::as_str)
    }

    /// Returns true for every file except notes without frontmatter.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.kind != RecordKind::Note || self.front().is_some()
    }

    /// Returns true if the text has conflict markers.
    #[must_use]
    pub fn is_unmerged(&self) -> bool {
        has_conflict_marks(self.source().text())
    }

    /// Returns the offset of the text after the frontmatter.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.front().map_or(0, |front| front.end)
    }

    /// Returns the place of the field `key`, or of the first line if the field is missing.
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

    /// Returns the range of the first line, which represents the whole record in findings.
    pub(crate) fn first_line(&self) -> Range<usize> {
        let mark = if self.source().text().starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let line = self.source().line_range(1);
        mark.min(line.end)..line.end
    }

    /// Resolves a link to a path from the repository root. Returns `None` for a web address or a
    /// link within the same file, and an error for a target outside the repository.
    #[must_use]
    pub fn target_of(&self, link: &Link) -> Option<Result<RepoPath, String>> {
        resolve(&self.path, &link.target)
    }
}
