//! Windlass as a library: a repository, and one service for each job.
//!
//! A [`Workspace`] opens a repository and provides the services: [`RunService`] runs runbooks,
//! [`NotebookService`] stores anchors, [`MemoryService`] recalls, [`PackService`] builds context
//! packs, [`MoleculeService`] manages workflows, and so on. [`doctor`] checks the health of all
//! this, and [`schemas`] returns the schemas of all documents.
//!
//! This crate only puts the services together. It must not implement any of them, and it must not
//! print, end the process, or read the clock or the environment. Callers pass in an [`Environment`]
//! instead, and they get the results as values and through [`windlass_engine::Observer`].

mod doctor;
mod document_schemas;
mod status;
mod stored_data;
mod workspace;

pub use doctor::doctor;
pub use document_schemas::schemas;
pub use status::{RepositoryStatus, WorkStatus, status, status_and_anchors};
pub use stored_data::StoredData;
pub use workspace::Workspace;

pub use windlass_cite::{
    CitationError, CitationService, CitedLines, Meant, RepairDepth, Scan, ScanRequest,
    UnreadDocument,
};
pub use windlass_context::{
    BuildPack, BuiltPack, ContextError, MergePacks, MergedPacks, PackService, PartRebuilt,
    PartState, RebuiltPack, ShowPack,
};
pub use windlass_find::{FindError, FindRequest, Found, FoundPlace, Skipped};
pub use windlass_formula::{FormulaEntry, FormulaError, FormulaFile, FormulaService};
pub use windlass_impact::{
    Base, Effect, Impact, ImpactError, ImpactRequest, ImpactService, Installed, KeptIn, Offer,
    StaleEvidence, TouchedSection,
};
pub use windlass_ledger::{
    BeadReport, BeadUpdate, Claim, EventStats, ExportReport, HookReport, ImportReport,
    ImportRequest, Inbox, LedgerService, LedgerSession, NewBead, NewDependency, NewMail, StepProof,
    WorkList,
};
pub use windlass_memory::{
    AlsoSource, Explained, FeedbackNoted, Indexed, Learned, Loaded, LoadedField, MemoryChange,
    MemoryCheck, MemoryCheckRequest, MemoryInit, MemoryInitRequest, MemoryService, MemoryStats,
    PartsToSay, RecallBudget, RecallFormat, RecallReport, RecallRequest, Recalled, Recaller,
    Recollection, RememberRequest, RememberWork, WrittenFile,
};
pub use windlass_molecule::{
    AskedInput, BoardCard, BoardColumn, ClaimReport, Completion, CriterionReport, DistillRequest,
    DriveOptions, DriveReport, DrivenStep, FleetReport, FleetRepository, FleetRequest, FleetWork,
    Fleets, FormulaNow, GateAnswer, GateReport, MolFinding, MolProgress, MolReport, MolSummary,
    MolTrouble, MolWait, MoleculeBoard, MoleculeError, MoleculeService, Molecules, NewMolecule,
    Patience, ReadyStep, ReadySteps, StepAsks, StepPack, StepReport, StepWork, Verification,
    WorkerStats, criteria_in, millis,
};
pub use windlass_notebook::{
    AnchorFolder, AnchorList, AnchorPlace, AnchorReport, AnchorRequest, Applied, ApplyRequest,
    Became, Checked, EditRequest, EntrySort, ExplainedAnchor, FirstRunbook, HandOverRequest,
    HandedEntry, HandedOver, ListFormat, ListPurpose, ListRequest, NewPlace, NotebookChange,
    NotebookDesk, NotebookService, PlaceNow, ReadPlace, RepairRequest, Repaired, RepairedAnchor,
    RunbookEntry, RunbookError, RunbookFile, RunbookPlace, RunbookReport, RunbookShelf,
    RunbookState, ShownAnchors, SuggestRequest, SuggestionList, SuggestionService, TextNow,
    UnfitPlace, anchors_by_folder,
};
pub use windlass_packs::context::{PackView, PrintedPack};
pub use windlass_packs::{
    CursorExpired, Ending, FittingPage, KeptPacks, ListPage, NotKept, Page, PageRequest,
    ViewRequest,
};
pub use windlass_plugin::{
    ExampleState, PluginPlace, PluginReport, PluginService, PluginStanding, PluginTrustReport,
    PluginUseError, TestedExample,
};
pub use windlass_runs::{
    Asked, CheckedDocument, Explanation, Part, ProgramFile, RecordedRunbook, Refresh,
    RefreshRequest, Replay, Resumption, RunChange, RunComparison, RunEnd, RunError, RunHead, RunId,
    RunList, RunPack, RunPages, RunPlan, RunRecord, RunRecords, RunSectionDiff, RunService,
    RunState, RunSummary, SecretsReport, SectionCell, SectionHistory, SectionRow, Standing,
    StartedProgram, StepSummary, TrustReport, TrustService, TrustState,
};
pub use windlass_site::{
    Environment, Error, ErrorKind, Explain, GITLEAKS_FILE, Health, HealthFinding, MissingFeature,
    PluginTrust, RouteTrust, SECRETS_FILE, Seeds, Site, SiteError, TrustRecord, mark_root,
};
pub use windlass_vcontext::{
    DocumentDraft, DocumentError, DocumentService, EventRequest, ForkRequest, Forked, ItemRequest,
    ItemWork, MergedVcontext, Recorded, lightest_tron,
};

pub use windlass_base as base;
pub use windlass_engine as engine;
pub use windlass_formula as formula;
pub use windlass_ledger as ledger;
pub use windlass_memory as memory;
pub use windlass_notebook as notebook;
pub use windlass_packs as packs;
pub use windlass_plan as plan;
pub use windlass_plugin as plugin;
pub use windlass_redact as redact;
pub use windlass_repo as repo;
pub use windlass_share as share;
pub use windlass_site as site;
pub use windlass_store as store;
pub use windlass_vcontext as vcontext;
