//! Formulas: workflow templates that many agents work through, read and cooked to a final graph of steps.
//!
//! A formula is cooked in this order: what it inherits is merged, templates stand in for steps, loops are repeated,
//! advice is woven in, conditions on variables leave steps out; and only then the final graph is checked. An edge is
//! never lost on the way ([`draft`] says how), and what cannot be honoured is an error.
//!
//! The languages that are called formulas differ ([`Dialect`]); what is read here is all that they have in common, and
//! what each has beside it. Windlass adds `uses` and `with`: such a step is done by the machine.

mod as_plan;
mod build;
mod cook;
mod cooked;
mod decide;
mod dialect;
mod document;
mod draft;
mod finish;
mod glob;
mod go_template;
mod head;
mod honoured;
mod library;
mod lookup;
mod merge;
mod parts;
mod range;
mod runtime;
mod text;
mod vars;

pub use cook::{CookOptions, FormulaLimits, FormulaRef, Subject, check_formula, cook_formula};
pub use cooked::*;
pub use document::formula_schema;
pub use head::FormulaHead;
pub use lookup::{FormulaLookup, FormulaText};

#[cfg(test)]
mod tests;
