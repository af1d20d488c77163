//! `windlass impact`: evidence that the current change makes stale.

use std::path::Path;

use windlass::{ImpactRequest, Site};
use windlass_render::{impact_markdown, impact_sarif, impact_text};

use super::{Ended, print_data, tell_troubles};
use crate::args::{ImpactArgs, ImpactFormat, OutputFormat};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: ImpactArgs, screen: &Screen) -> Ended {
    let mut workspace = workspace(root)?;
    if args.format == ImpactFormat::Markdown {
        workspace = workspace.with(Site::called_at_the_root);
    }
    let here = here();
    let files = args.files.iter();
    let files = files.map(|name| workspace.site().files().path_from(name, &here));
    let impact = workspace.impact().of(&ImpactRequest {
        base: args.base,
        files: files.collect::<Result<_, _>>()?,
    });
    tell_troubles(&workspace, screen);
    let impact = impact?;
    match args.format {
        ImpactFormat::Text => screen.print_styled(&impact_text(&impact)),
        ImpactFormat::Markdown => screen.print(&impact_markdown(&impact)),
        ImpactFormat::Json => print_data(screen, OutputFormat::Json, &impact)?,
        ImpactFormat::Tron => print_data(screen, OutputFormat::Tron, &impact)?,
        ImpactFormat::Sarif => print_data(screen, OutputFormat::Json, &impact_sarif(&impact))?,
    }
    Ok(Exit::done_if(!impact.is_stale()))
}
