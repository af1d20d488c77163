use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass_site::Error;

use crate::service::MemoryService;
use crate::{Memory, MemoryError, Tuning};

/// What there is in a memory, in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct MemoryStats {
    /// Whose it is.
    pub scope: Option<String>,
    /// Records by kind and status.
    pub records: BTreeMap<&'static str, BTreeMap<&'static str, usize>>,
    /// Impressions by status.
    pub impressions: BTreeMap<&'static str, usize>,
    /// Different keywords.
    pub keywords: usize,
    /// Lines that are set aside, since they cannot be read.
    pub faulty_lines: usize,
    /// What cannot be read: files, and the first line that is set aside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// Active records that an impression has to lead to, and none does.
    pub unrouted: usize,
    /// Characters of all files.
    pub characters: usize,
    /// Feedback by outcome.
    pub feedback: BTreeMap<&'static str, usize>,
    /// What was learned from it.
    pub learned: Learned,
}

/// What was learned from feedback, in short.
#[derive(Debug, Clone, Serialize)]
pub struct Learned {
    /// How many questions are tied to records, or kept away from them.
    pub ties: usize,
    /// How much higher the bound of weak lies, in thousandths.
    pub weak_shift: i64,
    /// How much higher the bound of strong lies.
    pub strong_shift: i64,
    /// How many records fewer are loaded.
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
    /// What there is in the memory, in numbers.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn memory_stats(&self) -> Result<MemoryStats, Error> {
        let memory = self.read_memory(&self.site.snapshot())?;
        match memory.is_there() {
            true => Ok(MemoryStats::of(&memory)),
            false => Err(MemoryError::NotInitialized.into()),
        }
    }
}
