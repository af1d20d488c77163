//! Builds the legs of convoys, the parallel analyses, and the synthesis that combines their
//! findings.

use std::collections::BTreeSet;

use windlass_base::Diagnostic;
use windlass_plan::quote::{cut, listed, near};

use super::{Growth, Here, spot};
use crate::document::{LegDoc, Located};
use crate::draft::{Spot, UnitId};
use crate::go_template::{self, Dotted};
use crate::merge::{Merged, Part};
use crate::{CookedStep, NeedKind, OutputPlaces};

/// The ID of the step that combines the findings.
///
/// The author cannot choose another one.
const SYNTHESIS: &str = "synthesis";

pub(super) struct Legs<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Legs<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    /// Adds the legs (or analyses) and the synthesis.
    ///
    /// We also build the legs that the preset does not choose, but mark them as left out.
    pub(super) fn legs(
        &mut self,
        group: UnitId,
        formula: &Merged,
        preset: Option<&str>,
    ) -> Option<OutputPlaces> {
        let legs = if formula.legs.is_empty() {
            &formula.aspects
        } else {
            &formula.legs
        };
        let chosen = self.chosen(formula, preset);
        let mut general = self.general_names(formula);
        let output = self.output_places(formula, &mut general);
        for leg in legs {
            if let Some(unit) = self.leg(formula, leg, &general) {
                self.growth.draft.put(group, unit);
                if let Some((name, legs)) = &chosen
                    && !legs.contains(&leg.item.id.value)
                {
                    self.growth.draft.units[unit].left_out = Some(format!("preset `{name}`"));
                }
            }
        }
        self.synthesis(group, formula, legs, &general);
        output
    }

    fn chosen(
        &mut self,
        formula: &Merged,
        preset: Option<&str>,
    ) -> Option<(String, BTreeSet<String>)> {
        let ids = || {
            let legs = formula.legs.iter().chain(&formula.aspects);
            legs.map(|leg| leg.item.id.value.as_str())
        };
        // We check the legs of all presets, even if another one or none is chosen.
        for preset in formula.presets.values() {
            for leg in preset
                .item
                .legs
                .iter()
                .filter(|leg| !ids().any(|id| id == leg.value))
            {
                let message = format!("there is no leg `{}`", cut(leg));
                let mut diagnostic = Diagnostic::error("unknown-leg", message);
                diagnostic.help = near(leg, ids()).map(|near| format!("did you mean `{near}`?"));
                self.growth.report(spot(preset.source, leg), diagnostic);
            }
        }
        let name = preset?;
        if let Some(preset) = formula.presets.get(name) {
            let legs = preset.item.legs.iter().map(|leg| leg.value.clone());
            return Some((name.to_owned(), legs.collect()));
        }
        let message = format!("there is no preset `{}`", cut(name));
        let names = || formula.presets.keys().map(String::as_str);
        let help = match near(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if formula.presets.is_empty() => {
                "the formula has no presets: remove the option".to_owned()
            }
            None => format!("known presets: {}", listed(names())),
        };
        self.growth
            .found
            .push(Diagnostic::error("unknown-preset", message).help(help));
        None
    }

    /// Returns the values of `{{.name}}` that all texts of a convoy share.
    ///
    /// If the formula is still open, values may follow later. We then leave out the names without a
    /// value, so that they stay in the texts.
    fn general_names(&self, formula: &Merged) -> Dotted {
        let mut dotted = Dotted::default();
        dotted.set("formula_name", Some(formula.name.clone()));
        for (name, value) in self.here.names.vars {
            if !self.growth.open || value.is_some() {
                dotted.set(name, value.clone());
            }
        }
        dotted
    }

    fn output_places(&self, formula: &Merged, general: &mut Dotted) -> Option<OutputPlaces> {
        let output = formula.output.as_ref()?;
        let fill = |text: &Option<String>, general: &Dotted| {
            let text = text.as_deref()?;
            Some(go_template::fill(text, general, self.here.names))
        };
        let places = OutputPlaces {
            directory: fill(&output.directory, general),
            leg_pattern: output.leg_pattern.clone(),
            synthesis: fill(&output.synthesis, general),
        };
        for (name, value) in [
            ("output.directory", &places.directory),
            ("output.synthesis", &places.synthesis),
        ] {
            if let Some(value) = value {
                general.set(name, Some(value.clone()));
            }
        }
        Some(places)
    }

    fn leg(&mut self, formula: &Merged, part: &Part<LegDoc>, general: &Dotted) -> Option<UnitId> {
        let here = self.here;
        let leg = &part.item;
        let at = spot(part.source, leg.as_ref());
        let id = self.leg_id(&leg.id, part.source, at)?;
        let mut names = general.clone();
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        names.set("leg.id", Some(id.clone()));
        names.set("leg.title", Some(text(&leg.title)));
        names.set("leg.focus", Some(text(&leg.focus)));
        // The leg's own description is filled in first, since the base prompt may contain it.
        let own = go_template::fill(&text(&leg.description), &names, here.names);
        names.set("leg.description", Some(own.clone()));
        let output = formula
            .output
            .as_ref()
            .and_then(|output| output.leg_pattern.as_deref());
        let path = output.map(|pattern| {
            let file = go_template::fill(pattern, &names, here.names);
            match general.get("output.directory") {
                Some(Some(directory)) => format!("{}/{file}", directory.trim_end_matches('/')),
                _ => file,
            }
        });
        if let Some(path) = &path {
            names.set("output_path", Some(path.clone()));
        }
        let description = match formula.prompts.get("base") {
            Some(base) => go_template::fill(base, &names, here.names),
            None => own,
        };
        let mut step = CookedStep::new(id.clone(), self.growth.origin(at, here.via));
        step.title = leg
            .title
            .clone()
            .map_or(id.clone(), |title| here.names.fill(&title));
        step.description = description;
        for (name, value) in [("focus", leg.focus.clone()), ("output_path", path)] {
            if let Some(value) = value {
                step.metadata.insert(name.to_owned(), value.into());
            }
        }
        step.agent = leg.agent.clone().or_else(|| here.around.agent.clone());
        step.review_only = leg.review_only.unwrap_or(here.around.review_only);
        step.parallel = Some(true);
        self.growth.count(&step);
        let unit = self.growth.draft.leaf(step, at);
        self.growth.draft.name(here.scope, &id, unit);
        Some(unit)
    }

    fn leg_id(&mut self, id: &Located<String>, source: u32, at: Spot) -> Option<String> {
        let fits = self.growth.check_id(id, spot(source, id)) && self.growth.room_for(1, at);
        fits.then(|| id.value.clone())
    }

    fn synthesis(
        &mut self,
        group: UnitId,
        formula: &Merged,
        legs: &[Part<LegDoc>],
        general: &Dotted,
    ) {
        let here = self.here;
        let Some(part) = &formula.synthesis else {
            return;
        };
        let at = spot(part.source, part.item.as_ref());
        if !self.growth.room_for(1, at) {
            return;
        }
        let fill = |text: &Option<String>| {
            let text = text.as_deref().filter(|text| !text.is_empty())?;
            Some(go_template::fill(text, general, here.names))
        };
        let mut step = CookedStep::new(SYNTHESIS.to_owned(), self.growth.origin(at, here.via));
        step.title = fill(&part.item.title).unwrap_or_else(|| "Synthesis".to_owned());
        step.description = fill(&part.item.description).unwrap_or_default();
        if let Some(Some(path)) = general.get("output.synthesis") {
            step.metadata
                .insert("output_path".to_owned(), path.clone().into());
        }
        step.agent = here.around.agent.clone();
        step.review_only = here.around.review_only;
        self.growth.count(&step);
        let unit = self.growth.draft.leaf(step, at);
        self.growth.draft.put(group, unit);
        self.growth.draft.name(here.scope, SYNTHESIS, unit);
        match &part.item.depends_on {
            Some(needs) => {
                for need in needs {
                    let name = here.names.fill_id(need);
                    self.growth.draft.need(
                        unit,
                        here.scope,
                        name,
                        NeedKind::Needs,
                        spot(part.source, need),
                    );
                }
            }
            // By default, the synthesis waits for every leg.
            None => {
                for leg in legs {
                    let name = leg.item.id.value.clone();
                    self.growth
                        .draft
                        .need(unit, here.scope, name, NeedKind::Needs, at);
                }
            }
        }
    }
}
