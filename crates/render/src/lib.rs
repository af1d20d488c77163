//! Renders results as text for a screen, as Markdown for a comment, or as SARIF for a code host.
//! Each kind of result has its own file.
//!
//! The functions take values of the library, and return text or a
//! [`Styled`](windlass::packs::Styled). Text from elsewhere, such as a file name, may contain
//! newlines or terminal controls. These become harmless here if the text must stay on one line. The
//! printer scans the whole output for secrets later on. Packs, lists and recalls are rendered
//! elsewhere, since their contents depend on the budget.
//!
//! This crate must never print, query the library, or decide on access.

mod anchor_text;
mod bead_text;
mod capped_rows;
mod context_pack_text;
mod document_text;
mod finding_text;
mod fleet_text;
mod formula_text;
mod health_text;
mod ledger_text;
mod mail_text;
mod memory_text;
mod molecule_text;
mod notebook_text;
mod plan;
mod playbook_text;
mod plugin_text;
mod run_comparison_text;
mod run_text;
mod staleness;
mod status_text;
mod step_text;
mod trust_text;
mod uri_path;

pub use anchor_text::{explained_text, repaired_summary, repaired_text};
pub use bead_text::{
    bead_done, bead_line, bead_list, bead_text, export_line, import_text, reason_text,
};
pub use context_pack_text::{part_line, rebuilt_text};
pub use document_text::{
    checked_documents, conflict_line, difference_text, item_line, migration_line, more_rows,
};
pub use finding_text::{FindingText, more_findings};
pub use fleet_text::fleet_text;
pub use formula_text::{cooked_text, formula_list, formula_text};
pub use health_text::health_text;
pub use ledger_text::{
    agent_line, event_line, event_stats_text, hook_line, log_finding_line, route_line,
    trusted_route_line,
};
pub use mail_text::{inbox_text, mail_line, mail_sent, mail_text};
pub use memory_text::{
    feedback_line, fix_line, memory_findings, memory_stats_parts, memory_summary, next_line,
    remembered_lines, written_line,
};
pub use molecule_text::{
    mol_done, mol_finding, mol_line, mol_next, mol_progress, mol_text, other_phase,
};
pub use notebook_text::{
    exported_summary, handed_line, handed_states, imported_summary, kept_line,
    notebook_change_lines, notebook_change_summary, revision_line,
};
pub use plan::{
    PLAN_STYLE, PlanPart, StepStates, TooLargeToDraw, plan_dot, plan_json, plan_mermaid, plan_svg,
    plan_svg_part, plan_text,
};
pub use playbook_text::{duplicate_line, entry_text, playbook_summary, recorded_line, resolving};
pub use plugin_text::{built_plugin_line, plugin_line, plugin_text, tested_line};
pub use run_comparison_text::comparison_lines;
pub use run_text::{explanation_text, run_line, run_text};
pub use staleness::{
    citation_remark, impact_markdown, impact_sarif, impact_text, scan_markdown, scan_sarif,
    scan_summary, scan_text,
};
pub use status_text::{shared_text, status_text};
pub use step_text::{
    completion_text, drive_text, ready_line, step_done, step_next, step_prolonged, step_released,
    step_text, step_waiting, verification_text,
};
pub use trust_text::{
    plugin_trust_text, route_trust_text, secrets_text, trust_text, trusted_line,
    trusted_plugin_line, with_next,
};
pub use uri_path::uri_path;
