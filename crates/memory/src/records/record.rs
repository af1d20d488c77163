use std::ops::Range;
use std::sync::{Arc, OnceLock};

use windlass_base::{Place, RepoPath, Source};

use crate::markdown::{self, Link, Section};
use crate::records::kind::{RecordKind, Status};
use crate::records::link_paths::resolve;
use crate::records::record_body::RecordBody;
use crate::texts::conflict_marks::has_conflict_marks;
use crate::texts::front_matter::FrontMatter;

/// A Markdown file of the memory.
///
/// We parse the frontmatter and the body when they're first needed, and share the result among all
/// clones. Many operations only look at the frontmatter, and cloning a whole memory is cheap.
#[derive(Debug, Clone)]
pub struct Record {
    /// The path from the repository root.
    pub path: RepoPath,
    /// The kind, derived from `path`.
    pub kind: RecordKind,
    source: Arc<Source>,
    front: Arc<OnceLock<Option<FrontMatter>>>,
    parsed: Arc<OnceLock<(Vec<Section>, Vec<Link>)>>,
}

impl Record {
    /// Returns `None` if `path` isn't a Markdown file of a memory.
    #[must_use]
    pub fn of(path: &RepoPath, source: &Arc<Source>) -> Option<Self> {
        Some(Self {
            path: path.clone(),
            kind: RecordKind::of_path(path.as_str())?,
            source: Arc::clone(source),
            front: Arc::default(),
            parsed: Arc::default(),
        })
    }

    /// Returns the text of the whole file.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns the frontmatter, or `None` if the text doesn't start with one.
    #[must_use]
    pub fn front(&self) -> Option<&FrontMatter> {
        let front = || FrontMatter::of(self.source().text());
        self.front.get_or_init(front).as_ref()
    }

    /// Returns all sections in the order of the text, including nested ones.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.parsed().0
    }

    /// Returns all links in the order of the text.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.parsed().1
    }

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

    /// Returns the value of a frontmatter field, or `None` if it's empty or not a string.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.front()?.text(key)
    }

    /// Returns the `id` field, which a hand-written file may lack.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.text("id")
    }

    /// Returns the `title` field. We fall back to the first heading, and then to the file name, so
    /// there's always something to show.
    #[must_use]
    pub fn title(&self) -> &str {
        let heading = || self.sections().first().map(|first| first.title.as_str());
        let title = self.text("title").or_else(heading);
        let title = title.filter(|title| !title.is_empty());
        title.unwrap_or_else(|| self.path.file_name())
    }

    /// Returns the status. A record with a missing or unknown status counts as active: we would
    /// rather show an outdated record than hide a valid one.
    #[must_use]
    pub fn status(&self) -> Status {
        self.text("status")
            .and_then(Status::from_word)
            .unwrap_or_default()
    }

    /// Iterates over the records that this one supersedes, by ID or path as the author wrote them.
    pub fn supersedes(&self) -> impl Iterator<Item = &str> {
        let front = self.front().into_iter();
        front.flat_map(|front| front.texts("supersedes"))
    }

    /// True for all files except notes without frontmatter. Those are just Markdown files that
    /// happen to be in the folder.
    #[must_use]
    pub fn is_record(&self) -> bool {
        self.kind != RecordKind::Note || self.front().is_some()
    }

    /// True if there are conflict markers in the text.
    #[must_use]
    pub fn is_unmerged(&self) -> bool {
        has_conflict_marks(self.source().text())
    }

    /// Returns the offset of the text after the frontmatter.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.front().map_or(0, |front| front.end)
    }

    /// Returns the location of a field, or that of the first line if there's no such field.
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

    /// The first line, without a byte order mark. A finding about the record as a whole points
    /// here.
    pub(crate) fn first_line(&self) -> Range<usize> {
        let mark = if self.source().text().starts_with('\u{feff}') {
            3
        } else {
            0
        };
        let line = self.source().line_range(1);
        mark.min(line.end)..line.end
    }

    /// Resolves a link to a path from the root of the repository.
    ///
    /// This returns `None` for a web address or a link within the same file, and an error if the
    /// target is outside of the repository.
    #[must_use]
    pub fn target_of(&self, link: &Link) -> Option<Result<RepoPath, String>> {
        resolve(&self.path, &link.target)
    }
}
