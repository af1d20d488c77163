//! Checks each record on its own: the frontmatter, and the parts that this kind of record must
//! have.

use std::collections::BTreeMap;

use windlass_base::{Diagnostic, Place, did_you_mean, similar_hint};

use crate::markdown::{Section, is_same_heading, open_block, qualifies};
use crate::records::entries::{MAX_ENTRY, entries_in};
use crate::records::kind::{RecordKind, Status};
use crate::records::record::Record;
use crate::state::memory::Memory;
use crate::texts::day::is_date;
use crate::texts::front_matter::{FrontMatter, is_same_name};
use crate::texts::scope::is_scope;

const FIELDS: [&str; 5] = ["id", "title", "status", "scope", "updated"];
const DATES: [&str; 3] = ["updated", "date", "opened"];

pub(super) fn check(memory: &Memory, found: &mut Vec<Diagnostic>) {
    let scope = memory.scope();
    let mut ids: BTreeMap<&str, &Record> = BTreeMap::new();
    for record in memory.records.values().filter(|record| record.is_record()) {
        let Some(front) = record.front() else {
            found.push(no_front_matter(record));
            continue;
        };
        open_code(record, found);
        fields(record, front, scope, found);
        parts(record, front, found);
        sections_of_one_name(record, found);
        events(record, found);
        if let Some(id) = record.id() {
            match ids.get(id) {
                None => drop(ids.insert(id, record)),
                Some(first) => found.push(
                    Diagnostic::error(
                        "duplicate-record-id",
                        format!("duplicate id `{id}`, also used by `{}`", first.path),
                    )
                    .at(record.place_of("id"))
                    .see(first.place_of("id"), "first used here")
                    .help("give one of them another id, and update references to it"),
                ),
            }
        }
    }
}

fn no_front_matter(record: &Record) -> Diagnostic {
    let text = record.source().text().trim_start_matches('\u{feff}');
    let is_open = text
        .lines()
        .next()
        .is_some_and(|line| line.trim_end() == "---");
    let place = Place::new(record.source(), record.first_line());
    let message = match is_open {
        true => format!("the frontmatter of `{}` is not closed", record.path),
        false => format!("`{}` has no frontmatter", record.path),
    };
    let help = match is_open {
        true => "add a second line of `---` below its fields",
        false => {
            "begin the file with `---`, the fields `id`, `title`, `status`, `scope` and `updated`, and `---`"
        }
    };
    Diagnostic::error("missing-frontmatter", message)
        .at(place)
        .help(help)
}

fn open_code(record: &Record, found: &mut Vec<Diagnostic>) {
    if let Some(open) = open_block(record.source().text(), record.body_start()) {
        let what = match open.is_code {
            true => "code block",
            false => "HTML comment or element",
        };
        let message =
            format!("the {what} that begins here is not closed, so later headings are ignored");
        let finding = Diagnostic::error("open-code", message);
        let place = Place::new(record.source(), open.line);
        let help = format!("close it with a line of `{}`", open.end);
        found.push(finding.at(place).help(help));
    }
}

fn fields(record: &Record, front: &FrontMatter, scope: Option<&str>, found: &mut Vec<Diagnostic>) {
    if let Some((range, why)) = &front.fault {
        let finding =
            Diagnostic::error("frontmatter-syntax", format!("invalid frontmatter: {why}"));
        found.push(finding.at(Place::new(record.source(), range.clone())).help(
            "write each field as `key: value` on a line of its own, and quote values that contain `: ` or ` #`",
        ));
    }
    for field in FIELDS {
        if front.text(field).is_some() {
            continue;
        }
        let (rule, message) = match front.field(field) {
            None => ("missing-field", format!("the field `{field}` is missing")),
            Some(_) => ("empty-field", format!("the field `{field}` is empty")),
        };
        let help = match (field, scope) {
            ("status", _) => "write `status: active`, `superseded` or `archived`".to_owned(),
            ("scope", Some(scope)) => format!("write `scope: {scope}`"),
            ("updated", _) => "write the day it was last changed: `updated: 2026-03-01`".to_owned(),
            _ => format!("write `{field}: …` between the lines of `---`"),
        };
        found.push(
            Diagnostic::error(rule, message)
                .at(record.place_of(field))
                .help(help),
        );
    }
    if let Some(status) = front
        .text("status")
        .filter(|text| Status::from_word(text).is_none())
    {
        let known = Status::ALL.map(Status::as_str);
        let near = similar_hint(did_you_mean(status, known));
        let message = format!("unknown status `{status}`{near}");
        found.push(
            Diagnostic::error("invalid-status", message)
                .at(record.place_of("status"))
                .help(format!("known statuses: {}", known.join(", "))),
        );
    }
    if let Some(own) = front.text("scope") {
        found.extend(scope_of(own, scope, record.place_of("scope")));
    }
    for field in DATES {
        if let Some(date) = front.text(field).filter(|text| !is_date(text)) {
            let message = format!("`{date}` is not a date");
            found.push(
                Diagnostic::error("invalid-date", message)
                    .at(record.place_of(field))
                    .help("write `2026-03-01`, or a time as `2026-03-01T10:00:00Z`"),
            );
        }
    }
}

/// Reports a scope that is invalid, or that is not the scope of this memory.
pub(super) fn scope_of(own: &str, scope: Option<&str>, place: Place) -> Option<Diagnostic> {
    if !is_scope(own) {
        let finding =
            Diagnostic::error("invalid-scope", format!("`{own}` is not a valid scope")).at(place);
        return Some(finding.help("write `project:` followed by an id without blanks and colons"));
    }
    let other = scope.filter(|scope| *scope != own)?;
    let finding = Diagnostic::error(
        "mixed-scopes",
        format!("the scope `{own}` differs from that of this memory, `{other}`"),
    );
    Some(
        finding
            .at(place)
            .help("a memory belongs to one project: move this to the memory of its own project"),
    )
}

/// Reports missing and empty parts.
fn parts(record: &Record, front: &FrontMatter, found: &mut Vec<Diagnostic>) {
    for names in record.kind.parts() {
        // All records have fields such as `title`, so a field doesn't make up for a section that
        // happens to have the same name.
        let is_own = |name: &&str| !FIELDS.iter().any(|field| is_same_name(field, name));
        let mut own = names.iter().filter(|name| is_own(name));
        if own.any(|name| front.text(name).is_some()) {
            continue;
        }
        let place = Place::new(record.source(), record.first_line());
        match record.body().section(names) {
            None => {
                let message = format!("this {} has no `{}`", word(record.kind), names[0]);
                let help = format!(
                    "add a section `## {}`{}",
                    names[0],
                    or_field(record.kind, names[0])
                );
                found.push(
                    Diagnostic::error("missing-section", message)
                        .at(place)
                        .help(help),
                );
            }
            Some(section)
                if record.source().text()[section.body.clone()]
                    .trim()
                    .is_empty() =>
            {
                let message = format!("the section `{}` is empty", section.title);
                let heading = Place::new(record.source(), section.heading.clone());
                found.push(
                    Diagnostic::warning("empty-section", message)
                        .at(heading)
                        .help("fill it in, or write `None.`"),
                );
            }
            Some(_) => {}
        }
    }
    let is_stale = record.kind == RecordKind::Summary && record.status() != Status::Active;
    if is_stale {
        let finding = Diagnostic::error("inactive-summary", "the summary is not active")
            .at(record.place_of("status"));
        found.push(finding.help("write `status: active`: the summary is read first"));
    }
}

/// Reports several sections of the same name. An update would only change the first of them, and
/// the others would be out of date without anybody noticing.
fn sections_of_one_name(record: &Record, found: &mut Vec<Diagnostic>) {
    for names in record.kind.parts() {
        let same = record.body().own_sections(names);
        let Some((first, others)) = same.split_first() else {
            continue;
        };
        // There are several names for some parts. If the names of the sections differ, their author
        // may have meant different things.
        let of_one_name = |other: &&&Section| {
            is_same_heading(&other.title, &first.title) || qualifies(&first.title, names)
        };
        let place = |section: &Section| Place::new(record.source(), section.heading.clone());
        found.extend(others.iter().filter(of_one_name).map(|other| {
            let message = format!(
                "this {} has several sections for `{}`, and an update changes only the first",
                word(record.kind),
                names[0]
            );
            Diagnostic::warning("duplicate-section", message)
                .at(place(other))
                .see(place(first), "the first one is here")
                .help("merge the sections, or rename this one")
        }));
    }
}

fn events(record: &Record, found: &mut Vec<Diagnostic>) {
    if record.kind != RecordKind::Event {
        return;
    }
    let text = record.source().text();
    let from = record.body_start();
    let entries = entries_in(&text[from..]).into_iter();
    let long = entries.filter(|one| text[from..][one.range.clone()].chars().count() > MAX_ENTRY);
    for entry in long {
        let line = record.source().position(from + entry.range.start).line;
        let place = Place::new(record.source(), record.source().line_range(line));
        let message = format!(
            "this event has more than {MAX_ENTRY} characters; events are short traces of work"
        );
        let finding = Diagnostic::warning("long-event", message).at(place);
        found.push(finding.help(
            "keep a sentence or two; record anything reusable as a decision, an open loop or context",
        ));
    }
}

fn word(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::OpenLoop => "open loop",
        kind => kind.as_str(),
    }
}

fn or_field(kind: RecordKind, name: &str) -> String {
    let is_short = matches!(name, "Date" | "Owner" | "Opened");
    match is_short && matches!(kind, RecordKind::Decision | RecordKind::OpenLoop) {
        true => format!(", or a field `{}: …`", name.to_lowercase()),
        false => String::new(),
    }
}
