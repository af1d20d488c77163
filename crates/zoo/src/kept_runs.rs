//! What runs found, kept for `windlass zoo report`: of the samples, and of each repository by itself.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlass::{Error, Workspace};
use windlass_repo::Owner;
use windlass_store::{Durability, Lock, RootedPath, read_document, write_atomic};

use crate::report::History;
use crate::{Checked, Results, ZooError};

/// The most that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The version of the format.
const SCHEMA_VERSION: u32 = 1;
/// How long another run may take to keep what it found.
const PATIENCE: Duration = Duration::from_secs(10);

/// The runs that are kept of a repository, or of the samples.
#[derive(Debug)]
pub struct KeptRuns<'a> {
    folder: RootedPath,
    /// The repository that was measured; none of the samples.
    of: Option<&'a Workspace>,
}

/// The last run, and what is remembered of those before it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Runs {
    schema_version: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo: Option<Owner>,
    /// What it found.
    pub results: Results,
    /// What the gates said of them, where they were held against them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<Checked>,
    /// Those before it.
    pub history: History,
}

impl<'a> KeptRuns<'a> {
    /// Those of the repository of `workspace`, of the samples if not said, in the folder `state`.
    #[must_use]
    pub fn of(workspace: Option<&'a Workspace>, state: &RootedPath) -> Self {
        let folder = match workspace {
            Some(workspace) => {
                let id = &workspace.site().repo().identity().repo_id;
                state.join("repos").join(id).join("zoo")
            }
            None => state.join("zoo"),
        };
        Self {
            folder,
            of: workspace,
        }
    }

    fn path(&self) -> RootedPath {
        self.folder.join("runs.json")
    }

    /// What is kept, if anything; what is kept of another repository that was in the same place is nothing.
    ///
    /// # Errors
    /// When it cannot be read: it is left as it is.
    pub fn read(&self) -> Result<Option<Runs>, ZooError> {
        let runs: Option<Runs> =
            read_document(&self.path(), SCHEMA_VERSION, MAX_BYTES).map_err(Error::from)?;
        let is_ours = |runs: &Runs| match (self.of, &runs.repo) {
            (Some(workspace), Some(owner)) => owner.check(workspace.site().repo()).is_ok(),
            (None, None) => true,
            _ => false,
        };
        Ok(runs.filter(is_ours))
    }

    /// Keeps `results`, and what the gates said of them. Beside them stays what was found of sample repositories that were not measured now,
    /// and what gates said before of all that is shown as it was. `holder` says who asks, as [`Lock::acquire`] has it.
    ///
    /// # Errors
    /// When it cannot be written, another process holds the lock, or what is there cannot be read: nothing is lost then.
    pub fn keep(
        &self,
        results: &Results,
        checked: Option<&Checked>,
        holder: &str,
    ) -> Result<(), ZooError> {
        let _lock =
            Lock::acquire(&self.folder.join("lock"), PATIENCE, holder).map_err(Error::from)?;
        let before = self.read()?;
        let owner = before.as_ref().and_then(|runs| runs.repo.as_ref());
        let repo = self
            .of
            .map(|workspace| Owner::of(workspace.site().repo(), owner));
        let mut history = History::default();
        let (mut all, mut said) = (results.clone(), checked.cloned());
        if let Some(before) = before {
            history = before.history;
            let earlier = before.checked.unwrap_or_default();
            let both = Checked::beside(said, results, earlier, &before.results);
            said = (checked.is_some() || both != Checked::default()).then_some(both);
            if self.of.is_none() {
                all = results.beside(before.results);
            }
        }
        history.add(results);
        let mut runs = Runs {
            schema_version: SCHEMA_VERSION,
            repo,
            results: all,
            checked: said,
            history,
        };
        let text = runs.within(MAX_BYTES)?;
        write_atomic(&self.path(), &text, Durability::Relaxed).map_err(Error::from)?;
        Ok(())
    }
}

impl Runs {
    /// They as they are written, in at most `most` bytes: more would not be read again. Where there are more, first less is kept of what was
    /// shown in each case, then of the older runs.
    ///
    /// # Errors
    /// When the cases alone are larger.
    fn within(&mut self, most: u64) -> Result<Vec<u8>, ZooError> {
        /// So many lines are kept of what was shown.
        const LINES: [usize; 3] = [1_000, 100, 10];
        let mut lines = LINES.into_iter();
        loop {
            let text = serde_json::to_vec(self).map_err(Error::internal)?;
            if text.len() as u64 <= most {
                return Ok(text);
            }
            match lines.next() {
                Some(lines) => self
                    .results
                    .cases
                    .iter_mut()
                    .for_each(|case| case.shorten(lines)),
                None if !self.history.runs.is_empty() => self.history.forget(),
                None => {
                    return Err(ZooError::Data(format!(
                        "they are larger than {} MiB, whatever is left out",
                        most >> 20
                    )));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Run;

    /// A run of a case in which so many places were shown, and runs before it.
    fn runs(shown: usize, before: usize) -> Runs {
        let shown: Vec<String> = (0..shown).map(|at| format!("src/main.rs:{at}")).collect();
        let case = serde_json::json!({
            "archetype": "docs", "case": "q", "system": "mine", "values": {}, "shown": shown,
        });
        let results = serde_json::json!({ "schema_version": 1, "cases": [case] });
        let results: Results = serde_json::from_value(results).unwrap();
        let run = |at: usize| Run {
            digest: format!("{at:064}"),
            ..Run::default()
        };
        Runs {
            schema_version: SCHEMA_VERSION,
            repo: None,
            results,
            checked: None,
            history: History {
                runs: (0..before).map(run).collect(),
            },
        }
    }

    #[test]
    fn what_is_written_can_be_read_again_however_much_was_shown() {
        let mut few = runs(9, 3);
        let text = few.within(1 << 20).ok().unwrap();
        let read: Runs = serde_json::from_slice(&text).unwrap();
        assert_eq!(read.results, runs(9, 3).results, "nothing is left out");
        let mut many = runs(100_000, 40);
        let text = many.within(8_000).ok().unwrap();
        assert!(text.len() <= 8_000);
        let read: Runs = serde_json::from_slice(&text).unwrap();
        let shown = &read.results.cases[0].shown;
        assert_eq!(shown.len(), 101);
        assert_eq!(shown[100], "and 99900 more, which are not kept");
        assert_eq!(read.history.runs.len(), 40, "there is room for them");
    }

    #[test]
    fn the_oldest_runs_go_where_there_is_no_room_for_them() {
        let mut old = runs(1, 40);
        let text = old.within(2_000).ok().unwrap();
        let read: Runs = serde_json::from_slice(&text).unwrap();
        let kept = read.history.runs;
        assert!((1..20).contains(&kept.len()), "{}", kept.len());
        assert_eq!(kept.last().unwrap().digest, format!("{:064}", 39));
        assert!(runs(1, 40).within(10).is_err());
    }
}
