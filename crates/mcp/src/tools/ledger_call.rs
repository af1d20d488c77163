//! Access to the ledger for tools.

use serde_json::{Map, Value};
use windlass::LedgerSession;
use windlass::base::NextAction;

use crate::answer::Answered;
use crate::tool_call::Call;

/// Runs `work` on the repository's ledger as `actor`.
///
/// # Errors
/// Those of `work`, and if the ledger cannot be opened.
pub(super) fn with_ledger(
    call: &Call<'_>,
    actor: Option<&str>,
    job: &'static str,
    work: impl FnOnce(&mut LedgerSession) -> Answered,
) -> Answered {
    call.check_room()?;
    let actor = actor.or(call.actor);
    let mut ledger = call.workspace.ledger().open(actor, job)?;
    let done = work(&mut ledger);
    let finished = ledger.finish();
    let warnings: Vec<String> = ledger.warnings().into_iter().map(str::to_owned).collect();
    finished?;
    let mut answer = done?;
    answer.note(warnings, call.limit);
    Ok(answer)
}

/// Returns a call of another action, in the same repository and with the same actor as this call.
pub(super) fn action(
    call: &Call<'_>,
    tool: &str,
    name: &str,
    own: &[(&str, &str)],
    reason: &str,
) -> NextAction {
    let mut args = Map::from_iter([("action".to_owned(), Value::from(name))]);
    for (name, value) in own {
        args.insert((*name).to_owned(), Value::from(*value));
    }
    if let Some(actor) = call.arguments.get("actor") {
        args.insert("actor".to_owned(), actor.clone());
    }
    if let Some(root) = call
        .workspace
        .site()
        .caller()
        .and_then(|caller| caller.root())
    {
        args.insert("root".to_owned(), Value::from(root));
    }
    NextAction::of_tool(tool, args, reason)
}
