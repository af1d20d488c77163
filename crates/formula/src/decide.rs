//! Decides conditions on variables while cooking. All other conditions have to wait for the running
//! molecule.

use windlass_plan::quote::{cut, near};

use super::placeholders::Names;
use super::run_condition::value;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Stays,
    LeftOut,
    /// A variable has no value yet, and the caller may still supply one.
    Undecided,
}

const CONDITION_FORMS: &str =
    "write `{{x}}`, `!{{x}}`, `{{x}} == VALUE` or `{{x}} != 'VALUE OF WORDS'`";

/// Decides `{{x}}`, `!{{x}}`, `{{x}} == value` and `{{x}} != value`.
///
/// Returns `None` for a condition of any other form, which the caller then takes for a condition on
/// results. An unset variable counts as empty, unless the caller may still supply a value (`open`):
/// in that case, we return [`Decision::Undecided`].
///
/// # Errors
/// Returns the message and the help text if the condition refers to an undeclared variable or
/// compares with a malformed value.
pub(crate) fn decide(
    text: &str,
    names: &Names<'_>,
    open: bool,
) -> Option<Result<Decision, (String, String)>> {
    let text = text.trim();
    let (negated, rest) = match text.strip_prefix('!') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let (name, rest) = rest.strip_prefix("{{")?.split_once("}}")?;
    let (name, rest) = (name.trim(), rest.trim());
    let compared = match rest {
        "" => None,
        // `!{{x}} == y` could mean two different things.
        _ if negated => return None,
        _ => {
            let equal = rest.strip_prefix("==").map(|value| (true, value));
            let unequal = || rest.strip_prefix("!=").map(|value| (false, value));
            Some(equal.or_else(unequal)?)
        }
    };
    let compared = match compared
        .map(|(equal, wanted)| Ok((equal, value(wanted)?)))
        .transpose()
    {
        Ok(compared) => compared,
        Err(why) => return Some(Err((why, CONDITION_FORMS.to_owned()))),
    };
    let Some(value) = names.variable(name) else {
        let help = match near(name, names.known()) {
            Some(near) => format!("did you mean `{{{{{near}}}}}`?"),
            None => format!("declare it: `[vars.{}]`", cut(name)),
        };
        let message = format!(
            "the condition refers to `{}`, which is not a variable of the formula",
            cut(name)
        );
        return Some(Err((message, help)));
    };
    if value.is_none() && open {
        return Some(Ok(Decision::Undecided));
    }
    let value = value.unwrap_or("");
    let holds = match compared {
        None => is_truthy(value) != negated,
        Some((equal, wanted)) => {
            // The value may contain placeholders itself, as in `{{mode}} == {{default_mode}}`.
            let wanted = names.fill(wanted);
            (value == wanted) == equal
        }
    };
    Some(Ok(if holds {
        Decision::Stays
    } else {
        Decision::LeftOut
    }))
}

/// An author who writes `--var fast=no` expects `{{fast}}` to be false, so we treat the usual words
/// for "no" like the empty text, in upper and lower case.
fn is_truthy(value: &str) -> bool {
    !matches!(
        value.to_ascii_lowercase().as_str(),
        "" | "false" | "0" | "no" | "off"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placeholders::Values;
    use crate::text_room::Room;

    #[test]
    fn decide_variable_condition() {
        let vars: Values = [
            ("yes", Some("1")),
            ("no", Some("Off")),
            ("mode", Some("fast")),
            ("unset", None),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.map(str::to_owned)))
        .collect();
        let room = Room::new(usize::MAX);
        let names = Names {
            vars: &vars,
            in_braces: false,
            local: &[],
            outer: None,
            room: &room,
        };
        for (text, want) in [
            ("{{yes}}", Decision::Stays),
            ("!{{yes}}", Decision::LeftOut),
            ("{{no}}", Decision::LeftOut),
            (" ! {{ no }} ", Decision::Stays),
            ("{{mode}} == fast", Decision::Stays),
            ("{{mode}} == 'slow'", Decision::LeftOut),
            ("{{mode}} != \"slow\"", Decision::Stays),
            ("{{unset}}", Decision::LeftOut),
            ("{{unset}} == ''", Decision::Stays),
        ] {
            assert_eq!(decide(text, &names, false), Some(Ok(want)), "{text}");
        }
        assert_eq!(
            decide("{{unset}}", &names, true),
            Some(Ok(Decision::Undecided))
        );
        assert_eq!(decide("a.status == 'done'", &names, false), None);
        assert_eq!(decide("{{mode}} > 3", &names, false), None);
        // Conditions with the right beginning, but a value that's malformed. We mustn't mistake
        // them for conditions on results, which would silently wait for the molecule.
        for text in [
            "{{mode}} == fast && {{yes}}",
            "{{mode}} == 'fast' || x",
            "{{mode}} == very fast",
            "{{mode}} != 'fast",
            "{{mode}} == ",
        ] {
            let refused = decide(text, &names, false);
            assert!(refused.is_some_and(|decided| decided.is_err()), "{text}");
        }
        assert_eq!(
            decide("{{mode}} == {{ mode }}", &names, false),
            Some(Ok(Decision::Stays))
        );
        let (why, help) = decide("{{mod}}", &names, false).unwrap().unwrap_err();
        assert!(why.contains("`mod`"), "{why}");
        assert_eq!(help, "did you mean `{{mode}}`?");
    }
}
