//! Conditions of jobs and steps of a workflow of GitHub, judged for one event.

use std::cmp::Ordering;

/// Event that starts a workflow for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    PullRequest,
    PullRequestTarget,
    MergeGroup,
    Push,
}

impl Event {
    /// Name of the event, as workflows write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::PullRequest => "pull_request",
            Self::PullRequestTarget => "pull_request_target",
            Self::MergeGroup => "merge_group",
            Self::Push => "push",
        }
    }

    fn is_proposal(self) -> bool {
        matches!(self, Self::PullRequest | Self::PullRequestTarget)
    }

    /// Beginning of the git reference that the workflow runs on.
    fn reference(self) -> &'static str {
        match self {
            Self::PullRequest => "refs/pull/",
            Self::MergeGroup => "refs/heads/gh-readonly-queue/",
            Self::PullRequestTarget | Self::Push => "refs/heads/",
        }
    }

    fn context(self, name: &str) -> Value {
        let exactly = |text: &str| Value::Text(text.to_owned());
        let is_of = |context: &str| {
            let rest = name.strip_prefix(context);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        const ABSENT: [&str; 4] = [
            "inputs",
            "github.event.inputs",
            "github.event.release",
            "github.event.schedule",
        ];
        if ABSENT.into_iter().any(is_of) {
            return Value::Null;
        }
        match name {
            "github.event_name" => exactly(self.name()),
            "github.ref_type" => exactly("branch"),
            "github.ref" => Value::Begins(self.reference().to_owned()),
            "github.head_ref" | "github.base_ref" if !self.is_proposal() => exactly(""),
            "github.head_ref" | "github.base_ref" => Value::Begins(String::new()),
            "github.event.pull_request" if self.is_proposal() => Value::Object,
            _ if !self.is_proposal() && is_of("github.event.pull_request") => Value::Null,
            _ => Value::Unknown,
        }
    }
}

/// Result of a condition; nothing where it depends on more than the event, or cannot be read.
pub(super) fn holds(condition: &str, event: Event) -> Option<bool> {
    let text = condition.trim();
    let text = match text
        .strip_prefix("${{")
        .and_then(|it| it.strip_suffix("}}"))
    {
        Some(inner) if !inner.contains("${{") => inner,
        None if !text.contains("${{") => text,
        _ => return None,
    };
    let mut parser = ExpressionParser {
        rest: text.trim_start(),
        event,
        depth: 0,
    };
    let value = parser.either()?;
    parser.rest.is_empty().then(|| value.truth())?
}

/// True if a condition lets a job run although a job that it needs was skipped.
pub(super) fn runs_after_skipped(condition: &str) -> bool {
    ["always", "cancelled", "failure"].iter().any(|function| {
        let calls = condition.match_indices(function);
        calls.into_iter().any(|(at, name)| {
            let rest = condition[at + name.len()..].trim_start();
            rest.starts_with('(')
        })
    })
}

/// Value of an expression, as far as the event tells it.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    /// Text of which only the beginning is known; it is not empty.
    Begins(String),
    Object,
    Unknown,
}

impl Value {
    fn truth(&self) -> Option<bool> {
        match self {
            Self::Null => Some(false),
            Self::Bool(value) => Some(*value),
            Self::Number(value) => Some(*value != 0.0),
            Self::Text(text) => Some(!text.is_empty()),
            Self::Begins(_) | Self::Object => Some(true),
            Self::Unknown => None,
        }
    }

    fn of(truth: Option<bool>) -> Self {
        truth.map_or(Self::Unknown, Self::Bool)
    }

    fn is(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => None,
            (Self::Text(one), Self::Text(other)) => Some(one.eq_ignore_ascii_case(other)),
            (Self::Begins(begin), Self::Text(text)) | (Self::Text(text), Self::Begins(begin)) => {
                let begins = text.is_char_boundary(begin.len().min(text.len()))
                    && text
                        .get(..begin.len())
                        .is_some_and(|it| it.eq_ignore_ascii_case(begin));
                (!begins || text.is_empty()).then_some(false)
            }
            (Self::Bool(one), Self::Bool(other)) => Some(one == other),
            (Self::Null, Self::Null) => Some(true),
            (Self::Null, Self::Text(text)) | (Self::Text(text), Self::Null) => {
                Some(text.is_empty())
            }
            _ => None,
        }
    }

    fn starts_with(&self, other: &Self) -> Option<bool> {
        let Self::Text(wanted) = other else {
            return None;
        };
        let wanted = wanted.to_ascii_lowercase();
        match self {
            Self::Text(text) => Some(text.to_ascii_lowercase().starts_with(&wanted)),
            Self::Begins(begin) => {
                let begin = begin.to_ascii_lowercase();
                if begin.starts_with(&wanted) {
                    Some(true)
                } else if wanted.starts_with(&begin) {
                    None
                } else {
                    Some(false)
                }
            }
            Self::Null => Some(wanted.is_empty()),
            _ => None,
        }
    }

    fn contains(&self, other: &Self) -> Option<bool> {
        let Self::Text(wanted) = other else {
            return None;
        };
        let wanted = wanted.to_ascii_lowercase();
        match self {
            Self::Text(text) => Some(text.to_ascii_lowercase().contains(&wanted)),
            // A reference names its kind once, at its beginning.
            Self::Begins(begin) if wanted.starts_with("refs/") => {
                Self::Begins(begin.clone()).starts_with(other)
            }
            Self::Begins(begin) => begin.contains(&wanted).then_some(true),
            Self::Null => Some(wanted.is_empty()),
            _ => None,
        }
    }
}

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 32;

/// Parser of the expression language of GitHub's workflows.
struct ExpressionParser<'a> {
    rest: &'a str,
    event: Event,
    depth: usize,
}

impl<'a> ExpressionParser<'a> {
    fn take(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign);
        if let Some(rest) = rest {
            self.rest = rest.trim_start();
        }
        rest.is_some()
    }

    /// `a || b`
    fn either(&mut self) -> Option<Value> {
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut value = self.both()?;
        while self.take("||") {
            let other = self.both()?;
            value = match (value.truth(), other.truth()) {
                (Some(true), _) => value,
                (Some(false), _) => other,
                (None, Some(true)) => Value::Bool(true),
                (None, _) => Value::Unknown,
            };
        }
        Some(value)
    }

    /// `a && b`
    fn both(&mut self) -> Option<Value> {
        let mut value = self.compared()?;
        while self.take("&&") {
            let other = self.compared()?;
            value = match (value.truth(), other.truth()) {
                (Some(false), _) => value,
                (Some(true), _) => other,
                (None, Some(false)) => Value::Bool(false),
                (None, _) => Value::Unknown,
            };
        }
        Some(value)
    }

    /// `a == b`, `a < b`
    fn compared(&mut self) -> Option<Value> {
        let value = self.single()?;
        for sign in ["==", "!=", "<=", ">=", "<", ">"] {
            if !self.take(sign) {
                continue;
            }
            let other = self.single()?;
            let order = match (&value, &other) {
                (Value::Number(one), Value::Number(other)) => one.partial_cmp(other),
                _ => None,
            };
            let is_same = order.map(Ordering::is_eq).or_else(|| value.is(&other));
            return Some(Value::of(match sign {
                "==" => is_same,
                "!=" => is_same.map(|same| !same),
                "<=" => order.map(Ordering::is_le),
                ">=" => order.map(Ordering::is_ge),
                "<" => order.map(Ordering::is_lt),
                _ => order.map(Ordering::is_gt),
            }));
        }
        Some(value)
    }

    fn single(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let value = if self.rest.starts_with('!') && !self.rest.starts_with("!=") {
            self.take("!");
            Value::of(self.single()?.truth().map(|truth| !truth))
        } else if self.take("(") {
            let inner = self.either()?;
            self.take(")").then_some(inner)?
        } else if let Some(text) = self.rest.strip_prefix('\'') {
            self.quoted(text)?
        } else {
            self.named()?
        };
        self.depth -= 1;
        Some(value)
    }

    /// `'text'`, in which two quotes are one.
    fn quoted(&mut self, text: &'a str) -> Option<Value> {
        let mut value = String::new();
        let mut rest = text;
        loop {
            let (part, after) = rest.split_once('\'')?;
            value.push_str(part);
            match after.strip_prefix('\'') {
                Some(more) => {
                    value.push('\'');
                    rest = more;
                }
                None => {
                    self.rest = after.trim_start();
                    return Some(Value::Text(value));
                }
            }
        }
    }

    /// A number, a word, a function with its arguments, or a name of a context.
    fn named(&mut self) -> Option<Value> {
        let in_name = |c: char| c.is_alphanumeric() || "_.-+*".contains(c);
        let end = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return None;
        }
        self.rest = rest.trim_start();
        if self.take("(") {
            return self.called(&name.to_ascii_lowercase());
        }
        let mut is_indexed = false;
        while self.take("[") {
            self.either()?;
            self.take("]").then_some(())?;
            let end = self.rest.find(|c| !in_name(c)).unwrap_or(self.rest.len());
            self.rest = self.rest[end..].trim_start();
            is_indexed = true;
        }
        Some(match name {
            _ if is_indexed => Value::Unknown,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            name => match name.parse::<f64>() {
                Ok(number) => Value::Number(number),
                Err(_) => self.event.context(&name.to_ascii_lowercase()),
            },
        })
    }

    fn called(&mut self, function: &str) -> Option<Value> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.take(",").then_some(())?;
            }
            arguments.push(self.either()?);
        }
        Some(match (function, arguments.as_slice()) {
            ("always" | "success", []) => Value::Bool(true),
            ("failure" | "cancelled", []) => Value::Bool(false),
            ("startswith", [text, begin]) => Value::of(text.starts_with(begin)),
            ("contains", [text, part]) => Value::of(text.contains(part)),
            _ => Value::Unknown,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn condition_is_judged_as_far_as_its_event_tells() {
        use Event::{MergeGroup, PullRequest, Push};
        for (condition, event, wanted) in [
            (
                "github.event_name == 'workflow_dispatch'",
                PullRequest,
                Some(false),
            ),
            (
                "${{ github.event_name == 'workflow_dispatch' }}",
                Push,
                Some(false),
            ),
            ("github.event_name != 'schedule'", PullRequest, Some(true)),
            (
                "GitHub.Event_Name == 'PULL_REQUEST'",
                PullRequest,
                Some(true),
            ),
            ("!(github.event_name == 'push')", Push, Some(false)),
            (
                "github.event_name == 'push' || github.repository == 'a/b'",
                PullRequest,
                None,
            ),
            (
                "github.repository == 'a/b' && github.event_name == 'release'",
                PullRequest,
                Some(false),
            ),
            ("github.ref == 'refs/heads/main'", PullRequest, Some(false)),
            ("github.ref == 'refs/heads/main'", Push, None),
            ("startsWith(github.ref, 'refs/tags/')", Push, Some(false)),
            ("contains(github.ref, 'refs/tags/v')", Push, Some(false)),
            (
                "!startsWith(github.ref, 'refs/tags/')",
                MergeGroup,
                Some(true),
            ),
            ("github.ref_type == 'tag'", Push, Some(false)),
            (
                "github.event.pull_request.draft == false",
                PullRequest,
                None,
            ),
            ("github.event.pull_request", Push, Some(false)),
            ("github.head_ref == ''", Push, Some(true)),
            ("github.base_ref != ''", PullRequest, Some(true)),
            ("always() && needs.a.result == 'success'", Push, None),
            ("failure()", Push, Some(false)),
            ("!cancelled()", Push, Some(true)),
            ("contains(fromJSON('[1]'), matrix.x)", Push, None),
            ("matrix['os'].name == 'it''s' && false", Push, Some(false)),
            ("1 < 2", Push, Some(true)),
            ("github.event_name == 'push' rubbish", Push, None),
            ("github.event_name == 'push", Push, None),
            ("${{ a }} && ${{ b }}", Push, None),
            ("", Push, None),
        ] {
            assert_eq!(holds(condition, event), wanted, "{condition} {event:?}");
        }
        for deep in ["(".repeat(5_000), "!".repeat(5_000)] {
            assert_eq!(holds(&deep, Push), None);
        }
    }
}
