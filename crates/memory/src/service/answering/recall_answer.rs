//! What the memory, and what is asked beside it, has to say to a question.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::{Limit, LineSpan, NextAction, RepoPath, Source};
use windlass_redact::redact_text;
use windlass_repo::SourceFile;
use windlass_site::Error;

use super::found_things::{Found, Says};
use super::recall_budget::fit;
use super::recall_request::{RecallFormat, RecallReport, RecallRequest};
use super::recaller::Recaller;
use super::recollection::{Explained, RecallBudget, Recalled, Recollection};
use super::shown_fields::fields_of;
use super::source_lines::{MOST_LINES, pointer, span_of};
use crate::service::MemoryService;
use crate::{Hit, Level, Query, Ranking, Record, RecordKind, best_passage, may_be_noted};

/// How much is printed if nothing is said.
const DEFAULT_LIMIT: Limit = Limit::Chars(6_000);
/// The most of a question that is repeated, in characters.
const MAX_QUERY: usize = 240;
/// How many things are named that cannot be read.
const MOST_UNREADABLE: usize = 3;
/// What was found for a question. It can be printed in several formats, each within its own budget, all of one search.
pub struct RecallAnswer<'a> {
    recaller: &'a Recaller,
    request: &'a RecallRequest,
    query: Query,
    ranking: Ranking,
    found: Vec<Found>,
    level: Level,
    confidence: u32,
    reason: String,
    /// How many there are, those that are not shown included.
    total: usize,
    diagnostics: Vec<String>,
}

impl MemoryService {
    /// Recalls what the memory has to say to a question, within a budget: first by the words that lead to records, then
    /// the summary, then the records that earn their place.
    ///
    /// # Errors
    /// When there is no memory and no other source is asked, it cannot be read, or the budget is too small for the best match.
    pub fn recall(&self, request: &RecallRequest) -> Result<RecallReport, Error> {
        let recaller = match request.also.is_empty() {
            true => self.recaller()?,
            false => self.recaller_of_all()?,
        };
        recaller.recall(request)
    }
}

impl RecallAnswer<'_> {
    /// The answer as it is printed in `format`, within the budget that was asked for.
    ///
    /// # Errors
    /// When that is too small for the best match.
    pub fn printed_as(&self, format: RecallFormat) -> Result<RecallReport, Error> {
        let (request, level) = (self.request, self.level);
        let is_terse = format == RecallFormat::Text && !request.explain;
        // Who has an answer needs not be told what the project is about.
        let pieces =
            self.recaller
                .pieces(level, !is_terse, &self.ranking, &self.found, &self.query);
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
        let (shown, _) = redact_text(&request.query);
        // A call that names it stands on one line.
        let words: Vec<&str> = shown.as_str().split_whitespace().collect();
        let base = Recollection {
            schema_version: 1,
            query: words.join(" ").chars().take(MAX_QUERY).collect(),
            level,
            confidence: self.confidence,
            reason: self.reason.clone(),
            matches: self.found.iter().map(|one| one.recalled.clone()).collect(),
            total: self.total,
            loaded: Vec::new(),
            budget: RecallBudget {
                max_chars: matches!(limit, Limit::Chars(_)).then(|| limit.max()),
                max_tokens: matches!(limit, Limit::Tokens(_)).then(|| limit.max()),
                used: 0,
                truncated: false,
                scanned: self.ranking.searched,
                summaries_loaded: 0,
                records_loaded: 0,
            },
            diagnostics: self.diagnostics.clone(),
            next_actions: Vec::new(),
        };
        let base = Recollection {
            next_actions: match is_terse && level == Level::Strong {
                true => self.recaller.next_if_unreadable(&base),
                false => self.recaller.next_actions(&base),
            },
            ..base
        };
        fit(base, &pieces, limit, format)
    }
}

impl Recaller {
    /// As [`MemoryService::recall`].
    ///
    /// # Errors
    /// As [`MemoryService::recall`].
    pub fn recall(&self, request: &RecallRequest) -> Result<RecallReport, Error> {
        self.answer(request).printed_as(request.format)
    }

    /// Looks for what is asked, to print it in whichever formats.
    #[must_use]
    pub fn answer<'a>(&'a self, request: &'a RecallRequest) -> RecallAnswer<'a> {
        let asked = Query::of(&request.query);
        let query = self.index.corrected(&asked);
        let ranking = self.index.recall(&query, request.matches.max(1));
        let mut found: Vec<Found> = ranking
            .hits
            .iter()
            .map(|hit| self.found(hit, &query, request))
            .collect();
        let mut diagnostics: Vec<String> = self.no_memory().into_iter().collect();
        diagnostics.extend(self.unreadable());
        for source in request.also.iter().collect::<BTreeSet<_>>() {
            self.find_in(*source, &asked, request, &mut found, &mut diagnostics);
        }
        let (level, confidence, reason) = grounded(overall(&ranking, &found), &found);
        found.truncate(request.matches.max(1));
        if level == Level::None {
            // What comes nearest stays the first: it is what the level is said of. Of the others, it is told how sure each is.
            found.sort_by_key(|one| Reverse(one.level_score));
        }
        RecallAnswer {
            recaller: self,
            request,
            total: ranking.total.max(found.len()),
            query: query.into_owned(),
            ranking,
            found,
            level,
            confidence,
            reason,
            diagnostics,
        }
    }

    /// That there is no memory, where that is so.
    fn no_memory(&self) -> Option<String> {
        let text = "there is no memory, so that only other sources were asked; `windlass memory init` begins one";
        let told = self.site.caller().and_then(|caller| caller.told(text));
        (!self.has_memory).then(|| told.unwrap_or_else(|| text.to_owned()))
    }

    /// What could not be read, the first of it by name.
    fn unreadable(&self) -> Option<String> {
        let all = self.index.unreadable();
        let named: Vec<String> = all
            .iter()
            .take(MOST_UNREADABLE)
            .map(|(place, why)| format!("`{place}` ({why})"))
            .collect();
        let more = match all.len().saturating_sub(MOST_UNREADABLE) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!all.is_empty()).then(|| {
            format!(
                "not all of the memory can be read, and nothing was looked for in {}{more}; `windlass memory check` says what to do",
                named.join(", ")
            )
        })
    }

    /// A hit with the place in its record that says most of what was asked.
    fn found(&self, hit: &Hit, query: &Query, request: &RecallRequest) -> Found {
        let (mut is_unmerged, mut fields) = (false, Vec::new());
        let evidence = RepoPath::parse(&hit.path).ok().and_then(|path| {
            let Some((source, record)) = self.read_record(&path) else {
                let source = self.beginning_of(&path)?;
                let last = source.line_count().min(MOST_LINES);
                return pointer(&path, &source, LineSpan::new(1, last).ok()?);
            };
            is_unmerged = record.is_unmerged();
            fields = fields_of(&source, &record, &request.query);
            let range = best_passage(&record, query);
            pointer(&path, &source, span_of(record.source(), &range)?)
        });
        let explanation = request.explain.then(|| Explained {
            words: hit.explained.clone(),
            learned: hit.learned,
        });
        Found {
            level_score: hit.confidence,
            recalled: Recalled {
                id: hit.id.clone(),
                kind: hit.kind.as_str().to_owned(),
                title: hit.title.clone(),
                confidence: hit.confidence,
                score: hit.score,
                matched: hit.matched.clone(),
                near: hit.near.clone(),
                sources: vec!["memory"],
                instead_of: hit.instead_of.clone(),
                state: None,
                evidence: evidence.into_iter().collect(),
                explanation,
            },
            says: Says::Record,
            is_unmerged,
            fields,
        }
    }

    pub(super) fn read_record(&self, path: &RepoPath) -> Option<(Arc<SourceFile>, Record)> {
        let source = self.snapshot.read(path).ok()?;
        let text = std::str::from_utf8(source.bytes()).ok()?;
        let record = Record::of(path, &Source::new(path.as_str(), text))?;
        Some((source, record))
    }

    /// A file that an impression leads to and that is no record: its beginning stands for it.
    pub(super) fn beginning_of(&self, path: &RepoPath) -> Option<Arc<SourceFile>> {
        let source = self.snapshot.read(path).ok()?;
        let is_text = !source.is_binary() && source.line_count() > 0;
        (is_text && RecordKind::of_path(path.as_str()).is_none()).then_some(source)
    }

    /// What to do where a sure answer cannot be read. Feedback teaches most where nothing is sure, and is asked for there.
    fn next_if_unreadable(&self, answer: &Recollection) -> Vec<NextAction> {
        let mut actions = self.next_actions(answer);
        actions.retain(|action| action.tool == "memory check");
        actions
    }

    fn next_actions(&self, answer: &Recollection) -> Vec<NextAction> {
        let feedback = |outcome: &str, reason: &str| {
            NextAction::new("memory feedback", reason)
                .positional(outcome)
                .option("query", answer.query.as_str())
        };
        // Only what is of the memory learns: what else is the best is rated by nobody.
        let best = answer.matches.first();
        let of_memory = best.filter(|one| one.sources.contains(&"memory"));
        let lost = best.filter(|one| one.is_lost() && answer.level > Level::None);
        let actions = match (answer.level, of_memory, lost) {
            (_, _, Some(lost)) => vec![
                NextAction::new("anchor show", "see what became of it")
                    .positional(lost.id.as_str()),
            ],
            _ if !self.has_memory || !may_be_noted(&answer.query) => Vec::new(),
            (Level::None, _, None) => vec![feedback(
                "missed",
                "say so, if something is remembered that should have come up; `--id` names it",
            )],
            (_, Some(best), None) if best.evidence.is_empty() => vec![NextAction::new(
                "memory check",
                format!("see why what `{}` says cannot be read", best.id),
            )],
            (_, Some(best), None) => vec![
                feedback("helpful", "say so, if it helped").option("id", best.id.as_str()),
                feedback("irrelevant", "say so, if it did not").option("id", best.id.as_str()),
            ],
            _ => Vec::new(),
        };
        let caller = self.site.caller();
        actions
            .into_iter()
            .filter_map(|action| action.for_caller(caller))
            .collect()
    }
}

/// The surest of these, of several the first: what is named first is what is spoken of.
fn surest<'a>(found: impl Iterator<Item = &'a Found>) -> Option<&'a Found> {
    found.reduce(|best, one| match one.level_score > best.level_score {
        true => one,
        false => best,
    })
}

/// The level of all sources together: the best that one of them has. What does not stand makes nobody sure.
fn overall(ranking: &Ranking, found: &[Found]) -> (Level, u32, String) {
    let told = of_what_stands(ranking, found);
    match surest(found.iter()).filter(|best| !best.stands()) {
        Some(best) if told.0 == Level::None => {
            let level = ranking.level_of(best.level_score).min(Level::Weak);
            let Recalled { id, state, .. } = &best.recalled;
            let state = state.as_deref().unwrap_or("unknown");
            match level {
                Level::None => told,
                _ => {
                    let reason = format!("words lead to `{id}`, which does not stand: {state}");
                    (level, best.level_score, reason)
                }
            }
        }
        _ => told,
    }
}

fn of_what_stands(ranking: &Ranking, found: &[Found]) -> (Level, u32, String) {
    match surest(found.iter().filter(|one| one.stands())) {
        // Of another source, or surer by being there as well.
        Some(best) if best.level_score > ranking.confidence => {
            let level = ranking.level_of(best.level_score);
            let old = best.recalled.instead_of.as_ref();
            let replaced = old.map(|old| format!("replaced `{old}`, which "));
            let reason = format!(
                "`{}` ({}) {}has: {}",
                best.recalled.id,
                best.recalled.sources.join(", "),
                replaced.unwrap_or_default(),
                best.recalled.has()
            );
            let reason = if level == Level::None {
                ranking.reason.clone()
            } else {
                reason
            };
            (level, best.level_score, reason)
        }
        _ => (ranking.level, ranking.confidence, ranking.reason.clone()),
    }
}

/// The same, where what it rests on can be shown: nobody is sure of what nobody can read.
fn grounded(told: (Level, u32, String), found: &[Found]) -> (Level, u32, String) {
    let (level, confidence, reason) = told;
    match surest(found.iter().filter(|one| one.stands())) {
        Some(best) if level == Level::Strong && best.recalled.evidence.is_empty() => {
            let id = &best.recalled.id;
            let reason = format!("words lead to `{id}`, and what it says cannot be read");
            (Level::Weak, confidence, reason)
        }
        Some(best) if level == Level::Strong && best.is_unmerged => {
            let id = &best.recalled.id;
            let reason = format!("`{id}` says two things: a merge of it was not brought to an end");
            (Level::Weak, confidence, reason)
        }
        _ => (level, confidence, reason),
    }
}
