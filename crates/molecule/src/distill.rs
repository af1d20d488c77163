//! Turns a finished epic into a formula, so that its work can be repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use windlass_base::{Diagnostics, slug};
use windlass_formula::{
    CookOptions, CookedFormula, FormulaLookup, FormulaRef, FormulaText, cook_formula,
};
use windlass_ledger::bead::{Bead, BeadStatus, DependencyKind};
use windlass_ledger::{LedgerError, State, check_bead};

use windlass_site::Error;

use crate::Molecules;

/// Request to distill an epic into a formula.
#[derive(Debug, Clone, Default)]
pub struct DistillRequest {
    /// The epic's id. Its descendants become steps.
    pub bead: String,
    /// The formula's name. The default is derived from the epic's title.
    pub name: Option<String>,
    /// Values to replace with variables, by variable name.
    pub vars: BTreeMap<String, String>,
    /// True to include beads that are still open.
    pub open: bool,
}

/// Lookup that finds no formula, because a distilled formula refers to no others.
struct NoFormulas;

impl FormulaLookup for NoFormulas {
    fn formula(&self, _: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }
}

impl Molecules<'_> {
    /// Returns the descendants of an epic as a formula in TOML. Blocking dependencies become
    /// `needs`.
    ///
    /// # Errors
    /// Returns an error if the bead doesn't exist, has no children, or has an open descendant.
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
        let _: (CookedFormula, Diagnostics) = cooked.map_err(Error::document)?;
        Ok(text)
    }
}

/// Returns the descendants of bead `id` without children, in the natural order of their ids.
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

/// Sort key for the natural order of ids, where `x.10` follows `x.9`.
fn natural_key(id: &str) -> Vec<(u64, String)> {
    let part = |part: &str| (part.parse().unwrap_or(u64::MAX), part.to_owned());
    id.split('.').map(part).collect()
}

fn toml_of(epic: &Bead, parts: &[Bead], request: &DistillRequest) -> String {
    let names = names_of(parts);
    let fill = |text: &str| {
        let mut text = text.to_owned();
        for (name, value) in request.vars.iter().filter(|(_, value)| !value.is_empty()) {
            text = text.replace(value.as_str(), &format!("{{{{{name}}}}}"));
        }
        text
    };
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
    // Text in double braces would be read as a variable, so declare every such name without a
    // value.
    let given = |name: &&str| request.vars.contains_key(*name);
    let late: BTreeSet<&str> = names_in_braces(&text).filter(|name| !given(name)).collect();
    let declared: String = late
        .iter()
        .map(|name| format!("\n[vars.{name}]\n"))
        .collect();
    text + &declared
}

/// Iterates over the names in double braces.
fn names_in_braces(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("{{").skip(1);
    let names = parts.filter_map(|part| Some(part.split_once("}}")?.0.trim()));
    names.filter(|name| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        !name.is_empty() && name.chars().all(is_plain)
    })
}

/// Maps each bead id to a unique step name derived from the bead's title.
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

/// Quotes `text` as a TOML string, which spans several lines if `text` does.
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
