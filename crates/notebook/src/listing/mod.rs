//! Lists a notebook's anchors and runbooks in pages, with one line per entry.
//!
//! A page is not stored anywhere: we compute each one from the current state of notebook and files.
//! If that state changes between two pages, the second one would repeat or skip entries. Cursors
//! therefore contain a digest of the whole list, and we refuse those of another list.

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

const PIECE: usize = 200;

/// Selection of the listed entries, and their output options.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// Purpose of the list, which decides about the entries and some of the details.
    pub purpose: ListPurpose,
    /// Names of anchors, in output order. An empty list stands for all anchors.
    pub ids: Vec<String>,
    /// Kinds of anchors. If empty, all kinds.
    pub kinds: Vec<AnchorKind>,
    /// Tags. An anchor must have all of them.
    pub tags: Vec<String>,
    /// Names of states. If empty, all states.
    pub states: Vec<String>,
    /// Folders and globs. Unless empty, the evidence must match one of them.
    pub zones: Vec<String>,
    /// Budget for the output, 8000 characters unless given. JSON Lines ignore it, since they are
    /// not divided into pages.
    pub limit: Option<Limit>,
    /// Format of the page.
    pub format: ListFormat,
    /// A second format for the same page. An MCP result has both text and structured content, for
    /// example.
    pub also: Option<ListFormat>,
    /// True to list the worst anchors first. Text always does that.
    pub worst_first: bool,
    /// Cursor of the page, or `None` for the first page.
    pub cursor: Option<String>,
}

/// Purposes of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPurpose {
    /// Show all anchors.
    List,
    /// Show problems. Text omits fresh anchors.
    Check,
    /// Show the whole notebook, with the runbooks before the anchors.
    Notebook,
}

/// Output formats of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// Text for people, with the worst anchors first.
    Text {
        /// The terminal's width in columns, to which lines are cut and aligned. `None` leaves the
        /// lines as long as they are.
        width: Option<usize>,
    },
    /// A JSON object. Anchors are in the order of `ids`, or else in the order of saving.
    Json,
    /// The same object as TRON. Objects of the same shape share a class.
    Tron,
    /// One JSON object per line, in the same order. The output is not divided into pages.
    JsonLines,
}

/// A rendered page, and totals of the list.
#[derive(Debug)]
pub struct AnchorList {
    /// The page in the requested format.
    pub printed: Styled,
    /// The same page in the second format, if requested.
    pub also: Option<Styled>,
    /// Number of anchors in the list, on all pages.
    pub total: usize,
    /// Number of fresh anchors in the list, on all pages.
    pub fresh: usize,
    /// Number of runbooks.
    pub runbooks: usize,
    /// Number of unreadable parts of the notebook.
    pub lost: usize,
    /// Number of shared anchors that were never imported. They are not part of the list or its
    /// totals.
    pub not_imported: usize,
}

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
            request.states.iter().any(|state| state == rank.as_str())
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
            // Scanning for secrets is the slowest part by far, so render the rows in parallel.
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

/// Counts the shared anchors that may be imported but are not in the notebook yet.
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
    /// True for an unfiltered check of all anchors. With a filter, the user has asked about certain
    /// anchors, so we do not bring up those that are not imported.
    fn is_of_all(&self) -> bool {
        let filters = [&self.ids, &self.tags, &self.states, &self.zones];
        self.purpose == ListPurpose::Check
            && self.kinds.is_empty()
            && filters.iter().all(|filter| filter.is_empty())
    }
}

fn check_states(states: &[String]) -> Result<(), Error> {
    let known = || {
        let runbooks = RunbookState::ALL.map(RunbookState::as_str);
        Rank::ALL.map(Rank::as_str).into_iter().chain(runbooks)
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

/// Selects evidence by its file. A zone is tried both as a folder and as a glob, so `src` and
/// `src/**` select the same files. See [`ListRequest::zones`].
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

/// Makes a zone relative to the root. For example, `./src/` becomes `src`, and `.` becomes the
/// empty path.
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
