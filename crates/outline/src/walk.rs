//! Walks a syntax tree and collects the symbols that the rules of the language find.
//!
//! There's no recursion, since deep nesting in a file could overflow the stack. Instead, [`Walk`]
//! keeps a list of the nodes and symbols around the current one.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use crate::symbol::joined;
use crate::{Language, Limits, Lines, Outline, Symbol, SymbolKind, Visibility};

/// Maximum length of a name, in bytes.
///
/// A longer name is most likely due to a syntax error, and its symbol is omitted.
pub(crate) const MAX_NAME: usize = 400;

/// Number of bytes of a definition to search for its signature.
const MAX_SIGNATURE_BYTES: usize = 16 * Symbol::MAX_SIGNATURE;

pub(crate) struct Grammar {
    pub(crate) parser: fn() -> tree_sitter::Language,
    /// Function to collect the symbols of a node. Its result decides about visiting the children.
    pub(crate) rule: for<'t> fn(&Place<'t, '_>, &mut Found<'t>) -> Descend,
    /// True if a node belongs to the definition below it, like comments, attributes and decorators.
    pub(crate) leads: fn(Node<'_>) -> bool,
    /// True if definitions in a node of this kind are local, e.g. for the body of a function.
    pub(crate) hides: fn(&str) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descend {
    Inside,
    Skip,
}

#[derive(Default)]
pub(crate) struct Found<'t> {
    pub(crate) definitions: Vec<Definition<'t>>,
    /// Names exported apart from their definition.
    pub(crate) exports: Vec<String>,
}

pub(crate) struct Definition<'t> {
    pub(crate) name: String,
    pub(crate) name_node: Node<'t>,
    pub(crate) kind: SymbolKind,
    pub(crate) body: Option<Node<'t>>,
    pub(crate) visibility: Option<Visibility>,
    /// Number of nodes above within the definition, e.g. an `export` or a decorator.
    pub(crate) wrappers: usize,
    /// Names of containers not around the node, e.g. the receiver type of a Go method.
    pub(crate) prefix: Vec<String>,
    /// Name in the paths of the symbols inside, if different from `name`.
    pub(crate) qualifier: Option<String>,
    /// True if another assignment may follow. Only the first one becomes a symbol.
    pub(crate) rebinds: bool,
}

impl<'t> Definition<'t> {
    pub(crate) fn new(kind: SymbolKind, name: impl Into<String>, name_node: Node<'t>) -> Self {
        Self {
            name: name.into(),
            name_node,
            kind,
            body: None,
            visibility: None,
            wrappers: 0,
            prefix: Vec::new(),
            qualifier: None,
            rebinds: false,
        }
    }

    pub(crate) fn body(mut self, body: Option<Node<'t>>) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn visibility(mut self, visibility: Option<Visibility>) -> Self {
        self.visibility = visibility;
        self
    }

    pub(crate) fn wrappers(mut self, wrappers: usize) -> Self {
        self.wrappers = wrappers;
        self
    }

    pub(crate) fn prefix(mut self, prefix: Vec<String>) -> Self {
        self.prefix = prefix;
        self
    }
}

/// A node with its ancestors and the source text, as visible to rules.
pub(crate) struct Place<'t, 'a> {
    pub(crate) node: Node<'t>,
    /// Kind of the innermost symbol around the node.
    pub(crate) inside: Option<SymbolKind>,
    open: &'a [Open<'t>],
    source: &'a [u8],
}

impl<'t> Place<'t, '_> {
    pub(crate) fn kind(&self) -> &'t str {
        self.node.kind()
    }

    /// Returns the ancestor `levels` above the node, with its parent at level 1.
    pub(crate) fn above(&self, levels: usize) -> Option<Node<'t>> {
        let at = self.open.len().checked_sub(levels)?;
        self.open.get(at).map(|open| open.node)
    }

    pub(crate) fn kind_above(&self, levels: usize) -> &'t str {
        self.above(levels).map_or("", |node| node.kind())
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.open.last().is_some_and(|open| open.hides)
    }

    /// Iterates over the kinds of the ancestors, nearest first. Callers should only visit a few,
    /// since the list may be very long.
    pub(crate) fn kinds_above(&self) -> impl Iterator<Item = &'t str> {
        self.open.iter().rev().map(|open| open.node.kind())
    }

    pub(crate) fn field(&self, name: &str) -> Option<Node<'t>> {
        self.node.child_by_field_name(name)
    }

    pub(crate) fn text(&self, node: Node<'_>) -> Cow<'_, str> {
        String::from_utf8_lossy(self.source.get(node.byte_range()).unwrap_or(b""))
    }

    pub(crate) fn children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        node.children(&mut node.walk()).collect()
    }

    pub(crate) fn has_child(&self, node: Node<'t>, kind: &str) -> bool {
        node.children(&mut node.walk())
            .any(|child| child.kind() == kind)
    }
}

struct Open<'t> {
    node: Node<'t>,
    /// First row of the node's definition, including the comments and attributes above it.
    lead_row: usize,
    /// First and last row of comments and attributes that may belong to the next child.
    lead: Option<(usize, usize)>,
    previous_end: Option<usize>,
    /// True if definitions inside this node are local.
    hides: bool,
}

struct Scope {
    /// Number of open nodes when the symbol was found. The symbol ends once the number is back at
    /// this value.
    at: usize,
    symbol: usize,
    segments: Vec<String>,
}

pub(crate) struct Walk<'t, 'a> {
    language: Language,
    grammar: &'a Grammar,
    source: &'a [u8],
    limits: Limits,
    open: Vec<Open<'t>>,
    scopes: Vec<Scope>,
    exports: BTreeSet<String>,
    bound: BTreeSet<String>,
    /// Number of bytes left for paths, or `None` after a path didn't fit.
    path_room: Option<usize>,
    outline: Outline,
}

impl<'t, 'a> Walk<'t, 'a> {
    pub(crate) fn new(
        language: Language,
        grammar: &'a Grammar,
        source: &'a [u8],
        limits: Limits,
    ) -> Self {
        Self {
            language,
            grammar,
            source,
            limits,
            open: Vec::new(),
            scopes: Vec::new(),
            exports: BTreeSet::new(),
            bound: BTreeSet::new(),
            path_room: Some(limits.max_path_bytes),
            outline: Outline::default(),
        }
    }

    pub(crate) fn over(mut self, tree: &'t Tree) -> Outline {
        let mut cursor = tree.walk();
        loop {
            // We visit the nodes in the order of the text. `open` has those that we're currently
            // inside of.
            let node = cursor.node();
            let lead_row = self.lead_row(node);
            if node.is_named() && self.visit(node, lead_row) && cursor.goto_first_child() {
                let hidden = self.open.last().is_some_and(|open| open.hides);
                self.open.push(Open {
                    node,
                    lead_row,
                    lead: None,
                    previous_end: None,
                    hides: hidden || (self.grammar.hides)(node.kind()),
                });
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return self.finish();
                }
                self.open.pop();
            }
        }
    }

    /// Finds the first row of `node`, including comments directly above it unless they follow code
    /// on the same line.
    fn lead_row(&mut self, node: Node<'t>) -> usize {
        let (start, end) = (node.start_position().row, end_row(node));
        let Some(parent) = self.open.last_mut() else {
            return start;
        };
        let before = parent.lead.take();
        // A blank line separates a comment from the code below it.
        let joined = before.filter(|(_, last)| start <= last + 1);
        let first = joined.map_or(start, |(first, _)| first);
        if (self.grammar.leads)(node) {
            // A comment after other code on its line is about that code.
            let trails = joined.is_none() && parent.previous_end == Some(start);
            parent.lead = (!trails).then_some((first, end));
        }
        parent.previous_end = Some(end);
        first
    }

    /// Applies the rule to `node`. Returns true if its children need a visit.
    fn visit(&mut self, node: Node<'t>, lead_row: usize) -> bool {
        self.close_scopes();
        let mut found = Found::default();
        let place = Place {
            node,
            inside: self
                .scopes
                .last()
                .map(|scope| self.outline.symbols[scope.symbol].kind),
            open: &self.open,
            source: self.source,
        };
        let descend = (self.grammar.rule)(&place, &mut found);
        self.exports.extend(found.exports);
        for definition in found.definitions {
            self.define(node, lead_row, definition);
        }
        descend == Descend::Inside
    }

    fn close_scopes(&mut self) {
        let at = self.open.len();
        while self.scopes.last().is_some_and(|scope| scope.at >= at) {
            self.scopes.pop();
        }
    }

    fn define(&mut self, node: Node<'t>, lead_row: usize, definition: Definition<'t>) {
        // A node can define several symbols. They aren't inside each other.
        self.close_scopes();
        if !self.has_room(&definition) {
            self.outline.completeness.omitted += 1;
            return;
        }
        let container = self.scopes.last().map(|scope| scope.symbol);
        let depth = container.map_or(0, |at| self.outline.symbols[at].depth + 1);
        let around = self.scopes.last().map_or(&[][..], |scope| &scope.segments);
        let mut segments: Vec<String> = around.to_vec();
        segments.extend(definition.prefix.iter().cloned());
        segments.push(definition.name.clone());
        let (path, parts) = joined(&segments, self.language.separator());
        // Only the first assignment defines the variable.
        if definition.rebinds && !self.bound.insert(path.clone()) {
            return;
        }
        // Once a path didn't fit, don't add any more symbols. The contents of the missing one would
        // seem to be outside of it.
        self.path_room = self.path_room.and_then(|room| room.checked_sub(path.len()));
        if self.path_room.is_none() {
            self.outline.completeness.omitted += 1;
            return;
        }
        // If a definition is part of other nodes, such as an `export`, their lines belong to it.
        let whole = match definition.wrappers {
            0 => None,
            wrappers => self.open.iter().nth_back(wrappers - 1),
        };
        let (whole, lead_row) = whole.map_or((node, lead_row), |open| (open.node, open.lead_row));
        let (signature, signature_lines) = self.signature(whole, &definition);
        self.outline.symbols.push(Symbol {
            lines: Lines::new(line(lead_row), line(end_row(whole))),
            name_line: line(definition.name_node.start_position().row),
            name: definition.name,
            kind: definition.kind,
            path,
            signature_lines,
            signature,
            visibility: definition.visibility,
            container,
            depth,
            parts,
        });
        // In the paths of the symbols inside, this one may have another name, such as
        // `<Type as Trait>` for `impl Trait for Type`.
        if let Some(qualifier) = definition.qualifier {
            segments.pop();
            segments.push(qualifier);
        }
        self.scopes.push(Scope {
            at: self.open.len(),
            symbol: self.outline.symbols.len() - 1,
            segments,
        });
    }

    /// Returns true if the limits allow another symbol, and its names aren't too long.
    fn has_room(&self, definition: &Definition<'_>) -> bool {
        let Definition {
            name,
            prefix,
            qualifier,
            ..
        } = definition;
        let mut names = prefix.iter().chain([name]).chain(qualifier);
        self.path_room.is_some()
            && self.outline.symbols.len() < self.limits.max_symbols
            && self.scopes.len() < self.limits.max_depth as usize
            && names.all(|name| name.len() <= MAX_NAME)
    }

    /// Extracts the text before the body.
    ///
    /// Without a body, this is all of a function's text, and the first line of anything else.
    fn signature(&self, whole: Node<'t>, definition: &Definition<'t>) -> (String, Lines) {
        let (start, first_row) = self.beginning(whole);
        let body = definition
            .body
            .filter(|body| body.start_byte() >= definition.name_node.end_byte());
        let end = body.map_or_else(|| whole.end_byte(), |body| body.start_byte());
        let text = self.source.get(start..end.max(start)).unwrap_or(b"");
        let text = &text[..text.len().min(MAX_SIGNATURE_BYTES)];
        let more = text.len() == MAX_SIGNATURE_BYTES;
        let is_function = matches!(
            definition.kind,
            SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor
        );
        let text = match text.iter().position(|byte| *byte == b'\n') {
            Some(end) if body.is_none() && !is_function => &text[..end],
            _ => text,
        };
        let text = text.trim_ascii();
        let rows = text.iter().filter(|byte| **byte == b'\n').count();
        let lines = Lines::new(line(first_row), line(first_row + rows));
        (one_line(text, more), lines)
    }

    /// Skips decorators, annotations and comments of `whole`, and returns the byte and row after
    /// them.
    fn beginning(&self, whole: Node<'t>) -> (usize, usize) {
        /// Maximum number of levels between a definition and its first word in the syntax tree.
        const LEVELS: usize = 8;
        let leads = self.grammar.leads;
        let mut node = whole;
        // Decorators may be several levels below `whole`, so descend to the first node that isn't
        // one.
        for _ in 0..LEVELS {
            let mut cursor = node.walk();
            let counts = |child: &Node<'t>| {
                let all_lead = |node: Node<'t>| {
                    node.child_count() > 0 && node.children(&mut node.walk()).all(leads)
                };
                !(leads(*child) || child.kind() == "modifiers" && all_lead(*child))
            };
            let first = node.children(&mut cursor).find(counts);
            match first {
                Some(first) => node = first,
                None => break,
            }
        }
        (node.start_byte(), node.start_position().row)
    }

    fn finish(mut self) -> Outline {
        // Only now do we know all names that are exported apart from their definition.
        for symbol in &mut self.outline.symbols {
            if symbol.depth == 0 && self.exports.contains(&symbol.path) {
                symbol.visibility = Some(Visibility::Public);
            }
        }
        self.outline
    }
}

/// Returns the last row of a node. A line break at its end doesn't begin another row.
fn end_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row {
        end.row - 1
    } else {
        end.row
    }
}

/// Converts a row (from 0) to a line number (from 1).
fn line(row: usize) -> u32 {
    u32::try_from(row).map_or(u32::MAX, |row| row.saturating_add(1))
}

/// Joins `text` to one line with single spaces, and truncates a long one. `more` marks text already
/// truncated by the caller.
fn one_line(text: &[u8], more: bool) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in String::from_utf8_lossy(text).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            chars += 1;
        }
        for letter in word.chars() {
            if chars >= Symbol::MAX_SIGNATURE {
                line.push('…');
                return line;
            }
            line.push(letter);
            chars += 1;
        }
    }
    if more {
        line.push('…');
    }
    line
}
