use std::path::Path;

use windlass::Explanation;
use windlass::pack::harmless;
use windlass::plan::{Plan, render_dot, render_json, render_mermaid, render_svg, render_text};

use super::{Failure, inputs, print_data, tell_troubles};
use crate::args::{OutputFormat, PlanArgs, PlanFormat};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::report;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &PlanArgs, screen: &Screen) -> Result<Exit, Failure> {
    let workspace = workspace(root)?;
    let Some(runbook) = &args.runbook else {
        return Err(workspace.no_runbook_named().into());
    };
    let (snapshot, catalog) = (workspace.snapshot(), workspace.step_catalog());
    if let Some(plan) = workspace.vcontext_plan(runbook, &here(), &snapshot)? {
        if args.explain {
            let message = "the items of a document are not run, so there is nothing to explain";
            return Err(Failure::Usage(message.to_owned()));
        }
        return show(&plan, None, args.format, screen);
    }
    let runbook = workspace.runbook(runbook, &here(), &snapshot, &catalog);
    tell_troubles(&workspace, screen);
    let runbook = runbook?;
    if !screen.is_quiet() {
        report::diagnostics(screen, &runbook.warnings);
    }
    let plan = &runbook.plan;
    let explanation = args
        .explain
        .then(|| {
            let inputs = inputs(&args.inputs)?;
            Ok::<_, Failure>(workspace.explain(&runbook, inputs, &snapshot, &catalog)?)
        })
        .transpose()?;
    show(plan, explanation, args.format, screen)
}

fn show(
    plan: &Plan,
    explanation: Option<Explanation>,
    format: PlanFormat,
    screen: &Screen,
) -> Result<Exit, Failure> {
    match (format, explanation) {
        (PlanFormat::Text, None) => screen.print(&render_text(plan)),
        (PlanFormat::Text, Some(explanation)) => {
            screen.print(&screen.with_root(&explained(&explanation)));
        }
        (format @ (PlanFormat::Json | PlanFormat::Tron), explanation) => {
            let mut json = render_json(plan);
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
        (PlanFormat::Dot, _) => screen.print(&render_dot(plan)),
        (PlanFormat::Mermaid, _) => screen.print(&render_mermaid(plan)),
        // Secret values are taken out text by text: in the whole they might take a tag with them.
        (PlanFormat::Svg, _) => match render_svg(plan, &harmless) {
            Ok(drawing) => screen.print_raw(&drawing),
            Err(too_large) => {
                let help = "`--format dot` is for programs that lay out large graphs, `--format json` for others";
                report::message(screen, &too_large.to_string(), Some(help));
                return Ok(Exit::Failed);
            }
        },
    }
    Ok(Exit::Done)
}

fn explained(explanation: &Explanation) -> String {
    let mut text = String::new();
    for step in &explanation.steps {
        text.push_str(&format!("{}  {}: {}\n", step.id, step.uses, step.does));
        for when in &step.when {
            text.push_str(&format!("  runs     {when}\n"));
        }
        for touch in &step.touches {
            text.push_str(&format!("  then     {touch}\n"));
        }
        if step.used_by.is_empty() {
            text.push_str("  used by  nobody\n");
        } else {
            text.push_str(&format!("  used by  {}\n", step.used_by.join(", ")));
        }
        if let Some(refused) = &step.refused {
            text.push_str(&format!("  refused  {refused}\n"));
        }
    }
    text
}
