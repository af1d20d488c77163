//! Merges a formula with its parents.
//!
//! Parents come first, in the order of `extends`, followed by the formula's own parts. Single
//! values such as the phase override inherited ones, and a step replaces an inherited step of the
//! same name. The latter is an error in Gas Town formulas, which may only add steps.

mod parts_of_kind;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;
use windlass_base::{Diagnostic, Place};
use windlass_plan::Findings;
use windlass_plan::quote::cut;

use super::dialect::{Markers, kind_of};
use super::document::{
    AdviceDoc, BondPointDoc, BranchRule, ExpandRule, FormulaDoc, FormulaMode, GateRule, HookDoc,
    LegDoc, Located, MapRule, PointcutDoc, PresetDoc, StepDoc, SynthesisDoc,
};
use super::library::{Library, Loaded};
use super::vars::{Variable, Variables, check_definitions};
use super::{Dialect, FormulaKind, OutputPlaces, Phase, SourceRole, Squash};

/// Maximum length of inheritance chains. Merging is recursive.
const MAX_DEPTH: usize = 32;

/// The maximum number of merged formulas and parts.
///
/// Each inheritance counts, even of the same formula: if every formula in a chain extends the next
/// one by way of two others, the number of merges doubles with each level.
const MAX_MERGED: usize = 200_000;

/// A part of a formula, and the index of its source.
#[derive(Debug)]
pub(crate) struct Part<T> {
    pub(crate) source: u32,
    pub(crate) item: Rc<Located<T>>,
    /// The formula it was inherited from. `None` for the formula's own parts.
    pub(crate) from: Option<Rc<str>>,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self {
            source: self.source,
            item: Rc::clone(&self.item),
            from: self.from.clone(),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Merged {
    pub(crate) name: String,
    pub(crate) kind: FormulaKind,
    pub(crate) dialect: Dialect,
    pub(crate) version: i64,
    pub(crate) description: String,
    pub(crate) place: Place,
    pub(crate) variables: Variables,
    pub(crate) steps: Vec<Part<StepDoc>>,
    pub(crate) template: Vec<Part<StepDoc>>,
    pub(crate) compose: Compose,
    pub(crate) advice: Vec<Part<AdviceDoc>>,
    pub(crate) pointcuts: Vec<PointcutDoc>,
    pub(crate) legs: Vec<Part<LegDoc>>,
    pub(crate) aspects: Vec<Part<LegDoc>>,
    pub(crate) synthesis: Option<Part<SynthesisDoc>>,
    pub(crate) prompts: BTreeMap<String, String>,
    pub(crate) presets: BTreeMap<String, Part<PresetDoc>>,
    pub(crate) output: Option<OutputPlaces>,
    pub(crate) phase: Option<Phase>,
    pub(crate) pour: bool,
    pub(crate) squash: Option<Squash>,
    pub(crate) metadata: BTreeMap<String, Value>,
    pub(crate) agent: Option<String>,
    pub(crate) review_only: bool,
    pub(crate) target_required: bool,
    pub(crate) internal: bool,
    pub(crate) single_lane: bool,
    markers: Markers,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Compose {
    pub(crate) expand: Vec<Part<ExpandRule>>,
    pub(crate) map: Vec<Part<MapRule>>,
    pub(crate) branch: Vec<Part<BranchRule>>,
    pub(crate) gate: Vec<Part<GateRule>>,
    pub(crate) aspects: Vec<Part<String>>,
    pub(crate) bond_points: Vec<Part<BondPointDoc>>,
    pub(crate) hooks: Vec<Part<HookDoc>>,
}

impl Compose {
    pub(crate) fn is_empty(&self) -> bool {
        self.expand.is_empty()
            && self.map.is_empty()
            && self.branch.is_empty()
            && self.gate.is_empty()
            && self.aspects.is_empty()
            && self.bond_points.is_empty()
            && self.hooks.is_empty()
    }
}

/// Merges the formula `name` with its parents, and checks the result.
pub(crate) fn merged(
    library: &mut Library<'_>,
    name: &str,
    role: SourceRole,
    from: Option<Place>,
    found: &mut Findings,
) -> Option<Merged> {
    let merged = with_parents(library, name, role, from, &mut Vec::new(), found)?;
    check_definitions(&merged.variables, found);
    merged.check_parts(found);
    Some(merged)
}

fn with_parents(
    library: &mut Library<'_>,
    name: &str,
    role: SourceRole,
    from: Option<Place>,
    below: &mut Vec<String>,
    found: &mut Findings,
) -> Option<Merged> {
    // We also report a chain that's too deep as a cycle, which is nearly always the cause.
    if below.iter().any(|other| other == name) || below.len() >= MAX_DEPTH {
        let mut names: Vec<_> = below.iter().map(|name| cut(name)).collect();
        names.push(cut(name));
        let message = format!(
            "the formulas form an inheritance cycle: {}",
            names.join(" -> ")
        );
        found.push_at(
            from,
            Diagnostic::error("extends-cycle", message)
                .help("remove one of these `extends` fields"),
        );
        return None;
    }
    if library.merged > MAX_MERGED {
        let message = format!("the formulas inherit more than {MAX_MERGED} parts");
        found.push_at(
            from,
            Diagnostic::error("too-large", message)
                .help("let fewer formulas inherit from several others"),
        );
        return None;
    }
    let loaded = library.load(name, role, from, found)?;
    below.push(name.to_owned());
    let mut parents = Vec::new();
    // Continue after an error, so that problems in other parents are reported as well.
    let mut complete = true;
    for parent in loaded.doc.extends.iter().flatten() {
        let place = loaded.place(parent);
        let role = SourceRole::Extends;
        match with_parents(library, parent, role, Some(place), below, found) {
            Some(parent) => parents.push(parent),
            None => complete = false,
        }
    }
    below.pop();
    let parts = |merged: &Merged| 1 + merged.steps.len() + merged.template.len();
    library.merged += 1 + parents.iter().map(parts).sum::<usize>();
    complete.then(|| Merged::of(&loaded, &parents, found))
}

impl Merged {
    fn of(loaded: &Loaded, parents: &[Self], found: &mut Findings) -> Self {
        let doc = &loaded.doc;
        super::honoured::check(loaded, found);
        let mut merged = Self::own(loaded);
        for parent in parents {
            merged.markers = merged.markers | parent.markers;
        }
        merged.dialect = doc.dialect.unwrap_or_else(|| merged.markers.dialect());
        merged.check_unique(loaded, found);
        let Some(mut result) = together(parents, merged.dialect, loaded, found) else {
            return merged;
        };
        // A formula that adds no parts of its own is whatever its parents are.
        if doc.kind.is_none() && doc.steps.is_none() && doc.template.is_none() && doc.legs.is_none()
        {
            merged.kind = result.kind;
        }
        result.take(merged, loaded, found);
        result
    }

    fn own(loaded: &Loaded) -> Self {
        let doc = &loaded.doc;
        let compose = doc.compose.clone().unwrap_or_default();
        Self {
            name: doc.formula.value.clone(),
            kind: kind_of(doc),
            // This is only a placeholder, since the parents have a say in the dialect. `merged`
            // determines it from the markers of all of them.
            dialect: Dialect::Beads,
            version: doc.version.unwrap_or(1),
            description: doc.description.clone().unwrap_or_default(),
            place: loaded.place(&doc.formula),
            variables: variables(loaded),
            steps: parts(loaded, doc.steps.as_ref()),
            template: parts(loaded, doc.template.as_ref()),
            compose: Compose {
                expand: parts(loaded, compose.expand.as_ref()),
                map: parts(loaded, compose.map.as_ref()),
                branch: parts(loaded, compose.branch.as_ref()),
                gate: parts(loaded, compose.gate.as_ref()),
                aspects: parts(loaded, compose.aspects.as_ref()),
                bond_points: parts(loaded, compose.bond_points.as_ref()),
                hooks: parts(loaded, compose.hooks.as_ref()),
            },
            advice: parts(loaded, doc.advice.as_ref()),
            pointcuts: doc.pointcuts.clone().unwrap_or_default(),
            legs: parts(loaded, doc.legs.as_ref()),
            aspects: parts(loaded, doc.aspects.as_ref()),
            synthesis: doc.synthesis.as_ref().map(|part| part_of(loaded, part)),
            prompts: prompts(doc),
            presets: presets(loaded),
            output: doc.output.clone(),
            phase: doc.phase,
            pour: doc.pour.unwrap_or_default(),
            squash: doc.squash.as_ref().map(|part| part.value.clone()),
            metadata: doc.metadata.clone().unwrap_or_default(),
            agent: doc.agent.clone(),
            // Without `review_only`, `mode = "report"` has the same effect.
            review_only: doc
                .review_only
                .unwrap_or(doc.mode == Some(FormulaMode::Report)),
            target_required: doc.target_required.unwrap_or_default(),
            internal: doc.internal.unwrap_or_default(),
            single_lane: doc.single_lane.unwrap_or_default(),
            markers: Markers::of(doc),
        }
    }

    /// Adds the parts of the inheriting formula. Its single values override the existing ones.
    fn take(&mut self, own: Self, loaded: &Loaded, found: &mut Findings) {
        let from: Rc<str> = self.name.as_str().into();
        let dialect = own.dialect;
        self.inherit_marks(&from);
        let mut merge = StepMerge {
            dialect,
            loaded,
            found,
        };
        merge.steps(&mut self.steps, own.steps);
        merge.steps(&mut self.template, own.template);
        replace_by(&mut self.legs, own.legs, |leg| &leg.id);
        replace_by(&mut self.aspects, own.aspects, |leg| &leg.id);
        replace_by(
            &mut self.compose.bond_points,
            own.compose.bond_points,
            |point| &point.id,
        );
        self.compose.expand.extend(own.compose.expand);
        self.compose.map.extend(own.compose.map);
        self.compose.branch.extend(own.compose.branch);
        self.compose.gate.extend(own.compose.gate);
        for aspect in own.compose.aspects {
            let known = |other: &Part<String>| other.item.value == aspect.item.value;
            if !self.compose.aspects.iter().any(known) {
                self.compose.aspects.push(aspect);
            }
        }
        self.compose.hooks.extend(own.compose.hooks);
        self.advice.extend(own.advice);
        self.pointcuts.extend(own.pointcuts);
        self.variables.extend(own.variables);
        self.prompts.extend(own.prompts);
        self.presets.extend(own.presets);
        self.synthesis = own.synthesis.or(self.synthesis.take());
        self.output = own.output.or(self.output.take());
        self.phase = own.phase.or(self.phase);
        self.pour |= own.pour;
        self.squash = own.squash.or(self.squash.take());
        self.metadata.extend(own.metadata);
        self.agent = own.agent.or(self.agent.take());
        self.review_only |= own.review_only;
        // This flag can be taken back: a formula that says `target_required = false` doesn't need a
        // bead, even if its parents do.
        self.target_required = match loaded.doc.target_required {
            Some(stated) => stated,
            None => self.target_required || own.target_required,
        };
        self.internal = own.internal;
        self.single_lane |= own.single_lane;
        if !own.description.is_empty() {
            self.description = own.description;
        }
        self.markers = own.markers;
        (self.name, self.place) = (own.name, own.place);
        (self.kind, self.dialect, self.version) = (own.kind, dialect, own.version);
    }

    /// Records the origin of inherited steps.
    ///
    /// A step that is inherited over several levels keeps its first origin, i.e. the formula that
    /// contains it.
    fn inherit_marks(&mut self, from: &Rc<str>) {
        let mark = |part: &mut Part<StepDoc>| {
            part.from.get_or_insert_with(|| Rc::clone(from));
        };
        self.steps.iter_mut().for_each(mark);
        self.template.iter_mut().for_each(mark);
    }
}

struct StepMerge<'a> {
    dialect: Dialect,
    loaded: &'a Loaded,
    found: &'a mut Findings,
}

impl StepMerge<'_> {
    fn steps(&mut self, into: &mut Vec<Part<StepDoc>>, own: Vec<Part<StepDoc>>) {
        let mut at: BTreeMap<String, usize> = BTreeMap::new();
        for (index, step) in into.iter().enumerate() {
            at.insert(step.item.id.value.clone(), index);
        }
        for step in own {
            match at.get(&step.item.id.value) {
                None => into.push(step),
                // Keep the inherited step. The formula can't be cooked after the error anyway.
                Some(index) if self.dialect == Dialect::Gastown => {
                    self.refuse(&step, &into[*index]);
                }
                Some(index) => into[*index] = step,
            }
        }
    }

    fn refuse(&mut self, step: &Part<StepDoc>, inherited: &Part<StepDoc>) {
        let from = inherited.from.as_deref().unwrap_or_default();
        let message = format!(
            "step `{}` is already inherited from `{}`, and Gas Town formulas only add steps",
            cut(&step.item.id),
            cut(from)
        );
        let mut diagnostic = Diagnostic::error("duplicate-step", message).help(
            "give it another id, or write `dialect = \"beads\"` at the top to replace the inherited step",
        );
        if step.source == self.loaded.source {
            diagnostic = diagnostic.at(self.loaded.place(&step.item.id));
        }
        self.found.push(diagnostic);
    }
}

/// Merges several parents, of which later ones override earlier ones. Returns `None` if there
/// are not any.
fn together(
    parents: &[Merged],
    dialect: Dialect,
    loaded: &Loaded,
    found: &mut Findings,
) -> Option<Merged> {
    let mut all: Option<Merged> = None;
    for parent in parents {
        let mut next = parent.clone();
        let from: Rc<str> = next.name.as_str().into();
        next.inherit_marks(&from);
        next.dialect = dialect;
        match &mut all {
            None => all = Some(next),
            Some(all) => all.take(next, loaded, found),
        }
    }
    all
}

fn replace_by<T>(into: &mut Vec<Part<T>>, own: Vec<Part<T>>, id: fn(&T) -> &Located<String>) {
    for part in own {
        let same = |other: &Part<T>| id(&other.item).value == id(&part.item).value;
        match into.iter().position(same) {
            Some(at) => into[at] = part,
            None => into.push(part),
        }
    }
}

fn part_of<T: Clone>(loaded: &Loaded, item: &Located<T>) -> Part<T> {
    Part {
        source: loaded.source,
        item: Rc::new(item.clone()),
        from: None,
    }
}

fn parts<T: Clone>(loaded: &Loaded, items: Option<&Vec<Located<T>>>) -> Vec<Part<T>> {
    let items = items.into_iter().flatten();
    items.map(|item| part_of(loaded, item)).collect()
}

/// Merges `[inputs]` and `[vars]`, two names for the same thing. If both declare a variable, the
/// one in `[vars]` wins.
fn variables(loaded: &Loaded) -> Variables {
    let both = [&loaded.doc.inputs, &loaded.doc.vars];
    let all = both.into_iter().flatten().flatten();
    let own = |(name, var): (&String, &Located<super::document::VarDoc>)| {
        let table = var.value.0.clone();
        let place = loaded.place(var);
        (name.clone(), Variable { table, place })
    };
    all.map(own).collect()
}

fn prompts(doc: &FormulaDoc) -> BTreeMap<String, String> {
    let all = doc.prompts.iter().flatten();
    all.map(|(name, text)| (name.clone(), text.value.clone()))
        .collect()
}

fn presets(loaded: &Loaded) -> BTreeMap<String, Part<PresetDoc>> {
    let all = loaded.doc.presets.iter().flatten();
    all.map(|(name, preset)| (name.clone(), part_of(loaded, preset)))
        .collect()
}
