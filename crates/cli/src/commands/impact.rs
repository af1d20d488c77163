//! `windlass impact`: what the change at hand makes stale.

use std::path::Path;

use windlass::ImpactRequest;

use super::{Failure, print_data, tell_troubles};
use crate::args::{ImpactArgs, ImpactFormat, OutputFormat};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: ImpactArgs, screen: &Screen) -> Result<Exit, Failure> {
    let mut workspace = workspace(root)?;
    if args.format == ImpactFormat::Markdown {
        workspace = workspace.called_at_the_root();
    }
    let here = here();
    let files = args.files.iter();
    let files = files.map(|name| workspace.path_from(name, &here));
    let impact = workspace.impact(&ImpactRequest {
        base: args.base,
        files: files.collect::<Result<_, _>>()?,
    });
    tell_troubles(&workspace, screen);
    let impact = impact?;
    match args.format {
        ImpactFormat::Text => screen.print_styled(&impact.to_text()),
        ImpactFormat::Markdown => screen.print(&impact.to_markdown()),
        ImpactFormat::Json => print_data(screen, OutputFormat::Json, &impact)?,
        ImpactFormat::Tron => print_data(screen, OutputFormat::Tron, &impact)?,
        ImpactFormat::Sarif => print_data(screen, OutputFormat::Json, &impact.to_sarif())?,
    }
    Ok(if impact.is_stale() {
        Exit::Failed
    } else {
        Exit::Done
    })
}
