//! Attaches gates, waits, acceptance criteria and fan-outs to a step, and reads its `retry` and
//! `check`.

use serde::Deserialize;
use serde_json::Value;
use windlass_base::Diagnostic;
use windlass_plan::quote::cut;

use super::gates::Gates;
use super::{Growth, Here, spot};
use crate::document::{CheckDoc, CriterionDoc, FanOutDoc, Located, StepDoc};
use crate::draft::{UnitId, What};
use crate::{
    AcceptanceCriterion, CheckSpec, FanOut, FanOutOrder, NeedKind, RetryPolicy, SourceRole,
    WaitMode,
};

pub(super) struct Attachments<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Attachments<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    pub(super) fn attach_all(&mut self, unit: UnitId, doc: &Located<StepDoc>) {
        let here = self.here;
        if let Some(gate) = &doc.gate {
            let first_need = doc.all_needs().next().map(|need| need.value.as_str());
            Gates::new(self.growth, here).gate(unit, gate, first_need);
        }
        if let Some(waits) = &doc.waits_for {
            self.waits_for(unit, waits);
        }
        if let Some(acceptance) = &doc.acceptance {
            let criteria = self.acceptance(acceptance);
            let at = spot(here.source, acceptance);
            self.growth
                .attach(unit, What::Acceptance(criteria), at, here.scope, None);
        }
        if let Some(fan_out) = &doc.on_complete
            && let Some(planned) = self.fan_out(fan_out)
        {
            let at = spot(here.source, fan_out);
            self.growth
                .attach(unit, What::FanOut(planned), at, here.scope, None);
        }
    }

    fn waits_for(&mut self, unit: UnitId, text: &Located<String>) {
        let here = self.here;
        let at = spot(here.source, text);
        let filled = here.names.fill_id(text);
        let of = filled
            .strip_prefix("children-of(")
            .and_then(|rest| rest.strip_suffix(')'));
        let what = match (filled.as_str(), of) {
            // The step that creates the children is one of the unit's needs. We don't know all of
            // those yet, so `find_spawners` decides about it later.
            ("all-children", _) => What::Waits {
                mode: WaitMode::All,
                of: None,
            },
            ("any-children", _) => What::Waits {
                mode: WaitMode::Any,
                of: None,
            },
            (_, Some(of)) => {
                let name = of.trim().to_owned();
                // The children don't exist before that step has run, so we need it as well.
                self.growth
                    .draft
                    .need(unit, here.scope, name.clone(), NeedKind::WaitsFor, at);
                What::Waits {
                    mode: WaitMode::All,
                    of: Some(name),
                }
            }
            _ => {
                let message = format!("`{}` is not a valid `waits_for`", cut(&filled));
                let help = "write `all-children`, `any-children` or `children-of(STEP)`";
                self.growth.wrong(at, "waits-for", message, help);
                return;
            }
        };
        self.growth.attach(unit, what, at, here.scope, None);
    }

    fn acceptance(&mut self, part: &Located<Value>) -> Vec<AcceptanceCriterion> {
        let here = self.here;
        let words = match &part.value {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut criteria = Vec::new();
        for word in words {
            if let Value::String(text) = word {
                criteria.push(AcceptanceCriterion::Prose(here.names.fill(text)));
                continue;
            }
            let doc = CriterionDoc::deserialize(word).unwrap_or_default();
            match criterion(here, doc) {
                Some(criterion) => criteria.push(criterion),
                None => {
                    let message =
                        "a criterion needs exactly one of `command`, `file`, `grep` and `schema`";
                    self.growth.report(
                        spot(here.source, part),
                        Diagnostic::error("acceptance", message),
                    );
                }
            }
        }
        criteria
    }

    pub(super) fn retry(&mut self, doc: &StepDoc) -> Option<RetryPolicy> {
        let here = self.here;
        let retry = doc.retry.as_ref()?;
        if doc.check.is_some() || doc.ralph.is_some() {
            let message = format!(
                "step `{}` has both `retry` and `check`, which exclude each other",
                cut(&doc.id)
            );
            self.growth
                .refuse(spot(here.source, retry), message, "remove one of the two");
        }
        if retry.max_backoff.is_some() && retry.backoff.is_none() {
            let message = "`max_backoff` needs a `backoff`";
            self.growth
                .refuse(spot(here.source, retry), message, "add `backoff = \"10s\"`");
        }
        let mut duration = |text: &Option<Located<String>>| {
            text.as_ref()
                .and_then(|text| self.growth.duration(here, text))
        };
        Some(RetryPolicy {
            max_attempts: retry.max_attempts,
            on_exhausted: retry.on_exhausted.unwrap_or_default(),
            backoff: duration(&retry.backoff),
            max_backoff: duration(&retry.max_backoff),
        })
    }

    pub(super) fn check(&mut self, doc: &StepDoc) -> Option<CheckSpec> {
        let here = self.here;
        if let (Some(_), Some(older)) = (&doc.check, &doc.ralph) {
            let message = "`ralph` is the older name of `check`, and both are given";
            self.growth
                .refuse(spot(here.source, older), message, "remove one of the two");
        }
        let part: &Located<CheckDoc> = doc.check.as_ref().or(doc.ralph.as_ref())?;
        let inner = part.check.as_ref();
        if let Some(inner) = inner
            && (part.path.is_some() || part.mode.is_some())
        {
            let message = "the program of the check is named twice";
            self.growth
                .refuse(spot(here.source, inner), message, "remove one of the two");
        }
        let path = inner.map(|inner| &inner.path).or(part.path.as_ref());
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            let message = format!("the check of step `{}` has no program", cut(&doc.id));
            let help = "add `path = \"scripts/…\"`";
            self.growth
                .wrong(spot(here.source, part), "check", message, help);
            return None;
        };
        let timeout = inner
            .and_then(|inner| inner.timeout.as_ref())
            .or(part.timeout.as_ref());
        Some(CheckSpec {
            path: here.names.fill(path),
            timeout: timeout.and_then(|text| self.growth.duration(here, text)),
            max_attempts: part.max_attempts.unwrap_or(1),
        })
    }

    fn fan_out(&mut self, doc: &Located<FanOutDoc>) -> Option<FanOut> {
        let here = self.here;
        let at = spot(here.source, doc);
        let list = here.names.fill(&doc.for_each);
        let fields: Vec<String> = list.split('.').skip(1).map(str::to_owned).collect();
        if !list.starts_with("output.") || fields.iter().any(String::is_empty) {
            let message = format!("`{}` is not a list in the step's output", cut(&list));
            let at = spot(here.source, &doc.for_each);
            self.growth
                .wrong(at, "for-each", message, "write `output.FIELD`");
            return None;
        }
        if doc.parallel == Some(true) && doc.sequential == Some(true) {
            let message = "`parallel` and `sequential` exclude each other";
            self.growth
                .refuse(at, message, "remove `parallel` or `sequential`");
        }
        let formula = here.names.fill(&doc.bond);
        let bond = spot(here.source, &doc.bond);
        let vars = doc.vars.iter().flatten();
        let vars = vars
            .map(|(name, value)| (name.clone(), here.names.fill(&value.0)))
            .collect();
        let place = self.growth.place(bond);
        let bonded = self.growth.formula(&formula, SourceRole::FanOut, place)?;
        // The result isn't used. We only bind the values to report any problems while the author is
        // looking at this formula.
        self.growth.bound(&bonded, &vars, at);
        let one_by_one = doc.sequential == Some(true) || doc.parallel == Some(false);
        let order = if one_by_one {
            FanOutOrder::Sequential
        } else {
            FanOutOrder::Parallel
        };
        Some(FanOut {
            for_each: fields,
            formula,
            vars,
            order,
        })
    }
}

fn criterion(here: &Here<'_>, doc: CriterionDoc) -> Option<AcceptanceCriterion> {
    let fill = |words: Vec<String>| -> Vec<String> {
        words.iter().map(|word| here.names.fill(word)).collect()
    };
    let grep = doc.grep.map(|grep| AcceptanceCriterion::Grep {
        pattern: here.names.fill(&grep.pattern),
        paths: fill(grep.paths.unwrap_or_default()),
    });
    let file = doc.file.map(|file| here.names.fill(&file));
    let schema = doc.schema.map(Value::Object);
    let all = [
        doc.command.map(fill).map(AcceptanceCriterion::Command),
        file.map(AcceptanceCriterion::File),
        grep,
        schema.map(AcceptanceCriterion::Schema),
    ];
    let mut all = all.into_iter().flatten();
    match (all.next(), all.next()) {
        (Some(AcceptanceCriterion::Command(words)), None) if words.is_empty() => None,
        (one, None) => one,
        (_, Some(_)) => None,
    }
}
