use serde_json::json;
use windlass::ledger::event::AgentStarted;
use windlass_render::agent_line;

use super::{Ended, print_either};
use crate::args::AgentCommand;
use crate::commands::command_context::CommandContext;
use crate::exit::Exit;

pub(crate) fn run(context: &CommandContext<'_>, command: AgentCommand) -> Ended {
    context.with("agent", |ledger| {
        let agent = match command {
            AgentCommand::Start {
                session,
                worktree,
                kind,
            } => ledger.agents().started(&AgentStarted {
                session_name: session,
                worktree,
                profile: kind,
                hooked_bead: None,
            }),
            AgentCommand::Work { bead } => ledger.agents().working(bead.as_deref()),
            AgentCommand::Idle { last_activity } => ledger.agents().idle(last_activity.as_deref()),
            AgentCommand::Stop { reason, exit_code } => {
                ledger.agents().stopped(reason.as_deref(), exit_code)
            }
            AgentCommand::List(format) => {
                let agents = ledger.state().agents();
                print_either(
                    context.screen,
                    format.format,
                    &json!({ "agents": agents }),
                    || {
                        let lines = agents.iter().map(|(name, agent)| agent_line(name, agent));
                        context.screen.print(&lines.collect::<String>());
                        if agents.is_empty() {
                            context.screen.say("no known agents");
                        }
                    },
                )?;
                return Ok(Exit::Done);
            }
        }?;
        let name = ledger.actor()?;
        context.screen.say(agent_line(name, &agent).trim_end());
        Ok(Exit::Done)
    })
}
