use serde::Serialize;
use windlass::memory::Outcome;
use windlass::{
    AlsoSource, Error, ErrorKind, MemoryStats, RecallFormat, RecallRequest, Recollection,
};

use crate::view::{View, Visit};

const MATCHES: usize = 10;

/// A search in the memory with its explanation, or the memory's size.
#[derive(Serialize)]
pub(crate) struct Memory {
    q: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recollection: Option<Recollection>,
    /// The feedback just recorded, for the page to confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    noted: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<MemoryStats>,
}

impl View for Memory {
    const TEMPLATE: &'static str = "memory.html";
    const FOLLOWS: &'static str = "memory";
    const PARAMETERS: &'static [&'static str] = &["noted", "q"];

    fn title(&self) -> String {
        "Memory".to_owned()
    }
}

pub(crate) fn memory(visit: &Visit<'_>) -> Result<Memory, Error> {
    let noted = visit
        .query
        .one_of("noted", Outcome::ALL.map(Outcome::as_str))?;
    let service = visit.workspace.memory();
    let stats = match service.memory_stats() {
        Ok(stats) => Some(stats),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let query = visit.query.get("q").unwrap_or_default().to_owned();
    let request = RecallRequest {
        query: query.clone(),
        matches: MATCHES,
        explain: true,
        also: AlsoSource::ALL.to_vec(),
        limit: None,
        format: RecallFormat::Json,
    };
    let recollection = match query.is_empty() {
        true => None,
        false => Some(service.recall(&request)?.recollection),
    };
    Ok(Memory {
        noted,
        q: query,
        recollection,
        stats,
    })
}
