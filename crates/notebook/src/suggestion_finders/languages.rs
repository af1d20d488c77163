//! Conventions of repositories: where programs start, what a library offers, where CI is described, names of guides.

use std::sync::LazyLock;

use serde::Deserialize;
use windlass_base::RepoPath;

/// The table of `languages.yaml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conventions {
    languages: Vec<Language>,
    pub(super) beside: Vec<String>,
    pub(super) beside_there: Vec<String>,
    pub(super) ci: Vec<String>,
    guides: Vec<String>,
}

/// A language, by how its files end; the table says what its fields are.
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

/// The table that is built in.
pub(super) static CONVENTIONS: LazyLock<Conventions> =
    LazyLock::new(|| serde_yaml::from_str(include_str!("languages.yaml")).unwrap_or_default());

impl Conventions {
    /// The first guides at the root, in the order in which they help.
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

    /// The language that most files are written in.
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

    /// True if the name of `file` says that it is the root of an API.
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
    fn table_is_read() {
        let table: Conventions = serde_yaml::from_str(include_str!("languages.yaml")).unwrap();
        assert_eq!(table.languages.len(), 7);
    }
}
