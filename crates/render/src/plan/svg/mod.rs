//! Draws the plan as layers of boxes from left to right, with an edge from each step to its
//! dependent steps.
//!
//! As usual for layered graphs, drawing takes three stages. First, an edge gets a lane in each
//! layer that it passes (`edge_net`). Then each layer is ordered for few crossings (`untangle`),
//! and finally everything gets its position (`box_places`).
//!
//! All numbers are whole pixels, and nothing depends on the machine (such as the size of a font),
//! so the same plan gives the same bytes everywhere.

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

use super::StepStates;

/// Maximum number of steps, beyond which a drawing wouldn't be readable.
const MAX_STEPS: usize = 500;

/// Maximum number of stretches, i.e. of pairs of adjacent layers that an edge connects, for all
/// edges. A drawing with more of them would be a tangle.
const MAX_STRETCHES: usize = 20_000;

/// The plan contains too many steps or edges for a useful drawing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the plan is too large to draw: {found} {what}, maximum {most}")]
pub struct TooLargeToDraw {
    what: &'static str,
    found: usize,
    most: usize,
}

/// Draws the plan as SVG.
///
/// Every text passes through `clean` before it becomes part of the drawing. Redacting the finished
/// drawing instead could damage the markup.
///
/// # Errors
/// Returns an error for more than 500 steps, or if so many edges pass so many layers that the
/// drawing would be a tangle.
pub fn plan_svg(
    plan: &Plan,
    states: &StepStates,
    clean: &dyn Fn(&str) -> String,
) -> Result<String, TooLargeToDraw> {
    let part = draw(plan, states, clean, true)?;
    let steps = part.steps.into_iter().map(|(_, step)| step);
    Ok(part.head + &steps.collect::<String>() + &part.tail)
}

/// A drawing in pieces, which join to the SVG. A page can replace a single step when its state
/// changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanPart {
    /// Everything before the steps.
    pub head: String,
    /// Each step as a pair of ID and element.
    pub steps: Vec<(String, String)>,
    /// Everything after the steps.
    pub tail: String,
}

/// The style sheet omitted from [`plan_svg_part`].
pub const PLAN_STYLE: &str = drawing::STYLE;

/// Like [`plan_svg`], but in pieces and without styles. The page must include [`PLAN_STYLE`], since
/// its policy may forbid styles within the drawing.
///
/// # Errors
/// Returns the same error as [`plan_svg`].
pub fn plan_svg_part(
    plan: &Plan,
    states: &StepStates,
    clean: &dyn Fn(&str) -> String,
) -> Result<PlanPart, TooLargeToDraw> {
    draw(plan, states, clean, false)
}

fn draw(
    plan: &Plan,
    states: &StepStates,
    clean: &dyn Fn(&str) -> String,
    is_styled: bool,
) -> Result<PlanPart, TooLargeToDraw> {
    at_most("steps", plan.steps().len(), MAX_STEPS)?;
    let layers = plan.layers();
    let edges: Vec<(StepIndex, StepIndex)> = plan
        .iter()
        .flat_map(|(to, step)| step.needs.iter().map(move |from| (*from, to)))
        .collect();
    at_most(
        "stretches of edges",
        stretches(&layers, &edges),
        MAX_STRETCHES,
    )?;
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
        .map(|(index, step)| StepBox::new((plan, states), index, step, clean))
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
        is_styled,
    };
    Ok(drawing.pieces())
}

fn at_most(what: &'static str, found: usize, most: usize) -> Result<(), TooLargeToDraw> {
    if found > most {
        return Err(TooLargeToDraw { what, found, most });
    }
    Ok(())
}

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
