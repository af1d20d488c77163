//! Files that the goal names without an extension: by a path (`src/keyword`), by a module
//! (`app.routing`), or by a word that only one file is called (`trustedhost`).

use std::collections::{BTreeMap, BTreeSet};

use crate::compose::goal_words::words_of;
use windlass_base::RepoPath;
use windlass_outline::Language;

use super::file_cases::{Cases, NAMED, speak};
use crate::compose::ground::Ground;
use windlass_find::Others;
use windlass_repo::role_of;

/// If more files than this fit a name, it's too vague.
const MOST_ALIKE: usize = 4;
/// Rank of a file that's the only one called like a word of the goal.
const CALLED: u32 = 240;
/// If more than about one in this many files has a word, it's too common to name a file.
const FEW: usize = 10;

/// Ranks the files that are named. If a name fits several files, each of them gets a part of the
/// rank.
///
/// Returns the names that are paths. They can't be symbols as well, so nobody has to search for
/// them.
pub(super) fn named_without_ending(
    ground: &Ground<'_>,
    text: &str,
    cases: &mut Cases,
) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for named in named_in(text, &ground.files) {
        // The name has an extension after all, so somebody else will rank the file.
        if ground.file_ending(&named.name).is_some() {
            continue;
        }
        let count = u32::try_from(named.files.len()).unwrap_or(u32::MAX).max(1);
        let why = match count {
            1 => "the goal names it".to_owned(),
            _ => format!("the goal may name it by `{}`", named.name),
        };
        for path in named.files {
            speak(cases, path, NAMED / count, &why);
        }
        if named.is_path {
            paths.insert(named.name);
        }
    }
    paths
}

/// Ranks the files that are called like a word of the goal. The word must be rare, and no other
/// file may have this name.
pub(super) fn called_as_words(ground: &Ground<'_>, goal: &str, others: &Others, cases: &mut Cases) {
    let few = ground.files.len() / FEW + 5;
    for (word, path) in called_in(goal, &ground.files) {
        let having = words_of(&word);
        let having = having.iter().filter_map(|stem| others.having.get(stem));
        if having.min().is_some_and(|having| *having <= few) {
            speak(cases, path, CALLED, &format!("it alone is called {word}"));
        }
    }
}

#[derive(Debug, PartialEq)]
struct Named<'f> {
    /// The name, as it's written in the text.
    name: String,
    /// False for a module, whose name may end with one of its items.
    is_path: bool,
    files: Vec<&'f RepoPath>,
}

/// One way to read a name, as a path without an extension. It may start at any folder.
struct Reading {
    path: String,
    is_path: bool,
}

fn named_in<'f>(text: &str, files: &'f [RepoPath]) -> Vec<Named<'f>> {
    let names: BTreeSet<&str> = parts_of(text).filter(|part| has_sign(part)).collect();
    let read: Vec<(&str, Vec<Reading>)> = names
        .into_iter()
        .map(|name| (name, readings(name)))
        .collect();
    let mut by_last: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for reading in read.iter().flat_map(|(_, readings)| readings) {
        let last = reading.path.rsplit('/').next().unwrap_or_default();
        by_last.entry(last).or_default().insert(&reading.path);
    }
    // Go through the files only once, no matter how many names there are.
    let mut meant: BTreeMap<&str, Vec<&RepoPath>> = BTreeMap::new();
    for file in files {
        let Some(stem) = stem_of(file) else { continue };
        let last = stem.rsplit('/').next().unwrap_or_default();
        let paths = by_last.get(last).into_iter().flatten();
        for path in paths.filter(|path| ends_so(stem, path)) {
            meant.entry(path).or_default().push(file);
        }
    }
    let named = read.iter().filter_map(|(name, readings)| {
        let first = readings
            .iter()
            .find_map(|reading| Some((reading, meant.get(&*reading.path)?)));
        let (reading, files) = first?;
        let is_whole = |file: &&RepoPath| stem_of(file) == Some(&*reading.path);
        let files = match files.iter().any(&is_whole) {
            true => files.iter().copied().filter(is_whole).collect(),
            false => files.clone(),
        };
        (files.len() <= MOST_ALIKE).then(|| Named {
            name: (*name).to_owned(),
            is_path: reading.is_path,
            files,
        })
    });
    named.collect()
}

/// Splits at everything that can't be part of a name, e.g. blanks, brackets and quotes.
fn parts_of(text: &str) -> impl Iterator<Item = &str> {
    let is_sign = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | ':');
    let parts = text.split(move |c: char| !is_sign(c));
    parts
        .map(|part| part.trim_matches(['.', ':', '-', '/']))
        .filter(|part| part.len() > 2)
}

/// True for a name, as opposed to a plain word.
fn has_sign(part: &str) -> bool {
    part.contains(['/', '.']) || part.contains("::")
}

/// The ways to read a name, best first.
fn readings(name: &str) -> Vec<Reading> {
    let written = Reading {
        path: name.to_owned(),
        is_path: true,
    };
    if name.contains('/') {
        return vec![written];
    }
    let module = name.replace("::", "/").replace('.', "/");
    let inner = ["crate/", "self/", "super/"];
    let module = inner
        .iter()
        .find_map(|outer| module.strip_prefix(outer))
        .unwrap_or(&module);
    let mut all = vec![written];
    // The last parts of the name may be items in the module. A module's own name has at least one
    // folder, so we stop there.
    let mut rest = module;
    while rest.contains('/') {
        for path in [
            rest.to_owned(),
            format!("{rest}/__init__"),
            format!("{rest}/mod"),
        ] {
            let is_path = false;
            all.push(Reading { path, is_path });
        }
        rest = rest.rsplit_once('/').map_or("", |(folders, _)| folders);
    }
    all
}

fn stem_of(path: &RepoPath) -> Option<&str> {
    let (stem, ending) = path.as_str().rsplit_once('.')?;
    let has_name = !stem.is_empty() && !stem.ends_with('/') && !ending.contains('/');
    // The file `a.d.ts` has the declarations for `a.ts`.
    has_name.then(|| stem.strip_suffix(".d").unwrap_or(stem))
}

/// True if `stem` ends with `path`, at the start of a folder's name.
fn ends_so(stem: &str, path: &str) -> bool {
    stem.strip_suffix(path)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Finds the words in `text` that a single code file is called. Tests and other files with a role
/// don't count.
///
/// We skip the first word, because it's usually a verb (as in "Retry …"), unless a colon follows.
fn called_in<'f>(text: &str, files: &'f [RepoPath]) -> Vec<(String, &'f RepoPath)> {
    let begin = text.split_whitespace().next().unwrap_or_default();
    let rest = match begin.ends_with(':') {
        true => text,
        false => text.trim_start().get(begin.len()..).unwrap_or_default(),
    };
    let words = parts_of(rest);
    let words = words.filter(|word| !has_sign(word) && !words_of(word).is_empty());
    let mut called: BTreeMap<String, Vec<&RepoPath>> = words
        .map(|word| (word.to_ascii_lowercase(), Vec::new()))
        .collect();
    let is_code = |path: &&RepoPath| {
        Language::of_path(path.as_str()).is_some_and(|language| language != Language::Markdown)
    };
    for file in files.iter().filter(is_code) {
        let stem = stem_of(file).and_then(|stem| stem.rsplit('/').next());
        let stem = stem.unwrap_or_default().to_ascii_lowercase();
        if let Some(known) = called.get_mut(&stem)
            && known.len() < 2
            && role_of(file.as_str()).is_none()
        {
            known.push(file);
        }
    }
    let alone = called.into_iter().filter_map(|(word, files)| match *files {
        [file] => Some((word, file)),
        _ => None,
    });
    alone.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<RepoPath> {
        let mut all: Vec<RepoPath> = names
            .iter()
            .map(|name| RepoPath::parse(name).unwrap())
            .collect();
        all.sort();
        all
    }

    /// Joins the files of each name by commas.
    fn named(text: &str, files: &[RepoPath]) -> Vec<(String, String)> {
        let files_of = |named: &Named<'_>| {
            let files: Vec<&str> = named.files.iter().map(|file| file.as_str()).collect();
            files.join(",")
        };
        let all = named_in(text, files);
        all.iter()
            .map(|one| (one.name.clone(), files_of(one)))
            .collect()
    }

    #[test]
    fn paths_and_modules_name_their_files() {
        let files = paths(&[
            "app/middleware/__init__.py",
            "app/middleware/hosts.py",
            "app/websockets.py",
            "lib/src/keyword.rs",
            "src/keyword.rs",
            "src/parse/mod.rs",
            "src/parse/lexer.rs",
            "test/route.1.test.js",
            "types/all.d.ts",
            ".hidden",
        ]);
        for (text, meant) in [
            ("Empty input in src/keyword.", "src/keyword.rs"),
            ("see (./src/keyword)", "src/keyword.rs"),
            ("lib/src/keyword", "lib/src/keyword.rs"),
            ("`middleware/hosts`: none", "app/middleware/hosts.py"),
            ("app.websockets is slow", "app/websockets.py"),
            ("app.websockets.WebSocket.close fails", "app/websockets.py"),
            ("app.middleware.Middleware", "app/middleware/__init__.py"),
            ("parse::lexer::next_token", "src/parse/lexer.rs"),
            ("crate::src::parse", "src/parse/mod.rs"),
            ("route.1.test hangs", "test/route.1.test.js"),
            ("types/all", "types/all.d.ts"),
        ] {
            let all = named(text, &files);
            assert_eq!(all.len(), 1, "{text}: {all:?}");
            assert_eq!(all[0].1, meant, "{text}");
        }
        for text in [
            "ords/hosts",
            "keyword",
            "e.g. and/or 1.2",
            "word.rs",
            "src/",
        ] {
            assert_eq!(named(text, &files), [], "{text}");
        }
    }

    #[test]
    fn shared_name_means_all_its_files() {
        let files = paths(&["a/io/net.c", "a/io/net.h", "b/io/net.c", "io/net.py"]);
        assert_eq!(named("io/net", &files)[0].1, "io/net.py");
        assert_eq!(named("a/io/net", &files)[0].1, "a/io/net.c,a/io/net.h");
        let many: Vec<String> = (0..5).map(|at| format!("p{at}/io/net.c")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(named("io/net", &paths(&many)), []);
    }

    #[test]
    fn word_means_the_only_code_file_so_named() {
        let files = paths(&[
            "app/TrustedHost.py",
            "app/cors.py",
            "docs/trustedhost.md",
            "lib/cors.py",
            "tests/trustedhost.py",
            "app/the.py",
        ]);
        let called = called_in("Reject the empty host in TrustedHost and cors", &files);
        assert_eq!(called.len(), 1, "{called:?}");
        assert_eq!(called[0].1.as_str(), "app/TrustedHost.py");
        for text in ["see app/TrustedHost", "TrustedHost fails", ""] {
            assert_eq!(called_in(text, &files), [], "{text}");
        }
        assert_eq!(called_in("trustedhost: no empty host", &files).len(), 1);
    }
}
