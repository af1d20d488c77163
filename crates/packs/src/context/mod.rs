//! Context packs, which contain the minimum knowledge that is needed for a piece of work.
//!
//! A [`ContextPack`] contains the goal and its definition of done, the sections of documents that form the contract,
//! changes, relevant files, earlier decisions and findings. Each part records its origin ([`Origin`]), so that it can
//! be found and verified again.
//!
//! - [`ContextPack::seal`] gives a pack its id, which is a UUID derived from the digest of its contents. Equal contents
//!   have equal ids, regardless of time and place.
//! - [`trim`] selects the parts that fit a budget. It never omits the goal, the definition of done, the list of
//!   documents, and failures.
//! - [`EdgePayload`] is passed between two nodes. It contains a message and refers to a pack.
//!
//! Apart from the store ([`KeptContextPacks`]), this module is pure. It must never read a file, read the clock, or
//! drop an unknown field.

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
