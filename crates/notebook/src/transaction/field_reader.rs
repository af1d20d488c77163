//! Reads the fields of a transaction, one by one, without stopping at the first error.

use serde::de::DeserializeOwned;
use windlass_base::{Diagnostics, Place};
use windlass_plan::Node;

use crate::bounded_findings::BoundedFindings;
use crate::unknown_name::UnknownName;

pub(super) struct FieldReader {
    found: BoundedFindings,
}

impl FieldReader {
    pub(super) fn of_rule(rule: &'static str) -> Self {
        Self {
            found: BoundedFindings::of_rule(rule),
        }
    }

    /// Number of errors so far. If it is the same before and after reading something, what was read
    /// is valid.
    pub(super) fn refused(&self) -> usize {
        self.found.total()
    }

    pub(super) fn refuse(&mut self, place: Place, message: impl Into<String>, help: Option<&str>) {
        let wrong = self.found.mistake(message).at(place);
        self.found.push(match help {
            Some(help) => wrong.help(help),
            None => wrong,
        });
    }

    pub(super) fn refuse_name(&mut self, place: Place, unknown: UnknownName) {
        self.refuse(place, unknown.message, Some(&unknown.help));
    }

    pub(super) fn finish(self) -> Diagnostics {
        self.found.finish("this document")
    }

    /// Reports each field that is not in `known`. If the value is not an object at all, this
    /// reports that and returns `None`.
    pub(super) fn check_names(
        &mut self,
        node: Node<'_>,
        what: &str,
        known: &[&str],
        help: &str,
    ) -> Option<()> {
        let Some(fields) = node.value().as_object() else {
            self.refuse(
                node.place(),
                format!("{what} must be an object"),
                Some(help),
            );
            return None;
        };
        for name in fields.keys().filter(|name| !known.contains(&name.as_str())) {
            let place = node.get(name).unwrap_or(node).key_place();
            self.refuse_name(
                place,
                UnknownName::new(&format!("{what} does not have the field"), name, known),
            );
        }
        Some(())
    }

    pub(super) fn required<'a>(
        &mut self,
        node: Node<'a>,
        name: &str,
        help: &str,
    ) -> Option<Node<'a>> {
        let field = node.get(name);
        if field.is_none() {
            self.refuse(node.place(), format!("`{name}` is missing"), Some(help));
        }
        field
    }

    pub(super) fn text(&mut self, node: Node<'_>, name: &str, help: &str) -> Option<String> {
        self.required(node, name, help)?;
        self.optional_text(node, name)
    }

    pub(super) fn optional_text(&mut self, node: Node<'_>, name: &str) -> Option<String> {
        self.parsed(node, name, "a text")
    }

    pub(super) fn texts(&mut self, node: Node<'_>, name: &str) -> Option<Vec<String>> {
        self.parsed(node, name, "a list of strings")
    }

    pub(super) fn required_as<T: DeserializeOwned>(
        &mut self,
        node: Node<'_>,
        name: &str,
        expected: &str,
        help: &str,
    ) -> Option<T> {
        self.required(node, name, help)?;
        self.parsed(node, name, expected)
    }

    /// Parses the optional field `name`. If the value is of another type, the error says that it is
    /// not `expected`.
    pub(super) fn parsed<T: DeserializeOwned>(
        &mut self,
        node: Node<'_>,
        name: &str,
        expected: &str,
    ) -> Option<T> {
        let field = node.get(name)?;
        let value = T::deserialize(field.value());
        if let Err(error) = &value {
            let message = format!("`{name}` is not {expected}");
            let error = error.to_string();
            // Serde's "invalid type" would say the same thing again. Other errors are more helpful,
            // e.g. about a path that leads upwards.
            let why = (!error.starts_with("invalid type")).then_some(error.as_str());
            self.refuse(field.place(), message, why);
        }
        value.ok()
    }
}
