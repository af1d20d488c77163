//! Finds the files of Go modules. `go test` prints import paths, which start with the import path
//! of the module.

use windlass_base::{Cancel, RepoPath};
use windlass_repo::{ListQuery, Snapshot};

#[derive(Debug, Default)]
pub(super) struct GoModules(Vec<Module>);

#[derive(Debug)]
struct Module {
    /// The import path.
    name: String,
    /// The folder with the `go.mod`.
    folder: RepoPath,
}

impl GoModules {
    /// Finds all modules. A nested module takes precedence over the one around it, so the longest
    /// name comes first.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        // The build has already asked for this, so the snapshot knows the answer.
        let query = ListQuery {
            hidden: true,
            ..ListQuery::default()
        };
        let listed = snapshot.list(&query, &Cancel::default());
        let files = listed.map(|listing| listing.files).unwrap_or_default();
        let mut modules: Vec<Module> = files
            .iter()
            .filter(|path| path.file_name() == "go.mod")
            .filter_map(|path| {
                let file = snapshot.read(path).ok()?;
                let text = file.shown().bytes();
                Some(Module {
                    name: named_in(&String::from_utf8_lossy(&text))?,
                    folder: path.parent()?,
                })
            })
            .collect();
        modules.sort_by_key(|module| std::cmp::Reverse(module.name.len()));
        Self(modules)
    }

    /// Finds a file by `imported`, which is an import path followed by the name of the file.
    pub(super) fn file(&self, imported: &str, snapshot: &Snapshot) -> Option<RepoPath> {
        let all = self.0.iter();
        let mut own = all.filter_map(|module| module.file(imported));
        own.find(|path| snapshot.read(path).is_ok())
    }
}

impl Module {
    fn file(&self, imported: &str) -> Option<RepoPath> {
        let rest = imported.strip_prefix(&self.name)?.strip_prefix('/')?;
        let path = match self.folder.is_root() {
            true => rest.to_owned(),
            false => format!("{}/{rest}", self.folder),
        };
        RepoPath::parse(&path).ok()
    }
}

/// Finds the `module` line of a `go.mod`. The name may be in quotes or parentheses, and there may
/// be a comment.
fn named_in(text: &str) -> Option<String> {
    let mut words = text.lines().flat_map(|line| {
        let line = line.split("//").next().unwrap_or_default();
        line.split_whitespace()
    });
    words.find(|word| *word == "module")?;
    let name = words.find(|word| *word != "(")?;
    let name = name.trim_matches(['"', '`']);
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_mod_module_name_forms() {
        for text in [
            "module example.com/m\n\ngo 1.20\n",
            "// Deprecated: a module of old\nmodule \"example.com/m\" // it is called so\n",
            "go 1.20\nmodule (\n\texample.com/m\n)\n",
        ] {
            assert_eq!(named_in(text).as_deref(), Some("example.com/m"), "{text}");
        }
        for text in ["", "go 1.20\n", "module\n", "// module example.com/m\n"] {
            assert_eq!(named_in(text), None, "{text}");
        }
    }

    #[test]
    fn go_file_is_below_module_folder() {
        let of = |folder: &str, imported: &str| {
            let module = Module {
                name: "e.org/m".to_owned(),
                folder: RepoPath::parse(folder).unwrap(),
            };
            module.file(imported).map(|path| path.to_string())
        };
        let found = |path: &str| Some(path.to_owned());
        assert_eq!(of("a/b", "e.org/m/c/x_test.go"), found("a/b/c/x_test.go"));
        assert_eq!(of("a", "e.org/m/x_test.go"), found("a/x_test.go"));
        assert_eq!(of("a", "e.org/more/x_test.go"), None);
    }
}
