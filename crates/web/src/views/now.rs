use serde::Serialize;
use windlass::ledger::WorkFilter;
use windlass::{
    BeadReport, ClaimReport, Error, GateReport, MoleculeBoard, RepositoryStatus, RunState,
    RunSummary, status_and_anchors,
};
use windlass_render::{reason_text, shared_text};

use super::health::AnchorRow;
use crate::view::{View, Visit};

/// Maximum number of rows of each kind. Claims, gates and runs in progress aren't limited.
const FEW: usize = 8;

/// Number of newest runs searched for those in progress.
const NEWEST: usize = 25;

#[derive(Serialize)]
pub(crate) struct Now {
    status: RepositoryStatus,
    next: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<String>,
    running: Vec<RunSummary>,
    recent: Vec<RunSummary>,
    claims: Vec<ClaimReport>,
    gates: Vec<GateReport>,
    ready: Vec<BeadReport>,
    blocked: Vec<BlockedBead>,
    /// Anchors with stale evidence. At most [`FEW`] are listed.
    stale: Vec<AnchorRow>,
    stale_total: usize,
}

#[derive(Serialize)]
pub(crate) struct BlockedBead {
    #[serde(flatten)]
    bead: BeadReport,
    reasons: Vec<String>,
}

impl BlockedBead {
    pub(crate) fn of(bead: BeadReport) -> Self {
        let reasons = bead.blocked_by.iter().map(reason_text);
        Self {
            reasons: reasons.collect(),
            bead,
        }
    }
}

impl View for Now {
    const TEMPLATE: &'static str = "now.html";
    const FOLLOWS: &'static str = "runs work notebook memory runbooks evidence";

    fn title(&self) -> String {
        "Now".to_owned()
    }
}

pub(crate) fn now(visit: &Visit<'_>) -> Result<Now, Error> {
    let workspace = &visit.workspace;
    let (status, anchors) = status_and_anchors(workspace, visit.actor())?;
    let runs = workspace.runs().pages().list(None, 0, NEWEST)?.runs;
    let is_running = |run: &RunSummary| run.state == RunState::Running;
    let (running, mut recent): (Vec<_>, Vec<_>) = runs.into_iter().partition(is_running);
    recent.truncate(FEW);
    let service = workspace.molecules();
    let (ready, blocked, claims, gates) = visit.read_ledger(|session| {
        let all = WorkFilter::default();
        let ready = session.beads().ready(&all, None, FEW)?.beads;
        let blocked = session.beads().blocked(&all, None, FEW)?.beads;
        let molecules = service.on(session);
        let board = MoleculeBoard::of(&molecules);
        Ok((ready, blocked, board.claims(), board.closed_gates()))
    })?;
    let stale = || anchors.iter().filter(|anchor| !anchor.is_fresh());
    let stale_total = stale().count();
    let stale = stale().take(FEW).cloned().map(AnchorRow::of).collect();
    let shared = status.shared.as_ref();
    let shared =
        shared.filter(|contact| contact.problem.is_some() || contact.offline_since.is_some());
    Ok(Now {
        shared: shared.map(shared_text),
        next: status.next.written_out(),
        status,
        running,
        recent,
        claims,
        gates,
        ready,
        blocked: blocked.into_iter().map(BlockedBead::of).collect(),
        stale,
        stale_total,
    })
}
