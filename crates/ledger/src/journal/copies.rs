//! Reads the copies of the log that git carries in working trees. After a pull, they can have
//! events that our log does not have yet.

use windlass_store::{DurableLog, FileMark};

use super::applied_log::AppliedLog;
use super::mirror::Mirror;
use crate::{LedgerError, Places};

/// The copies as of the last read, with the events that we found only there.
#[derive(Debug)]
pub(crate) struct Copies {
    mirrors: Vec<Mirror>,
    marks: Vec<Option<FileMark>>,
    /// Lines of events that only copies have. We apply them after the log.
    beside: Vec<u8>,
}

impl Copies {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            mirrors: Mirror::all(places),
            marks: Vec::new(),
            beside: Vec::new(),
        }
    }

    pub(crate) fn beside(&self) -> &[u8] {
        &self.beside
    }

    fn marks_now(&self) -> Vec<Option<FileMark>> {
        self.mirrors.iter().map(Mirror::mark_if_readable).collect()
    }

    pub(crate) fn have_changed(&self) -> bool {
        self.marks_now() != self.marks
    }

    /// Forgets the lines that only copies have. Call this after resetting the state that they were
    /// applied to.
    pub(crate) fn forget_beside(&mut self) {
        self.beside.clear();
    }

    /// Applies the events that only copies have to the state, but does not touch the log, since a
    /// reader must not write anything. Returns warnings about lines that are not events.
    pub(crate) fn read(
        &mut self,
        log: Option<&DurableLog>,
        applied: &mut AppliedLog,
    ) -> Result<Vec<String>, LedgerError> {
        self.marks = self.marks_now();
        let mut warnings = Vec::new();
        for mirror in &self.mirrors {
            let compared = mirror.compare(log, applied.state())?;
            warnings.extend(mirror.warnings(compared.as_ref(), log)?);
            let missing = compared.map(|compared| compared.missing);
            // Compare the next copy with a state that includes these events. Otherwise, an event in
            // both copies would be missing twice.
            if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
                self.beside.extend(&missing);
                applied.apply_beside(log, &missing, &self.beside)?;
            }
        }
        Ok(warnings)
    }

    /// Lists the copies that may have events missing from `log`, so that a writer can append them.
    pub(crate) fn untaken(&mut self, log: &DurableLog) -> Result<Vec<Mirror>, LedgerError> {
        self.marks = self.marks_now();
        let mut untaken = Vec::new();
        for mirror in &self.mirrors {
            if !mirror.is_taken(log)? {
                untaken.push(mirror.clone());
            }
        }
        Ok(untaken)
    }

    pub(crate) fn here(&self) -> Option<&Mirror> {
        self.mirrors.last()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Mirror> {
        self.mirrors.iter()
    }
}
