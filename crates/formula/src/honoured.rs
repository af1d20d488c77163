//! Checks the requirements that a document states as a whole.
//!
//! An unsupported requirement is an error, because ignoring it would run something other than what
//! the author wrote.

use semver::{Version, VersionReq};
use windlass_base::Diagnostic;
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use super::library::Loaded;
use super::{CookedFormula, Dialect, FormulaKind};

/// The version of the formula language that we support, which is compared with `[requires]`.
const LANGUAGE_VERSION: Version = Version::new(2, 0, 0);
/// The name of the same version in `contract`, which is the predecessor of `[requires]`.
const CONTRACT: &str = "graph.v2";

pub(super) fn check(loaded: &Loaded, found: &mut Findings) {
    requirements(loaded, found);
    squash(loaded, found);
    declared_twice(loaded, found);
    let prompts = loaded.doc.prompts.iter().flatten();
    for (name, text) in prompts.filter(|(name, _)| *name != "base") {
        let message = format!("prompt `{}` is not supported", cut(name));
        found.push(
            Diagnostic::error("unsupported", message)
                .at(loaded.place(text))
                .help("use `base` for all legs, and the `description` of a leg for that leg alone"),
        );
    }
}

fn requirements(loaded: &Loaded, found: &mut Findings) {
    if let Some(contract) = &loaded.doc.contract
        && contract.value != CONTRACT
    {
        let message = format!("unknown contract `{}`", cut(contract));
        found.push(
            Diagnostic::error("requires", message)
                .at(loaded.place(contract))
                .help(format!("use `contract = \"{CONTRACT}\"`")),
        );
    }
    let requires = loaded.doc.requires.as_ref();
    let Some(text) = requires.and_then(|requires| requires.formula_compiler.as_ref()) else {
        return;
    };
    let wrong = match VersionReq::parse(text) {
        Ok(range) if range.matches(&LANGUAGE_VERSION) => return,
        Ok(_) => format!(
            "the formula needs version {} of the language; this version of Windlass supports {LANGUAGE_VERSION}",
            cut(text)
        ),
        Err(error) => format!("`{}` is not a version requirement: {error}", cut(text)),
    };
    found.push(
        Diagnostic::error("requires", wrong)
            .at(loaded.place(text))
            .help(format!(
                "write `formula_compiler = \">={LANGUAGE_VERSION}\"`"
            )),
    );
}

fn squash(loaded: &Loaded, found: &mut Findings) {
    let squash = loaded.doc.squash.as_ref();
    let trigger = squash.and_then(|squash| squash.trigger.as_deref());
    if let (Some(part), Some(trigger)) = (squash, trigger.filter(|word| *word != "on_complete")) {
        let message = format!("`{}` is not a trigger of `[squash]`", cut(trigger));
        found.push(
            Diagnostic::error("squash", message)
                .at(loaded.place(part))
                .help("write `trigger = \"on_complete\"`, or remove `[squash]` and run `windlass mol squash`"),
        );
    }
}

fn declared_twice(loaded: &Loaded, found: &mut Findings) {
    let (inputs, vars) = (&loaded.doc.inputs, &loaded.doc.vars);
    for (name, input) in inputs.iter().flatten() {
        let Some(other) = vars.as_ref().and_then(|vars| vars.get(name)) else {
            continue;
        };
        let message = format!("`{}` is declared twice", cut(name));
        found.push(
            Diagnostic::error("duplicate-variable", message)
                .at(loaded.place(input))
                .see(loaded.place(other), "other declaration")
                .help("`[inputs]` is another name of `[vars]`: remove one of the two"),
        );
    }
}

/// Makes each step exclusive unless it says whether it's parallel.
///
/// This applies to formulas with `single_lane`, and to Gas Town workflows that mark at least one
/// step as parallel.
pub(super) fn one_at_a_time(cooked: &mut CookedFormula, single_lane: bool) {
    let is_marked = cooked.steps.iter().any(|step| step.parallel == Some(true));
    let by_its_rules = cooked.dialect == Dialect::Gastown && cooked.kind == FormulaKind::Workflow;
    if single_lane || (is_marked && by_its_rules) {
        for step in &mut cooked.steps {
            step.parallel.get_or_insert(false);
        }
    }
}
