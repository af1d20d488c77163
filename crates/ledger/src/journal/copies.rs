//! The copies of a log in working trees, as they were when they were last read.

use windlass_store::{DurableLog, FileMark};

use super::applied_log::AppliedLog;
use super::mirror::Mirror;
use crate::{LedgerError, Places};

/// Marks of the copies, and what only they have.
#[derive(Debug)]
pub(crate) struct Copies {
    mirrors: Vec<Mirror>,
    marks: Vec<Option<FileMark>>,
    /// Lines of events that only they have; they were applied after the log.
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

    /// Lines of events that only copies have.
    pub(crate) fn beside(&self) -> &[u8] {
        &self.beside
    }

    fn marks_now(&self) -> Vec<Option<FileMark>> {
        self.mirrors.iter().map(Mirror::mark_if_readable).collect()
    }

    /// True if one was changed since they were last read.
    pub(crate) fn have_changed(&self) -> bool {
        self.marks_now() != self.marks
    }

    /// Forgets what only they had, of a state that does not have it any more.
    pub(crate) fn forget_beside(&mut self) {
        self.beside.clear();
    }

    /// Applies the events that only they have, without writing them anywhere; what is amiss in them.
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
            // The next copy is compared with a state that has them.
            if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
                self.beside.extend(&missing);
                applied.apply_beside(log, &missing, &self.beside)?;
            }
        }
        Ok(warnings)
    }

    /// Those that `log` may lack something of.
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

    /// The copy of the working tree that the caller is in.
    pub(crate) fn here(&self) -> Option<&Mirror> {
        self.mirrors.last()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Mirror> {
        self.mirrors.iter()
    }
}
