use windlass_base::{Diagnostic, Ident};

use super::Resolution;
use crate::quote::{cut, near_boolean};
use crate::{InputDoc, InputSpec, InputType};

pub(super) struct Inputs<'r, 'a>(pub(super) &'r mut Resolution<'a>);

impl Inputs<'_, '_> {
    pub(super) fn plan(mut self) -> Vec<InputSpec> {
        let inputs = self.0.runbook.inputs.iter().flatten();
        inputs
            .map(|(name, input)| self.input(name, input))
            .collect()
    }

    fn input(&mut self, name: &str, input: &InputDoc) -> InputSpec {
        if let Err(error) = Ident::parse(name) {
            let message = format!("`{}` cannot be the name of an input: {error}", cut(name));
            let place = self.0.places.root_key(&["inputs", name]);
            self.0.report(
                place,
                Diagnostic::error("bad-id", message).help("rename it"),
            );
        }
        let spec = InputSpec {
            name: name.to_owned(),
            kind: input.kind_or_guess(),
            default: input.default.clone(),
            description: input.description.clone().unwrap_or_default(),
            allowed: input.allowed.clone().unwrap_or_default(),
            required: input.required.unwrap_or(input.default.is_none()),
            place: self.0.places.root_key(&["inputs", name]),
        };
        self.check_values(&spec);
        if input.required == Some(true) && spec.default.is_some() {
            let message = format!("input `{name}` is required, so its default is never used");
            let warning = Diagnostic::warning("useless-default", message)
                .help("remove `required: true` or the default");
            self.0
                .report(self.0.places.root(&["inputs", name, "default"]), warning);
        }
        spec
    }

    fn check_values(&mut self, spec: &InputSpec) {
        for (at, value) in spec.allowed.iter().enumerate() {
            if !spec.kind.admits(value) {
                let message = format!("`{value}` is not of the type `{}`", spec.kind.as_str());
                let place = self
                    .0
                    .places
                    .root(&["inputs", &spec.name, "enum", &at.to_string()]);
                let help = "change the value or the type";
                self.0
                    .report(place, Diagnostic::error("wrong-type", message).help(help));
            }
        }
        let Some(default) = spec.default.clone() else {
            return;
        };
        let meant = default.as_str().and_then(near_boolean);
        if let Err(error) = spec.check(default) {
            let place = self.0.places.root(&["inputs", &spec.name, "default"]);
            let help = match meant.filter(|_| spec.kind == InputType::Boolean) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "change the default, the type or `enum`".to_owned(),
            };
            let wrong =
                Diagnostic::error("bad-default", format!("the default does not fit: {error}"))
                    .help(help);
            self.0.report(place, wrong);
        }
    }
}
