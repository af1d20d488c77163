//! Repairs anchors and prints a diff of old and new pointers (`windlass anchor repair`).

use windlass::notebook::EditMode;
use windlass::{RepairRequest, Workspace};
use windlass_render::{repaired_summary, repaired_text};

use super::{Ended, print_either};
use crate::args::AnchorRepairArgs;
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn repair(workspace: &Workspace, args: AnchorRepairArgs, screen: &Screen) -> Ended {
    let repaired = workspace.notebook().repair_anchors(&RepairRequest {
        ids: args.ids,
        edited: args.edited,
        mode: EditMode::of(args.dry_run),
    })?;
    print_either(screen, args.format, &repaired, || {
        screen.print_styled(&repaired_text(&repaired));
        screen.say(&repaired_summary(&repaired));
    })?;
    Ok(Exit::done_if(repaired.left.is_empty()))
}
