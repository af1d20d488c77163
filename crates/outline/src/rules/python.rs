use tree_sitter::Node;

use crate::walk::{Definition, Descend, Found, Grammar, Place};
use crate::{SymbolKind, Visibility};

pub(super) const GRAMMAR: Grammar = Grammar {
    parser: || tree_sitter_python::LANGUAGE.into(),
    rule,
    leads,
    hides: |kind| matches!(kind, "class_definition" | "function_definition"),
};

fn leads(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "decorator")
}

fn rule<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) -> Descend {
    match place.kind() {
        "class_definition" => found
            .definitions
            .extend(definition(place, SymbolKind::Class)),
        "function_definition" => {
            let kind = if is_method(place) {
                SymbolKind::Method
            } else {
                SymbolKind::Function
            };
            found.definitions.extend(definition(place, kind));
        }
        "assignment" => {
            found.definitions.extend(binding(place));
            return Descend::Skip;
        }
        "type_alias_statement" => {
            if let Some(left) = place.field("left") {
                let text = place.text(left);
                let name = text.split('[').next().unwrap_or_default().trim().to_owned();
                found.definitions.push(
                    Definition::new(SymbolKind::Type, name.as_str(), left)
                        .visibility(Some(visibility(&name))),
                );
            }
        }
        "string" | "comment" | "call" | "list" | "dictionary" | "import_from_statement" => {
            return Descend::Skip;
        }
        _ => {}
    }
    Descend::Inside
}

fn definition<'t>(place: &Place<'t, '_>, kind: SymbolKind) -> Option<Definition<'t>> {
    let name = place.field("name")?;
    let text = place.text(name);
    let visibility = Some(visibility(&text));
    Some(
        Definition::new(kind, text, name)
            .body(place.field("body"))
            .wrappers(usize::from(is_decorated(place)))
            .visibility(visibility),
    )
}

fn is_decorated(place: &Place<'_, '_>) -> bool {
    place.kind_above(1) == "decorated_definition"
}

/// Returns true for a function of a class. Other statements may be in between, such as an `if`.
fn is_method(place: &Place<'_, '_>) -> bool {
    place.inside == Some(SymbolKind::Class)
}

/// Finds a variable of the module. Its first assignment counts as its definition.
fn binding<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let name = place
        .field("left")
        .filter(|left| left.kind() == "identifier")?;
    if place.is_hidden() || place.kind_above(1) != "expression_statement" {
        return None;
    }
    let text = place.text(name);
    let shouts = text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    let kind = if shouts {
        SymbolKind::Constant
    } else {
        SymbolKind::Variable
    };
    let visibility = Some(visibility(&text));
    let mut definition = Definition::new(kind, text, name)
        .wrappers(1)
        .visibility(visibility);
    definition.rebinds = true;
    Some(definition)
}

/// A leading underscore makes a name private, except for names such as `__init__`.
fn visibility(name: &str) -> Visibility {
    if name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__")) {
        Visibility::Private
    } else {
        Visibility::Public
    }
}
