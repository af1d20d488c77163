//! Finds the definitions of names used by code in the documentation. These are the first that users
//! of the project come across.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::{Match, Regex};
use windlass_base::RepoPath;

use super::candidate::Candidate;
use super::file_survey::{Survey, Text};
use super::languages::Language;

const MAX_NAMES: usize = 2;

/// Maximum number of defined names to consider, the most used ones first. The rest are usually just
/// mentioned in passing.
const MAX_CONSIDERED: usize = 4;

/// Minimum use of a name as a fraction of the most used one's, as a divisor. With 3, a name must be
/// used at least a third as often.
const MIN_SHARE: usize = 3;

/// Maximum number of names to search definitions for, the most used ones first. They all become
/// part of a single regex.
const MAX_SEARCHED: usize = 80;

/// Maximum number of documents to read if the readme does not use any names. The ones nearest to
/// the root are read.
const MAX_DOCUMENTS: usize = 12;

static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z_]\w{2,}").ok());

/// Finds the project's types and functions that code in the readme uses most.
///
/// If the readme does not use any, we try the other documents. A name is skipped if it has two
/// equally likely definitions.
pub(super) fn find(survey: &Survey<'_>) -> Vec<Candidate> {
    let Some(language) = survey.languages().into_iter().next() else {
        return Vec::new();
    };
    let readme = survey.readme().into_iter().collect();
    let others = survey.documents().take(MAX_DOCUMENTS).collect();
    [("the readme", readme), ("the documents", others)]
        .into_iter()
        .map(|(whose, documents)| used_in(documents, whose, survey, language))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

fn used_in(
    documents: Vec<&RepoPath>,
    whose: &str,
    survey: &Survey<'_>,
    language: &Language,
) -> Vec<Candidate> {
    let texts = documents.into_iter().filter_map(|file| survey.text(file));
    let code: String = texts.map(|text| code_of(&text, language)).collect();
    let uses = names_in(&code, language);
    let mut places = definitions(survey, language, &uses).unwrap_or_default();
    let defined = uses.iter().filter_map(|(name, uses)| {
        let places = places.remove(name)?;
        Some((name, *uses, places))
    });
    let defined: Vec<_> = defined.take(MAX_CONSIDERED).collect();
    let most = defined.first().map_or(0, |(_, uses, _)| *uses);
    let found = defined.iter().filter_map(|(name, uses, places)| {
        let (file, line) = only_place(places).filter(|_| uses * MIN_SHARE >= most)?;
        let mut found = survey.defined_at(&survey.text(file)?, line, name)?;
        found.name.clone_from(name);
        found.label = format!("`{name}`");
        found.reason = format!("code in {whose} uses `{name}`");
        Some(found)
    });
    found.take(MAX_NAMES).collect()
}

/// The contents of the fenced code blocks of `text` that are in `language`.
fn code_of(text: &Text, language: &Language) -> String {
    let mut code = String::new();
    // Within a block, this is true if the block is in `language`. It's `None` outside of blocks.
    let mut open: Option<bool> = None;
    for (_, line) in text.lines() {
        let info = line.trim_start().strip_prefix("```");
        match (info, open) {
            (Some(info), None) => open = Some(language.is_of_block(info.trim())),
            (Some(_), Some(_)) => open = None,
            (None, Some(true)) => {
                code.push_str(line);
                code.push('\n');
            }
            (None, _) => {}
        }
    }
    code
}

/// The names that `code` uses but does not define, with the number of uses. The most used ones come
/// first, and among equals the one that appears first.
fn names_in(code: &str, language: &Language) -> Vec<(String, usize)> {
    // Examples often define types and functions of their own.
    let own = language.definitions(r"\w+");
    let own = own.iter().flat_map(|own| own.captures_iter(code));
    let own: BTreeSet<&str> = own
        .filter_map(|found| Some(found.get(1)?.as_str()))
        .collect();
    let mut uses: BTreeMap<&str, (usize, Reverse<usize>)> = BTreeMap::new();
    let words = WORD.iter().flat_map(|word| word.find_iter(code));
    let is_other = |word: &Match<'_>| {
        let name = word.as_str();
        !own.contains(name) && language.is_offered(name) && !is_namespace(&code[word.end()..])
    };
    for word in words.filter(is_other) {
        let first = Reverse(word.start());
        uses.entry(word.as_str()).or_insert((0, first)).0 += 1;
    }
    let mut names: Vec<(&str, (usize, Reverse<usize>))> = uses.into_iter().collect();
    names.sort_by_key(|(_, use_of)| Reverse(*use_of));
    names.truncate(MAX_SEARCHED);
    let names = names.into_iter();
    names
        .map(|(name, (uses, _))| (name.to_owned(), uses))
        .collect()
}

/// True if `rest`, the code after a name, shows that the name is a namespace, as in `Winch::Drum`
/// or `Winch\Drum`. The interesting name is the inner one then.
fn is_namespace(rest: &str) -> bool {
    let inner = rest.strip_prefix("::").or_else(|| rest.strip_prefix('\\'));
    inner.is_some_and(|inner| inner.starts_with(char::is_uppercase))
}

/// Locations of a definition: number of folders above the file, the file, and the line.
type Places = Vec<(usize, RepoPath, u32)>;

fn definitions(
    survey: &Survey<'_>,
    language: &Language,
    uses: &[(String, usize)],
) -> Option<BTreeMap<String, Places>> {
    let names: Vec<&str> = uses.iter().map(|(name, _)| name.as_str()).collect();
    let defining = language
        .definitions(&names.join("|"))
        .filter(|_| !names.is_empty())?;
    let globs = language.endings.iter().map(|ending| format!("*.{ending}"));
    let mut found: BTreeMap<String, Places> = BTreeMap::new();
    // One search for all names. Afterwards, we look through the few files with a match.
    for file in survey.lines_like(defining.to_string(), globs.collect()) {
        let Some(text) = survey.text(&file) else {
            continue;
        };
        let depth = file.as_str().matches('/').count();
        for (number, line) in text.lines() {
            if let Some(name) = defining.captures(line).and_then(|found| found.get(1)) {
                let places = found.entry(name.as_str().to_owned()).or_default();
                places.push((depth, file.clone(), number));
            }
        }
    }
    found.values_mut().for_each(|places| places.sort());
    Some(found)
}

/// The location nearest to the root. If another one is equally near, we cannot tell which is meant,
/// so this returns `None`.
fn only_place(places: &Places) -> Option<(&RepoPath, u32)> {
    let (depth, file, line) = places.first()?;
    let is_double = places.get(1).is_some_and(|second| second.0 == *depth);
    (!is_double).then_some((file, *line))
}
