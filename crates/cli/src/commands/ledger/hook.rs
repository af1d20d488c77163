use serde_json::json;
use windlass::HookReport;
use windlass_render::hook_line;

use super::{Ended, print_result};
use crate::args::{HookCommand, OutputFormat};
use crate::commands::command_context::CommandContext;
use crate::exit::Exit;
use crate::screen::Screen;

pub(crate) fn run(context: &CommandContext<'_>, command: HookCommand) -> Ended {
    match command {
        HookCommand::Set {
            agent,
            what,
            replace,
            format,
        } => context.with("hook set", |ledger| {
            let hook = ledger.hooks().set(&agent, &what, replace)?;
            show(context.screen, format.format, &[hook])
        }),
        HookCommand::Show { agent, format } => context.with("hook show", |ledger| {
            let hooks = ledger.hooks().list(agent.as_deref());
            if hooks.is_empty() && format.format == OutputFormat::Text {
                context.screen.say("no hook has an assignment");
            }
            show(context.screen, format.format, &hooks)
        }),
        HookCommand::Check(format) => context.with("hook check", |ledger| {
            let found = ledger.hooks().check()?;
            let hooks: Vec<HookReport> = found.into_iter().collect();
            show(context.screen, format.format, &hooks)?;
            if hooks.is_empty() {
                context
                    .screen
                    .say(&format!("the hook of {} is empty", ledger.actor()?));
                return Ok(Exit::NotFound);
            }
            Ok(Exit::Done)
        }),
        HookCommand::Clear { agent } => context.with("hook clear", |ledger| {
            let agent = match agent {
                Some(agent) => agent,
                None => ledger.actor()?.to_owned(),
            };
            match ledger.hooks().clear(&agent)? {
                true => context.screen.say(&format!("cleared the hook of {agent}")),
                false => context
                    .screen
                    .say(&format!("the hook of {agent} was empty")),
            }
            Ok(Exit::Done)
        }),
    }
}

fn show(screen: &Screen, format: OutputFormat, hooks: &[HookReport]) -> Ended {
    let text = || hooks.iter().map(hook_line).collect();
    print_result(screen, format, &json!({ "hooks": hooks }), text)
}
