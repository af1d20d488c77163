//! Sizes of crates, folders and types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::{ImplItem, Item, ItemImpl, Type};

use super::sources::{crate_of, is_shipped, root, rust_files, shown, without_tests};

/// Maximum number of code lines of each crate, without tests, benchmarks, comments and blank lines.
/// Lower the budget when code goes, or the same amount can come back unnoticed.
const BUDGETS: &[(&str, usize)] = &[
    ("base", 1_750),
    ("cite", 3_500),
    ("cli", 11_750),
    ("context", 6_200),
    ("engine", 1_800),
    ("evidence", 7_250),
    ("find", 1_050),
    ("formula", 9_000),
    ("impact", 1_000),
    ("ledger", 15_250),
    ("mcp", 5_650),
    ("memory", 13_400),
    ("molecule", 5_700),
    ("notebook", 11_300),
    ("outline", 2_400),
    ("packs", 10_350),
    ("page", 350),
    ("plan", 8_000),
    ("plugin", 4_850),
    ("plugins", 2_600),
    ("redact", 4_840),
    ("render", 4_850),
    ("repo", 8_100),
    ("results", 4_600),
    ("runs", 3_400),
    ("search", 850),
    ("share", 1_900),
    ("site", 1_400),
    ("steps", 5_650),
    ("store", 2_850),
    ("tokens", 350),
    ("tron", 4_300),
    ("vcontext", 10_050),
    ("web", 2_500),
    ("windlass", 700),
    ("xtask", 4_000),
    ("zoo", 7_300),
];

/// Maximum number of code lines of all crates, `xtask` and `plugins` together.
const TOTAL: usize = 189_600;

/// Maximum number of files in a folder.
const MAX_FILES: usize = 25;

/// Maximum number of methods of a type, in all its inherent `impl` blocks.
const MAX_METHODS: usize = 25;

/// Number of lines of `text` that are neither blank nor comments, up to an inline module of tests.
fn code_lines(text: &str) -> usize {
    let lines = without_tests(text).lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

#[test]
fn crates_keep_to_their_budgets() {
    let mut sizes = BTreeMap::new();
    for top in ["crates", "xtask", "plugins"] {
        for path in rust_files(&root().join(top)) {
            if is_shipped(&shown(&path)) {
                let lines = code_lines(&std::fs::read_to_string(&path).unwrap());
                *sizes.entry(crate_of(&path)).or_insert(0) += lines;
            }
        }
    }
    let budgets = BTreeMap::from_iter(BUDGETS.iter().copied());
    let mut wrong = Vec::new();
    for (name, size) in &sizes {
        match budgets.get(name.as_str()) {
            None => wrong.push(format!(
                "{name} has {size} lines and no budget in {}",
                file!()
            )),
            Some(budget) if size > budget => {
                wrong.push(format!(
                    "{name} has {size} lines of code, {budget} are allowed"
                ));
            }
            Some(_) => {}
        }
    }
    let total: usize = sizes.values().sum();
    if total > TOTAL {
        wrong.push(format!("{total} lines of code in all, {TOTAL} are allowed"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn folders_hold_few_files() {
    let mut folders = BTreeMap::new();
    for path in rust_files(&root()) {
        *folders
            .entry(path.parent().unwrap().to_owned())
            .or_insert(0) += 1;
    }
    folders.retain(|_, files| *files > MAX_FILES);
    assert!(
        folders.is_empty(),
        "more than {MAX_FILES} files: {folders:?}"
    );
}

fn implemented(item: &ItemImpl) -> Option<String> {
    match &*item.self_ty {
        Type::Path(path) if item.trait_.is_none() => {
            Some(path.path.segments.last()?.ident.to_string())
        }
        _ => None,
    }
}

fn count_methods(items: &[Item], methods: &mut BTreeMap<String, usize>) {
    for item in items {
        match item {
            Item::Impl(item) => {
                if let Some(name) = implemented(item) {
                    let is_method = |item: &&ImplItem| matches!(item, ImplItem::Fn(_));
                    *methods.entry(name).or_insert(0) +=
                        item.items.iter().filter(is_method).count();
                }
            }
            Item::Mod(module) => {
                let inner = module.content.iter();
                inner.for_each(|(_, items)| count_methods(items, methods));
            }
            _ => {}
        }
    }
}

fn defined(items: &[Item], types: &mut BTreeMap<String, usize>) {
    for item in items {
        let name = match item {
            Item::Struct(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            _ => continue,
        };
        *types.entry(name.to_string()).or_insert(0) += 1;
    }
}

#[test]
fn types_have_few_methods() {
    let crates: BTreeSet<_> = rust_files(&root().join("crates"))
        .into_iter()
        .filter(|path| is_shipped(&shown(path)))
        .collect();
    let mut by_crate: BTreeMap<String, (BTreeMap<_, _>, BTreeMap<_, _>)> = BTreeMap::new();
    for path in &crates {
        let file = parsed(path);
        let (methods, types) = by_crate.entry(crate_of(path)).or_default();
        count_methods(&file.items, methods);
        defined(&file.items, types);
    }
    let mut wrong = Vec::new();
    for (name, (methods, types)) in by_crate {
        for (ty, count) in methods {
            // Types of one name in several modules cannot be told apart here.
            let namesakes = types.get(&ty).copied().unwrap_or(1).max(1);
            if count > MAX_METHODS * namesakes {
                wrong.push(format!(
                    "{name}: {ty} has {count} methods, {MAX_METHODS} are allowed"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn parsed(path: &Path) -> syn::File {
    let text = std::fs::read_to_string(path).unwrap();
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
