//! Search for the words of a text. It is used if the commits that removed the text are unknown.

use std::collections::BTreeSet;

use windlass_base::{Cancel, is_on};
use windlass_repo::{CaseMode, FileChange, GitAnswer, GitQuery, ListQuery, Refusal, SearchQuery};

use super::homeless::Homeless;
use crate::explain::Trace;
use crate::old_text::OldText;
use crate::reshaped::is_packed;
use crate::vestige::{OwnWords, may_be_in};

/// Minimum number of words that identify a text.
const MIN_WORDS: usize = 3;

/// Maximum number of words to search for.
const MAX_WORDS: usize = 40;

/// Maximum share of the words that a single file may contain, in percent.
const MAX_KEPT: usize = 50;

/// Maximum number of matching lines to inspect.
const MAX_MATCHES: u32 = 2_000;

impl Homeless<'_> {
    /// True if no file contains more than half of the words that were unique to the text in its old file.
    pub(super) fn has_no_words_left(&self, old: &OldText, trace: &mut Trace) -> bool {
        if !is_on("evidence.words_left") {
            return false;
        }
        let own = OwnWords::of(old);
        let words: Vec<&str> = own.as_text().take(MAX_WORDS).collect();
        if words.len() < MIN_WORDS {
            trace.note("words", || {
                "it has too few words of its own for them to be missed".to_owned()
            });
            return false;
        }
        let query = SearchQuery {
            pattern: words.join("|"),
            case: CaseMode::Insensitive,
            word: true,
            scope: ListQuery {
                hidden: true,
                ..ListQuery::default()
            },
            max_matches: MAX_MATCHES,
            ..SearchQuery::default()
        };
        let Ok(found) = self.search.snapshot.search(&query, &Cancel::default()) else {
            return false;
        };
        let kept = found.files.iter().map(|file| {
            let source = self.search.snapshot.read(&file.path).ok()?;
            let there = file.lines.iter().flat_map(|line| {
                let line = source.line(line.line).unwrap_or_default();
                own.within(line)
            });
            let there: BTreeSet<&[u8]> = there.collect();
            Some(there.len())
        });
        let most = kept.collect::<Option<Vec<usize>>>();
        let most = most.map(|kept| kept.into_iter().max().unwrap_or(0));
        trace.note("words", || match most {
            Some(most) => format!(
                "of {} words that its file had only there one file has {most}",
                words.len()
            ),
            None => "not all files with its words can be read".to_owned(),
        });
        let is_little = most.is_some_and(|most| most * 100 <= words.len() * MAX_KEPT);
        is_little && !found.truncated && !self.may_have_come_unseen(old, trace)
    }

    /// True if a file that differs from the commit of `old` may contain the text in a form that no search finds:
    /// compressed, in another encoding, or in a file that is too large.
    fn may_have_come_unseen(&self, old: &OldText, trace: &mut Trace) -> bool {
        let query = GitQuery::Changes {
            since: old.commit.clone(),
        };
        let answer = self
            .search
            .snapshot
            .ask_git(&query, &Cancel::default())
            .ok();
        let Some(GitAnswer::Changes(changes)) = answer.as_deref() else {
            return true;
        };
        let may_have_it = |change: &&FileChange| match self.search.snapshot.read(&change.path) {
            Ok(source) if source.why_no_text().is_some() => {
                is_packed(source.bytes()) || may_be_in(old, &source)
            }
            Err(Refusal::TooLarge { .. }) => true,
            _ => false,
        };
        let found = changes.files.iter().find(may_have_it);
        if let Some(change) = found {
            trace.note("words", || {
                format!("{} came or changed since, and may have it", change.path)
            });
        }
        found.is_some() || changes.not_utf8 > 0
    }
}
