use std::collections::BTreeMap;
use std::sync::Arc;

use windlass_base::{Place, RepoPath, Source};

use crate::feedback::Feedback;
use crate::files::{Contents, Files};
use crate::impression::Impression;
use crate::json_lines::{self, FaultyLine, JsonLine};
use crate::layout::{FEEDBACK, IMPRESSIONS, INDEX, SUMMARY};
use crate::record::Record;

/// A file of one object a line.
#[derive(Debug, Clone, Default)]
pub struct LineFile {
    /// Its text; none where there is no such file, or it has none.
    pub source: Option<Arc<Source>>,
    /// What is on its lines.
    pub lines: Vec<JsonLine>,
    /// Lines that are set aside.
    pub faulty: Vec<FaultyLine>,
}

impl LineFile {
    fn of(source: Option<&Arc<Source>>) -> Self {
        let Some(source) = source else {
            return Self::default();
        };
        let (lines, faulty) = json_lines::read(source);
        Self {
            source: Some(Arc::clone(source)),
            lines,
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
    pub impressions: Vec<Impression>,
    /// `recall-feedback.jsonl`, line by line.
    pub feedback_lines: LineFile,
    /// What these say.
    pub feedback: Vec<Feedback>,
}

impl Memory {
    /// Reads a memory from its files.
    #[must_use]
    pub fn read(files: Files) -> Self {
        let records = files.files.iter().filter_map(|(path, contents)| {
            let Contents::Text(source) = contents else {
                return None;
            };
            Some((path.clone(), Record::of(path, source)?))
        });
        let records = records.collect();
        let impression_lines = LineFile::of(files.text(IMPRESSIONS));
        let feedback_lines = LineFile::of(files.text(FEEDBACK));
        Self {
            records,
            impressions: impression_lines
                .lines
                .iter()
                .filter_map(Impression::of)
                .collect(),
            feedback: feedback_lines
                .lines
                .iter()
                .filter_map(Feedback::of)
                .collect(),
            impression_lines,
            feedback_lines,
            files,
        }
    }

    /// Whether there is a memory: one of the two files that each has.
    #[must_use]
    pub fn is_there(&self) -> bool {
        [SUMMARY, IMPRESSIONS]
            .iter()
            .any(|path| RepoPath::parse(path).is_ok_and(|path| self.files.has(&path)))
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

    /// The record that goes by this id, or lies at this path.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Record> {
        let by_id = self
            .records
            .values()
            .find(|record| record.id() == Some(name));
        by_id.or_else(|| self.record(name)).or_else(|| {
            let impression = self.impressions.iter().find(|one| one.id == name)?;
            self.record(&impression.record_path)
        })
    }

    /// The impressions that lead to the record at `path`.
    pub fn impressions_of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Impression> {
        let same = move |one: &&Impression| {
            one.record_path == path
                || RepoPath::parse(&one.record_path).is_ok_and(|route| route.as_str() == path)
        };
        self.impressions.iter().filter(same)
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
