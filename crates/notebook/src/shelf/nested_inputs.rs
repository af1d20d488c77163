//! Checks the inputs that a step passes to a nested runbook.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use windlass_base::Diagnostic;
use windlass_plan::{
    Given, InputError, InputSpec, Plan, Reference, Target, bind_inputs, find_references,
};

/// An input that does not fit the nested runbook.
pub(super) struct Misfit {
    /// The input's name. This is `None` if the input is missing.
    pub(super) given: Option<String>,
    pub(super) finding: Diagnostic,
}

/// Finds the inputs in `with` that do not fit, for a step of `outer` that runs `inner`.
///
/// A reference has no value before the run, so we can only check its type, and even that only if it
/// refers to an input.
pub(super) fn misfits(outer: &Plan, inner: &Plan, with: &Value) -> Vec<Misfit> {
    let none = Map::new();
    let given = match with.get("inputs") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(given)) if Reference::from_value(&with["inputs"]).is_none() => given,
        // We can't know the fields of a reference to a whole object. Anything else violates the
        // step's schema, which is checked elsewhere.
        Some(_) => return Vec::new(),
    };
    let specs = inner.inputs();
    let spec = |name: &str| specs.iter().find(|spec| spec.name == name);
    let mut misfits = Vec::new();
    let mut known = BTreeMap::new();
    let mut open: Vec<&str> = Vec::new();
    for (name, value) in given {
        match spec(name) {
            Some(spec) if !find_references(value).is_empty() => {
                open.push(name);
                misfits.extend(wrong_type(outer, inner, spec, value));
            }
            _ => {
                known.insert(name.clone(), Given::Json(value.clone()));
            }
        }
    }
    let errors = bind_inputs(specs, known).err().unwrap_or_default();
    for error in errors {
        let misfit = match &error {
            // The input is given, but by a reference.
            InputError::Missing { name, .. } if open.contains(&name.as_str()) => continue,
            InputError::Missing { name, description } => missing(inner, name, description),
            InputError::Unknown { name, .. }
            | InputError::Type { name, .. }
            | InputError::NotAllowed { name, .. } => Misfit {
                given: Some(name.clone()),
                finding: finding(inner, &error.to_string()),
            },
        };
        misfits.push(misfit);
    }
    misfits
}

/// Reports a reference to an input of another type.
///
/// With a path or a default, the type of the result is not known in advance.
fn wrong_type(outer: &Plan, inner: &Plan, spec: &InputSpec, value: &Value) -> Option<Misfit> {
    let reference = Reference::from_value(value)?.ok()?;
    let Target::Input(name) = &reference.target else {
        return None;
    };
    let handed = outer.inputs().iter().find(|spec| spec.name == *name)?;
    if !reference.path.is_empty() || reference.default.is_some() || handed.kind == spec.kind {
        return None;
    }
    let message = format!(
        "input `{}` must be of type {}, and `{}` is of type {}",
        spec.name,
        spec.kind.as_str(),
        reference.text,
        handed.kind.as_str()
    );
    Some(Misfit {
        given: Some(spec.name.clone()),
        finding: finding(inner, &message),
    })
}

fn missing(inner: &Plan, name: &str, description: &str) -> Misfit {
    let about = match description {
        "" => String::new(),
        text => format!(" ({text})"),
    };
    let finding = finding(inner, &format!("input `{name}` is required{about}"));
    Misfit {
        given: None,
        finding: finding.help(format!("give it in `with`: `inputs: {{ {name}: … }}`")),
    }
}

fn finding(inner: &Plan, message: &str) -> Diagnostic {
    let message = format!(
        "the inputs of runbook `{}` do not fit: {message}",
        inner.id()
    );
    Diagnostic::error("nested-inputs", message)
}
