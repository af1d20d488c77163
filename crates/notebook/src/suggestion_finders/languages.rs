//! Recognizes programming languages.

use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use windlass_base::RepoPath;

use super::suggestion_rules::Pattern;

/// A programming language, recognized by file endings. The fields are documented in
/// `languages.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Language {
    pub(super) name: String,
    pub(super) endings: Vec<String>,
    #[serde(default)]
    blocks: Vec<String>,
    defines: Option<String>,
    named: Option<Pattern>,
}

/// Minimum share of the source files for listing a language, as a divisor. A few scripts do not
/// make a project one of that language.
const MIN_SHARE: usize = 8;

static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| serde_yaml::from_str(include_str!("languages.yaml")).unwrap_or_default());

impl Language {
    /// The languages of `files`, the one with the most files first. Rare languages are left out
    /// (see [`MIN_SHARE`]).
    pub(super) fn of_files<'a>(files: impl Iterator<Item = &'a RepoPath>) -> Vec<&'static Self> {
        let all = 0..LANGUAGES.len();
        let writing = |file: &RepoPath| -> Vec<usize> {
            all.clone()
                .filter(|at| LANGUAGES[*at].writes(file))
                .collect()
        };
        // An ending such as `h` belongs to several languages. Count the other files first: a header
        // next to C++ sources is most likely C++.
        let (sole, shared): (Vec<_>, Vec<_>) = files.map(writing).partition(|it| it.len() == 1);
        let mut counts = vec![0_usize; LANGUAGES.len()];
        sole.iter().flatten().for_each(|at| counts[*at] += 1);
        let sole = counts.clone();
        let most = |several: &Vec<usize>| several.iter().rev().copied().max_by_key(|at| sole[*at]);
        shared
            .iter()
            .filter_map(most)
            .for_each(|at| counts[at] += 1);
        let mut counts: Vec<(usize, &Self)> = counts.into_iter().zip(LANGUAGES.iter()).collect();
        let total: usize = counts.iter().map(|(count, _)| count).sum();
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let counts = counts.into_iter();
        let named = counts.take_while(|(count, _)| *count > 0 && count * MIN_SHARE >= total);
        named.map(|(_, language)| language).collect()
    }

    /// A pattern for definitions of one of `names`, an alternation such as `a|b`. The first group
    /// of the pattern captures the name.
    pub(super) fn definitions(&self, names: &str) -> Option<Regex> {
        let names = format!(r"({names})\b");
        let pattern = self.defines.as_ref()?.replace("{}", &names);
        Regex::new(&format!("(?m){pattern}")).ok()
    }

    /// True if a definition called `name` can be used outside of its module.
    pub(super) fn is_offered(&self, name: &str) -> bool {
        self.named.as_ref().is_none_or(|named| named.is_in(name))
    }

    fn writes(&self, file: &RepoPath) -> bool {
        let ending = file.file_name().rsplit_once('.');
        ending.is_some_and(|(_, ending)| self.endings.iter().any(|one| one == ending))
    }

    /// True if a Markdown code block with the info string `info` is in this language.
    pub(super) fn is_of_block(&self, info: &str) -> bool {
        let word = info.split([' ', ',', '{']).next().unwrap_or_default();
        let mut names = self.blocks.iter().chain(&self.endings);
        names.any(|name| name.eq_ignore_ascii_case(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_few_files_left_out() {
        let paths = [
            "a.go", "b.go", "c/d.go", "e.py", "x.md", "f.go", "g.go", "h.go", "i.go", "j.go",
        ];
        let files: Vec<RepoPath> = paths.map(|path| RepoPath::parse(path).unwrap()).into();
        let named = Language::of_files(files.iter());
        let names: Vec<&str> = named.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["Go"]);
        assert!(named[0].is_of_block("golang,ignore") && !named[0].is_of_block("sh"));
        assert!(named[0].is_offered("New") && !named[0].is_offered("new"));
        // Beside C++ sources, a header file counts as C++ as well.
        let files = ["a.h", "b.h", "a.cc"].map(|path| RepoPath::parse(path).unwrap());
        let named = Language::of_files(files.iter());
        assert_eq!(
            named
                .iter()
                .map(|one| one.name.as_str())
                .collect::<Vec<_>>(),
            ["C++"]
        );
    }
}
