//! `windlass anchor scan`: citations in documents, and their validity.

use windlass::base::counted;
use windlass::{RepairDepth, Scan, ScanRequest, Workspace};
use windlass_render::scan_text;

use super::list_arguments::mode;
use super::{Ended, print_either};
use crate::args::AnchorScanArgs;
use crate::commands::given_paths::places;
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn scan(workspace: &Workspace, args: &AnchorScanArgs, screen: &Screen) -> Ended {
    let depth = match args.edited {
        true => RepairDepth::Edited,
        false => RepairDepth::Moved,
    };
    let scan = workspace.citations().scan(&ScanRequest {
        documents: places(workspace, &args.documents)?,
        save: args.save,
        repair: args.fix.then_some(depth),
        mode: mode(args.dry_run),
    })?;
    print_either(screen, args.format, &scan, || {
        screen.print_styled(&scan_text(&scan));
        tell(&scan, screen);
    })?;
    Ok(Exit::done_if(!scan.is_stale()))
}

/// Prints the files and anchors that were written, or would be.
fn tell(scan: &Scan, screen: &Screen) {
    let (wrote, saved) = match scan.dry_run {
        true => ("would write", "would save"),
        false => ("wrote", "saved"),
    };
    for name in &scan.written {
        screen.say(&format!("{wrote} {name}"));
    }
    if !scan.saved.is_empty() {
        let anchors = counted(scan.saved.len(), "anchor");
        screen.say(&format!("{saved} {anchors}"));
    }
}
