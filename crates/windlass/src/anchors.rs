use serde::Serialize;
use windlass_base::{
    Cancel, Diagnostic, Diagnostics, Evidence, Ident, Item, Judgement, LineSpan, Pointer, RepoPath,
    Source,
};
use windlass_evidence::{CaptureError, Captured, Claim, Step, capture, explain};
use windlass_notebook::{
    Anchor, AnchorDraft, AnchorFreshness, AnchorKind, AnchorLine, Locator, LocatorKind, Notebook,
    Operation, Relocation, judge_all, read_anchor_lines,
};
use windlass_pack::harmless_line;
use windlass_redact::redact_text;
use windlass_repo::Snapshot;
use windlass_steps::symbol_named;

use crate::rank::Rank;
use crate::transact::Work;
use crate::{Error, Workspace};

/// Where an anchor is grounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnchorPlace {
    /// Lines of a file.
    Lines(RepoPath, LineSpan),
    /// What defines a symbol of a file. It is looked up once, and its name kept as the anchor's locator.
    Symbol(RepoPath, String),
}

/// An anchor to be saved.
#[derive(Debug, Clone)]
pub struct AnchorRequest {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is; what it was before, or `other`, if not said.
    pub kind: Option<AnchorKind>,
    /// What a person calls it; what it was before, or the name, if not said.
    pub label: Option<String>,
    /// Where it is grounded.
    pub places: Vec<AnchorPlace>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Where to look for it later.
    pub zone: Vec<String>,
}

/// What became of one pointer of an anchor.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// The pointer.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// What became of an anchor.
#[derive(Debug, Clone, Serialize)]
pub struct AnchorReport {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: AnchorKind,
    /// What a person calls it.
    pub label: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The verdict on its worst piece of evidence.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// All of its evidence.
    pub evidence: Vec<Checked>,
    /// Where that was before it moved, with what proved the new places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<Relocation>,
}

/// What became of an anchor, and how that was found out.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedAnchor {
    /// The verdict.
    #[serde(flatten)]
    pub report: AnchorReport,
    /// For each piece of evidence what was looked at, in order.
    pub steps: Vec<Vec<String>>,
}

impl AnchorReport {
    /// Whether all of its evidence stands where it was captured.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        !self.evidence.is_empty()
            && self
                .evidence
                .iter()
                .all(|checked| checked.judgement.is_fresh())
    }
}

impl Workspace {
    /// Captures and saves one anchor.
    ///
    /// # Errors
    /// When a place cannot be captured, the name is taken and `replace` is false, or the notebook cannot be
    /// written. Nothing is saved then.
    pub fn add_anchor(&self, request: AnchorRequest, replace: bool) -> Result<Anchor, Error> {
        let snapshot = self.snapshot();
        let (mut evidence, mut locator) = (Vec::new(), None);
        for place in &request.places {
            let (captured, symbol) = capture_place(&snapshot, place)?;
            evidence.push(captured.into());
            locator = locator.or(symbol);
        }
        let id = request.id.clone();
        // Nobody takes something away by not saying it.
        let said = |list: Vec<String>| Some(list).filter(|list| !list.is_empty());
        let draft = AnchorDraft {
            id: request.id,
            kind: request.kind,
            label: request.label,
            evidence,
            locator,
            zone: said(request.zone),
            tags: said(request.tags),
            freshness: self.freshness(),
            must_be_new: !replace,
            is_suggestion: false,
        };
        let operation = Operation::UpsertAnchor(Box::new(draft));
        let edited = self.transact(Work::new(vec![(operation, None)]), |edit| {
            edit.anchor(id.as_str())
        })?;
        edited
            .answer
            .ok_or_else(|| Error::internal(format!("anchor `{id}` was not saved")))
    }

    /// Captures and saves many anchors, given as JSON Lines; `name` is where they come from. All or none.
    ///
    /// # Errors
    /// As [`Workspace::add_anchor`], with every line that is at fault.
    pub fn add_anchors(&self, name: &str, text: &str, replace: bool) -> Result<usize, Error> {
        let source = Source::new(name, text);
        let lines = read_anchor_lines(&source).map_err(Error::document)?;
        let snapshot = self.snapshot();
        let freshness = self.freshness();
        let total = lines.len();
        let (mut operations, mut found) = (Vec::with_capacity(total), Diagnostics::default());
        for line in lines {
            match capture(&snapshot, &line.file, line.span) {
                Ok(captured) => {
                    let place = line.place.clone();
                    let draft = draft_of(line, captured, freshness.clone(), !replace);
                    let operation = Operation::UpsertAnchor(Box::new(draft));
                    operations.push((operation, Some(place)));
                }
                Err(error) => found.push(uncapturable(&line, &error)),
            }
        }
        if !found.is_empty() {
            return Err(Error::document(found));
        }
        self.transact(Work::new(operations), |_| ())?;
        Ok(total)
    }

    /// Checks anchors given as JSON Lines, as [`Workspace::add_anchors`] would, and saves nothing.
    ///
    /// # Errors
    /// As [`Workspace::add_anchors`].
    pub fn check_anchor_lines(&self, name: &str, text: &str) -> Result<usize, Error> {
        let lines = read_anchor_lines(&Source::new(name, text)).map_err(Error::document)?;
        Ok(lines.len())
    }

    /// Takes anchors out; all or none.
    ///
    /// # Errors
    /// When one of them is not there, a runbook uses it, or the notebook cannot be written.
    pub fn remove_anchors(&self, ids: &[String]) -> Result<(), Error> {
        let operations = ids
            .iter()
            .map(|id| (Operation::DeleteAnchor(id.clone()), None));
        self.transact(Work::new(operations.collect()), |_| ())?;
        Ok(())
    }

    /// The anchor called `id`.
    ///
    /// # Errors
    /// When there is none, or the notebook cannot be read.
    pub fn anchor(&self, id: &str) -> Result<Anchor, Error> {
        Ok(self.read_notebook()?.anchor(id)?.clone())
    }

    /// The anchors with the given names, in that order, or all of them in the order in which they were
    /// saved, each judged in the state of the files that `snapshot` holds.
    ///
    /// # Errors
    /// When one of the names is not there, or the notebook cannot be read.
    pub fn check_anchors(
        &self,
        ids: &[String],
        snapshot: &Snapshot,
    ) -> Result<Vec<AnchorReport>, Error> {
        check(&self.read_notebook()?, ids, snapshot, self.cancel())
    }

    /// As [`Workspace::check_anchors`], and step by step how each piece of evidence was looked for; as it may be
    /// shown.
    ///
    /// # Errors
    /// As [`Workspace::check_anchors`].
    pub fn explain_anchors(
        &self,
        ids: &[String],
        snapshot: &Snapshot,
    ) -> Result<Vec<ExplainedAnchor>, Error> {
        let reports = self.check_anchors(ids, snapshot)?;
        let notebook = self.read_notebook()?;
        let explained = |report: AnchorReport| {
            let anchor = notebook.anchor(report.id.as_str())?;
            let claims = anchor
                .evidence
                .iter()
                .filter_map(|evidence| anchor.claim_here(evidence, snapshot));
            let steps = claims.map(|claim| steps_of(&claim, snapshot)).collect();
            Ok(ExplainedAnchor { report, steps })
        };
        reports.into_iter().map(explained).collect()
    }

    pub(crate) fn freshness(&self) -> AnchorFreshness {
        AnchorFreshness {
            captured_at: self.environment().timestamp(),
            git_head: self.git_head(),
        }
    }

    /// The commit that is checked out, where there is one.
    fn git_head(&self) -> Option<String> {
        self.repo().git().ok()?.head().ok()?.commit
    }
}

/// How `claim` was looked for, as it may be shown.
fn steps_of(claim: &Claim, snapshot: &Snapshot) -> Vec<String> {
    let (_, steps) = explain(snapshot, &claim.pointer, claim.capture.as_ref());
    let shown = |step: Step| {
        let text = harmless_line(&format!("{}: {}", step.stage, step.found));
        redact_text(&text).0.as_str().to_owned()
    };
    steps.into_iter().map(shown).collect()
}

/// As [`Workspace::check_anchors`], of `notebook`.
pub(crate) fn check(
    notebook: &Notebook,
    ids: &[String],
    snapshot: &Snapshot,
    cancel: &Cancel,
) -> Result<Vec<AnchorReport>, Error> {
    let chosen: Vec<&Anchor> = if ids.is_empty() {
        notebook.anchors().collect()
    } else {
        ids.iter()
            .map(|id| notebook.anchor(id))
            .collect::<Result<_, _>>()?
    };
    Ok(judge_all(&chosen, snapshot, cancel, report)?)
}

/// Captures `place`; gives with it how to look for it later, where that says so.
pub(crate) fn capture_place(
    snapshot: &Snapshot,
    place: &AnchorPlace,
) -> Result<(Captured, Option<Locator>), Error> {
    match place {
        AnchorPlace::Lines(file, span) => Ok((capture(snapshot, file, *span)?, None)),
        AnchorPlace::Symbol(file, name) => {
            let (captured, symbol) = capture_symbol(snapshot, file, name)?;
            Ok((captured, Some(symbol)))
        }
    }
}

/// Captures what defines a symbol; gives with it how to look for it later.
fn capture_symbol(
    snapshot: &Snapshot,
    file: &RepoPath,
    name: &str,
) -> Result<(Captured, Locator), Error> {
    let source = snapshot
        .read(file)
        .map_err(|refusal| CaptureError::Refused {
            file: file.clone(),
            refusal,
        })?;
    let symbol = symbol_named(&source, file, name, &Cancel::default())?;
    let locator = Locator {
        kind: LocatorKind::Symbol,
        value: symbol.path,
    };
    Ok((capture(snapshot, file, symbol.span)?, locator))
}

fn uncapturable(line: &AnchorLine, error: &CaptureError) -> Diagnostic {
    Diagnostic::error("anchor-capture", format!("`{}`: {error}", line.id))
        .at(line.place.clone())
        .help("no anchor of this file was saved")
}

fn draft_of(
    line: AnchorLine,
    captured: Captured,
    freshness: AnchorFreshness,
    must_be_new: bool,
) -> AnchorDraft {
    AnchorDraft {
        id: line.id,
        kind: line.kind,
        label: line.label,
        evidence: vec![captured.into()],
        locator: line.locator,
        zone: line.zone,
        tags: line.tags,
        freshness,
        must_be_new,
        is_suggestion: false,
    }
}

/// An anchor as an item of a pack.
pub(crate) fn as_item(report: &AnchorReport) -> Item {
    let evidence = report.evidence.iter().map(|checked| Evidence {
        pointer: checked.pointer.clone(),
        judgement: checked.judgement.clone(),
        capture: None,
        spots: Vec::new(),
    });
    Item {
        id: Some(report.id.to_string()),
        kind: Some(report.kind.as_str().to_owned()),
        label: report.label.clone(),
        fields: serde_json::Map::new(),
        fields_left_out: 0,
        context: 0,
        evidence: evidence.collect(),
    }
}

/// A relocation as it is shown: without what was recorded for later proof.
fn shown(relocation: &Relocation) -> Relocation {
    Relocation {
        capture: None,
        ..relocation.clone()
    }
}

/// What is said of `anchor`, which `item` is judged.
pub(crate) fn report(anchor: &Anchor, item: Item) -> AnchorReport {
    let evidence: Vec<Checked> = item
        .evidence
        .into_iter()
        .map(|evidence| Checked {
            pointer: evidence.pointer,
            judgement: evidence.judgement,
        })
        .collect();
    // The first of those that are as bad.
    let worst = evidence
        .iter()
        .min_by_key(|checked| Rank::of(&checked.judgement));
    let judgement = worst.map_or_else(
        || {
            let reason = "the notebook gives it no lines that make sense".to_owned();
            Judgement::new(windlass_base::Freshness::Unknown, Some(reason))
        },
        |checked| checked.judgement.clone(),
    );
    AnchorReport {
        id: anchor.id.clone(),
        kind: anchor.kind,
        label: anchor.label.clone(),
        tags: anchor.tags.clone(),
        judgement,
        evidence,
        relocations: anchor.relocations.iter().map(shown).collect(),
    }
}
