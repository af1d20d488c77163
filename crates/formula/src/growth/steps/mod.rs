//! Builds the steps of a document and their children.

mod expander;
mod loops;

use windlass_base::Diagnostic;
use windlass_plan::quote::{cut, near};

use self::expander::Expander;
use self::loops::Loops;
use super::attachments::Attachments;
use super::drains::Drains;
use super::step_arguments::StepArguments;
use super::step_control::StepControl;
use super::surroundings::{both, deduplicated};
use super::{Around, Growth, Here, MAX_DEPTH, NAME_BYTES, spot};
use crate::decide::{Decision, decide};
use crate::document::{Located, StepDoc};
use crate::draft::{Port, Spot, UnitId, What};
use crate::merge::Part;
use crate::run_condition::run_condition;
use crate::{CookedStep, NeedKind, RunCondition, Via};

/// The memory we count for a unit, in addition to its texts. This is only a rough estimate.
const UNIT_BYTES: usize = 256;

/// Common types of work.
///
/// We accept any other type with a warning, because projects may have types of their own.
const WORK_TYPES: [&str; 14] = [
    "task",
    "bug",
    "feature",
    "epic",
    "chore",
    "docs",
    "question",
    "merge-request",
    "gate",
    "human",
    "parallel",
    "verification",
    "research",
    "message",
];

pub(super) struct Steps<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Steps<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    pub(super) fn steps(&mut self, group: UnitId, parts: &[Part<StepDoc>]) {
        let here = self.here;
        for part in parts {
            let inherited = part
                .from
                .as_ref()
                .map(|from| Via::Extends(from.to_string()));
            let via: Vec<Via> = here.via.iter().cloned().chain(inherited).collect();
            let here = Here {
                source: part.source,
                via: &via,
                ..*here
            };
            if let Some(unit) = Steps::new(self.growth, &here).step(&part.item) {
                self.growth.draft.put(group, unit);
            }
        }
    }

    /// Builds a step along with its expansion, loop or children. Returns `None` if the step is
    /// invalid or a limit is exceeded.
    pub(super) fn step(&mut self, doc: &Located<StepDoc>) -> Option<UnitId> {
        let here = self.here;
        let at = spot(here.source, doc);
        if here.depth > MAX_DEPTH {
            let message = format!("steps are nested more than {MAX_DEPTH} deep here");
            self.growth
                .report(at, Diagnostic::error("too-deep", message));
            return None;
        }
        // Units without a step use memory too. For example, nested templates with empty loops could
        // create any number of them.
        if !self.growth.room_for(0, at) {
            return None;
        }
        let raw = here.names.fill_id(&doc.id);
        let id = format!("{}{raw}", here.prefix);
        self.growth.grow(UNIT_BYTES + 2 * id.len());
        if !self.growth.check_id(&id, spot(here.source, &doc.id)) {
            return None;
        }
        let (decision, condition) = self.condition(doc);
        let undecided = doc.condition.as_ref();
        let undecided = undecided.filter(|_| decision == Decision::Undecided);
        // Everything inside depends on the same condition, so all steps have to carry it.
        let around = undecided.map(|text| {
            let mut around = here.around.clone();
            around.undecided.push(text.value.clone());
            around
        });
        let around_here = Here {
            around: around.as_ref().unwrap_or(here.around),
            ..*here
        };
        if doc.expand.is_none() && doc.expand_vars.is_some() {
            let message = format!("step `{}` has `expand_vars`, but no `expand`", cut(&raw));
            self.growth.refuse(
                at,
                message,
                "add `expand = \"FORMULA\"`, or remove `expand_vars`",
            );
        }
        let unit = if doc.repeat.is_some() {
            Loops::new(self.growth, &around_here).repeat(doc, &raw, &id)?
        } else {
            let mut expander = Expander::new(self.growth, &around_here);
            match expander.expansion_of(doc, &raw, &id) {
                Some(expansion) => expander.expand(doc, &raw, &id, &expansion)?,
                None => Steps::new(self.growth, &around_here).leaf(doc, id)?,
            }
        };
        if decision == Decision::LeftOut {
            self.growth.draft.units[unit].left_out =
                doc.condition.as_ref().map(|text| text.value.clone());
        }
        self.growth.draft.name(here.scope, &raw, unit);
        for need in doc.all_needs() {
            self.growth.grow(NAME_BYTES);
            let name = here.names.fill_id(need);
            let at = spot(here.source, need);
            self.growth
                .draft
                .need(unit, here.scope, name, NeedKind::Needs, at);
        }
        if let (Some(condition), Some(text)) = (condition, &doc.condition) {
            let what = What::RunIf {
                holds: true,
                condition,
            };
            self.growth
                .attach(unit, what, spot(here.source, text), here.scope, None);
        }
        Attachments::new(self.growth, here).attach_all(unit, doc);
        self.growth.report_undeclared(at, here.names);
        Some(unit)
    }

    /// Decides a step's condition.
    ///
    /// If it can only be decided at run time, the step stays, and we return the parsed condition.
    fn condition(&mut self, doc: &StepDoc) -> (Decision, Option<RunCondition>) {
        let here = self.here;
        let Some(text) = doc
            .condition
            .as_ref()
            .filter(|text| !text.trim().is_empty())
        else {
            return (Decision::Stays, None);
        };
        let at = spot(here.source, text);
        match decide(text, here.names, self.growth.open) {
            Some(Ok(decision)) => (decision, None),
            Some(Err((message, help))) => {
                self.growth.wrong(at, "unknown-variable", message, help);
                (Decision::Stays, None)
            }
            None => match run_condition(&here.names.fill(text)) {
                Ok(condition) => (Decision::Stays, Some(condition)),
                Err((why, help)) => {
                    let help = format!(
                        "write `{{{{x}}}}`, `!{{{{x}}}}` or `{{{{x}}}} == VALUE` for a variable; for a condition at run time, {help}"
                    );
                    let message = format!("invalid condition: {why}");
                    self.growth.wrong(at, "condition", message, help);
                    (Decision::Stays, None)
                }
            },
        }
    }

    fn leaf(&mut self, doc: &Located<StepDoc>, id: String) -> Option<UnitId> {
        let here = self.here;
        let at = spot(here.source, doc);
        if !self.growth.room_for(1, at) {
            return None;
        }
        let step = self.cooked(doc, id.clone());
        self.growth.count(&step);
        let unit = self.growth.draft.leaf(step, at);
        self.growth.draft.units[unit].container = here.container;
        StepArguments::new(self.growth, here).refer(unit, doc);
        StepControl::new(self.growth, here, at).apply(unit);
        let Some(children) = doc
            .children
            .as_ref()
            .filter(|children| !children.is_empty())
        else {
            return Some(unit);
        };
        self.refuse_limits_of_container(doc);
        // `whole` gets the needs of the container, which thereby apply to the children as well.
        // Inside of it, the container's own step waits for the children.
        let whole = self.growth.draft.group(id.clone(), at, NeedKind::Parent);
        let inside = self.growth.draft.group(id, at, NeedKind::Parent);
        self.growth.draft.put(whole, unit);
        self.growth.draft.put(whole, inside);
        let (from, to) = ((unit, Port::Start), (inside, Port::End));
        self.growth.draft.link(from, to, NeedKind::Child, at);
        // Children don't inherit labels or an assignee from their container. They're steps in their
        // own right, while the steps of a template take the place of another step.
        let empty = Around {
            undecided: here.around.undecided.clone(),
            ..Around::default()
        };
        let here = Here {
            container: Some(unit),
            around: &empty,
            depth: here.depth + 1,
            ..*here
        };
        for child in children {
            if let Some(child) = Steps::new(self.growth, &here).step(child) {
                self.growth.draft.put(inside, child);
            }
        }
        Some(whole)
    }

    /// Rejects `retry`, `timeout` and `pack` on a container without work of its own, since there'd
    /// be nothing to retry.
    fn refuse_limits_of_container(&mut self, doc: &Located<StepDoc>) {
        let asks_for_more = doc.uses.is_some()
            || doc.interactive == Some(true)
            || doc.check.is_some()
            || doc.ralph.is_some()
            || doc.on_complete.is_some()
            || doc.acceptance.is_some();
        let limits = [
            ("retry", doc.retry.is_some()),
            ("timeout", doc.timeout.is_some()),
            ("pack", doc.pack.is_some()),
        ];
        for (field, _) in limits.iter().filter(|(_, there)| *there && !asks_for_more) {
            let message = format!(
                "step `{}` completes with the steps it contains, so it cannot have `{field}`",
                cut(&doc.id)
            );
            let help = format!("move `{field}` to the steps that it contains");
            self.growth
                .refuse(spot(self.here.source, doc), message, &help);
        }
    }

    fn cooked(&mut self, doc: &Located<StepDoc>, id: String) -> CookedStep {
        let here = self.here;
        let fill = |text: &Option<String>| text.as_deref().map(|text| here.names.fill(text));
        let around = here.around;
        let at = spot(here.source, doc);
        let title = fill(&doc.title).filter(|title| !title.trim().is_empty());
        let title = title.unwrap_or_else(|| {
            let message = format!("step `{}` has no title", cut(&id));
            let finding = Diagnostic::warning("missing-title", message);
            self.growth.report(
                at,
                finding.help("add `title = …`; its name is used until then"),
            );
            id.clone()
        });
        // Labels and metadata add to those from around the step. Most of the other fields replace
        // them.
        let mut labels = around.labels.clone();
        labels.extend(doc.all_labels().map(|label| here.names.fill(label)));
        let labels = deduplicated(labels);
        let mut metadata = around.metadata.clone();
        metadata.extend(here.names.fill_map(doc.metadata.as_ref()));
        let kind = self.kind(doc, at);
        let runs_on = self.runs_on(doc);
        CookedStep {
            title,
            description: self.description(doc),
            notes: both(&around.notes, fill(&doc.notes)),
            kind: kind.or_else(|| around.kind.clone()),
            priority: doc.priority.or(around.priority),
            labels,
            runs_on,
            metadata,
            assignee: fill(&doc.assignee).or_else(|| around.assignee.clone()),
            agent: fill(&doc.agent).or_else(|| around.agent.clone()),
            undecided: around.undecided.clone(),
            retry: Attachments::new(self.growth, here).retry(doc),
            check: Attachments::new(self.growth, here).check(doc),
            timeout: doc
                .timeout
                .as_ref()
                .and_then(|text| self.growth.duration(here, text)),
            uses: doc.uses.as_ref().map(|uses| uses.value.clone()),
            with: StepArguments::new(self.growth, here).arguments(doc),
            pack: StepArguments::new(self.growth, here).pack(doc),
            drain: Drains::new(self.growth, here).drain(doc),
            parallel: doc.parallel.or(around.parallel),
            interactive: doc.interactive.unwrap_or(around.interactive),
            review_only: doc.review_only.unwrap_or(around.review_only),
            ..CookedStep::new(id, self.growth.origin(at, here.via))
        }
    }

    /// Returns the labels that a machine needs to have for a step.
    ///
    /// An agent is not bound to a machine, so labels are an error on steps for agents.
    fn runs_on(&mut self, doc: &Located<StepDoc>) -> Vec<String> {
        let labels = doc.runs_on.iter().flatten();
        let labels: Vec<String> = labels.map(|label| self.here.names.fill(label)).collect();
        let at = spot(self.here.source, doc);
        if !labels.is_empty() && doc.uses.is_none() {
            let message = format!(
                "step `{}` has `runs_on`, but an agent performs it",
                cut(&doc.id)
            );
            let help = "add `uses = KIND`, or name the agent with `assignee`";
            self.growth.refuse(at, message, help);
        }
        let is_plain = |label: &String| {
            let mut chars = label.chars();
            !label.is_empty() && chars.all(|c| !c.is_whitespace() && !c.is_control() && c != ',')
        };
        if let Some(label) = labels.iter().find(|label| !is_plain(label)) {
            let message = format!("`{}` is not a label", cut(label));
            let help = "use a word without spaces and commas, such as `gpu`";
            self.growth.refuse(at, message, help);
        }
        deduplicated(labels)
    }

    fn kind(&mut self, doc: &StepDoc, at: Spot) -> Option<String> {
        let kind = self.here.names.fill(doc.kind.as_deref()?);
        if !WORK_TYPES.contains(&kind.as_str()) {
            let message = format!("unknown type of work `{}`", cut(&kind));
            let mut finding = Diagnostic::warning("step-type", message);
            finding.help = near(&kind, WORK_TYPES).map(|near| format!("did you mean `{near}`?"));
            self.growth.report(at, finding);
        }
        Some(kind)
    }

    fn description(&mut self, doc: &StepDoc) -> String {
        let here = self.here;
        let Some(path) = &doc.description_file else {
            return doc
                .description
                .as_deref()
                .map(|text| here.names.fill(text))
                .unwrap_or_default();
        };
        let filled = here.names.fill(path);
        let text = self
            .growth
            .library
            .text_beside(here.source, path, filled, self.growth.found);
        text.map(|text| here.names.fill(&text)).unwrap_or_default()
    }

    /// Reports fields that a loop or an expanded step cannot pass on to the steps in its place.
    pub(super) fn refuse_own_work(&mut self, doc: &Located<StepDoc>, what: &str) {
        let own = [
            ("children", doc.children.is_some()),
            ("uses", doc.uses.is_some()),
            ("with", doc.arguments.is_some()),
            ("retry", doc.retry.is_some()),
            ("check", doc.check.is_some()),
            ("ralph", doc.ralph.is_some()),
            ("timeout", doc.timeout.is_some()),
            ("pack", doc.pack.is_some()),
            ("drain", doc.drain.is_some()),
            ("runs_on", doc.runs_on.is_some()),
        ];
        for (field, _) in own.iter().filter(|(_, there)| *there) {
            let message = format!(
                "step `{}` {what}, so it cannot have `{field}`",
                cut(&doc.id)
            );
            let help = format!("move `{field}` to the steps that replace it");
            self.growth
                .refuse(spot(self.here.source, doc), message, &help);
        }
    }
}
