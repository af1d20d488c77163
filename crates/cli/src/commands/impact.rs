//! Reports evidence made stale by the current change (`windlass impact`).

use std::path::Path;

use windlass::ImpactRequest;
use windlass_render::{impact_markdown, impact_sarif, impact_text};

use super::{Ended, at_root_for_comment, print_data, tell_troubles};
use crate::args::{ImpactArgs, OutputFormat, ReportFormat};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: ImpactArgs, screen: &Screen) -> Ended {
    let workspace = at_root_for_comment(workspace(root)?, args.format);
    let here = here();
    let files = args.files.iter();
    let files = files.map(|name| workspace.site().files().path_from(name, &here));
    let impact = workspace.impact().of(&ImpactRequest {
        base: args.base,
        files: files.collect::<Result<_, _>>()?,
        allow_moved: args.allow_moved,
    });
    // Report these first, since they may be the reason for an error.
    tell_troubles(&workspace, screen);
    let impact = impact?;
    match args.format {
        ReportFormat::Text => screen.print_styled(&impact_text(&impact)),
        ReportFormat::Markdown => screen.print(&impact_markdown(&impact)),
        ReportFormat::Json => print_data(screen, OutputFormat::Json, &impact)?,
        ReportFormat::Tron => print_data(screen, OutputFormat::Tron, &impact)?,
        ReportFormat::Sarif => print_data(screen, OutputFormat::Json, &impact_sarif(&impact))?,
    }
    Ok(Exit::done_if(!impact.is_stale()))
}
