use windlass::pack::harmless;
use windlass::work::event::VerifyOutcome;
use windlass::{LedgerDesk, criteria_in};

use super::desk::{Desk, interruptible, text_of};
use super::{Failure, print_data};
use crate::args::{OutputFormat, VerifyArgs};
use crate::exit::Exit;
use windlass::verification_text;

pub(crate) fn run(desk: &Desk<'_>, args: &VerifyArgs) -> Result<Exit, Failure> {
    let workspace = desk.workspace()?;
    let mut criteria = Vec::new();
    for given in &args.criteria {
        let text = text_of(given.clone())?;
        let is_json = text.trim_start().starts_with(['{', '[', '"']);
        let text = if is_json {
            text
        } else {
            serde_json::Value::String(text).to_string()
        };
        criteria.extend(criteria_in(&text)?);
    }
    let (target, allow) = (args.target.as_str(), args.allow_commands);
    desk.with("verify", |ledger: &mut LedgerDesk| {
        ledger.actor()?;
        let found = interruptible(async |stop| match &args.step {
            Some(step) => {
                ledger
                    .verify_step(&workspace, target, step, allow, &stop)
                    .await
            }
            None => {
                ledger
                    .verify_bead(&workspace, target, &criteria, allow, &stop)
                    .await
            }
        })?;
        match args.format.format {
            OutputFormat::Text => desk.screen.print(&harmless(&verification_text(&found))),
            format => print_data(desk.screen, format, &found)?,
        }
        Ok(match found.verdict {
            VerifyOutcome::Fail => Exit::Failed,
            VerifyOutcome::Pass | VerifyOutcome::NeedsHuman => Exit::Done,
        })
    })
}
