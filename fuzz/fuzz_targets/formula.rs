//! Formulas: cooking is deterministic, and a cooked formula can be scheduled to its end.

use windlass_formula::{
    CookOptions, FormulaLimits, FormulaLookup, FormulaRef, FormulaText, cook_formula,
};

use crate::schedule::run_to_end;

/// Lookup that returns the formula itself for every name, so that references form cycles.
struct Itself<'a>(&'a [u8]);

impl FormulaLookup for Itself<'_> {
    fn formula(&self, _name: &str) -> Result<Option<FormulaText>, String> {
        Ok(Some(FormulaText {
            file: "a.formula.toml".to_owned(),
            bytes: self.0.to_vec(),
        }))
    }
}

pub(crate) fn check(bytes: &[u8]) {
    let options = CookOptions {
        limits: FormulaLimits {
            max_steps: 2_000,
            max_needs: 20_000,
            max_text: 1 << 20,
        },
        open: bytes.len().is_multiple_of(2),
        ..CookOptions::default()
    };
    let cook = || cook_formula(&Itself(bytes), FormulaRef::Name("a"), &options);
    match (cook(), cook()) {
        (Ok((one, _)), Ok((other, _))) => {
            assert_eq!(
                serde_json::to_string(&one).ok(),
                serde_json::to_string(&other).ok()
            );
            assert!(one.steps.len() <= 2_000);
            if let Ok(specs) = one.node_specs() {
                run_to_end(specs, bytes);
            }
        }
        (Err(one), Err(other)) => assert_eq!(one.iter().count(), other.iter().count()),
        _ => panic!("a formula was cooked once and refused once"),
    }
}
