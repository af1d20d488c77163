//! Renders a context pack as Markdown, or as text for a terminal. If a budget is in characters or
//! tokens, it limits exactly this text.

use serde_json::Value;
use windlass_base::{counted, cut_after, first_names, one_line, short_id};
use windlass_results::Failure;

use crate::budget::Measure;
use crate::context::model::pack_items::origins;
use crate::context::{
    ContextPack, CutKind, Delta, FileStatus, Origin, Since, SourceSpan, TruncationReport,
    change_item, doc_item, file_item,
};

/// The markup to render with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dress {
    /// For documents and agents.
    Markdown,
    /// For a terminal.
    Text,
}

/// Renders the whole pack, so trim it to a budget first.
#[must_use]
pub fn render(pack: &ContextPack, dress: Dress) -> String {
    let mut page = Page {
        out: String::new(),
        dress,
    };
    head(&mut page, pack);
    rules(&mut page, pack);
    if let Some(delta) = &pack.delta {
        failures(&mut page, delta, pack.truncation.as_ref());
        changes(&mut page, pack, delta);
    }
    documents(&mut page, pack);
    files(&mut page, pack);
    references(&mut page, pack);
    foot(&mut page, pack);
    page.out
}

struct Page {
    out: String,
    dress: Dress,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn title(&mut self, text: &str) {
        match self.dress {
            Dress::Markdown => self.line(&format!("# {text}")),
            Dress::Text => self.line(text),
        }
    }

    fn heading(&mut self, text: &str) {
        match self.dress {
            Dress::Markdown => self.line(&format!("\n## {text}\n")),
            Dress::Text => self.line(&format!("\n{text}")),
        }
    }

    /// Adds a list entry. It is always a single line, so that lines from a file may follow.
    fn entry(&mut self, text: &str) {
        match self.dress {
            Dress::Markdown => self.line(&format!("- {}", one_line(text))),
            Dress::Text => self.line(&format!("  {}", one_line(text))),
        }
    }

    /// Adds a text that we do not trust. If it may have any markup, it becomes a quote, since a
    /// fence or a heading would change the rest of the page.
    fn foreign_text(&mut self, text: &str) {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '"' | '(' | '\'' | '`');
        let begin = text.trim_start();
        let is_line = !begin.trim_end().contains('\n')
            && begin.starts_with(is_plain)
            && !begin.starts_with("```");
        if self.dress == Dress::Text || is_line {
            return self.line(text);
        }
        for line in text.lines() {
            self.line(&format!("> {line}"));
        }
    }

    fn block(&mut self, text: &str, kind: &str) {
        match self.dress {
            Dress::Markdown => {
                let fence = fence_for(text);
                self.line(&format!("{fence}{kind}"));
                self.out.push_str(text);
                self.out.push('\n');
                self.line(&fence);
            }
            Dress::Text => {
                for line in text.split('\n') {
                    self.line(&format!("    {line}"));
                }
            }
        }
    }
}

/// A fence with more backticks in a row than there are in `text`, so that the text cannot close it.
fn fence_for(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

fn head(page: &mut Page, pack: &ContextPack) {
    page.title(&format!("Context pack {}", pack.pack_id));
    let mode = match pack.global_mode {
        crate::context::GlobalMode::Planning => "planning",
        crate::context::GlobalMode::Implementation => "implementation",
    };
    let mut facts = vec![mode.to_owned()];
    facts.extend(pack.node_mode.map(|mode| match mode {
        crate::context::NodeMode::Auto => "runs unattended".to_owned(),
        crate::context::NodeMode::Interactive => "can ask questions".to_owned(),
    }));
    let node = [("run", &pack.run_id), ("node", &pack.node_id)];
    facts.extend(
        node.iter()
            .filter_map(|(word, id)| Some(format!("{word} {}", id.as_ref()?))),
    );
    let commit = pack.provenance.as_ref().and_then(|it| it.commit.as_deref());
    facts.extend(commit.map(|id| format!("commit {}", short(id))));
    facts.extend(
        pack.workspace
            .as_ref()
            .and_then(|place| Some(format!("branch {}", place.branch.as_ref()?))),
    );
    facts.push(format!("documents in {}", pack.docs_root));
    facts.extend(merged_of(pack));
    page.line(&facts.join(" · "));
    page.heading("Goal");
    page.foreign_text(&pack.goal);
    if !pack.definition_of_done.is_empty() {
        page.heading("Definition of done");
        for condition in &pack.definition_of_done {
            page.entry(&format!("[ ] {condition}"));
        }
    }
}

/// Names some of the packs that this one was merged from, if it was merged.
fn merged_of(pack: &ContextPack) -> Option<String> {
    const NAMED: usize = 4;
    let all = &pack.merged_from;
    let named = first_names(
        all.iter().map(|id| id.hex()[..8].to_owned()),
        NAMED,
        " and ",
    );
    (!all.is_empty()).then(|| format!("merged from {named}"))
}

fn short(id: &str) -> &str {
    let digits = id.strip_prefix("sha256:").unwrap_or(id);
    short_id(digits)
}

fn rules(page: &mut Page, pack: &ContextPack) {
    let fields = [
        ("Constraints", &pack.constraints),
        ("Tools", &pack.tool_policy),
        ("Repository", &pack.repo_facts),
    ];
    for (title, values) in fields {
        if !values.is_empty() {
            page.heading(title);
            for (key, value) in values {
                page.entry(&format!("{key}: {}", in_words(value)));
            }
        }
    }
    if !pack.decisions.is_empty() {
        page.heading("Decisions");
        for decision in &pack.decisions {
            let why = decision
                .rationale
                .as_ref()
                .map_or(String::new(), |why| format!(" ({why})"));
            let links = pack_links(&decision.links);
            page.entry(&format!(
                "{}: {}{why}{links}",
                decision.id, decision.summary
            ));
        }
    }
    if !pack.conflicts.is_empty() {
        page.heading("Conflicts between packs");
        for conflict in &pack.conflicts {
            let values: Vec<String> = conflict
                .values
                .iter()
                .map(|value| cut_after(&in_words(value), 120))
                .collect();
            page.entry(&format!("{}: {}", conflict.item, values.join(" | ")));
        }
    }
    if !pack.source_notes.is_empty() {
        page.heading("Notes on sources");
        for note in &pack.source_notes {
            page.entry(note);
        }
    }
}

fn pack_links(links: &[String]) -> String {
    if links.is_empty() {
        return String::new();
    }
    format!(" → {}", links.join(", "))
}

fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) if list.iter().all(|one| !one.is_object() && !one.is_array()) => {
            list.iter().map(in_words).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn failures(page: &mut Page, delta: &Delta, cut: Option<&TruncationReport>) {
    let count = delta.tests.map(|tests| {
        format!(
            " ({} of {} failed)",
            tests.failed,
            counted(tests.all() as usize, "test")
        )
    });
    let at_least = delta.failures_at_least;
    let count = count.or_else(|| at_least.map(|count| format!(" (at least {count})")));
    if delta.failures.is_empty() && delta.resolved.is_empty() {
        if let Some(count) = count {
            page.heading(&format!("Tests{count}"));
        }
        return;
    }
    page.heading(&format!("What fails{}", count.unwrap_or_default()));
    for failure in &delta.failures {
        page.entry(&failure_line(failure));
        if let Some(detail) = &failure.detail {
            page.block(detail, "text");
        }
    }
    for (beginning, rest) in cut.iter().flat_map(|cut| &cut.failures) {
        page.entry(&match rest.as_slice() {
            [one] => format!("{beginning}{one}"),
            many => format!("{beginning}{{{}}}", many.join(", ")),
        });
    }
    if let Some(more) = more_failures(delta) {
        page.entry(&format!("{more} more, not listed"));
    }
    if !delta.resolved.is_empty() {
        page.entry(&format!("no longer fails: {}", delta.resolved.join(", ")));
    }
}

/// The number of failures that we do not list, in words. Returns `None` if all of them are listed.
fn more_failures(delta: &Delta) -> Option<String> {
    match (
        delta.more_failures.unwrap_or_default(),
        delta.more_failures_at_most,
    ) {
        (0, None) => None,
        (0, Some(most)) => Some(format!("up to {most}")),
        (more, None) => Some(more.to_string()),
        (more, Some(most)) => Some(format!("between {more} and {most}")),
    }
}

fn failure_line(failure: &Failure) -> String {
    let new = match failure.new {
        Some(true) => "new: ",
        Some(false) => "as before: ",
        None => "",
    };
    let places = if failure.places.is_empty() {
        String::new()
    } else {
        format!(" at {}", failure.places.join(", "))
    };
    let foreign_text = if failure.summary.is_empty() || failure.summary == failure.id {
        String::new()
    } else {
        format!(": {}", failure.summary)
    };
    format!("{new}{}{foreign_text}{places}", failure.id)
}

/// The state that changes are counted from, in words. If the pack was merged, the original packs
/// may count from different states.
fn since_when(pack: &ContextPack, since: Option<&Since>) -> String {
    let in_words = |since: &Since| match (since.pack_id, since.commit.as_deref()) {
        (Some(id), _) => Some(format!("pack {id}")),
        (None, Some(commit)) => Some(short(commit).to_owned()),
        (None, None) => None,
    };
    let several = pack.conflicts.iter().find(|it| it.item == "delta/since");
    let several = several.iter().flat_map(|conflict| &conflict.values);
    let several: Vec<String> = several
        .filter_map(|value| in_words(&serde_json::from_value(value.clone()).ok()?))
        .collect();
    match since.and_then(in_words) {
        _ if several.len() > 1 => {
            format!(
                ", counted by each pack: since {}",
                several.join(", or since ")
            )
        }
        Some(one) => format!(" since {one}"),
        None => String::new(),
    }
}

/// The note for a pack whose predecessor did not record its uncommitted files.
const UNSURE: &str = "counted from its commit: its uncommitted changes are not recorded, so some changes may be older, and some may be \
    missing";

fn changes(page: &mut Page, pack: &ContextPack, delta: &Delta) {
    let since = delta.since.as_ref();
    let is_unsure = since.is_some_and(|since| since.unsure);
    if delta.files.is_empty() && !is_unsure {
        return;
    }
    page.heading(&format!("What changed{}", since_when(pack, since)));
    if is_unsure {
        page.entry(UNSURE);
    }
    let origins = origins(pack);
    for file in &delta.files {
        let status = match file.status {
            FileStatus::Added => "added",
            FileStatus::Modified => "changed",
            FileStatus::Deleted => "deleted",
            FileStatus::Renamed => "renamed",
            FileStatus::Unmerged => "not merged",
        };
        let from = file
            .from
            .as_ref()
            .map_or(String::new(), |from| format!(" from {from}"));
        let lines = match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!(" (+{added} -{removed})"),
            _ => String::new(),
        };
        let item = change_item(&file.path);
        let left_out = left_out(origins.get(item.as_str()).copied());
        let note = file.note.as_ref();
        let note = note.map_or(String::new(), |note| format!(": {note}"));
        page.entry(&format!(
            "{} {status}{from}{lines}{left_out}{note}",
            file.path
        ));
        if let Some(diff) = &file.diff {
            page.block(diff, "diff");
        }
    }
    if let Some(more) = delta.rest.get("moreFiles").and_then(Value::as_u64) {
        page.entry(&format!("{more} more, not listed"));
    }
}

/// The number of lines that were not stored because the text was too long, in words.
fn left_out(origin: Option<&Origin>) -> String {
    match origin.map_or(0, |origin| origin.lines_left_out) {
        0 => String::new(),
        lines => format!("; {} omitted", counted(lines as usize, "more line")),
    }
}

fn reasons(origin: Option<&Origin>) -> String {
    match origin {
        Some(origin) if !origin.why.is_empty() => {
            let why: Vec<&str> = origin.why.iter().map(String::as_str).collect();
            format!(" — {}", why.join("; "))
        }
        _ => String::new(),
    }
}

/// The line numbers of an excerpt, with shortened hashes of these lines.
fn lines_of(spans: &[SourceSpan]) -> String {
    if spans.is_empty() {
        return String::new();
    }
    let each: Vec<String> = spans
        .iter()
        .map(|span| format!("{} [{}]", span.lines, short(&span.source_hash)))
        .collect();
    format!("lines {}", each.join(", "))
}

fn documents(page: &mut Page, pack: &ContextPack) {
    if pack.doc_refs.is_empty() {
        return;
    }
    page.heading("Documents");
    let origins = origins(pack);
    for doc in &pack.doc_refs {
        let origin = origins.get(doc_item(&doc.path).as_str()).copied();
        let priority = match doc.priority {
            crate::context::Priority::High => "high",
            crate::context::Priority::Medium => "medium",
            crate::context::Priority::Low => "low",
        };
        let anchors: String = doc
            .anchors
            .iter()
            .map(|anchor| format!(" #{anchor}"))
            .collect();
        page.entry(&format!(
            "{} ({priority}){anchors}{}",
            doc.path,
            reasons(origin)
        ));
        text_of_file(page, doc.excerpt.as_deref(), origin, "markdown");
    }
}

fn text_of_file(page: &mut Page, text: Option<&str>, origin: Option<&Origin>, kind: &str) {
    let Some(text) = text else { return };
    let lines = lines_of(origin.map_or(&[], |origin| &origin.source.spans));
    if !lines.is_empty() {
        page.line(&format!("  {lines}{}", left_out(origin)));
    }
    page.block(text, kind);
}

fn files(page: &mut Page, pack: &ContextPack) {
    if pack.relevant_files.is_empty() {
        return;
    }
    page.heading("Files");
    let origins = origins(pack);
    for file in &pack.relevant_files {
        let origin = origins.get(file_item(&file.path).as_str()).copied();
        let purpose = file
            .purpose
            .as_ref()
            .map_or(String::new(), |purpose| format!(": {purpose}"));
        page.entry(&format!("{}{purpose}{}", file.path, reasons(origin)));
        let kind = file.path.rsplit_once('.').map_or("", |(_, ending)| ending);
        // The ending becomes a part of the fence, so don't trust it too much.
        let kind = if kind.len() <= 5 && kind.chars().all(|c| c.is_ascii_alphanumeric()) {
            kind
        } else {
            ""
        };
        text_of_file(page, file.excerpt.as_deref(), origin, kind);
    }
}

fn references(page: &mut Page, pack: &ContextPack) {
    if pack.artifacts.is_empty() && pack.inputs.is_empty() {
        return;
    }
    page.heading("Artifacts");
    for artifact in &pack.artifacts {
        let summary = artifact
            .summary
            .as_ref()
            .map_or(String::new(), |text| format!(": {text}"));
        page.entry(&format!("{}{summary}", artifact.reference));
    }
    for input in &pack.inputs {
        let from = input
            .from_node_id
            .as_ref()
            .map_or(String::new(), |node| format!(" from {node}"));
        page.entry(&format!("payload {}{from}", input.payload_id));
    }
}

fn foot(page: &mut Page, pack: &ContextPack) {
    if let Some(redaction) = &pack.redaction {
        let count: u32 = redaction.replaced.iter().map(|one| one.count).sum();
        if count > 0 {
            page.heading(&format!(
                "{} replaced",
                counted(count as usize, "secret value")
            ));
            for one in &redaction.replaced {
                page.entry(&format!("{}: {} × {}", one.item, one.rule, one.count));
            }
        }
        if !redaction.withheld.is_empty() {
            page.heading("Withheld files");
            page.entry(&redaction.withheld.join(", "));
        }
    }
    if let Some(cut) = &pack.truncation {
        page.heading(&format!(
            "Cut to the budget: {} of {} shown",
            cut.shown,
            counted(cut.items, "part")
        ));
        if cut.notes > 0 {
            let notes = counted(cut.notes, "note");
            page.entry(&format!("{notes} on sources omitted"));
        }
        for one in &cut.cuts {
            let what = match one.cut {
                CutKind::Shortened => format!("{} missing", counted(one.lines, "line")),
                CutKind::TextLeftOut => {
                    format!("name only, {} missing", counted(one.lines, "line"))
                }
                CutKind::LeftOut => "omitted".to_owned(),
            };
            page.entry(&format!("{}: {what}", one.item));
        }
        if cut.more > 0 {
            page.entry(&format!("{} more", cut.more));
        }
    }
    if let Some(budget) = &pack.budget {
        let unit = match budget.unit {
            Measure::Chars => "characters",
            Measure::Tokens => "tokens",
        };
        let whole = if budget.whole > budget.used {
            format!("; the whole pack has {}", budget.whole)
        } else {
            String::new()
        };
        page.line("");
        page.line(&format!("{} of {} {unit}{whole}", budget.used, budget.max));
    }
    if !pack.next_actions.is_empty() {
        page.heading("Next");
        for action in &pack.next_actions {
            page.entry(&format!("`{}`: {}", action.written_out(), action.reason));
        }
    }
}
