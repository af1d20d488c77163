use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::StepView;

struct Run(Value);

impl Scope for Run {
    fn input(&self, name: &str) -> Option<&Value> {
        self.0["inputs"].get(name)
    }

    fn step(&self, id: &str) -> Option<StepView<'_>> {
        let step = self.0["steps"].get(id)?;
        Some(StepView {
            status: step["status"].as_str()?,
            output: step.get("output"),
        })
    }

    fn item(&self) -> Option<&Value> {
        self.0.get("item")
    }

    fn index(&self) -> Option<usize> {
        self.0.get("item").map(|_| 3)
    }
}

fn holds(text: &str) -> Result<bool, String> {
    let run = Run(json!({
        "inputs": { "focus": "src", "deep": true, "none": [] },
        "steps": {
            "a-b": { "status": "completed", "output": { "total": 2, "files": ["x", "y"], "k": { "v": null } } },
            "bad": { "status": "failed" },
        },
        "item": { "n": 1 },
    }));
    Condition::parse(text)
        .and_then(|condition| condition.holds(&run))
        .map_err(|error| error.to_string())
}

#[test]
fn condition_evaluated() {
    for text in [
        "inputs.deep",
        "inputs['focus'] == 'src'",
        "not inputs.none",
        "steps['a-b'].output.total > 1 and 'x' in steps['a-b'].output.files",
        "steps['a-b'].output.files[0] == 'x'",
        "steps['a-b'].output.files | length == 2",
        "steps['a-b'].output.k.v is none",
        "steps.bad.status == 'failed' or steps.bad.output.x",
        "steps.bad.output is not defined",
        "steps.bad.output | default(true)",
        "item.n == 1 and index == 3",
        "(inputs.focus | upper) is startingwith 'S'",
        "inputs.focus ~ '!' == 'src!'",
    ] {
        assert_eq!(holds(text), Ok(true), "{text}");
        assert_eq!(holds(&format!("not ({text})")), Ok(false), "{text}");
    }
}

#[test]
fn condition_errors_located() {
    for (text, place, help) in [
        (
            "inputs.deep && inputs.focus",
            "&&",
            "write `and` instead of `&&`",
        ),
        (
            "inputs.deep || inputs.focus",
            "||",
            "write `or` instead of `||`",
        ),
        ("!inputs.deep", "!", "write `not` instead of `!`"),
        (
            "inputs.deep and !inputs.none",
            "!",
            "write `not` instead of `!`",
        ),
        (
            "inputs.deep & inputs.none",
            "&",
            "write `and` instead of `&`",
        ),
        (
            "inputs.focus === 'src'",
            "===",
            "write `==` instead of `===`",
        ),
        (
            "inputs.focus !== 'src'",
            "!==",
            "write `!=` instead of `!==`",
        ),
        ("inputs.focus = 'src'", "=", "write `==` instead of `=`"),
        (
            "inputs.deep AND inputs.none",
            "AND",
            "write `and` instead of `AND`",
        ),
        ("inputs.deep $", "$", ""),
        ("inputs.deep # not", "#", ""),
        ("inputs.deep \\", "\\", ""),
        ("inputs.deep == 'x", "'x", ""),
        ("inputs.focus == 'a\\u12'", "'a\\u12'", ""),
        ("steps['a-b'].output.total > 1_", "1_", ""),
        ("steps['a-b'].output.total > 3x", "3x", ""),
        ("steps['a-b'].output.total > 3..5", "3.", ""),
        (
            "inputs.größe",
            "ö",
            "put names with letters beyond ASCII into brackets: `inputs['größe']`",
        ),
        ("inputs.deep\u{a0}and inputs.none", "\u{a0}", ""),
    ] {
        let error = Condition::parse(text).unwrap_err();
        assert_eq!(&text[error.range.clone().unwrap()], place, "{text}");
        assert_eq!(error.help.as_deref().unwrap_or_default(), help, "{text}");
    }
    for text in [
        "inputs.deep }} x",
        "inputs.deep)",
        "inputs.deep inputs.focus",
        "inputs.deep, 1",
        "inputs.deep {% x",
        "",
    ] {
        assert!(Condition::parse(text).is_err(), "{text}");
    }
}

#[test]
fn condition_missing_value_named() {
    for (text, want) in [
        ("inputs.x", "`inputs.x` is missing"),
        ("inputs.deep and inputs.x == 1", "`inputs.x` is missing"),
        (
            "steps['a-b'].output.x",
            "`steps['a-b'].output.x` is missing",
        ),
        (
            "steps['a-b'].output.files[7] == 1",
            "`steps['a-b'].output.files[7]` is missing",
        ),
        (
            "steps.bad.output.x",
            "`steps.bad.output` is missing: the step is `failed`",
        ),
        ("steps.nobody.status == 'x'", "`steps.nobody` is missing"),
    ] {
        assert_eq!(holds(text), Err(want.to_owned()), "{text}");
    }
}

#[test]
fn condition_cost_limited() {
    assert!(holds(&"(".repeat(900)).is_err());
    assert!(holds(&format!("1{}", "+1".repeat(500))).unwrap());
    assert!(holds(&format!("{}true", "not ".repeat(250))).is_ok());
    assert!(
        holds(&format!("{}1", "-".repeat(1000))).is_ok_and(|holds| holds)
            || holds(&format!("{}1", "-".repeat(1000))).is_err()
    );
    assert!(holds(&format!("inputs{}", ".a".repeat(500))).is_err());
    assert!(holds(&format!("{}1{}", "[".repeat(500), "]".repeat(500))).is_err());
    assert!(holds(&"1 if 1 else ".repeat(80)).is_err());
    assert_eq!(
        holds(&"x".repeat(2000)),
        Err("a condition has at most 1024 bytes".to_owned())
    );
    // A product of lists would take hours to print.
    assert_eq!(
        holds("[[1] * 9999999] * 9999999 ~ ''"),
        Err("unexpected character `*`".to_owned())
    );
    assert!(holds("9 ** 999999999").is_err());
}

#[test]
fn condition_functions_refused() {
    for text in [
        "range(3)",
        "debug()",
        "namespace(a=1)",
        "dict(a=1)",
        "now()",
        "inputs.focus()",
        "inputs.focus | random",
    ] {
        assert!(holds(text).is_err(), "{text}");
    }
}

#[test]
fn mentions_located() {
    let text = "steps.a.output.b[0] and steps['c-d'].status == 'steps.x' or inputs.y | default(value=item)";
    let condition = Condition::parse(text).unwrap();
    let mentions: Vec<_> = condition
        .mentions()
        .iter()
        .map(|mention| (mention.to_string(), &text[mention.range.clone()]))
        .collect();
    assert_eq!(
        mentions,
        [
            ("steps.a.output.b[0]".to_owned(), "steps.a.output.b[0]"),
            ("steps['c-d'].status".to_owned(), "steps['c-d'].status"),
            ("inputs.y".to_owned(), "inputs.y"),
            ("item".to_owned(), "item"),
        ]
    );
}

proptest! {
    #[test]
    fn condition_any_text_no_panic(text in "\\PC{0,30}|([a-z]{1,3}|inputs|steps|item|[-.()\\[\\]'|~<>=! +*]|[0-9]){0,20}") {
        let _ = holds(&text);
    }

    /// The rubbish starts with a character that expressions don't have, or its names can't continue
    /// one.
    #[test]
    fn condition_trailing_text_refused(
        expression in "(inputs\\.a|steps\\['b-c'\\]\\.output\\.d\\[0\\]|not item|index > 1\\.5e3|\\(1 \\+ 2\\) / 3|'x' in \\[inputs\\.a\\]|inputs\\.a \\| length)( (and|or|==|~) (inputs\\.a|'q\\\\n'|0\\.5|true))?",
        rubbish in " ?([&$?;@#^`\\\\\u{a0}ä→])\\PC{0,12}| zz[a-z]{0,4}( (and|or) inputs\\.a)?| ?[)\\]}]\\PC{0,12}| ?['\"][a-z ]{0,8}",
    ) {
        prop_assert!(Condition::parse(&expression).is_ok(), "{expression}");
        let text = format!("{expression}{rubbish}");
        prop_assert!(Condition::parse(&text).is_err(), "{text}");
    }

    /// minijinja finds the same roots in an expression.
    #[test]
    fn condition_roots_all_found(names in prop::collection::vec("[a-c]", 0..4), glue in "and|or|==|~|in") {
        let parts: Vec<_> = names.iter().map(|name| format!("steps.{name}.output")).collect();
        let text = parts.join(&format!(" {glue} "));
        if let Ok(condition) = Condition::parse(&text) {
            prop_assert_eq!(condition.mentions().len(), names.len());
        }
    }
}
