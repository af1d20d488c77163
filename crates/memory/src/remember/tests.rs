//! Each write must leave a memory in which the check finds nothing.

use windlass_site::Explain as _;

use super::*;
use crate::check;
use crate::testing::Sample;

const DAY: &str = "2026-03-01";

/// Applies `work` to the sample, and makes sure that the check still finds nothing.
fn after(
    sample: &Sample,
    work: impl for<'a> FnOnce(&'a Memory, &mut Draft<'a>) -> Result<Remembered, MemoryError>,
) -> (Sample, Remembered) {
    let memory = sample.memory();
    let mut draft = Draft::new(&memory);
    let remembered = work(&memory, &mut draft).unwrap();
    let mut sample = sample.clone();
    for change in draft.changes().unwrap() {
        sample.0.insert(change.path.to_string(), change.text);
    }
    let found = check(&sample.memory());
    assert!(found.is_empty(), "{found}");
    (sample, remembered)
}

fn new(kind: RecordKind, title: &str) -> NewRecord {
    NewRecord {
        kind: Some(kind),
        title: title.to_owned(),
        ..NewRecord::default()
    }
}

#[test]
fn writes_leave_no_findings() {
    let mut sample = Sample::new();
    for (kind, title, action) in [
        (
            RecordKind::Decision,
            "Cache: evict the least recently used pages",
            "new_decision",
        ),
        (
            RecordKind::OpenLoop,
            "Measure the eviction under load",
            "new_open_loop",
        ),
        (
            RecordKind::Context,
            "Terminology of the pager subsystem",
            "new_context",
        ),
        (
            RecordKind::Event,
            "Shipped the pager prototype",
            "event_only",
        ),
        (
            RecordKind::Event,
            "Demoed the pager prototype",
            "event_only",
        ),
    ] {
        let record = NewRecord {
            sections: vec![(
                "Decision".to_owned(),
                "PageCache evicts by recency; see `page_cache.rs`.".to_owned(),
            )],
            ..new(kind, title)
        };
        let (next, remembered) = after(&sample, |memory, draft| {
            remember(memory, draft, &record, DAY)
        });
        assert_eq!(remembered.action, action);
        assert!(
            next.0.contains_key(remembered.file.as_str()),
            "{remembered:?}"
        );
        sample = next;
    }
    let index = &sample.0["memory/index.md"];
    assert!(
        index.contains(
            "- [Measure the eviction under load](open-loops/measure-the-eviction-under-load.md)"
        ),
        "{index}"
    );
    let events = &sample.0["memory/events/2026-03.md"];
    assert!(
        events.contains("## 2026-03-01\n\n- Shipped the pager prototype: ")
            && events.contains("\n- Demoed"),
        "{events}"
    );
    // The same title may be used again. The second record then gets a number at the end of its ID.
    let (_, twin) = after(&sample, |memory, draft| {
        remember(
            memory,
            draft,
            &NewRecord {
                keywords: vec!["pages".into(), "twin".into(), "again".into()],
                ..new(
                    RecordKind::Decision,
                    "Cache: evict the least recently used pages",
                )
            },
            DAY,
        )
    });
    assert_eq!(twin.id, "cache-evict-the-least-recently-used-pages-2");
}

#[test]
fn supersede_updates_all_sides() {
    let record = NewRecord {
        supersedes: Some("settings-store".to_owned()),
        ..new(RecordKind::Decision, "Settings live in the cloud")
    };
    let (sample, remembered) = after(&Sample::new(), |memory, draft| {
        remember(memory, draft, &record, DAY)
    });
    assert_eq!(remembered.action, "supersede_old_record");
    let old = &sample.0["memory/decisions/settings-store.md"];
    assert!(
        old.contains("status: superseded")
            && old.contains("superseded_by: settings-live-in-the-cloud")
    );
    let index = &sample.0["memory/index.md"];
    assert!(index.contains("- [One store owns the settings](decisions/settings-store.md), superseded by [Settings live in the cloud]"), "{index}");
    assert!(!sample.0["memory/summary.md"].contains("settings-store.md"));
    let memory = sample.memory();
    let mut draft = Draft::new(&memory);
    let circle = supersede(
        &memory,
        &mut draft,
        "settings-live-in-the-cloud",
        "settings-store",
        DAY,
    )
    .unwrap_err();
    assert!(matches!(circle, MemoryError::Circle(..)), "{circle}");
    let (sample, _) = after(&sample, |memory, draft| {
        let newer = new(RecordKind::OpenLoop, "Settings refactor, second part");
        remember(memory, draft, &newer, DAY)
    });
    let (sample, _) = after(&sample, |memory, draft| {
        supersede(
            memory,
            draft,
            "settings-refactor",
            "settings-refactor-second-part",
            DAY,
        )
    });
    assert!(
        sample.0["memory/open-loops/settings-refactor-second-part.md"]
            .contains("supersedes: settings-refactor\n")
    );
}

#[test]
fn update_keeps_other_text() {
    let sample = Sample::new().with(
        "memory/decisions/settings-store.md",
        "date: 2026-02-01\n",
        "date: 2026-02-01\nodd: [1, 2]\n",
    );
    let change = NewRecord {
        sections: vec![
            ("rationale".to_owned(), "Two writers raced.".to_owned()),
            ("Review".to_owned(), "In May.".to_owned()),
        ],
        ..NewRecord::default()
    };
    let (sample, remembered) = after(&sample, |memory, draft| {
        update(memory, draft, "settings-store", &change, DAY)
    });
    assert_eq!(remembered.action, "update_existing");
    let text = &sample.0["memory/decisions/settings-store.md"];
    for part in [
        "odd: [1, 2]",
        "updated: 2026-03-01",
        "## Rationale\n\nTwo writers raced.\n\n## Consequences",
        "## Review\n\nIn May.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (sample, remembered) = after(&sample, |memory, draft| {
        let change = NewRecord {
            sections: vec![("Current objective".to_owned(), "Ship it.".to_owned())],
            ..NewRecord::default()
        };
        update(memory, draft, "summary", &change, DAY)
    });
    assert_eq!(remembered.action, "update_summary");
    assert!(sample.0["memory/summary.md"].contains("## Current objective\n\nShip it.\n\n## Key"));
}

#[test]
fn update_reports_replaced_text() {
    let path = "memory/decisions/settings-store.md";
    let change = NewRecord {
        text: Some("The kernel owns the registry.".to_owned()),
        ..NewRecord::default()
    };
    let (sample, remembered) = after(&Sample::new(), |memory, draft| {
        update(memory, draft, "settings-store", &change, DAY)
    });
    let before = "SettingsStore writes the file; views send it changes.";
    let replaced = Replaced {
        section: "Decision".to_owned(),
        before: before.to_owned(),
    };
    assert_eq!(remembered.replaced, [replaced]);
    let text = &sample.0[path];
    assert!(
        text.contains("## Decision\n\nThe kernel owns the registry.\n\n## Rationale"),
        "{text}"
    );
    assert!(sample.0["memory/impressions.jsonl"].contains("\"sync\",\"writer\",\"kernel\""));
    // Doing the same again makes no difference.
    let (sample, again) = after(&sample, |memory, draft| {
        update(memory, draft, "settings-store", &change, DAY)
    });
    assert!(again.replaced.is_empty());
    // This record has no sections, so its main part is the text above the first heading.
    let front = "---\nid: plain\ntitle: Plain\nstatus: active\nscope: project:demo\nupdated: 2026-01-01\n---\n";
    let plain = "memory/context/plain.md";
    let sample = sample.with(
        plain,
        "",
        &format!("{front}\n# Plain\n\nOld words.\n\n## More\n\nx\n"),
    );
    let (sample, _) = after(&sample, |memory, draft| {
        update(memory, draft, "plain", &change, DAY)
    });
    assert!(
        sample.0[plain].ends_with("# Plain\n\nThe kernel owns the registry.\n\n## More\n\nx\n"),
        "{}",
        sample.0[plain]
    );
}

#[test]
fn supersede_needs_active_records() {
    let sample = Sample::new().with(
        "memory/open-loops/settings-refactor.md",
        "status: active",
        "status: archived",
    );
    let memory = sample.memory();
    for (old, newer) in [
        ("summary", "settings-store"),
        ("index", "settings-store"),
        ("settings-refactor", "settings-store"),
        ("settings-store", "summary"),
        ("settings-store", "index"),
        ("settings-store", "settings-refactor"),
    ] {
        let mut draft = Draft::new(&memory);
        let refused = supersede(&memory, &mut draft, old, newer, DAY).unwrap_err();
        assert!(
            matches!(refused, MemoryError::NotReplaced { .. }) && refused.help().is_some(),
            "{old} {newer}: {refused}"
        );
        assert!(draft.changes().unwrap().is_empty());
    }
    let record = NewRecord {
        supersedes: Some("summary".to_owned()),
        ..new(RecordKind::Decision, "Another summary")
    };
    let mut draft = Draft::new(&memory);
    let refused = remember(&memory, &mut draft, &record, DAY).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the summary cannot be superseded by another record"
    );
}

#[test]
fn duplicate_id_needs_path() {
    let copy = "memory/decisions/copy.md";
    let text = "---\nid: settings-store\ntitle: Copy\nstatus: active\nscope: project:demo\nupdated: 2026-02-01\n---\n\n## Decision\n\nx\n";
    let memory = Sample::new().with(copy, "", text).memory();
    let new = NewRecord {
        text: Some("It is another one now.".to_owned()),
        ..NewRecord::default()
    };
    let change = |name: &str| update(&memory, &mut Draft::new(&memory), name, &new, DAY);
    let refused = change("settings-store").unwrap_err().to_string();
    assert!(
        refused.contains(copy) && refused.contains("memory/decisions/settings-store.md"),
        "{refused}"
    );
    assert_eq!(change(copy).unwrap().file.as_str(), copy);
}

#[test]
fn secret_or_taken_id_refused() {
    let memory = Sample::new().memory();
    let try_it =
        |record: &NewRecord| remember(&memory, &mut Draft::new(&memory), record, DAY).unwrap_err();
    let secret = NewRecord {
        sections: vec![(
            "Decision".to_owned(),
            "Use ghp_0a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R for now".to_owned(),
        )],
        ..new(RecordKind::Decision, "Token")
    };
    assert!(matches!(
        try_it(&secret),
        MemoryError::Secret { what: "text", .. }
    ));
    let taken = NewRecord {
        id: Some("settings-store".to_owned()),
        ..new(RecordKind::Decision, "x")
    };
    assert_eq!(
        try_it(&taken),
        MemoryError::IdTaken("settings-store".to_owned())
    );
    assert_eq!(
        try_it(&new(RecordKind::Decision, "  ")),
        MemoryError::NoTitle
    );
    let unknown = NewRecord {
        related: vec!["settings-stor".to_owned()],
        ..new(RecordKind::Decision, "x")
    };
    assert!(
        try_it(&unknown)
            .to_string()
            .contains("did you mean `settings-store`")
    );
}

#[test]
fn update_with_secret_refused() {
    let token = ["gh", "p_0123456789abcdefghijABCDEFGHIJ456789"].concat();
    let sample = Sample::new();
    let memory = sample.memory();
    for new in [
        NewRecord {
            keywords: vec![token.clone()],
            ..NewRecord::default()
        },
        NewRecord {
            aliases: vec![token],
            ..NewRecord::default()
        },
    ] {
        let mut draft = Draft::new(&memory);
        let refused = update(&memory, &mut draft, "settings-store", &new, DAY);
        assert!(
            matches!(refused, Err(MemoryError::Secret { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn managed_field_as_section_refused() {
    let sample = Sample::new();
    let memory = sample.memory();
    for (field, written) in [
        ("status", "status"),
        ("superseded_by", "superseded_by"),
        ("id", "id"),
        ("title", "title"),
        ("scope", "scope"),
        ("status", "Status"),
        ("id", "ID "),
        ("superseded_by", "Superseded-By"),
    ] {
        let new = NewRecord {
            sections: vec![(written.to_owned(), "x".to_owned())],
            ..NewRecord::default()
        };
        let mut draft = Draft::new(&memory);
        let refused = update(&memory, &mut draft, "settings-store", &new, DAY);
        assert_eq!(refused, Err(MemoryError::OwnField(field)));
    }
    let taken = NewRecord {
        id: Some("Settings Store".to_owned()),
        ..new(RecordKind::Decision, "Another")
    };
    let mut draft = Draft::new(&memory);
    let refused = remember(&memory, &mut draft, &taken, DAY);
    assert_eq!(
        refused,
        Err(MemoryError::IdTaken("settings-store".to_owned()))
    );
    let event = NewRecord {
        supersedes: Some("settings-store".to_owned()),
        ..new(RecordKind::Event, "Shipped")
    };
    let refused = remember(&memory, &mut draft, &event, DAY);
    assert!(
        matches!(refused, Err(MemoryError::NoPlace { .. })),
        "{refused:?}"
    );
}

#[test]
fn new_title_updates_lists() {
    let new = NewRecord {
        title: "A store for [all] settings".to_owned(),
        ..NewRecord::default()
    };
    let sample = Sample::new();
    let (after, _) = after(&sample, |memory, draft| {
        update(memory, draft, "settings-store", &new, DAY)
    });
    let record = &after.0["memory/decisions/settings-store.md"];
    assert!(
        record.contains("\n# A store for [all] settings\n\n## Decision"),
        "{record}"
    );
    for list in ["memory/index.md", "memory/summary.md"] {
        let text = &after.0[list];
        assert!(
            text.contains("- [A store for \\[all\\] settings](decisions/settings-store.md)\n"),
            "{text}"
        );
        assert!(!text.contains("One store owns"), "{text}");
    }
}

#[test]
fn text_beside_link_survives() {
    let (link, note) = (
        "- [One store owns the settings](decisions/settings-store.md)",
        "- [One store owns the settings](decisions/settings-store.md): ask the ui team first",
    );
    let more = format!("{link}\n  - until the autumn");
    let sample =
        Sample::new()
            .with("memory/index.md", link, note)
            .with("memory/summary.md", link, &more);
    let newer = NewRecord {
        supersedes: Some("settings-store".to_owned()),
        ..new(RecordKind::Decision, "Two stores own the settings")
    };
    let (after, _) = after(&sample, |memory, draft| {
        remember(memory, draft, &newer, DAY)
    });
    let (index, summary) = (&after.0["memory/index.md"], &after.0["memory/summary.md"]);
    assert!(index.contains(note), "{index}");
    assert!(summary.contains(&more), "{summary}");
}

#[test]
fn repeated_section_is_joined() {
    let record = NewRecord {
        sections: vec![
            ("Decision".to_owned(), "The first half.".to_owned()),
            ("decision".to_owned(), "The second half.".to_owned()),
        ],
        ..new(RecordKind::Decision, "Both halves")
    };
    let (after, _) = after(&Sample::new(), |memory, draft| {
        remember(memory, draft, &record, DAY)
    });
    let text = &after.0["memory/decisions/both-halves.md"];
    assert!(
        text.contains("## Decision\n\nThe first half.\n\nThe second half.\n"),
        "{text}"
    );
}

#[test]
fn text_stays_in_its_section() {
    for (text, says) in [
        (
            "Run:\n\n- first\n\n  ```sh\n  make",
            "Run:\n\n- first\n\n  ```sh\n  make",
        ),
        ("- ```\n  x\n\nMore of it.", "- ```\n  x\n\nMore of it."),
        (
            "Hidden <!-- not -->\n\n<!-- left open",
            "Hidden <!-- not -->\n\n<!-- left open\n-->",
        ),
        ("~~~\nx", "~~~\nx\n~~~"),
        ("# Both halves\n\nThe text.", "The text."),
        ("# Another\n\nThe text.", "### Another\n\nThe text."),
    ] {
        let record = NewRecord {
            text: Some(text.to_owned()),
            sections: vec![("Rationale".to_owned(), "Because.".to_owned())],
            keywords: ["one", "two", "three"].map(str::to_owned).to_vec(),
            ..new(RecordKind::Decision, "Both halves")
        };
        let (sample, done) = after(&Sample::new(), |memory, draft| {
            remember(memory, draft, &record, DAY)
        });
        let file = "memory/decisions/both-halves.md";
        let whole = &sample.0[file];
        let memory = sample.memory();
        let said = memory.find("both-halves").unwrap();
        let section = said.body().section(&["Decision"]).unwrap();
        assert_eq!(whole[section.body.clone()].trim(), says);
        let rationale = said.body().section(&["Rationale"]).unwrap();
        assert_eq!(whole[rationale.body.clone()].trim(), "Because.");
        assert_eq!(done.to_say, ["Consequences"]);

        let change = NewRecord {
            title: "Both halves".to_owned(),
            text: Some(text.to_owned()),
            ..NewRecord::default()
        };
        let (sample, _) = after(&Sample::new(), |memory, draft| {
            update(memory, draft, "settings-store", &change, DAY)
        });
        let memory = sample.memory();
        let said = memory.find("settings-store").unwrap();
        let section = said.body().section(&["Decision"]).unwrap();
        assert_eq!(said.source().text()[section.body.clone()].trim(), says);
        assert!(said.body().section(&["Rationale"]).is_some());
    }
}

#[test]
fn duplicate_cue_of_record_changes() {
    let lines = "memory/impressions.jsonl";
    let sample = Sample::new().with(
        lines,
        "\"id\":\"settings-refactor\"",
        "\"id\":\"settings-store\"",
    );
    let record = NewRecord {
        title: "Another name".to_owned(),
        ..NewRecord::default()
    };
    let memory = sample.memory();
    let mut draft = Draft::new(&memory);
    update(&memory, &mut draft, "settings-store", &record, DAY).unwrap();
    let newer = NewRecord {
        supersedes: Some("settings-refactor".to_owned()),
        ..new(RecordKind::OpenLoop, "The rest of it")
    };
    remember(&memory, &mut draft, &newer, DAY).unwrap();
    let changes = draft.changes().unwrap();
    let changed = changes
        .iter()
        .find(|one| one.path.as_str() == lines)
        .unwrap();
    let changed: Vec<&str> = changed.text.lines().collect();
    assert!(
        changed[0].contains("Another name") && !changed[0].contains("superseded"),
        "{changed:?}"
    );
    assert!(
        !changed[1].contains("Another name") && changed[1].contains("superseded"),
        "{changed:?}"
    );
}

#[test]
fn replaced_field_is_reported() {
    let store = "memory/decisions/settings-store.md";
    let text = "SettingsStore writes the file; views send it changes.";
    let sample = Sample::new()
        .with(store, &format!("\n## Decision\n\n{text}\n"), "")
        .with(
            store,
            "date: 2026-02-01\n",
            &format!("date: 2026-02-01\ndecision: |\n  {text}\n  So it is.\n"),
        );
    let change = NewRecord {
        text: Some("Views write".to_owned()),
        ..NewRecord::default()
    };
    let (sample, done) = after(&sample, |memory, draft| {
        update(memory, draft, "settings-store", &change, DAY)
    });
    let changed = &sample.0[store];
    assert!(changed.contains("\ndecision: Views write\n"), "{changed}");
    assert_eq!(done.replaced[0].before, format!("{text} So it is."));
}

#[test]
fn dropped_input_is_reported() {
    let words = (1..=14).map(|number| format!("word{number}"));
    let record = NewRecord {
        keywords: words.collect(),
        ..new(RecordKind::Decision, "Two\nlines  of a title")
    };
    let (sample, done) = after(&Sample::new(), |memory, draft| {
        remember(memory, draft, &record, DAY)
    });
    assert!(
        done.warnings[0].ends_with("omitted: word13, word14"),
        "{:?}",
        done.warnings
    );
    assert!(sample.0["memory/impressions.jsonl"].contains("\"title\":\"Two lines of a title\""));
    let odd = NewRecord {
        id: Some("ADR_001".to_owned()),
        ..new(RecordKind::Decision, "An id")
    };
    let memory = sample.memory();
    let refused = remember(&memory, &mut Draft::new(&memory), &odd, DAY).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`ADR_001` is not a valid id; use `adr-001`"
    );
}

#[test]
fn update_of_unmerged_refused() {
    let store = "memory/decisions/settings-store.md";
    let marks = "<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> other\n";
    let memory = Sample::new().with(store, "", marks).memory();
    let new = NewRecord {
        text: Some("Three.".to_owned()),
        ..NewRecord::default()
    };
    let refused = update(
        &memory,
        &mut Draft::new(&memory),
        "settings-store",
        &new,
        DAY,
    );
    assert_eq!(refused, Err(MemoryError::ConflictMarks { what: "record" }));
}

#[test]
fn reserved_file_names_avoided() {
    for (title, id) in [
        ("CON", "con-record"),
        ("lpt1", "lpt1-record"),
        ("Con artists", "con-artists"),
        ("com10", "com10"),
    ] {
        assert_eq!(slug(title), id);
    }
}

fn updated(text: &str, sections: &[(&str, &str)]) -> (String, Remembered) {
    let sections = sections.iter();
    let change = NewRecord {
        title: "Settings".to_owned(),
        text: (!text.is_empty()).then(|| text.to_owned()),
        sections: sections
            .map(|(name, says)| ((*name).to_owned(), (*says).to_owned()))
            .collect(),
        ..NewRecord::default()
    };
    let store = "memory/decisions/settings-store.md";
    let (after, done) = after(&Sample::new(), |memory, draft| {
        update(memory, draft, "settings-store", &change, DAY)
    });
    (after.0[store].clone(), done)
}

#[test]
fn repeated_update_section_warns() {
    let (text, done) = updated(
        "One.\n\n## Decision\n\nTwo.\n\n## Rationale\n\nA.\n\n## Rationale\n\nB.",
        &[],
    );
    assert!(text.contains("## Decision\n\nOne.\n\nTwo.\n\n"), "{text}");
    assert!(text.contains("## Rationale\n\nA.\n\nB.\n\n"), "{text}");
    assert!(
        done.warnings
            .iter()
            .any(|one| one.starts_with("repeated sections") && one.contains("`Rationale`")),
        "{:?}",
        done.warnings
    );
}

#[test]
fn update_sets_missing_field() {
    let file = "memory/open-loops/settings-refactor.md";
    let memory = Sample::new().with(file, "owner: ui team\n", "").memory();
    let mut draft = Draft::new(&memory);
    let change = NewRecord {
        sections: vec![("owner".to_owned(), "core team".to_owned())],
        ..NewRecord::default()
    };
    update(&memory, &mut draft, "settings-refactor", &change, DAY).unwrap();
    let text = draft.text(&RepoPath::parse(file).unwrap()).unwrap();
    assert!(
        text.contains("\nowner: core team\n") && !text.contains("## owner"),
        "{text}"
    );
}

fn said_of(kind: RecordKind, text: &str, sections: &[(&str, &str)]) -> Result<String, MemoryError> {
    let sections = sections.iter();
    let record = NewRecord {
        text: Some(text.to_owned()),
        sections: sections
            .map(|(name, says)| ((*name).to_owned(), (*says).to_owned()))
            .collect(),
        ..new(kind, "A quiet launch")
    };
    let memory = Sample::new().memory();
    let mut draft = Draft::new(&memory);
    let done = remember(&memory, &mut draft, &record, DAY)?;
    Ok(draft.text(&done.file).unwrap().to_owned())
}

#[test]
fn owner_is_field_of_each_kind() {
    for kind in [RecordKind::Decision, RecordKind::Context] {
        let sections = [
            ("Owner", "ui team"),
            ("decided-by", "Ada"),
            ("Risks", "None."),
        ];
        let text = said_of(kind, "So it is.\n\n## Deadline\n\nNone yet.", &sections).unwrap();
        let front = text.split("---\n").nth(1).unwrap();
        assert!(front.contains("\nowner: ui team\n"), "{text}");
        assert!(front.contains("\ndecided_by: Ada\n"), "{text}");
        assert!(!text.contains("## Owner") && !text.contains("## decided"));
        // `Risks` isn't the name of a field, and `Deadline` is a heading in the text. Both stay
        // sections.
        assert!(text.contains("\n## Risks\n\nNone.\n"), "{text}");
        assert!(text.contains("\n## Deadline\n\nNone yet.\n"), "{text}");
    }
    let several = said_of(
        RecordKind::Decision,
        "So it is.",
        &[("Deciders", "- Ada\n- Bob")],
    );
    assert!(several.unwrap().contains("\n## Deciders\n\n- Ada\n- Bob\n"));
}

#[test]
fn section_as_field_is_validated() {
    let refused = |name: &str, says: &str| {
        said_of(RecordKind::Decision, "So it is.", &[(name, says)]).unwrap_err()
    };
    let no_day = MemoryError::DayOfField {
        field: "date",
        says: "last Monday".to_owned(),
    };
    assert_eq!(refused("Date", "last Monday"), no_day);
    assert_eq!(
        refused("status", "accepted"),
        MemoryError::OwnField("status")
    );
    let dated = said_of(
        RecordKind::Decision,
        "So it is.",
        &[("Date", "2025-03-04"), ("opened", "2025-03-01")],
    )
    .unwrap();
    assert!(
        dated.contains("\ndate: 2025-03-04\n") && dated.contains("\nopened: 2025-03-01\n"),
        "{dated}"
    );
    let (text, _) = updated("", &[("owner", "core team"), ("Risks", "None.")]);
    assert!(
        text.contains("\nowner: core team\n") && !text.contains("## owner"),
        "{text}"
    );
    assert!(text.contains("\n## Risks\n\nNone.\n"), "{text}");
}

#[test]
fn nul_in_text_refused() {
    let memory = Sample::new().memory();
    let mut draft = Draft::new(&memory);
    let new = NewRecord {
        title: "Nul".to_owned(),
        text: Some("a\0b".to_owned()),
        ..NewRecord::default()
    };
    let refused = remember(&memory, &mut draft, &new, DAY).map(drop);
    assert_eq!(refused, Err(MemoryError::Binary { what: "text" }));
}

#[test]
fn nested_namesake_is_untouched() {
    let store = "memory/decisions/settings-store.md";
    let sample = Sample::new().with(
        store,
        "## Rationale\n",
        "## Rationale\n\n### Notes\n\nOf the rationale.\n\n### Decision\n\nTo wait.\n\n## Aside\n",
    );
    let change = NewRecord {
        text: Some("Two stores.".to_owned()),
        sections: vec![("Notes".to_owned(), "Its own.".to_owned())],
        ..NewRecord::default()
    };
    let (after, _) = after(&sample, |memory, draft| {
        update(memory, draft, "settings-store", &change, DAY)
    });
    let text = &after.0[store];
    for said in [
        "## Decision\n\nTwo stores.\n\n",
        "### Notes\n\nOf the rationale.\n\n### Decision\n\nTo wait.\n\n",
        "\n## Notes\n\nIts own.\n",
    ] {
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn section_found_by_any_heading() {
    let store = "memory/decisions/settings-store.md";
    for heading in ["Decision:", "1. Decision", "Decision {#why}", "✅ Decision"] {
        let heading = format!("## {heading}\n");
        let sample = Sample::new().with(store, "## Decision\n", &heading);
        assert!(crate::check(&sample.memory()).is_empty(), "{heading}");
        let change = NewRecord {
            text: Some("Two stores.".to_owned()),
            sections: vec![("3. Rationale:".to_owned(), "They raced.".to_owned())],
            ..NewRecord::default()
        };
        let (after, _) = after(&sample, |memory, draft| {
            update(memory, draft, "settings-store", &change, DAY)
        });
        let text = &after.0[store];
        let said =
            format!("{heading}\nTwo stores.\n\n## Rationale\n\nThey raced.\n\n## Consequences");
        assert!(text.contains(&said), "{text}");
    }
}

#[test]
fn invalid_section_name_refused() {
    let memory = Sample::new().memory();
    for name in ["", " ", "a\nb", "a\r\n## b", "*a*", "a ##"] {
        let new = NewRecord {
            title: "Title".to_owned(),
            sections: vec![(name.to_owned(), "x".to_owned())],
            ..NewRecord::default()
        };
        let odd = Err(MemoryError::NoSection(name.trim().to_owned()));
        let mut draft = Draft::new(&memory);
        let refused = update(&memory, &mut draft, "settings-store", &new, DAY);
        assert_eq!(refused, odd, "{name:?}");
        let refused = remember(&memory, &mut draft, &new, DAY);
        assert_eq!(refused, odd, "{name:?}");
        assert_eq!(draft.changes().unwrap(), []);
    }
}

#[test]
fn long_entry_moves_whole() {
    let linked = "- [One store owns the settings](decisions/settings-store.md)\n";
    let entry = "- [One store owns the settings](decisions/settings-store.md): read this first.\n\n  It says who writes.\n\n  - and when:\n\n    ```sh\n    make\n    ```\n";
    for line_end in ["\n", "\r\n"] {
        let mut sample = Sample::new().with("memory/index.md", linked, entry);
        let index = sample.0["memory/index.md"].replace('\n', line_end);
        sample.0.insert("memory/index.md".to_owned(), index);
        let newer = NewRecord {
            text: Some("The dialog writes a file of its own.".to_owned()),
            sections: ["Rationale", "Consequences"]
                .map(|name| (name.to_owned(), "x".to_owned()))
                .into(),
            supersedes: Some("settings-store".to_owned()),
            ..new(RecordKind::Decision, "Two stores")
        };
        let (after, _) = after(&sample, |memory, draft| {
            remember(memory, draft, &newer, DAY)
        });
        let index = &after.0["memory/index.md"];
        let active = "## Active decisions\n\n- [Two stores](decisions/two-stores.md)\n\n## Active open loops\n";
        let moved = entry.replacen(
            "first.",
            "first. (superseded by [Two stores](decisions/two-stores.md))",
            1,
        );
        for said in [
            active,
            &format!("## Superseded or archived records\n\n{moved}"),
        ] {
            assert!(index.contains(&said.replace('\n', line_end)), "{index}");
        }
    }
}

#[test]
fn update_changes_part_as_read() {
    let file = "memory/decisions/settings-store.md";
    for (old, new, wanted) in [
        (
            "## Decision",
            "# Details\n\n## Decision",
            "# Details\n\n## Decision\n\nOne.\n\n### In short\n\nOne.\n\n## Rationale",
        ),
        (
            "## Decision",
            "## Overview\n\n### Decision",
            "## Overview\n\n### Decision\n\nOne.\n\n#### In short\n\nOne.\n\n## Rationale",
        ),
        (
            "## Decision",
            "# Decision",
            "# Decision\n\nOne.\n\n### In short\n\nOne.\n\n## Rationale",
        ),
    ] {
        let sample = Sample::new().with(file, old, new);
        let change = NewRecord {
            text: Some("One.\n\n### In short\n\nOne.".to_owned()),
            ..NewRecord::default()
        };
        let (sample, done) = after(&sample, |memory, draft| {
            update(memory, draft, "settings-store", &change, DAY)
        });
        let text = &sample.0[file];
        assert!(text.contains(wanted), "{text}");
        assert!(
            text.contains("Two writers lost each other's edits"),
            "{text}"
        );
        let before = &done.replaced[0].before;
        assert_eq!(
            before,
            "SettingsStore writes the file; views send it changes."
        );
    }
}

#[test]
fn empty_text_refused() {
    let memory = Sample::new().memory();
    let empty = |text: &str| {
        Err(MemoryError::EmptyText {
            section: (!text.is_empty()).then(|| text.to_owned()),
        })
    };
    for text in ["", " \n"] {
        let nothing = NewRecord {
            text: Some(text.to_owned()),
            ..new(RecordKind::Context, "Pages")
        };
        let mut draft = Draft::new(&memory);
        let done = remember(&memory, &mut draft, &nothing, DAY);
        assert_eq!(done, empty(""));
        for name in ["settings-store", "summary"] {
            let nothing = NewRecord {
                title: String::new(),
                ..nothing.clone()
            };
            assert_eq!(update(&memory, &mut draft, name, &nothing, DAY), empty(""));
        }
        let section = NewRecord {
            sections: vec![("Rationale".to_owned(), text.to_owned())],
            ..NewRecord::default()
        };
        let done = update(&memory, &mut draft, "settings-store", &section, DAY);
        assert_eq!(done, empty("Rationale"));
        assert_eq!(draft.changes().unwrap(), []);
    }
    // An update would refuse the empty section, but a new record just tells the caller that it's
    // missing.
    let record = NewRecord {
        sections: vec![("Rationale".to_owned(), String::new())],
        ..new(RecordKind::Decision, "Pages are evicted by recency")
    };
    let (_, done) = after(&Sample::new(), |memory, draft| {
        remember(memory, draft, &record, DAY)
    });
    assert!(
        done.to_say.iter().any(|name| name == "Rationale"),
        "{done:?}"
    );
}

/// Secrets as a program would generate them.
fn values() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::strategy::Strategy as _;
    let is_random = |value: &String| value.bytes().collect::<BTreeSet<u8>>().len() >= 12;
    "[0-9a-f]{32}|[A-Z][a-z][0-9][a-zA-Z0-9]{20,30}[0-9][a-z]"
        .prop_filter("a value is random", is_random)
}

/// Lines with a secret and its name, as users paste them.
const PASTED: [&str; 5] = [
    "SENDGRID_KEY=VALUE",
    "password: VALUE",
    "sessionid = \"VALUE\"",
    "export STREAM_KEY='VALUE'",
    "| deploy token | VALUE |",
];

proptest::proptest! {
    #[test]
    fn secret_value_never_written(
        value in values(),
        form in 0..PASTED.len(),
        field in 0..7_usize,
    ) {
        let line = PASTED[form].replace("VALUE", &value);
        let mut record = new(RecordKind::Decision, "Mail goes by one provider");
        let text = |says: &str| vec![("Decision".to_owned(), says.to_owned())];
        match field {
            0 => record.sections = text(&line),
            1 => record.title = line,
            2 => record.keywords = vec![line],
            3 => record.aliases = vec![line],
            4 => record.id = Some(line),
            // The value alone, next to a text with its name.
            5 => {
                record.sections = text(&line);
                record.keywords = vec![value.clone()];
            }
            _ => {
                record.sections = text(&format!("We use it.\n\n{line}\n"));
                record.title = format!("Mail by {value}");
            }
        }
        let memory = Sample::new().memory();
        let mut draft = Draft::new(&memory);
        let said = remember(&memory, &mut draft, &record, DAY);
        if said.is_ok() {
            for change in draft.changes().unwrap() {
                let is_there = |text: &str| text.to_lowercase().contains(&value.to_lowercase());
                proptest::prop_assert!(!is_there(change.path.as_str()), "{}", change.path);
                proptest::prop_assert!(!is_there(&change.text), "{}", change.text);
            }
        }
    }

    #[test]
    fn secret_never_leaves_its_record(
        value in values(),
        form in 0..PASTED.len(),
    ) {
        let file = "memory/decisions/settings-store.md";
        let line = PASTED[form].replace("VALUE", &value);
        let memory = Sample::new()
            .with(file, "views send it changes.", &format!("views send it changes.\n\n{line}\n\nSee {value}."))
            .memory();
        let mut draft = Draft::new(&memory);
        let more = NewRecord {
            sections: vec![("Consequences".to_owned(), "Views are smaller.".to_owned())],
            ..NewRecord::default()
        };
        let said = update(&memory, &mut draft, "settings-store", &more, DAY);
        proptest::prop_assert!(said.is_ok(), "{said:?}");
        for change in draft.changes().unwrap() {
            if change.path.as_str() != file {
                proptest::prop_assert!(!change.text.contains(&value), "{}", change.text);
            }
        }
    }
}
