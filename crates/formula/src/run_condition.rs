//! Parses conditions that are evaluated in a running molecule.
//!
//! The syntax is that of other programs with formulas. It is small enough for a handful of regular
//! expressions: a condition consists of a single comparison, and there are no operators like `&&`.

use std::sync::LazyLock;

use regex::Regex;
use windlass_plan::quote::cut;

use super::{CompareOp, Comparison, LookAt, RunCondition, StepSet, TestOver};

/// The name that a condition uses for its own step or loop iteration.
pub(crate) const SELF: &str = "step";

const CONDITION_FORMS: &str = "write `STEP.status == 'completed'`, `STEP.output.FIELD == VALUE`, \
    `children(STEP).all(status == 'completed')`, `steps.completed >= N`, `file.exists('PATH')` or `env.NAME == 'VALUE'`";

fn pattern(text: &str) -> Regex {
    #[expect(clippy::unwrap_used, reason = "written here, and compiled by a test")]
    Regex::new(text).unwrap()
}

static FILE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^file\.exists\(\s*(?:'([^']+)'|"([^"]+)")\s*\)$"#));
static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^env\.(\w+)\s*([=!<>]+)\s*(.+)$"));
static SET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(children|descendants|steps)\(([\w.-]*)\)\.(all|any|count)\((.*)\)\s*(?:([=!<>]+)\s*(\d+))?$",
    )
});
static COUNT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^steps\.(\w+)\s*([=!<>]+)\s*(\d+)$"));
static FIELD: LazyLock<Regex> = LazyLock::new(|| pattern(r"^([\w.-]+)\s*([=!<>]+)\s*(.+)$"));

/// Parses a condition.
///
/// The names in the result are still those in the text, and [`SELF`] stands for the condition's own
/// step. The caller maps them to cooked steps and inserts these with [`LookAt::with_names`].
///
/// # Errors
/// Returns the message and the help text if the condition is malformed.
pub(crate) fn run_condition(text: &str) -> Result<RunCondition, (String, String)> {
    let text = text.trim();
    let looks_at = parse_subject(text).map_err(|why| (why, CONDITION_FORMS.to_owned()))?;
    Ok(RunCondition {
        text: text.to_owned(),
        looks_at,
    })
}

fn parse_subject(text: &str) -> Result<LookAt, String> {
    if let Some(found) = FILE.captures(text) {
        let path = found.get(1).or_else(|| found.get(2));
        let path = path.map_or("", |path| path.as_str()).to_owned();
        return Ok(LookAt::File { path });
    }
    if let Some(found) = ENVIRONMENT.captures(text) {
        return Ok(LookAt::Environment {
            name: found[1].to_owned(),
            op: operator(&found[2])?,
            value: value(&found[3])?.to_owned(),
        });
    }
    if let Some(found) = SET.captures(text) {
        let of = vec![non_empty(&found[2]).to_owned()];
        let set = match &found[1] {
            "children" => StepSet::Children(of),
            "descendants" => StepSet::Descendants(of),
            _ => StepSet::All,
        };
        let over = match (&found[3], found.get(5), found.get(6)) {
            ("count", Some(op), Some(number)) => count(op.as_str(), number.as_str())?,
            ("count", ..) => return Err("`count(…)` needs a number to compare with".to_owned()),
            (_, Some(_), _) => {
                return Err("only `count(…)` can be compared with a number".to_owned());
            }
            ("all", ..) => TestOver::All,
            _ => TestOver::Any,
        };
        // Inside the parentheses, `status` and `output.…` belong to each step of the set.
        let test = field(&found[4], "")?.1;
        return Ok(LookAt::Set { set, over, test });
    }
    if let Some(found) = COUNT.captures(text) {
        return Ok(LookAt::Set {
            set: StepSet::All,
            over: count(&found[2], &found[3])?,
            test: Comparison {
                output: Vec::new(),
                op: CompareOp::Equal,
                value: status(&found[1])?,
            },
        });
    }
    let (step, test) = field(text, SELF)?;
    let steps = vec![step];
    Ok(LookAt::Steps { steps, test })
}

fn non_empty(name: &str) -> &str {
    if name.is_empty() { SELF } else { name }
}

/// Parses a comparison such as `review.output.approved == true` into the step and the test.
///
/// If the text names no step, as in `output.approved == true`, the result has `no_step`.
fn field(text: &str, no_step: &str) -> Result<(String, Comparison), String> {
    let unknown = || format!("`{}` is not a condition", cut(text));
    let found = FIELD.captures(text.trim()).ok_or_else(unknown)?;
    let (way, op, value) = (&found[1], operator(&found[2])?, value(&found[3])?);
    let (step, output) = if way == "status" {
        (no_step, None)
    } else if let Some(step) = way.strip_suffix(".status") {
        (step, None)
    } else if let Some(output) = way.strip_prefix("output.") {
        (no_step, Some(output))
    } else if let Some((step, output)) = way.split_once(".output.") {
        (step, Some(output))
    } else {
        return Err(unknown());
    };
    // `.status == done` has an empty name. That's only allowed in the test of a set, where
    // `no_step` is empty as well.
    if step.is_empty() && no_step == SELF {
        return Err(unknown());
    }
    let (output, value) = match output {
        None => (Vec::new(), status(value)?),
        Some(output) => {
            let fields = output.split('.').map(str::to_owned);
            (fields.collect(), value.to_owned())
        }
    };
    if output.iter().any(String::is_empty) {
        return Err(unknown());
    }
    Ok((step.to_owned(), Comparison { output, op, value }))
}

fn count(op: &str, number: &str) -> Result<TestOver, String> {
    let number = number
        .parse()
        .map_err(|_| format!("number `{}` is too large", cut(number)))?;
    Ok(TestOver::Count {
        op: operator(op)?,
        number,
    })
}

fn operator(text: &str) -> Result<CompareOp, String> {
    CompareOp::from_word(text).ok_or_else(|| {
        let help = if text == "=" {
            ": did you mean `==`?"
        } else {
            ""
        };
        format!("`{}` is not a comparison operator{help}", cut(text))
    })
}

/// Maps synonyms from other programs (`done`, `closed`, …) to our name for a status.
fn status(word: &str) -> Result<String, String> {
    let known = match word {
        "complete" | "completed" | "closed" | "done" => "completed",
        "failed" => "failed",
        "skipped" => "skipped",
        "pending" | "open" => "pending",
        "blocked" => "blocked",
        "ready" => "ready",
        "in_progress" => "in_progress",
        _ => {
            return Err(format!(
                "`{}` is not a status: expected `completed`, `failed`, `skipped`, `pending`, `blocked`, `ready` or `in_progress`",
                cut(word)
            ));
        }
    };
    Ok(known.to_owned())
}

/// Parses a quoted string or a single word.
///
/// # Errors
/// Returns an error if more text follows. A condition is a single comparison, and we would silently
/// ignore a second one, e.g. after `&&`.
pub(crate) fn value(text: &str) -> Result<&str, String> {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let (value, rest) = match quote {
        Some(quote) => {
            let ended = text[1..].split_once(quote);
            ended.ok_or_else(|| format!("`{}` has no closing quote", cut(text)))?
        }
        None => text.split_at(word_len(text)),
    };
    match rest.trim() {
        "" if value.is_empty() && quote.is_none() => {
            Err("missing value: write `''` for an empty text".to_owned())
        }
        "" => Ok(value),
        rest => Err(format!(
            "`{}` follows the value `{}`: write one comparison, with quotes around a value of several words",
            cut(rest),
            cut(value)
        )),
    }
}

/// The length of the word at the start of `text`.
///
/// A space inside of a variable such as `{{ name }}` does not end the word.
fn word_len(text: &str) -> usize {
    let is_end = |c: char| c.is_whitespace() || "'\"&|!<>=()".contains(c);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next().filter(|c| !is_end(*c)) {
        let variable = text[at..]
            .strip_prefix("{{")
            .and_then(|name| name.find("}}"));
        at += variable.map_or(c.len_utf8(), |length| length + 4);
    }
    at
}

impl LookAt {
    /// The names of the steps that the condition mentions directly.
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::Steps { steps, .. } => steps,
            Self::Set {
                set: StepSet::Children(of) | StepSet::Descendants(of),
                ..
            } => of,
            _ => &[],
        }
    }

    /// Replaces [`names`](Self::names).
    pub(crate) fn with_names(mut self, names: Vec<String>) -> Self {
        match &mut self {
            Self::Steps { steps, .. } => *steps = names,
            Self::Set {
                set: StepSet::Children(of) | StepSet::Descendants(of),
                ..
            } => *of = names,
            _ => {}
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match run_condition(text) {
            Ok(condition) => serde_json::to_string(&condition.looks_at).unwrap(),
            Err((why, _)) => why,
        }
    }

    #[test]
    fn run_condition_forms_parsed() {
        for (text, want) in [
            (
                "step.status == 'complete'",
                r#"{"what":"steps","steps":["step"],"test":{"op":"==","value":"completed"}}"#,
            ),
            (
                "review.output.errors.count <= 3",
                r#"{"what":"steps","steps":["review"],"test":{"output":["errors","count"],"op":"<=","value":"3"}}"#,
            ),
            (
                "output.approved == true",
                r#"{"what":"steps","steps":["step"],"test":{"output":["approved"],"op":"==","value":"true"}}"#,
            ),
            (
                "children(survey-workers).all(status == 'complete')",
                r#"{"what":"set","set":{"children":["survey-workers"]},"over":"all","test":{"op":"==","value":"completed"}}"#,
            ),
            (
                "descendants(a).count(output.ok == true) >= 2",
                r#"{"what":"set","set":{"descendants":["a"]},"over":{"count":{"op":">=","number":2}},"test":{"output":["ok"],"op":"==","value":"true"}}"#,
            ),
            (
                "steps.complete >= 3",
                r#"{"what":"set","set":"all","over":{"count":{"op":">=","number":3}},"test":{"op":"==","value":"completed"}}"#,
            ),
            (
                "file.exists('go.mod')",
                r#"{"what":"file","path":"go.mod"}"#,
            ),
            (
                "env.CI == 'true'",
                r#"{"what":"environment","name":"CI","op":"==","value":"true"}"#,
            ),
        ] {
            assert_eq!(read(text), want, "{text}");
        }
    }

    #[test]
    fn run_condition_invalid_refused() {
        for (text, why) in [
            ("no_response_1", "`no_response_1` is not a condition"),
            (
                "a.status = 'x'",
                "`=` is not a comparison operator: did you mean `==`?",
            ),
            ("a.status == 'fine'", "`fine` is not a status"),
            ("children(a).count(status == 'failed')", "needs a number"),
            ("a == b", "`a == b` is not a condition"),
            ("", "`` is not a condition"),
            ("a.output..b == 1", "is not a condition"),
            (
                "a.output.ok == true && b.output.ok == true",
                "`&& b.output.ok == true` follows the value `true`",
            ),
            (
                "a.status == 'done' && b.status == 'done'",
                "`&& b.status == 'done'` follows the value `done`",
            ),
            (
                "env.CI == 'true' || env.X == 'y'",
                "follows the value `true`",
            ),
            ("env.CI == 'true", "has no closing quote"),
            (
                "children(a).all(status == done) && steps(b).any(status == done)",
                "follows the value `done`",
            ),
            (
                "a.output.note == two words",
                "`words` follows the value `two`",
            ),
            ("file.exists('a') x", "is not a condition"),
            ("steps.complete >= 3 x", "`x` follows the value `3`"),
        ] {
            assert!(read(text).contains(why), "{text}: {}", read(text));
        }
    }

    proptest::proptest! {
        #[test]
        fn run_condition_trailing_text_refused(
            condition in "a\\.status == 'done'|a\\.output\\.b != 3|env\\.CI == x|file\\.exists\\('x'\\)|children\\(a\\)\\.all\\(status == 'done'\\)|steps\\.complete >= 3",
            rubbish in " ?[&|!()='\"<>]\\PC{0,12}| [a-z]{1,6}",
        ) {
            proptest::prop_assert!(run_condition(&condition).is_ok());
            let text = format!("{condition}{rubbish}");
            // A set of steps may be followed by a comparison. `rubbish` isn't one either, so the
            // result has to be invalid there as well.
            proptest::prop_assert!(run_condition(&text).is_err(), "{text}");
        }

        #[test]
        fn run_condition_any_text_no_panic(text in "[a-z.()'=!<> 0-9]{0,40}") {
            let _ = run_condition(&text);
        }
    }
}
