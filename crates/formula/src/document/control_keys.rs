//! Control keys in metadata.
//!
//! Gas City gives a meaning to keys with certain prefixes. We honour some of them and report all
//! others, so that no instruction gets lost silently.

use windlass_base::{Diagnostic, Severity};
use windlass_plan::quote::cut;
use windlass_plan::{Findings, Node};

/// The only agent that may claim the step. If a machine runs the step, it's a label the machine
/// needs.
pub(crate) const TARGET: &str = "gc.run_target";
/// `scope` for the scope itself and `cleanup` for its clean-up.
pub(crate) const KIND: &str = "gc.kind";
/// The step's role in its scope: `body`, `setup`, `member` or `teardown`.
pub(crate) const ROLE: &str = "gc.scope_role";
/// The step that represents the scope.
pub(crate) const SCOPE: &str = "gc.scope_ref";
/// `abort_scope` if a failure of the step aborts its scope.
pub(crate) const ON_FAIL: &str = "gc.on_fail";

/// The keys we honour. The last one is only a label for people.
const HONOURED: [&str; 6] = [TARGET, KIND, ROLE, SCOPE, ON_FAIL, "gc.scope_name"];

/// Prefixes of control keys. Those with `opt_` are options for an agent's provider.
const PREFIXES: [&str; 2] = ["gc.", "opt_"];

/// Parts of a formula that hold steps, advice or metadata. We don't look into others, such as the
/// arguments of a step kind, where any key is allowed.
const PARTS: [&str; 10] = [
    "steps", "template", "children", "loop", "body", "advice", "before", "after", "around",
    "metadata",
];

/// Reports each control key below `node` that has no effect. These are warnings, or errors if
/// `strict` is set.
pub(super) fn report(node: Node<'_>, strict: bool, found: &mut Findings) {
    for item in node.items() {
        report(item, strict, found);
    }
    for (name, part) in node.fields().filter(|(name, _)| PARTS.contains(name)) {
        if name != "metadata" {
            report(part, strict, found);
            continue;
        }
        for (key, value) in part.fields().filter(|(key, _)| !HONOURED.contains(key)) {
            // TOML reads an unquoted dot as a table.
            let is_table = key == "gc" && value.value().is_object();
            if is_table || PREFIXES.iter().any(|prefix| key.starts_with(prefix)) {
                found.push(finding(key, value, is_table, strict));
            }
        }
    }
}

fn finding(key: &str, value: Node<'_>, is_table: bool, strict: bool) -> Diagnostic {
    let message = match is_table {
        true => "the metadata table `gc` has no effect".to_owned(),
        false => format!("metadata `{}` has no effect", cut(key)),
    };
    let help = match is_table {
        true => format!("put each key in quotes: `\"{TARGET}\" = …`"),
        false => {
            "remove it, or leave it for Gas City: the metadata of the step keeps it".to_owned()
        }
    };
    let mut diagnostic = Diagnostic::error("no-effect", message)
        .at(value.key_place())
        .help(help);
    if !strict {
        diagnostic.severity = Severity::Warning;
    }
    diagnostic
}
