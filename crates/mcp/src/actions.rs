//! Tools that do several things: what each of them takes.

use serde_json::{Map, Value};
use windlass::base::did_you_mean;

use crate::tool_failure::Failure;

/// One of the things that a tool does.
pub(crate) struct Action {
    /// What it is called.
    pub(crate) name: &'static str,
    /// What it cannot do without.
    pub(crate) needs: &'static [&'static str],
    /// What else it takes.
    pub(crate) takes: &'static [&'static str],
    /// Whether it changes nothing.
    pub(crate) reads: bool,
}

impl Action {
    /// One that changes nothing.
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

    /// One that changes something.
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

/// The names of actions; of those that change nothing, if asked for.
pub(crate) fn names(actions: &[Action], only_reading: bool) -> Vec<&'static str> {
    let wanted = actions
        .iter()
        .filter(|action| !only_reading || action.reads);
    wanted.map(|action| action.name).collect()
}

/// What may be said with every action: which is meant, and who acts.
const ALWAYS: [&str; 2] = ["action", "actor"];

/// The action that `arguments` name, if they say what it needs, and nothing that it does not take.
///
/// # Errors
/// When they do not.
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
    let action =
        action.ok_or_else(|| Failure::Meaningless(format!("there is no action `{named}`")))?;
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
    fn an_action_says_what_it_needs_and_takes() {
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
    fn who_only_reads_is_told_of_nothing_else() {
        assert_eq!(names(&ACTIONS, true), ["list"]);
        assert_eq!(names(&ACTIONS, false), ["claim", "list"]);
    }
}
