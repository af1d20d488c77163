//! Converts between relative links and paths from the root of the repository.

use windlass_base::RepoPath;

/// Resolves a link in the file `from`. This returns `None` for a web address or a link within the
/// same file, and an error if the target is outside of the repository.
pub(crate) fn resolve(from: &RepoPath, target: &str) -> Option<Result<RepoPath, String>> {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    // A single letter is the drive of a Windows path instead of a scheme.
    let is_web = target.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    });
    if target.is_empty() || is_web {
        return None;
    }
    let target = target.replace("%20", " ");
    // As on code hosting sites, a leading slash stands for the root of the repository.
    let rooted = target
        .strip_prefix('/')
        .filter(|rest| !rest.starts_with('/'));
    let parent = match rooted {
        Some(_) => RepoPath::root(),
        None => from.parent().unwrap_or_else(RepoPath::root),
    };
    let target = rooted.unwrap_or(&target);
    if RepoPath::is_absolute(target) {
        return Some(Err(format!("`{target}` is absolute")));
    }
    let mut parts: Vec<&str> = match parent.is_root() {
        true => Vec::new(),
        false => parent.as_str().split('/').collect(),
    };
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Some(Err(format!("`{target}` leads out of the repository")));
                }
            }
            part => parts.push(part),
        }
    }
    Some(RepoPath::parse(&parts.join("/")).map_err(|error| error.to_string()))
}

/// The inverse of [`resolve`]: a link to `target`, relative to the file `from`.
pub(crate) fn relative(from: &RepoPath, target: &RepoPath) -> String {
    let parent = from.parent().unwrap_or_else(RepoPath::root);
    let above: Vec<&str> = match parent.is_root() {
        true => Vec::new(),
        false => parent.as_str().split('/').collect(),
    };
    let parts: Vec<&str> = target.as_str().split('/').collect();
    let common = above
        .iter()
        .zip(&parts[..parts.len() - 1])
        .take_while(|(a, b)| a == b)
        .count();
    let up = vec![".."; above.len() - common];
    let way: Vec<&str> = up
        .into_iter()
        .chain(parts[common..].iter().copied())
        .collect();
    way.join("/").replace(' ', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_resolve_from_their_file() {
        let from = RepoPath::parse("memory/decisions/a.md").unwrap();
        let to = |target: &str| resolve(&from, target).map(|to| to.map(|path| path.to_string()));
        assert_eq!(to("b.md#x"), Some(Ok("memory/decisions/b.md".to_owned())));
        assert_eq!(
            to("../summary.md"),
            Some(Ok("memory/summary.md".to_owned()))
        );
        assert_eq!(to("https://x.y/z.md"), None);
        assert_eq!(to("#here"), None);
        assert!(to("../../../x").unwrap().is_err());
        assert_eq!(
            to("/docs/x.md"),
            Some(Ok("docs/x.md".to_owned())),
            "from the root of the repository"
        );
        assert!(to("//server/x").unwrap().is_err());
        assert!(to("/../x").unwrap().is_err());
        for target in [
            "memory/decisions/b.md",
            "memory/summary.md",
            "docs/a b.md",
            "x",
        ] {
            let target = RepoPath::parse(target).unwrap();
            let way = relative(&from, &target);
            assert_eq!(resolve(&from, &way), Some(Ok(target)), "{way}");
        }
    }
}
