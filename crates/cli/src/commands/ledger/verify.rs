use windlass::criteria_in;
use windlass::ledger::event::VerifyOutcome;
use windlass::packs::harmless;

use super::{Ended, print_result};
use crate::args::VerifyArgs;
use crate::commands::command_context::{CommandContext, interruptible, text_of};
use crate::exit::Exit;
use windlass_render::verification_text;

pub(crate) fn run(context: &CommandContext<'_>, args: &VerifyArgs) -> Ended {
    let mut criteria = Vec::new();
    for given in &args.criteria {
        let text = text_of(given.clone())?;
        // A criterion is either JSON or just a text, which we turn into JSON.
        let is_json = text.trim_start().starts_with(['{', '[', '"']);
        let text = if is_json {
            text
        } else {
            serde_json::Value::String(text).to_string()
        };
        criteria.extend(criteria_in(&text)?);
    }
    let (target, allow) = (args.target.as_str(), args.allow_commands);
    context.with_molecules("verify", |molecules| {
        molecules.session().actor()?;
        let found = interruptible(async |stop| match &args.step {
            Some(step) => molecules.verifier().step(target, step, allow, &stop).await,
            None => {
                molecules
                    .verifier()
                    .bead(target, &criteria, allow, &stop)
                    .await
            }
        })?;
        print_result(context.screen, args.format.format, &found, || {
            harmless(&verification_text(&found))
        })?;
        Ok(match found.verdict {
            VerifyOutcome::Fail => Exit::Failed,
            VerifyOutcome::Pass | VerifyOutcome::NeedsHuman => Exit::Done,
        })
    })
}
