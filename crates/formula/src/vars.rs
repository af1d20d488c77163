//! Binds variables to values, and validates both the values and the declarations.

use std::collections::BTreeMap;

use regex::Regex;
use windlass_base::{Diagnostic, Place};
use windlass_plan::Findings;
use windlass_plan::quote::{cut, listed, near, near_hint};

use super::document::{Scalar, VarTable};
use super::placeholders::Values;
use super::{CookedVar, InputType, ValueFrom};

#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) table: VarTable,
    pub(crate) place: Place,
}

pub(crate) type Variables = BTreeMap<String, Variable>;

/// The origin of values, on which the position and the help text of errors depend.
#[derive(Debug, Clone, Copy)]
pub(crate) enum GivenBy<'a> {
    /// The values are from the caller.
    ///
    /// With `open`, more may follow later, so we accept missing ones.
    Caller { open: bool },
    /// The values are from a document, e.g. from the `vars` of an expansion.
    Document(&'a Place),
}

/// Maximum length of a value in bytes. A value gets copied into every text that mentions it.
const MAX_VALUE: usize = 1024 * 1024;

/// Binds each variable to the given value, its default or nothing, in this order. Problems are
/// added to `found`.
pub(crate) fn bind(
    variables: &Variables,
    given: &BTreeMap<String, String>,
    by: GivenBy<'_>,
    found: &mut Findings,
) -> BTreeMap<String, CookedVar> {
    if let GivenBy::Document(place) = by {
        for name in undeclared(variables, given).keys() {
            found.push(unknown(name, variables).at(place.clone()));
        }
    }
    let mut bound = BTreeMap::new();
    for (name, variable) in variables {
        let given = given.get(name);
        let default = variable.table.default.as_ref();
        // For a formula used by another document, its own author has to fix this.
        if let (Some(Scalar(default)), Some(true)) = (default, variable.table.required)
            && matches!(by, GivenBy::Caller { .. })
        {
            warn_of_required(name, default, variable, found);
        }
        let (value, from) = match (given, default) {
            (Some(value), _) => (Some(value.clone()), ValueFrom::Given),
            (None, Some(Scalar(value))) => (Some(value.clone()), ValueFrom::Default),
            (None, None) => (None, ValueFrom::Unset),
        };
        if let Some(value) = &value {
            let place = match (by, from) {
                (GivenBy::Document(place), ValueFrom::Given) => place,
                _ => &variable.place,
            };
            check(name, value, from, variable, place, found);
        }
        let description = variable.table.description.clone().unwrap_or_default();
        let bound_var = CookedVar {
            value,
            from,
            description,
        };
        bound.insert(name.clone(), bound_var);
    }
    if !matches!(by, GivenBy::Caller { open: true }) {
        report_missing(variables, &bound, by, found);
    }
    bound
}

pub(crate) fn values(bound: &BTreeMap<String, CookedVar>) -> Values {
    let own = |(name, var): (&String, &CookedVar)| (name.clone(), var.value.clone());
    bound.iter().map(own).collect()
}

pub(crate) fn undeclared(
    variables: &Variables,
    given: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let own = given
        .iter()
        .filter(|(name, _)| !variables.contains_key(*name));
    own.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Finds undeclared names in `given` that resemble a declared one, since these are probably typos.
pub(crate) fn misspelt<'g>(
    variables: &Variables,
    given: &'g BTreeMap<String, String>,
) -> Vec<&'g str> {
    let names = given.keys().filter(|name| !variables.contains_key(*name));
    let is_near = |name: &&String| near(name, variables.keys().map(String::as_str)).is_some();
    names.filter(is_near).map(String::as_str).collect()
}

pub(crate) fn unknown(name: &str, variables: &Variables) -> Diagnostic {
    let message = format!("the formula has no variable `{}`", cut(name));
    let names = || variables.keys().map(String::as_str);
    let help = match near(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if variables.is_empty() => "the formula has no variables: remove the value".to_owned(),
        None => format!("known variables: {}", listed(names())),
    };
    Diagnostic::error("unknown-variable", message).help(help)
}

fn warn_of_required(name: &str, default: &str, variable: &Variable, found: &mut Findings) {
    let message = format!(
        "variable `{}` is both required and has the default `{}`, which is used if no value is given",
        cut(name),
        cut(default)
    );
    found.push(
        Diagnostic::warning("required-default", message)
            .at(variable.place.clone())
            .help("remove one of the two"),
    );
}

fn report_missing(
    variables: &Variables,
    bound: &BTreeMap<String, CookedVar>,
    by: GivenBy<'_>,
    found: &mut Findings,
) {
    let has_value = |name: &str| {
        let value = bound.get(name).and_then(|var| var.value.as_deref());
        value.is_some_and(|value| !value.is_empty())
    };
    for (name, variable) in variables {
        let table = &variable.table;
        let others: Vec<&str> = table
            .required_unless
            .iter()
            .flatten()
            .map(|other| other.value.as_str())
            .collect();
        // `required_unless` takes precedence. An empty value doesn't count as one here.
        let required = match others.as_slice() {
            [] => table.required == Some(true) && table.default.is_none(),
            others => !others.iter().any(|other| has_value(other)),
        };
        if !required || has_value(name) {
            continue;
        }
        let name = cut(name);
        let mut message = format!("variable `{name}` needs a value");
        if !others.is_empty() {
            message += &format!(", unless {} has one", listed(others.iter().copied()));
        }
        let about = table
            .description
            .as_deref()
            .map(|text| format!(" ({})", cut(text)));
        let about = about.unwrap_or_default();
        let (place, help) = match by {
            GivenBy::Caller { .. } => (&variable.place, format!("pass `--var {name}=…`{about}")),
            GivenBy::Document(place) => (
                place,
                format!("set it here: `vars = {{ {name} = \"…\" }}`{about}"),
            ),
        };
        found.push(
            Diagnostic::error("missing-variable", message)
                .at(place.clone())
                .help(help),
        );
    }
}

/// Checks a value against the declaration of its variable.
///
/// We skip empty defaults, and empty values of optional variables: both are the usual way to say
/// that there is no value.
fn check(
    name: &str,
    value: &str,
    from: ValueFrom,
    variable: &Variable,
    place: &Place,
    found: &mut Findings,
) {
    if value.is_empty() && (from == ValueFrom::Default || variable.table.required != Some(true)) {
        return;
    }
    let whose = match from {
        ValueFrom::Default => "the default of variable",
        _ => "the value of variable",
    };
    let mut wrong = |rule, what: String, help: String| {
        let message = format!("{whose} `{}` {what}", cut(name));
        found.push(
            Diagnostic::error(rule, message)
                .at(place.clone())
                .help(help),
        );
    };
    let shown = cut(value);
    if value.len() > MAX_VALUE {
        let help = "put long texts into files and pass their names".to_owned();
        return wrong(
            "variable-value",
            format!("has {} bytes, more than 1 MiB", value.len()),
            help,
        );
    }
    let table = &variable.table;
    if let Some(kind) = table.kind
        && let Some(expected) = InputType::from(kind).misfit(value)
    {
        wrong(
            "variable-type",
            format!("is `{shown}`, not {expected}"),
            format!("use {expected}"),
        );
    }
    let allowed = table.allowed.as_deref().unwrap_or_default();
    if !allowed.is_empty() && !allowed.iter().any(|Scalar(allowed)| allowed == value) {
        let words = || allowed.iter().map(|Scalar(word)| word.as_str());
        let help = near_hint(value, words())
            .unwrap_or_else(|| format!("allowed values: {}", listed(words())));
        wrong(
            "variable-enum",
            format!("is `{shown}`, which is not an allowed value"),
            help,
        );
    }
    // `check_definitions` reports invalid patterns.
    if let Some(pattern) = &table.pattern
        && let Ok(regex) = Regex::new(&pattern.value)
        && !regex.is_match(value)
    {
        let help = "use a value that matches".to_owned();
        wrong(
            "variable-pattern",
            format!("is `{shown}`, which does not match `{}`", cut(pattern)),
            help,
        );
    }
}

pub(crate) fn check_definitions(variables: &Variables, found: &mut Findings) {
    for (name, variable) in variables {
        let place =
            |start: u32, end: u32| Place::new(&variable.place.source, start as usize..end as usize);
        if name.is_empty()
            || name.contains(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'))
        {
            let message = format!("`{}` is not a variable name", cut(name));
            found.push(
                Diagnostic::error("variable-name", message)
                    .at(variable.place.clone())
                    .help("use letters, digits and `_`"),
            );
        }
        if let Some(pattern) = &variable.table.pattern
            && let Err(error) = Regex::new(&pattern.value)
        {
            // The `regex` crate formats its error over several lines, which show the pattern. The
            // reason is in the last one.
            let error = error.to_string();
            let error = error
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            let message = format!(
                "the pattern of variable `{}` is not a regular expression: {error}",
                cut(name)
            );
            found.push(
                Diagnostic::error("variable-pattern", message)
                    .at(place(pattern.start, pattern.end)),
            );
        }
        for other in variable.table.required_unless.iter().flatten() {
            if !variables.contains_key(&other.value) {
                let message = format!("`{}` is not a variable of the formula", cut(other));
                let mut diagnostic = Diagnostic::error("unknown-variable", message)
                    .at(place(other.start, other.end));
                let names = variables.keys().map(String::as_str);
                diagnostic.help = near_hint(other, names);
                found.push(diagnostic);
            }
        }
    }
}
