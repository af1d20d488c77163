//! Reports stale evidence, found either by the impact of a change or by a scan of citations. Each
//! report comes as text, as a Markdown comment for a proposed change, and as a SARIF log for code
//! hosts.

mod impact_markdown;
mod impact_sarif;
mod impact_text;
mod markdown_report;
mod sarif_log;
mod scan_markdown;
mod scan_sarif;
mod scan_text;

pub use impact_markdown::impact_markdown;
pub use impact_sarif::impact_sarif;
pub use impact_text::impact_text;
pub use scan_markdown::scan_markdown;
pub use scan_sarif::scan_sarif;
pub use scan_text::{citation_remark, scan_summary, scan_text};
