//! Resolves cited paths to repository files, and writes paths in the style of a citation.

use windlass_base::RepoPath;

use crate::scanner::{Citation, Setting};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    Root,
    /// The document's folder.
    Folder,
}

/// Lists the possible files of `citation` in `document`, most likely first.
///
/// In a link, the path relative to the document comes first, and elsewhere the one relative to the
/// root.
pub(crate) fn candidates(document: &RepoPath, citation: &Citation) -> Vec<(From, RepoPath)> {
    let path = citation.path.as_str();
    if let Some(absolute) = path.strip_prefix('/') {
        return joined("", absolute)
            .map(|file| (From::Root, file))
            .into_iter()
            .collect();
    }
    let folder = folder_of(document);
    let root = joined("", path).map(|file| (From::Root, file));
    let beside = joined(folder, path).map(|file| (From::Folder, file));
    let both = match citation.setting {
        Setting::Link => [beside, root],
        Setting::Code | Setting::Text | Setting::Fence => [root, beside],
    };
    let mut found: Vec<(From, RepoPath)> = both.into_iter().flatten().collect();
    found.dedup_by(|later, earlier| later.1 == earlier.1);
    found
}

/// Writes the path of `file`, relative to `from`, in the style of `citation`. If that begins with
/// `/` or `./`, so does the new path.
pub(crate) fn path_to(
    file: &RepoPath,
    document: &RepoPath,
    citation: &Citation,
    from: From,
) -> String {
    if citation.path.starts_with('/') {
        return format!("/{file}");
    }
    let path = match from {
        From::Root => file.to_string(),
        From::Folder => relative(folder_of(document), file.as_str()),
    };
    match citation.path.starts_with("./") && !path.starts_with("..") {
        true => format!("./{path}"),
        false => path,
    }
}

fn folder_of(document: &RepoPath) -> &str {
    document
        .as_str()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder)
}

/// Joins `path` to `folder` and resolves `..`. Returns `None` for a path outside of the repository.
fn joined(folder: &str, path: &str) -> Option<RepoPath> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| RepoPath::parse(&parts.join("/")).ok())?
}

fn relative(folder: &str, file: &str) -> String {
    let from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = file.split('/').collect();
    let folders = to.len() - 1;
    let shared = from
        .iter()
        .zip(&to[..folders])
        .take_while(|(a, b)| a == b)
        .count();
    let up = vec![".."; from.len() - shared];
    [&up[..], &to[shared..]].concat().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cited_path_round_trips() {
        let document = RepoPath::parse("docs/guide/a.md").unwrap();
        for (text, wanted, from, new, written) in [
            (
                "[x](b.rs#L1)",
                "docs/guide/b.rs",
                From::Folder,
                "docs/c.rs",
                "../c.rs",
            ),
            (
                "[x](../../src/b.rs#L1)",
                "src/b.rs",
                From::Folder,
                "src/d/c.rs",
                "../../src/d/c.rs",
            ),
            ("[x](/src/b.rs#L1)", "src/b.rs", From::Root, "c.rs", "/c.rs"),
            (
                "[x](./b.rs#L1)",
                "docs/guide/b.rs",
                From::Folder,
                "docs/guide/c.rs",
                "./c.rs",
            ),
            (
                "`src/b.rs:1`",
                "src/b.rs",
                From::Root,
                "src/c.rs",
                "src/c.rs",
            ),
        ] {
            let citation = crate::scanner::scan(text).remove(0);
            let (found_from, file) = candidates(&document, &citation).remove(0);
            assert_eq!((file.as_str(), found_from), (wanted, from), "{text}");
            let new = RepoPath::parse(new).unwrap();
            assert_eq!(path_to(&new, &document, &citation, from), written, "{text}");
        }
        let out = crate::scanner::scan("[x](../../../b.rs#L1)").remove(0);
        assert_eq!(candidates(&document, &out), []);
    }
}
