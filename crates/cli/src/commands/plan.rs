//! Shows the plan of a runbook or a document (`windlass plan`).

use std::path::Path;

use windlass::Explanation;
use windlass::packs::harmless;
use windlass::plan::Plan;
use windlass_render::{
    StepStates, explanation_text, plan_dot, plan_json, plan_mermaid, plan_svg, plan_text,
};

use super::run::usual;
use super::{Ended, Failure, inputs, print_data, tell_troubles};
use crate::args::{OutputFormat, PlanArgs, PlanFormat};
use crate::diagnostics_report;
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &PlanArgs, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let known = || workspace.runbooks().all(&workspace.site().snapshot());
    let Some(runbook) = &args.runbook.clone().or_else(|| usual(&known())) else {
        return Err(workspace.runbooks().none_named().into());
    };
    let (snapshot, catalog) = (workspace.site().snapshot(), workspace.runs().step_catalog());
    // A TodoList or Plan has dependencies as well, so we can show it as a plan, although nothing in
    // it will be run.
    if let Some(plan) = workspace
        .documents()
        .vcontext_plan(runbook, &here(), &snapshot)?
    {
        if args.explain {
            let message = "`--explain` needs a runbook: the items of a document are not run";
            return Err(Failure::Usage(message.to_owned()));
        }
        return show(&plan, None, args.format, screen);
    }
    let runbook = workspace
        .runbooks()
        .find(runbook, &here(), &snapshot, &catalog);
    tell_troubles(&workspace, screen);
    let runbook = runbook?;
    if !screen.is_quiet() {
        diagnostics_report::diagnostics(screen, &runbook.warnings);
    }
    let plan = &runbook.plan;
    let explanation = args
        .explain
        .then(|| {
            let inputs = inputs(&args.inputs)?;
            Ok::<_, Failure>(
                workspace
                    .runs()
                    .explain(&runbook, inputs, &snapshot, &catalog)?,
            )
        })
        .transpose()?;
    show(plan, explanation, args.format, screen)
}

fn show(
    plan: &Plan,
    explanation: Option<Explanation>,
    format: PlanFormat,
    screen: &Screen,
) -> Ended {
    let none = StepStates::default();
    match (format, explanation) {
        (PlanFormat::Text, None) => screen.print(&plan_text(plan, &none)),
        (PlanFormat::Text, Some(explanation)) => {
            screen.print(&screen.with_root(&explanation_text(&explanation)));
        }
        (format @ (PlanFormat::Json | PlanFormat::Tron), explanation) => {
            let mut json = plan_json(plan);
            if let (Some(explanation), Some(object)) = (explanation, json.as_object_mut()) {
                let explanation =
                    serde_json::to_value(&explanation.steps).map_err(windlass::Error::internal)?;
                object.insert("explanation".to_owned(), explanation);
            }
            let format = match format {
                PlanFormat::Tron => OutputFormat::Tron,
                _ => OutputFormat::Json,
            };
            print_data(screen, format, &json)?;
        }
        (PlanFormat::Dot, _) => screen.print(&plan_dot(plan, &none)),
        (PlanFormat::Mermaid, _) => screen.print(&plan_mermaid(plan, &none)),
        (PlanFormat::Svg, _) => {
            let help =
                "use `--format dot` and a program that lays out large graphs, or `--format json`";
            return draw(plan, &none, help, screen);
        }
    }
    Ok(Exit::Done)
}

/// Draws a plan as SVG. If it's too large for that, the error has `help`.
pub(super) fn draw(plan: &Plan, states: &StepStates, help: &str, screen: &Screen) -> Ended {
    // Redact each text on its own. In the drawing as a whole, we could hit a part of a tag.
    match plan_svg(plan, states, &harmless) {
        Ok(drawing) => {
            screen.print_raw(&drawing);
            Ok(Exit::Done)
        }
        Err(too_large) => {
            diagnostics_report::message(screen, &too_large.to_string(), Some(help));
            Ok(Exit::Failed)
        }
    }
}
