//! Lists a notebook's anchors and runbooks in pages, with one line per entry.
//!
//! Each page is computed from the current state, and its cursor contains a digest of the whole
//! list. If the list has changed since, we refuse the cursor, because the next page would repeat or
//! skip entries.

mod anchor_folders;
mod list_facts;
mod list_json;
mod list_pages;
mod list_row;
mod list_text;
mod shown_anchors;
mod what_to_do;

use windlass_base::{Limit, did_you_mean, in_parallel};
use windlass_packs::{Rank, Styled};
use windlass_repo::{GlobSet, Snapshot};
use windlass_site::Error;

use self::list_pages::Listing;
use self::list_row::{Row, saved_reports};
use crate::anchor_exchange::{SharedAnchors, may_be_imported};
use crate::anchor_reports::{AnchorReport, check_anchors};
use crate::handover::shared_anchors;
use crate::transact::Transactor;
use crate::{AnchorKind, Notebook, NotebookError};

pub(crate) use self::list_json::json_of;
pub use self::list_row::{RunbookReport, RunbookState};
pub use self::list_text::{push_next, remark};
pub use self::shown_anchors::{PlaceNow, ShownAnchors, TextNow};
pub use self::what_to_do::what_to_do;
pub use anchor_folders::{AnchorFolder, anchors_by_folder};

pub(crate) use self::shown_anchors::show_anchors;

/// Number of entries processed by a thread at a time.
const PIECE: usize = 200;

/// A list's selection and output options.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// The list's purpose, which determines its entries.
    pub purpose: ListPurpose,
    /// Names of the anchors, in output order. Empty lists all anchors.
    pub ids: Vec<String>,
    /// Kinds of anchors to list. Empty lists all kinds.
    pub kinds: Vec<AnchorKind>,
    /// Tags required of an anchor. It must have all of them.
    pub tags: Vec<String>,
    /// Names of the states to list. Empty lists all states.
    pub states: Vec<String>,
    /// Folders and globs, at least one of which must match the evidence. Empty lists all anchors.
    pub zones: Vec<String>,
    /// The output's budget, 8000 characters by default. JSON Lines ignore it.
    pub limit: Option<Limit>,
    /// Format of the printed page.
    pub format: ListFormat,
    /// A second format for rendering the same page.
    pub also: Option<ListFormat>,
    /// Sort the worst anchors first in every format. Text always does.
    pub worst_first: bool,
    /// Cursor of the page to render, or `None` for the first page.
    pub cursor: Option<String>,
}

/// Purposes of a list of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPurpose {
    /// Show all anchors.
    List,
    /// Show problems. Text omits fresh anchors.
    Check,
    /// Show the whole notebook, with runbooks before anchors.
    Notebook,
}

/// Output formats of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// Text for people, with the worst anchors first.
    Text {
        /// The terminal's width in columns, for cutting lines and aligning columns. `None` does
        /// neither.
        width: Option<usize>,
    },
    /// A JSON object. Anchors are in the order of the request, or else in the order they were saved
    /// in.
    Json,
    /// The JSON object as TRON, in which objects of the same shape share a class.
    Tron,
    /// One JSON object per line, in the same order. The list is always complete.
    JsonLines,
}

/// A rendered page, with the list's totals.
#[derive(Debug)]
pub struct AnchorList {
    /// The page in the requested format.
    pub printed: Styled,
    /// The page in the second format.
    pub also: Option<Styled>,
    /// Number of anchors, including any not shown.
    pub total: usize,
    /// Number of fresh anchors.
    pub fresh: usize,
    /// Number of runbooks.
    pub runbooks: usize,
    /// Number of damaged parts of the notebook.
    pub lost: usize,
    /// Number of shared anchors that the notebook never had. We don't check them.
    pub not_imported: usize,
}

/// Lists anchors with their verdicts, within the budget of `request`.
pub(crate) fn list_anchors(
    transactor: &Transactor,
    request: &ListRequest,
) -> Result<AnchorList, Error> {
    check_states(&request.states)?;
    let site = transactor.desk.site();
    let notebook = transactor.desk.read()?;
    let snapshot = site.snapshot();
    let mut reports = check_anchors(&notebook, &request.ids, &snapshot, site.cancel())?;
    reports.retain(|report| request.kinds.is_empty() || request.kinds.contains(&report.kind));
    reports.retain(|report| request.tags.iter().all(|tag| report.tags.contains(tag)));
    if !request.states.is_empty() {
        reports.retain(|report| {
            let rank = Rank::of(&report.judgement);
            request.states.iter().any(|state| state == rank.word())
        });
    }
    if !request.zones.is_empty() {
        let zones = Zones::new(&request.zones)?;
        reports.retain(|report| zones.hold(report));
    }
    let runbooks = match request.purpose {
        ListPurpose::Notebook => saved_reports(transactor, request, &notebook, &snapshot),
        ListPurpose::List | ListPurpose::Check => Vec::new(),
    };
    let fresh = reports.iter().filter(|report| report.is_fresh()).count();
    let not_imported = match request.is_of_all() {
        true => not_imported(&notebook, &snapshot)?,
        false => 0,
    };
    let (total, runbook_count) = (reports.len(), runbooks.len());
    let anchors = reports.into_iter().map(Row::Anchor);
    let rows: Vec<Row> = runbooks
        .into_iter()
        .map(Row::Runbook)
        .chain(anchors)
        .collect();
    let (printed, also) = match request.format {
        ListFormat::JsonLines => {
            // Scanning for secrets takes most of the time, so render the rows in parallel.
            let texts = in_parallel(&rows, site.repo().threads(), PIECE, list_json::lines);
            let texts: Vec<String> = texts.into_iter().collect::<Result<_, Error>>()?;
            (Styled::from(texts.concat()), None)
        }
        ListFormat::Json | ListFormat::Tron | ListFormat::Text { .. } => {
            let mut listing = Listing::new(request, rows, &notebook, (site, &snapshot))?;
            if not_imported > 0 {
                listing.suggest_import();
            }
            let printed = listing.print_page()?;
            let also = request.also.map(|format| listing.printed_as(format));
            (printed, also.transpose()?)
        }
    };
    Ok(AnchorList {
        printed,
        also,
        total,
        fresh,
        runbooks: runbook_count,
        lost: notebook.lost().count(),
        not_imported,
    })
}

/// Returns the number of shared anchors that the notebook never had.
fn not_imported(notebook: &Notebook, snapshot: &Snapshot) -> Result<usize, Error> {
    let shared = shared_anchors(snapshot)?;
    let count = |shared: SharedAnchors| {
        let new = notebook.not_imported(&shared);
        new.filter(|anchor| may_be_imported(anchor, snapshot))
            .count()
    };
    Ok(shared.map_or(0, count))
}

impl ListRequest {
    /// Returns true if this is a check of all anchors.
    fn is_of_all(&self) -> bool {
        let filters = [&self.ids, &self.tags, &self.states, &self.zones];
        self.purpose == ListPurpose::Check
            && self.kinds.is_empty()
            && filters.iter().all(|filter| filter.is_empty())
    }
}

/// Checks that each of `states` is a state of anchors or runbooks.
fn check_states(states: &[String]) -> Result<(), Error> {
    let known = || {
        let runbooks = RunbookState::ALL.map(RunbookState::as_str);
        Rank::ALL.map(Rank::word).into_iter().chain(runbooks)
    };
    match states
        .iter()
        .find(|state| known().all(|word| word != *state))
    {
        None => Ok(()),
        Some(state) => {
            let mut words: Vec<&str> = known().collect();
            words.sort_unstable();
            words.dedup();
            Err(NotebookError::NoSuchState {
                state: state.clone(),
                similar: did_you_mean(state, words.iter().copied()).map(str::to_owned),
                known: words.into_iter().map(str::to_owned).collect(),
            }
            .into())
        }
    }
}

/// Folders and globs selecting evidence.
struct Zones<'a> {
    folders: Vec<&'a str>,
    globs: GlobSet,
}

impl<'a> Zones<'a> {
    fn new(zones: &'a [String]) -> Result<Self, Error> {
        let folders: Vec<&str> = zones.iter().map(|zone| from_root(zone)).collect();
        let globs: Vec<String> = folders.iter().map(|zone| (*zone).to_owned()).collect();
        Ok(Self {
            folders,
            globs: GlobSet::new(&globs)?,
        })
    }

    fn hold(&self, report: &AnchorReport) -> bool {
        let mut files = report.evidence.iter().map(|checked| &checked.pointer.file);
        files.any(|file| {
            let is_in = |folder: &&str| {
                let rest = file.as_str().strip_prefix(folder);
                folder.is_empty()
                    || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            self.folders.iter().any(is_in) || self.globs.matches(file)
        })
    }
}

/// Normalizes a zone. For example, `./src/` becomes `src`, and `.` becomes the empty path.
fn from_root(zone: &str) -> &str {
    let mut zone = zone;
    while let Some(rest) = zone.strip_prefix("./").or_else(|| zone.strip_prefix('/')) {
        zone = rest;
    }
    match zone.trim_end_matches('/') {
        "." => "",
        zone => zone,
    }
}
