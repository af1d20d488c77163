//! A runbook over a sample: what it restores of what was noted, in one call.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use windlass::engine::{NoObserver, Stop};
use windlass::pack::Format;
use windlass::{Environment, PageRequest, Part, Refresh, RefreshRequest, ViewRequest, Workspace};
use windlass_base::{Limit, Pointer};

use crate::metric::{BUDGET, Lines, NOT_REACHED, ShownSpan, shown, weight};
use crate::plan::Doing;
use crate::recipe::Sample;
use crate::results::CaseResult;
use crate::{Metric, OURS, ZooError};

/// Where the runbook lies in a sample: in a hidden folder, so that nobody finds it who looks for something else.
pub(crate) const PLACE: &str = ".windlass/zoo.yaml";

/// The runbook: what was noted as contracts, and where what is planted is defined.
pub(crate) fn runbook(sample: &Sample) -> String {
    let mut text = "schema_version: 1\nid: zoo\ntitle: What was noted\npurpose: What counts here, and where it is defined.\n\
         policy:\n  budget: { max_tokens: 2000 }\n  freshness: repair\nsteps:\n  \
         - { id: noted, uses: anchors, with: { kinds: [contract] } }\n"
        .to_owned();
    let names: Vec<&str> = sample
        .planted
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let _ = writeln!(
        text,
        "  - {{ id: named, uses: search, with: {{ pattern: '{}' }} }}",
        names.join("|")
    );
    text + "outputs:\n  - { id: noted, from: noted }\n  - { id: named, from: named, select: '$.matches[*]', limit: 10 }\n"
}

/// The lines of JSON that note what is planted.
fn anchors(sample: &Sample) -> String {
    let mut text = String::new();
    for (name, gold) in &sample.planted {
        let line = serde_json::json!({
            "id": name.replace('_', "-"), "kind": "contract", "file": gold.file,
            "start_line": gold.start_line, "end_line": gold.end_line,
        });
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Runs the runbook in `folder`, and again with other numbers of jobs, and in `copy`, which has the same files elsewhere.
///
/// # Errors
/// When nothing can be noted. A run that fails is a failed case.
pub(crate) fn run(
    sample: &Sample,
    (folder, copy): (&Path, &Path),
    environment: &dyn Fn(&Path) -> Environment,
    secrets: &[&str],
    doing: &Doing<'_>,
) -> Result<CaseResult, ZooError> {
    let open = |folder: &Path| Workspace::open(folder, environment(folder));
    for folder in [folder, copy] {
        open(folder)?.add_anchors("anchors", &anchors(sample), true)?;
    }
    let clock = environment(folder).elapsed;
    let before = clock();
    let first = refresh(&open(folder)?, folder, 1);
    let took = clock().saturating_sub(before);
    let mut case = CaseResult {
        archetype: sample.recipe.id.clone(),
        case: "runbook".to_owned(),
        system: OURS.to_owned(),
        kind: None,
        values: BTreeMap::new(),
        asked: "windlass run zoo".to_owned(),
        expected: sample
            .planted
            .iter()
            .map(|(name, gold)| {
                format!(
                    "{name} at {}:{}-{}",
                    gold.file, gold.start_line, gold.end_line
                )
            })
            .collect(),
        shown: Vec::new(),
        failure: None,
    };
    let first = match first {
        Ok(first) => first,
        Err(error) => {
            case.failure = Some(error.to_string());
            return Ok(case);
        }
    };
    let printed = first.printed.plain();
    doing.go_on()?;
    let more = cursor(&printed).and_then(|cursor| {
        let request = PageRequest {
            cursor,
            view: view(),
        };
        let page = open(folder).and_then(|workspace| workspace.page(&request));
        Some(page.ok()?.printed.plain())
    });
    let again = [(folder, 2), (folder, 8), (copy, 1), (copy, 4)].map(|(folder, jobs)| {
        if doing.cancel.is_cancelled() {
            return false;
        }
        let again = open(folder).and_then(|workspace| refresh(&workspace, folder, jobs));
        again.is_ok_and(|again| again.printed.plain() == printed)
    });
    doing.go_on()?;
    let same = again.iter().filter(|same| **same).count() as f64 / again.len() as f64;
    case.values = values(sample, &printed, more.as_deref(), secrets, &mut case.shown);
    case.values.insert(Metric::Stability, Some(same));
    case.values
        .insert(Metric::Latency, Some(took.as_secs_f64() * 1e3));
    Ok(case)
}

fn refresh(workspace: &Workspace, folder: &Path, jobs: usize) -> Result<Refresh, windlass::Error> {
    let request = RefreshRequest {
        runbook: "zoo".to_owned(),
        start: folder.to_path_buf(),
        inputs: BTreeMap::new(),
        part: Part::Whole,
        jobs: NonZeroUsize::new(jobs),
        fail_fast: false,
        allow_commands: false,
        view: view(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| windlass::Error::Internal(error.to_string()))?;
    let done = runtime.block_on(workspace.refresh(&request, Arc::new(NoObserver), Stop::default()));
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

/// Where the first section goes on that was cut.
fn cursor(printed: &str) -> Option<String> {
    let pack: Value = serde_json::from_str(printed).ok()?;
    let sections = pack.get("sections")?.as_array()?;
    let mut cursors = sections
        .iter()
        .filter_map(|section| section.get("next_cursor")?.as_str());
    cursors.next().map(str::to_owned)
}

/// The places whose text is shown in a pack, in order.
fn places(printed: &str) -> Vec<ShownSpan> {
    let mut places = Vec::new();
    let pack = serde_json::from_str(printed).unwrap_or_default();
    evidence(&pack, &mut |pointer| {
        places.push(ShownSpan {
            file: pointer.file.to_string(),
            span: pointer.span,
        });
    });
    places
}

/// Whether the beginning of everything that was noted is among `places`.
fn is_all_there(sample: &Sample, places: &[ShownSpan]) -> bool {
    sample.planted.iter().all(|(_, gold)| {
        let has = |one: &ShownSpan| {
            one.file == gold.file && (one.span.start()..=one.span.end()).contains(&gold.start_line)
        };
        places.iter().any(has)
    })
}

/// What is measured of the pack that was printed; `more` is what the next call shows.
fn values(
    sample: &Sample,
    printed: &str,
    more: Option<&str>,
    secrets: &[&str],
    told: &mut Vec<String>,
) -> BTreeMap<Metric, Option<f64>> {
    let spans = places(printed);
    told.extend(spans.iter().map(|one| format!("{}:{}", one.file, one.span)));
    let mut wanted = Lines::new();
    for (_, gold) in &sample.planted {
        let lines: BTreeSet<u32> = (gold.start_line..=gold.end_line).collect();
        wanted.entry(gold.file.clone()).or_default().extend(lines);
    }
    let text = |file: &str| sample.files.get(file).map(Vec::as_slice);
    let within = shown(&spans, &wanted, u64::MAX, text);
    let whole: u64 = wanted
        .keys()
        .filter_map(|file| sample.files.get(file))
        .flatten()
        .map(|line| weight(line))
        .sum();
    let of_both = || [&spans[..], &more.map(places).unwrap_or_default()].concat();
    let calls = match () {
        () if is_all_there(sample, &spans) => 1.0,
        () if is_all_there(sample, &of_both()) => 2.0,
        () => NOT_REACHED,
    };
    let tokens = |text: &str| windlass_tokens::count(text) as u64;
    // Who needs another page reads that as well.
    let read = tokens(printed) + more.filter(|_| calls > 1.0).map_or(0, tokens);
    let pages = [Some(printed), more];
    let is_leaked =
        |secret: &&&str| -> bool { pages.iter().flatten().any(|text| text.contains(**secret)) };
    let overflow = pages
        .iter()
        .flatten()
        .map(|text| tokens(text).saturating_sub(BUDGET))
        .max();
    BTreeMap::from([
        (Metric::CallsToAction, Some(calls)),
        (Metric::RecallAtTokens, within.recall()),
        (Metric::NoiseRatio, within.noise_ratio()),
        (
            Metric::TokenSaved,
            (whole > 0).then(|| 1.0 - read as f64 / whole as f64),
        ),
        (Metric::BudgetOverflow, overflow.map(|most| most as f64)),
        (
            Metric::SecretLeaks,
            Some(secrets.iter().filter(is_leaked).count() as f64),
        ),
    ])
}

/// Every piece of evidence whose text is shown, in order.
fn evidence(value: &Value, found: &mut impl FnMut(Pointer)) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| evidence(value, found)),
        Value::Object(map) => {
            let is_shown = map.contains_key("text");
            let pointer = is_shown.then(|| serde_json::from_value::<Pointer>(value.clone()).ok());
            if let Some(pointer) = pointer.flatten() {
                return found(pointer);
            }
            map.values().for_each(|value| evidence(value, found));
        }
        _ => {}
    }
}
