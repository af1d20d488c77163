use serde_json::json;
use windlass::HookReport;
use windlass_render::hook_line;

use super::{Ended, print_result};
use crate::args::{HookCommand, OutputFormat};
use crate::commands::desk::Desk;
use crate::exit::Exit;
use crate::screen::Screen;

pub(crate) fn run(desk: &Desk<'_>, command: HookCommand) -> Ended {
    match command {
        HookCommand::Set {
            agent,
            what,
            replace,
            format,
        } => desk.with("hook set", |ledger| {
            let hook = ledger.hooks().set(&agent, &what, replace)?;
            show(desk.screen, format.format, &[hook])
        }),
        HookCommand::Show { agent, format } => desk.with("hook show", |ledger| {
            let hooks = ledger.hooks().list(agent.as_deref());
            if hooks.is_empty() && format.format == OutputFormat::Text {
                desk.screen.say("nothing is on any hook that was asked for");
            }
            show(desk.screen, format.format, &hooks)
        }),
        HookCommand::Check(format) => desk.with("hook check", |ledger| {
            let found = ledger.hooks().check()?;
            let hooks: Vec<HookReport> = found.into_iter().collect();
            show(desk.screen, format.format, &hooks)?;
            if hooks.is_empty() {
                desk.screen
                    .say(&format!("nothing is on the hook of {}", ledger.actor()?));
                return Ok(Exit::NotFound);
            }
            Ok(Exit::Done)
        }),
        HookCommand::Clear { agent } => desk.with("hook clear", |ledger| {
            let agent = match agent {
                Some(agent) => agent,
                None => ledger.actor()?.to_owned(),
            };
            match ledger.hooks().clear(&agent)? {
                true => desk.screen.say(&format!("cleared the hook of {agent}")),
                false => desk
                    .screen
                    .say(&format!("nothing was on the hook of {agent}")),
            }
            Ok(Exit::Done)
        }),
    }
}

fn show(screen: &Screen, format: OutputFormat, hooks: &[HookReport]) -> Ended {
    let text = || hooks.iter().map(hook_line).collect();
    print_result(screen, format, &json!({ "hooks": hooks }), text)
}
