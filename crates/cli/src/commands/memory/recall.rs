use windlass::{AlsoSource, RecallFormat, RecallRequest, Workspace};

use super::{Ended, Failure, limit};
use crate::args::{MemoryRecallArgs, OutputFormat};
use crate::exit::Exit;
use crate::screen::Screen;

pub(super) fn run(workspace: &Workspace, args: &MemoryRecallArgs, screen: &Screen) -> Ended {
    let also = args.also.iter().map(|word| AlsoSource::parse(word.trim()));
    let report = workspace.memory().recall(&RecallRequest {
        query: args.question.join(" "),
        matches: args.matches.get(),
        explain: args.explain,
        also: also.collect::<Result<_, _>>().map_err(Failure::Usage)?,
        limit: limit(&args.budget),
        format: match args.format {
            OutputFormat::Text => RecallFormat::Text,
            OutputFormat::Json => RecallFormat::Json,
            OutputFormat::Tron => RecallFormat::Tron,
        },
    })?;
    match args.format {
        OutputFormat::Text => screen.print(&report.printed),
        OutputFormat::Json | OutputFormat::Tron => screen.print_raw(&report.printed),
    }
    Ok(Exit::Done)
}
