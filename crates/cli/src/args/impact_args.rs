//! Arguments of `windlass impact`.

use clap::Args as ClapArgs;

use super::ReportFormat;

#[derive(Debug, ClapArgs)]
pub(crate) struct ImpactArgs {
    /// Only changes to these files and folders; all changes by default.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Base revision: check everything since this branch left it, such as `main` or `origin/main`; by default only
    /// uncommitted changes.
    #[arg(long, value_name = "REV")]
    pub(crate) base: Option<String>,
    /// Exit with code 0 if the only stale evidence are anchors whose text moved unchanged: `windlass anchor repair`
    /// follows it at any time.
    #[arg(long)]
    pub(crate) allow_moved: bool,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
}
