//! Rules for JavaScript and TypeScript.

use tree_sitter::Node;

use crate::walk::{Definition, Descend, Found, Grammar, Place};
use crate::{SymbolKind, Visibility};

pub(super) const JAVASCRIPT: Grammar = Grammar {
    parser: || tree_sitter_javascript::LANGUAGE.into(),
    rule,
    leads,
    hides: is_function,
};

pub(super) const TYPESCRIPT: Grammar = Grammar {
    parser: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    rule,
    leads,
    hides: is_function,
};

pub(super) const TSX: Grammar = Grammar {
    parser: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    rule,
    leads,
    hides: is_function,
};

fn leads(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "decorator")
}

fn rule<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) -> Descend {
    let definition = match place.kind() {
        "class_declaration" | "abstract_class_declaration" => statement(place, SymbolKind::Class),
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            statement(place, SymbolKind::Function)
        }
        "interface_declaration" => statement(place, SymbolKind::Interface),
        "type_alias_declaration" => statement(place, SymbolKind::Type),
        "enum_declaration" => statement(place, SymbolKind::Enum),
        "internal_module" | "module" => statement(place, SymbolKind::Module),
        "method_definition" | "method_signature" | "abstract_method_signature" => method(place),
        "field_definition" | "public_field_definition" => function_field(place),
        "pair" => function_pair(place),
        "variable_declarator" => variable(place),
        "assignment_expression" => assignment(place, found),
        "function_expression" | "generator_function" => argument(place),
        "export_specifier" => {
            let from_elsewhere = place
                .above(2)
                .is_some_and(|export| export.child_by_field_name("source").is_some());
            if let Some(name) = place.field("name").filter(|_| !from_elsewhere) {
                found.exports.push(place.text(name).into_owned());
            }
            None
        }
        "export_statement" => default_export(place),
        "string" | "template_string" | "regex" | "comment" => return Descend::Skip,
        _ => None,
    };
    found.definitions.extend(definition);
    Descend::Inside
}

fn is_export(kind: &str) -> bool {
    kind == "export_statement"
}

/// Counts the nodes above within the same statement, such as `export` and `declare`.
fn wrappers(place: &Place<'_, '_>) -> usize {
    let belongs = |kind: &&str| {
        is_export(kind)
            || *kind == "ambient_declaration"
            || (place.kind() == "internal_module" && *kind == "expression_statement")
    };
    place.kinds_above().take_while(belongs).count()
}

/// An `export` makes a name public. Names inside functions have no visibility.
fn visibility(place: &Place<'_, '_>) -> Option<Visibility> {
    // Only the declaration and its `declare` can be between a name and its `export`.
    if place.kinds_above().take(3).any(is_export) {
        Some(Visibility::Public)
    } else if place.is_hidden() {
        None
    } else {
        Some(Visibility::Private)
    }
}

fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
    )
}

/// Returns the kind of symbol for a value, provided it is a function or a class.
fn callable(value: Node<'_>) -> Option<SymbolKind> {
    match value.kind() {
        "class" => Some(SymbolKind::Class),
        kind if is_function(kind) => Some(SymbolKind::Function),
        _ => None,
    }
}

/// Returns the name without quotes, unless it is computed.
///
/// Without a closing quote, the name would extend into unrelated text, so it is omitted.
fn plain_name(place: &Place<'_, '_>, name: Node<'_>) -> Option<String> {
    let text = place.text(name);
    match name.kind() {
        "computed_property_name" => None,
        "string" if name.has_error() => None,
        "string" => Some(text.trim_matches(['"', '\'']).to_owned()),
        _ => Some(text.into_owned()),
    }
}

fn statement<'t>(place: &Place<'t, '_>, kind: SymbolKind) -> Option<Definition<'t>> {
    let name = place.field("name")?;
    let text = plain_name(place, name)?;
    Some(
        Definition::new(kind, text, name)
            .body(place.field("body"))
            .wrappers(wrappers(place))
            .visibility(visibility(place)),
    )
}

/// Finds the function or class of an `export default` without a declared name. Its name is
/// `default` unless it brings its own.
fn default_export<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let default = place
        .children(place.node)
        .into_iter()
        .find(|child| child.kind() == "default")?;
    let value = place
        .field("value")
        .or_else(|| place.field("declaration"))?;
    let kind = match value.kind() {
        "class_declaration" => SymbolKind::Class,
        "function_declaration" | "generator_function_declaration" => SymbolKind::Function,
        _ => callable(value)?,
    };
    let named = value.child_by_field_name("name");
    // A declaration with a name becomes a symbol by itself.
    if named.is_some() && place.field("declaration").is_some() {
        return None;
    }
    let name = named.map(|name| place.text(name).into_owned());
    Some(
        Definition::new(
            kind,
            name.unwrap_or_else(|| "default".to_owned()),
            named.unwrap_or(default),
        )
        .body(value.child_by_field_name("body"))
        .visibility(Some(Visibility::Public)),
    )
}

/// Finds a named function passed as an argument, e.g. in `define('x', function x() {})`.
fn argument<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let name = place
        .field("name")
        .filter(|_| place.kind_above(1) == "arguments")?;
    let definition = Definition::new(SymbolKind::Function, place.text(name), name);
    Some(definition.body(place.field("body")))
}

/// A member is public unless a modifier or a leading `#` says otherwise.
fn member_visibility(place: &Place<'_, '_>, name: &str) -> Visibility {
    let modifier = place
        .children(place.node)
        .into_iter()
        .find(|child| child.kind() == "accessibility_modifier");
    match modifier.map(|modifier| place.text(modifier)).as_deref() {
        Some("private") => Visibility::Private,
        Some("protected") => Visibility::Restricted,
        _ if name.starts_with('#') => Visibility::Private,
        _ => Visibility::Public,
    }
}

fn method<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let prefix = match place.kind_above(1) {
        "object" => named_object(place)?,
        "class_body" | "interface_body" => Vec::new(),
        _ => return None,
    };
    let name = place.field("name")?;
    let text = plain_name(place, name)?;
    let kind = if text == "constructor" && place.kind_above(1) == "class_body" {
        SymbolKind::Constructor
    } else {
        SymbolKind::Method
    };
    let visibility = Some(member_visibility(place, &text));
    Some(
        Definition::new(kind, text, name)
            .body(place.field("body"))
            .prefix(prefix)
            .visibility(visibility),
    )
}

fn function_field<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let value = place.field("value")?;
    callable(value)?;
    let name = place.field("name").or_else(|| place.field("property"))?;
    let text = plain_name(place, name)?;
    let visibility = Some(member_visibility(place, &text));
    Some(
        Definition::new(SymbolKind::Method, text, name)
            .body(value.child_by_field_name("body"))
            .visibility(visibility),
    )
}

/// Finds a function in a named object, e.g. `name: function () {}`.
fn function_pair<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let value = place.field("value")?;
    callable(value)?;
    let prefix = named_object(place)?;
    let name = place.field("key")?;
    let text = plain_name(place, name)?;
    Some(
        Definition::new(SymbolKind::Method, text, name)
            .body(value.child_by_field_name("body"))
            .prefix(prefix)
            .visibility(Some(Visibility::Public)),
    )
}

/// Returns the prefix for the names of functions in the enclosing object. `None` for a nameless
/// object, e.g. an argument or part of another object.
fn named_object(place: &Place<'_, '_>) -> Option<Vec<String>> {
    let holder = place.above(2)?;
    match holder.kind() {
        // The variable is a symbol around these functions, so their paths include its name anyway.
        "variable_declarator" => is_of_module(place, 3).then(Vec::new),
        "export_statement" => Some(Vec::new()),
        "assignment_expression" => member_path(place, holder.child_by_field_name("left")?),
        _ => None,
    }
}

/// Returns true if the node `levels` above is a declaration outside of functions.
fn is_of_module(place: &Place<'_, '_>, levels: usize) -> bool {
    matches!(
        place.kind_above(levels),
        "lexical_declaration" | "variable_declaration"
    ) && !place.is_hidden()
}

fn variable<'t>(place: &Place<'t, '_>) -> Option<Definition<'t>> {
    let name = place
        .field("name")
        .filter(|name| name.kind() == "identifier")?;
    let around = place.above(1)?;
    let is_const = around.child(0).is_some_and(|first| first.kind() == "const");
    let value = place.field("value");
    let function = value.and_then(callable);
    let is_import = value.is_some_and(|value| {
        value.kind() == "call_expression"
            && value
                .child_by_field_name("function")
                .is_some_and(|called| place.text(called) == "require")
    });
    let kind = match function {
        Some(kind) => kind,
        None if is_import || !is_of_module(place, 1) => return None,
        None if is_const => SymbolKind::Constant,
        None => SymbolKind::Variable,
    };
    let body = match function {
        Some(_) => value.and_then(|value| value.child_by_field_name("body")),
        None => value.filter(|value| value.kind() == "object"),
    };
    // With several names in one statement, none of them gets all of its lines.
    let alone = around
        .named_children(&mut around.walk())
        .filter(|child| child.kind() == "variable_declarator")
        .nth(1)
        .is_none();
    let belongs = |kind: &&str| is_export(kind) || *kind == "ambient_declaration";
    let wrappers = 1 + place.kinds_above().skip(1).take_while(belongs).count();
    Some(
        Definition::new(kind, place.text(name), name)
            .body(body)
            .wrappers(if alone { wrappers } else { 0 })
            .visibility(visibility(place)),
    )
}

/// Finds a function assigned to a member, e.g. `a.b = function () {}`. Names assigned to `exports`
/// are collected along the way.
fn assignment<'t>(place: &Place<'t, '_>, found: &mut Found<'t>) -> Option<Definition<'t>> {
    let (left, right) = (place.field("left")?, place.field("right")?);
    let is_statement = matches!(
        place.kind_above(1),
        "expression_statement" | "assignment_expression" | "variable_declarator"
    );
    if !is_statement || left.kind() != "member_expression" {
        return None;
    }
    let mut path = member_path(place, left)?;
    let exports = exports(&place.text(left));
    if exports {
        exported_names(place, right, found);
    }
    let kind = callable(right)?;
    let own = right.child_by_field_name("name");
    // `module.exports = function () {}` has no name of its own. Use the name of the function, if
    // there is one.
    let (name, name_node) = match path.pop() {
        Some(name) => (name, left.child_by_field_name("property")?),
        None => match own {
            Some(own) => (place.text(own).into_owned(), own),
            None => ("exports".to_owned(), left),
        },
    };
    let of_prototype = place.text(left).contains(".prototype.");
    let kind = match kind {
        SymbolKind::Function if of_prototype => SymbolKind::Method,
        kind => kind,
    };
    Some(
        Definition::new(kind, name, name_node)
            .body(right.child_by_field_name("body"))
            .wrappers(usize::from(place.kind_above(1) == "expression_statement"))
            .prefix(path)
            .visibility(exports.then_some(Visibility::Public)),
    )
}

fn exports(left: &str) -> bool {
    left == "module.exports" || left.starts_with("module.exports.") || left.starts_with("exports.")
}

/// Collects the names exported by an assignment, e.g. `module.exports = name` or
/// `module.exports = { name }`.
fn exported_names<'t>(place: &Place<'t, '_>, right: Node<'t>, found: &mut Found<'t>) {
    let mut add = |node: Node<'t>| found.exports.push(place.text(node).into_owned());
    match right.kind() {
        "identifier" => add(right),
        "object" => {
            for child in place.children(right) {
                match child.kind() {
                    "shorthand_property_identifier" => add(child),
                    "pair" => {
                        let value = child.child_by_field_name("value");
                        value
                            .filter(|value| value.kind() == "identifier")
                            .into_iter()
                            .for_each(&mut add);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Splits a member expression, e.g. `a.prototype.b` into `a` and `b`, without parts such as
/// `module.exports`. Returns `None` for a computed part, or too many parts for a name.
fn member_path(place: &Place<'_, '_>, left: Node<'_>) -> Option<Vec<String>> {
    const MAX_PARTS: usize = 8;
    let (mut node, mut parts) = (left, Vec::new());
    while node.kind() == "member_expression" {
        if parts.len() >= MAX_PARTS {
            return None;
        }
        let property = node.child_by_field_name("property")?;
        parts.push(place.text(property).into_owned());
        node = node.child_by_field_name("object")?;
    }
    match node.kind() {
        "identifier" => parts.push(place.text(node).into_owned()),
        "this" => {}
        _ => return None,
    }
    parts.reverse();
    parts.retain(|part| part != "prototype");
    if parts.first().is_some_and(|first| first == "module")
        && parts.get(1).is_some_and(|second| second == "exports")
    {
        parts.drain(..2);
    } else if parts.first().is_some_and(|first| first == "exports") {
        parts.remove(0);
    }
    Some(parts)
}
