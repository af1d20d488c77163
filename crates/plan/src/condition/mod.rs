mod expression;
mod whole_number;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use minijinja::value::{Serde, Value as Jinja};
use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;
use serde_json::Value;

use self::expression::{Token, TokenKind, tokens};
pub use self::whole_number::whole_number;
use crate::Scope;
use crate::quote::{near, near_hint};

/// The maximum length of a condition, in bytes.
///
/// Parsing is recursive in minijinja, so a long text with many parentheses could overflow the
/// stack.
const MAX_LEN: usize = 1024;

/// The maximum cost of one evaluation, in minijinja instructions.
const FUEL: u64 = 20_000;

/// The names that paths in conditions start with.
const ROOTS: [&str; 4] = ["inputs", "steps", "item", "index"];

/// The allowed filters.
///
/// Only add one here if it neither prints its argument nor makes it larger, because the fuel
/// doesn't limit memory.
const FILTERS: &str = "abs attr bool count d default first float int items last length list lower max min \
    reject rejectattr round select selectattr sort string trim upper";

/// The allowed tests after `is`.
const TESTS: &str = "boolean defined divisibleby endingwith eq equalto even false float ge greaterthan gt \
    in int integer iterable le lessthan lower lt mapping ne none number odd sequence \
    startingwith string true undefined upper";

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    // Expressions can't call functions. `range` in particular could build a huge list.
    for function in ["range", "dict", "debug", "namespace"] {
        environment.remove_global(function);
    }
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment
});

/// A step's condition (`if`): a minijinja expression over `inputs`, `steps`, `item` and `index`.
///
/// Evaluation is pure and bounded, since documents may come from people we don't know. Expressions
/// can't call functions, and their fuel is limited. Filters and tests have no side effects, and
/// can't make their argument much larger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    text: String,
    mentions: Vec<Mention>,
}

/// A value that a condition reads, e.g. `steps.routes.output.files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The parts of the path. The first one is `inputs`, `steps`, `item` or `index`.
    pub path: Vec<String>,
    /// The byte range in the condition.
    pub range: Range<usize>,
}

/// An error from parsing or evaluating a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConditionError {
    /// The message for the author of the condition.
    pub message: String,
    /// Advice on how to fix it.
    pub help: Option<String>,
    /// The byte range in the condition, if we know it.
    pub range: Option<Range<usize>>,
}

impl ConditionError {
    fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            range: None,
        }
    }

    fn at(mut self, range: &Range<usize>) -> Self {
        self.range = Some(range.clone());
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Condition {
    /// Compiles an expression and collects the values it reads.
    ///
    /// # Errors
    /// Returns an error if the text isn't an expression, exceeds 1,024 bytes, or uses an unknown
    /// name, filter or test.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        if text.len() > MAX_LEN {
            let message = format!("a condition has at most {MAX_LEN} bytes");
            return Err(ConditionError::new(message)
                .help("compute the value in a step, and test its output here"));
        }
        let tokens = tokens(text).map_err(|unexpected| ConditionError {
            message: unexpected.message,
            help: unexpected.help,
            range: Some(unexpected.range),
        })?;
        check_literals(&tokens)?;
        let expression = ENVIRONMENT.compile_expression(text).map_err(|error| {
            misspelt_operator(&tokens).unwrap_or_else(|| syntax_error(text, &error))
        })?;
        check_words(&tokens)?;
        let mut unknown: Vec<_> = expression
            .undeclared_variables(false)
            .into_iter()
            .filter(|name| !ROOTS.contains(&name.as_str()))
            .collect();
        unknown.sort_unstable();
        if let Some(name) = unknown.first() {
            return Err(unknown_name(name, &tokens));
        }
        Ok(Self {
            mentions: mentions(&tokens)?,
            text: text.to_owned(),
        })
    }

    /// The condition as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The values that the condition reads, in text order.
    #[must_use]
    pub fn mentions(&self) -> &[Mention] {
        &self.mentions
    }

    /// Evaluates the condition.
    ///
    /// # Errors
    /// Returns an error if the condition reads a missing value, uses an unsupported operation, or
    /// runs out of fuel.
    pub fn holds(&self, scope: &dyn Scope) -> Result<bool, ConditionError> {
        let expression = ENVIRONMENT
            .compile_expression(&self.text)
            .map_err(|error| syntax_error(&self.text, &error))?;
        let value = expression
            .eval(self.context(scope))
            .map_err(|error| self.failure(scope, &error))?;
        // `a.b` alone evaluates to an undefined value without an error.
        if value.is_undefined() {
            return Err(self.undefined(scope));
        }
        Ok(value.is_true())
    }

    /// Collects the inputs and steps that the condition mentions.
    ///
    /// We leave out all others because outputs can be large, and minijinja would have to convert
    /// them first.
    fn context(&self, scope: &dyn Scope) -> Jinja {
        let mut inputs = BTreeMap::new();
        let mut steps = BTreeMap::new();
        for mention in &self.mentions {
            let Some(name) = mention.path.get(1) else {
                continue;
            };
            if mention.path[0] == "inputs" {
                inputs.extend(scope.input(name).map(|value| (name.as_str(), value)));
            } else if mention.path[0] == "steps" {
                let view = scope.step(name).map(|step| StepContext {
                    status: step.status,
                    output: step.output,
                });
                steps.extend(view.map(|view| (name.as_str(), view)));
            }
        }
        Jinja::from(Serde(Context {
            inputs,
            steps,
            item: scope.item(),
            index: scope.index(),
        }))
    }

    fn failure(&self, scope: &dyn Scope, error: &minijinja::Error) -> ConditionError {
        match error.kind() {
            ErrorKind::UndefinedError => self.undefined(scope),
            ErrorKind::OutOfFuel => ConditionError::new("the condition takes too long to evaluate")
                .help("compute the value in a step, and test its output here"),
            _ => ConditionError::new(message_of(error)),
        }
    }

    /// Builds an error with the first missing value. minijinja only tells us that one is missing.
    fn undefined(&self, scope: &dyn Scope) -> ConditionError {
        let missing = self
            .mentions
            .iter()
            .find_map(|mention| mention.missing(scope));
        let Some(missing) = missing else {
            return ConditionError::new("the condition reads a missing value")
                .help("test it first: `x is defined and …`");
        };
        let mut error = ConditionError::new(format!("`{missing}` is missing")).at(&missing.range);
        if let ["steps", id, "output"] = missing.words().as_slice()
            && let Some(step) = scope.step(id)
        {
            error.message = format!("`{missing}` is missing: the step is `{}`", step.status);
        }
        error.help(format!("test it first: `{missing} is defined and …`"))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[derive(Serialize)]
struct Context<'a> {
    inputs: BTreeMap<&'a str, &'a Value>,
    steps: BTreeMap<&'a str, StepContext<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
}

#[derive(Serialize)]
struct StepContext<'a> {
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a Value>,
}

impl Mention {
    fn words(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// Returns the shortest prefix of the path without a value.
    ///
    /// For `steps.a.output.b.c`, we want to tell the user that it's `steps.a.output` that's
    /// missing.
    fn missing(&self, scope: &dyn Scope) -> Option<Self> {
        let words = self.words();
        let length = (1..=words.len()).find(|length| !is_there(&words[..*length], scope))?;
        Some(Self {
            path: self.path[..length].to_vec(),
            range: self.range.clone(),
        })
    }
}

fn is_there(words: &[&str], scope: &dyn Scope) -> bool {
    let (start, rest) = match words {
        ["inputs", name, rest @ ..] => (scope.input(name), rest),
        ["steps", id, "output", rest @ ..] => (scope.step(id).and_then(|step| step.output), rest),
        ["steps", id, ..] => return scope.step(id).is_some(),
        ["item", rest @ ..] => (scope.item(), rest),
        ["index", ..] => return scope.index().is_some(),
        _ => return true,
    };
    start.is_some_and(|start| {
        rest.iter()
            .try_fold(start, |value, name| part(value, name))
            .is_some()
    })
}

fn part<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        value => value.get(name),
    }
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.path.iter().enumerate() {
            let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && !name.starts_with(|c: char| c.is_ascii_digit());
            match (at, word) {
                (0, _) => f.write_str(name)?,
                (_, true) => write!(f, ".{name}")?,
                (_, false) if name.bytes().all(|b| b.is_ascii_digit()) => write!(f, "[{name}]")?,
                (_, false) => write!(f, "['{name}']")?,
            }
        }
        Ok(())
    }
}

fn message_of(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None => error.kind().to_string(),
    }
}

fn syntax_error(text: &str, error: &minijinja::Error) -> ConditionError {
    let wrong = ConditionError::new(format!("this is not an expression: {}", message_of(error)));
    if text.trim_start().starts_with("{{") || text.trim_start().starts_with("${") {
        return wrong.help("write the expression without braces: `steps.routes.output.total > 0`");
    }
    wrong.help("an expression looks like `inputs.deep and steps.routes.output.total > 0`")
}

/// Finds the mistyped operator behind a syntax error, e.g. in `a = b` or `a AND b`.
fn misspelt_operator(tokens: &[Token<'_>]) -> Option<ConditionError> {
    let operator = |token: &Token<'_>| match token.text {
        "=" => Some("=="),
        "AND" | "And" => Some("and"),
        "OR" | "Or" => Some("or"),
        "NOT" | "Not" => Some("not"),
        _ => None,
    };
    let (token, ours) = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Text)
        .find_map(|token| Some((token, operator(token)?)))?;
    let message = format!("this is not an expression: unexpected `{}`", token.text);
    let help = format!("write `{ours}` instead of `{}`", token.text);
    Some(ConditionError::new(message).at(&token.range).help(help))
}

/// Rejects numbers and strings that minijinja can't parse by themselves.
///
/// In a longer expression, it might silently stop there.
fn check_literals(tokens: &[Token<'_>]) -> Result<(), ConditionError> {
    let is_literal = |token: &&Token<'_>| matches!(token.kind, TokenKind::Number | TokenKind::Text);
    for token in tokens.iter().filter(is_literal) {
        if let Err(error) = ENVIRONMENT.compile_expression(token.text) {
            let message = format!(
                "`{}`: {}",
                crate::quote::cut(token.text),
                message_of(&error)
            );
            return Err(ConditionError::new(message).at(&token.range));
        }
    }
    Ok(())
}

/// Rejects unknown filters and tests. minijinja would only report them during evaluation, i.e. when
/// the runbook is already running.
fn check_words(tokens: &[Token<'_>]) -> Result<(), ConditionError> {
    for (at, token) in tokens.iter().enumerate() {
        let word = |skip: usize| tokens.get(at + skip).filter(|t| t.kind == TokenKind::Word);
        let (what, name, known) = if token.is("|") {
            ("filter", word(1), FILTERS)
        } else if token.is("is") && word(1).is_some_and(|t| t.text == "not") {
            ("test", word(2), TESTS)
        } else if token.is("is") {
            ("test", word(1), TESTS)
        } else {
            continue;
        };
        let known: Vec<&str> = known.split_whitespace().collect();
        let Some(name) = name.filter(|name| !known.contains(&name.text)) else {
            continue;
        };
        let error =
            ConditionError::new(format!("there is no {what} `{}`", name.text)).at(&name.range);
        let help = near_hint(name.text, known.iter().copied())
            .unwrap_or_else(|| format!("the {what}s are {}", known.join(", ")));
        return Err(error.help(help));
    }
    Ok(())
}

fn unknown_name(name: &str, tokens: &[Token<'_>]) -> ConditionError {
    let mut error = ConditionError::new(format!("there is no name `{name}`"));
    let is_it = |token: &Token<'_>| token.kind == TokenKind::Word && token.text == name;
    let at = tokens.iter().position(is_it);
    error.range = at.map(|at| tokens[at].range.clone());
    // `steps.my-step` is a subtraction of `step`.
    if at.is_some_and(|at| at > 0 && tokens[at - 1].is("-")) {
        return error.help("a name with `-` needs brackets: `steps['my-step'].output`");
    }
    match near(name, ROOTS) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(
            "a condition starts from `inputs.NAME`, `steps.ID.output`, `steps.ID.status`, `item` or `index`; \
             texts stand in quotes",
        ),
    }
}

fn mentions(tokens: &[Token<'_>]) -> Result<Vec<Mention>, ConditionError> {
    let mut mentions = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let after = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_root = token.kind == TokenKind::Word
            && ROOTS.contains(&token.text)
            // `x.steps` is a member, and `|` and `is` are followed by the name of a filter or test.
            // A name before `=` is that of an argument.
            && !after.is_some_and(|before| before.is(".") || before.is("|") || before.is("is"))
            && !tokens.get(at + 1).is_some_and(|next| next.is("="));
        at += 1;
        if !is_root {
            continue;
        }
        let mut mention = Mention {
            path: vec![token.text.to_owned()],
            range: token.range.clone(),
        };
        while let Some((name, end, length)) = member(&tokens[at..]) {
            mention.path.push(name);
            mention.range.end = end;
            at += length;
        }
        if mention.path.len() == 1 && matches!(token.text, "inputs" | "steps") {
            let message = format!("`{}` must be followed by a name", token.text);
            let example = if token.text == "steps" {
                "steps.ID.output` or `steps['ID'].output"
            } else {
                "inputs.NAME"
            };
            return Err(ConditionError::new(message).at(&token.range).help(format!(
                "write `{example}`, with the name as it is: it cannot be computed"
            )));
        }
        mentions.push(mention);
    }
    Ok(mentions)
}

/// Parses `.name`, `['name']` or `[0]` at the start of `tokens`, and returns the name, its end
/// position, and the number of tokens.
fn member(tokens: &[Token<'_>]) -> Option<(String, usize, usize)> {
    match tokens {
        [dot, name, ..] if dot.is(".") && name.kind != TokenKind::Text => {
            Some((name.text.to_owned(), name.range.end, 2))
        }
        [open, name, close, ..] if open.is("[") && close.is("]") => match name.kind {
            TokenKind::Text => Some((name.unquoted()?, close.range.end, 3)),
            TokenKind::Number => Some((name.text.to_owned(), close.range.end, 3)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
