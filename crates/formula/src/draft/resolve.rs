//! Looks up units by name, and turns needs by name into links.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use windlass_base::Diagnostic;
use windlass_plan::Findings;
use windlass_plan::quote::{cut, listed, near};

use super::{Draft, Link, Port, ScopeId, UnitId};
use crate::NeedKind;
use crate::library::Library;

/// Finds units by their names in the cooked formula, e.g. `retry.iter2.build`.
///
/// Most names are found in a scope, so we only build the index when it's first needed. It covers
/// the units that existed when this struct was created.
#[derive(Debug)]
pub(crate) struct ByFinalId {
    count: usize,
    names: OnceCell<BTreeMap<String, Vec<UnitId>>>,
}

impl ByFinalId {
    pub(crate) fn of(draft: &Draft) -> Self {
        Self {
            count: draft.units.len(),
            names: OnceCell::new(),
        }
    }

    pub(crate) fn get(&self, draft: &Draft, name: &str) -> &[UnitId] {
        let names = self.names(draft);
        names.get(name).map_or(&[][..], Vec::as_slice)
    }

    pub(crate) fn names(&self, draft: &Draft) -> &BTreeMap<String, Vec<UnitId>> {
        self.names.get_or_init(|| {
            let mut names: BTreeMap<String, Vec<UnitId>> = BTreeMap::new();
            for (at, unit) in draft.units.iter().take(self.count).enumerate() {
                names.entry(unit.id.clone()).or_default().push(at);
            }
            names
        })
    }
}

impl Draft {
    /// Looks up a name in a scope and in the scopes around it.
    ///
    /// If none of them has the name, we fall back to the names in the cooked formula.
    pub(crate) fn find(&self, scope: ScopeId, name: &str, all: &ByFinalId) -> Vec<UnitId> {
        let named = |here: ScopeId| self.scopes[here].names.get(name);
        if let Some(units) = self.scopes_around(scope).find_map(named) {
            return units.clone();
        }
        // Several nested units may have that name. For example, a step with children is part of a
        // group with the same ID. The outermost unit represents all of them.
        let units = all.get(self, name);
        let inside = |unit: &UnitId| {
            let others = units.iter().filter(|other| *other != unit);
            others
                .into_iter()
                .any(|other| self.is_within(*unit, *other))
        };
        units.iter().copied().filter(|unit| !inside(unit)).collect()
    }

    pub(crate) fn needs_by_name(&self, unit: UnitId) -> Vec<String> {
        let own = self.pending.iter().filter(|pending| pending.from == unit);
        own.map(|pending| pending.name.clone()).collect()
    }

    fn scopes_around(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(scope), |here| self.scopes[*here].outer)
    }

    /// Builds the error for a reference to an unknown step. The message starts with `what`, e.g.
    /// "step `a` needs".
    pub(crate) fn unknown_step(&self, scope: ScopeId, what: &str, name: &str) -> Diagnostic {
        let message = format!("{what} `{}`, which does not exist", cut(name));
        let names = |here: ScopeId| self.scopes[here].names.keys().map(String::as_str);
        let known: Vec<&str> = self.scopes_around(scope).flat_map(names).collect();
        let help = match near(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "the formula has no steps here".to_owned(),
            None => format!("known steps: {}", listed(known.iter().copied())),
        };
        Diagnostic::error("unknown-step", message).help(help)
    }

    pub(crate) fn resolve(&mut self, all: &ByFinalId, library: &Library<'_>, found: &mut Findings) {
        for pending in std::mem::take(&mut self.pending) {
            let units = self.find(pending.scope, &pending.name, all);
            let place = || {
                let spot = pending.spot;
                library.place(spot.source, spot.start, spot.end)
            };
            let whose = &self.units[pending.from].id;
            if units.is_empty() {
                // When the conditions are moved to their steps, `Ends::named` reports this name
                // with a message about the condition.
                if pending.kind == NeedKind::Condition {
                    continue;
                }
                // The message won't be shown, so don't spend time on finding a similar name.
                if found.is_full() {
                    found.count_error();
                    continue;
                }
                let what = format!("step `{}` needs", cut(whose));
                found.push_at(
                    place(),
                    self.unknown_step(pending.scope, &what, &pending.name),
                );
                continue;
            }
            for unit in units {
                if unit == pending.from {
                    let message = format!("step `{}` needs itself", cut(whose));
                    let itself = Diagnostic::error("self-reference", message);
                    found.push_at(place(), itself.help("remove it, or name another step"));
                    continue;
                }
                self.links.push(Link {
                    from: (pending.from, Port::Start),
                    to: (unit, Port::End),
                    kind: pending.kind,
                    spot: pending.spot,
                });
            }
        }
    }
}
