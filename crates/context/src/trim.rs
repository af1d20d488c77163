//! What of a pack is shown within a budget.
//!
//! The goal, the definition of done, which documents are the contract, and what fails are always shown. All else follows in one
//! stated order ([`Group`]): first within a share of the budget, so that nothing starves what comes later, then with whatever
//! room is left.

use std::collections::BTreeMap;

use crate::items::{
    artifact_item, change_item, decision_item, doc_item, failure_item, file_item, origins,
};
use crate::text::{Part, joined, parts};
use crate::{
    BudgetReport, ContextPack, Cut, CutKind, Origin, Priority, SourceKind, SourceSpan,
    TruncationReport, Unit,
};

/// The most failures that are always named.
const NAMED_FAILURES: usize = 20;
/// The most cuts that are named.
const NAMED_CUTS: usize = 8;
/// The fewest lines that a part is shortened to.
const FEWEST_LINES: usize = 4;
/// How many of its shares a group may take, one round after the other: what is left over is shared again.
const SHARES: [usize; 4] = [1, 2, 4, 100];
/// How often the estimate is corrected by what is really printed.
const ROUNDS: usize = 4;

/// How much may be shown, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// What is counted.
    pub unit: Unit,
    /// The most.
    pub max: usize,
    /// The profile, where it comes from one.
    pub profile: Option<String>,
}

/// How a pack is printed and counted.
pub trait Scale {
    /// What `pack` takes, printed as it is, with everything around it.
    fn whole(&self, pack: &ContextPack) -> usize;
    /// What `text` takes, about, somewhere in a pack.
    fn piece(&self, text: &str) -> usize;
}

/// What always is shown does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a budget of {max} is too small: the goal, the definition of done, the documents and what fails take {least} by themselves"
)]
pub struct TooSmall {
    /// What was given.
    pub max: usize,
    /// The least that is enough.
    pub least: usize,
}

/// What stands together in the order in which a budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Constraints, decisions, tools, conflicts, secret values, facts: they bind, and are short.
    Rules,
    /// Text of documents of high priority.
    Contract,
    /// What was said of failures beside their first lines.
    Evidence,
    /// Which files differ.
    Changes,
    /// Which files matter, and why.
    Files,
    /// Inputs, and artifacts as references: summaries, not what they stand for.
    References,
    /// What differs in files.
    Diffs,
    /// Text of files that matter.
    FileText,
    /// Text of documents of medium priority.
    Documents,
    /// Records of the memory, and their text: documents come before them.
    Memory,
    /// Text of documents of low priority, and fields of other tools.
    Background,
}

impl Group {
    /// The share of the room, in percent, that it may take before all others had theirs.
    fn share(self) -> usize {
        match self {
            Self::Rules => 60,
            Self::Contract => 35,
            Self::Evidence | Self::FileText => 25,
            Self::Changes | Self::Files | Self::References => 10,
            Self::Memory => 10,
            Self::Diffs => 20,
            Self::Documents => 15,
            Self::Background => 5,
        }
    }
}

/// Shows of `pack`, which is whole, what fits into `budget`.
///
/// # Errors
/// When what is always shown does not fit.
pub fn trim(
    pack: &ContextPack,
    budget: &Budget,
    scale: &dyn Scale,
) -> Result<ContextPack, TooSmall> {
    let outline = Outline::of(pack);
    let all = outline.everything();
    let whole = weighed(outline.view(&all, Extent::Whole), budget, None, scale);
    if whole.used() <= budget.max {
        return Ok(whole.pack);
    }
    let size = Some(whole.used());
    let nothing = outline.nothing();
    let least = weighed(outline.view(&nothing, Extent::Part), budget, size, scale);
    if least.used() > budget.max {
        return Err(TooSmall {
            max: budget.max,
            least: least_budget(&outline, &nothing, budget, size, scale),
        });
    }
    let mut best = least;
    // What is estimated to fit, corrected by what it takes.
    let room = budget.max - best.used();
    let mut aim = room;
    for _ in 0..ROUNDS {
        let shape = outline.chosen(aim, scale);
        let view = weighed(outline.view(&shape, Extent::Part), budget, size, scale);
        let taken = view.used();
        if taken <= budget.max {
            let is_close = budget.max - taken <= budget.max / 40;
            if taken >= best.used() {
                best = view;
            }
            if is_close {
                break;
            }
            aim += (budget.max - taken) * 9 / 10;
        } else {
            aim = aim.saturating_sub((taken - budget.max) * 11 / 10 + 1);
        }
    }
    Ok(best.pack)
}

/// The least budget that is enough for what is always shown: the number itself is a part of that.
fn least_budget(
    outline: &Outline<'_>,
    nothing: &[Shape],
    budget: &Budget,
    size: Option<usize>,
    scale: &dyn Scale,
) -> usize {
    let mut max = budget.max;
    for _ in 0..4 {
        let budget = Budget {
            max,
            ..budget.clone()
        };
        let used = weighed(outline.view(nothing, Extent::Part), &budget, size, scale).used();
        if used <= max {
            break;
        }
        max = used;
    }
    max
}

/// A view that says how much it takes.
struct Weighed {
    pack: ContextPack,
}

impl Weighed {
    fn used(&self) -> usize {
        self.pack.budget.as_ref().map_or(0, |budget| budget.used)
    }
}

/// `view` with what it says of itself. The number it takes is a part of what is counted.
fn weighed(
    mut view: ContextPack,
    budget: &Budget,
    whole: Option<usize>,
    scale: &dyn Scale,
) -> Weighed {
    let mut used = budget.max;
    for _ in 0..4 {
        view.budget = Some(BudgetReport {
            unit: budget.unit,
            max: budget.max,
            used,
            whole: whole.unwrap_or(used),
            profile: budget.profile.clone(),
        });
        let taken = scale.whole(&view);
        if taken == used {
            break;
        }
        used = taken;
    }
    // It may go to and fro between two numbers: the larger holds.
    if let Some(report) = &mut view.budget {
        report.used = report.used.max(used);
    }
    Weighed { pack: view }
}

/// A part of a pack that may be shown or not.
struct Item<'a> {
    name: String,
    /// What says that it is there.
    named: Named,
    /// What it costs to name it, as text.
    head: String,
    /// The text of it, if it has one.
    parts: Vec<Part<'a>>,
    text_group: Group,
    rank: u32,
}

/// When an item is named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Always,
    In(Group),
}

/// Whether a view shows all of its pack. What was asked for stands only in such a one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Part,
}

/// How much of an item is shown: whether it is named, and how many lines of each part.
#[derive(Clone)]
struct Shape {
    named: bool,
    lines: Vec<usize>,
}

struct Outline<'a> {
    pack: &'a ContextPack,
    origins: BTreeMap<&'a str, &'a Origin>,
    items: Vec<Item<'a>>,
}

/// What may be added next: an item's name, or a part of its text.
struct Chunk {
    group: Group,
    rank: (u32, u32),
    item: usize,
    part: Option<usize>,
}

impl<'a> Outline<'a> {
    fn of(pack: &'a ContextPack) -> Self {
        let mut outline = Self {
            pack,
            origins: origins(pack),
            items: Vec::new(),
        };
        outline.take_documents();
        outline.take_delta();
        outline.take_files();
        outline.take_rest();
        outline
    }

    fn add(
        &mut self,
        name: String,
        named: Named,
        head: &impl serde::Serialize,
        text: Option<&'a str>,
        text_group: Group,
    ) {
        let origin = self.origins.get(name.as_str()).copied();
        let spans: &[SourceSpan] = origin.map_or(&[], |origin| &origin.source.spans);
        let why = origin.map(|origin| (&origin.why, &origin.source.path));
        let head = serde_json::to_string(&(head, &name, why)).unwrap_or_default();
        self.items.push(Item {
            rank: origin.map_or(0, |origin| origin.rank),
            name,
            named,
            head,
            parts: text.map_or_else(Vec::new, |text| parts(text, spans)),
            text_group,
        });
    }

    fn take_documents(&mut self) {
        for doc in &self.pack.doc_refs {
            let group = match doc.priority {
                Priority::High => Group::Contract,
                Priority::Medium => Group::Documents,
                Priority::Low => Group::Background,
            };
            let head = (&doc.path, &doc.anchors, doc.priority);
            self.add(
                doc_item(&doc.path),
                Named::Always,
                &head,
                doc.excerpt.as_deref(),
                group,
            );
        }
    }

    fn take_delta(&mut self) {
        let Some(delta) = &self.pack.delta else {
            return;
        };
        for (at, failure) in delta.failures.iter().enumerate() {
            let named = if at < NAMED_FAILURES {
                Named::Always
            } else {
                Named::In(Group::Evidence)
            };
            let head = (&failure.id, &failure.summary, &failure.places);
            let detail = failure.detail.as_deref();
            self.add(
                failure_item(&failure.id),
                named,
                &head,
                detail,
                Group::Evidence,
            );
        }
        for file in &delta.files {
            let head = (&file.path, file.status, &file.from);
            let named = Named::In(Group::Changes);
            self.add(
                change_item(&file.path),
                named,
                &head,
                file.diff.as_deref(),
                Group::Diffs,
            );
        }
        if !delta.resolved.is_empty() {
            let named = Named::In(Group::Changes);
            self.add(
                "delta/resolved".to_owned(),
                named,
                &delta.resolved,
                None,
                Group::Changes,
            );
        }
    }

    fn take_files(&mut self) {
        for file in &self.pack.relevant_files {
            let head = (&file.path, &file.purpose, &file.hash);
            let item = file_item(&file.path);
            let origin = self.origins.get(item.as_str());
            let is_recalled = origin.is_some_and(|it| it.source.kind == SourceKind::Memory);
            let (named, text) = match is_recalled {
                true => (Group::Memory, Group::Memory),
                false => (Group::Files, Group::FileText),
            };
            let excerpt = file.excerpt.as_deref();
            self.add(item, Named::In(named), &head, excerpt, text);
        }
    }

    fn take_rest(&mut self) {
        let pack = self.pack;
        for decision in &pack.decisions {
            self.add_short(decision_item(&decision.id), Group::Rules, decision);
        }
        for input in &pack.inputs {
            self.add_short(
                format!("inputs/{}", input.payload_id),
                Group::References,
                input,
            );
        }
        for artifact in &pack.artifacts {
            self.add_short(
                artifact_item(&artifact.reference),
                Group::References,
                artifact,
            );
        }
        for (field, values, group) in [
            ("constraints", &pack.constraints, Group::Rules),
            ("toolPolicy", &pack.tool_policy, Group::Rules),
            ("repoFacts", &pack.repo_facts, Group::Rules),
            ("rest", &pack.rest, Group::Background),
        ] {
            for (key, value) in values {
                self.add_short(format!("{field}/{key}"), group, value);
            }
        }
        if !pack.conflicts.is_empty() {
            self.add_short("conflicts".to_owned(), Group::Rules, &pack.conflicts);
        }
        if let Some(redaction) = &pack.redaction {
            self.add_short("redaction".to_owned(), Group::References, redaction);
        }
    }

    fn add_short(&mut self, name: String, group: Group, value: &impl serde::Serialize) {
        self.add(name, Named::In(group), value, None, group);
    }

    fn everything(&self) -> Vec<Shape> {
        let shape = |item: &Item<'_>| Shape {
            named: true,
            lines: item.parts.iter().map(|part| part.lines.len()).collect(),
        };
        self.items.iter().map(shape).collect()
    }

    fn nothing(&self) -> Vec<Shape> {
        let shape = |item: &Item<'_>| Shape {
            named: item.named == Named::Always,
            lines: vec![0; item.parts.len()],
        };
        self.items.iter().map(shape).collect()
    }

    /// What may be added to what is always shown, in the order in which it is.
    fn chunks(&self) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            if let Named::In(group) = item.named {
                chunks.push(Chunk {
                    group,
                    rank: (item.rank, u32::MAX),
                    item: at,
                    part: None,
                });
            }
            chunks.extend(item.parts.iter().enumerate().map(|(part, text)| Chunk {
                group: item.text_group,
                rank: (item.rank, text.rank),
                item: at,
                part: Some(part),
            }));
        }
        // The best part of each file comes before the second of any.
        let mut seen = BTreeMap::new();
        let by_rank = |chunk: &Chunk| {
            let (item, part) = chunk.rank;
            (
                chunk.group,
                chunk.item,
                std::cmp::Reverse(part),
                std::cmp::Reverse(item),
                chunk.part,
            )
        };
        chunks.sort_by_key(by_rank);
        let mut ordered: Vec<(usize, Chunk)> = chunks
            .into_iter()
            .map(|chunk| {
                let nth: &mut usize = seen.entry((chunk.group, chunk.item)).or_default();
                *nth += 1;
                (*nth, chunk)
            })
            .collect();
        // Documents of the same priority, and files, in the order of the pack, which is that of their ranks.
        ordered.sort_by_key(|(nth, chunk)| (chunk.group, *nth, chunk.item, chunk.part));
        ordered.into_iter().map(|(_, chunk)| chunk).collect()
    }

    /// What is shown within `room` beside what always is, as far as that can be estimated.
    fn chosen(&self, room: usize, scale: &dyn Scale) -> Vec<Shape> {
        let mut shapes = self.nothing();
        let mut left = room;
        let mut waiting = self.chunks();
        let mut spent: BTreeMap<Group, usize> = BTreeMap::new();
        for times in SHARES {
            waiting.retain(|chunk| {
                let spent = spent.entry(chunk.group).or_default();
                let share = room.saturating_mul(chunk.group.share()) / 100;
                let most = left.min(share.saturating_mul(times).saturating_sub(*spent));
                let Some(cost) = self.add_chunk(chunk, most, times > 1, &mut shapes, scale) else {
                    return true;
                };
                *spent += cost;
                left -= cost;
                false
            });
        }
        shapes
    }

    /// Shows a chunk if it takes no more than `most`, a part of it where that is allowed; what it takes.
    fn add_chunk(
        &self,
        chunk: &Chunk,
        most: usize,
        may_shorten: bool,
        shapes: &mut [Shape],
        scale: &dyn Scale,
    ) -> Option<usize> {
        let item = &self.items[chunk.item];
        let shape = &mut shapes[chunk.item];
        let Some(part) = chunk.part else {
            let cost = scale.piece(&item.head);
            shape.named = shape.named || cost <= most;
            return (cost <= most).then_some(cost);
        };
        if !shape.named {
            return None;
        }
        let lines = &item.parts[part].lines;
        let around = if item.parts[part].first.is_some() {
            scale.piece(SPAN)
        } else {
            0
        };
        let cost = |count: usize| around + scale.piece(&lines[..count].join("\n")) + 1;
        let whole = cost(lines.len());
        if whole <= most {
            shape.lines[part] = lines.len();
            return Some(whole);
        }
        if !may_shorten || lines.len() <= FEWEST_LINES {
            return None;
        }
        let (mut fits, mut too_many) = (0, lines.len());
        while fits + 1 < too_many {
            let middle = usize::midpoint(fits, too_many);
            if cost(middle) <= most {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        if fits < FEWEST_LINES {
            return None;
        }
        shape.lines[part] = fits;
        Some(cost(fits))
    }

    /// The pack with what `shapes` say.
    fn view(&self, shapes: &[Shape], extent: Extent) -> ContextPack {
        let mut view = self.pack.clone();
        let shown: BTreeMap<&str, (&Item<'a>, &Shape)> = self
            .items
            .iter()
            .zip(shapes)
            .map(|(item, shape)| (item.name.as_str(), (item, shape)))
            .collect();
        let is_named = |name: &str| shown.get(name).is_none_or(|(_, shape)| shape.named);
        let text = |name: &str, whole: &mut Option<String>| {
            if let Some((item, shape)) = shown.get(name)
                && whole.is_some()
            {
                *whole = excerpt(item, shape).0;
            }
        };
        for doc in &mut view.doc_refs {
            text(&doc_item(&doc.path), &mut doc.excerpt);
        }
        view.relevant_files
            .retain(|it| is_named(&file_item(&it.path)));
        for file in &mut view.relevant_files {
            text(&file_item(&file.path), &mut file.excerpt);
        }
        if let Some(delta) = &mut view.delta {
            delta.files.retain(|it| is_named(&change_item(&it.path)));
            delta.failures.retain(|it| is_named(&failure_item(&it.id)));
            for file in &mut delta.files {
                text(&change_item(&file.path), &mut file.diff);
            }
            for failure in &mut delta.failures {
                text(&failure_item(&failure.id), &mut failure.detail);
            }
            if !is_named("delta/resolved") {
                delta.resolved.clear();
            }
        }
        view.inputs
            .retain(|it| is_named(&format!("inputs/{}", it.payload_id)));
        view.artifacts
            .retain(|it| is_named(&artifact_item(&it.reference)));
        view.decisions.retain(|it| is_named(&decision_item(&it.id)));
        for (field, values) in [
            ("constraints", &mut view.constraints),
            ("toolPolicy", &mut view.tool_policy),
            ("repoFacts", &mut view.repo_facts),
            ("rest", &mut view.rest),
        ] {
            values.retain(|key, _| is_named(&format!("{field}/{key}")));
        }
        if !is_named("conflicts") {
            view.conflicts.clear();
        }
        view.redaction.take_if(|_| !is_named("redaction"));
        if extent == Extent::Whole {
            return view;
        }
        if let Some(provenance) = &mut view.provenance {
            provenance.request.clear();
            provenance.items.retain(|origin| is_named(&origin.item));
            for origin in &mut provenance.items {
                if let Some((item, shape)) = shown.get(origin.item.as_str())
                    && !item.parts.is_empty()
                {
                    origin.source.spans = excerpt(item, shape).1;
                }
            }
        }
        view.truncation = Some(self.truncation(shapes));
        view
    }

    fn truncation(&self, shapes: &[Shape]) -> TruncationReport {
        let mut cuts = Vec::new();
        for (item, shape) in self.items.iter().zip(shapes) {
            let all: usize = item.parts.iter().map(|part| part.lines.len()).sum();
            let shown: usize = shape.lines.iter().sum();
            let cut = match (shape.named, shown) {
                (false, _) => CutKind::LeftOut,
                (true, 0) if all > 0 => CutKind::TextLeftOut,
                (true, shown) if shown < all => CutKind::Shortened,
                _ => continue,
            };
            cuts.push(Cut {
                item: item.name.clone(),
                cut,
                lines: all - shown,
            });
        }
        let more = cuts.len().saturating_sub(NAMED_CUTS);
        cuts.truncate(NAMED_CUTS);
        TruncationReport {
            items: self.items.len(),
            shown: shapes.iter().filter(|shape| shape.named).count(),
            cuts,
            more,
        }
    }
}

/// What the place of a part takes in its origin, about.
const SPAN: &str = r#"{"start_line":1000,"end_line":1200,"source_hash":"sha256:0f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a69780f1e2d3c4b5a6978"}"#;

fn excerpt(item: &Item<'_>, shape: &Shape) -> (Option<String>, Vec<SourceSpan>) {
    let shown: Vec<Part<'_>> = item
        .parts
        .iter()
        .zip(&shape.lines)
        .map(|(part, lines)| part.first_lines(*lines))
        .collect();
    joined(&shown)
}
