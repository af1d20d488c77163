//! `windlass anchor scan`: citations in documents, and their validity.

use windlass::base::{RepoPath, counted};
use windlass::{RepairDepth, Scan, ScanRequest, Workspace};
use windlass_render::scan_text;

use super::list_arguments::mode;
use super::{Ended, print_either};
use crate::args::AnchorScanArgs;
use crate::exit::Exit;
use crate::outside::here;
use crate::screen::Screen;

pub(super) fn scan(workspace: &Workspace, args: &AnchorScanArgs, screen: &Screen) -> Ended {
    let here = here();
    let documents = args.documents.iter();
    let documents: Vec<RepoPath> = documents
        .map(|name| workspace.site().files().path_from(name, &here))
        .collect::<Result<_, _>>()?;
    let depth = match args.edited {
        true => RepairDepth::Edited,
        false => RepairDepth::Moved,
    };
    let scan = workspace.citations().scan(&ScanRequest {
        documents,
        save: args.save,
        repair: args.repair.then_some(depth),
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
