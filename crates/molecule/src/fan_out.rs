//! Fan-out creates a child molecule for each item of a list in a step's output.
//!
//! The children are written together with the completion of the step. Otherwise, another step that
//! waits for the children might see the first step completed and no children, and conclude that all
//! of them are done.

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_base::counted;
use windlass_formula::{CookOptions, FanOutOrder, Phase, Subject};
use windlass_ledger::event::{BondKind, MolBond, MolCreated, MolOrigin};
use windlass_ledger::{Draft, MolState, USUAL_TTL_MS};

use crate::molecule_error::MoleculeError;
use crate::molecules::{Molecules, check_pourable};
use windlass_site::Error;

/// Maximum number of molecules from a single output. A longer list is most likely a mistake in the
/// program that printed it.
const MAX_ITEMS: usize = 1000;

/// Child molecules to create. They do not have IDs before they are written, because an ID must not
/// be in use in the ledger at that moment.
#[derive(Default)]
pub(crate) struct ChildMolecules {
    /// The molecules, each with the indices of the ones it has to wait for.
    molecules: Vec<(MolCreated, Vec<usize>)>,
}

#[derive(Clone, Copy)]
pub(crate) struct Maker<'a> {
    pub(crate) mol: &'a str,
    pub(crate) step: &'a str,
}

pub(crate) struct ChildOptions {
    pub(crate) formula: String,
    /// Values of the formula's variables.
    pub(crate) vars: BTreeMap<String, String>,
    /// The child's bead, or `None` to use the parent's.
    pub(crate) bead: Option<String>,
    /// The maximum number of concurrent steps.
    pub(crate) concurrency: Option<u32>,
}

impl ChildMolecules {
    /// Cooks the child molecules for a step's output. If the step has no fan-out, there are none.
    ///
    /// # Errors
    /// Returns an error if the output does not contain the list, the list is too long, or the
    /// formula cannot be cooked. The caller must not complete the step then.
    pub(crate) fn of(
        on: &Molecules<'_>,
        mol: &str,
        step: &str,
        output: &Value,
    ) -> Result<Self, Error> {
        let cooked = on.formula_of(mol)?;
        let mut steps = cooked.steps.iter();
        let Some(fan_out) = steps
            .find(|known| known.id == step)
            .and_then(|step| step.on_complete.as_ref())
        else {
            return Ok(Self::default());
        };
        let refuse = |why: String| -> Error {
            MoleculeError::NotAccepted {
                step: step.to_owned(),
                why,
                refused: false,
            }
            .into()
        };
        let path = fan_out.for_each.join(".");
        let list = fan_out
            .for_each
            .iter()
            .try_fold(output, |value, field| value.get(field));
        let Some(items) = list.and_then(Value::as_array) else {
            return Err(refuse(format!(
                "its output has no list `{path}` to make molecules of"
            )));
        };
        if items.len() > MAX_ITEMS {
            let count = counted(items.len(), "item");
            return Err(refuse(format!(
                "`{path}` has {count}; the limit is {MAX_ITEMS}"
            )));
        }
        let mut children = Self::default();
        for (index, item) in items.iter().enumerate() {
            let values = fan_out.vars.iter();
            let options = ChildOptions {
                formula: fan_out.formula.clone(),
                vars: values
                    .map(|(name, text)| (name.clone(), fill_placeholders(text, index, item)))
                    .collect(),
                bead: None,
                concurrency: None,
            };
            let follows = match fan_out.order {
                FanOutOrder::Sequential => index.checked_sub(1).into_iter().collect(),
                FanOutOrder::Parallel => Vec::new(),
            };
            children.add(on, Maker { mol, step }, options, follows)?;
        }
        Ok(children)
    }

    /// Cooks one more molecule, which waits for those at the indices in `follows`.
    ///
    /// # Errors
    /// Returns an error if the formula cannot be cooked.
    pub(crate) fn add(
        &mut self,
        on: &Molecules<'_>,
        maker: Maker<'_>,
        options: ChildOptions,
        follows: Vec<usize>,
    ) -> Result<(), Error> {
        let molecule = child(on, maker, options, self.molecules.len())?;
        self.molecules.push((molecule, follows));
        Ok(())
    }

    pub(crate) fn with_ids(&self, draft: &Draft<'_>) -> Vec<MolCreated> {
        let mut named: Vec<MolCreated> = Vec::new();
        for (mut molecule, follows) in self.molecules.iter().cloned() {
            let mut id = draft.ids().molecule();
            // The ledger doesn't know the molecules of this loop yet, so it might suggest an ID
            // twice.
            while named.iter().any(|known| known.mol_id == id) {
                id = draft.ids().molecule();
            }
            molecule.mol_id = id;
            let before = follows.iter().filter_map(|at| named.get(*at));
            molecule.after = before
                .map(|before| MolBond {
                    mol_id: before.mol_id.clone(),
                    kind: BondKind::Sequential,
                })
                .collect();
            named.push(molecule);
        }
        named
    }
}

fn child(
    on: &Molecules<'_>,
    maker: Maker<'_>,
    child: ChildOptions,
    index: usize,
) -> Result<MolCreated, Error> {
    let catalog = on.service.catalog();
    let parent = on.session.state().molecule(maker.mol);
    let of_parent = || parent.as_ref().and_then(|parent| parent.bead_id.clone());
    let bead_id = child.bead.or_else(of_parent);
    let options = CookOptions {
        vars: child.vars,
        subject: Some(Subject {
            bead: bead_id.clone(),
            ..Subject::default()
        }),
        catalog: Some(&catalog),
        ..CookOptions::default()
    };
    let (service, snapshot) = (on.service, on.session.site().snapshot());
    let root = on.session.site().repo().root();
    let formula = service.cook(&child.formula, root, &snapshot, &options)?;
    check_pourable(&formula.cooked, bead_id.as_deref())?;
    let value = serde_json::to_value(&formula.cooked);
    let own = parent
        .as_ref()
        .map_or(MolState::Liquid, |parent| parent.state);
    // The formula may set the phase itself. If it doesn't, the child is like its parent.
    let state = match formula.cooked.phase {
        Some(Phase::Liquid) => MolState::Liquid,
        Some(Phase::Vapor) => MolState::Vapor,
        None => own,
    };
    let ttl_ms = parent.as_ref().and_then(|parent| parent.ttl_ms);
    Ok(MolCreated {
        formula: formula.cooked.formula,
        bead_id,
        state,
        concurrency: child.concurrency,
        lease_ms: parent.as_ref().map(|parent| parent.lease_ms),
        ttl_ms: (state == MolState::Vapor).then(|| ttl_ms.unwrap_or(USUAL_TTL_MS)),
        from: Some(MolOrigin {
            mol_id: maker.mol.to_owned(),
            step_id: maker.step.to_owned(),
            index: u32::try_from(index).unwrap_or(u32::MAX),
        }),
        cooked: value.map_err(Error::internal)?,
        ..MolCreated::default()
    })
}

/// Replaces `{item}`, `{item.FIELD}` and `{index}`. We do not look for placeholders in inserted
/// values, since an output could otherwise choose what else is inserted.
fn fill_placeholders(text: &str, index: usize, item: &Value) -> String {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let (mut done, mut rest) = (String::new(), text);
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        done.push_str(before);
        let Some(close) = from.find('}') else {
            rest = from;
            break;
        };
        let value = match &from[1..close] {
            "item" => Some(plain(item)),
            "index" => Some(index.to_string()),
            name => name.strip_prefix("item.").map(|path| {
                let found = path
                    .split('.')
                    .try_fold(item, |value, field| value.get(field));
                found.map(plain).unwrap_or_default()
            }),
        };
        match value {
            Some(value) => done.push_str(&value),
            None => done.push_str(&from[..=close]),
        }
        rest = &from[close + 1..];
    }
    done.push_str(rest);
    done
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_placeholder_not_filled() {
        let item = json!({ "name": "{index}", "deep": { "n": 7 } });
        let fill = |text: &str| fill_placeholders(text, 3, &item);
        assert_eq!(fill("{index}: {item.name} {item.deep.n}"), "3: {index} 7");
        assert_eq!(fill("{item.none}|{other}|{open"), "|{other}|{open");
        assert_eq!(fill_placeholders("<{item}>", 0, &json!("x")), "<x>");
    }
}
