use std::collections::BTreeMap;

use windlass::Workspace;
use windlass::base::counted;
use windlass::pack::harmless_line;

use super::{Failure, print_data};
use crate::args::{FormatArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn run(
    workspace: &Workspace,
    args: &FormatArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let stats = workspace.memory_stats()?;
    if args.format != OutputFormat::Text {
        print_data(screen, args.format, &stats)?;
        return Ok(Exit::Done);
    }
    let list = |counts: &BTreeMap<&'static str, usize>| {
        let counts = counts.iter().map(|(word, count)| format!("{count} {word}"));
        counts.collect::<Vec<_>>().join(", ")
    };
    if let Some(scope) = &stats.scope {
        screen.print(&format!("{}\n", harmless_line(scope)));
    }
    for (kind, counts) in &stats.records {
        screen.print(&format!("{kind}: {}\n", list(counts)));
    }
    screen.print(&format!(
        "impressions: {}; {}\n",
        match stats.impressions.is_empty() {
            true => "none".to_owned(),
            false => list(&stats.impressions),
        },
        counted(stats.keywords, "keyword")
    ));
    if stats.faulty_lines + stats.unrouted > 0 {
        screen.print(&format!(
            "{} set aside, {} that no impression leads to; `windlass memory check` names them\n",
            counted(stats.faulty_lines, "line"),
            counted(stats.unrouted, "record")
        ));
    }
    if !stats.unreadable.is_empty() {
        screen.print(&format!(
            "cannot be read: {}; `windlass memory check` says why\n",
            harmless_line(&stats.unreadable.join(", "))
        ));
    }
    if !stats.feedback.is_empty() {
        let learned = &stats.learned;
        screen.print(&format!(
            "feedback: {}; {}, bounds moved by {} (weak) and {} (strong) thousandths\n",
            list(&stats.feedback),
            counted(learned.ties, "tie"),
            learned.weak_shift,
            learned.strong_shift
        ));
    }
    Ok(Exit::Done)
}
