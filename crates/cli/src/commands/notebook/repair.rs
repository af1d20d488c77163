//! `windlass anchor repair`: pointers as they were and as they are, as a diff.

use windlass::{RepairRequest, Workspace};
use windlass_render::{repaired_summary, repaired_text};

use super::notebook_asked::mode;
use super::{Failure, print_data};
use crate::args::{AnchorRepairArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn repair(
    workspace: &Workspace,
    args: AnchorRepairArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let repaired = workspace.notebook().repair_anchors(&RepairRequest {
        ids: args.ids,
        edited: args.edited,
        mode: mode(args.dry_run),
    })?;
    match args.format {
        OutputFormat::Text => {
            screen.print_styled(&repaired_text(&repaired));
            screen.say(&repaired_summary(&repaired));
        }
        format => print_data(screen, format, &repaired)?,
    }
    Ok(if repaired.left.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    })
}
