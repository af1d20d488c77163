//! Windlass as a library: each job of the command as one call.
//!
//! A [`Workspace`] is a repository together with what is kept about it. [`Workspace::refresh`] runs a
//! runbook and gives back a pack; [`Workspace::page`] goes on where a pack was cut;
//! [`Workspace::runs`] and its kin look at what is recorded of runs; [`Workspace::add_anchors`] and its kin keep anchors; [`Workspace::trust`] says which runbooks may start
//! programs; [`Workspace::ledger`] opens the log of work that is shared: beads, mail, hooks, agents, molecules;
//! [`Workspace::show_pack`] and its kin put together what somebody has to know to do a piece of work.
//!
//! This crate must never print, end the process, or look at the clock or the environment: all of that comes
//! in through [`Environment`] and goes out through values and [`windlass_engine::Observer`].

mod adopt;
mod agents;
mod anchors;
mod assemble;
mod check_document;
mod citations;
mod context;
mod doctor;
mod documents;
mod edit_notebook;
mod explain;
mod find;
mod formulas;
mod handover;
mod impact;
mod init;
mod ledger;
mod listing;
mod memory;
mod mol_text;
mod nested;
mod nested_check;
mod nested_inputs;
mod next_calls;
mod page;
mod phases;
mod plugins;
mod rank;
mod refresh;
mod rejudge;
mod repair;
mod results;
mod runbook_error;
mod runbook_links;
mod runbooks;
mod runs;
mod schemas;
mod suggest;
#[cfg(test)]
mod testing;
mod transact;
mod trust;
mod upsert;
mod work_text;
mod workspace;

pub use agents::{AgentClient, AgentSetUp, SetUpFile};
pub use anchors::{AnchorPlace, AnchorReport, AnchorRequest, Checked, ExplainedAnchor};
pub use check_document::CheckedDocument;
pub use citations::{
    CitationError, CitedLines, Meant, RepairDepth, Scan, ScanRequest, UnreadDocument,
};
pub use context::{
    BuildPack, BuiltPack, ContextError, MergePacks, MergedPacks, PackView, PartRebuilt, PartState,
    PrintedPack, RebuiltPack, ShowPack,
};
pub use doctor::{Finding, Health, doctor};
pub use documents::{
    DocumentDraft, DocumentError, EventRequest, FittingPage, ForkRequest, Forked, ItemRequest,
    ItemWork, ListPage, MergedVcontext, Recorded, lightest_tron,
};
pub use edit_notebook::{EditRequest, NotebookChange};
pub use explain::Explanation;
pub use find::{FindError, FindRequest, Found, FoundPlace};
pub use formulas::{FormulaEntry, FormulaError, FormulaFile};
pub use handover::{Became, EntrySort, HandOverRequest, HandedEntry, HandedOver};
pub use impact::{
    Base, Effect, Impact, ImpactError, ImpactRequest, KeptIn, Offer, StaleEvidence, TouchedSection,
};
pub use init::{Proposal, propose_runbook};
pub use ledger::{
    BeadReport, BeadUpdate, ClaimRequest, Completion, CriterionReport, DistillRequest,
    DriveOptions, DriveReport, DrivenStep, EventStats, ExportReport, FormulaNow, GateAnswer,
    HookReport, ImportReport, ImportRequest, Inbox, LedgerDesk, MolFinding, MolProgress, MolReport,
    MolSummary, MolTrouble, MolWait, MoleculeError, NewBead, NewDependency, NewMail, NewMolecule,
    Patience, Proof, ReadyStep, ReadySteps, StepAsks, StepPack, StepReport, Verification, WorkList,
    criteria_in, millis,
};
pub use listing::{
    AnchorList, ListFormat, ListPurpose, ListRequest, PlaceNow, RunbookReport, RunbookState,
    ShownAnchors, TextNow, push_next,
};
pub use memory::{
    AlsoSource, Explained, FeedbackNoted, Indexed, Learned, Loaded, LoadedField, MemoryChange,
    MemoryCheck, MemoryCheckRequest, MemoryInit, MemoryInitRequest, MemoryStats, PartsToSay,
    RecallBudget, RecallFormat, RecallReport, RecallRequest, Recalled, Recaller, Recollection,
    RememberRequest, RememberWork, WrittenFile,
};
pub use mol_text::{
    completion_text, drive_text, mol_line, mol_text, ready_line, step_text, verification_text,
};
pub use page::{Page, PageRequest};
pub use plugins::{
    ExampleState, PluginPlace, PluginReport, PluginStanding, PluginTrustReport, PluginUseError,
    TestedExample,
};
pub use refresh::{Ending, Part, Refresh, RefreshRequest, ViewRequest};
pub use repair::{NewPlace, RepairRequest, Repaired, RepairedAnchor};
pub use results::NotKept;
pub use runbook_error::RunbookError;
pub use runbooks::{RunbookEntry, RunbookFile, RunbookPlace};
pub use runs::{
    RecordedRunbook, Replay, Resumption, RunChange, RunComparison, RunEnd, RunError, RunHead,
    RunId, RunRecord, RunSectionDiff, RunState, RunSummary, StepSummary,
};
pub use schemas::schemas;
pub use suggest::{Applied, ApplyRequest, ReadPlace, SuggestRequest, SuggestionList};
pub use trust::{
    Asked, ProgramFile, SecretsReport, Standing, StartedProgram, TrustReport, TrustState,
};
pub use work_text::{bead_line, bead_text, mail_line, mail_text, reason_text};
pub use workspace::Workspace;

pub use windlass_notebook::DeskError;
pub use windlass_site::{
    Environment, Error, ErrorKind, Explain, PluginTrust, RouteTrust, SECRETS_FILE, Seeds, Site,
    SiteError, TrustList, TrustRecord,
};

pub use windlass_base as base;
pub use windlass_context as context_pack;
pub use windlass_engine as engine;
pub use windlass_formula as formula;
pub use windlass_ledger as work;
pub use windlass_memory as remembered;
pub use windlass_notebook as notebook;
pub use windlass_pack as pack;
pub use windlass_plan as plan;
pub use windlass_plugin as plugin;
pub use windlass_redact as redact;
pub use windlass_repo as repo;
pub use windlass_site as site;
pub use windlass_store as store;
pub use windlass_vcontext as vcontext;

/// What the plan must know of the built-in kinds of steps.
#[must_use]
pub fn step_catalog() -> windlass_plan::Catalog {
    windlass_steps::catalog()
}
