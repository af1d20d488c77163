//! Reads and cooks formulas, i.e. workflow templates for many agents.
//!
//! [`cook_formula`] turns a document and its parents, templates and aspects into a
//! [`CookedFormula`]: the final graph of steps. The other documents come from a [`FormulaLookup`],
//! and [`FormulaService`] provides one for the search path of a repository. We only check the graph
//! once everything is merged, expanded and woven in. No dependency gets lost on the way (see
//! `draft`), and features that we don't support are errors rather than being ignored.
//!
//! Several languages go by the name of formulas, and their rules differ (see [`Dialect`]). Windlass
//! adds `uses` and `with` to all of them, for steps that the machine performs.
//!
//! Only the service reads files, and nothing here reads a clock or a random number. That's why the
//! same texts and values always give a byte-identical result. Since small formulas can expand to
//! huge ones, [`FormulaLimits`] restricts the number of steps and needs as well as the size of the
//! texts.

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
pub use formula_lookup::{FormulaLookup, FormulaText, NoFormulas};
pub use service::{
    FORMULA_EXAMPLES, FormulaEntry, FormulaError, FormulaFile, FormulaPaths, FormulaService,
    is_formula_file,
};

#[cfg(test)]
mod tests;
