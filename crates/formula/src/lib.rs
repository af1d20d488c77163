//! Formulas: workflow templates that many agents work through, read and cooked to a final graph of steps.
//!
//! [`cook_formula`] makes a [`CookedFormula`] of a document and all it is composed of, which it asks a
//! [`FormulaLookup`] for: what it inherits is merged, templates stand in for steps, loops are repeated, advice is woven
//! in, conditions on variables leave steps out, and only then the graph is checked. An edge is never lost on the way
//! (`draft` says how), and what cannot be honoured is an error. The languages that are called formulas differ
//! ([`Dialect`]); to what all have Windlass adds `uses` and `with`: such a step is done by the machine.
//!
//! [`FormulaService`] is the front door to the formulas of a repository: it finds them on their search path, and cooks them.
//!
//! This crate must never look at a clock or a random number, read a file but through that door, nor let a text grow beyond
//! [`FormulaLimits`]: the same texts and values give the same cooked formula, byte for byte.

mod cook;
mod cook_options;
mod cooked;
mod decide;
mod dialect;
mod document;
mod draft;
mod finish;
mod formula_head;
mod formula_lookup;
mod formula_plan;
mod glob;
mod go_template;
mod growth;
mod honoured;
mod library;
mod loop_range;
mod merge;
mod placeholders;
mod run_condition;
mod service;
mod text_room;
mod vars;

use cook::check_formula;
pub use cook::{FormulaRef, cook_formula};
pub use cook_options::{CookOptions, FormulaLimits, Subject};
pub use cooked::*;
pub use document::formula_schema;
pub use formula_head::FormulaHead;
pub use formula_lookup::{FormulaLookup, FormulaText};
pub use service::{FormulaEntry, FormulaError, FormulaFile, FormulaService, is_formula_file};

#[cfg(test)]
mod tests;
