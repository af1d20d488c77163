//! Checks the citations in documents (`windlass anchor scan`).

use windlass::base::counted;
use windlass::notebook::EditMode;
use windlass::{RepairDepth, Scan, ScanRequest, Workspace};
use windlass_render::{scan_markdown, scan_sarif, scan_text};

use super::{Ended, print_data};
use crate::args::{AnchorScanArgs, OutputFormat, ReportFormat};
use crate::commands::at_root_for_comment;
use crate::commands::given_paths::places;
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn scan(workspace: &Workspace, args: &AnchorScanArgs, screen: &Screen) -> Ended {
    let depth = match args.edited {
        true => RepairDepth::Edited,
        false => RepairDepth::Moved,
    };
    let asked = at_root_for_comment(workspace.clone(), args.format);
    let scan = asked.citations().scan(&ScanRequest {
        documents: places(workspace, &args.documents)?,
        save: args.save,
        repair: args.fix.then_some(depth),
        mode: EditMode::of(args.dry_run),
    })?;
    match args.format {
        ReportFormat::Text => {
            screen.print_styled(&scan_text(&scan));
            tell(&scan, screen);
        }
        ReportFormat::Markdown => screen.print(&scan_markdown(&scan)),
        ReportFormat::Json => print_data(screen, OutputFormat::Json, &scan)?,
        ReportFormat::Tron => print_data(screen, OutputFormat::Tron, &scan)?,
        ReportFormat::Sarif => print_data(screen, OutputFormat::Json, &scan_sarif(&scan))?,
    }
    Ok(Exit::done_if(!scan.is_stale()))
}

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
