//! Commands on formulas (`windlass formula`).

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use windlass::base::Diagnostics;
use windlass::formula::{CookOptions, FORMULA_EXAMPLES, FormulaKind, FormulaLimits, Subject};
use windlass::ledger::bead::Bead;
use windlass::packs::harmless_line;
use windlass::plan::Plan;
use windlass::{Error, FormulaFile, Workspace};
use windlass_render::{
    StepStates, cooked_text, formula_list, formula_text, plan_dot, plan_mermaid, plan_text,
};

use super::check::{Checked, unreadable};
use super::{Ended, Failure, print_data, print_result, tell_troubles};
use crate::args::{
    FormulaCommand, FormulaCookArgs, FormulaGraphArgs, FormulaLintArgs, FormulaListArgs,
    FormulaPathCommand, FormulaShowArgs, FormulaValues, GraphFormat, OutputFormat,
};
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

/// Bytes of text per step. If a user raises `--max-steps`, this raises the limit of the whole text
/// as well, so that they do not run into the next limit right away.
const TEXT_OF_A_STEP: usize = 1_300;

pub(crate) fn run(root: Option<&Path>, command: FormulaCommand, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    match command {
        FormulaCommand::List(args) => list(&workspace, &args, screen),
        FormulaCommand::New { name, example } => {
            let mut examples = FORMULA_EXAMPLES.iter();
            let text = examples.find_map(|(known, text)| (*known == example).then_some(*text));
            let file = workspace
                .formulas()
                .create(&name, text.unwrap_or_default())?;
            screen.say(&format!(
                "wrote {file}; `windlass mol pour {name}` starts it"
            ));
            Ok(Exit::Done)
        }
        FormulaCommand::Path { command } => path(&workspace, command, screen),
        FormulaCommand::Show(args) => show(&workspace, &args, screen),
        FormulaCommand::Cook(args) => cook(&workspace, &args, screen),
        FormulaCommand::Graph(args) => graph(&workspace, &args, screen),
        FormulaCommand::Lint(args) => lint(&workspace, &args, screen),
    }
}

fn list(workspace: &Workspace, args: &FormulaListArgs, screen: &Screen) -> Ended {
    let path = workspace.formulas().search_path(&here());
    let formulas = workspace
        .formulas()
        .list(&here(), &workspace.site().snapshot());
    tell_troubles(workspace, screen);
    if args.format != OutputFormat::Text {
        let all = json!({ "search_path": path, "formulas": formulas });
        print_data(screen, args.format, &all)?;
        return Ok(Exit::Done);
    }
    if formulas.is_empty() {
        let folders = path.join(", ");
        screen.say(&format!(
            "no formulas in {folders}; `windlass formula new NAME` writes one, from an example ({})",
            FORMULA_EXAMPLES.map(|(name, _)| name).join(", ")
        ));
    }
    screen.print(&formula_list(&formulas));
    Ok(Exit::Done)
}

fn path(workspace: &Workspace, command: FormulaPathCommand, screen: &Screen) -> Ended {
    let paths = workspace.formulas().paths();
    match command {
        FormulaPathCommand::Add { folder } => {
            let (folder, is_new) = paths.add(&folder, &here())?;
            let what = match is_new {
                true => "added",
                false => "already on the search path:",
            };
            let line = format!("{what} {}", folder.display());
            screen.say(&harmless_line(&line));
        }
        FormulaPathCommand::Remove { folder } => {
            let what = match paths.remove(&folder, &here())? {
                true => "removed",
                false => "not on the search path:",
            };
            let line = format!("{what} {}", folder.display());
            screen.say(&harmless_line(&line));
        }
        FormulaPathCommand::List { format } => {
            let all = paths.all()?;
            return print_result(screen, format.format, &json!({ "paths": all }), || {
                let lines = all.iter().map(|path| path.display().to_string());
                lines.map(|line| harmless_line(&line) + "\n").collect()
            });
        }
    }
    Ok(Exit::Done)
}

fn cooked(
    workspace: &Workspace,
    values: &FormulaValues,
    open: bool,
    screen: &Screen,
) -> Result<FormulaFile, Failure> {
    cooked_for(workspace, values, open, subject(values), screen)
}

/// Like [`cooked`], but for a bead, whose labels, type and priority apply unless the user typed
/// others.
pub(super) fn cooked_for_bead(
    workspace: &Workspace,
    values: &FormulaValues,
    bead: Option<Bead>,
    screen: &Screen,
) -> Result<FormulaFile, Failure> {
    let of_bead = bead.map(|bead| Subject {
        kind: Some(bead.issue_type.to_string()),
        priority: Some(bead.priority),
        bead: Some(bead.id),
        labels: bead.labels,
    });
    let id = of_bead.as_ref().and_then(|subject| subject.bead.clone());
    // If there's neither a bead nor an option, there are no labels and no type.
    let subject = subject(values).or(of_bead).unwrap_or_default();
    let subject = Subject {
        bead: id,
        ..subject
    };
    cooked_for(workspace, values, false, Some(subject), screen)
}

fn cooked_for(
    workspace: &Workspace,
    values: &FormulaValues,
    open: bool,
    subject: Option<Subject>,
    screen: &Screen,
) -> Result<FormulaFile, Failure> {
    let catalog = workspace.molecules().catalog();
    let options = CookOptions {
        vars: vars(&values.vars)?,
        open,
        strict: values.strict,
        preset: values.preset.clone(),
        subject,
        limits: FormulaLimits {
            max_steps: values.max_steps,
            max_needs: values.max_steps.saturating_mul(20),
            // The more steps there may be, the more text they need.
            max_text: FormulaLimits::default()
                .max_text
                .max(values.max_steps.saturating_mul(TEXT_OF_A_STEP)),
        },
        catalog: Some(&catalog),
    };
    let snapshot = workspace.site().snapshot();
    let formula = workspace
        .molecules()
        .cook(&values.formula, &here(), &snapshot, &options)?;
    if !screen.is_quiet() {
        diagnostics_report::diagnostics(screen, &formula.warnings);
    }
    Ok(formula)
}

fn subject(values: &FormulaValues) -> Option<Subject> {
    let asked =
        !values.for_labels.is_empty() || values.for_type.is_some() || values.for_priority.is_some();
    asked.then(|| Subject {
        labels: values.for_labels.clone(),
        kind: values.for_type.clone(),
        priority: values.for_priority,
        bead: None,
    })
}

pub(super) fn vars(given: &[String]) -> Result<BTreeMap<String, String>, Failure> {
    let mut vars = BTreeMap::new();
    for pair in given {
        let (name, value) = super::pair("var", "NAME=VALUE", pair)?;
        if vars.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(Failure::Usage(format!("variable `{name}` is given twice")));
        }
    }
    Ok(vars)
}

fn show(workspace: &Workspace, args: &FormulaShowArgs, screen: &Screen) -> Ended {
    let snapshot = workspace.site().snapshot();
    let (file, head) = workspace
        .formulas()
        .head(&args.formula, &here(), &snapshot)?;
    // An aspect has no steps of its own, so there's nothing to cook.
    let options = CookOptions {
        open: true,
        ..CookOptions::default()
    };
    let formula = match head.kind {
        FormulaKind::Aspect => None,
        _ => Some(
            workspace
                .molecules()
                .cook(&args.formula, &here(), &snapshot, &options)?,
        ),
    };
    if args.format != OutputFormat::Text {
        let cooked = formula.as_ref().map(|formula| &formula.cooked);
        let all = json!({ "file": file, "head": head, "cooked": cooked });
        print_data(screen, args.format, &all)?;
        return Ok(Exit::Done);
    }
    let cooked = formula.as_ref().map(|formula| &formula.cooked);
    screen.print(&formula_text(&file, &head, cooked));
    Ok(Exit::Done)
}

fn cook(workspace: &Workspace, args: &FormulaCookArgs, screen: &Screen) -> Ended {
    let formula = cooked(workspace, &args.values, args.open, screen)?;
    print_result(screen, args.format, &formula.cooked, || {
        cooked_text(&formula.file, &formula.cooked)
    })
}

fn graph(workspace: &Workspace, args: &FormulaGraphArgs, screen: &Screen) -> Ended {
    let formula = cooked(workspace, &args.values, true, screen)?;
    let plan = formula.cooked.to_plan().map_err(Error::document)?;
    print_graph(&plan, &StepStates::default(), args.format, screen)
}

pub(super) fn print_graph(
    plan: &Plan,
    states: &StepStates,
    format: GraphFormat,
    screen: &Screen,
) -> Ended {
    match format {
        GraphFormat::Text => screen.print(&plan_text(plan, states)),
        GraphFormat::Dot => screen.print(&plan_dot(plan, states)),
        GraphFormat::Mermaid => screen.print(&plan_mermaid(plan, states)),
        GraphFormat::Svg => {
            let help = "use `--format dot` and a program that lays out large graphs";
            return super::plan::draw(plan, states, help, screen);
        }
    }
    Ok(Exit::Done)
}

fn lint(workspace: &Workspace, args: &FormulaLintArgs, screen: &Screen) -> Ended {
    let (snapshot, catalog) = (workspace.site().snapshot(), workspace.molecules().catalog());
    let options = CookOptions {
        strict: args.strict,
        catalog: Some(&catalog),
        ..CookOptions::default()
    };
    let mut names = args.formulas.clone();
    if names.is_empty() {
        let all = workspace.formulas().list(&here(), &snapshot);
        // A formula that's hidden by another one of the same name can't be used, so ignore it.
        let counting = all.into_iter().filter(|entry| entry.hidden_by.is_none());
        names.extend(counting.map(|entry| entry.name));
    }
    if names.is_empty() {
        let folders = workspace.formulas().search_path(&here()).join(", ");
        screen.say(&format!("no formulas to check in {folders}"));
    }
    let mut results: Vec<(String, Diagnostics)> = Vec::new();
    for name in names {
        match workspace
            .formulas()
            .check(&name, &here(), &snapshot, &options)
        {
            Ok(checked) => results.push(checked),
            // Among several formulas, a broken one shouldn't prevent us from checking the others.
            Err(other) if args.formulas.len() == 1 => return Err(other.into()),
            Err(other) => results.push((name, unreadable(&other))),
        }
    }
    print_checked(&results, args.format, screen)?;
    let all_valid = results.iter().all(|(_, found)| !found.has_errors());
    Ok(if all_valid { Exit::Done } else { Exit::Invalid })
}

fn print_checked(
    results: &[(String, Diagnostics)],
    format: OutputFormat,
    screen: &Screen,
) -> Result<(), Failure> {
    if format == OutputFormat::Text {
        for (file, found) in results {
            diagnostics_report::diagnostics(screen, found);
            if !found.has_errors() {
                screen.print(&format!("{}: valid\n", harmless_line(file)));
            }
        }
        return Ok(());
    }
    let checked = |(file, found): &(String, Diagnostics)| Checked {
        file: file.clone(),
        valid: !found.has_errors(),
        findings: found.iter().cloned().collect(),
    };
    let formulas: Vec<Checked> = results.iter().map(checked).collect();
    print_data(screen, format, &json!({ "formulas": formulas }))
}
