use tree_sitter::Node;

use crate::walk::{Definition, Descend, Found, Grammar, Place};
use crate::{SymbolKind, Visibility};

pub(super) const GRAMMAR: Grammar = Grammar {
    parser: || tree_sitter_rust::LANGUAGE.into(),
    rule,
    leads,
    hides: |_| false,
};

fn leads(node: Node<'_>) -> bool {
    match node.kind() {
        "attribute_item" => true,
        // `//!` and `/*!` comments are about the enclosing item, not the next one.
        "line_comment" | "block_comment" => node.child_by_field_name("inner").is_none(),
        _ => false,
    }
}

fn rule<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) -> Descend {
    let kind = match place.kind() {
        "function_item" | "function_signature_item" if block_around(place).is_some() => {
            SymbolKind::Method
        }
        "function_item" | "function_signature_item" => SymbolKind::Function,
        "struct_item" => SymbolKind::Struct,
        "union_item" => SymbolKind::Union,
        "enum_item" => SymbolKind::Enum,
        "trait_item" => SymbolKind::Trait,
        "mod_item" => SymbolKind::Module,
        "const_item" => SymbolKind::Constant,
        "static_item" => SymbolKind::Variable,
        "type_item" | "associated_type" => SymbolKind::Type,
        "macro_definition" => SymbolKind::Macro,
        "impl_item" => {
            found.definitions.extend(implementation(place));
            return Descend::Inside;
        }
        "token_tree" | "attribute_item" | "line_comment" | "block_comment" | "string_literal" => {
            return Descend::Skip;
        }
        _ => return Descend::Inside,
    };
    let Some(name) = place.field("name") else {
        return Descend::Inside;
    };
    let text = place.text(name);
    if text != "_" {
        // The fields of a tuple struct belong to the signature.
        let body = place
            .field("body")
            .filter(|body| body.kind() != "ordered_field_declaration_list");
        found.definitions.push(
            Definition::new(kind, text, name)
                .body(body)
                .visibility(visibility(place)),
        );
    }
    Descend::Inside
}

fn block_around<'t>(place: &Place<'t, '_>) -> Option<Node<'t>> {
    let around = place.above(2)?;
    let is_item = place.kind_above(1) == "declaration_list";
    (is_item && matches!(around.kind(), "impl_item" | "trait_item")).then_some(around)
}

/// The items of a trait and of its implementations are as visible as the trait itself, so they get
/// no visibility of their own.
fn visibility(place: &Place<'_, '_>) -> Option<Visibility> {
    if place.kind() == "macro_definition" {
        return None;
    }
    if let Some(around) = block_around(place)
        && (around.kind() == "trait_item" || around.child_by_field_name("trait").is_some())
    {
        return None;
    }
    let modifier = place
        .children(place.node)
        .into_iter()
        .find(|child| child.kind() == "visibility_modifier");
    Some(match modifier {
        None => Visibility::Private,
        Some(modifier) if place.text(modifier) == "pub" => Visibility::Public,
        Some(_) => Visibility::Restricted,
    })
}

/// Finds an `impl` block. The paths of its items start with `Type`, or with `<Type as Trait>`.
fn implementation<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let of = place.field("type")?;
    let own = base_name(place, of);
    if own.is_empty() {
        // The parser inserted an empty type here to recover from an error.
        return None;
    }
    let (name, qualifier) = match place.field("trait") {
        Some(of_trait) => {
            let of_trait = last_segment(&place.text(of_trait));
            (
                format!("impl {of_trait} for {own}"),
                format!("<{own} as {of_trait}>"),
            )
        }
        None => (format!("impl {own}"), own),
    };
    let mut definition =
        Definition::new(SymbolKind::Implementation, name, of).body(place.field("body"));
    definition.qualifier = Some(qualifier);
    Some(definition)
}

/// Strips a type to its name, e.g. `&mut a::Foo<T>` to `Foo`.
fn base_name(place: &Place<'_, '_>, of: Node<'_>) -> String {
    let mut node = of;
    loop {
        let inner = match node.kind() {
            "generic_type" | "reference_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" => node.child_by_field_name("name"),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    place
        .text(node)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Strips a path to its last segment with its arguments, e.g. `std::convert::From<io::Error>` to
/// `From<io::Error>`.
fn last_segment(path: &str) -> String {
    let path = path.split_whitespace().collect::<Vec<_>>().join(" ");
    let arguments = path.find('<').unwrap_or(path.len());
    let start = path[..arguments].rfind("::").map_or(0, |at| at + 2);
    path[start..].to_owned()
}
