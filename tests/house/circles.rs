//! Import cycles between the files of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::{Item, UseTree};

use super::sources::{root, rust_files};

/// Path of a module, from its crate's root.
type Module = Vec<String>;

/// Returns the modules of the crate with sources in `folder`, and the modules each of them imports
/// from. Parents and children don't count.
fn imports(folder: &Path) -> BTreeMap<Module, BTreeSet<Module>> {
    let files = rust_files(folder).into_iter().map(|file| {
        let relative = file.strip_prefix(folder).unwrap().with_extension("");
        let parts = relative
            .iter()
            .map(|part| part.to_str().unwrap().to_owned());
        let mut module: Module = parts.collect();
        if ["mod", "lib", "main"].contains(&module.last().unwrap().as_str()) {
            module.pop();
        }
        (module, std::fs::read_to_string(file).unwrap())
    });
    let files: BTreeMap<Module, String> = files.collect();
    let used = files.iter().map(|(module, text)| {
        let mut paths = Vec::new();
        for item in syn::parse_file(text).unwrap().items {
            if let Item::Use(item) = item {
                add_paths(&item.tree, &mut Vec::new(), &mut paths);
            }
        }
        let targets = paths.iter().filter_map(|path| target(module, path, &files));
        let is_other = |target: &Module| !target.starts_with(module) && !module.starts_with(target);
        (module.clone(), targets.filter(is_other).collect())
    });
    used.collect()
}

fn add_paths(tree: &UseTree, before: &mut Module, paths: &mut Vec<Module>) {
    let name = match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            add_paths(&path.tree, before, paths);
            before.pop();
            return;
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                add_paths(tree, before, paths);
            }
            return;
        }
        UseTree::Name(name) => Some(name.ident.to_string()),
        UseTree::Rename(rename) => Some(rename.ident.to_string()),
        UseTree::Glob(_) => None,
    };
    paths.push(before.iter().cloned().chain(name).collect());
}

/// Returns the innermost module named by `path`, which is written in `module`.
fn target(module: &Module, path: &Module, files: &BTreeMap<Module, String>) -> Option<Module> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let (mut found, rest) = match path[0].as_str() {
        "crate" => (Module::new(), &path[1..]),
        "self" => (module.clone(), &path[1..]),
        "super" => {
            let above = module.len().checked_sub(supers)?;
            (module[..above].to_vec(), &path[supers..])
        }
        _ => return None,
    };
    for part in rest {
        found.push(part.clone());
        if !files.contains_key(&found) {
            found.pop();
            break;
        }
    }
    Some(found)
}

/// Returns true if imports lead from `from` to `to`.
fn leads(imports: &BTreeMap<Module, BTreeSet<Module>>, from: &Module, to: &Module) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(module) = open.pop() {
        for next in imports.get(module).into_iter().flatten() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

#[test]
fn files_import_in_one_direction() {
    let mut wrong = Vec::new();
    for folder in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = folder.unwrap().path().join("src");
        let imports = imports(&folder);
        for (module, targets) in &imports {
            let back = targets
                .iter()
                .filter(|target| leads(&imports, target, module));
            wrong.extend(back.map(|target| {
                format!(
                    "{}: {} and {}",
                    folder.display(),
                    module.join("/"),
                    target.join("/")
                )
            }));
        }
    }
    assert!(
        wrong.is_empty(),
        "these files import from each other, so that neither can be read alone; move what both need to a third:\n{}",
        wrong.join("\n")
    );
}
