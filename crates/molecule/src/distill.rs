//! A finished epic as a formula, so that what was done once can be done again.

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

/// What a formula is distilled from, and how.
#[derive(Debug, Clone, Default)]
pub struct DistillRequest {
    /// The epic: its parts become steps.
    pub bead: String,
    /// What the formula is called; after its title if not given.
    pub name: Option<String>,
    /// Texts that another time will be others, by the names of the variables that stand for them.
    pub vars: BTreeMap<String, String>,
    /// Whether parts that are open are taken as well.
    pub open: bool,
}

/// Nothing else is looked up.
struct Nothing;

impl FormulaLookup for Nothing {
    fn formula(&self, _: &str) -> Result<Option<FormulaText>, String> {
        Ok(None)
    }
}

impl Molecules<'_> {
    /// The parts of an epic as the TOML of a formula, in which each needs what it waited for.
    ///
    /// # Errors
    /// When there is no such bead, it has no parts, or one of them is open.
    pub fn distill(&self, request: &DistillRequest) -> Result<String, Error> {
        let state = self.session.state();
        check_bead(state, &request.bead)?;
        let refuse = |why: String| Error::from(LedgerError::Invalid(why));
        let epic = state.beads.get(&request.bead);
        let epic = epic.ok_or_else(|| refuse(format!("`{}` cannot be read", request.bead)))?;
        let parts = parts_of(state, &epic.id);
        if parts.is_empty() {
            return Err(refuse(format!(
                "`{}` has no parts: nothing to make steps of",
                epic.id
            )));
        }
        let open = parts.iter().find(|part| part.status != BeadStatus::Closed);
        if let Some(open) = open.filter(|_| !request.open) {
            return Err(refuse(format!(
                "`{}` of `{}` is {}: what is distilled has been done; `--open` takes it all the same",
                open.id, epic.id, open.status
            )));
        }
        let text = toml_of(&epic, &parts, request);
        let source = FormulaText {
            file: format!("{}.formula.toml", epic.id),
            bytes: text.clone().into_bytes(),
        };
        let cooked = cook_formula(&Nothing, FormulaRef::Text(source), &CookOptions::default());
        let _: (CookedFormula, Diagnostics) = cooked.map_err(Error::document)?;
        Ok(text)
    }
}

/// The parts of a bead that have no parts themselves, in the order of their ids as people count.
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
    leaves.sort_by_key(|id| counted(id));
    leaves.iter().filter_map(|id| state.beads.get(id)).collect()
}

/// An id so that `x.10` comes after `x.9`.
fn counted(id: &str) -> Vec<(u64, String)> {
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
    text
}

/// What each part is called as a step: after its title, each once.
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

/// The longest name that is made of a title, in characters.
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

/// A text as TOML has it, over several lines where it has some.
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
