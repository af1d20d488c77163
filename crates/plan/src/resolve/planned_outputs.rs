use std::collections::{BTreeMap, BTreeSet};

use windlass_base::{Diagnostic, Place};

use super::Resolution;
use super::reached_shapes::{Reached, output_of};
use crate::schema::{Follow, Shapes};
use crate::selector::{Leading, leading};
use crate::{OutputDoc, PlannedOutput, PlannedStep, Selector, SortKey};

/// The limit in bytes for all JSONPaths of a runbook.
///
/// Parsing takes about a microsecond per byte, so this is a quarter of a second.
const MAX_PATHS: usize = 256 << 10;

pub(super) struct Outputs<'r, 'a> {
    resolution: &'r mut Resolution<'a>,
    paths_left: usize,
}

impl<'r, 'a> Outputs<'r, 'a> {
    pub(super) fn new(resolution: &'r mut Resolution<'a>) -> Self {
        Self {
            resolution,
            paths_left: MAX_PATHS,
        }
    }

    pub(super) fn plan(mut self, steps: &[PlannedStep]) -> Vec<PlannedOutput> {
        let mut planned = Vec::new();
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, output) in self.resolution.runbook.outputs.iter().flatten().enumerate() {
            let number = at.to_string();
            let place = |field: &str| ["outputs", number.as_str(), field].map(str::to_owned);
            let id_path = place("id");
            let id_place = self.output_place(&id_path);
            let id = self
                .resolution
                .ident(&output.id, "section", id_place.clone(), at);
            if let Some(earlier) = first.get(output.id.as_str()) {
                self.duplicate(output, *earlier, id_place.clone());
            } else if !output.id.is_empty() {
                first.insert(&output.id, at);
            }
            let select = self.select(output, self.output_place(&place("select")));
            let sort = self.sort(output, self.output_place(&place("sort")));
            let Some(from) = self.resolution.by_id.get(output.from.as_str()).copied() else {
                // If invalid parts were removed from the runbook, `from` may be one of them.
                if self.resolution.whole || !output.from.is_empty() {
                    let wrong = self.resolution.no_such_step(&output.from);
                    self.resolution
                        .report(self.output_place(&place("from")), wrong);
                }
                continue;
            };
            if steps.get(from.index()).is_some_and(never_runs) {
                let message = format!(
                    "step `{}` never runs, so this section stays empty",
                    output.from
                );
                let warning = Diagnostic::warning("unreachable-output", message)
                    .help("remove the section, or the condition of the step");
                self.resolution
                    .report(self.output_place(&place("from")), warning);
            }
            planned.push(PlannedOutput {
                title: output.title.clone().unwrap_or_else(|| output.id.clone()),
                id,
                from,
                select,
                sort,
                limit: output.limit,
                place: id_place,
            });
        }
        planned
    }

    fn output_place(&self, path: &[String; 3]) -> Option<Place> {
        self.resolution.places.root(&[&path[0], &path[1], &path[2]])
    }

    fn duplicate(&mut self, output: &OutputDoc, earlier: usize, place: Option<Place>) {
        let message = format!("duplicate section `{}`", output.id);
        let mut wrong =
            Diagnostic::error("duplicate-output", message).help("give one of them another id");
        if let Some(first) = self
            .resolution
            .places
            .root(&["outputs", &earlier.to_string(), "id"])
        {
            wrong = wrong.see(first, "the first one");
        }
        self.resolution.report(place, wrong);
    }

    fn select(&mut self, output: &OutputDoc, place: Option<Place>) -> Option<Selector> {
        let text = output.select.as_deref()?;
        let Some(left) = self.paths_left.checked_sub(text.len()) else {
            let wrong = Diagnostic::error("too-long", "the JSONPaths of this runbook are too long")
                .help(format!("use at most {MAX_PATHS} bytes for all of them"));
            self.resolution.report(place, wrong);
            return None;
        };
        self.paths_left = left;
        let selector = match Selector::parse(text) {
            Ok(selector) => selector,
            Err(error) => {
                let message = format!(
                    "this is not a JSONPath: {error} (at character {})",
                    error.at + 1
                );
                let wrong = Diagnostic::error("bad-jsonpath", message)
                    .help("a JSONPath (RFC 9535) looks like `$.matches[*]`");
                self.resolution.report(place, wrong);
                return None;
            }
        };
        if let Some(wrong) = self.unreachable(output, &selector) {
            self.resolution.report(place, wrong);
        }
        Some(selector)
    }

    /// Returns an error if the JSONPath can't select anything in the step's output.
    fn unreachable(&self, output: &OutputDoc, selector: &Selector) -> Option<Diagnostic> {
        let (_, step, kind) = self.resolution.step(&output.from)?;
        if step.for_each.is_some()
            && let Some(Leading::Field(name)) = leading(selector.as_str()).0.first()
        {
            let message = format!(
                "step `{}` has `for_each`: its output is a list, and has no `{name}`",
                output.from
            );
            return Some(
                Diagnostic::error("unreachable-output", message)
                    .help(format!("write `$[*].{name}`")),
            );
        }
        let output = Reached::output(step, kind);
        let lost = output.select("select", selector.as_str()).err()?;
        let mut wrong = lost.diagnostic(&output_of(&step.id, step), "");
        wrong.rule = "unreachable-output";
        Some(wrong)
    }

    fn sort(&mut self, output: &OutputDoc, place: Option<Place>) -> Option<SortKey> {
        let text = output.sort.as_deref()?;
        let key = SortKey::parse(text);
        let wrong = match &key {
            Some(key) => self.sorts_nothing(output, key),
            None => Some(
                Diagnostic::error("bad-sort", "this is not a JSON pointer")
                    .help("write `/file`, or `-/score` for the largest first"),
            ),
        };
        if let Some(wrong) = wrong {
            self.resolution.report(place, wrong);
        }
        key
    }

    /// Returns an error if none of the values shown can have the sort key.
    fn sorts_nothing(&self, output: &OutputDoc, key: &SortKey) -> Option<Diagnostic> {
        let (_, step, _) = self.resolution.step(&output.from)?;
        let shown = Reached::One(self.shown(output)?);
        let lost = shown.look_up("sort", &key.pointer).err()?;
        let what = format!("the section of step `{}` (`{}`)", step.id, step.uses);
        let sign = if key.descending { "-" } else { "" };
        Some(lost.diagnostic(&what, sign))
    }

    /// Returns the shapes of the values in the section, as far as we know them.
    fn shown(&self, output: &OutputDoc) -> Option<Shapes<'_>> {
        let (_, step, kind) = self.resolution.step(&output.from)?;
        if let Some(path) = &output.select {
            let selected = Reached::output(step, kind).select("select", path);
            return selected.ok().flatten();
        }
        let one = Shapes::of_output(kind);
        let Some(main) = kind?.main.as_deref() else {
            return Some(one.elements());
        };
        match one.follow(main) {
            // If the field isn't always a list, the section may show the whole output instead.
            Follow::To(list) if list.types() == Some(BTreeSet::from(["array"])) => {
                Reached::One(list).items()
            }
            Follow::To(_) | Follow::Unknown | Follow::Nowhere(_) => None,
        }
    }
}

fn never_runs(step: &PlannedStep) -> bool {
    let nothing: BTreeMap<String, serde_json::Value> = BTreeMap::new();
    step.condition.as_ref().is_some_and(|condition| {
        condition.mentions().is_empty() && condition.holds(&nothing) == Ok(false)
    })
}
