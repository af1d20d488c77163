use tree_sitter::Node;

use crate::walk::{Definition, Descend, Found, Grammar, Place};
use crate::{SymbolKind, Visibility};

pub(super) const GRAMMAR: Grammar = Grammar {
    parser: || tree_sitter_go::LANGUAGE.into(),
    rule,
    leads,
    hides: |kind| kind == "block",
};

fn leads(node: Node<'_>) -> bool {
    node.kind() == "comment"
}

fn rule<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) -> Descend {
    match place.kind() {
        "function_declaration" => found.definitions.extend(named(place, SymbolKind::Function)),
        "method_declaration" => {
            let receiver = place.field("receiver").and_then(receiver_type);
            let prefix = receiver.map(|of| place.text(of).into_owned());
            let method = named(place, SymbolKind::Method);
            found
                .definitions
                .extend(method.map(|method| method.prefix(prefix.into_iter().collect())));
        }
        "method_elem" if place.kind_above(2) == "type_spec" => {
            found.definitions.extend(named(place, SymbolKind::Method));
        }
        "type_spec" | "type_alias" => found.definitions.extend(type_spec(place)),
        "const_spec" => values(place, SymbolKind::Constant, found),
        "var_spec" => values(place, SymbolKind::Variable, found),
        // Definitions inside a function are local. With a syntax error, however, the block may
        // extend over global definitions, so look inside.
        "block" if !place.node.has_error() => return Descend::Skip,
        "comment" | "interpreted_string_literal" | "raw_string_literal" => return Descend::Skip,
        _ => {}
    }
    Descend::Inside
}

fn named<'t>(place: &Place<'t, '_>, kind: SymbolKind) -> Option<Definition<'t>> {
    let name = place.field("name")?;
    let text = place.text(name);
    let visibility = Some(visibility(&text));
    Some(
        Definition::new(kind, text, name)
            .body(place.field("body"))
            .visibility(visibility),
    )
}

fn visibility(name: &str) -> Visibility {
    if name.starts_with(char::is_uppercase) {
        Visibility::Public
    } else {
        Visibility::Private
    }
}

/// Strips pointer and type parameters from a receiver's type, e.g. to `T` for `(t *T[K])`.
fn receiver_type(receiver: Node<'_>) -> Option<Node<'_>> {
    let parameter = receiver.named_child(0)?;
    let mut node = parameter.child_by_field_name("type")?;
    loop {
        node = match node.kind() {
            "pointer_type" | "parenthesized_type" => node.named_child(0)?,
            "generic_type" => node.child_by_field_name("type")?,
            _ => return Some(node),
        };
    }
}

fn type_spec<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let of = place.field("type");
    let kind = match of.map_or("", |of| of.kind()) {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    // Treat `struct` and `interface` as part of the signature: the body starts after the word.
    let body = of
        .filter(|_| kind != SymbolKind::Type)
        .and_then(|of| of.child(1));
    let definition = named(place, kind)?;
    Some(definition.body(body).wrappers(usize::from(is_alone(place))))
}

/// Returns true if the declaration defines only this symbol, i.e. uses no parentheses.
fn is_alone(place: &Place<'_, '_>) -> bool {
    place.above(1).is_some_and(|around| {
        around.kind().ends_with("_declaration") && !place.has_child(around, "(")
    })
}

/// Collects the constants or variables of a declaration, unless it is inside a function.
fn values<'t>(place: &Place<'t, '_>, kind: SymbolKind, found: &mut Found<'t>) {
    if place.is_hidden() {
        return;
    }
    let wrappers = usize::from(is_alone(place));
    for name in place
        .node
        .children_by_field_name("name", &mut place.node.walk())
    {
        let text = place.text(name);
        if name.kind() == "identifier" && text != "_" {
            let visibility = Some(visibility(&text));
            found.definitions.push(
                Definition::new(kind, text, name)
                    .wrappers(wrappers)
                    .visibility(visibility),
            );
        }
    }
}
