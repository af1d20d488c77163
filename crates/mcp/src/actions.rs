//! Tools with several actions.
//!
//! Such a tool, e.g. `bead`, has one schema for all of its actions. This keeps the list of tools
//! short, but the schema cannot say which arguments an action needs. That is what the lists here
//! are for: we check each call against those of its own action.

use serde_json::{Map, Value};
use windlass::base::did_you_mean;

use crate::tool_failure::Failure;

pub(crate) struct Action {
    pub(crate) name: &'static str,
    /// Names of the arguments that the action cannot do without, separated by spaces.
    needs: &'static str,
    takes: &'static str,
    /// True if the action changes nothing. A read-only server offers only such actions.
    reads: bool,
}

impl Action {
    pub(crate) const fn reads(
        name: &'static str,
        needs: &'static str,
        takes: &'static str,
    ) -> Self {
        Self {
            reads: true,
            ..Self::writes(name, needs, takes)
        }
    }

    pub(crate) const fn writes(
        name: &'static str,
        needs: &'static str,
        takes: &'static str,
    ) -> Self {
        Self {
            name,
            needs,
            takes,
            reads: false,
        }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let takes = self.takes.split_whitespace();
        self.needs.split_whitespace().chain(takes)
    }
}

/// Returns true if a server offers the argument `name`: for one of its actions, or for all.
pub(crate) fn offers(actions: &[Action], name: &str, only_reading: bool) -> bool {
    let takes = |action: &&Action| action.names().any(|known| known == name);
    let mut takers = actions.iter().filter(takes).peekable();
    // An argument that isn't in any of the lists belongs to all actions, e.g. `actor`.
    !only_reading || takers.peek().is_none() || takers.any(|action| action.reads)
}

pub(crate) fn names(actions: &[Action], only_reading: bool) -> Vec<&'static str> {
    let wanted = actions
        .iter()
        .filter(|action| !only_reading || action.reads);
    wanted.map(|action| action.name).collect()
}

const ALWAYS: [&str; 2] = ["action", "actor"];

/// Returns the action named in `arguments`, after checking the other arguments.
///
/// # Errors
/// Returns an error if there is no such action, a required argument is missing, or an argument is
/// not allowed.
pub(crate) fn chosen<'a>(
    actions: &'a [Action],
    arguments: &Map<String, Value>,
) -> Result<&'a Action, Failure> {
    let named = arguments
        .get("action")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let action = actions.iter().find(|action| action.name == named);
    // The schema lists the names, so we only get here if a client ignores the schema.
    let action = action.ok_or_else(|| Failure::Meaningless(format!("unknown action `{named}`")))?;
    let missing = action
        .needs
        .split_whitespace()
        .filter(|name| !arguments.contains_key(*name));
    let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
    if !missing.is_empty() {
        return Err(Failure::Meaningless(format!(
            "`{named}` needs {}",
            missing.join(", ")
        )));
    }
    let known = || action.names();
    let foreign = arguments
        .keys()
        .find(|name| known().chain(ALWAYS).all(|known| known != *name));
    match foreign {
        None => Ok(action),
        Some(name) => {
            let near = did_you_mean(name, known());
            let near = near.map_or(String::new(), |near| format!(" did you mean `{near}`?"));
            let takes: Vec<String> = known().map(|known| format!("`{known}`")).collect();
            Err(Failure::Meaningless(format!(
                "`{named}` takes no `{name}`;{near} it takes {}",
                if takes.is_empty() {
                    "nothing else".to_owned()
                } else {
                    takes.join(", ")
                }
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ACTIONS: [Action; 2] = [
        Action::writes("claim", "mol", "step lease"),
        Action::reads("list", "", ""),
    ];

    fn wrong(arguments: &Value) -> String {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        chosen(&ACTIONS, &arguments).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn action_checks_its_arguments() {
        assert_eq!(
            wrong(&json!({ "action": "claim", "mol": "x", "lease": "5m" })),
            ""
        );
        assert_eq!(wrong(&json!({ "action": "claim" })), "`claim` needs `mol`");
        assert_eq!(
            wrong(&json!({ "action": "claim", "mol": "x", "lese": 1 })),
            "`claim` takes no `lese`; did you mean `lease`? it takes `mol`, `step`, `lease`"
        );
        assert_eq!(
            wrong(&json!({ "action": "list", "mol": "x" })),
            "`list` takes no `mol`; it takes nothing else"
        );
    }

    #[test]
    fn only_reading_server_omits_writes() {
        assert_eq!(names(&ACTIONS, true), ["list"]);
        assert_eq!(names(&ACTIONS, false), ["claim", "list"]);
        let offered =
            |only_reading| ["mol", "actor"].map(|name| offers(&ACTIONS, name, only_reading));
        assert_eq!(offered(true), [false, true]);
        assert_eq!(offered(false), [true, true]);
    }
}
