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

/// Number of records or lines that a thread parses at a time.
const PIECE: usize = 512;

pub(crate) const CLOSED: &str = "it is a folder that cannot be listed";

fn not_followed(what: &str) -> String {
    format!("it is {what}, which is not followed")
}

/// A JSON Lines file.
#[derive(Debug, Clone, Default)]
pub struct LineFile {
    /// The text. `None` if the file is missing, or not readable as text.
    pub source: Option<Arc<Source>>,
    /// Lines with a valid object.
    pub lines: Arc<Vec<JsonLine>>,
    /// Lines that we could not parse. They do not affect the others.
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

    /// Returns the location of `line`, or `None` if the file has no text.
    #[must_use]
    pub fn place(&self, line: &JsonLine) -> Option<Place> {
        let source = self.source.as_ref()?;
        Some(Place::new(source, line.range.clone()))
    }
}

/// A memory as read from files, including the parts that cannot be parsed.
///
/// This is a snapshot: operations read it, and write their changes to a [`Draft`](crate::Draft).
/// IDs are supposed to be unique, but a merge in git can easily produce two records with the same
/// one. In that case, look-ups by ID return the first, and the check reports both.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// The files, before parsing.
    pub files: Files,
    /// All Markdown files, by path.
    pub records: BTreeMap<RepoPath, Record>,
    /// The lines of `impressions.jsonl`.
    pub impression_lines: LineFile,
    /// The impressions in `impression_lines`.
    pub impressions: Arc<Vec<Impression>>,
    /// The lines of `recall-feedback.jsonl`.
    pub feedback_lines: LineFile,
    /// The feedback in `feedback_lines`.
    pub feedback: Vec<Feedback>,
    /// Paths of records by ID.
    ids: BTreeMap<String, RepoPath>,
    /// Indexes into `impressions` by route, which is the path of the record they describe.
    routes: Arc<BTreeMap<RepoPath, Vec<usize>>>,
    /// Indexes into `impressions` by ID.
    cues: Arc<BTreeMap<String, usize>>,
}

impl Memory {
    /// Parses a memory on the current thread.
    #[must_use]
    pub fn read(files: Files) -> Self {
        Self::read_on(1, files)
    }

    /// Like [`read`](Self::read), on up to `threads` threads.
    pub(crate) fn read_on(threads: usize, files: Files) -> Self {
        let record = |(path, contents): &(&RepoPath, &Contents)| {
            let Contents::Text(source) = contents else {
                return None;
            };
            let record = Record::of(path, source)?;
            // Parse the frontmatter here, on several threads, because every caller needs it.
            let _ = record.front();
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

    /// True if the summary or the file of impressions exists. A folder called `memory` alone is not
    /// enough, because it may well belong to something else.
    #[must_use]
    pub fn is_there(&self) -> bool {
        [SUMMARY, IMPRESSIONS]
            .iter()
            .any(|path| RepoPath::parse(path).is_ok_and(|path| self.files.has(&path)))
    }

    /// Temporary files that interrupted writers have left behind.
    pub fn leftovers(&self) -> impl Iterator<Item = &RepoPath> {
        let paths = self.files.files.keys();
        paths.filter(|path| is_leftover(path.as_str()))
    }

    /// Everything that we could not read, each with the reason: files, folders, and unparsable
    /// impressions. We only name the first of the latter and count the others, since there may be
    /// many of them after a bad merge.
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

    /// Looks up a record by its path in the repository.
    #[must_use]
    pub fn record(&self, path: &str) -> Option<&Record> {
        self.records.get(&RepoPath::parse(path).ok()?)
    }

    /// Returns the summary, or `None` if it is missing.
    #[must_use]
    pub fn summary(&self) -> Option<&Record> {
        self.record(SUMMARY)
    }

    /// Returns the index, or `None` if it is missing.
    #[must_use]
    pub fn index(&self) -> Option<&Record> {
        self.record(INDEX)
    }

    /// Looks up a record by its ID. If several records share the ID, this returns the first one.
    #[must_use]
    pub fn record_of_id(&self, id: &str) -> Option<&Record> {
        self.records.get(self.ids.get(id)?)
    }

    /// Looks up an impression by its ID, with the same rule as
    /// [`record_of_id`](Self::record_of_id).
    #[must_use]
    pub fn impression(&self, id: &str) -> Option<&Impression> {
        self.impressions.get(*self.cues.get(id)?)
    }

    /// Finds a record by its ID or path, or by the ID of one of its impressions.
    ///
    /// If there is no such record, we try the other Unicode normalization form of the name. A file
    /// name with an umlaut may come from a system that decomposes it.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Record> {
        let other = || self.find_exactly(&windlass_search::other_form(name)?);
        self.find_exactly(name).or_else(other)
    }

    fn find_exactly(&self, name: &str) -> Option<&Record> {
        let by_id = self.record_of_id(name).or_else(|| self.record(name));
        by_id.or_else(|| self.record(&self.impression(name)?.record_path))
    }

    /// Returns the unreadable file that `name` may refer to, with the reason.
    ///
    /// We cannot know the ID of a file we cannot read. So this compares the path, the file name,
    /// and the route of the impression with this ID.
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

    /// The memory as it will be after `changes`. Leftover files are not part of it, because every
    /// write removes them.
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
            files.files.insert(path.clone(), Contents::Text(source));
        }
        Self::read(files)
    }

    /// Iterates over the impressions that lead to `path`.
    pub fn impressions_of(&self, path: &RepoPath) -> impl Iterator<Item = &Impression> {
        let numbers = self.routes.get(path).into_iter().flatten();
        numbers.filter_map(|at| self.impressions.get(*at))
    }

    pub(crate) fn routed(&self) -> impl Iterator<Item = (&RepoPath, Vec<&Impression>)> {
        self.routes.iter().map(|(path, numbers)| {
            let impressions = numbers.iter().filter_map(|at| self.impressions.get(*at));
            (path, impressions.collect())
        })
    }

    /// The lines of `impressions.jsonl` that lead to `path`.
    pub(crate) fn lines_to(&self, path: &RepoPath) -> impl Iterator<Item = &JsonLine> {
        let numbers: BTreeSet<u32> = self.impressions_of(path).map(|one| one.line).collect();
        let lines = self.impression_lines.lines.iter();
        lines.filter(move |line| numbers.contains(&line.number))
    }

    /// The (1-based) numbers of feedback lines with a secret.
    pub(crate) fn secret_feedback(&self) -> BTreeSet<u32> {
        let text = self.feedback_lines.source.as_ref();
        let (_, secrets) = redact_text(text.map_or("", |source| source.text()));
        secrets.iter().map(|one| one.line).collect()
    }

    /// Active records that should have an impression, but do not. A recall can only find them by
    /// their own text.
    pub fn unrouted(&self) -> impl Iterator<Item = &Record> {
        let records = self.records.values();
        records.filter(|record| {
            record.kind.is_routed()
                && record.status() == Status::Active
                && !self.routes.contains_key(&record.path)
        })
    }

    /// The targets of a file that are links, pipes or the like, or are reached through one. A
    /// record's targets are those of its links, and the targets of the impressions are their
    /// routes.
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

    /// True if one of the ignore files we have read excludes `path`, which means that we would
    /// never read a file there.
    #[must_use]
    pub fn is_ignored(&self, path: &RepoPath) -> bool {
        crate::state::ignore_rules::IgnoreRules::of(&self.files).leave_out(path.as_str())
    }

    pub(crate) fn take(&mut self, record: Record) {
        if let Some(id) = record.id() {
            let entry = self.ids.entry(id.to_owned());
            entry.or_insert_with(|| record.path.clone());
        }
        self.records.insert(record.path.clone(), record);
    }

    /// The scope that the summary states. Without one, we take the most frequent scope of all
    /// records and impressions.
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
