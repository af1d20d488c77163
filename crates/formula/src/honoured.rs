//! What a document as a whole asks for: done, or refused.

use semver::{Version, VersionReq};
use windlass_base::Diagnostic;
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use super::library::Loaded;
use super::{CookedFormula, Dialect, FormulaKind};

/// The version of the language of formulas, as `[requires]` counts it, that is understood.
const LANGUAGE: Version = Version::new(2, 0, 0);
/// What `contract` called it before.
const CONTRACT: &str = "graph.v2";

/// Reports what a document asks for and nothing would be done with.
pub(super) fn check(loaded: &Loaded, found: &mut Findings) {
    requirements(loaded, found);
    squash(loaded, found);
    declared_twice(loaded, found);
    let prompts = loaded.doc.prompts.iter().flatten();
    for (name, text) in prompts.filter(|(name, _)| *name != "base") {
        let message = format!("nothing is done with the prompt `{}`", cut(name));
        found.push(
            Diagnostic::error("unsupported", message)
                .at(loaded.place(text))
                .help("`base` is what each leg is told; what a single leg is told is its `description`"),
        );
    }
}

fn requirements(loaded: &Loaded, found: &mut Findings) {
    if let Some(contract) = &loaded.doc.contract
        && contract.value != CONTRACT
    {
        let message = format!("the contract `{}` is not known", cut(contract));
        found.push(
            Diagnostic::error("requires", message)
                .at(loaded.place(contract))
                .help(format!("`{CONTRACT}` is")),
        );
    }
    let requires = loaded.doc.requires.as_ref();
    let Some(text) = requires.and_then(|requires| requires.formula_compiler.as_ref()) else {
        return;
    };
    let wrong = match VersionReq::parse(text) {
        Ok(range) if range.matches(&LANGUAGE) => return,
        Ok(_) => format!(
            "the formula needs the language in version {}, and {LANGUAGE} is understood",
            cut(text)
        ),
        Err(error) => format!("`{}` names no versions: {error}", cut(text)),
    };
    found.push(
        Diagnostic::error("requires", wrong)
            .at(loaded.place(text))
            .help(format!("write `formula_compiler = \">={LANGUAGE}\"`")),
    );
}

fn squash(loaded: &Loaded, found: &mut Findings) {
    let squash = loaded.doc.squash.as_ref();
    let trigger = squash.and_then(|squash| squash.trigger.as_deref());
    if let (Some(part), Some(trigger)) = (squash, trigger.filter(|word| *word != "on_complete")) {
        let message = format!("a molecule cannot be squashed at `{}`", cut(trigger));
        found.push(
            Diagnostic::error("squash", message)
                .at(loaded.place(part))
                .help("write `trigger = \"on_complete\"`; without `[squash]`, `mol squash` does it when asked to"),
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
                .see(loaded.place(other), "the other one")
                .help("`[inputs]` and `[vars]` are the same: remove one of the two"),
        );
    }
}

/// Where a formula of Gas Town says which steps may be done beside others, all others are done one at a time.
pub(super) fn one_at_a_time(cooked: &mut CookedFormula) {
    let is_marked = cooked.steps.iter().any(|step| step.parallel == Some(true));
    let by_its_rules = cooked.dialect == Dialect::Gastown && cooked.kind == FormulaKind::Workflow;
    if is_marked && by_its_rules {
        for step in &mut cooked.steps {
            step.parallel.get_or_insert(false);
        }
    }
}
