//! Files that define a name in the goal. Files that merely use the name contain it just as often,
//! but they do not explain as much.

use std::collections::BTreeSet;

use crate::compose::goal_words::names_in;
use windlass_repo::{SearchQuery, role_of};

use super::file_cases::{Cases, speak, want};
use crate::compose::ground::Ground;
use windlass_find::scope;
use windlass_site::Error;

/// Rank of a file that is the only one to define a code name in the goal.
const DEFINES: u32 = 500;
/// The same for a word that is just capitalized. Such a word is more likely to be the name of
/// something else.
const DEFINES_WORD: u32 = 260;
/// For each other file with a definition of the same name, the rank is lower by this much.
const EACH: u32 = 40;
/// If more files than this define a name, it is not distinctive.
const MOST_FILES: u32 = 8;
/// Maximum number of names that we search for.
const MOST_NAMES: usize = 12;
/// Keywords in front of the name in a definition, in all languages that we support.
const KEYWORDS: &str = "class|struct|enum|trait|interface|type|union|record|object|protocol|module|namespace|mod|def|fn|fun|func|function|sub|macro_rules!|const|static|let|var|val|#define|typedef";

/// Ranks the files that define a code name or a capitalized word.
pub(super) fn defined(ground: &Ground<'_>, goal: &str, cases: &mut Cases) -> Result<(), Error> {
    let names = names_of(goal);
    // In Go, the receiver of a method is between the keyword and the name.
    let pattern = |name: &Name| format!(r"\b(?:{KEYWORDS})\s+(?:\([^()]*\)\s*)?{}\b", name.name);
    let patterns: Vec<String> = names.iter().map(pattern).collect();
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    if patterns.is_empty() {
        return Ok(());
    }
    let query = SearchQuery {
        scope: scope(&[]),
        max_matches: 100,
        max_matches_per_file: Some(3),
        ..SearchQuery::default()
    };
    let found = ground
        .snapshot
        .search_each(&patterns, &query, &ground.cancel)?;
    for (Name { name, is_code }, found) in names.iter().zip(found) {
        let files = found.files.iter();
        let is_own = |path: &str| role_of(path).is_none();
        let own: Vec<_> = files.filter(|file| is_own(file.path.as_str())).collect();
        let count = u32::try_from(own.len()).unwrap_or(u32::MAX);
        if count > MOST_FILES {
            continue;
        }
        let rank = if *is_code { DEFINES } else { DEFINES_WORD };
        for file in own {
            let why = format!("it defines `{name}`, which the goal names");
            speak(cases, &file.path, rank - EACH * (count - 1), &why);
            for line in &file.lines {
                want(cases, &file.path, line.line, 80);
            }
            if let Some(case) = cases.get_mut(&file.path) {
                case.names.insert(name.clone());
            }
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    name: String,
    /// False if the name is just a capitalized word.
    is_code: bool,
}

/// Finds the names in a goal. Of a code name, we take the last part. A capitalized word does not
/// count at the start of a sentence.
fn names_of(goal: &str) -> BTreeSet<Name> {
    let code = names_in(goal).into_iter().filter_map(|name| {
        let last = name.rsplit([':', '.', '/']).next()?;
        is_identifier(last.trim_end_matches("()")).then(|| last.trim_end_matches("()").to_owned())
    });
    let code: BTreeSet<String> = code.collect();
    let mut ended = true;
    let mut words = BTreeSet::new();
    for part in goal.split_whitespace() {
        let word = part.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let is_name = word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.chars().any(|c| c.is_ascii_lowercase());
        if !ended && is_name && is_identifier(word) && !code.contains(word) {
            words.insert(word.to_owned());
        }
        ended = part.ends_with(['.', ':', '!', '?']);
    }
    let code = code.into_iter().map(|name| Name {
        name,
        is_code: true,
    });
    let words = words.into_iter().map(|name| Name {
        name,
        is_code: false,
    });
    code.chain(words).take(MOST_NAMES).collect()
}

fn is_identifier(name: &str) -> bool {
    name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        for (goal, expected) in [
            ("Fix docs for Router", vec![("Router", false)]),
            ("Fix a bug in `Router`", vec![("Router", true)]),
            ("make RetryPolicy::of_file faster", vec![("of_file", true)]),
            ("Add `len()` function", vec![("len", true)]),
            ("Retry it. Then stop", vec![]),
            ("speed up HTTP", vec![]),
            ("update src/a.rs and b-c", vec![]),
        ] {
            let found = names_of(goal);
            let found: Vec<(&str, bool)> = found
                .iter()
                .map(|it| (it.name.as_str(), it.is_code))
                .collect();
            assert_eq!(found, expected, "{goal}");
        }
    }
}
