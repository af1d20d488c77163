//! Lists the imports of a source file, going by syntax alone.

use tree_sitter::{Node, TreeCursor};

use crate::{Language, Limits, NotOutlined, parse};

/// Maximum number of imports per file. Further ones are ignored.
const MAX_IMPORTS: usize = 2_000;
/// Depth of the syntax tree to search for imports.
///
/// Imports inside functions are usually within this depth, but not those in deeply nested blocks.
const DEPTH: usize = 6;

/// An import of a path or module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The path in the language's own form, e.g. `crate::a::b`, `./x`, `pkg.mod` or `a/b.h`. For a
    /// Rust module in a file of its own (`mod name;`), it's `self::name`.
    pub path: String,
    /// Line of the import, from 1.
    pub line: u32,
}

/// Lists the imports of a file in `language`, in order, without resolving them to files. Markdown
/// has none.
///
/// # Errors
/// Returns the same errors as [`crate::outline`].
pub fn imports(
    language: Language,
    bytes: &[u8],
    limits: Limits,
) -> Result<Vec<Import>, NotOutlined> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if language == Language::Markdown {
        return Ok(Vec::new());
    }
    if bytes.len() > limits.max_bytes {
        return Err(NotOutlined::TooLarge {
            bytes: bytes.len(),
            max: limits.max_bytes,
        });
    }
    let tree = parse::tree(language, bytes, &|| false)?;
    let mut found = Vec::new();
    walk(&mut tree.walk(), &mut |node| {
        take(language, node, bytes, &mut found)
    });
    found.truncate(MAX_IMPORTS);
    Ok(found)
}

/// Visits nodes, parents first, down to [`DEPTH`]. If `see` returns false for a node, its children
/// are skipped.
fn walk(cursor: &mut TreeCursor<'_>, see: &mut impl FnMut(Node<'_>) -> bool) {
    let mut depth = 0;
    loop {
        let inside = see(cursor.node()) && depth < DEPTH;
        if inside && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
    }
}

/// Collects the imports of `node`. Returns true if its children may contain more.
fn take(language: Language, node: Node<'_>, bytes: &[u8], found: &mut Vec<Import>) -> bool {
    let text = |node: Node<'_>| {
        let bytes = bytes.get(node.byte_range()).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    let field = |name: &str| node.child_by_field_name(name).map(text);
    let line =
        u32::try_from(node.start_position().row).map_or(u32::MAX, |row| row.saturating_add(1));
    let mut add = |path: String| {
        let path = path.trim().to_owned();
        if !path.is_empty() && path.len() <= 400 && found.len() < MAX_IMPORTS {
            found.push(Import { path, line });
        }
    };
    match (language, node.kind()) {
        (Language::Rust, "use_declaration") => {
            for path in flattened(&field("argument").unwrap_or_default()) {
                add(path);
            }
        }
        (Language::Rust, "mod_item") => {
            if node.child_by_field_name("body").is_some() {
                return true;
            }
            add(format!("self::{}", field("name").unwrap_or_default()));
        }
        (Language::Python, "import_statement") => {
            let mut cursor = node.walk();
            for name in node.children_by_field_name("name", &mut cursor) {
                let name = name.child_by_field_name("name").unwrap_or(name);
                add(text(name));
            }
        }
        (Language::Python, "import_from_statement") => {
            let module = field("module_name").unwrap_or_default();
            // The module of `from . import a` ends with a dot, so don't add another.
            let between = if module.ends_with('.') { "" } else { "." };
            let mut cursor = node.walk();
            let mut names = node
                .children_by_field_name("name", &mut cursor)
                .map(|name| text(name.child_by_field_name("name").unwrap_or(name)))
                .peekable();
            if names.peek().is_none() {
                add(module.clone());
            }
            for name in names {
                add(format!("{module}{between}{name}"));
            }
        }
        (
            Language::JavaScript | Language::TypeScript | Language::Tsx,
            "import_statement" | "export_statement",
        ) => match field("source") {
            Some(source) => add(unquoted(&source)),
            None => return true,
        },
        (Language::Go, "import_spec") => add(unquoted(&field("path").unwrap_or_default())),
        (Language::Java, "import_declaration") => {
            let text = text(node);
            let path = text
                .trim_start_matches("import")
                .trim_end_matches(';')
                .trim();
            add(path
                .trim_start_matches("static ")
                .trim_end_matches(".*")
                .to_owned());
        }
        (Language::C | Language::CHeader, "preproc_include") => {
            add(unquoted(&field("path").unwrap_or_default()));
        }
        _ => return true,
    }
    false
}

fn unquoted(text: &str) -> String {
    text.trim_matches(['"', '\'', '`', '<', '>']).to_owned()
}

/// Expands a Rust import such as `a::{b, c::{d, self}}` into single paths, without the new names
/// given by `as`.
fn flattened(tree: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut around: Vec<String> = Vec::new();
    let mut current = String::new();
    let close = |around: &[String], current: &mut String, paths: &mut Vec<String>| {
        let name = current.split(" as ").next().unwrap_or_default().trim();
        if !name.is_empty() && paths.len() < MAX_IMPORTS {
            let path = format!("{}{name}", around.concat());
            let path = path.strip_suffix("::self").unwrap_or(&path);
            paths.push(path.strip_suffix("::*").unwrap_or(path).to_owned());
        }
        current.clear();
    };
    for c in tree.chars() {
        match c {
            '{' if around.len() < 32 => around.push(std::mem::take(&mut current).trim().to_owned()),
            ',' => close(&around, &mut current, &mut paths),
            '}' => {
                close(&around, &mut current, &mut paths);
                around.pop();
            }
            c if c.is_whitespace() => current.push(' '),
            c => current.push(c),
        }
    }
    close(&around, &mut current, &mut paths);
    paths
}
