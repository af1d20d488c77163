//! Context packs have the minimum knowledge needed for a piece of work.
//!
//! A [`ContextPack`] states the goal, and the conditions under which the goal is reached. It has
//! the sections of the contract documents, recent changes, relevant files, and earlier decisions
//! and findings. Each part has an [`Origin`], so that we can find and verify it later.
//!
//! - [`ContextPack::seal`] gives a pack its id, a UUID derived from the digest of the contents.
//!   Packs with equal contents have equal ids, regardless of when and where they were made.
//! - [`trim`] selects the parts that fit a budget. It never drops the goal, the definition of done,
//!   the list of documents or the failures.
//! - [`EdgePayload`] passes a message from one node to another and refers to a pack.
//!
//! Apart from the store ([`KeptContextPacks`]), this module is pure: it never reads a file or the
//! clock, so equal inputs give equal packs. Unknown fields are preserved, because other tools may
//! have added them.

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
