//! Repository conventions: program starts, library APIs, CI files, guide names.

use std::sync::LazyLock;

use serde::Deserialize;
use windlass_base::RepoPath;

/// Table of `languages.yaml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conventions {
    languages: Vec<Language>,
    pub(super) beside: Vec<String>,
    pub(super) beside_there: Vec<String>,
    pub(super) ci: Vec<String>,
    guides: Vec<String>,
}

/// Language, recognized by file extensions; the table documents the fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    pub(super) name: String,
    pub(super) extensions: Vec<String>,
    pub(super) start: String,
    #[serde(default)]
    pub(super) manifests: Vec<String>,
    pub(super) entry: String,
    #[serde(default)]
    pub(super) roots: Vec<String>,
    #[serde(default)]
    pub(super) offers: String,
    #[serde(default)]
    pub(super) without: Vec<String>,
}

/// Built-in table.
pub(super) static CONVENTIONS: LazyLock<Conventions> =
    LazyLock::new(|| serde_yaml::from_str(include_str!("languages.yaml")).unwrap_or_default());

impl Conventions {
    /// Returns the guides at the root, most useful first.
    pub(super) fn guides_of<'a>(&self, files: &'a [RepoPath]) -> Vec<&'a RepoPath> {
        let named = |guide: &String| {
            let mut at_root = files.iter().filter(|file| !file.as_str().contains('/'));
            at_root.find(|file| {
                let name = file.file_name().to_lowercase();
                let (stem, ending) = name.split_once('.').unwrap_or((&name, "md"));
                stem == guide && matches!(ending, "md" | "markdown" | "rst" | "txt" | "adoc")
            })
        };
        self.guides.iter().filter_map(named).collect()
    }

    /// Returns the language of most files.
    pub(super) fn main_language(&self, files: &[RepoPath]) -> Option<&Language> {
        let count = |language: &Language| files.iter().filter(|file| language.writes(file)).count();
        let languages = self.languages.iter().rev();
        let most = languages.max_by_key(|language| count(language))?;
        (count(most) > 0).then_some(most)
    }
}

impl Language {
    fn writes(&self, file: &RepoPath) -> bool {
        let ending = file.file_name().rsplit_once('.');
        ending.is_some_and(|(_, ending)| self.extensions.iter().any(|one| one == ending))
    }

    /// True if `file` has the name of an API root.
    pub(super) fn is_root(&self, file: &RepoPath) -> bool {
        let name = file.file_name();
        self.roots.iter().any(|root| match root.strip_prefix('*') {
            Some(ending) => {
                !file.as_str().contains('/')
                    && name.ends_with(ending)
                    && !name.ends_with("_test.go")
            }
            None => name == root,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_table_parsed() {
        let table: Conventions = serde_yaml::from_str(include_str!("languages.yaml")).unwrap();
        assert_eq!(table.languages.len(), 7);
    }
}
