//! Tools with several actions. A tool such as `bead` has one schema for all of its actions, so the
//! schema cannot say which arguments an action needs. Each action lists them here, and a call is
//! checked against its list.

use serde_json::{Map, Value};
use windlass::base::did_you_mean;

use crate::tool_failure::Failure;

pub(crate) struct Action {
    pub(crate) name: &'static str,
    /// Arguments without which the action makes no sense.
    pub(crate) needs: &'static [&'static str],
    /// Optional arguments.
    pub(crate) takes: &'static [&'static str],
    /// True if the action changes nothing, so that a read-only server can offer it.
    pub(crate) reads: bool,
}

impl Action {
    /// Creates an action that only reads.
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

    /// Creates an action that writes.
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

/// Returns the actions' names, without those of writing actions if `only_reading`.
pub(crate) fn names(actions: &[Action], only_reading: bool) -> Vec<&'static str> {
    let wanted = actions
        .iter()
        .filter(|action| !only_reading || action.reads);
    wanted.map(|action| action.name).collect()
}

/// Arguments every action accepts.
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
    // The schema already lists the names, so this only happens with a client that ignores it.
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
