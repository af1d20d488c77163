//! Text output for the memory.

use std::collections::BTreeMap;

use windlass::base::{Diagnostic, NextAction, counted};
use windlass::memory::{Fix, Remembered};
use windlass::packs::harmless_line;
use windlass::{FeedbackNoted, MemoryCheck, MemoryStats, WrittenFile};

/// Counts a memory's records, impressions and problems on one line.
#[must_use]
pub fn memory_summary(checked: &MemoryCheck) -> String {
    let what = format!(
        "{}, {}",
        counted(checked.records, "record"),
        counted(checked.impressions, "impression")
    );
    let found = match (checked.errors, checked.warnings) {
        (0, 0) if checked.to_say.is_empty() => "no problems".to_owned(),
        (0, 0) => "no errors".to_owned(),
        (errors, warnings) => format!(
            "{}, {}",
            counted(errors, "error"),
            counted(warnings, "warning")
        ),
    };
    match checked.to_say.is_empty() {
        true => format!("{what}: {found}"),
        false => format!("{what}: {found}; missing text: {}", to_say(checked)),
    }
}

/// Formats a page of findings about the memory, followed by the summary and the call for the next
/// page.
#[must_use]
pub fn memory_findings(
    checked: &MemoryCheck,
    findings: &[&Diagnostic],
    more: Option<&NextAction>,
) -> String {
    let mut text: String = findings
        .iter()
        .map(|one| format!("{}[{}]\n", harmless_line(&one.to_string()), one.rule))
        .collect();
    text.push_str(&format!("{}\n", memory_summary(checked)));
    if let Some(more) = more {
        text.push_str(&format!("next: {}\n", harmless_line(&more.command_line())));
    }
    text
}

fn to_say(checked: &MemoryCheck) -> String {
    let first = checked.to_say.iter();
    let first: Vec<String> = first
        .map(|one| {
            let parts = one.parts.join(", ");
            harmless_line(&format!("{} ({parts})", one.file))
        })
        .collect();
    let more = match checked.unfinished.saturating_sub(first.len()) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "other record")),
    };
    format!("{}{more}", first.join(", "))
}

/// Reports the repair of a file, and the rule behind the repair.
#[must_use]
pub fn fix_line(fix: &Fix) -> String {
    format!(
        "{}: {}  ({})\n",
        harmless_line(fix.file.as_str()),
        harmless_line(&fix.what),
        fix.rule
    )
}

/// Describes the memory's contents and the effects of feedback. Each part ends with a newline.
#[must_use]
pub fn memory_stats_parts(stats: &MemoryStats) -> Vec<String> {
    let mut parts = Vec::new();
    let list = |counts: &BTreeMap<&'static str, usize>| {
        let counts = counts.iter().map(|(word, count)| format!("{count} {word}"));
        counts.collect::<Vec<_>>().join(", ")
    };
    if let Some(scope) = &stats.scope {
        parts.push(format!("{}\n", harmless_line(scope)));
    }
    for (kind, counts) in &stats.records {
        parts.push(format!("{kind}: {}\n", list(counts)));
    }
    parts.push(format!(
        "impressions: {}; {}\n",
        match stats.impressions.is_empty() {
            true => "none".to_owned(),
            false => list(&stats.impressions),
        },
        counted(stats.keywords, "keyword")
    ));
    if stats.faulty_lines + stats.unrouted > 0 {
        parts.push(format!(
            "{} set aside, {} without an impression; see `windlass memory check`\n",
            counted(stats.faulty_lines, "line"),
            counted(stats.unrouted, "record")
        ));
    }
    if !stats.unreadable.is_empty() {
        parts.push(format!(
            "unreadable: {}; see `windlass memory check`\n",
            harmless_line(&stats.unreadable.join(", "))
        ));
    }
    if !stats.feedback.is_empty() {
        let learned = &stats.learned;
        parts.push(format!(
            "feedback: {}; {}, bounds moved by {} (weak) and {} (strong) thousandths\n",
            list(&stats.feedback),
            counted(learned.ties, "tie"),
            learned.weak_shift,
            learned.strong_shift
        ));
    }
    parts
}

/// Reports a change to the memory. Each replaced text gets a line of its own.
#[must_use]
pub fn remembered_lines(done: &Remembered) -> Vec<String> {
    let found_by = match done.keywords.is_empty() {
        true => String::new(),
        false => format!("  (found by: {})", harmless_line(&done.keywords.join(", "))),
    };
    let first = format!("{}  {}{found_by}\n", harmless_line(&done.id), done.action,);
    let replaced = done.replaced.iter().map(|one| {
        format!(
            "  previous {}: {}\n",
            harmless_line(&one.section),
            harmless_line(&one.before)
        )
    });
    std::iter::once(first).chain(replaced).collect()
}

/// Summarizes the effects of feedback on one line.
#[must_use]
pub fn feedback_line(done: &FeedbackNoted) -> String {
    format!(
        "{} of feedback: {}; bounds moved by {} (weak) and {} (strong) thousandths\n",
        counted(done.lines, "line"),
        counted(done.ties, "tie"),
        done.weak_shift,
        done.strong_shift
    )
}

/// Reports a written file, or one to be written (`dry_run`).
#[must_use]
pub fn written_line(file: &WrittenFile, dry_run: bool) -> String {
    let done = match (file.is_new, dry_run) {
        (true, false) => "wrote",
        (false, false) => "changed",
        (true, true) => "would write",
        (false, true) => "would change",
    };
    format!("{done} {}\n", harmless_line(file.file.as_str()))
}

/// Formats the next action: its command, followed by the reason as a comment.
#[must_use]
pub fn next_line(action: &NextAction) -> String {
    format!(
        "next: {}  # {}\n",
        harmless_line(&action.command_line()),
        action.reason
    )
}
