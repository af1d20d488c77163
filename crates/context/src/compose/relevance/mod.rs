//! Selects the relevant files.
//!
//! There are several hints that a file is relevant: the request names it, a failure points to it,
//! it has changed, its name or text matches the goal, or it is related to another relevant file.
//! Each hint adds to the rank of the file. In the end, we take the files with the highest ranks,
//! and show lines of the best ones.

mod alike;
mod beside_the_work;
mod defined;
mod file_cases;
mod file_index;
mod generated_files;
mod lines_of_file;
mod neighbours;
mod worded;

pub(crate) use self::neighbours::lately;

use std::collections::BTreeSet;

use crate::compose::goal_words::{names_in, words_of, written_words_of};
use windlass_base::{RepoPath, in_parallel};
use windlass_packs::context::{RelevantFile, Source, SourceKind, change_item, file_item};
use windlass_repo::{CaseMode, SearchError, SearchQuery, SourceFile};

use self::alike::Taken;
use self::beside_the_work::is_aside;
use self::defined::defined;
use self::file_cases::{Case, Cases, NAMED, SAID, speak, spoken, want};
use self::generated_files::set_generated_aside;
use self::lines_of_file::lines_of;
use self::neighbours::Neighbours;
use self::worded::{GoalSearch, Worded};
use super::bookkeeping::{is_ledger, is_of_memory};
use super::changes::Changed;
use super::contract::mentions;
use super::ground::Ground;
use super::nameable::safe;
use super::pack_draft::Draft;
use super::source_notes as notes;
use super::source_notes::tell_too_large;
use crate::compose::picked_lines::{Picked, Wish, whole_text};
use windlass_find::find_in;
use windlass_find::scope;
use windlass_site::Error;

/// Maximum number of files. Those with lower ranks are not mentioned.
const MAX_FILES: usize = 40;
/// We only show lines of this many files, the best ones.
const MAX_TEXTS: usize = 24;
/// Minimum rank of a file.
const LEAST: u32 = 40;
/// A file must have at least the rank of the file at [`MEASURE`], divided by this.
const SHARE: u32 = 4;
/// Index of the ranked file that others are compared with. We do not use the first one, because the
/// first few may be outliers.
const MEASURE: usize = 2;
/// Rank of a changed file. A place that answers the goal gives a higher one.
const CHANGED: u32 = 150;
/// If a changed file matches the goal, its change gets this in addition to the rank of the file.
const DIFFERS: u32 = 200;
/// Rank of a file that a document names in a passage about the goal.
const CITED: u32 = 150;
/// Rank of a file that a document names in another passage.
const MENTIONED: u32 = 20;

/// Maximum number of files that we search for places that answer the goal.
const MAX_ASKED: usize = 80;
/// Maximum number of tokens for such places.
const MAX_ANSWERS: usize = 4_000;

pub(super) struct Relevance<'b, 'w> {
    pub(super) ground: &'b Ground<'w>,
    pub(super) draft: &'b mut Draft,
}

impl Relevance<'_, '_> {
    pub(super) fn take(&mut self, changed: &Changed) -> Result<(), Error> {
        let mut cases = Cases::new();
        self.named_files(&mut cases)?;
        for (path, line) in failing_places(self.ground, self.draft) {
            speak(&mut cases, &path, 900, "a failure names it");
            want(&mut cases, &path, line, 90);
        }
        // The memory and the ledger have parts of their own in the pack, and nobody works on these
        // files as such.
        let changed = changed
            .iter()
            .filter(|(path, _)| !is_of_memory(path) && !is_ledger(path));
        let changed: Changed = changed
            .map(|(path, stretches)| (path.clone(), stretches.clone()))
            .collect();
        self.searched(&mut cases)?;
        self.named_in_goal(&mut cases)?;
        if windlass_base::is_on("context.defined") {
            defined(self.ground, &self.draft.sought(), &mut cases)?;
        }
        if windlass_base::is_on("context.cited") {
            self.cited(&mut cases);
        }
        let worded = GoalSearch {
            ground: self.ground,
            goal: &self.draft.sought(),
        }
        .worded(&mut cases)?;
        if windlass_base::is_on("context.generated") {
            set_generated_aside(self.ground, &mut cases, &worded);
        }
        self.answering(&mut cases, &changed, &worded);
        self.changed(&mut cases, &changed);
        Neighbours(self.ground).beside(&mut cases);
        let documents: Vec<String> = self
            .draft
            .pack
            .doc_refs
            .iter()
            .map(|it| it.path.clone())
            .collect();
        cases.retain(|path, case| {
            let is_own = is_of_memory(path)
                || is_ledger(path)
                || (windlass_base::is_on("context.aside") && is_aside(path, &self.draft.wanted));
            let counts = !is_own || case.rank >= SAID;
            counts
                && case.rank >= LEAST
                && !self.ground.results.contains(path)
                && !documents.iter().any(|it| it == path.as_str())
        });
        for path in &self.ground.unnameable {
            if cases.remove(path).is_some() {
                self.draft.withheld.insert(safe(path.as_str()));
            }
        }
        Neighbours(self.ground).owned(&mut cases);
        let mut ranked: Vec<(RepoPath, Case)> = cases.into_iter().collect();
        ranked.sort_by(|(a, one), (b, other)| other.rank.cmp(&one.rank).then_with(|| a.cmp(b)));
        let least = match windlass_base::is_on("context.least") {
            true => least_rank(&ranked),
            false => 0,
        };
        ranked.retain(|(_, case)| case.rank >= least);
        ranked.truncate(MAX_FILES);
        self.take_files(ranked);
        Ok(())
    }

    fn named_files(&mut self, cases: &mut Cases) -> Result<(), Error> {
        let request = self.ground.request;
        for name in &request.files {
            let path = self.ground.named(name)?;
            let file = self.ground.snapshot.read(&path);
            let file =
                file.map_err(|refusal| windlass_site::unreadable(path.as_str(), &refusal))?;
            if let Some(why) = notes::why_not_shown(&file) {
                let source = vec![notes::file_source(&path, &file)];
                self.draft.tell(
                    self.ground.site,
                    notes::file_without_text(&path, why),
                    source,
                );
            }
            speak(cases, &path, 1_000, "it was named");
        }
        Ok(())
    }

    fn searched(&self, cases: &mut Cases) -> Result<(), Error> {
        for pattern in &self.ground.request.search {
            let query = SearchQuery {
                pattern: pattern.clone(),
                case: CaseMode::Smart,
                scope: scope(&[]),
                max_matches_per_file: Some(30),
                ..SearchQuery::default()
            };
            let found = self.ground.snapshot.search(&query, &self.ground.cancel);
            let found = found.map_err(SearchError::on_one_line)?;
            for file in &found.files {
                let hits = file.total.min(20);
                speak(
                    cases,
                    &file.path,
                    400 + 5 * hits,
                    &format!("it has `{pattern}`"),
                );
                for line in &file.lines {
                    want(cases, &file.path, line.line, 60);
                }
            }
        }
        Ok(())
    }

    /// Looks for names of code and files in the goal. Ranks the files that contain such a name, or
    /// are called like that.
    fn named_in_goal(&self, cases: &mut Cases) -> Result<(), Error> {
        let text = format!(
            "{}\n{}",
            self.draft.sought(),
            self.ground.request.done.join("\n")
        );
        let mut folders = Vec::new();
        for name in names_in(&text).into_iter().take(12) {
            if let Some(path) = self.ground.file_ending(&name) {
                speak(cases, &path, NAMED, "the goal names it");
                continue;
            }
            if let Ok(folder) = RepoPath::parse(name.trim_matches('/'))
                && name.contains('/')
                && self.ground.files.iter().any(|path| path.is_under(&folder))
            {
                folders.push(folder);
                continue;
            }
            let last = name.rsplit([':', '.', '/']).next().unwrap_or(&name);
            let last = last.trim_start_matches('-');
            let is_sign = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            if last.len() < 3 || !last.chars().all(is_sign) {
                continue;
            }
            let query = SearchQuery {
                pattern: last.to_owned(),
                fixed: true,
                word: true,
                scope: scope(&[]),
                max_matches: 400,
                max_matches_per_file: Some(10),
                ..SearchQuery::default()
            };
            let found = self.ground.snapshot.search(&query, &self.ground.cancel)?;
            // If only a few files have the name, it's a stronger hint than a place that just
            // matches words of the goal. If many files have it, it's a weak one.
            let rare = 200_u32.saturating_sub(4 * found.files_with_matches.min(50));
            for file in &found.files {
                speak(
                    cases,
                    &file.path,
                    60 + 2 * rare,
                    &format!("it has `{last}`, which the goal names"),
                );
                for line in &file.lines {
                    want(cases, &file.path, line.line, 30 + rare / 3);
                }
                if let Some(case) = cases.get_mut(&file.path) {
                    case.names.insert(last.to_owned());
                }
            }
        }
        // A folder alone doesn't make a file relevant, but it helps a file that's relevant anyway.
        for (path, case) in cases.iter_mut() {
            let has_it = folders.iter().any(|folder| path.is_under(folder));
            if has_it && windlass_base::is_on("context.folder") {
                case.rank += 100;
                case.why.insert("the goal names its folder".to_owned());
            }
        }
        Ok(())
    }

    /// Ranks the files that are cited in the selected parts of documents.
    fn cited(&self, cases: &mut Cases) {
        for doc in &self.draft.pack.doc_refs {
            let Some(text) = &doc.excerpt else { continue };
            let named = self
                .ground
                .files
                .iter()
                .filter(|path| path.as_str().contains('/') && mentions(text, path.as_str()));
            for path in named.take(20) {
                let rank = match speaks_of(text, path.as_str(), &self.draft.wanted) {
                    true => CITED,
                    false => MENTIONED,
                };
                speak(cases, path, rank, &format!("`{}` names it", doc.path));
            }
        }
    }

    /// Adds changes. If a file that has changed also matches the goal, it ranks high. Otherwise,
    /// it is probably some other work in progress, and should rank below the files that answer the
    /// goal.
    fn changed(&mut self, cases: &mut Cases, changed: &Changed) {
        for (path, stretches) in changed {
            let relevance = cases.get(path).map_or(0, |case| case.rank);
            if relevance > 0 {
                let rank = DIFFERS.saturating_add(relevance);
                self.draft.note(
                    change_item(path.as_str()),
                    Source::default(),
                    "it differs",
                    rank,
                );
            }
            let case = cases.entry(path.clone()).or_default();
            case.add(CHANGED);
            case.why.insert("it changed".to_owned());
            case.stretches
                .extend(stretches.iter().map(|(first, last)| Wish {
                    first: *first,
                    last: *last,
                    rank: 40,
                }));
        }
    }

    /// Looks for places that answer the goal, in files that have a rank or have changed, and in
    /// those that are likely to match.
    fn answering(&mut self, cases: &mut Cases, changed: &Changed, worded: &Worded) {
        let is_made = |path: &RepoPath| cases.get(path).is_some_and(|case| case.is_generated);
        let mut ranked: Vec<(std::cmp::Reverse<u32>, &RepoPath)> = worded
            .ranks(cases)
            .into_iter()
            .filter(|(path, _)| !is_made(path))
            .map(|(path, rank)| (std::cmp::Reverse(rank), path))
            .collect();
        ranked.sort();
        let paths = ranked.into_iter().map(|(_, path)| path);
        let is_there = |path: &&RepoPath| self.ground.files.binary_search(path).is_ok();
        let others = changed.keys().filter(is_there);
        let mut asked: Vec<RepoPath> = paths.take(MAX_ASKED).cloned().collect();
        let left = MAX_ASKED - asked.len();
        asked.sort_unstable();
        let others = others.filter(|path| asked.binary_search(path).is_err());
        let others: Vec<RepoPath> = others.take(left).cloned().collect();
        asked.extend(others);
        asked.sort_unstable();
        let (goal, snapshot) = (&self.draft.sought(), &self.ground.snapshot);
        let asked = (&*asked, &worded.others);
        let found = find_in(snapshot, goal, asked, MAX_ANSWERS, &self.ground.cancel);
        // If the goal has no word that we can search for, there are no such places.
        let found = found.unwrap_or_default();
        let written = written_words_of(goal);
        tell_too_large(self.ground, self.draft, &found.too_large);
        for file in found.files {
            let words = file.words.iter().filter_map(|stem| written.get(stem));
            let words: Vec<&str> = words.map(String::as_str).collect();
            if !words.is_empty() && windlass_base::is_on("context.spoken") {
                let why = format!("it speaks of {}", words.join(", "));
                speak(cases, &file.path, spoken(file.share), &why);
            }
        }
        for place in found.places {
            let (path, span) = (&place.pointer.file, place.pointer.span);
            let score = u32::from(place.score);
            speak(
                cases,
                path,
                100 + 2 * score,
                "a place in it answers the goal",
            );
            if let Some(case) = cases.get_mut(path) {
                case.stretches.push(Wish {
                    first: span.start(),
                    last: span.end(),
                    rank: 30 + score / 2,
                });
            }
        }
    }

    /// Adds the files to the pack. Only the first [`MAX_TEXTS`] are shown with lines.
    fn take_files(&mut self, ranked: Vec<(RepoPath, Case)>) {
        let mut read = Vec::new();
        for (at, (path, case)) in ranked.into_iter().enumerate() {
            let file = self.draft.text_of(self.ground, &path);
            let with_text = at < MAX_TEXTS && !case.is_generated;
            read.push((path, case, file, with_text));
        }
        let threads = self.ground.threads();
        let wanted = &self.draft.wanted;
        let picked = in_parallel(&read, threads, 2, |some| {
            let take = |(path, case, file, with_text): &(
                RepoPath,
                Case,
                Option<std::sync::Arc<SourceFile>>,
                bool,
            )| {
                let file = file.as_ref()?;
                Some(
                    with_text
                        .then(|| lines_of(path, file, case, wanted))
                        .unwrap_or_default(),
                )
            };
            some.iter().map(take).collect::<Vec<_>>()
        });
        let mut taken = Taken::default();
        for ((path, mut case, file, _), picked) in
            read.into_iter().zip(picked.into_iter().flatten())
        {
            let (Some(file), Some((mut picked, purpose))) = (file, picked) else {
                continue;
            };
            // If the request names the file, show it even if another one has the same text.
            if case.rank < SAID
                && windlass_base::is_on("context.alike")
                && let Some(like) = taken.leave_out_alike(&path, &file, &mut picked)
            {
                case.why.insert(format!("its text is also in `{like}`"));
            }
            self.take_file(&path, &case, &file, picked, purpose);
        }
    }

    fn take_file(
        &mut self,
        path: &RepoPath,
        case: &Case,
        file: &SourceFile,
        picked: Picked,
        purpose: Option<String>,
    ) {
        let hash = whole_text(file).1;
        let item = file_item(path.as_str());
        let source = Source {
            kind: SourceKind::File,
            path: Some(path.to_string()),
            spans: picked.spans,
            hash: Some(hash.clone()),
            ..Source::default()
        };
        self.draft
            .note(item.clone(), source, "it matters", case.rank);
        if let Some(origin) = self.draft.origins.get_mut(&item) {
            origin.why = case.why.iter().map(|why| safe(why)).collect();
            origin.lines_left_out = picked.left_out;
        }
        self.draft.pack.relevant_files.push(RelevantFile {
            path: path.to_string(),
            purpose: purpose.map(|text| safe(&text)),
            excerpt: picked.text,
            hash: Some(hash),
            ..RelevantFile::default()
        });
    }
}

/// Returns the minimum rank. `ranked` is sorted, with the best file first. Files that the request
/// or a failure names do not count, because no other file could keep up with them.
fn least_rank(ranked: &[(RepoPath, Case)]) -> u32 {
    let found = ranked.iter().map(|(_, case)| case.rank);
    let measure = found.filter(|rank| *rank < SAID).nth(MEASURE);
    measure.unwrap_or(0) / SHARE
}

/// True if there is a `wanted` word near `path` in a document, which means on the same line or in
/// the heading above. Words in the path itself do not count.
fn speaks_of(text: &str, path: &str, wanted: &BTreeSet<String>) -> bool {
    let mut heading = "";
    text.lines().any(|line| {
        if line.starts_with('#') {
            heading = line;
        }
        let said = || format!("{heading}\n{}", line.replace(path, " "));
        mentions(line, path) && words_of(&said()).iter().any(|word| wanted.contains(word))
    })
}

/// Files of the repository that failures name, with the line.
fn failing_places(ground: &Ground<'_>, draft: &Draft) -> Vec<(RepoPath, u32)> {
    let failures = draft.pack.delta.iter().flat_map(|delta| &delta.failures);
    let places = failures.flat_map(|failure| &failure.places);
    places
        .filter_map(|place| {
            let (file, line) = place.rsplit_once(':')?;
            Some((ground.file_ending(file)?, line.parse().ok()?))
        })
        .collect()
}
