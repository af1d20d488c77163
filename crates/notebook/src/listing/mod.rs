//! Anchors and saved runbooks as a list: one line each, within a budget, page by page.
//!
//! A page is worked out anew each time: its cursor holds the digest of the whole list, so that going on in a
//! list that is no longer the same is refused instead of showing some anchors twice and others never.

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
pub use self::what_to_do::what_to_do_with;

pub(crate) use self::shown_anchors::show_anchors;
pub(crate) use self::what_to_do::what_to_do;

/// Entries that a thread works on at a time.
const PIECE: usize = 200;

/// Which anchors are listed, and how.
#[derive(Debug, Clone)]
pub struct ListRequest {
    /// What the list is for.
    pub purpose: ListPurpose,
    /// The anchors with these names, in this order; all if none is given.
    pub ids: Vec<String>,
    /// Only anchors of these kinds; of all if none is given.
    pub kinds: Vec<AnchorKind>,
    /// Only anchors that have all of these tags.
    pub tags: Vec<String>,
    /// Only anchors and runbooks in one of these states, as the list calls them; in all if none is given.
    pub states: Vec<String>,
    /// Only anchors with evidence in one of these folders, or in files that one of these globs matches.
    pub zones: Vec<String>,
    /// How much is printed; 8000 characters if not said. Nothing limits JSON Lines.
    pub limit: Option<Limit>,
    /// How it is printed.
    pub format: ListFormat,
    /// Another format in which the page is printed as well; its text leaves nothing out.
    pub also: Option<ListFormat>,
    /// Whether anchors come in the order of text, the worst first, in every format.
    pub worst_first: bool,
    /// Where to go on, as it was printed.
    pub cursor: Option<String>,
}

/// What a list of anchors is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListPurpose {
    /// To see what there is.
    List,
    /// To see what no longer stands: text leaves out what is fresh.
    Check,
    /// To see all of the notebook, its runbooks before its anchors.
    Notebook,
}

/// How a list of anchors is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// For people, the worst first.
    Text {
        /// Lines are cut at this many columns, and names stand in columns; neither if there is none.
        width: Option<usize>,
    },
    /// One object; anchors in the order of the request, or in which they were saved.
    Json,
    /// The same as TRON, in which objects that are alike share a class.
    Tron,
    /// One object a line, in the same order; always complete.
    JsonLines,
}

/// A list of anchors as it is printed, and what it says.
#[derive(Debug)]
pub struct AnchorList {
    /// What is printed.
    pub printed: Styled,
    /// The same in the other format that was asked for.
    pub also: Option<Styled>,
    /// How many anchors there are, those that are not shown included.
    pub total: usize,
    /// How many of them stand where they were captured.
    pub fresh: usize,
    /// How many runbooks there are.
    pub runbooks: usize,
    /// How many parts of the notebook cannot be used, whatever they are.
    pub lost: usize,
    /// How many anchors of the repository the notebook has never had: nothing is known of them here.
    pub not_imported: usize,
}

/// Lists anchors with what became of each, within a budget.
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
            // Most of the time is taken by the look for secrets.
            let texts = in_parallel(&rows, site.repo().threads(), PIECE, list_json::lines);
            let texts: Vec<String> = texts.into_iter().collect::<Result<_, Error>>()?;
            (Styled::from(texts.concat()), None)
        }
        ListFormat::Json | ListFormat::Tron | ListFormat::Text { .. } => {
            let mut listing = Listing::new(request, rows, &notebook, site)?;
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

/// How many anchors of the repository the notebook has never had.
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
    /// True if anchors are checked, and none is left out.
    fn is_of_all(&self) -> bool {
        let filters = [&self.ids, &self.tags, &self.states, &self.zones];
        self.purpose == ListPurpose::Check
            && self.kinds.is_empty()
            && filters.iter().all(|filter| filter.is_empty())
    }
}

/// Makes sure that these are states that anchors or runbooks can be in.
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

/// Parts of the repository.
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

/// A zone without what says that it counts from the root, as all do: `./src/` is `src`, and `.` is everything.
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
