//! Runbooks: findings point into the text, and an accepted runbook can be scheduled to its end and
//! drawn as XML.

use std::sync::LazyLock;

use windlass_plan::{Catalog, Plan, load_runbook};
use windlass_render::{StepStates, plan_svg};

use crate::schedule::run_to_end;

static CATALOG: LazyLock<Catalog> = LazyLock::new(windlass_steps::catalog);

pub(crate) fn check(bytes: &[u8]) {
    match load_runbook("r.yaml", bytes, &CATALOG) {
        Ok((plan, _)) => {
            run_to_end(plan.node_specs(), bytes);
            drawn(&plan);
        }
        Err(found) => {
            assert!(found.has_errors());
            for finding in found.iter() {
                if let Some(place) = &finding.place {
                    let text = place.source.text().get(place.range.clone());
                    assert!(text.is_some(), "{finding:?}");
                }
            }
        }
    }
}

/// Checks that the drawing of `plan` is well-formed XML.
fn drawn(plan: &Plan) {
    let Ok(svg) = plan_svg(plan, &StepStates::default(), &str::to_owned) else {
        return;
    };
    roxmltree::Document::parse(&svg).expect("well-formed XML");
}
