use tree_sitter::Node;

use crate::walk::{Definition, Descend, Found, Grammar, Place};
use crate::{SymbolKind, Visibility};

pub(super) const SOURCE: Grammar = Grammar {
    parser: || tree_sitter_c::LANGUAGE.into(),
    rule: |place, found| rule(place, found, false),
    leads,
    hides,
};

/// Grammar for headers. Unlike in C files, a declaration without a definition is a symbol.
pub(super) const HEADER: Grammar = Grammar {
    parser: || tree_sitter_c::LANGUAGE.into(),
    rule: |place, found| rule(place, found, true),
    leads,
    hides,
};

fn leads(node: Node<'_>) -> bool {
    node.kind() == "comment"
}

/// Returns true for nodes whose seemingly global definitions may be local, including regions with
/// syntax errors.
fn hides(kind: &str) -> bool {
    matches!(kind, "compound_statement" | "parameter_list" | "ERROR")
}

fn rule<'t>(place: &Place<'t, '_>, found: &mut Found<'t>, header: bool) -> Descend {
    match place.kind() {
        "function_definition" => found.definitions.extend(function(place)),
        "declaration" => declarations(place, found, header),
        "type_definition" => type_names(place, found),
        "struct_specifier" => found.definitions.extend(tagged(place, SymbolKind::Struct)),
        "union_specifier" => found.definitions.extend(tagged(place, SymbolKind::Union)),
        "enum_specifier" => found.definitions.extend(tagged(place, SymbolKind::Enum)),
        "preproc_def" | "preproc_function_def" => {
            found.definitions.extend(macro_of(place));
            return Descend::Skip;
        }
        "comment" | "string_literal" | "preproc_include" | "initializer_list" => {
            return Descend::Skip;
        }
        _ => {}
    }
    Descend::Inside
}

/// Finds the name in a declarator. The flag is true for a function.
fn declared(declarator: Node<'_>) -> Option<(Node<'_>, bool)> {
    let (mut node, mut is_function) = (declarator, false);
    loop {
        match node.kind() {
            "identifier" | "type_identifier" | "field_identifier" | "primitive_type" => {
                return Some((node, is_function));
            }
            "function_declarator" => is_function = true,
            // Unlike a pointer, these don't turn a function into something else.
            "parenthesized_declarator" | "attributed_declarator" => {}
            _ => is_function = false,
        }
        node = node.child_by_field_name("declarator").or_else(|| {
            let is_inner = |child: &Node<'_>| {
                child.kind().ends_with("_declarator") || child.kind().ends_with("identifier")
            };
            node.named_children(&mut node.walk()).find(is_inner)
        })?;
    }
}

fn is_static(place: &Place<'_, '_>) -> bool {
    let is = |child: &Node<'_>| {
        child.kind() == "storage_class_specifier" && place.text(*child) == "static"
    };
    place.children(place.node).iter().any(is)
}

fn visibility(place: &Place<'_, '_>) -> Option<Visibility> {
    Some(if is_static(place) {
        Visibility::Private
    } else {
        Visibility::Public
    })
}

fn function<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let (name, _) = declared(place.field("declarator")?)?;
    Some(
        Definition::new(SymbolKind::Function, place.text(name), name)
            .body(place.field("body"))
            .visibility(visibility(place)),
    )
}

/// Collects global definitions. In a header, declarations count as well.
fn declarations<'t>(place: &Place<'t, '_>, found: &mut Found<'t>, header: bool) {
    if place.is_hidden() {
        return;
    }
    let has = |kind: &str, text: &str| {
        place
            .children(place.node)
            .iter()
            .any(|child| child.kind() == kind && place.text(*child) == text)
    };
    let is_elsewhere = has("storage_class_specifier", "extern");
    let is_constant = has("type_qualifier", "const");
    let visibility = visibility(place);
    let node = place.node;
    let declarators: Vec<_> = node
        .children_by_field_name("declarator", &mut node.walk())
        .collect();
    for declarator in declarators {
        let Some((name, is_function)) = declared(declarator) else {
            continue;
        };
        let kind = match (is_function, is_constant) {
            (true, _) => SymbolKind::Function,
            (false, true) => SymbolKind::Constant,
            (false, false) => SymbolKind::Variable,
        };
        if header || !(is_function || is_elsewhere) {
            found
                .definitions
                .push(Definition::new(kind, place.text(name), name).visibility(visibility));
        }
    }
}

/// Collects the names defined by a `typedef`. If its type is anonymous, the first name stands for
/// it.
fn type_names<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) {
    let node = place.node;
    let of = place.field("type");
    let body = of.and_then(|of| of.child_by_field_name("body"));
    let tag = of
        .filter(|_| body.is_some())
        .and_then(|of| of.child_by_field_name("name"))
        .map(|tag| place.text(tag).into_owned());
    let nameless = match (of.map_or("", |of| of.kind()), body) {
        ("struct_specifier", Some(_)) => Some(SymbolKind::Struct),
        ("union_specifier", Some(_)) => Some(SymbolKind::Union),
        ("enum_specifier", Some(_)) => Some(SymbolKind::Enum),
        _ => None,
    };
    if let (Some(tag), Some(kind), Some(of)) = (&tag, nameless, of) {
        let name = of.child_by_field_name("name").unwrap_or(of);
        found
            .definitions
            .push(Definition::new(kind, tag.as_str(), name).body(body));
    }
    let mut kind = nameless.filter(|_| tag.is_none());
    let declarators: Vec<_> = node
        .children_by_field_name("declarator", &mut node.walk())
        .collect();
    for declarator in declarators {
        let Some((name, _)) = declared(declarator) else {
            continue;
        };
        let text = place.text(name);
        // `typedef struct s {…} s;` defines one symbol.
        if tag.as_deref() == Some(&*text) {
            continue;
        }
        let definition = Definition::new(kind.take().unwrap_or(SymbolKind::Type), text, name);
        found.definitions.push(definition.body(body));
    }
}

/// Finds a `struct`, `union` or `enum` defined here. If it lacks a name or a body, that's just a
/// use of the type.
fn tagged<'t>(place: &Place<'t, '_>, kind: SymbolKind) -> Option<Definition<'t>> {
    let (name, body) = (place.field("name")?, place.field("body")?);
    if place.kind_above(1) == "type_definition" {
        // [`type_names`] handles this case.
        return None;
    }
    Some(Definition::new(kind, place.text(name), name).body(Some(body)))
}

/// Finds a macro with a value or parameters. A macro without either is probably an include guard.
fn macro_of<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let name = place.field("name")?;
    let stands_for = place.kind() == "preproc_function_def" || place.field("value").is_some();
    stands_for.then(|| Definition::new(SymbolKind::Macro, place.text(name), name))
}
