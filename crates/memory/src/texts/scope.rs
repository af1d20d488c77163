//! The scope of a memory: `project:<id>`.

/// True for `project:` and an ID without whitespace, colons and control characters.
#[must_use]
pub(crate) fn is_scope(text: &str) -> bool {
    text.strip_prefix("project:").is_some_and(|id| {
        !id.is_empty()
            && !id
                .chars()
                .any(|c| c.is_whitespace() || c == ':' || c.is_control())
    })
}

/// Converts `name` to an ID of lower-case letters, digits and hyphens. Never empty.
#[must_use]
pub(crate) fn project_id_of(name: &str) -> String {
    let mut id = String::new();
    for c in windlass_search::composed(name)
        .chars()
        .flat_map(char::to_lowercase)
    {
        if c.is_alphanumeric() {
            id.push(c);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
    }
    let id = id.trim_end_matches('-');
    if id.is_empty() { "project" } else { id }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_names_one_project() {
        assert!(is_scope("project:web-app") && is_scope("project:Ünï_1.2"));
        for other in [
            "project:",
            "project:a b",
            "project:a:b",
            "global",
            "Project:a",
        ] {
            assert!(!is_scope(other), "{other}");
        }
        for (name, id) in [
            ("My App", "my-app"),
            ("--", "project"),
            ("a__b.", "a-b"),
            ("Mu\u{308}ller", "müller"),
        ] {
            assert_eq!(project_id_of(name), id);
            assert!(is_scope(&format!("project:{id}")));
        }
    }
}
