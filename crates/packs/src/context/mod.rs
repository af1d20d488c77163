//! Context packs: the least that somebody needs to know to do a piece of work.
//!
//! A [`ContextPack`] names the goal and what it takes to be done, the sections of documents that are the contract, what changed,
//! the files that matter, and what was decided and found before. Each part of it says where it comes from ([`Origin`]), so that
//! it can be found again, and whether it still holds.
//!
//! - [`ContextPack::seal`] gives a pack its name: a UUID made of the digest of its contents. The same contents have the same
//!   name, whenever and wherever they were put together;
//! - [`trim`] shows what fits into a budget, and never leaves out the goal, the definition of done, the documents, and what fails;
//! - [`EdgePayload`] is what passes between two nodes: a message, and a reference to a pack.
//!
//! Pure: values in, values out. This module must never read a file, look at the clock, or drop a field that it does not know.

mod context_diff;
mod context_text;
mod document_sections;
mod excerpt_lines;
mod kept_context_packs;
mod merge;
mod model;
mod printed_pack;
mod trim;

pub use self::context_diff::{PackDiff, PartChange, PartFate, diff};
pub use self::context_text::{Dress, render};
pub use self::document_sections::{Section, anchor_of, anchors_in, sections};
pub use self::excerpt_lines::{GAP, excerpt_of, hash_of_lines};
pub use self::kept_context_packs::{KeptContextPacks, OutsideResults};
pub use self::merge::{Arrived, JoinPolicy, JoinState, Joined, NotYet, join, merge};
pub(crate) use self::model::content_digest;
pub use self::model::{
    Approval, ArtifactKind, ArtifactRef, BudgetReport, Conflict, ContextPack, Cut, CutKind,
    Decision, Delta, DeltaFile, DocRef, EdgePayload, FileStatus, GlobalMode, NameSet, NodeMode,
    NotAPack, NotSealed, Origin, PackId, PackIdError, PackWorkspace, PayloadKind, PayloadMessage,
    PayloadRef, PayloadStatus, Priority, Profile, Provenance, RESOLVED_ITEM, Redaction,
    RedactionReport, RelevantFile, RunCount, SCHEMA_VERSION, Since, Source, SourceKind, SourceSpan,
    TestNames, TextFormat, ToolPolicy, ToolPolicyError, TruncationReport, WorkspaceMode,
    artifact_item, change_item, dangling_origins, decision_item, doc_item, failure_item, file_item,
    is_likely_pack, is_likely_payload, note_item, read_pack, read_payload, redaction_of, schemas,
};
pub use self::printed_pack::{PackView, PrintedPack};
pub use self::trim::{Group, Scale, TooSmall, trim};
