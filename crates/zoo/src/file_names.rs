//! Converts file names from users and programs to paths relative to the repository root, with `/`
//! as the separator.

use std::path::Path;

use windlass_base::RepoPath;

use crate::recipe::Files;

/// Converts `name` to a path relative to `root`. Accepts `./a`, `a//b`, and absolute paths inside `root`.
///
/// # Errors
///
/// Returns an error message if the path is invalid or outside of `root`.
pub(crate) fn within(root: &Path, name: &str) -> Result<String, String> {
    let refused = |why: &dyn std::fmt::Display| Err(why.to_string());
    let below = match RepoPath::is_absolute(name) {
        true => match below(root, Path::new(name)) {
            Some(below) => below,
            None => {
                return refused(&format_args!(
                    "`{name}` is outside of the repository `{}`",
                    root.display()
                ));
            }
        },
        false => name.to_owned(),
    };
    match RepoPath::parse(&below) {
        Ok(path) => Ok(path.as_str().to_owned()),
        Err(error) => refused(&error),
    }
}

/// Returns the part of `name` below `root`, or `None` if it's outside. Symbolic links are followed
/// in both.
fn below(root: &Path, name: &Path) -> Option<String> {
    let plainly = name.strip_prefix(root).ok().map(Path::to_path_buf);
    let followed = || {
        let (root, name) = (root.canonicalize().ok()?, name.canonicalize().ok()?);
        name.strip_prefix(root).ok().map(Path::to_path_buf)
    };
    let parts = plainly.or_else(followed)?;
    let parts: Vec<&str> = parts
        .iter()
        .map(|part| part.to_str())
        .collect::<Option<_>>()?;
    match parts.is_empty() {
        true => Some(".".to_owned()),
        false => Some(parts.join("/")),
    }
}

/// Returns true if `name` is a folder that contains one of `files`.
pub(crate) fn is_folder(files: &Files, name: &str) -> bool {
    let inside = format!("{name}/");
    let mut from = files.range(inside.clone()..);
    name == "."
        || from
            .next()
            .is_some_and(|(path, _)| path.starts_with(&inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_names_are_one_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repo");
        let absolute = root.join("src/a.rs").display().to_string();
        for name in ["src/a.rs", "./src/a.rs", "src//./a.rs", &absolute] {
            assert_eq!(within(&root, name).as_deref(), Ok("src/a.rs"), "{name}");
        }
        assert_eq!(
            within(&root, &root.display().to_string()).as_deref(),
            Ok(".")
        );
        for (name, why) in [
            ("/etc/passwd", "is outside of the repository"),
            ("../a", "upwards"),
            ("", "empty"),
        ] {
            let refused = within(&root, name).unwrap_err();
            assert!(refused.contains(why), "{name}: {refused}");
        }
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "files of the test")]
    fn path_through_linked_root_is_within() {
        let folder = tempfile::tempdir().unwrap();
        let (root, link) = (folder.path().join("repo"), folder.path().join("link"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a"), "").unwrap();
        std::os::unix::fs::symlink(&root, &link).unwrap();
        let name = link.join("a").display().to_string();
        assert_eq!(within(&root, &name).as_deref(), Ok("a"));
    }

    #[test]
    fn folder_is_a_prefix_of_files() {
        let files = Files::from([("src/a.rs".to_owned(), Vec::new())]);
        assert!(is_folder(&files, "src") && is_folder(&files, "."));
        assert!(!is_folder(&files, "sr") && !is_folder(&files, "src/a.rs"));
    }
}
