use serde_json::json;
use windlass::pack::harmless_line;
use windlass::work::event::AgentStarted;
use windlass::work::{Agent, AgentState};

use super::desk::Desk;
use super::{Failure, print_data};
use crate::args::{AgentCommand, OutputFormat};
use crate::exit::Exit;

pub(crate) fn run(desk: &Desk<'_>, command: AgentCommand) -> Result<Exit, Failure> {
    desk.with("agent", |ledger| {
        let agent = match command {
            AgentCommand::Start {
                session,
                worktree,
                profile,
            } => ledger.agent_started(AgentStarted {
                session_name: session,
                worktree,
                profile,
                hooked_bead: None,
            }),
            AgentCommand::Work { bead } => ledger.agent_working(bead.as_deref()),
            AgentCommand::Idle { last_activity } => ledger.agent_idle(last_activity.as_deref()),
            AgentCommand::Stop { reason, exit_code } => {
                ledger.agent_stopped(reason.as_deref(), exit_code)
            }
            AgentCommand::List(format) => {
                let agents = ledger.ledger().state().agents();
                match format.format {
                    OutputFormat::Text => {
                        let lines = agents.iter().map(|(name, agent)| line(name, agent));
                        desk.screen.print(&lines.collect::<String>());
                        if agents.is_empty() {
                            desk.screen.say("no agent was heard of");
                        }
                    }
                    format => print_data(desk.screen, format, &json!({ "agents": agents }))?,
                }
                return Ok(Exit::Done);
            }
        }?;
        let name = ledger.actor()?;
        desk.screen.say(line(name, &agent).trim_end());
        Ok(Exit::Done)
    })
}

fn line(name: &str, agent: &Agent) -> String {
    let state = match agent.state {
        AgentState::Started => "started",
        AgentState::Working => "working",
        AgentState::Idle => "idle",
        AgentState::Stopped => "stopped",
    };
    let bead = agent
        .bead_id
        .as_ref()
        .map(|bead| format!("  {bead}"))
        .unwrap_or_default();
    let note = agent
        .note
        .as_ref()
        .map(|note| format!("  {note}"))
        .unwrap_or_default();
    let line = format!("{name}  {state} since {}{bead}{note}", agent.since);
    format!("{}\n", harmless_line(&line))
}
