//! Shows the state of the repository, and what to do next (`windlass status`).

use windlass::status;
use windlass_render::status_text;

use super::command_context::CommandContext;
use super::{Ended, print_result, tell_troubles};
use crate::args::OutputFormat;

pub(crate) fn run(context: &CommandContext<'_>, format: OutputFormat) -> Ended {
    let workspace = context.workspace()?;
    let mut status = status(&workspace, context.actor)?;
    status.next = context.next_action(&workspace, status.next);
    tell_troubles(&workspace, context.screen);
    print_result(context.screen, format, &status, || status_text(&status))
}
