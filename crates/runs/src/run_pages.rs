//! Data for web pages about runs: lists of runs, the plan and the pack of a run, and the history of
//! sections.
//!
//! Pages are opened often, so nothing here runs a step or writes a file. Unreadable records are
//! skipped, because a single damaged file should not make a page useless.

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

/// Maximum size of a pack on a page. Browsers get slow with larger ones.
const PAGE_LIMIT: Limit = Limit::Chars(200_000);

/// One page in a list of runs.
#[derive(Debug, Clone, Serialize)]
pub struct RunList {
    /// The runs on this page, newest first.
    pub runs: Vec<RunSummary>,
    /// Number of runs on all pages.
    pub total: usize,
}

/// The pack of a recorded run, with current verdicts.
#[derive(Debug, Clone)]
pub struct RunPack {
    /// An HTML fragment.
    pub html: String,
    /// The same pack as JSON.
    pub json: Value,
}

/// The plan behind a run.
#[derive(Debug, Clone)]
pub struct RunPlan {
    /// The plan of the runbook as it is now, since plans are not stored with runs.
    pub plan: Arc<Plan>,
    /// True if the runbook has not changed since the run. If it has, the page should say that the
    /// plan may not fit.
    pub is_same: bool,
}

/// How the sections of a runbook have changed over several runs.
#[derive(Debug, Clone, Serialize)]
pub struct SectionHistory {
    /// The runs, oldest first.
    pub runs: Vec<RunSummary>,
    /// One row per section, in the order of the newest run.
    pub sections: Vec<SectionRow>,
}

/// How one section has changed.
#[derive(Debug, Clone, Serialize)]
pub struct SectionRow {
    /// ID of the section in the runbook.
    pub id: String,
    /// Heading of the section.
    pub title: String,
    /// One entry per run, which is `None` if the run does not have this section.
    pub cells: Vec<Option<SectionCell>>,
}

/// State of a section in one run.
#[derive(Debug, Clone, Serialize)]
pub struct SectionCell {
    /// Status of the section in this run.
    pub status: SectionStatus,
    /// Number of pieces of evidence, by their state.
    pub evidence: BTreeMap<&'static str, usize>,
}

/// Access to data for pages about runs, see [`RunService::pages`].
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
    /// Lists up to `count` runs of this working tree, newest first, after skipping `skip` of them.
    ///
    /// If `runbook` is given, only its runs are listed. Only the records on this page are read in
    /// full.
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

    fn readable(&self, head: &RunHead) -> Option<RunRecord> {
        let record = self.0.records.run_record(&head.id);
        let record =
            record.inspect_err(|error| tracing::debug!("no record of `{}`: {error}", head.id));
        record.ok()
    }

    /// Returns the current plan of the run's runbook, or `None` if that is missing or invalid by
    /// now.
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

    /// Prepares the pack of a run for a page, if the run produced one. `link` returns the URL for a
    /// location in a file.
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
        // We don't store the pack, so its commands for more details must not refer to it.
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

    /// Returns the states of the sections of `runbook` in its newest `limit` runs.
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
        // Start with the newest run, which determines the order. Sections that only older runs have
        // come last.
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
                    *evidence
                        .entry(Rank::of(&one.judgement).as_str())
                        .or_default() += 1;
                }
            }
        }
        Self {
            status: section.status,
            evidence,
        }
    }
}
