//! The memory as text for people.

use std::collections::BTreeMap;

use windlass::base::{Diagnostic, NextAction, counted};
use windlass::memory::{Fix, Remembered};
use windlass::packs::harmless_line;
use windlass::{FeedbackNoted, MemoryCheck, MemoryStats, WrittenFile};

/// How much there is in the memory, and what is wrong with it, on one line.
#[must_use]
pub fn memory_summary(checked: &MemoryCheck) -> String {
    let what = format!(
        "{}, {}",
        counted(checked.records, "record"),
        counted(checked.impressions, "impression")
    );
    let found = match (checked.errors, checked.warnings) {
        (0, 0) if checked.to_say.is_empty() => "nothing is wrong".to_owned(),
        (0, 0) => "no errors".to_owned(),
        (errors, warnings) => format!(
            "{}, {}",
            counted(errors, "error"),
            counted(warnings, "warning")
        ),
    };
    match checked.to_say.is_empty() {
        true => format!("{what}: {found}"),
        false => format!("{what}: {found}; still to be said: {}", to_say(checked)),
    }
}

/// A page of what is wrong with the memory: a line each, the summary, and how to go on.
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

/// What is still to be said, record by record.
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

/// Something that was mended, on one line.
#[must_use]
pub fn fix_line(fix: &Fix) -> String {
    format!(
        "{}: {}  ({})\n",
        harmless_line(fix.file.as_str()),
        harmless_line(&fix.what),
        fix.rule
    )
}

/// What there is in the memory, and what feedback made of it, a part of it each.
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
            "{} set aside, {} that no impression leads to; `windlass memory check` names them\n",
            counted(stats.faulty_lines, "line"),
            counted(stats.unrouted, "record")
        ));
    }
    if !stats.unreadable.is_empty() {
        parts.push(format!(
            "cannot be read: {}; `windlass memory check` says why\n",
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

/// What was remembered, and what it says instead of what, a line each.
#[must_use]
pub fn remembered_lines(done: &Remembered) -> Vec<String> {
    let found_by = match done.keywords.is_empty() {
        true => String::new(),
        false => format!("  (found by: {})", harmless_line(&done.keywords.join(", "))),
    };
    let first = format!("{}  {}{found_by}\n", harmless_line(&done.id), done.action,);
    let replaced = done.replaced.iter().map(|one| {
        format!(
            "  {} said before: {}\n",
            harmless_line(&one.section),
            harmless_line(&one.before)
        )
    });
    std::iter::once(first).chain(replaced).collect()
}

/// What feedback has come to, on one line.
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

/// A file that was written, or would be, on one line.
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

/// What to do next, on one line.
#[must_use]
pub fn next_line(action: &NextAction) -> String {
    format!(
        "next: {}  # {}\n",
        harmless_line(&action.command_line()),
        action.reason
    )
}
