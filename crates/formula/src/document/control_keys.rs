//! Control keys in metadata.
//!
//! Gas City gives a meaning to keys with certain prefixes, e.g. `gc.on_fail`. We honour some of
//! them, and issue a warning for all others: the author would otherwise believe that an instruction
//! is in force when nothing reads it.

use windlass_base::{Diagnostic, Severity};
use windlass_plan::quote::cut;
use windlass_plan::{Findings, Node};

/// The only agent allowed to claim the step.
///
/// For a step that a machine performs, it's a label that the machine needs instead.
pub(crate) const TARGET: &str = "gc.run_target";
/// Either `scope` for the step that represents a scope, or `cleanup` for its clean-up.
pub(crate) const KIND: &str = "gc.kind";
/// `body`, `setup`, `member` or `teardown`.
pub(crate) const ROLE: &str = "gc.scope_role";
/// The name of the step that represents the scope.
pub(crate) const SCOPE: &str = "gc.scope_ref";
/// `abort_scope` if a failure of the step should abort its scope.
pub(crate) const ON_FAIL: &str = "gc.on_fail";

/// The keys we honour.
///
/// No code reads `gc.scope_name`, since it's only a label for display, but there's no point in
/// warning about it either.
const HONOURED: [&str; 6] = [TARGET, KIND, ROLE, SCOPE, ON_FAIL, "gc.scope_name"];

/// The prefixes of control keys. Keys with `opt_` are options for an agent's provider.
const PREFIXES: [&str; 2] = ["gc.", "opt_"];

/// The fields to search for steps, advice and metadata.
///
/// We can't simply search all fields, since some of them allow any key. For example, the arguments
/// of a step kind may well contain a `metadata` of their own.
const PARTS: [&str; 10] = [
    "steps", "template", "children", "loop", "body", "advice", "before", "after", "around",
    "metadata",
];

/// Reports each control key without an effect in and below `node`. This is a warning, or an error
/// with `strict`.
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
            // In TOML, an unquoted `gc.kind` is a table `gc` with a key `kind`, so none of our keys
            // match.
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
