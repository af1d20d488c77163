//! Measures a runbook on a sample: how much of the anchored evidence does a single call return?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use windlass::engine::{NoObserver, Observer, Stop};
use windlass::packs::Format;
use windlass::{Environment, PageRequest, Part, Refresh, RefreshRequest, ViewRequest, Workspace};
use windlass_base::{Digest, Limit, LineSpan, Pointer};

use crate::edits::SECRET;
use crate::metric::{BUDGET, Lines, NOT_REACHED, ShownSpan, shown};
use crate::questions::{leaks, of_file, share_saved, whole};
use crate::recipe::{Gold, Sample};
use crate::results::CaseResult;
use crate::run_plan::Doing;
use crate::{Metric, OURS, ZooError};

pub(crate) const CASE: &str = "runbook";

/// Measurements for a runbook, apart from the latency.
const MEASURED: [Metric; 8] = [
    Metric::CallsToAction,
    Metric::NotReached,
    Metric::TokenSaved,
    Metric::NoiseRatio,
    Metric::RecallAtTokens,
    Metric::Stability,
    Metric::BudgetOverflow,
    Metric::SecretLeaks,
];

/// Path of the runbook. The folder is hidden, so that searches do not find it.
pub(crate) const PLACE: &str = ".windlass/zoo.yaml";

/// Returns the text of the runbook, which shows anchors of kind `contract` and searches for the
/// names of planted functions.
///
/// # Errors
///
/// Returns an error if we cannot write it as YAML.
pub(crate) fn runbook(sample: &Sample) -> Result<String, serde_yaml::Error> {
    let names: Vec<&str> = sample
        .planted
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    serde_yaml::to_string(&json!({
        "schema_version": 1,
        "id": "zoo",
        "title": "What was noted",
        "purpose": "What counts here, and where it is defined.",
        "policy": { "budget": { "max_tokens": 2000 }, "freshness": "repair" },
        "steps": [
            { "id": "noted", "uses": "anchors", "with": { "kinds": ["contract"] } },
            { "id": "named", "uses": "search", "with": { "pattern": names.join("|") } },
        ],
        "outputs": [
            { "id": "noted", "from": "noted" },
            { "id": "named", "from": "named", "select": "$.matches[*]", "limit": 10 },
        ],
    }))
}

/// Returns anchors for all planted functions, as lines of JSON.
pub(crate) fn anchors(sample: &Sample) -> String {
    let mut text = String::new();
    for (name, gold) in &sample.planted {
        let line = json!({
            "id": name.replace('_', "-"), "kind": "contract", "file": gold.file,
            "start_line": gold.start_line, "end_line": gold.end_line,
        });
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Two folders to run a runbook in.
pub(crate) struct Folders<'a> {
    pub(crate) first: &'a Path,
    /// Another folder with the same files.
    pub(crate) copy: &'a Path,
}

/// Runs the runbook several times, with different numbers of jobs and in both folders. The output
/// must always be the same.
///
/// # Errors
///
/// Returns an error if the run is stopped. Whatever else goes wrong is a failed case with the worst
/// values.
pub(crate) fn run(
    sample: &Sample,
    folders: &Folders<'_>,
    environment: &dyn Fn(&Path) -> Environment,
    secrets: &[&str],
    doing: &Doing<'_>,
) -> Result<CaseResult, ZooError> {
    let place = |(name, gold): &(String, Gold)| {
        let Gold {
            file,
            start_line,
            end_line,
        } = gold;
        format!("{name} at {file}:{start_line}-{end_line}")
    };
    let mut case = CaseResult {
        asked: "windlass run zoo".to_owned(),
        expected: sample.planted.iter().map(place).collect(),
        ..CaseResult::new(&sample.recipe.id, CASE, OURS)
    };
    match measured(sample, folders, environment, secrets, doing) {
        Ok(measured) => {
            (case.values, case.shown) = (measured.values, measured.shown);
            case.printed = Some(Digest::of_bytes(measured.printed.as_bytes()).hex());
        }
        Err(ZooError::Stopped) => return Err(ZooError::Stopped),
        Err(error) => {
            let worst = |metric: Metric| (metric, metric.definition().worst());
            case.values = MEASURED.map(worst).into();
            case.failure = Some(error.to_string());
        }
    }
    Ok(case)
}

struct Measured {
    values: BTreeMap<Metric, Option<f64>>,
    /// The locations that the pack shows, in order.
    shown: Vec<String>,
    /// The first page.
    printed: String,
}

fn measured(
    sample: &Sample,
    folders: &Folders<'_>,
    environment: &dyn Fn(&Path) -> Environment,
    secrets: &[&str],
    doing: &Doing<'_>,
) -> Result<Measured, ZooError> {
    let (folder, copy) = (folders.first, folders.copy);
    let open = |folder: &Path| Workspace::open(folder, environment(folder));
    for folder in [folder, copy] {
        open(folder)?
            .notebook()
            .add_anchors("anchors", &anchors(sample), true)?;
    }
    let clock = environment(folder).elapsed;
    let before = clock();
    let quietly = || Arc::new(NoObserver);
    let first = refresh(&open(folder)?, folder, 1, view(), quietly())?;
    let took = clock().saturating_sub(before);
    let printed = first.printed.plain();
    doing.go_on()?;
    let more = match cursor(&printed) {
        Some(cursor) => {
            let view = view();
            let page = open(folder)?
                .kept_packs()
                .page(&PageRequest { cursor, view })?;
            Some(page.printed.plain())
        }
        None => None,
    };
    let mut again = Vec::new();
    for (folder, jobs) in [(folder, 2), (folder, 8), (copy, 1), (copy, 4)] {
        doing.go_on()?;
        let once_more = refresh(&open(folder)?, folder, jobs, view(), quietly())?;
        again.push(once_more.printed.plain());
    }
    let again: Vec<bool> = again.iter().map(|again| *again == printed).collect();
    doing.go_on()?;
    let same = again.iter().filter(|same| **same).count() as f64 / again.len() as f64;
    let mut shown = Vec::new();
    let mut values = values(sample, &printed, more.as_deref(), secrets, &mut shown);
    values.insert(Metric::Stability, Some(same));
    values.insert(Metric::Latency, Some(took.as_secs_f64() * 1e3));
    Ok(Measured {
        values,
        shown,
        printed,
    })
}

/// Runs the runbook once. `observer` gets to know the progress.
///
/// # Errors
///
/// Returns an error if the runbook cannot be run.
pub(crate) fn refresh(
    workspace: &Workspace,
    folder: &Path,
    jobs: usize,
    view: ViewRequest,
    observer: Arc<dyn Observer>,
) -> Result<Refresh, windlass::Error> {
    let request = RefreshRequest {
        runbook: "zoo".to_owned(),
        start: folder.to_path_buf(),
        inputs: BTreeMap::new(),
        part: Part::Whole,
        jobs: NonZeroUsize::new(jobs),
        fail_fast: false,
        allow_commands: false,
        view,
    };
    let runtime = windlass::engine::current_thread_runtime();
    let runtime = runtime.map_err(windlass::Error::internal)?;
    let done = runtime.block_on(
        workspace
            .runs()
            .refresh(&request, observer, Stop::default()),
    );
    runtime.shutdown_background();
    done
}

fn view() -> ViewRequest {
    ViewRequest {
        limit: Some(Limit::Tokens(BUDGET as usize)),
        format: Format::Json,
        mode: None,
        also: None,
    }
}

/// Finds the cursor for the rest of the first section that was cut.
fn cursor(printed: &str) -> Option<String> {
    let pack: Value = serde_json::from_str(printed).ok()?;
    let sections = pack.get("sections")?.as_array()?;
    let mut cursors = sections
        .iter()
        .filter_map(|section| section.get("next_cursor")?.as_str());
    cursors.next().map(str::to_owned)
}

fn places(printed: &str) -> Vec<ShownSpan> {
    let mut places = Vec::new();
    let pack = serde_json::from_str(printed).unwrap_or_default();
    evidence(&pack, &mut places);
    places
}

/// True if the first line of every planted function is shown.
fn is_all_there(sample: &Sample, places: &[ShownSpan]) -> bool {
    sample.planted.iter().all(|(_, gold)| {
        let has = |one: &ShownSpan| {
            one.file == gold.file && (one.span.start()..=one.span.end()).contains(&gold.start_line)
        };
        places.iter().any(has)
    })
}

/// The lines of all planted functions, except for those with a secret, which a pack must not show.
fn wanted(sample: &Sample) -> Lines {
    let mut wanted = Lines::new();
    for (_, gold) in &sample.planted {
        let text = sample.files.get(&gold.file);
        let is_secret = |at: &u32| {
            let line = text.and_then(|lines| lines.get(*at as usize - 1));
            line.is_some_and(|line| line.contains(SECRET))
        };
        let lines = (gold.start_line..=gold.end_line).filter(|at| !is_secret(at));
        wanted
            .entry(gold.file.clone())
            .or_default()
            .extend(lines.collect::<BTreeSet<u32>>());
    }
    wanted
}

/// Measures a printed pack. `more` is the next page, if there is one.
fn values(
    sample: &Sample,
    printed: &str,
    more: Option<&str>,
    secrets: &[&str],
    shown_places: &mut Vec<String>,
) -> BTreeMap<Metric, Option<f64>> {
    let spans = places(printed);
    shown_places.extend(spans.iter().map(|one| format!("{}:{}", one.file, one.span)));
    let wanted = wanted(sample);
    let text = |file: &str| sample.files.get(file).map(Vec::as_slice);
    let within = shown(&spans, &wanted, BUDGET, text);
    let both = [&spans[..], &more.map(places).unwrap_or_default()].concat();
    let (calls, seen) = match () {
        () if is_all_there(sample, &spans) => (1.0, &spans),
        () if is_all_there(sample, &both) => (2.0, &both),
        () => (NOT_REACHED, &both),
    };
    let tokens = |text: &str| windlass_tokens::count(text) as u64;
    // If the reader needs the next page, it costs tokens as well.
    let read = tokens(printed) + more.filter(|_| calls > 1.0).map_or(0, tokens);
    let pages: Vec<&str> = [Some(printed), more].into_iter().flatten().collect();
    let overflow = pages
        .iter()
        .map(|text| tokens(text).saturating_sub(BUDGET))
        .max();
    BTreeMap::from([
        (Metric::CallsToAction, Some(calls)),
        (
            Metric::NotReached,
            Some(f64::from(u8::from(calls >= NOT_REACHED))),
        ),
        (Metric::RecallAtTokens, within.recall()),
        (Metric::NoiseRatio, within.noise_ratio()),
        (Metric::TokenSaved, saved(read, seen, &wanted, sample)),
        (Metric::BudgetOverflow, overflow.map(|most| most as f64)),
        (Metric::SecretLeaks, leaks(&pages, secrets)),
    ])
}

/// The share of tokens that are saved by not reading whole files.
///
/// The reader has read `read` tokens, and has seen the lines in `seen`. If some wanted lines of a
/// file are still missing, the reader has to read the whole file after all.
fn saved(read: u64, seen: &[ShownSpan], wanted: &Lines, sample: &Sample) -> Option<f64> {
    let text = |file: &str| sample.files.get(file).map(Vec::as_slice);
    let tokens = |file: &String| whole(text(file));
    let otherwise: u64 = wanted.keys().map(tokens).sum();
    let is_missing = |file: &&String| {
        let own = of_file(file, (seen, u64::MAX), wanted, text);
        own.found < own.wanted
    };
    let still: u64 = wanted.keys().filter(is_missing).map(tokens).sum();
    (otherwise > 0).then(|| share_saved(read + still, otherwise))
}

/// Collects the lines of all evidence with text. We cannot go by the pointer, because the text may
/// have been cut.
fn evidence(value: &Value, found: &mut Vec<ShownSpan>) {
    each_pointer(value, &mut |evidence, pointer| {
        let Some(text) = evidence.get("text").and_then(Value::as_str) else {
            return false;
        };
        let lines = text.lines().count().min(pointer.span.count() as usize) as u32;
        let first = pointer.span.start();
        // If the text was cut completely, there's no line to see.
        let span = lines
            .checked_sub(1)
            .map(|more| LineSpan::new(first, first + more));
        if let Some(Ok(span)) = span {
            found.push(ShownSpan {
                file: pointer.file.to_string(),
                span,
            });
        }
        true
    });
}

/// Calls `take` for each object that is a pointer. If `take` returns false, we look for pointers
/// inside of the object as well.
pub(crate) fn each_pointer(value: &Value, take: &mut dyn FnMut(&Value, Pointer) -> bool) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| each_pointer(value, take)),
        Value::Object(map) => {
            let pointer = serde_json::from_value::<Pointer>(value.clone());
            if !pointer.is_ok_and(|pointer| take(value, pointer)) {
                map.values().for_each(|value| each_pointer(value, take));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_lines_do_not_count_as_shown() {
        let hash = format!("sha256:{}", "0".repeat(64));
        let item = |file: &str, end: u32, text: &str| {
            json!({
                "file": file, "start_line": 5, "end_line": end, "source_hash": hash, "text": text, "lines_cut": 1,
            })
        };
        let pack = json!({ "sections": [
            { "items": [item("a", 66, "one\n\nthree"), item("b", 6, "one\ntwo"), item("c", 9, "")] },
        ] });
        let shown: Vec<String> = places(&pack.to_string())
            .iter()
            .map(|one| format!("{}:{}", one.file, one.span))
            .collect();
        assert_eq!(shown, ["a:5-7", "b:5-6"]);
    }
}
