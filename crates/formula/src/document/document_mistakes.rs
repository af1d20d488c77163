//! Explains frequent mistakes in formulas more precisely than a schema can.

use windlass_base::Diagnostic;
use windlass_plan::quote::{cut, near};
use windlass_plan::{Mismatch, Node};

/// The fields that make up the graph.
///
/// A misspelled one is always an error, even though we otherwise only warn about unknown fields: if
/// we ignored `neds`, the step would start too early.
const STRUCTURE: &str = "needs depends_on waits_for condition children gate loop expand on_complete drain uses extends \
    steps template compose advice legs body";

/// Frequent wrong names.
///
/// Each line consists of a group, the wrong name, and the correct name or a help text. New entries
/// can be added to the file without touching the code.
const FIELD_WORDS: &str = include_str!("field_words.txt");

fn meant(sort: &str, name: &str) -> Option<&'static str> {
    let rules = FIELD_WORDS
        .lines()
        .filter_map(|line| line.strip_prefix(sort));
    let mut rules = rules.filter_map(|rule| rule.trim_start().split_once(' '));
    let (_, meant) = rules.find(|(known, _)| *known == name)?;
    Some(meant)
}

/// Converts a schema mismatch to a finding.
///
/// If it's an unknown field that can't influence the graph, we reduce it to a warning.
pub(super) fn finding(root: Node<'_>, mismatch: Mismatch) -> Diagnostic {
    let (path, unknown) = (mismatch.path.clone(), mismatch.rule == "unknown-field");
    let mut diagnostic = mismatch.into_finding(root);
    if diagnostic.rule == "missing-field" {
        // The help text is written for YAML, but formulas are usually TOML.
        let help = diagnostic.help.take();
        diagnostic.help = help.map(|help| help.replacen(": …`", " = …`", 1));
        return diagnostic;
    }
    let Some(name) = path.last() else {
        return diagnostic;
    };
    if unknown {
        let nameless = path.len() == 1 && root.get("formula").is_none();
        return unknown_field(diagnostic, &path, (name, nameless));
    }
    if diagnostic.rule == "wrong-type"
        && let Some(help) = wrong_shape(root.nearest(&path), name)
    {
        diagnostic.help = Some(help);
    }
    diagnostic
}

/// `nameless` is true for a top-level field of a formula without a name, because the field may be
/// the author's way to write the name (`id = "release"`).
fn unknown_field(
    mut diagnostic: Diagnostic,
    path: &[String],
    (name, nameless): (&str, bool),
) -> Diagnostic {
    // `Depends-On` is as frequent a slip as a wrong word.
    let lower = name.to_lowercase().replace('-', "_");
    let in_step = path.len() > 1;
    if let Some(help) = meant("unsupported", &lower) {
        diagnostic.rule = "unsupported";
        diagnostic.message = format!("field `{}` is not supported", cut(name));
        diagnostic.help = Some(help.to_owned());
        return diagnostic;
    }
    // At the top level, words such as `if` or `items` don't stand for fields of a step, so only
    // look at `inherits` there.
    let structure = meant("structure", &lower).filter(|_| in_step || lower == "inherits");
    if let Some(meant) = structure.or_else(|| near(&lower, STRUCTURE.split_whitespace())) {
        let message = format!(
            "there is no field `{}`, and ignoring it could change the steps or their order",
            cut(name)
        );
        diagnostic.message = message;
        diagnostic.help = Some(format!("did you mean `{meant}`?"));
        return diagnostic;
    }
    let identity = meant("identity", &lower).filter(|_| nameless);
    if let Some(meant) = identity.or_else(|| meant("other", &lower)) {
        diagnostic.help = Some(format!("did you mean `{meant}`?"));
    }
    diagnostic.severity = windlass_base::Severity::Warning;
    diagnostic
}

fn wrong_shape(node: Node<'_>, name: &str) -> Option<String> {
    let value = node.value();
    match name {
        "steps" | "template" | "legs" | "aspects" | "advice" | "pointcuts" if value.is_object() => {
            Some(format!("write `[[{name}]]` before each entry"))
        }
        "vars" | "inputs" if value.is_array() => {
            Some(format!("write `[{name}.NAME]` for each entry"))
        }
        "version" if value.is_string() => Some("remove the quotes: `version = 1`".to_owned()),
        "needs" | "depends_on" | "extends" | "aspects" | "labels" if value.is_string() => {
            Some(format!("write a list: `[{value}]`"))
        }
        "description" | "title" if value.is_array() => {
            Some("write one text, in `\"\"\"` if it has several lines".to_owned())
        }
        _ => None,
    }
}

/// Recognizes `[formula]`, the most frequent mistake, which authors know from other formats.
///
/// The schema would report a mismatch for nearly every field in that case. We return a single error
/// instead, which shows the two or three lines to write.
pub(super) fn formula_is_a_table(root: Node<'_>) -> Option<Diagnostic> {
    let table = root
        .get("formula")
        .filter(|node| node.value().is_object())?;
    let known = ["id", "name", "formula"].iter();
    let name = known
        .filter_map(|key| table.get(key)?.value().as_str())
        .next();
    let others: Vec<_> = table
        .fields()
        .map(|(name, _)| name)
        .filter(|name| !["id", "name", "formula"].contains(name))
        .map(|name| format!("`{}`", cut(name)))
        .collect();
    let mut help = format!(
        "write `formula = \"{}\"` at the top, without brackets",
        cut(name.unwrap_or("NAME"))
    );
    if !others.is_empty() {
        help += &format!(", and {} beside it", others.join(", "));
    }
    let message = "`formula` is the name of the formula, not a table";
    Some(
        Diagnostic::error("formula-table", message)
            .at(table.key_place())
            .help(help),
    )
}
