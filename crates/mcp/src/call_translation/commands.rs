//! The table of commands, with the tool calls that do the same.

use serde_json::{Map, Value, json};
use windlass::base::NextAction;
use windlass::packs::context::Profile;

use super::with_calls;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Listener<'a> {
    /// The repository, as the caller has named it.
    pub(crate) root: Option<&'a str>,
    /// Filter for the calls that the caller may make, or `None` if it may make any.
    can_make: Option<fn(&NextAction) -> bool>,
}

impl<'a> Listener<'a> {
    pub(crate) fn new(root: Option<&'a str>, can_make: Option<fn(&NextAction) -> bool>) -> Self {
        Self { root, can_make }
    }

    fn can_make(self, call: &NextAction) -> bool {
        self.can_make.is_none_or(|can_make| can_make(call))
    }
}

/// Returns the tool call that does the same as `command` in the caller's repository.
///
/// There may be none, either because no tool does that, or because only the user may decide about
/// the command.
pub(crate) fn translate(command: &NextAction, to: Listener<'_>) -> Option<NextAction> {
    let mut words = Words::of(command);
    let (tool, own) = match &*command.tool {
        "run" => ("runbook_pack", words.run()?),
        "notebook show" | "anchor list" => ("notebook_pack", words.list()),
        "anchor check" => ("anchor", acting("check", words.with(IDS, &[]))),
        "anchor show" => ("anchor", acting("show", words.with(IDS, &[]))),
        "impact" => ("anchor", acting("impact", words.with(None, &["base"]))),
        "anchor repair" => ("anchor_repair", words.with(IDS, &["edited"])),
        "anchor add" => ("notebook_edit", words.add()?),
        "anchor remove" => ("notebook_edit", words.remove()?),
        "suggest" | "notebook suggest" => ("notebook_suggest", words.suggest()),
        "notebook apply" => (
            "notebook_suggest",
            acting("apply", words.with(IDS, &["digest"])),
        ),
        "notebook import" => (
            "notebook_suggest",
            acting("import", words.with(IDS, &["replace"])),
        ),
        "notebook rollback" => ("notebook_suggest", words.rollback()?),
        "pack show" => ("context_pack", words.whole_pack()?),
        "pack rebuild" => ("context_pack", words.first("rebuild", "pack")?),
        "memory recall" => ("recall", words.recall()?),
        "doc check" => ("document", words.first("check", "file")?),
        "doc show" | "doc playbook show" => ("document", words.first("show", "file")?),
        "bead list" | "bead ready" => ("bead", words.named(&command.tool)),
        "mol list" | "mol ready" => ("molecule", words.named(&command.tool)),
        _ => return None,
    };
    let mut args = own;
    // These arguments are common to all tools that have them at all.
    for name in ["dry_run", "max_chars", "max_tokens", "cursor"] {
        if let Some(value) = words.options.remove(name) {
            args.insert(name.to_owned(), value);
        }
    }
    if let Some(root) = to.root {
        args.insert("root".to_owned(), Value::from(root));
    }
    let call = NextAction::of_tool(tool, args, with_calls(&command.reason, to));
    to.can_make(&call).then_some(call)
}

/// The arguments of a command. Methods take out those that a tool has an equivalent for.
struct Words {
    positional: Vec<Value>,
    options: Map<String, Value>,
}

type Args = Map<String, Value>;

const IDS: Option<&str> = Some("ids");

impl Words {
    fn of(command: &NextAction) -> Self {
        let mut options = command.args.clone();
        let positional = match options.remove("args") {
            Some(Value::Array(list)) => list,
            _ => Vec::new(),
        };
        Self {
            positional,
            options,
        }
    }

    /// The positional arguments as `list`, and those of `options` that were given.
    fn with(&mut self, list: Option<&str>, options: &[&str]) -> Args {
        let mut args = Args::new();
        if let Some(name) = list.filter(|_| !self.positional.is_empty()) {
            let all = std::mem::take(&mut self.positional);
            args.insert(name.to_owned(), Value::Array(all));
        }
        for name in options {
            self.hand_on(name, name, &mut args);
        }
        args
    }

    /// Moves an option into `args`, under the name that the tool has for it.
    fn hand_on(&mut self, theirs: &str, ours: &str, args: &mut Args) {
        if let Some(value) = self.options.remove(theirs) {
            args.insert(ours.to_owned(), value);
        }
    }

    /// Arguments for running a runbook. No tool can run a part of one or refer to an earlier run,
    /// so we do not translate commands that do.
    fn run(&mut self) -> Option<Args> {
        if ["from", "only", "allow_commands"]
            .iter()
            .any(|name| self.options.contains_key(*name))
        {
            return None;
        }
        let mut args = Args::new();
        self.hand_on("response_mode", "mode", &mut args);
        if let Some(name) = self.positional.first() {
            args.insert("runbook".to_owned(), name.clone());
        }
        let given = self.options.remove("input").into_iter().flat_map(as_list);
        let given = given.filter_map(|pair| {
            let (name, value) = pair.as_str()?.split_once('=')?;
            Some((name.to_owned(), Value::from(value)))
        });
        let given: Map<String, Value> = given.collect();
        if !given.is_empty() {
            args.insert("inputs".to_owned(), Value::Object(given));
        }
        Some(args)
    }

    fn list(&mut self) -> Args {
        let mut args = self.with(IDS, &[]);
        for (theirs, ours) in [
            ("kind", "kinds"),
            ("tag", "tags"),
            ("status", "states"),
            ("zone", "zones"),
        ] {
            if let Some(value) = self.options.remove(theirs) {
                args.insert(ours.to_owned(), Value::Array(as_list(value)));
            }
        }
        args
    }

    fn recall(&mut self) -> Option<Args> {
        let words = self.positional.iter().filter_map(Value::as_str);
        let query = words.collect::<Vec<_>>().join(" ");
        let mut args = Args::new();
        self.hand_on("limit", "matches", &mut args);
        args.insert("query".to_owned(), Value::from(query.as_str()));
        (!query.is_empty()).then_some(args)
    }

    /// Arguments for `action`, with the first positional word as `name`.
    fn first(&self, action: &str, name: &str) -> Option<Args> {
        let word = self.positional.first().cloned()?;
        Some(acting(action, [(name.to_owned(), word)]))
    }

    /// Arguments for showing a pack in full. If the command has no limit, it gets that of
    /// [`Profile::DeepFailure`].
    fn whole_pack(&mut self) -> Option<Args> {
        let mut args = self.first("show", "pack")?;
        let has_limit = ["max_chars", "max_tokens"]
            .iter()
            .any(|name| self.options.contains_key(*name));
        if !has_limit {
            let whole = Profile::DeepFailure.max_tokens();
            args.insert("max_tokens".to_owned(), Value::from(whole));
        }
        Some(args)
    }

    /// Arguments for a tool whose action is the second word of `command`, e.g. `ready` of `mol
    /// ready`.
    fn named(&self, command: &str) -> Args {
        let action = command.rsplit(' ').next().unwrap_or_default();
        let mol = self.positional.first().cloned();
        acting(action, mol.map(|mol| ("mol".to_owned(), mol)))
    }

    fn add(&mut self) -> Option<Args> {
        let mut words = std::mem::take(&mut self.positional).into_iter();
        let mut anchor = json!({ "id": words.next()? });
        let places: Vec<Value> = words.collect();
        if places.is_empty() {
            return None;
        }
        anchor["at"] = Value::Array(places);
        for (theirs, ours) in [("kind", "kind"), ("title", "label")] {
            if let Some(value) = self.options.remove(theirs) {
                anchor[ours] = value;
            }
        }
        for (name, list) in [("tag", "tags"), ("zone", "zone")] {
            if let Some(value) = self.options.remove(name) {
                anchor[list] = Value::Array(as_list(value));
            }
        }
        Some(operations(vec![
            json!({ "op": "upsert_anchor", "anchor": anchor }),
        ]))
    }

    fn remove(&mut self) -> Option<Args> {
        let ids = std::mem::take(&mut self.positional).into_iter();
        let all = ids.map(|id| json!({ "op": "delete_anchor", "id": id }));
        let all: Vec<Value> = all.collect();
        (!all.is_empty()).then(|| operations(all))
    }

    fn suggest(&mut self) -> Args {
        // `--apply` may be just a flag, which applies all suggestions.
        if let Some(apply) = self.options.remove("apply") {
            let named = (!apply.is_boolean()).then(|| ("ids".to_owned(), as_list(apply).into()));
            let given = self.with(None, &["digest"]);
            return acting("apply", named.into_iter().chain(given));
        }
        let mut args = acting("preview", self.list());
        args.remove("ids");
        args
    }

    fn rollback(&mut self) -> Option<Args> {
        // In a command that we've parsed from a message, the number is still a string.
        let revision = match self.positional.first()? {
            Value::Number(number) => Value::Number(number.clone()),
            Value::String(text) => Value::from(text.parse::<u64>().ok()?),
            _ => return None,
        };
        Some(acting("rollback", [("revision".to_owned(), revision)]))
    }
}

fn acting(action: &str, own: impl IntoIterator<Item = (String, Value)>) -> Args {
    let action = ("action".to_owned(), Value::from(action));
    std::iter::once(action).chain(own).collect()
}

fn operations(all: Vec<Value>) -> Args {
    Args::from_iter([("operations".to_owned(), Value::Array(all))])
}

fn as_list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list,
        one => vec![one],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::callable;

    fn called(command: &NextAction) -> Option<String> {
        translate(command, Listener::default()).map(|call| call.written_out())
    }

    #[test]
    fn command_becomes_call() {
        let run = NextAction::new("run", "x")
            .positional("api")
            .option("input", vec!["focus=a=b"])
            .option("response_mode", "full")
            .option("format", "json")
            .option("max_chars", 900);
        assert_eq!(
            called(&run).as_deref(),
            Some(
                r#"runbook_pack {"mode":"full","runbook":"api","inputs":{"focus":"a=b"},"max_chars":900}"#
            )
        );
        let add = NextAction::new("anchor add", "x")
            .positional("a")
            .positional("f.rs:1-2");
        assert_eq!(
            called(&add.option("title", "A")).as_deref(),
            Some(
                r#"notebook_edit {"operations":[{"op":"upsert_anchor","anchor":{"id":"a","at":["f.rs:1-2"],"label":"A"}}]}"#
            )
        );
        let apply = NextAction::new("suggest", "x").option("apply", vec!["a"]);
        assert_eq!(
            called(&apply.option("digest", "d")).as_deref(),
            Some(r#"notebook_suggest {"action":"apply","ids":["a"],"digest":"d"}"#)
        );
        let list = NextAction::new("notebook show", "x").option("kind", "ci");
        assert_eq!(
            called(&list).as_deref(),
            Some(r#"notebook_pack {"kinds":["ci"]}"#)
        );
    }

    #[test]
    fn command_for_people_is_no_call() {
        for command in ["trust", "plan", "notebook export", "mol drive"] {
            assert_eq!(called(&NextAction::new(command, "x").positional("a")), None);
        }
        let forced = NextAction::new("run", "x")
            .positional("a")
            .option("allow_commands", true);
        assert_eq!(called(&forced), None);
    }

    #[test]
    fn call_keeps_the_named_root() {
        let check = translate(
            &NextAction::new("anchor check", "x"),
            Listener::new(Some("/a"), None),
        )
        .unwrap();
        assert_eq!(
            check.written_out(),
            r#"anchor {"action":"check","root":"/a"}"#
        );
    }

    #[test]
    fn reading_caller_gets_no_writes() {
        let reader = Listener::new(None, callable(true));
        let translated = |command: &str| translate(&NextAction::new(command, "x"), reader);
        assert!(translated("anchor check").is_some());
        assert!(translated("notebook suggest").is_some());
        assert!(translated("anchor repair").is_none());
        let apply = NextAction::new("suggest", "x").option("apply", true);
        assert!(translate(&apply, reader).is_none());
    }
}
