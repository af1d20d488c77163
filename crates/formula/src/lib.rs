//! Formulas: workflow templates that many agents work through. This crate reads and cooks them.
//! Cooking turns a formula into its final graph of steps.
//!
//! [`cook_formula`] turns a document and everything it's composed of into a [`CookedFormula`]. A
//! [`FormulaLookup`] supplies the other documents. Cooking merges inherited formulas, replaces
//! steps with templates, repeats loops, weaves in advice, and removes steps by conditions on
//! variables. Only then is the graph checked. No edge gets lost on the way (see `draft`), and it's
//! an error if we can't honour something.
//!
//! Several languages are called formulas, and their rules differ ([`Dialect`]). Windlass adds
//! `uses` and `with` to all of them, for steps performed by the machine.
//!
//! [`FormulaService`] finds the formulas of a repository on their search path and cooks them.
//!
//! This crate never reads a clock or a random number, and it reads files only through that service.
//! Small formulas can expand to huge ones, so [`FormulaLimits`] bounds the size of their texts.
//! Equal texts and values give a byte-identical result.

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
mod late_names;
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
pub use service::{
    FORMULA_EXAMPLES, FormulaEntry, FormulaError, FormulaFile, FormulaPaths, FormulaService,
    is_formula_file,
};

#[cfg(test)]
mod tests;
