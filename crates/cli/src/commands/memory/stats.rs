use windlass::Workspace;
use windlass_render::memory_stats_parts;

use super::{Ended, print_either};
use crate::args::FormatArgs;
use crate::screen::Screen;

pub(super) fn run(workspace: &Workspace, args: &FormatArgs, screen: &Screen) -> Ended {
    let stats = workspace.memory().memory_stats()?;
    print_either(screen, args.format, &stats, || {
        for part in memory_stats_parts(&stats) {
            screen.print(&part);
        }
    })
}
