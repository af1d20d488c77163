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
//! Pure: values in, values out. This crate must never read a file, look at the clock, or drop a field that it does not know.

mod count;
mod delta;
mod diff;
mod difference;
mod digest;
mod imports;
mod items;
mod join;
mod lines;
mod marks;
mod merge;
mod model;
mod origin;
mod owners;
mod pack_id;
mod payload;
mod profile;
mod read;
mod render;
mod report;
mod schema;
mod sections;
mod test_names;
mod text;
mod tool_policy;
mod trim;
mod words;

pub use delta::{Delta, DeltaFile, FileStatus, RunCount, Since};
pub use diff::{PackDiff, PartChange, PartFate, diff};
pub use difference::{Difference, difference};
pub use digest::{NotSealed, content_digest};
pub use imports::FileIndex;
pub use items::{
    RESOLVED_ITEM, artifact_item, change_item, dangling_origins, decision_item, doc_item,
    failure_item, file_item, note_item,
};
pub use join::{Arrived, JoinPolicy, JoinState, Joined, NotYet, join};
pub use marks::{differ_in_marks, marks_in, redaction_of, without_marks};
pub use merge::merge;
pub use model::{
    ArtifactKind, ArtifactRef, ContextPack, Decision, DocRef, GlobalMode, NodeMode, PackWorkspace,
    PayloadRef, Priority, RelevantFile, SCHEMA_VERSION, WorkspaceMode,
};
pub use origin::{Origin, Provenance, Source, SourceKind, SourceSpan};
pub use owners::Owners;
pub use pack_id::{PackId, PackIdError};
pub use payload::{EdgePayload, PayloadKind, PayloadMessage, PayloadStatus, TextFormat};
pub use profile::Profile;
pub use read::{NotAPack, is_likely_pack, is_likely_payload, read_pack, read_payload};
pub use render::{Dress, render};
pub use report::{
    BudgetReport, Conflict, Cut, CutKind, Redaction, RedactionReport, TruncationReport, Unit,
};
pub use schema::schemas;
pub use sections::{Section, anchor_of, anchors_in, scores, sections};
pub use test_names::{NameSet, TestNames};
pub use text::{GAP, excerpt_of, hash_of_lines};
pub use tool_policy::{Approval, ToolPolicy, ToolPolicyError};
pub use trim::{Budget, Group, Scale, TooSmall, trim};
pub use words::{names_in, words_of, written_words_of};
