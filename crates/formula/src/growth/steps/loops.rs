//! Loops: a body of steps that is repeated in sequence.
//!
//! Each iteration becomes a group of its own. For example, a loop `retry` over a step `build` turns
//! into the steps `retry.iter1.build`, `retry.iter2.build` and so on. With `until`, we build the
//! maximum number of iterations, and the scheduler skips those that are not needed.

use windlass_base::Diagnostic;
use windlass_plan::quote::cut;

use super::Steps;
use crate::document::{Located, LoopDoc, Scalar, StepDoc};
use crate::draft::{Port, ScopeId, Spot, UnitId, What};
use crate::growth::{Growth, Here, spot};
use crate::loop_range::{number, range};
use crate::placeholders::{Local, Names, Values};
use crate::run_condition::run_condition;
use crate::{NeedKind, RunCondition, Via};

/// The iterations of a loop. `first` is the value of `var` in the first iteration, and `until` may
/// end the loop early.
struct Times {
    first: i64,
    count: u32,
    until: Option<(RunCondition, Spot)>,
}

pub(super) struct Loops<'g, 'l, 'b> {
    growth: &'g mut Growth<'l, 'b>,
    here: &'g Here<'g>,
}

impl<'g, 'l, 'b> Loops<'g, 'l, 'b> {
    pub(super) fn new(growth: &'g mut Growth<'l, 'b>, here: &'g Here<'g>) -> Self {
        Self { growth, here }
    }

    pub(super) fn repeat(&mut self, doc: &Located<StepDoc>, raw: &str, id: &str) -> Option<UnitId> {
        let here = self.here;
        let part = doc.repeat.as_ref()?;
        let at = spot(here.source, part);
        Steps::new(self.growth, here).refuse_own_work(doc, "is a loop");
        if doc.on_complete.is_some() || doc.expand.is_some() {
            let message = format!(
                "step `{}` is a loop, which cannot have `on_complete` or `expand`",
                cut(raw)
            );
            self.growth
                .refuse(at, message, "move the field to a step in the body");
        }
        if part.body.is_empty() {
            let message = format!("the loop `{}` has no body", cut(raw));
            self.growth
                .wrong(at, "loop", message, "add `body` with its steps");
            return None;
        }
        let times = self.times(part, at)?;
        let whole = self
            .growth
            .draft
            .group(id.to_owned(), spot(here.source, doc), NeedKind::Loop);
        let body = self.growth.least_steps(here.source, &part.body);
        let least = body.saturating_mul(times.count as usize);
        if !self.growth.room_for(least, at) {
            return Some(whole);
        }
        let around = here.around(doc);
        let here = Here {
            around: &around,
            depth: here.depth + 1,
            ..*here
        };
        let mut before: Option<(UnitId, ScopeId)> = None;
        for iteration in 1..=times.count {
            let value = times.first + i64::from(iteration - 1);
            // Above, we've only compared the number of steps. The texts may exceed their limit
            // before we're done.
            if !self.growth.room_for(0, at) {
                break;
            }
            let (unit, scope) =
                Loops::new(self.growth, &here).iteration(part, id, iteration, value);
            self.growth.draft.put(whole, unit);
            if let Some((before, _)) = before {
                self.growth.draft.link(
                    (unit, Port::Start),
                    (before, Port::End),
                    NeedKind::Loop,
                    at,
                );
            }
            if let Some((condition, at)) = &times.until {
                let last = iteration == times.count;
                self.until((unit, scope), before, last, condition, *at);
            }
            before = Some((unit, scope));
            if self.growth.is_full() {
                break;
            }
        }
        Some(whole)
    }

    fn iteration(
        &mut self,
        part: &LoopDoc,
        id: &str,
        iteration: u32,
        value: i64,
    ) -> (UnitId, ScopeId) {
        let here = self.here;
        let name = format!("{id}.iter{iteration}");
        // An iteration has no position of its own, so messages point to the first step of the body.
        let spot = part
            .body
            .first()
            .map(|step| spot(here.source, step))
            .unwrap_or_default();
        let unit = self.growth.draft.group(name.clone(), spot, NeedKind::Loop);
        let scope = self.growth.draft.scope(Some(here.scope));
        let local: Vec<Local> = part
            .var
            .iter()
            .map(|var| Local::new(var.value.clone(), value.to_string()))
            .collect();
        let none = Values::new();
        let names = Names {
            vars: &none,
            in_braces: false,
            local: &local,
            outer: Some(here.names),
            room: here.names.room,
        };
        let mut via = here.via.to_vec();
        via.push(Via::Loop {
            step: id.to_owned(),
            iteration,
        });
        let here = Here {
            names: &names,
            prefix: &format!("{name}."),
            scope,
            via: &via,
            ..*here
        };
        for step in &part.body {
            if let Some(step) = Steps::new(self.growth, &here).step(step) {
                self.growth.draft.put(unit, step);
            }
        }
        (unit, scope)
    }

    /// Adds the conditions for `until`.
    ///
    /// All iterations are part of the graph from the start. Once `until` holds, the later ones have
    /// to be skipped, and if it never does, the last iteration fails.
    fn until(
        &mut self,
        (unit, scope): (UnitId, ScopeId),
        before: Option<(UnitId, ScopeId)>,
        is_last: bool,
        condition: &RunCondition,
        at: Spot,
    ) {
        // The condition is evaluated before this iteration. Its names refer to the steps of the
        // previous one, hence the other scope.
        if let Some((before, scope)) = before {
            let what = What::RunIf {
                holds: false,
                condition: condition.clone(),
            };
            self.growth.attach(unit, what, at, scope, Some(before));
        }
        if is_last {
            let what = What::MustHold(condition.clone());
            self.growth.attach(unit, what, at, scope, Some(unit));
        }
    }

    fn times(&mut self, part: &LoopDoc, at: Spot) -> Option<Times> {
        let here = self.here;
        if let (Some(max), None) = (&part.max, &part.until) {
            let message = "`max` needs `until`";
            let help = "remove `max`, or add the condition that ends it: `until = \"…\"`";
            self.growth.refuse(spot(here.source, max), message, help);
        }
        let max = match &part.max {
            Some(max) => Some(self.loop_number(max, "max")?),
            None => None,
        };
        match (&part.count, &part.range, &part.until) {
            (Some(count), None, None) => {
                let count = self.loop_number(count, "count")?;
                Some(Times {
                    first: 1,
                    count,
                    until: None,
                })
            }
            (None, Some(text), None) => self.loop_range(text),
            (None, None, Some(text)) => {
                let condition = match run_condition(&here.names.fill(text)) {
                    Ok(condition) => condition,
                    Err((why, help)) => {
                        let message = format!("invalid loop condition: {why}");
                        self.growth
                            .wrong(spot(here.source, text), "condition", message, help);
                        return None;
                    }
                };
                let Some(count) = max else {
                    let message = "a loop with `until` needs a maximum number of iterations";
                    self.growth.wrong(at, "loop", message, "add `max = 5`");
                    return None;
                };
                // We build as many iterations as are allowed. At run time, those after the
                // condition has been met are skipped.
                let until = Some((condition, spot(here.source, text)));
                Some(Times {
                    first: 1,
                    count,
                    until,
                })
            }
            _ => {
                let message = "a loop needs exactly one of `count`, `range` and `until`";
                self.growth.report(at, Diagnostic::error("loop", message));
                None
            }
        }
    }

    fn loop_number(&mut self, part: &Located<Scalar>, what: &str) -> Option<u32> {
        let here = self.here;
        let text = here.names.fill(&part.value.0);
        let text = self.with_variables(&text);
        let wrong = match number(&text) {
            Ok(count) => match u32::try_from(count) {
                Ok(count) if count > 0 => return Some(count),
                _ => "expected at least 1".to_owned(),
            },
            // Build one iteration for now, so that at least the body gets checked.
            Err(_) if self.is_still_open(&text) => return Some(1),
            Err(why) => why,
        };
        let message = format!("`{what}` of the loop is `{}`: {wrong}", cut(&text));
        self.growth
            .report(spot(here.source, part), Diagnostic::error("loop", message));
        None
    }

    fn loop_range(&mut self, part: &Located<String>) -> Option<Times> {
        let here = self.here;
        let at = spot(here.source, part);
        let text = here.names.fill(part);
        let text = self.with_variables(&text);
        let wrong = match range(&text) {
            Ok((first, last)) if last < first => {
                format!("the last number, {last}, comes before the first, {first}")
            }
            Ok((first, last)) => match last.checked_sub(first).map(u32::try_from) {
                Some(Ok(more)) if more < u32::MAX => {
                    return Some(Times {
                        first,
                        count: more + 1,
                        until: None,
                    });
                }
                _ => "it is too long".to_owned(),
            },
            // As in `loop_number`, build a single iteration, so that the body gets checked at
            // least.
            Err(_) if self.is_still_open(&text) => {
                return Some(Times {
                    first: 1,
                    count: 1,
                    until: None,
                });
            }
            Err(why) => why,
        };
        let message = format!("invalid loop range `{}`: {wrong}", cut(&text));
        self.growth
            .report(at, Diagnostic::error("loop-range", message));
        None
    }

    /// Fills variables into a number expression.
    ///
    /// In texts, `{disks}` would only refer to a local name, but authors write `1..2^{disks}` for
    /// variables as well.
    fn with_variables(&self, text: &str) -> String {
        let scopes = self.here.names.scopes();
        scopes.fold(text.to_owned(), |filled, names| {
            let braced = Names {
                in_braces: true,
                ..*names
            };
            braced.fill(&filled)
        })
    }

    /// True if the text may become a number once all of its variables have values.
    fn is_still_open(&self, text: &str) -> bool {
        self.growth.open && text.contains('{')
    }
}
