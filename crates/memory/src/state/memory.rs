use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use windlass_base::{Place, RepoPath, Source, in_parallel};
use windlass_redact::redact_text;

use crate::file_change::Change;
use crate::records::feedback::Feedback;
use crate::records::impression::Impression;
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;
use crate::state::memory_files::{Contents, Files};
use crate::texts::json_lines::{self, FaultyLine, JsonLine};
use crate::texts::layout::{FEEDBACK, IMPRESSIONS, INDEX, SUMMARY, is_leftover};

/// Number of records or lines handled by a thread at a time.
const PIECE: usize = 512;

/// Reason reported for a folder that can't be listed.
pub(crate) const CLOSED: &str = "it is a folder that cannot be listed";

/// Returns the reason reported for a path that isn't a regular file.
fn not_followed(what: &str) -> String {
    format!("it is {what}, which is not followed")
}

/// A file with one JSON object per line, parsed line by line.
#[derive(Debug, Clone, Default)]
pub struct LineFile {
    /// The file's text, or `None` if the file is missing or has no text.
    pub source: Option<Arc<Source>>,
    /// Lines with a valid object.
    pub lines: Arc<Vec<JsonLine>>,
    /// Lines set aside because they can't be parsed.
    pub faulty: Vec<FaultyLine>,
}

impl LineFile {
    fn of(source: Option<&Arc<Source>>, threads: usize) -> Self {
        let Some(source) = source else {
            return Self::default();
        };
        let (lines, faulty) = json_lines::read(source, threads);
        Self {
            source: Some(Arc::clone(source)),
            lines: Arc::new(lines),
            faulty,
        }
    }

    /// Returns the place of a line, or `None` if the file has no text.
    #[must_use]
    pub fn place(&self, line: &JsonLine) -> Option<Place> {
        let source = self.source.as_ref()?;
        Some(Place::new(source, line.range.clone()))
    }
}

/// A memory as read from its files, including what couldn't be parsed.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Files that were read.
    pub files: Files,
    /// Markdown files by path.
    pub records: BTreeMap<RepoPath, Record>,
    /// The lines of `impressions.jsonl`.
    pub impression_lines: LineFile,
    /// The impressions parsed from `impression_lines`.
    pub impressions: Arc<Vec<Impression>>,
    /// The lines of `recall-feedback.jsonl`.
    pub feedback_lines: LineFile,
    /// The feedback parsed from `feedback_lines`.
    pub feedback: Vec<Feedback>,
    /// Paths of records by id. Of records with the same id, the first.
    ids: BTreeMap<String, RepoPath>,
    /// Indices into `impressions` by route, the path to which an impression leads.
    routes: Arc<BTreeMap<RepoPath, Vec<usize>>>,
    /// Index into `impressions` by id. Of impressions with the same id, the first.
    cues: Arc<BTreeMap<String, usize>>,
}

impl Memory {
    /// Parses a memory from its files.
    #[must_use]
    pub fn read(files: Files) -> Self {
        Self::read_on(1, files)
    }

    /// Parses a memory like [`Memory::read`], on at most `threads` threads.
    pub(crate) fn read_on(threads: usize, files: Files) -> Self {
        let record = |(path, contents): &(&RepoPath, &Contents)| {
            let Contents::Text(text) = contents else {
                return None;
            };
            let head = files.heads.get(*path).map(Arc::clone);
            let record = Record::of_text(path, text.clone(), head)?;
            Some(((*path).clone(), record))
        };
        let paths: Vec<(&RepoPath, &Contents)> = files.files.iter().collect();
        let records = in_parallel(&paths, threads, PIECE, |piece| {
            piece.iter().filter_map(record).collect::<Vec<_>>()
        });
        let records: BTreeMap<RepoPath, Record> = records.into_iter().flatten().collect();
        let mut ids = BTreeMap::new();
        for record in records.values() {
            if let Some(id) = record.id() {
                ids.entry(id.to_owned())
                    .or_insert_with(|| record.path.clone());
            }
        }
        let impression_lines = LineFile::of(files.text(IMPRESSIONS), threads);
        let feedback_lines = LineFile::of(files.text(FEEDBACK), threads);
        let impressions = in_parallel(&impression_lines.lines, threads, PIECE, |piece| {
            piece.iter().filter_map(Impression::of).collect::<Vec<_>>()
        });
        let impressions: Vec<Impression> = impressions.into_iter().flatten().collect();
        let mut routes: BTreeMap<RepoPath, Vec<usize>> = BTreeMap::new();
        let mut cues = BTreeMap::new();
        for (at, impression) in impressions.iter().enumerate() {
            if let Ok(path) = RepoPath::parse(&impression.record_path) {
                routes.entry(path).or_default().push(at);
            }
            cues.entry(impression.id.clone()).or_insert(at);
        }
        Self {
            records,
            impressions: Arc::new(impressions),
            feedback: feedback_lines
                .lines
                .iter()
                .filter_map(Feedback::of)
                .collect(),
            impression_lines,
            feedback_lines,
            files,
            ids,
            routes: Arc::new(routes),
            cues: Arc::new(cues),
        }
    }

    /// Returns true if the memory exists, that is, if it has a summary or impressions.
    #[must_use]
    pub fn is_there(&self) -> bool {
        [SUMMARY, IMPRESSIONS]
            .iter()
            .any(|path| RepoPath::parse(path).is_ok_and(|path| self.files.has(&path)))
    }

    /// Returns temporary files left behind by interrupted writers.
    pub fn leftovers(&self) -> impl Iterator<Item = &RepoPath> {
        let paths = self.files.files.keys();
        paths.filter(|path| is_leftover(path.as_str()))
    }

    /// Returns the parts that can't be read, each with the reason: files, folders, and the first
    /// impression line set aside.
    #[must_use]
    pub fn unreadable(&self) -> Vec<(String, String)> {
        let closed = self.files.closed.iter();
        let closed = closed.map(|path| (path.to_string(), CLOSED.to_owned()));
        let odd = self.files.odd.iter();
        let odd = odd.map(|(path, what)| (path.to_string(), not_followed(what)));
        let mut all: Vec<_> = closed.chain(odd).collect();
        for (path, contents) in &self.files.files {
            let is_lines = matches!(path.as_str(), IMPRESSIONS | FEEDBACK);
            if let Contents::NoText(why) = contents
                && (is_lines || RecordKind::of_path(path.as_str()).is_some())
            {
                all.push((path.to_string(), why.clone()));
            }
        }
        all.extend(self.impression_lines.faulty.iter().take(1).map(|line| {
            let of = self.impression_lines.faulty.len();
            let file = line.place.source.name();
            let number = line.place.position().line;
            let more = match of {
                1 => String::new(),
                of => format!("; {} more are set aside", of - 1),
            };
            (
                format!("{file}:{number}"),
                format!("set aside, since {}{more}", line.why),
            )
        }));
        all
    }

    /// Returns the record at `path`.
    #[must_use]
    pub fn record(&self, path: &str) -> Option<&Record> {
        self.records.get(&RepoPath::parse(path).ok()?)
    }

    /// Returns the summary.
    #[must_use]
    pub fn summary(&self) -> Option<&Record> {
        self.record(SUMMARY)
    }

    /// Returns the index.
    #[must_use]
    pub fn index(&self) -> Option<&Record> {
        self.record(INDEX)
    }

    /// Returns the record with this id, or `None` if there isn't one.
    #[must_use]
    pub fn record_of_id(&self, id: &str) -> Option<&Record> {
        self.records.get(self.ids.get(id)?)
    }

    /// Returns the impression with this id.
    #[must_use]
    pub fn impression(&self, id: &str) -> Option<&Impression> {
        self.impressions.get(*self.cues.get(id)?)
    }

    /// Returns the record with this id or path, or else the one to which the impression with this
    /// id leads. Unicode normalisation forms are equivalent.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Record> {
        let other = || self.find_exactly(&windlass_search::other_form(name)?);
        self.find_exactly(name).or_else(other)
    }

    fn find_exactly(&self, name: &str) -> Option<&Record> {
        let by_id = self.record_of_id(name).or_else(|| self.record(name));
        by_id.or_else(|| self.record(&self.impression(name)?.record_path))
    }

    /// Returns the unreadable file meant by `name`, with the reason. `name` may be its path, its
    /// file name, or the id of an impression leading to it.
    pub(crate) fn unreadable_record(&self, name: &str) -> Option<(&RepoPath, String)> {
        let led = self.impression(name).map(|one| one.record_path.as_str());
        let file = format!("{name}.md");
        let is_meant = |path: &RepoPath| {
            let path = path.as_str();
            let is_called = path.rsplit('/').next() == Some(file.as_str());
            RecordKind::of_path(path).is_some() && (is_called || path == name || Some(path) == led)
        };
        let files = self.files.files.iter();
        let mut unread = files.filter_map(|(path, contents)| match contents {
            Contents::NoText(why) if is_meant(path) => Some((path, why.clone())),
            _ => None,
        });
        let odd = || {
            let paths = self.files.odd.iter().filter(|(path, _)| is_meant(path));
            let ways = [Some(name), led].into_iter().flatten();
            let mut ways = ways.filter_map(|way| self.files.odd_at(&RepoPath::parse(way).ok()?));
            let found = paths.map(|(path, what)| (path, *what)).next();
            let (path, what) = found.or_else(|| ways.next())?;
            Some((path, not_followed(what)))
        };
        unread.next().or_else(odd)
    }

    /// Returns the memory as it will be after `changes`, without leftover files.
    #[must_use]
    pub fn after(&self, changes: &[Change]) -> Self {
        let mut files = self.files.clone();
        files.files.retain(|path, _| !is_leftover(path.as_str()));
        for change in changes {
            let path = &change.path;
            let source = Source::new(path.as_str(), change.text.clone());
            if path.as_str() == ".gitignore" {
                files.ignore = Some(source);
                continue;
            }
            files.heads.remove(path);
            files
                .files
                .insert(path.clone(), Contents::Text(source.into()));
        }
        Self::read(files)
    }

    /// Returns the impressions leading to the record at `path`.
    pub fn impressions_of(&self, path: &RepoPath) -> impl Iterator<Item = &Impression> {
        let numbers = self.routes.get(path).into_iter().flatten();
        numbers.filter_map(|at| self.impressions.get(*at))
    }

    /// Returns all impressions, grouped by the path to which they lead.
    pub(crate) fn routed(&self) -> impl Iterator<Item = (&RepoPath, Vec<&Impression>)> {
        self.routes.iter().map(|(path, numbers)| {
            let impressions = numbers.iter().filter_map(|at| self.impressions.get(*at));
            (path, impressions.collect())
        })
    }

    /// Returns the lines of the impressions leading to `path`.
    pub(crate) fn lines_to(&self, path: &RepoPath) -> impl Iterator<Item = &JsonLine> {
        let numbers: BTreeSet<u32> = self.impressions_of(path).map(|one| one.line).collect();
        let lines = self.impression_lines.lines.iter();
        lines.filter(move |line| numbers.contains(&line.number))
    }

    /// Returns the numbers of the feedback lines that contain a secret.
    pub(crate) fn secret_feedback(&self) -> BTreeSet<u32> {
        let text = self.feedback_lines.source.as_ref();
        let (_, secrets) = redact_text(text.map_or("", |source| source.text()));
        secrets.iter().map(|one| one.line).collect()
    }

    /// Returns the active records that need an impression but have none. Searching the impressions
    /// doesn't find them.
    pub fn unrouted(&self) -> impl Iterator<Item = &Record> {
        let records = self.records.values();
        records.filter(|record| {
            record.kind.is_routed()
                && record.status() == Status::Active
                && !self.routes.contains_key(&record.path)
        })
    }

    /// Returns the targets in the file at `path` that are links, pipes or the like, or lie behind
    /// one. Targets are a record's links, or the record paths in impressions.
    #[must_use]
    pub fn odd_behind(&self, path: &RepoPath) -> BTreeSet<&RepoPath> {
        let links = self.records.get(path).into_iter();
        let links = links.flat_map(|record| {
            let targets = record.links().iter();
            targets.filter_map(|link| record.target_of(link)?.ok())
        });
        let is_routing = path.as_str() == IMPRESSIONS;
        let routes = self.impressions.iter().filter(|_| is_routing);
        let routes = routes.filter_map(|one| RepoPath::parse(&one.record_path).ok());
        let odd = links.chain(routes).filter_map(|target| {
            let (odd, _) = self.files.odd_at(&target)?;
            Some(odd)
        });
        odd.collect()
    }

    /// Returns true if a known ignore file excludes `path`, so that it wouldn't be read.
    #[must_use]
    pub fn is_ignored(&self, path: &RepoPath) -> bool {
        crate::state::ignore_rules::IgnoreRules::of(&self.files).leave_out(path.as_str())
    }

    /// Adds a record or replaces the one with its path.
    pub(crate) fn take(&mut self, record: Record) {
        if let Some(id) = record.id() {
            let entry = self.ids.entry(id.to_owned());
            entry.or_insert_with(|| record.path.clone());
        }
        self.records.insert(record.path.clone(), record);
    }

    /// Returns the scope stated by the summary, or else the most frequent one.
    #[must_use]
    pub fn scope(&self) -> Option<&str> {
        if let Some(scope) = self.summary().and_then(|summary| summary.text("scope")) {
            return Some(scope);
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let records = self
            .records
            .values()
            .filter_map(|record| record.text("scope"));
        let impressions = self.impressions.iter().map(|one| one.scope.as_str());
        for scope in records
            .chain(impressions)
            .filter(|scope| crate::is_scope(scope))
        {
            *counts.entry(scope).or_default() += 1;
        }
        let most = counts
            .into_iter()
            .max_by_key(|(scope, count)| (*count, std::cmp::Reverse(*scope)));
        most.map(|(scope, _)| scope)
    }
}
