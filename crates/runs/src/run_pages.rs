//! Data for web pages about runs: lists of runs, a run's plan and pack, and the history of
//! sections.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use windlass_base::{Entry, Limit};
use windlass_packs::{
    Format, PackSection, PlaceLink, Rank, SectionStatus, StoredResult, Styled, ViewRequest,
    pack_content, view, view_options,
};
use windlass_plan::Plan;
use windlass_site::Error;

use crate::records::{RunHead, RunRecord, RunSummary};
use crate::run_service::RunService;

/// Maximum size of a pack on a page. A larger page would respond slowly.
const PAGE_LIMIT: Limit = Limit::Chars(200_000);

/// One page of the list of runs.
#[derive(Debug, Clone, Serialize)]
pub struct RunList {
    /// The runs on this page, newest first.
    pub runs: Vec<RunSummary>,
    /// The total number of runs in the list.
    pub total: usize,
}

/// The pack of a recorded run, with current verdicts.
#[derive(Debug, Clone)]
pub struct RunPack {
    /// The pack as an HTML fragment.
    pub html: String,
    /// The same pack as JSON.
    pub json: Value,
}

/// The plan of a recorded run's runbook.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// The plan of the runbook's current version.
    pub plan: Arc<Plan>,
    /// True if the runbook hasn't changed since the run.
    pub is_same: bool,
}

/// History of a runbook's sections over several runs.
#[derive(Debug, Clone, Serialize)]
pub struct SectionHistory {
    /// The runs, oldest first.
    pub runs: Vec<RunSummary>,
    /// The sections, in the order of the newest run.
    pub sections: Vec<SectionRow>,
}

/// History of one section.
#[derive(Debug, Clone, Serialize)]
pub struct SectionRow {
    /// The section's id in the runbook.
    pub id: String,
    /// The section's heading.
    pub title: String,
    /// The section's state in each run, or `None` for runs without it.
    pub cells: Vec<Option<SectionCell>>,
}

/// State of a section in one run.
#[derive(Debug, Clone, Serialize)]
pub struct SectionCell {
    /// The section's status.
    pub status: SectionStatus,
    /// Number of pieces of evidence in each state.
    pub evidence: BTreeMap<&'static str, usize>,
}

/// Access to data for pages about runs.
#[derive(Debug, Clone, Copy)]
pub struct RunPages<'a>(&'a RunService);

impl RunService {
    /// Returns access to data for pages about runs.
    #[must_use]
    pub fn pages(&self) -> RunPages<'_> {
        RunPages(self)
    }
}

impl RunPages<'_> {
    /// Returns up to `count` runs of this working tree, newest first, after skipping `skip` runs.
    /// If `runbook` is given, lists only its runs. Only the records on this page are read in full.
    ///
    /// # Errors
    /// Returns an error if the folder of the records cannot be read.
    pub fn list(&self, runbook: Option<&str>, skip: usize, count: usize) -> Result<RunList, Error> {
        let heads = self.heads(runbook)?;
        let shown = heads.iter().skip(skip).take(count);
        let records = shown.filter_map(|head| self.readable(head));
        Ok(RunList {
            runs: records.map(|record| record.summary()).collect(),
            total: heads.len(),
        })
    }

    fn heads(&self, runbook: Option<&str>) -> Result<Vec<RunHead>, Error> {
        let mut heads = self.0.records.run_heads()?;
        heads.retain(|head| runbook.is_none_or(|name| head.runbook.is_called(name)));
        Ok(heads)
    }

    /// Returns a run's record, or `None` if it's unreadable. One damaged record shouldn't keep us
    /// from showing the other runs.
    fn readable(&self, head: &RunHead) -> Option<RunRecord> {
        let record = self.0.records.run_record(&head.id);
        let record =
            record.inspect_err(|error| tracing::debug!("no record of `{}`: {error}", head.id));
        record.ok()
    }

    /// Returns the current plan of a run's runbook, or `None` if the runbook no longer exists or
    /// isn't valid.
    #[must_use]
    pub fn plan_of(&self, head: &RunHead) -> Option<RunPlan> {
        let name = head.runbook.call.as_deref()?;
        let root = self.0.site.repo().root();
        let found =
            self.0
                .shelf()
                .find(name, root, &self.0.site.snapshot(), &self.0.step_catalog());
        let found = found.inspect_err(|error| tracing::debug!("no plan of `{name}`: {error}"));
        let found = found.ok()?;
        Some(RunPlan {
            is_same: found.digest == head.runbook.digest,
            plan: found.plan,
        })
    }

    /// Returns a run's pack for a page, or `None` if there is none. `link` returns the address of a
    /// location in a file. No step runs, and nothing is stored.
    ///
    /// # Errors
    /// Returns an error if the pack does not fit on a page.
    pub fn pack_page(
        &self,
        record: RunRecord,
        link: PlaceLink<'_>,
    ) -> Result<Option<RunPack>, Error> {
        if record.pack.is_none() {
            return Ok(None);
        }
        let snapshot = self.0.site.snapshot();
        let judged = self.0.rejudged(record, &snapshot)?;
        let mut pack = judged.pack;
        pack.calls.kept = false;
        let request = |format| ViewRequest {
            limit: Some(PAGE_LIMIT),
            format,
            also: None,
            mode: None,
        };
        let options = view_options(&request(Format::Text { width: None }), &judged.policy);
        let (page, _) = view(&pack, &snapshot, &options).map_err(Error::internal)?;
        let options = view_options(&request(Format::Json), &judged.policy);
        let (_, json): (_, Styled) = view(&pack, &snapshot, &options).map_err(Error::internal)?;
        Ok(Some(RunPack {
            html: pack_content(&page, link),
            json: serde_json::from_str(&json.plain()).map_err(Error::internal)?,
        }))
    }

    /// Returns the recorded states of the sections of `runbook` in its newest `limit` runs.
    ///
    /// # Errors
    /// Returns an error if the folder of the records cannot be read.
    pub fn section_history(&self, runbook: &str, limit: usize) -> Result<SectionHistory, Error> {
        let heads = self.heads(Some(runbook))?;
        let newest = heads.iter().take(limit);
        let records = newest.filter_map(|head| self.readable(head));
        let mut history = SectionHistory {
            runs: Vec::new(),
            sections: Vec::new(),
        };
        let mut columns: Vec<Vec<PackSection>> = Vec::new();
        for record in records {
            history.runs.push(record.summary());
            let pack = record.pack.and_then(StoredResult::open);
            columns.push(pack.map_or_else(Vec::new, |kept| kept.pack.sections));
        }
        history.runs.reverse();
        columns.reverse();
        for section in columns.iter().rev().flatten() {
            if !history
                .sections
                .iter()
                .any(|row| row.id == section.id.as_str())
            {
                history.sections.push(SectionRow::of(section, &columns));
            }
        }
        Ok(history)
    }
}

impl SectionRow {
    fn of(section: &PackSection, columns: &[Vec<PackSection>]) -> Self {
        let cell = |sections: &Vec<PackSection>| {
            let mut sections = sections.iter();
            sections
                .find(|other| other.id == section.id)
                .map(SectionCell::of)
        };
        Self {
            id: section.id.to_string(),
            title: section.title.clone(),
            cells: columns.iter().map(cell).collect(),
        }
    }
}

impl SectionCell {
    fn of(section: &PackSection) -> Self {
        let mut evidence = BTreeMap::new();
        for entry in &section.entries {
            if let Entry::Item(item) = entry {
                for one in &item.evidence {
                    *evidence.entry(Rank::of(&one.judgement).word()).or_default() += 1;
                }
            }
        }
        Self {
            status: section.status,
            evidence,
        }
    }
}
