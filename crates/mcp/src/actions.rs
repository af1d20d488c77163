//! Tools with several actions, and the arguments of each action.

use serde_json::{Map, Value};
use windlass::base::did_you_mean;

use crate::tool_failure::Failure;

/// An action of a tool.
pub(crate) struct Action {
    /// Name of the action.
    pub(crate) name: &'static str,
    /// Names of required arguments.
    pub(crate) needs: &'static [&'static str],
    /// Names of optional arguments.
    pub(crate) takes: &'static [&'static str],
    /// True if the action changes nothing.
    pub(crate) reads: bool,
}

impl Action {
    /// Creates an action that changes nothing.
    pub(crate) const fn reads(
        name: &'static str,
        needs: &'static [&'static str],
        takes: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            needs,
            takes,
            reads: true,
        }
    }

    /// Creates an action that changes something.
    pub(crate) const fn writes(
        name: &'static str,
        needs: &'static [&'static str],
        takes: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            needs,
            takes,
            reads: false,
        }
    }
}

/// Returns the names of actions; only of reading ones if `only_reading`.
pub(crate) fn names(actions: &[Action], only_reading: bool) -> Vec<&'static str> {
    let wanted = actions
        .iter()
        .filter(|action| !only_reading || action.reads);
    wanted.map(|action| action.name).collect()
}

/// Arguments allowed with every action: the action itself, and the actor.
const ALWAYS: [&str; 2] = ["action", "actor"];

/// Returns the action named in `arguments`.
///
/// # Errors
/// If there is no such action, a required argument is missing, or an argument is not allowed.
pub(crate) fn chosen<'a>(
    actions: &'a [Action],
    arguments: &Map<String, Value>,
) -> Result<&'a Action, Failure> {
    let named = arguments
        .get("action")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let action = actions.iter().find(|action| action.name == named);
    // The schema knows the names.
    let action = action.ok_or_else(|| Failure::Meaningless(format!("unknown action `{named}`")))?;
    let missing = action
        .needs
        .iter()
        .filter(|name| !arguments.contains_key(**name));
    let missing: Vec<String> = missing.map(|name| format!("`{name}`")).collect();
    if !missing.is_empty() {
        return Err(Failure::Meaningless(format!(
            "`{named}` needs {}",
            missing.join(", ")
        )));
    }
    let known = || action.needs.iter().chain(action.takes).copied();
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
        Action {
            name: "claim",
            needs: &["mol"],
            takes: &["step", "lease"],
            reads: false,
        },
        Action {
            name: "list",
            needs: &[],
            takes: &[],
            reads: true,
        },
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
    fn names_only_reading_omits_writes() {
        assert_eq!(names(&ACTIONS, true), ["list"]);
        assert_eq!(names(&ACTIONS, false), ["claim", "list"]);
    }
}
