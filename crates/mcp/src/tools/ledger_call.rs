//! Tool calls on the ledger.

use serde_json::{Map, Value};
use windlass::LedgerSession;
use windlass::base::NextAction;

use crate::answer::Answered;
use crate::tool_call::Call;

/// Runs `work` on the repository's ledger as `actor`, and adds the ledger's warnings to the answer.
///
/// # Errors
/// Returns the errors of `work`, or an error if the ledger can't be opened.
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
    // If the session couldn't finish, the result of the work is worth nothing.
    finished?;
    let mut answer = done?;
    answer.note(warnings, call.limit);
    Ok(answer)
}

/// Returns a call of another action, with the repository and the actor of this call.
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
    call.keep_root(&mut args);
    NextAction::of_tool(tool, args, reason)
}
