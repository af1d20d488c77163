//! Turns a finished epic into a formula, so that its work can be repeated.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use windlass_base::{Diagnostics, slug};
use windlass_formula::{
    CookOptions, CookedFormula, FormulaRef, FormulaText, NoFormulas, cook_formula,
};
use windlass_ledger::bead::{Bead, BeadStatus, DependencyKind};
use windlass_ledger::{LedgerError, State, check_bead};

use windlass_site::Error;

use crate::Molecules;

/// A request to distill an epic into a formula.
#[derive(Debug, Clone, Default)]
pub struct DistillRequest {
    /// The epic's ID. Its descendants become steps, except for those that have children themselves.
    pub bead: String,
    /// The formula's name. By default, it is derived from the epic's title.
    pub name: Option<String>,
    /// Texts to replace with variables, by variable name. For example, `version: 1.2` replaces each
    /// `1.2` with `{{version}}`, and makes `1.2` the default.
    pub vars: BTreeMap<String, String>,
    /// True to make steps of open beads as well. Otherwise, they are an error, since the epic is
    /// not finished.
    pub open: bool,
}

impl Molecules<'_> {
    /// Writes the descendants of an epic as a formula in TOML. Blocking dependencies become
    /// `needs`.
    ///
    /// # Errors
    /// Returns an error if the bead does not exist or lacks children, if a descendant is open
    /// (unless `request.open` is set), or if the formula cannot be cooked.
    pub fn distill(&self, request: &DistillRequest) -> Result<String, Error> {
        let state = self.session.state();
        check_bead(state, &request.bead)?;
        let refuse = |why: String| Error::from(LedgerError::Invalid(why));
        let epic = state.beads.get(&request.bead);
        let epic = epic.ok_or_else(|| refuse(format!("`{}` cannot be read", request.bead)))?;
        let parts = parts_of(state, &epic.id);
        if parts.is_empty() {
            return Err(refuse(format!(
                "`{}` has no children to make steps of",
                epic.id
            )));
        }
        let open = parts.iter().find(|part| part.status != BeadStatus::Closed);
        if let Some(open) = open.filter(|_| !request.open) {
            return Err(refuse(format!(
                "`{}` of `{}` is {}: close it first, or include open beads with `--all`",
                open.id, epic.id, open.status
            )));
        }
        let text = toml_of(&epic, &parts, request);
        let source = FormulaText {
            file: format!("{}.formula.toml", epic.id),
            bytes: text.clone().into_bytes(),
        };
        let cooked = cook_formula(
            &NoFormulas,
            FormulaRef::Text(source),
            &CookOptions::default(),
        );
        // We only cook the formula to check it. If there's a problem, the user should hear about it
        // now and not when pouring it.
        let _: (CookedFormula, Diagnostics) = cooked.map_err(Error::document)?;
        Ok(text)
    }
}

fn parts_of(state: &State, id: &str) -> Vec<Bead> {
    let mut children: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (child, found) in state.beads.iter() {
        let parent = found
            .head()
            .and_then(|head| head.parent().map(str::to_owned));
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(child.to_owned());
        }
    }
    let (mut leaves, mut open, mut seen) = (Vec::new(), vec![id.to_owned()], BTreeSet::new());
    while let Some(next) = open.pop() {
        if !seen.insert(next.clone()) {
            continue;
        }
        match children.get(&next) {
            Some(inside) => open.extend(inside.iter().cloned()),
            None if next != id => leaves.push(next),
            None => {}
        }
    }
    leaves.sort_by_key(|id| natural_key(id));
    leaves.iter().filter_map(|id| state.beads.get(id)).collect()
}

fn natural_key(id: &str) -> Vec<(u64, String)> {
    // Compare numbers as numbers, so that `x.10` comes after `x.9`.
    let part = |part: &str| (part.parse().unwrap_or(u64::MAX), part.to_owned());
    id.split('.').map(part).collect()
}

/// Replaces the values of `vars` by their placeholders.
///
/// This takes one pass over the text, so that a value is not found in the name of a variable that
/// we have just inserted. Where several values match, the longest one wins.
fn with_placeholders(mut text: &str, vars: &BTreeMap<String, String>) -> String {
    let mut filled = String::new();
    loop {
        let values = vars.iter().filter(|(_, value)| !value.is_empty());
        let found = values.filter_map(|(name, value)| Some((text.find(value)?, name, value)));
        let first = found.min_by_key(|(at, _, value)| (*at, Reverse(value.len())));
        let Some((at, name, value)) = first else {
            return filled + text;
        };
        let _ = write!(filled, "{}{{{{{name}}}}}", &text[..at]);
        text = &text[at + value.len()..];
    }
}

fn toml_of(epic: &Bead, parts: &[Bead], request: &DistillRequest) -> String {
    let names = names_of(parts);
    let fill = |text: &str| with_placeholders(text, &request.vars);
    let name = request.name.clone();
    let name = name.unwrap_or_else(|| name_of(epic.full_title(), "distilled"));
    let mut text = format!(
        "formula = {}\ndescription = {}\nversion = 1\n",
        quoted(&name),
        quoted(&fill(match epic.description.as_str() {
            "" => epic.full_title(),
            description => description,
        }))
    );
    for (name, value) in &request.vars {
        let _ = write!(
            text,
            "\n[vars.{}]\ndefault = {}\n",
            quoted_key(name),
            quoted(value)
        );
    }
    for part in parts {
        let needs = part.dependencies.iter().filter(|dependency| {
            matches!(
                dependency.kind,
                DependencyKind::Blocks | DependencyKind::WaitsFor
            )
        });
        let needs: Vec<String> = needs
            .filter_map(|dependency| names.get(dependency.depends_on_id.as_str()))
            .map(|name| quoted(name))
            .collect();
        let _ = write!(
            text,
            "\n[[steps]]\nid = {}\ntitle = {}\ntype = {}\npriority = {}\n",
            quoted(&names[part.id.as_str()]),
            quoted(&fill(part.full_title())),
            quoted(part.issue_type.as_str()),
            part.priority
        );
        if !needs.is_empty() {
            let _ = writeln!(text, "needs = [{}]", needs.join(", "));
        }
        if !part.labels.is_empty() {
            let labels: Vec<String> = part.labels.iter().map(|label| quoted(label)).collect();
            let _ = writeln!(text, "labels = [{}]", labels.join(", "));
        }
        if !part.description.is_empty() {
            let _ = writeln!(text, "description = {}", quoted(&fill(&part.description)));
        }
    }
    // Formulas take text in double braces for a variable, and the epic may contain such text.
    // Declare these names without a value.
    let given = |name: &&str| request.vars.contains_key(*name);
    let late: BTreeSet<&str> = names_in_braces(&text).filter(|name| !given(name)).collect();
    let declared: String = late
        .iter()
        .map(|name| format!("\n[vars.{name}]\n"))
        .collect();
    text + &declared
}

fn names_in_braces(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("{{").skip(1);
    let names = parts.filter_map(|part| Some(part.split_once("}}")?.0.trim()));
    names.filter(|name| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        !name.is_empty() && name.chars().all(is_plain)
    })
}

fn names_of(parts: &[Bead]) -> BTreeMap<&str, String> {
    let (mut names, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for part in parts {
        let plain = name_of(part.full_title(), "step");
        let mut name = plain.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{plain}-{number}");
            number += 1;
        }
        names.insert(part.id.as_str(), name);
    }
    names
}

/// Maximum length of a name derived from a title, in characters.
const MAX_NAME: usize = 40;

fn name_of(title: &str, otherwise: &str) -> String {
    let name = slug(title, MAX_NAME);
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    match (name.is_empty(), begins_well) {
        (true, _) => otherwise.to_owned(),
        (_, true) => name,
        (_, false) => format!("{otherwise}-{name}"),
    }
}

/// Quotes `text` as a TOML string, on several lines if it contains line breaks. People edit these
/// files, so a description should stay readable.
fn quoted(text: &str) -> String {
    let lines = text.contains('\n');
    let mut quoted = String::from(if lines { "\"\"\"\n" } else { "\"" });
    for c in text.chars() {
        match c {
            '\n' => quoted.push('\n'),
            '\t' => quoted.push_str("\\t"),
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push_str(if lines { "\"\"\"" } else { "\"" });
    quoted
}

fn quoted_key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_is_not_searched_for_values() {
        let vars = [("region", "eu"), ("name", "region"), ("zone", "eu-1")];
        let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            with_placeholders("eu, eu-1: region", &BTreeMap::from(vars)),
            "{{region}}, {{zone}}: {{name}}"
        );
    }
}
