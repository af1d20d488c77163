//! The data model of context packs and edge payloads.

mod artifact;
mod budget_report;
mod context_pack;
mod context_schemas;
mod delta;
mod edge_payload;
mod pack_id;
pub(super) mod pack_items;
mod part_origin;
mod profile;
mod read_pack;
mod redacted_parts;
pub(super) mod run_totals;
mod seal;
mod test_names;
mod tool_policy;

pub use self::artifact::{ArtifactKind, ArtifactRef};
pub use self::budget_report::{
    BudgetReport, Conflict, Cut, CutKind, Redaction, RedactionReport, TruncationReport,
};
pub use self::context_pack::{
    ContextPack, Decision, DocRef, GlobalMode, NodeMode, PackWorkspace, PayloadRef, Priority,
    RelevantFile, SCHEMA_VERSION, WorkspaceMode,
};
pub use self::context_schemas::schemas;
pub use self::delta::{Delta, DeltaFile, FileStatus, RunCount, Since};
pub use self::edge_payload::{EdgePayload, PayloadKind, PayloadMessage, PayloadStatus, TextFormat};
pub use self::pack_id::{PackId, PackIdError};
pub use self::pack_items::{
    RESOLVED_ITEM, artifact_item, change_item, dangling_origins, decision_item, doc_item,
    failure_item, file_item, note_item,
};
pub use self::part_origin::{Origin, Provenance, Source, SourceKind, SourceSpan};
pub use self::profile::Profile;
pub use self::read_pack::{NotAPack, is_likely_pack, is_likely_payload, read_pack, read_payload};
pub use self::redacted_parts::redaction_of;
pub use self::seal::NotSealed;
pub(crate) use self::seal::content_digest;
pub use self::test_names::{NameSet, TestNames};
pub use self::tool_policy::{Approval, ToolPolicy, ToolPolicyError};
