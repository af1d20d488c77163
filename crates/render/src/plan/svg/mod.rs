//! The plan as a drawing that needs no other program: layers of boxes from left to right, an edge from each
//! step to those that need it.
//!
//! Numbers are whole pixels, and nothing is measured that depends on the machine: the same plan is the same
//! bytes everywhere.

mod box_places;
mod drawing;
mod edge_net;
mod edge_signs;
mod legend;
mod step_boxes;
mod untangle;

use windlass::plan::{Plan, StepIndex};

use edge_net::Net;
use step_boxes::StepBox;

/// The most steps that are drawn.
const STEPS: usize = 500;

/// The most stretches of edges, from one layer to the next, that are drawn.
const STRETCHES: usize = 20_000;

/// A plan of which no drawing can be made that is of use to anybody.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the plan is too large to be drawn: it has {found} {what}, at most {most} can be seen at once"
)]
pub struct TooLargeToDraw {
    what: &'static str,
    found: usize,
    most: usize,
}

/// The plan as SVG. Every text of the document goes through `clean` before it is drawn, so that what may not be
/// shown can be taken out where it cannot damage the markup.
///
/// # Errors
/// When there are more than 500 steps, or so many edges over so many layers that only a tangle would be seen.
pub fn plan_svg(plan: &Plan, clean: &dyn Fn(&str) -> String) -> Result<String, TooLargeToDraw> {
    at_most("steps", plan.steps().len(), STEPS)?;
    let layers = plan.layers();
    let edges: Vec<(StepIndex, StepIndex)> = plan
        .iter()
        .flat_map(|(to, step)| step.needs.iter().map(move |from| (*from, to)))
        .collect();
    at_most("stretches of edges", stretches(&layers, &edges), STRETCHES)?;
    let columns: Vec<Vec<usize>> = layers
        .iter()
        .map(|layer| layer.iter().map(|step| step.index()).collect())
        .collect();
    let ends: Vec<_> = edges
        .iter()
        .map(|(from, to)| (from.index(), to.index()))
        .collect();
    let mut net = Net::new(&columns, &ends);
    untangle::untangle(&mut net);
    let boxes: Vec<StepBox> = plan
        .iter()
        .map(|(index, step)| StepBox::new(plan, index, step, clean))
        .collect();
    let sizes: Vec<_> = boxes.iter().map(|one| (one.width, one.height)).collect();
    let places = box_places::place(&net, &sizes);
    let drawing = drawing::Drawing {
        plan,
        boxes: &boxes,
        edges: &edges,
        net: &net,
        places: &places,
        clean,
    };
    Ok(drawing.svg())
}

fn at_most(what: &'static str, found: usize, most: usize) -> Result<(), TooLargeToDraw> {
    if found > most {
        return Err(TooLargeToDraw { what, found, most });
    }
    Ok(())
}

/// How many stretches from one layer to the next the edges have together.
fn stretches(layers: &[Vec<StepIndex>], edges: &[(StepIndex, StepIndex)]) -> usize {
    let mut layer_of = vec![0; layers.iter().map(Vec::len).sum()];
    for (at, layer) in layers.iter().enumerate() {
        for step in layer {
            layer_of[step.index()] = at;
        }
    }
    let span = |(from, to): &(StepIndex, StepIndex)| layer_of[to.index()] - layer_of[from.index()];
    edges.iter().map(span).sum()
}

#[cfg(test)]
mod tests;
