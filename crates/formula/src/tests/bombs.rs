//! Tests small formulas with huge results, which we have to reject before they grow.

use super::*;

fn refused_with(texts: &[String], limits: FormulaLimits) -> String {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let options = CookOptions {
        limits,
        subject: Some(Subject {
            priority: Some(1),
            ..Subject::default()
        }),
        ..CookOptions::default()
    };
    match cooked_with(&texts, &options) {
        Ok(cooked) => format!("cooked to {} steps", cooked.steps.len()),
        Err(found) => found,
    }
}

fn limits() -> FormulaLimits {
    FormulaLimits {
        max_steps: 1_000,
        max_needs: 10_000,
        max_text: 8 << 20,
    }
}

/// Creates `deep` levels of nested expansions.
///
/// Each level contains `each` copies of the next one, and the last level is the template `last`.
fn expansions(deep: usize, each: usize, title: &str, last: &str) -> Vec<String> {
    let top =
        "formula = 'top'\nversion = 1\n[[steps]]\nid = 'a'\ntitle = 'some title'\nexpand = 'e0'\n";
    let mut texts = vec![top.to_owned()];
    for at in 0..deep {
        let mut text = format!("formula = 'e{at}'\nversion = 1\ntype = 'expansion'\n");
        for part in 0..each {
            text += &format!(
                "[[template]]\nid = '{{target}}.{part}'\ntitle = '{title}'\nexpand = 'e{}'\n",
                at + 1
            );
        }
        texts.push(text);
    }
    texts.push(format!(
        "formula = 'e{deep}'\nversion = 1\ntype = 'expansion'\n{last}"
    ));
    texts
}

const LEAF: &str = "[[template]]\nid = '{target}.x'\ntitle = '{target.title}'\n";
const NO_LEAF: &str = "[[template]]\nid = 'no name'\ntitle = 'x'\n";

#[test]
fn formula_over_limit_refused() {
    let loops = |body: &str| {
        format!(
            "formula = 'top'\nversion = 1\n[[steps]]\nid = 'l'\ntitle = 'L'\n[steps.loop]\ncount = 900\n{body}"
        )
    };
    let inner = "[[steps.loop.body]]\nid = 'b'\ntitle = 'B'\n";
    let nested = "[[steps.loop.body]]\nid = 'b'\ntitle = 'B'\n[steps.loop.body.loop]\ncount = 900\n[[steps.loop.body.loop.body]]\nid = 'c'\ntitle = 'C'\n";
    let long = "y".repeat(20_000);
    let filled = "{{a}}".repeat(1_000);
    let var = format!("[vars]\na = '{long}'\n");
    for (texts, wanted) in [
        (expansions(12, 4, "x", LEAF), "limit of 1000 steps"),
        (expansions(24, 2, "x", NO_LEAF), "limit of 1000 steps"),
        (
            expansions(30, 1, "{target.title}{target.title}", LEAF),
            "the texts of the steps exceed",
        ),
        (
            vec![loops(nested)],
            "x.formula.toml:6:1: error[too-many-steps]: the formula exceeds the limit of 1000 steps",
        ),
        (
            vec![loops(&format!(
                "{inner}[steps.loop.body.metadata]\nx = '{long}'\n"
            ))],
            "the texts of the steps exceed",
        ),
        (
            vec![format!(
                "formula = 'top'\nversion = 1\n{var}[[steps]]\nid = 's'\ntitle = '{filled}'\n"
            )],
            "the texts of the steps exceed",
        ),
        (
            vec![format!(
                "formula = 'top'\nversion = 1\ndescription = '{filled}'\n{var}[[steps]]\nid = 's'\ntitle = 'x'\n"
            )],
            "the texts of the steps exceed",
        ),
    ] {
        let found = refused_with(&texts, limits());
        assert!(found.contains(wanted), "{}\n{found}", texts[0]);
    }
}

#[test]
fn hooked_formula_over_limit_refused() {
    let top = "formula = 'top'\nversion = 1\n[[steps]]\nid = 's'\ntitle = 'x'\n[[compose.hooks]]\ntrigger = 'priority:1'\nattach = 'hooked'\n";
    let (long, filled) = ("y".repeat(20_000), "{{a}}".repeat(1_000));
    // Both variants discard the filled text, so we only notice the limit while filling it in.
    for rest in [
        format!("[[steps]]\nid = 's'\ntitle = 'x'\ndescription = '{filled}'\n"),
        format!(
            "[[steps]]\nid = 's'\ntitle = 'x'\n[[compose.gate]]\nbefore = 's'\ncondition = '{filled}'\n"
        ),
    ] {
        let hooked = format!("formula = 'hooked'\nversion = 1\n[vars]\na = '{long}'\n{rest}");
        let found = refused_with(&[top.to_owned(), hooked], limits());
        assert!(
            found.contains("the texts of the steps exceed"),
            "{found:.400}"
        );
    }
}

#[test]
fn formula_within_limits_cooked() {
    for (texts, wanted) in [
        (
            expansions(3, 4, "{target.title}", LEAF),
            "cooked to 64 steps",
        ),
        (expansions(12, 1, "x", LEAF), "cooked to 1 steps"),
    ] {
        assert_eq!(refused_with(&texts, limits()), wanted);
    }
}

#[test]
fn inheritance_doubling_refused() {
    let mut texts = Vec::new();
    for at in 0..30 {
        for name in ["f", "g"] {
            texts.push(format!(
                "formula = '{name}{at}'\nversion = 1\nextends = ['f{0}', 'g{0}']\n[[steps]]\nid = '{name}{at}'\ntitle = 'x'\n",
                at + 1
            ));
        }
    }
    for name in ["f", "g"] {
        texts.push(format!(
            "formula = '{name}30'\nversion = 1\n[[steps]]\nid = '{name}30'\ntitle = 'x'\n"
        ));
    }
    let found = refused_with(&texts, FormulaLimits::default());
    assert!(found.contains("inherit more than"), "{found}");
}
