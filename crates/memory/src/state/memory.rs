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

/// Records, or lines, that a thread reads at a time.
const PIECE: usize = 512;

/// What is said of a folder that nobody may look into.
pub(crate) const CLOSED: &str = "it is a folder that cannot be looked into";

/// What is said of what lies where a file would be read, and is none.
fn not_followed(what: &str) -> String {
    format!("it is {what}, and nobody reads what lies there")
}

/// A file of one object a line.
#[derive(Debug, Clone, Default)]
pub struct LineFile {
    /// Its text; none where there is no such file, or it has none.
    pub source: Option<Arc<Source>>,
    /// What is on its lines.
    pub lines: Arc<Vec<JsonLine>>,
    /// Lines that are set aside.
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

    /// Where a line stands; nothing for a line of another file.
    #[must_use]
    pub fn place(&self, line: &JsonLine) -> Option<Place> {
        let source = self.source.as_ref()?;
        Some(Place::new(source, line.range.clone()))
    }
}

/// A memory as it was read: all of it that can be understood, and what cannot.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// What it was read from.
    pub files: Files,
    /// Its Markdown, by path.
    pub records: BTreeMap<RepoPath, Record>,
    /// `impressions.jsonl`, line by line.
    pub impression_lines: LineFile,
    /// What these say.
    pub impressions: Arc<Vec<Impression>>,
    /// `recall-feedback.jsonl`, line by line.
    pub feedback_lines: LineFile,
    /// What these say.
    pub feedback: Vec<Feedback>,
    /// The records by their ids; of two the first.
    ids: BTreeMap<String, RepoPath>,
    /// Which impressions lead to each path.
    routes: Arc<BTreeMap<RepoPath, Vec<usize>>>,
    /// Which impression has each id; of two the first.
    cues: Arc<BTreeMap<String, usize>>,
}

impl Memory {
    /// Reads a memory from its files.
    #[must_use]
    pub fn read(files: Files) -> Self {
        Self::read_on(1, files)
    }

    /// As [`Memory::read`], on at most `threads` threads.
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

    /// Whether there is a memory: one of the two files that each has.
    #[must_use]
    pub fn is_there(&self) -> bool {
        [SUMMARY, IMPRESSIONS]
            .iter()
            .any(|path| RepoPath::parse(path).is_ok_and(|path| self.files.has(&path)))
    }

    /// Files that writers left which were stopped.
    pub fn leftovers(&self) -> impl Iterator<Item = &RepoPath> {
        let paths = self.files.files.keys();
        paths.filter(|path| is_leftover(path.as_str()))
    }

    /// What of it cannot be read, and why: files that would be records, and lines that are set aside.
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

    /// The record at `path`.
    #[must_use]
    pub fn record(&self, path: &str) -> Option<&Record> {
        self.records.get(&RepoPath::parse(path).ok()?)
    }

    /// The summary.
    #[must_use]
    pub fn summary(&self) -> Option<&Record> {
        self.record(SUMMARY)
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> Option<&Record> {
        self.record(INDEX)
    }

    /// The record that goes by this id.
    #[must_use]
    pub fn record_of_id(&self, id: &str) -> Option<&Record> {
        self.records.get(self.ids.get(id)?)
    }

    /// The impression of this id.
    #[must_use]
    pub fn impression(&self, id: &str) -> Option<&Impression> {
        self.impressions.get(*self.cues.get(id)?)
    }

    /// The record that goes by this id, lies at this path, or is led to by the impression of this id. A name in another Unicode
    /// form is the same name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Record> {
        let other = || self.find_exactly(&windlass_search::other_form(name)?);
        self.find_exactly(name).or_else(other)
    }

    fn find_exactly(&self, name: &str) -> Option<&Record> {
        let by_id = self.record_of_id(name).or_else(|| self.record(name));
        by_id.or_else(|| self.record(&self.impression(name)?.record_path))
    }

    /// The file that would be the record `name` if it could be read, and why it cannot: by its path, an impression that leads there,
    /// or what it is called.
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

    /// The memory as it would be after `changes`, and once what stopped writers left is put away.
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

    /// The impressions that lead to the record at `path`.
    pub fn impressions_of(&self, path: &RepoPath) -> impl Iterator<Item = &Impression> {
        let numbers = self.routes.get(path).into_iter().flatten();
        numbers.filter_map(|at| self.impressions.get(*at))
    }

    /// The impressions by the paths that they lead to.
    pub(crate) fn routed(&self) -> impl Iterator<Item = (&RepoPath, Vec<&Impression>)> {
        self.routes.iter().map(|(path, numbers)| {
            let impressions = numbers.iter().filter_map(|at| self.impressions.get(*at));
            (path, impressions.collect())
        })
    }

    /// The lines of these impressions.
    pub(crate) fn lines_to(&self, path: &RepoPath) -> impl Iterator<Item = &JsonLine> {
        let numbers: BTreeSet<u32> = self.impressions_of(path).map(|one| one.line).collect();
        let lines = self.impression_lines.lines.iter();
        lines.filter(move |line| numbers.contains(&line.number))
    }

    /// The lines of the log of feedback that hold a secret value.
    pub(crate) fn secret_feedback(&self) -> BTreeSet<u32> {
        let text = self.feedback_lines.source.as_ref();
        let (_, secrets) = redact_text(text.map_or("", |source| source.text()));
        secrets.iter().map(|one| one.line).collect()
    }

    /// Active records that an impression has to lead to, and none does: a scan of the cues passes them by.
    pub fn unrouted(&self) -> impl Iterator<Item = &Record> {
        let records = self.records.values();
        records.filter(|record| {
            record.kind.is_routed()
                && record.status() == Status::Active
                && !self.routes.contains_key(&record.path)
        })
    }

    /// What the file at `path` leads to, or through, that is neither file nor folder: the links of a record, or the routes of impressions.
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

    /// Whether an ignore file that is known leaves out `path`, so that what is written there is not read.
    #[must_use]
    pub fn is_ignored(&self, path: &RepoPath) -> bool {
        crate::state::ignore_rules::IgnoreRules::of(&self.files).leave_out(path.as_str())
    }

    /// Takes a record that is changed or new.
    pub(crate) fn take(&mut self, record: Record) {
        if let Some(id) = record.id() {
            let entry = self.ids.entry(id.to_owned());
            entry.or_insert_with(|| record.path.clone());
        }
        self.records.insert(record.path.clone(), record);
    }

    /// Whose memory it is: the scope that most of it has.
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
