use tree_sitter::Node;

use crate::walk::{Definition, Descend, Found, Grammar, Place};
use crate::{SymbolKind, Visibility};

pub(super) const GRAMMAR: Grammar = Grammar {
    parser: || tree_sitter_java::LANGUAGE.into(),
    rule,
    leads,
    hides: |_| false,
};

fn leads(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "line_comment" | "block_comment" | "annotation" | "marker_annotation"
    )
}

fn rule<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) -> Descend {
    let kind = match place.kind() {
        "class_declaration" => SymbolKind::Class,
        "interface_declaration" | "annotation_type_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        "record_declaration" => SymbolKind::Record,
        "module_declaration" => SymbolKind::Module,
        "method_declaration" | "annotation_type_element_declaration" => SymbolKind::Method,
        "constructor_declaration" | "compact_constructor_declaration" => SymbolKind::Constructor,
        "field_declaration" | "constant_declaration" => {
            constants(place, found);
            return Descend::Skip;
        }
        // The methods of an anonymous class can't be referred to.
        "class_body"
            if matches!(
                place.kind_above(1),
                "object_creation_expression" | "enum_constant"
            ) =>
        {
            return Descend::Skip;
        }
        "line_comment" | "block_comment" | "string_literal" | "modifiers" => return Descend::Skip,
        _ => return Descend::Inside,
    };
    if let Some(name) = place.field("name") {
        found.definitions.push(
            Definition::new(kind, place.text(name), name)
                .body(place.field("body"))
                .visibility(visibility(place)),
        );
    }
    Descend::Inside
}

fn modifiers<'t>(place: &Place<'t, '_>) -> Vec<Node<'t>> {
    let modifiers = place
        .children(place.node)
        .into_iter()
        .find(|child| child.kind() == "modifiers");
    modifiers.map_or_else(Vec::new, |modifiers| place.children(modifiers))
}

/// If there is no modifier, a member of an interface is public, and others are visible in their
/// package. Modules and classes inside functions have no visibility.
fn visibility(place: &Place<'_, '_>) -> Option<Visibility> {
    for modifier in modifiers(place) {
        match modifier.kind() {
            "public" => return Some(Visibility::Public),
            "protected" => return Some(Visibility::Restricted),
            "private" => return Some(Visibility::Private),
            _ => {}
        }
    }
    match (place.kind(), place.kind_above(1)) {
        ("module_declaration", _) | (_, "block") => None,
        (_, "interface_body" | "annotation_type_body") => Some(Visibility::Public),
        _ => Some(Visibility::Restricted),
    }
}

/// Collects constants: `static final` fields of a class, and all fields of an interface.
fn constants<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) {
    let modifiers = modifiers(place);
    let is = |word: &str| modifiers.iter().any(|modifier| modifier.kind() == word);
    if place.kind() == "field_declaration" && !(is("static") && is("final")) {
        return;
    }
    let visibility = visibility(place);
    let declarators = place
        .node
        .children_by_field_name("declarator", &mut place.node.walk())
        .collect::<Vec<_>>();
    for declarator in declarators {
        if let Some(name) = declarator.child_by_field_name("name") {
            found.definitions.push(
                Definition::new(SymbolKind::Constant, place.text(name), name)
                    .visibility(visibility),
            );
        }
    }
}
