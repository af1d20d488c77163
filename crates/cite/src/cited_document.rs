//! Markdown documents and their citations.

use std::ops::Range;

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, Refusal, Snapshot, SourceFile};
use windlass_site::Error;

use crate::scanner::{Citation, scan};

const GLOBS: [&str; 4] = ["*.md", "*.markdown", "*.mdx", "*.mdc"];

/// Byte order mark.
const MARK: &str = "\u{feff}";

/// A Markdown document in the repository, scanned for citations.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) name: RepoPath,
    pub(crate) text: String,
    pub(crate) citations: Vec<Citation>,
}

impl Document {
    /// Reads the document `name` and scans it for citations.
    ///
    /// # Errors
    /// Returns the reason if the document is forbidden or is not UTF-8.
    pub(crate) fn read(snapshot: &Snapshot, name: &RepoPath) -> Result<Self, String> {
        let source = snapshot.read(name).map_err(|refusal| refusal.to_string())?;
        Self::of(name, &source)
    }

    /// Reads the document as of `commit`, which must be a full id. Returns `None` if it is missing
    /// there or unreadable.
    pub(crate) fn at(snapshot: &Snapshot, commit: &str, name: &RepoPath) -> Option<Self> {
        let source = snapshot.history().file(commit, None, name).ok()?;
        Self::of(name, &source).ok()
    }

    fn of(name: &RepoPath, source: &SourceFile) -> Result<Self, String> {
        if let Some(why) = source.why_no_text() {
            return Err(format!("it is {why}"));
        }
        let text = std::str::from_utf8(source.bytes());
        let text = text.map_err(|_| "it is not UTF-8".to_owned())?.to_owned();
        Ok(Self {
            name: name.clone(),
            citations: scan(&text),
            text,
        })
    }

    /// The whole line around a citation, without the line end.
    pub(crate) fn line_of(&self, citation: &Citation) -> &str {
        &self.text[self.range_of_line(citation)]
    }

    fn range_of_line(&self, citation: &Citation) -> Range<usize> {
        let start = self.text[..citation.range.start]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let end = start + line.len();
        let mark = if line.starts_with(MARK) {
            MARK.len()
        } else {
            0
        };
        start + mark..end
    }

    /// Like [`line_of`](Self::line_of), but with a line feed in place of each citation.
    pub(crate) fn line_without_citations(&self, citation: &Citation) -> String {
        let line = self.range_of_line(citation);
        let (mut out, mut done) = (String::new(), line.start);
        // Citations are in document order, so those on this line are adjacent.
        let first = self
            .citations
            .partition_point(|one| one.range.start < line.start);
        let from_here = self.citations[first..].iter().map(|one| &one.range);
        for range in from_here.take_while(|range| range.start < line.end) {
            if range.start >= done && range.end <= line.end {
                out.push_str(&self.text[done..range.start]);
                // A line feed can't occur within a line, so `see a.rs:1` never equals a bare `see`.
                out.push('\n');
                done = range.end;
            }
        }
        out + &self.text[done..line.end]
    }

    /// The lines of a citation's code block, if any.
    pub(crate) fn shown<'a>(&'a self, citation: &Citation) -> Option<Vec<&'a str>> {
        let excerpt = citation.excerpt.as_ref()?;
        Some(excerpt.lines(&self.text))
    }
}

pub(crate) fn is_document(file: &RepoPath) -> bool {
    let ends = GLOBS.iter().filter_map(|glob| glob.strip_prefix('*'));
    ends.into_iter().any(|end| file.as_str().ends_with(end))
}

/// Lists the Markdown files of the repository, including hidden folders but no ignored files.
pub(crate) fn all_documents(snapshot: &Snapshot) -> Result<Vec<RepoPath>, Error> {
    documents_below(snapshot, Vec::new())
}

/// Replaces each folder in `named` by its Markdown files.
pub(crate) fn documents_in(snapshot: &Snapshot, named: &[RepoPath]) -> Vec<RepoPath> {
    let mut documents = Vec::new();
    for name in named {
        // A folder that can't be listed stays in the list, and is reported as an unreadable
        // document.
        let below = || documents_below(snapshot, vec![name.clone()]).ok();
        match matches!(snapshot.read(name), Err(Refusal::Directory)).then(below) {
            Some(Some(below)) => documents.extend(below),
            _ => documents.push(name.clone()),
        }
    }
    documents
}

fn documents_below(snapshot: &Snapshot, paths: Vec<RepoPath>) -> Result<Vec<RepoPath>, Error> {
    let query = ListQuery {
        paths,
        globs: GLOBS.map(str::to_owned).to_vec(),
        hidden: true,
        ..ListQuery::default()
    };
    let mut files = snapshot.list(&query, &Cancel::default())?.files;
    files.retain(|file| !file.as_str().starts_with(".git/"));
    Ok(files)
}
