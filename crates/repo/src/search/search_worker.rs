//! A thread of a search, and a thread of a later check.
//!
//! The walk hands out files in any order, so a thread doesn't know which matches will be among the
//! first ones of the result. It keeps the first ones of its own, up to the limit of the query, and
//! drops the rest now and then ([`prune`]).

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_base::Digest;
use windlass_redact::Hints;

use super::joint_patterns::Together;
use super::line_matching::{Matches, Pattern, Searchers, text_of};
use super::looked_at::{LookedAt, Way};
use super::search_query::{LineMatch, SearchQuery};
use super::searches::Searches;
use crate::guard::read_walked;
use crate::platform::{Root, Signature};
use crate::refusal::Refusal;
use crate::repository::Repo;
use crate::seen_files::SeenFiles;
use crate::source_file::SourceFile;
use crate::text_encoding::{begins_as_text, decode, is_binary, wide_encoding};
use crate::walk::{Visitor, WalkedFile, Withheld};

/// Maximum size of the matching files that a search keeps in memory, in bytes.
///
/// We keep the first ones in path order. To show an excerpt of any other file, we have to read it
/// again, and its hash tells us if it has changed.
const MAX_KEPT_BYTES: usize = 256 << 20;

pub(super) struct Hit {
    pub(super) lines: Vec<LineMatch>,
    pub(super) total: u32,
    /// Number of lines in the file, which is only needed for context. Without context, it's 0.
    pub(super) line_count: u32,
    /// Size of the file in bytes, whether or not we still have its contents.
    pub(super) size: usize,
    /// The file as we searched it. `None` if the snapshot already had the file, or above
    /// [`MAX_KEPT_BYTES`].
    pub(super) file: Option<(Arc<SourceFile>, Signature)>,
}

/// One thread of a search, which runs all queries of a group on each of its files.
pub(super) struct Worker<'a> {
    files: &'a SeenFiles,
    searches: &'a Searches,
    root: io::Result<Root>,
    searchers: Searchers,
    together: Option<&'a Together>,
    /// For each pattern, true if it may match in the current file. If we can't tell, all of them
    /// may.
    may_match: Vec<bool>,
    buffer: Vec<u8>,
    pub(super) finds: Vec<Finds<'a>>,
    pub(super) way: Way,
    pub(super) bytes: u64,
    pub(super) binary_files: u32,
    pub(super) withheld: Withheld,
}

/// The matches of one query on one thread.
pub(super) struct Finds<'a> {
    query: &'a SearchQuery,
    pattern: Pattern,
    /// Number of matching lines in `hits`, and number of bytes since the last pruning.
    held: (usize, usize),
    pub(super) hits: BTreeMap<Box<str>, Hit>,
    pub(super) files: Vec<(Arc<str>, LookedAt)>,
    pub(super) total_matches: u64,
    /// Number of matching files in UTF-16 or UTF-32.
    pub(super) wide_text: u32,
}

/// One file, in a form for all queries of a group.
struct Text<'a> {
    path: Arc<str>,
    hints: Hints<'a>,
    size: usize,
    signature: Option<Signature>,
    /// Creates the file to store. This copies the contents, so we only call it if there's a match.
    file: &'a dyn Fn() -> Arc<SourceFile>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        files: &'a SeenFiles,
        searches: &'a Searches,
        queries: &'a [SearchQuery],
        patterns: &[Pattern],
        together: Option<&'a Together>,
    ) -> Self {
        let finds = queries.iter().zip(patterns);
        let finds = finds.map(|(query, pattern)| Finds::new(query, pattern.clone()));
        Self {
            files,
            searches,
            root: Root::open(files.repo().root()),
            searchers: Searchers::default(),
            together,
            may_match: vec![true; queries.len()],
            buffer: Vec::new(),
            finds: finds.collect(),
            way: Way::default(),
            bytes: 0,
            binary_files: 0,
            withheld: Withheld::default(),
        }
    }

    /// Searches a file that the snapshot has not read yet. The contents come from disk, or from an
    /// earlier search.
    fn search_disk(&mut self, file: &WalkedFile<'_>) {
        let passed_over = self.searches.passed_over(self.finds.len() > 1);
        if let Some((bytes, signature)) = passed_over.and_then(|kept| kept.get(file.path)) {
            self.search_bytes(file.path, &bytes, Some(signature), &|| {
                SourceFile::from_bytes(bytes.to_vec()).into()
            });
            return;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        match read_walked(&self.root, file.path, &mut buffer) {
            Ok(read) if read.binary => {
                self.pass_over(file.path, &buffer[..read.length], Some(read.signature));
            }
            Ok(read) => {
                let bytes = &buffer[..read.length];
                let is_kept = self.search_bytes(file.path, bytes, Some(read.signature), &|| {
                    SourceFile::from_bytes(bytes.to_vec()).into()
                });
                // If there was a match, the contents will be in the snapshot. Don't store another
                // copy.
                if let Some(kept) = passed_over.filter(|_| !is_kept) {
                    kept.keep(file.path, bytes, read.signature);
                }
            }
            Err(refusal) => self.withheld.count(&refusal),
        }
        self.buffer = buffer;
    }

    /// Searches a text. Returns true if there was a match to store.
    fn search_bytes(
        &mut self,
        path: &str,
        bytes: &[u8],
        signature: Option<Signature>,
        file: &dyn Fn() -> Arc<SourceFile>,
    ) -> bool {
        self.bytes += bytes.len() as u64;
        let made = OnceCell::new();
        let text = Text {
            path: path.into(),
            hints: text_of(bytes),
            size: bytes.len(),
            signature,
            file: &|| Arc::clone(made.get_or_init(file)),
        };
        if let Some(together) = self.together {
            together.look(text.hints.bytes(), &mut self.may_match);
        }
        for (finds, may_match) in self.finds.iter_mut().zip(&self.may_match) {
            finds.search(&mut self.searchers, &text, *may_match);
        }
        made.get().is_some()
    }

    /// Records a binary file that begins with `bytes`.
    ///
    /// For UTF-16 and UTF-32, we have the whole file and can tell the user that it would match. We
    /// can't show its lines, though, because all locations are offsets in bytes of UTF-8.
    fn pass_over(&mut self, path: &str, bytes: &[u8], signature: Option<Signature>) {
        if let Some(encoding) = wide_encoding(bytes) {
            let text = decode(bytes, encoding);
            let hints = text_of(text.as_bytes());
            for finds in &mut self.finds {
                let found = finds.pattern.find(&mut self.searchers, &hints, 0);
                finds.wide_text += u32::from(found.is_some());
            }
        } else if begins_as_text(bytes) {
            self.withheld.nul_text += 1;
        } else {
            self.binary_files += 1;
        }
        let answer = None;
        let at = LookedAt { signature, answer };
        let path: Arc<str> = path.into();
        for finds in &mut self.finds {
            finds.files.push((Arc::clone(&path), at));
        }
    }
}

impl<'a> Finds<'a> {
    fn new(query: &'a SearchQuery, pattern: Pattern) -> Self {
        Self {
            query,
            pattern,
            held: (0, 0),
            hits: BTreeMap::new(),
            files: Vec::new(),
            total_matches: 0,
            wide_text: 0,
        }
    }

    fn search(&mut self, searchers: &mut Searchers, text: &Text<'_>, may_match: bool) {
        let limit = self.room_for(&text.path);
        let find = || self.pattern.find(searchers, &text.hints, limit);
        let found = may_match.then(find).flatten();
        let answer = found.as_ref().map(Matches::digest);
        if let Some(found) = found {
            self.total_matches += u64::from(found.total);
            if !found.lines.is_empty() {
                let file = (text.file)();
                let context = self.query.context > 0;
                let hit = Hit {
                    lines: found.lines,
                    total: found.total,
                    line_count: if context { file.line_count() } else { 0 },
                    size: text.size,
                    file: text.signature.map(|signature| (file, signature)),
                };
                self.hold(&text.path, hit);
            }
        }
        let signature = text.signature;
        let at = LookedAt { signature, answer };
        self.files.push((Arc::clone(&text.path), at));
    }

    /// Number of matching lines in `path` that may be among the first `max_matches`. If there can't
    /// be any, we only count.
    fn room_for(&self, path: &str) -> usize {
        let max = self.query.max_matches as usize;
        let is_beyond = || {
            self.hits
                .last_key_value()
                .is_none_or(|(last, _)| *path > **last)
        };
        if self.held.0 >= max && is_beyond() {
            return 0;
        }
        let of_one = self.query.max_matches_per_file;
        of_one.map_or(max, |of_one| max.min(of_one as usize))
    }

    /// Adds a hit, and drops those that are now beyond the first `max_matches`.
    fn hold(&mut self, path: &str, hit: Hit) {
        let max = self.query.max_matches as usize;
        self.held.0 += hit.lines.len();
        self.held.1 += hit.size;
        self.hits.insert(path.into(), hit);
        while let Some(last) = self.hits.last_entry()
            && self.held.0 - last.get().lines.len() >= max
        {
            let hit = last.remove();
            self.held.0 -= hit.lines.len();
            self.held.1 = self.held.1.saturating_sub(hit.size);
        }
        if self.held.1 > MAX_KEPT_BYTES * 2 {
            prune(&mut self.hits, max);
            // Even if much is left, start counting from zero. Pruning takes time, and shouldn't
            // happen again for the very next file.
            self.held.1 = 0;
        }
    }
}

impl Visitor for Worker<'_> {
    fn file(&mut self, file: &WalkedFile<'_>) {
        if self.files.repo().secrets().rule_for(file.path).is_some() {
            self.withheld.secret += 1;
            return;
        }
        match self.files.already_read(file.path) {
            // For all other purposes, a large file is refused by its size alone. In a search, a
            // large binary file counts as binary, so we have to read its beginning.
            None | Some(Err(Refusal::TooLarge { .. })) => self.search_disk(file),
            Some(Ok(known)) if is_binary(known.bytes()) => {
                self.pass_over(file.path, known.bytes(), None);
            }
            Some(Ok(known)) => {
                self.search_bytes(file.path, known.bytes(), None, &|| Arc::clone(&known));
            }
            Some(Err(refusal)) => self.withheld.count(&refusal),
        }
    }

    fn folder(&mut self, absolute: &Path) {
        self.way.folder(absolute);
    }

    fn rules(&mut self, absolute: PathBuf, signature: Option<Signature>) {
        self.way.rules(absolute, signature);
    }

    fn withheld(&mut self) -> &mut Withheld {
        &mut self.withheld
    }
}

/// Drops all matching lines except for the first `max` in order of path and line, and the contents
/// of files beyond the first [`MAX_KEPT_BYTES`].
///
/// A thread can prune its own hits as often as it likes: a hit that isn't among the first of its
/// own thread can't be among the first of all threads either.
pub(super) fn prune(hits: &mut BTreeMap<Box<str>, Hit>, max: usize) {
    let (mut lines, mut bytes) = (0, 0);
    hits.retain(|_, hit| {
        let room = max - lines;
        if room == 0 {
            return false;
        }
        hit.lines.truncate(room);
        lines += hit.lines.len();
        bytes += hit.size;
        if bytes > MAX_KEPT_BYTES {
            hit.file = None;
        }
        true
    });
}

/// Repeats a search to find the files with a changed answer.
pub(super) struct Recheck<'a> {
    repo: &'a Repo,
    root: io::Result<Root>,
    pattern: Pattern,
    searchers: Searchers,
    buffer: Vec<u8>,
    before: &'a BTreeMap<&'a str, LookedAt>,
    withheld: Withheld,
    /// The current answer of each existing file.
    pub(super) answers: Vec<(Box<str>, Option<Digest>)>,
}

impl<'a> Recheck<'a> {
    pub(super) fn new(
        repo: &'a Repo,
        pattern: &Pattern,
        before: &'a BTreeMap<&'a str, LookedAt>,
    ) -> Self {
        Self {
            repo,
            root: Root::open(repo.root()),
            pattern: pattern.clone(),
            searchers: Searchers::default(),
            buffer: Vec::new(),
            before,
            withheld: Withheld::default(),
            answers: Vec::new(),
        }
    }

    /// Returns the recorded answer if the file has not changed. If this is `None`, the file has to
    /// be searched again.
    fn untouched(&self, path: &str, absolute: &Path) -> Option<Option<Digest>> {
        let before = self.before.get(path)?;
        let signature = before.signature?;
        let now = Signature::of(&absolute.symlink_metadata().ok()?);
        (now == signature && self.repo.is_settled(&signature)).then_some(before.answer)
    }
}

impl Visitor for Recheck<'_> {
    fn file(&mut self, file: &WalkedFile<'_>) {
        if self.repo.secrets().rule_for(file.path).is_some() {
            return;
        }
        let answer = match self.untouched(file.path, file.absolute) {
            Some(answer) => answer,
            None => match read_walked(&self.root, file.path, &mut self.buffer) {
                Ok(read) if !read.binary => {
                    let bytes = &self.buffer[..read.length];
                    let found = self.pattern.find(&mut self.searchers, &text_of(bytes), 0);
                    found.map(|found| found.digest())
                }
                Ok(_) => None,
                Err(_) => return,
            },
        };
        self.answers.push((file.path.into(), answer));
    }

    fn withheld(&mut self) -> &mut Withheld {
        &mut self.withheld
    }
}
