//! Log copies in working trees, as of their last read.

use windlass_store::{DurableLog, FileMark};

use super::applied_log::AppliedLog;
use super::mirror::Mirror;
use crate::{LedgerError, Places};

/// The copies with their file marks at the last read, and the events found only there.
#[derive(Debug)]
pub(crate) struct Copies {
    mirrors: Vec<Mirror>,
    marks: Vec<Option<FileMark>>,
    /// Lines of events found only in copies, applied after the log.
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

    /// Returns the lines of events found only in copies.
    pub(crate) fn beside(&self) -> &[u8] {
        &self.beside
    }

    fn marks_now(&self) -> Vec<Option<FileMark>> {
        self.mirrors.iter().map(Mirror::mark_if_readable).collect()
    }

    /// True if a copy has changed since the last read.
    pub(crate) fn have_changed(&self) -> bool {
        self.marks_now() != self.marks
    }

    /// Drops the lines found only in copies. Called after the state was reset.
    pub(crate) fn forget_beside(&mut self) {
        self.beside.clear();
    }

    /// Applies the events found only in copies, without writing them to the log. Returns warnings
    /// about lines that aren't events.
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
            // Compare the next copy with a state that includes these events, or they'd count as
            // missing twice.
            if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
                self.beside.extend(&missing);
                applied.apply_beside(log, &missing, &self.beside)?;
            }
        }
        Ok(warnings)
    }

    /// Returns the copies that may have events missing from `log`.
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

    /// Returns the copy in the caller's working tree.
    pub(crate) fn here(&self) -> Option<&Mirror> {
        self.mirrors.last()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Mirror> {
        self.mirrors.iter()
    }
}
