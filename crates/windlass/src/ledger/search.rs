//! Beads with a text in them.

use windlass_ledger::bead::Bead;
use windlass_ledger::{Stamp, WorkFilter};

use super::found::list_of;
use super::{LedgerDesk, WorkList};
use crate::Error;

impl LedgerDesk {
    /// Beads that have `text` in their id, title, description, labels, or any other field that is a text; large and
    /// small letters are the same.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn search_beads(
        &self,
        text: &str,
        filter: &WorkFilter,
        at: Option<Stamp>,
        limit: usize,
    ) -> Result<WorkList, Error> {
        let state = self.state_at(at)?;
        let wanted = text.to_lowercase();
        // As it stands in a line of JSON, where only what has it need be read.
        let escaped = serde_json::to_string(&wanted).unwrap_or_default();
        let escaped = escaped.trim_matches('"').as_bytes();
        let finder = memchr::memmem::Finder::new(escaped);
        let mut line = Vec::new();
        let mut has_text = |id: &String| {
            let Some(found) = state.beads.find(id) else {
                return false;
            };
            line.clear();
            line.extend(found.line().iter());
            line.make_ascii_lowercase();
            let may_have = !wanted.is_ascii() || finder.find(&line).is_some();
            may_have && found.record().is_some_and(|bead| has(&bead, &wanted))
        };
        let found: Vec<String> = state
            .list(filter)
            .into_iter()
            .filter(|id| has_text(id))
            .collect();
        Ok(list_of(&state, &found, limit))
    }
}

fn has(bead: &Bead, wanted: &str) -> bool {
    let texts = [bead.id.as_str(), bead.full_title(), &bead.description];
    let labels = bead.labels.iter().map(String::as_str);
    let rest = bead.rest.values().filter_map(|value| value.as_str());
    let reason = bead.close_reason.as_deref();
    let mut all = texts.into_iter().chain(labels).chain(rest).chain(reason);
    all.any(|text| text.to_lowercase().contains(wanted))
}
