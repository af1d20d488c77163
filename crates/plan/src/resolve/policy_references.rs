use windlass_base::Diagnostic;

use super::Resolution;
use crate::{InputType, OrRef, PolicyDoc, Reference, Target};

pub(super) struct PolicyReferences<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl PolicyReferences<'_, '_> {
    /// Checks the references in the policy.
    ///
    /// Only references to inputs are allowed, because no step has run yet when the policy is
    /// resolved.
    pub(super) fn policy(&mut self) -> PolicyDoc {
        let policy = self.0.runbook.policy.clone().unwrap_or_default();
        self.policy_field(
            &["policy", "freshness"],
            policy.freshness.as_ref(),
            InputType::String,
        );
        self.policy_field(
            &["policy", "noise_budget"],
            policy.noise_budget.as_ref(),
            InputType::String,
        );
        self.policy_field(
            &["policy", "response_mode"],
            policy.response_mode.as_ref(),
            InputType::String,
        );
        let items = policy.max_items_per_section.as_ref();
        self.policy_field(
            &["policy", "max_items_per_section"],
            items,
            InputType::Integer,
        );
        if let Some(budget) = &policy.budget {
            let path = ["policy", "budget"];
            let [chars, tokens] = ["max_chars", "max_tokens"].map(|name| [path[0], path[1], name]);
            self.policy_field(&chars, budget.max_chars.as_ref(), InputType::Integer);
            self.policy_field(&tokens, budget.max_tokens.as_ref(), InputType::Integer);
            if budget.max_chars.is_some() && budget.max_tokens.is_some() {
                let wrong = Diagnostic::error(
                    "two-budgets",
                    "a budget counts characters or tokens, not both",
                )
                .help("remove `max_chars` or `max_tokens`");
                self.0.report(self.0.places.root(&tokens), wrong);
            }
        }
        policy
    }

    fn policy_field<T>(&mut self, path: &[&str], value: Option<&OrRef<T>>, kind: InputType) {
        let Some(OrRef::Ref(reference)) = value else {
            return;
        };
        let wrong = match Reference::parse(&reference.pointer, None).map(|it| (it.target, it.path))
        {
            Err(error) => Diagnostic::error("bad-reference", error.to_string()),
            Ok((Target::Input(name), path)) => match self.0.use_input(&name) {
                None => self.0.no_such_input(&name),
                Some(found) if found == kind && path.is_empty() => return,
                Some(found) => {
                    let message = format!(
                        "input `{name}` is of type `{}`, and `{}` is needed here",
                        found.as_str(),
                        kind.as_str()
                    );
                    Diagnostic::error("wrong-type", message).help("change the type of the input")
                }
            },
            Ok(_) => Diagnostic::error("bad-reference", "the policy can refer to inputs only")
                .help("it is resolved before any step runs: write `#/inputs/NAME`"),
        };
        let path: Vec<_> = path.iter().copied().chain(["$ref"]).collect();
        self.0.report(self.0.places.root(&path), wrong);
    }
}
