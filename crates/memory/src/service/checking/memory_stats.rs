use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass_site::Error;

use crate::service::MemoryService;
use crate::{Memory, MemoryError, Tuning};

/// Statistics of a memory.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryStats {
    /// The scope, or `None` if no file states one.
    pub scope: Option<String>,
    /// The number of records, by kind and status.
    pub records: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    /// The number of impressions, by status.
    pub impressions: BTreeMap<&'static str, usize>,
    /// The number of different keywords, ignoring case.
    pub keywords: usize,
    /// The number of lines that we couldn't parse.
    pub faulty_lines: usize,
    /// Files and folders that we couldn't read, along with the first line that we couldn't parse.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// The number of active records that should have an impression, but don't.
    pub unrouted: usize,
    /// The total length of all readable files, in characters.
    pub characters: usize,
    /// The number of feedback lines, by outcome.
    pub feedback: BTreeMap<&'static str, usize>,
    /// Everything learned from the feedback.
    pub learned: Learned,
}

/// A summary of a [`Tuning`].
#[derive(Debug, Clone, Serialize)]
pub struct Learned {
    /// The number of ties. Each one moves a record up or down for similar queries.
    pub ties: usize,
    /// The shift of the threshold for the level `weak`, in thousandths.
    pub weak_shift: i64,
    /// The shift of the threshold for the level `strong`, in thousandths.
    pub strong_shift: i64,
    /// The number of records to load less than usual.
    pub fewer_records: usize,
}

impl MemoryStats {
    fn of(memory: &Memory) -> Self {
        let mut records: BTreeMap<_, BTreeMap<_, usize>> = BTreeMap::new();
        for record in memory.records.values().filter(|record| record.is_record()) {
            *records
                .entry(record.kind.as_str())
                .or_default()
                .entry(record.status().as_str())
                .or_default() += 1;
        }
        let mut impressions = BTreeMap::new();
        for one in memory.impressions.iter() {
            *impressions.entry(one.status.as_str()).or_default() += 1;
        }
        let keywords: BTreeSet<String> = memory
            .impressions
            .iter()
            .flat_map(|one| one.keywords.iter().map(|word| word.to_lowercase()))
            .collect();
        let mut feedback = BTreeMap::new();
        for one in &memory.feedback {
            *feedback.entry(one.outcome.as_str()).or_default() += 1;
        }
        let learned = Tuning::learn(&memory.feedback);
        let texts = memory.files.files.values().map(|contents| match contents {
            crate::Contents::Text(source) => source.text().chars().count(),
            crate::Contents::NoText(_) => 0,
        });
        Self {
            scope: memory.scope().map(str::to_owned),
            records,
            impressions,
            keywords: keywords.len(),
            faulty_lines: memory.impression_lines.faulty.len() + memory.feedback_lines.faulty.len(),
            unreadable: memory
                .unreadable()
                .into_iter()
                .map(|(place, _)| place)
                .collect(),
            unrouted: memory.unrouted().count(),
            characters: texts.sum(),
            feedback,
            learned: Learned {
                ties: learned.ties.len(),
                weak_shift: learned.weak_shift,
                strong_shift: learned.strong_shift,
                fewer_records: learned.fewer_records,
            },
        }
    }
}

impl MemoryService {
    /// Counts what's in the memory.
    ///
    /// # Errors
    /// Returns an error if the memory is missing or unreadable.
    pub fn memory_stats(&self) -> Result<MemoryStats, Error> {
        let memory = self.read_memory(&self.site.snapshot())?;
        match memory.is_there() {
            true => Ok(MemoryStats::of(&memory)),
            false => Err(MemoryError::NotInitialized.into()),
        }
    }
}
