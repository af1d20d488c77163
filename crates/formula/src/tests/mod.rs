//! Helpers for the tests of cooking.

mod bombs;
mod composition;
mod conditions;
mod defects;
mod gas_city;
mod language;
mod mistakes;
mod nothing_ignored;
mod properties;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use windlass_base::{Diagnostics, Severity};

use super::*;

/// Formats findings with everything that the user sees: place, rule, message, related places and
/// help.
pub(crate) fn shown(found: &Diagnostics) -> String {
    let mut text = String::new();
    for diagnostic in found.iter() {
        let place = match &diagnostic.place {
            Some(place) => place.to_string(),
            None => "nowhere".to_owned(),
        };
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        text += &format!(
            "{place}: {severity}[{}]: {}\n",
            diagnostic.rule, diagnostic.message
        );
        for (place, why) in &diagnostic.related {
            text += &format!("  see {place}: {why}\n");
        }
        if let Some(help) = &diagnostic.help {
            text += &format!("  help: {help}\n");
        }
    }
    text
}

/// Formulas by name, in place of a search path.
#[derive(Debug, Default)]
pub(super) struct Shelf(BTreeMap<String, String>);

impl Shelf {
    /// Names each text after its declared name.
    pub(super) fn of(texts: &[&str]) -> Self {
        let name = |text: &str| {
            let rest = text.split_once("formula = '").map_or("", |(_, rest)| rest);
            rest.split('\'').next().unwrap_or_default().to_owned()
        };
        Self(
            texts
                .iter()
                .map(|text| (name(text), (*text).to_owned()))
                .collect(),
        )
    }
}

impl FormulaLookup for Shelf {
    fn formula(&self, name: &str) -> Result<Option<FormulaText>, String> {
        let text = self.0.get(name);
        Ok(text.map(|text| FormulaText {
            file: format!("{name}.formula.toml"),
            bytes: text.as_bytes().to_vec(),
        }))
    }

    fn beside(&self, _: &str, path: &str) -> Result<Option<FormulaText>, String> {
        let known = ["steps/build.md", "../assets/{target}.check.md"];
        Ok(known.contains(&path).then(|| FormulaText {
            file: path.to_owned(),
            bytes: b"Build {{what}}.".to_vec(),
        }))
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

pub(super) fn options<'a>(vars: &[(&str, &str)]) -> CookOptions<'a> {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    CookOptions {
        vars: vars.iter().map(own).collect(),
        ..CookOptions::default()
    }
}

/// Cooks the first of several formulas. It can look up the others.
pub(super) fn cooked_with(
    texts: &[&str],
    options: &CookOptions<'_>,
) -> Result<CookedFormula, String> {
    let shelf = Shelf::of(texts);
    let first = FormulaText {
        file: "x.formula.toml".to_owned(),
        bytes: texts[0].as_bytes().to_vec(),
    };
    let result = cook_formula(&shelf, FormulaRef::Text(first), options);
    result
        .map(|(cooked, _)| cooked)
        .map_err(|found| shown(&found))
}

pub(super) fn cooked(texts: &[&str]) -> CookedFormula {
    match cooked_with(texts, &options(&[])) {
        Ok(cooked) => cooked,
        Err(found) => panic!("{found}"),
    }
}

/// The findings about the first of several formulas.
///
/// If it can be cooked, the text starts with `cooked` and only has warnings.
pub(super) fn refused(texts: &[&str]) -> String {
    let shelf = Shelf::of(texts);
    let first = FormulaText {
        file: "x.formula.toml".to_owned(),
        bytes: texts[0].as_bytes().to_vec(),
    };
    match cook_formula(&shelf, FormulaRef::Text(first), &options(&[])) {
        Ok((_, warnings)) => format!("cooked\n{}", shown(&warnings)),
        Err(found) => shown(&found),
    }
}

/// Formats the graph with one step per line, its needs and the reasons for them.
pub(super) fn graph_of(cooked: &CookedFormula) -> String {
    let mut text = String::new();
    for step in &cooked.steps {
        text += &step.id;
        let word = |need: &Need| {
            let kind = serde_json::to_value(need.kind).unwrap();
            format!("{} ({})", need.step, kind.as_str().unwrap())
        };
        let needs: Vec<_> = step.needs.iter().map(word).collect();
        if !needs.is_empty() {
            let _ = write!(text, " <- {}", needs.join(", "));
        }
        text.push('\n');
    }
    for gone in &cooked.left_out {
        let _ = writeln!(text, "without {}: {}", gone.id, gone.condition);
    }
    text
}

pub(super) fn graph(texts: &[&str]) -> String {
    graph_of(&cooked(texts))
}

pub(super) fn graph_with(texts: &[&str], vars: &[(&str, &str)]) -> String {
    match cooked_with(texts, &options(vars)) {
        Ok(cooked) => graph_of(&cooked),
        Err(found) => found,
    }
}

pub(super) fn formula(rest: &str) -> String {
    format!("formula = 'x'\n{rest}\n")
}

/// Builds the text of `[[steps]]`. Each line has the form `name: need need`, with further fields
/// after `|`.
pub(super) fn steps(lines: &str) -> String {
    listed("steps", lines)
}

pub(super) fn listed(field: &str, lines: &str) -> String {
    let mut text = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, fields) = line.split_once('|').unwrap_or((line, ""));
        let (name, needs) = head.split_once(':').unwrap_or((head, ""));
        let needs: Vec<_> = needs
            .split_whitespace()
            .map(|need| format!("'{need}'"))
            .collect();
        let name = name.trim();
        let _ = write!(text, "[[{field}]]\nid = '{name}'\ntitle = 'T'\n");
        if !needs.is_empty() {
            let _ = writeln!(text, "needs = [{}]", needs.join(", "));
        }
        for field in fields
            .split(" ; ")
            .map(str::trim)
            .filter(|field| !field.is_empty())
        {
            let _ = writeln!(text, "{field}");
        }
    }
    text
}
