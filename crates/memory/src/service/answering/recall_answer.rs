use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use windlass_base::{Limit, LineSpan, NextAction, RepoPath, Source, first_names};
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

/// Budget of a request that does not state one.
const DEFAULT_LIMIT: Limit = Limit::Chars(6_000);
/// Maximum number of characters of the query that we repeat in the answer.
const MAX_QUERY: usize = 240;
const MOST_UNREADABLE: usize = 3;
/// The result of a search. It can be printed in several formats, each within a budget of its own.
pub struct RecallAnswer<'a> {
    recaller: &'a Recaller,
    request: &'a RecallRequest,
    query: Query,
    ranking: Ranking,
    found: Vec<Found>,
    level: Level,
    confidence: u32,
    reason: String,
    /// Number of matches, including those that are not shown.
    total: usize,
    diagnostics: Vec<String>,
}

impl MemoryService {
    /// Searches the memory, along with the other sources that the request names. The answer also
    /// has the text of the best matches, as far as it fits the budget.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be read, if it is missing and the request names no
    /// other source, or if the budget is too small for the best match.
    pub fn recall(&self, request: &RecallRequest) -> Result<RecallReport, Error> {
        let recaller = match request.also.is_empty() {
            true => self.recaller()?,
            false => self.recaller_of_all()?,
        };
        recaller.recall(request)
    }
}

impl RecallAnswer<'_> {
    /// Prints the answer within the budget of the request.
    ///
    /// # Errors
    /// Returns an error if the budget is too small for the best match.
    pub fn printed_as(&self, format: RecallFormat) -> Result<RecallReport, Error> {
        let (request, level) = (self.request, self.level);
        let is_terse = format == RecallFormat::Text && !request.explain;
        // In text format, a strong answer is meant to be short, and the summary would add little to
        // it.
        let pieces =
            self.recaller
                .pieces(level, !is_terse, &self.ranking, &self.found, &self.query);
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT);
        let (shown, _) = redact_text(&request.query);
        // Suggested commands contain the query, so put it on one line.
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
    /// Like [`MemoryService::recall`], but on a memory that is already been read. Callers with
    /// several questions only have to read it once.
    ///
    /// # Errors
    /// Returns an error if the budget is too small for the best match.
    pub fn recall(&self, request: &RecallRequest) -> Result<RecallReport, Error> {
        self.answer(request).printed_as(request.format)
    }

    /// Searches, but leaves the printing to [`RecallAnswer::printed_as`].
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
            // The level is about the first match, so keep that one in place and sort the rest.
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

    fn no_memory(&self) -> Option<String> {
        let text = "no memory in this repository, only other sources were searched; run `windlass memory init` to create one";
        let told = self.site.caller().and_then(|caller| caller.told(text));
        (!self.has_memory).then(|| told.unwrap_or_else(|| text.to_owned()))
    }

    fn unreadable(&self) -> Option<String> {
        let all = self.index.unreadable();
        let named = all.iter().map(|(place, why)| format!("`{place}` ({why})"));
        (!all.is_empty()).then(|| {
            format!(
                "not all of the memory can be read, so these were not searched: {}; run `windlass memory check` for details",
                first_names(named, MOST_UNREADABLE, " and ")
            )
        })
    }

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

    /// Reads a file outside the memory that an impression leads to. Returns `None` if the file is
    /// binary or empty.
    pub(super) fn beginning_of(&self, path: &RepoPath) -> Option<Arc<SourceFile>> {
        let source = self.snapshot.read(path).ok()?;
        let is_text = !source.is_binary() && source.line_count() > 0;
        (is_text && RecordKind::of_path(path.as_str()).is_none()).then_some(source)
    }

    /// Suggests `memory check` if the best match is unreadable. A strong answer needs no other
    /// suggestion; in particular, feedback helps more after an uncertain one.
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
        // Anchors and playbook entries can't learn from feedback, so only ask for it if the best
        // match is from the memory.
        let best = answer.matches.first();
        let of_memory = best.filter(|one| one.sources.contains(&"memory"));
        let lost = best.filter(|one| one.is_lost() && answer.level > Level::None);
        let actions = match (answer.level, of_memory, lost) {
            (_, _, Some(lost)) => vec![
                NextAction::new("anchor show", "see the state of the anchor")
                    .positional(lost.id.as_str()),
            ],
            _ if !self.has_memory || !may_be_noted(&answer.query) => Vec::new(),
            (Level::None, _, None) => vec![feedback(
                "missed",
                "report a record that should have been found; pass its id with `--id`",
            )],
            (_, Some(best), None) if best.evidence.is_empty() => vec![NextAction::new(
                "memory check",
                format!("see why `{}` cannot be read", best.id),
            )],
            (_, Some(best), None) => vec![
                feedback("helpful", "report that it helped").option("id", best.id.as_str()),
                feedback("irrelevant", "report that it did not help")
                    .option("id", best.id.as_str()),
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

/// The match with the highest confidence. If there are several, we take the first, since the output
/// lists that one first as well.
fn surest<'a>(found: impl Iterator<Item = &'a Found>) -> Option<&'a Found> {
    found.reduce(|best, one| match one.level_score > best.level_score {
        true => one,
        false => best,
    })
}

/// The level, the confidence and the reason over all sources. If only an unverified match is good
/// enough, the level is at most `weak`.
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
                    let reason =
                        format!("words match `{id}`, whose evidence is not verified: {state}");
                    (level, best.level_score, reason)
                }
            }
        }
        _ => told,
    }
}

fn of_what_stands(ranking: &Ranking, found: &[Found]) -> (Level, u32, String) {
    match surest(found.iter().filter(|one| one.stands())) {
        // The best match is from another source, or another source has raised its confidence. So
        // the reason given by the ranking is about something else.
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

/// Lowers `strong` to `weak` if the best match cannot be read, or has conflict markers.
fn grounded(told: (Level, u32, String), found: &[Found]) -> (Level, u32, String) {
    let (level, confidence, reason) = told;
    match surest(found.iter().filter(|one| one.stands())) {
        Some(best) if level == Level::Strong && best.recalled.evidence.is_empty() => {
            let id = &best.recalled.id;
            let reason = format!("words match `{id}`, which cannot be read");
            (Level::Weak, confidence, reason)
        }
        Some(best) if level == Level::Strong && best.is_unmerged => {
            let id = &best.recalled.id;
            let reason = format!("`{id}` has unresolved conflict markers");
            (Level::Weak, confidence, reason)
        }
        _ => (level, confidence, reason),
    }
}
