//! Warnings about questionable content, which is written nevertheless. Each heuristic here has
//! false positives, so it is up to the caller.

use super::NewRecord;
use super::cue::words_left_out;
use super::replaced::Replaced;
use crate::markdown::Section;
use crate::records::keywords::MAX_KEYWORDS;
use crate::records::kind::Status;
use crate::records::record::Record;
use crate::state::memory::Memory;
use crate::state::said_by_impressions::{said_by_impressions, successors_said_once};
use crate::texts::layout::{FEEDBACK, IMPRESSIONS};

/// Warns about keywords that we have left out, and about content that should better be kept
/// private.
pub(super) fn warnings_of(new: &NewRecord) -> Vec<String> {
    let sections = new.sections.iter().map(|(_, says)| says);
    let sections = new.text.iter().chain(sections);
    let words = new.keywords.iter().chain(&new.aliases);
    let texts: Vec<&str> = std::iter::once(&new.title)
        .chain(sections)
        .chain(words)
        .map(String::as_str)
        .collect();
    let left_out = words_left_out(new);
    let left_out = (!left_out.is_empty()).then(|| {
        format!(
            "a record has at most {MAX_KEYWORDS} keywords; omitted: {}",
            left_out.join(", ")
        )
    });
    let told = crate::unshared::broken(&texts.join("\n\n"));
    let told = told.into_iter().map(|rule| match rule {
        "personal-data" => "the text seems to hold the address or number of a person, and everyone with the repository can read it: name the role or the team",
        "transcript" => "the text seems to hold a conversation or the markup of an agent: keep the outcome in your own words",
        _ => "the text seems to be the output of a program; record its meaning instead",
    });
    left_out
        .into_iter()
        .chain(told.map(str::to_owned))
        .collect()
}

/// Warns if the main part has changed but not the title, which may no longer fit.
pub(super) fn stale_title(
    record: &Record,
    new: &NewRecord,
    replaced: &[Replaced],
) -> Option<String> {
    let is_other = new.text.is_some() && !replaced.is_empty() && new.title.is_empty();
    let is_called = is_other && record.kind.is_recalled();
    is_called.then(|| {
        format!(
            "the title is still \"{}\"; pass `--title` if it no longer fits",
            record.title()
        )
    })
}

/// Warns if there are more sections of the same name, since an update only changes the first one.
pub(super) fn of_one_name(record: &Record, new: &NewRecord) -> Vec<String> {
    let main = new.text.iter().map(|_| record.kind.main_part().to_vec());
    let sections = new.sections.iter().map(|(name, _)| vec![name.as_str()]);
    let is_field = |name: &&str| -> bool {
        record
            .front()
            .is_some_and(|front| front.field(name).is_some())
    };
    let changed = main.chain(sections).filter_map(|names| {
        let same = record.body().own_sections(&names);
        let (first, others) = same.split_first()?;
        if others.is_empty() || names.len() == 1 && names.iter().any(is_field) {
            return None;
        }
        let line = |section: &Section| record.source().position(section.heading.start).line;
        let others = others
            .iter()
            .map(|one| format!("`{}` (line {} before the change)", one.title, line(one)));
        Some(format!(
            "the section `{}` on line {} was changed; other sections of this name keep their text: {}",
            first.title,
            line(first),
            others.collect::<Vec<_>>().join(", ")
        ))
    });
    changed.collect()
}

/// Warns if the updated record is inactive. A recall will not return it, so the update has no
/// effect.
pub(super) fn not_holding(memory: &Memory, record: &Record) -> Option<String> {
    let newer = successors_said_once(memory).remove(&record.path);
    let newer = newer.and_then(|path| memory.records.get(path));
    let said = said_by_impressions(memory).remove(&record.path);
    let status = said.map_or(record.status(), |said| said.status);
    match (newer, status) {
        (Some(newer), _) => Some(format!(
            "`{}` supersedes this record and is recalled in its place: update that one instead",
            newer.id().unwrap_or(newer.path.as_str())
        )),
        (None, Status::Active) => None,
        (None, status) => Some(format!(
            "the record is {} and not recalled; write a new record for the current state",
            status.as_str()
        )),
    }
}

/// Warns about conflict markers in the lists, and about impressions that cannot be read. Until
/// that is repaired, a recall may not find the new record.
pub(super) fn unfinished(memory: &Memory) -> Vec<String> {
    let lists = [memory.index(), memory.summary()].into_iter().flatten();
    let lists = lists.filter(|list| list.is_unmerged()).map(|list| {
        format!(
            "`{}` has unresolved conflict markers, so it got no new links: keep one side, then run `windlass memory index`",
            list.path
        )
    });
    let lines = [
        (IMPRESSIONS, &memory.impression_lines),
        (FEEDBACK, &memory.feedback_lines),
    ];
    let lines = lines.into_iter().filter_map(|(file, lines)| {
        let first = lines.faulty.first()?;
        Some(format!(
            "`{file}:{}` cannot be read, since {}: run `windlass memory check`",
            first.place.position().line,
            first.why
        ))
    });
    lists.chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use crate::draft::Draft;
    use crate::remember::{NewRecord, Remembered, remember, update};
    use crate::testing::Sample;

    const OLD: &str = "memory/decisions/settings-store.md";

    fn new(title: &str) -> NewRecord {
        NewRecord {
            title: title.to_owned(),
            text: Some("It is so.".to_owned()),
            ..NewRecord::default()
        }
    }

    fn told(sample: &Sample) -> Remembered {
        let memory = sample.memory();
        let change = new("Settings");
        let mut draft = Draft::new(&memory);
        update(&memory, &mut draft, "settings-store", &change, "2026-03-01").unwrap()
    }

    #[test]
    fn inactive_update_names_successor() {
        assert_eq!(told(&Sample::new()).warnings, [""; 0]);
        let newer = "---\nid: cloud\ntitle: Cloud\nstatus: active\nscope: project:demo\nsupersedes: [settings-store]\n---\nx\n";
        // The old record's own `superseded_by` shouldn't make a difference.
        let sample = Sample::new().with("memory/decisions/cloud.md", "", newer);
        let known = "status: superseded\nsuperseded_by: cloud";
        for sample in [sample.clone(), sample.with(OLD, "status: active", known)] {
            let warnings = told(&sample).warnings;
            assert!(
                warnings[0].starts_with("`cloud` supersedes this record"),
                "{warnings:?}"
            );
        }
        let archived = Sample::new().with(OLD, "status: active", "status: archived");
        assert!(told(&archived).warnings[0].starts_with("the record is archived"));
    }

    #[test]
    fn namesake_section_warned() {
        let two = "## 1. Decision:\n\nThe kernel.\n\n## Decision\n";
        let sample = Sample::new().with(OLD, "## Decision\n", two);
        let warnings = told(&sample).warnings;
        let [one] = &warnings[..] else {
            panic!("{warnings:?}");
        };
        assert!(one.starts_with("the section `Decision` on line "), "{one}");
        assert!(one.contains(": `1. Decision:` (line "), "{one}");
        // Without an exact heading, we use one with a note.
        let noted = Sample::new().with(OLD, "## Decision\n", "## Decision (accepted)\n");
        let told = told(&noted);
        assert_eq!(told.warnings, [""; 0]);
        assert_eq!(told.replaced[0].section, "Decision (accepted)");
    }

    #[test]
    fn unfinished_merge_warned() {
        let marks = "<<<<<<< HEAD\n- [A](a.md)\n=======\n- [B](b.md)\n>>>>>>> other\n";
        let sample = Sample::new()
            .with("memory/index.md", "## Active summary\n", marks)
            .with("memory/impressions.jsonl", "", "<<<<<<< HEAD\n");
        let memory = sample.memory();
        let mut draft = Draft::new(&memory);
        let told = remember(&memory, &mut draft, &new("One more"), "2026-03-01").unwrap();
        let [list, lines] = &told.warnings[..] else {
            panic!("{:?}", told.warnings);
        };
        assert!(list.contains("`memory/index.md` has unresolved"), "{list}");
        assert!(lines.contains("`memory/impressions.jsonl:3`"), "{lines}");
        // Neither side of the conflict may change.
        let changed = draft.changes().unwrap();
        assert!(
            changed
                .iter()
                .all(|one| one.path.as_str() != "memory/index.md")
        );
        assert!(
            changed
                .iter()
                .any(|one| one.path.as_str() == "memory/summary.md")
        );
    }
}
