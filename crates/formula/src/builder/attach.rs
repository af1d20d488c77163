//! What is said of a step beside the work itself: gates, waiting, acceptance, attempts, fan-out, arguments.

use serde::Deserialize;
use serde_json::Value;
use windlass_base::Diagnostic;
use windlass_plan::quote::cut;

use super::{Builder, Here, spot};
use crate::document::{CheckDoc, CriterionDoc, FanOutDoc, Located, StepDoc};
use crate::draft::{Attached, ScopeId, Spot, UnitId, What};
use crate::{
    AcceptanceCriterion, CheckSpec, FanOut, FanOutOrder, NeedKind, RetryPolicy, SourceRole,
    WaitMode,
};

impl Builder<'_, '_> {
    pub(crate) fn attach(
        &mut self,
        unit: UnitId,
        what: What,
        spot: Spot,
        scope: ScopeId,
        itself: Option<UnitId>,
    ) {
        self.draft.attached.push(Attached {
            unit,
            what,
            spot,
            scope,
            itself,
        });
    }

    /// Attaches all that is said of a step and lands on the first or last steps of its unit.
    pub(crate) fn attach_all(&mut self, unit: UnitId, here: &Here<'_>, doc: &Located<StepDoc>) {
        if let Some(gate) = &doc.gate {
            let first_need = doc.all_needs().next().map(|need| need.value.as_str());
            self.gate(unit, here, gate, first_need);
        }
        if let Some(waits) = &doc.waits_for {
            self.waits_for(unit, here, waits);
        }
        if let Some(acceptance) = &doc.acceptance {
            let criteria = self.acceptance(here, acceptance);
            let at = spot(here.source, acceptance);
            self.attach(unit, What::Acceptance(criteria), at, here.scope, None);
        }
        if let Some(fan_out) = &doc.on_complete
            && let Some(planned) = self.fan_out(here, fan_out)
        {
            let at = spot(here.source, fan_out);
            self.attach(unit, What::FanOut(planned), at, here.scope, None);
        }
    }

    fn waits_for(&mut self, unit: UnitId, here: &Here<'_>, text: &Located<String>) {
        let at = spot(here.source, text);
        let filled = here.names.fill_id(text);
        let of = filled
            .strip_prefix("children-of(")
            .and_then(|rest| rest.strip_suffix(')'));
        let what = match (filled.as_str(), of) {
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
                self.draft
                    .need(unit, here.scope, name.clone(), NeedKind::WaitsFor, at);
                What::Waits {
                    mode: WaitMode::All,
                    of: Some(name),
                }
            }
            _ => {
                let message = format!("`{}` is nothing a step can wait for", cut(&filled));
                let help = "write `all-children`, `any-children` or `children-of(STEP)`";
                self.report(at, Diagnostic::error("waits-for", message).help(help));
                return;
            }
        };
        self.attach(unit, what, at, here.scope, None);
    }

    fn acceptance(&mut self, here: &Here<'_>, part: &Located<Value>) -> Vec<AcceptanceCriterion> {
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
                        "a criterion has exactly one of `command`, `file`, `grep` and `schema`";
                    self.report(
                        spot(here.source, part),
                        Diagnostic::error("acceptance", message),
                    );
                }
            }
        }
        criteria
    }

    pub(crate) fn retry(&mut self, here: &Here<'_>, doc: &StepDoc) -> Option<RetryPolicy> {
        let retry = doc.retry.as_ref()?;
        if doc.check.is_some() || doc.ralph.is_some() {
            let message = format!(
                "step `{}` has both `retry` and `check`, which both say when it is tried again",
                cut(&doc.id)
            );
            self.refuse(spot(here.source, retry), message, "remove one of the two");
        }
        if retry.max_backoff.is_some() && retry.backoff.is_none() {
            let message =
                "there is a longest wait, and no first one that could grow to it".to_owned();
            self.refuse(spot(here.source, retry), message, "add `backoff = \"10s\"`");
        }
        let mut duration = |text: &Option<Located<String>>| {
            text.as_ref().and_then(|text| self.duration(here, text))
        };
        Some(RetryPolicy {
            max_attempts: retry.max_attempts,
            on_exhausted: retry.on_exhausted.unwrap_or_default(),
            backoff: duration(&retry.backoff),
            max_backoff: duration(&retry.max_backoff),
        })
    }

    pub(crate) fn check(&mut self, here: &Here<'_>, doc: &StepDoc) -> Option<CheckSpec> {
        if let (Some(_), Some(older)) = (&doc.check, &doc.ralph) {
            let message = "`ralph` is the older name of `check`: there are both".to_owned();
            self.refuse(spot(here.source, older), message, "remove one of the two");
        }
        let part: &Located<CheckDoc> = doc.check.as_ref().or(doc.ralph.as_ref())?;
        let inner = part.check.as_ref();
        if let Some(inner) = inner
            && (part.path.is_some() || part.mode.is_some())
        {
            let message = "the program of the check is named twice".to_owned();
            self.refuse(spot(here.source, inner), message, "remove one of the two");
        }
        let path = inner.map(|inner| &inner.path).or(part.path.as_ref());
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            let message = format!("the check of step `{}` names no program", cut(&doc.id));
            let help = "add `path = \"scripts/…\"`";
            self.report(
                spot(here.source, part),
                Diagnostic::error("check", message).help(help),
            );
            return None;
        };
        let timeout = inner
            .and_then(|inner| inner.timeout.as_ref())
            .or(part.timeout.as_ref());
        Some(CheckSpec {
            path: here.names.fill(path),
            timeout: timeout.and_then(|text| self.duration(here, text)),
            max_attempts: part.max_attempts.unwrap_or(1),
        })
    }

    fn fan_out(&mut self, here: &Here<'_>, doc: &Located<FanOutDoc>) -> Option<FanOut> {
        let at = spot(here.source, doc);
        let list = here.names.fill(&doc.for_each);
        let fields: Vec<String> = list.split('.').skip(1).map(str::to_owned).collect();
        if !list.starts_with("output.") || fields.iter().any(String::is_empty) {
            let message = format!("`{}` names no list of the step's output", cut(&list));
            let diagnostic = Diagnostic::error("for-each", message).help("write `output.FIELD`");
            self.report(spot(here.source, &doc.for_each), diagnostic);
            return None;
        }
        if doc.parallel == Some(true) && doc.sequential == Some(true) {
            let message = "the molecules are to be done at once and one after the other".to_owned();
            self.refuse(at, message, "remove `parallel` or `sequential`");
        }
        let formula = here.names.fill(&doc.bond);
        let bond = spot(here.source, &doc.bond);
        let vars = doc.vars.iter().flatten();
        let vars = vars
            .map(|(name, value)| (name.clone(), here.names.fill(&value.0)))
            .collect();
        let place = self.place(bond);
        let bonded = self.formula(&formula, SourceRole::FanOut, place)?;
        self.bound(&bonded, &vars, at);
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
    match doc {
        CriterionDoc {
            command: Some(command),
            file: None,
            grep: None,
            schema: None,
        } if !command.is_empty() => Some(AcceptanceCriterion::Command(fill(command))),
        CriterionDoc {
            command: None,
            file: Some(file),
            grep: None,
            schema: None,
        } => Some(AcceptanceCriterion::File(here.names.fill(&file))),
        CriterionDoc {
            command: None,
            file: None,
            grep: Some(grep),
            schema: None,
        } => Some(AcceptanceCriterion::Grep {
            pattern: here.names.fill(&grep.pattern),
            paths: fill(grep.paths.unwrap_or_default()),
        }),
        CriterionDoc {
            command: None,
            file: None,
            grep: None,
            schema: Some(schema),
        } => Some(AcceptanceCriterion::Schema(Value::Object(schema))),
        _ => None,
    }
}
