use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass_site::Error;

use crate::service::MemoryService;
use crate::{Memory, MemoryError, Tuning};

/// Statistics about a memory.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryStats {
    /// The memory's scope, or `None` if no file states one.
    pub scope: Option<String>,
    /// Number of records for each kind and status.
    pub records: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    /// Number of impressions for each status.
    pub impressions: BTreeMap<&'static str, usize>,
    /// Number of distinct keywords.
    pub keywords: usize,
    /// Number of lines set aside because they can't be parsed.
    pub faulty_lines: usize,
    /// Files and folders that can't be read, and the first impression line that can't be parsed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// Number of active records without an impression.
    pub unrouted: usize,
    /// Total length of all readable files in characters.
    pub characters: usize,
    /// Number of feedback lines for each outcome.
    pub feedback: BTreeMap<&'static str, usize>,
    /// Adjustments learned from feedback.
    pub learned: Learned,
}

/// Adjustments learned from feedback, as numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Learned {
    /// Number of learned associations, each of which moves one record for similar queries.
    pub ties: usize,
    /// Shift of the bound for a weak level, in thousandths.
    pub weak_shift: i64,
    /// Shift of the bound for a strong level, in thousandths.
    pub strong_shift: i64,
    /// Reduction of the number of records to load.
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
            crate::Contents::Text(text) => text.source().text().chars().count(),
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
    /// Returns statistics about the memory.
    ///
    /// # Errors
    /// Returns an error if there is no memory or if it cannot be read.
    pub fn memory_stats(&self) -> Result<MemoryStats, Error> {
        let memory = self.read_memory(&self.site.snapshot())?;
        match memory.is_there() {
            true => Ok(MemoryStats::of(&memory)),
            false => Err(MemoryError::NotInitialized.into()),
        }
    }
}
