//! Questions in natural language, with and without an answer.

use super::index::renew_within;
use super::{Level, Query, Ranking, RecallIndex, Renewed, base_of, build_index, renew_index};
use crate::state::memory::Memory;
use crate::testing::Sample;

fn index(memory: &Memory) -> RecallIndex {
    let shown = |record: &crate::Record| record.source().text().to_owned();
    RecallIndex::open(build_index(memory, &shown, 2)).unwrap()
}

fn ask(sample: &Sample, question: &str) -> Ranking {
    index(&sample.memory()).recall(&Query::of(question), 5)
}

fn decision(sample: Sample, id: &str, title: &str, body: &str) -> Sample {
    let path = format!("memory/decisions/{id}.md");
    let text = format!(
        "---\nid: {id}\ntitle: {title}\nstatus: active\nscope: project:demo\nupdated: 2026-02-01\n---\n\n## Decision\n\n{body}\n"
    );
    sample.with(&path, "", &text)
}

/// Returns a memory as a project has it after some months.
fn project() -> Sample {
    let sample = decision(
        Sample::new(),
        "how-to-do-it",
        "How to do it",
        "Ask before anything is deleted.",
    );
    let sample = decision(
        sample,
        "release-train",
        "Releases leave on Thursdays",
        "A release is cut from main, tagged, and its notes are written from the changelog.",
    );
    let sample = decision(
        sample,
        "engine-optional",
        "The TypeScript engine stays optional",
        "The Markdown protocol is the default; the engine is for hosts that want it.",
    );
    let sample = decision(
        sample,
        "doctor-jsonl",
        "Doctor validates JSONL line by line",
        "parseJsonLine reports the line, and goes on with the next.",
    );
    decision(
        sample,
        "no-database",
        "Files instead of a database",
        "Everything stays reviewable in a diff, so no database is used.",
    )
}

#[test]
fn unicode_form_does_not_matter() {
    let (composed, decomposed) = ("Schlüssel bei Müller", "Schlu\u{308}ssel bei Mu\u{308}ller");
    for text in [composed, decomposed] {
        let sample = decision(
            project(),
            "keys",
            text,
            &format!("Der {text} ist der richtige."),
        );
        let levels = [composed, decomposed].map(|question| {
            let found = ask(&sample, question);
            (found.level, found.hits.first().map(|hit| hit.score))
        });
        assert_eq!(levels[0], levels[1], "{text}");
        assert!(levels[0].0 != Level::None, "{text}");
    }
}

const SENTENCE: &str = "The ingress controller is Traefik since nginx dropped connections when it read certificates again.";

/// Returns a memory with a record of some thirty passages; questions ask for one sentence of it.
fn with_long_record() -> Sample {
    let other = |at: usize| {
        let words = ["colours", "fonts", "layouts", "wording", "names"];
        format!(
            "Paragraph {at}: the meeting went over {} and left part {at} as it was.\n\n",
            words[at % 5]
        )
    };
    let mut body: String = (0..400).map(other).collect();
    body.push_str(&format!("{SENTENCE}\n\n"));
    body.extend((400..500).map(other));
    decision(project(), "cluster", "Move to the cluster", &body)
}

#[test]
fn sentence_in_long_record_is_found() {
    let sample = with_long_record();
    let short = decision(project(), "cluster", "Move to the cluster", SENTENCE);
    for question in [
        "which ingress controller is it?",
        "why traefik and not nginx",
    ] {
        let (found, of_short) = (ask(&sample, question), ask(&short, question));
        assert_eq!(found.hits[0].id, "cluster", "{question}");
        assert!(found.level >= Level::Weak, "{question}: {found:?}");
        assert!(
            found.confidence + 50 >= of_short.confidence,
            "{question}: {found:?} {of_short:?}"
        );
    }
    let memory = sample.memory();
    let record = memory.find("cluster").unwrap();
    let passage = super::best_passage(record, &Query::of("ingress controller"));
    let passage = &record.source().text()[passage];
    assert!(
        passage.contains("Traefik") && passage.len() <= super::PASSAGE,
        "{}",
        passage.len()
    );
}

#[test]
fn natural_question_finds_its_record() {
    for (question, wanted) in [
        ("Continue the settings refactor.", "settings-refactor"),
        ("settings", "settings-refactor"),
        ("fix setting sync", "settings-store"),
        ("prepare the next release", "release-train"),
        (
            "should the typescript engine become the default",
            "engine-optional",
        ),
        ("change how doctor validates jsonl", "doctor-jsonl"),
        ("why is there no database in this project", "no-database"),
        ("where is parse_json_line used?", "doctor-jsonl"),
        ("who writes settings_store.rs", "settings-store"),
    ] {
        let found = ask(&project(), question);
        assert_eq!(found.hits[0].id, wanted, "{question}: {found:#?}");
        assert_eq!(
            found.level,
            Level::Strong,
            "{question}: {} {}",
            found.confidence,
            found.reason
        );
    }
    let long = "I came back from lunch and noticed that on my laptop the colours look strange since the settings sync ran twice";
    let found = ask(&project(), long);
    assert!(
        found.level >= Level::Weak && found.hits[0].id == "settings-store",
        "{found:#?}"
    );
}

#[test]
fn one_rare_word_in_small_memory_is_no_answer() {
    let long = "whoever came back from lunch and asked for the colours of the sync symbol said nothing about it afterwards";
    let found = ask(&project(), long);
    assert_eq!(found.hits[0].id, "settings-store", "{found:#?}");
    assert_eq!(found.level, Level::None, "{found:#?}");
}

#[test]
fn asked_version_or_number_is_required() {
    let sample = decision(
        project(),
        "postgres",
        "Postgres stays on 14.9",
        "Version 15.4 mirrored polygons on 2025-03-12. At most 40 connections are open.",
    );
    let level = |question: &str| {
        let found = ask(&sample, question);
        let best = found.hits.first().map(|hit| hit.id.clone());
        (found.level, best.unwrap_or_default())
    };
    let strong = (Level::Strong, "postgres".to_owned());
    for known in [
        "may we go to postgres 15.4",
        "postgres v14.9",
        "what happened to postgres on 2025-03-12",
        "how many connections are open",
    ] {
        assert_eq!(level(known), strong, "{known}");
    }
    for other in [
        "may we go to postgres 16.2",
        "postgres 4.15",
        "what happened to postgres on 2025-03-13",
        "how many polygons are there",
    ] {
        assert!(level(other).0 < Level::Strong, "{other}");
    }
}

#[test]
fn confidence_changes_smoothly_with_size() {
    let sure = |others: usize| {
        let mut sample = project();
        for number in 0..others {
            sample = decision(
                sample,
                &format!("other-{number}"),
                "Another one",
                "Tulips are planted in rows beside the northern wall, watered twice in dry weeks, and counted by whoever walks there before the gate is closed for winter.",
            );
        }
        let long = "whoever came back from lunch and asked for the colours of the sync symbol said nothing about it afterwards";
        ask(&sample, long).confidence
    };
    let mut before = sure(20);
    for others in 21..32 {
        let now = sure(others);
        assert!(now.abs_diff(before) < 15, "{others}: {before} {now}");
        before = now;
    }
}

#[test]
fn unknown_subject_is_none() {
    for question in [
        "do it",
        "",
        "???",
        "the and of",
        "please continue",
        "migrate kubernetes cluster to arm nodes",
        "work on the next task",
        "x".repeat(100_000).as_str(),
    ] {
        let found = ask(&project(), question);
        assert_eq!(found.level, Level::None, "{question:.40}: {found:#?}");
        assert!(!found.reason.is_empty());
    }
    let none = RecallIndex::open(build_index(&Memory::default(), &|_| String::new(), 1)).unwrap();
    assert_eq!(none.recall(&Query::of("settings"), 5).level, Level::None);
}

#[test]
fn misspelled_word_finds_its_record() {
    for (question, wanted) in [
        ("typscript", "engine-optional"),
        ("where is the databse", "no-database"),
        ("teh settigns refactor", "settings-refactor"),
        ("markdwn protokol", "engine-optional"),
        ("validatification of jsonl", "doctor-jsonl"),
    ] {
        let found = ask(&project(), question);
        assert_eq!(found.hits[0].id, wanted, "{question}: {found:#?}");
        assert!(found.level >= Level::Weak, "{question}: {found:#?}");
    }
    let found = ask(&project(), "typscript");
    assert_eq!(
        found.reason,
        "a part of it stands in `engine-optional`: typscript (taken for typescript)"
    );
    let hit = &found.hits[0];
    assert_eq!((hit.matched.len(), hit.near.len()), (0, 1));
    let share = &hit.explained[0];
    assert!(share.is_spelt_otherwise && share.stem == "typescript");
}

#[test]
fn misspelled_words_alone_are_weak() {
    for question in ["typscript engin", "markdwn protokol", "typscript engine"] {
        let found = ask(&project(), question);
        assert_eq!(found.level, Level::Weak, "{question}: {found:#?}");
    }
    let known = ask(&project(), "the optional markdown protocol of typscript");
    assert_eq!(known.level, Level::Strong, "{known:#?}");
}

#[test]
fn valid_word_is_not_corrected() {
    for question in [
        // English words near `engine`, `files`, `reports`, `hosts` and `notes`.
        "ensign",
        "tiles",
        "retorts",
        "ghosts and votes",
        "contain the marksdown",
        // Too short, or too far.
        "egn",
        "fils",
        "dtabse",
        // A name of code is copied.
        "typscript_optionl",
        // Another language.
        "welche typscript datenbanken verwendet unsere anwendung",
        // The correction is a common word.
        "evrything",
    ] {
        let found = ask(&project(), question);
        assert_eq!(found.level, Level::None, "{question}: {found:#?}");
    }
    let query = Query::of("the databse of the settings");
    let corrected = index(&project().memory()).corrected(&query).into_owned();
    assert_eq!(corrected.words[0].lookup_stem(), "databas");
    assert_eq!(corrected.words[1].lookup_stem(), query.words[1].stem);
}

#[test]
fn similar_name_is_not_corrected() {
    let notes = |names: &[&str]| {
        let record = |name: &&str| {
            format!(
                "---\nid: {name}\ntitle: Notes on {name}\nstatus: active\nscope: project:demo\nupdated: 2026-03-01\n---\nThe billing service runs on {name} since spring.\n"
            )
        };
        names.iter().fold(Sample::new(), |sample, name| {
            sample.with(&format!("memory/context/{name}.md"), "", &record(name))
        })
    };
    for (known, asked) in [
        ("react", "preact"),
        ("nextjs", "nestjs"),
        ("make", "cmake"),
        ("mysql", "mssql"),
        ("python", "ipython"),
        ("unit", "junit"),
        ("valley", "valkey"),
        ("pedantic", "pydantic"),
        ("postgres", "postgis"),
        ("tokyo", "tokio"),
        ("schmidt", "schmitt"),
    ] {
        let found = ask(&notes(&[known]), asked);
        assert_eq!(found.level, Level::None, "{asked}: {found:#?}");
        let found = ask(
            &notes(&[known, "solid"]),
            &format!("does {asked} run the billing"),
        );
        assert!(found.level < Level::Strong, "{asked}: {found:#?}");
    }
}

#[test]
fn feedback_on_misspelled_word_is_learned() {
    let line = r#"{"query":"typscript","outcome":"missed","matched_id":"release-train","created":"2026-02-01"}"#;
    let twice = format!("{line}\n{line}\n");
    let cue = "{\"schema_version\":1,\"id\":\"release-train\",\"scope\":\"project:demo\",\"title\":\"Trains\",\"keywords\":[],\"record_path\":\"memory/decisions/release-train.md\",\"updated\":\"2026-03-01\"}\n";
    let sample = project().with("memory/impressions.jsonl", "", cue).with(
        "memory/recall-feedback.jsonl",
        "",
        &twice,
    );
    let found = ask(&sample, "typscript");
    assert_eq!(found.hits[0].id, "release-train", "{found:#?}");
}

#[test]
fn successor_replaces_superseded_record() {
    let newer = "---\nid: settings-cloud\ntitle: Preferences live in the cloud\nstatus: active\nscope: project:demo\nupdated: 2026-03-01\nsupersedes: settings-store\n---\nMoved.\n";
    let sample = Sample::new()
        .with("memory/decisions/settings-cloud.md", "", newer)
        .with(
            "memory/decisions/settings-store.md",
            "status: active",
            "status: superseded\nsuperseded_by: settings-cloud",
        )
        .with(
            "memory/open-loops/settings-refactor.md",
            "status: active",
            "status: archived",
        );
    let found = ask(&sample, "which store owns the settings?");
    assert_eq!(found.hits[0].id, "settings-cloud", "{found:#?}");
    assert_eq!(found.hits[0].instead_of.as_deref(), Some("settings-store"));
    assert!(
        found
            .hits
            .iter()
            .all(|hit| hit.id != "settings-store" && hit.id != "settings-refactor")
    );
    assert_eq!(found.level, Level::Strong);
    // The reason names the superseded record, which has the words.
    let part = ask(&sample, "settings refactor of the keyring vault");
    assert_eq!(part.level, Level::Weak, "{part:#?}");
    assert!(
        part.reason
            .starts_with("`settings-cloud` replaced `settings-store`, which has: "),
        "{}",
        part.reason
    );
    // A statement in either record is sufficient.
    let (old, newer) = (
        "memory/decisions/settings-store.md",
        "memory/decisions/settings-cloud.md",
    );
    let silent = |sample: &Sample| {
        sample
            .clone()
            .with(newer, "supersedes: settings-store\n", "")
    };
    for once in [
        silent(&sample),
        silent(&sample).with(old, "status: superseded", "status: active"),
        sample.clone().with(
            old,
            "status: superseded\nsuperseded_by: settings-cloud",
            "status: active",
        ),
    ] {
        let found = ask(&once, "which store owns the settings?");
        let first = &found.hits[0];
        let by = (first.id.as_str(), first.instead_of.as_deref());
        assert_eq!(by, ("settings-cloud", Some("settings-store")), "{found:#?}");
    }
    // A statement in an impression is sufficient too.
    let cue = "\"updated\":\"2026-02-01\"";
    let of_impression = |says: &str| {
        let newer_cue = "{\"schema_version\":1,\"id\":\"cloud\",\"scope\":\"project:demo\",\"title\":\"Preferences\",\"keywords\":[\"cloud\"],\"record_path\":\"memory/decisions/settings-cloud.md\",\"updated\":\"2026-03-01\"}\n";
        silent(&sample)
            .with(
                old,
                "status: superseded\nsuperseded_by: settings-cloud",
                "status: active",
            )
            .with("memory/impressions.jsonl", cue, &format!("{cue},{says}"))
            .with("memory/impressions.jsonl", "", newer_cue)
    };
    let replaced = of_impression("\"status\":\"superseded\",\"superseded_by\":\"cloud\"");
    let found = ask(&replaced, "which store owns the settings?");
    let by = (
        found.hits[0].id.as_str(),
        found.hits[0].instead_of.as_deref(),
    );
    assert_eq!(by, ("cloud", Some("settings-store")), "{found:#?}");
    let archived = of_impression("\"status\":\"archived\"");
    let found = ask(&archived, "which store owns the settings?");
    assert!(
        found.hits.iter().all(|hit| hit.id != "settings-store"),
        "{found:#?}"
    );
    // In a cycle, no record is active.
    let circle = sample.with(
        "memory/decisions/settings-cloud.md",
        "status: active",
        "status: superseded\nsuperseded_by: settings-store",
    );
    let found = ask(&circle, "which store owns the settings?");
    assert!(found.hits.iter().all(|hit| hit.id == "summary"));
}

#[test]
fn index_is_deterministic_and_survives_damage() {
    let memory = project().memory();
    let shown = |record: &crate::Record| record.source().text().to_owned();
    let bytes = build_index(&memory, &shown, 1);
    assert_eq!(bytes, build_index(&memory, &shown, 8));
    let asked = Query::of("settings release database");
    for at in 0..bytes.len().min(4_000) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        if let Some(index) = RecallIndex::open(damaged) {
            let _ = index.recall(&asked, 3);
        }
        assert!(RecallIndex::open(bytes[..at].to_vec()).is_none());
    }
}

#[test]
fn feedback_affects_its_questions_only() {
    let line = |query: &str, outcome: &str, id: &str| {
        format!(
            "{{\"schema_version\":1,\"query\":\"{query}\",\"outcome\":\"{outcome}\",\"created\":\"2026-02-01\",\"matched_id\":\"{id}\"}}\n"
        )
    };
    let before = project();
    let missed = line("preferences window colours", "missed", "settings-store");
    let after = project().with("memory/recall-feedback.jsonl", "", &missed);
    // The same subject in other words.
    let held_out = "which colours does the preferences window use?";
    assert_ne!(
        ask(&before, held_out)
            .hits
            .first()
            .map(|hit| hit.id.as_str()),
        Some("settings-store")
    );
    let found = ask(&after, held_out);
    assert_eq!(found.hits[0].id, "settings-store", "{found:#?}");
    assert!(found.level >= Level::Weak && found.hits[0].learned > 0);
    for other in [
        "prepare the next release",
        "why is there no database",
        "window",
        "change how doctor validates jsonl",
    ] {
        let ids = |found: Ranking| {
            found
                .hits
                .into_iter()
                .map(|hit| (hit.id, hit.score))
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(ask(&before, other)), ids(ask(&after, other)), "{other}");
    }
    // An irrelevant record loses score for this question only.
    let unhelpful = line("settings dialog", "irrelevant", "settings-refactor").repeat(3);
    let after = project().with("memory/recall-feedback.jsonl", "", &unhelpful);
    let score = |sample: &Sample, question: &str| {
        let found = ask(sample, question);
        found
            .hits
            .iter()
            .find(|hit| hit.id == "settings-refactor")
            .map_or(0, |hit| hit.score)
    };
    assert!(score(&after, "the settings dialog") < score(&before, "the settings dialog") / 2);
    assert!(
        score(&after, "finish the refactor of every write path")
            >= score(&before, "finish the refactor of every write path") * 9 / 10
    );
}

/// Applies a change to a record, an impression or the feedback.
fn changed(sample: Sample, (what, which, word): &(u8, u8, String)) -> Sample {
    let id = format!("r{which}");
    let path = format!("memory/decisions/{id}.md");
    let mut sample = sample;
    match what % 6 {
        0 => {
            sample.0.remove(&path);
            decision(
                sample,
                &id,
                &format!("Title {word}"),
                &format!("{word} is kept by {id}."),
            )
        }
        1 => {
            sample.0.remove(&path);
            sample
        }
        4 | 5 => {
            sample.0.remove(&path);
            let other = format!("r{}", (which + 1) % 5);
            let of = match what % 6 {
                4 => format!("status: superseded\nsuperseded_by: {other}"),
                _ => format!("status: active\nsupersedes: {other}"),
            };
            let text =
                format!("---\nid: {id}\ntitle: Was {word}\n{of}\n---\n\n{word} was stored.\n");
            sample.with(&path, "", &text)
        }
        2 => {
            let line = format!(
                "{{\"schema_version\":1,\"id\":\"{id}-{word}\",\"scope\":\"project:demo\",\"title\":\"{word}\",\"keywords\":[\"{word}\"],\"record_path\":\"{path}\",\"updated\":\"2026-02-01\"}}\n"
            );
            sample.with("memory/impressions.jsonl", "", &line)
        }
        _ => {
            let line = format!(
                "{{\"schema_version\":1,\"query\":\"{word}\",\"outcome\":\"helpful\",\"matched_id\":\"{id}\",\"created\":\"2026-02-01\"}}\n"
            );
            sample.with("memory/recall-feedback.jsonl", "", &line)
        }
    }
}

/// Stored index with its changes.
struct Stored {
    base: Vec<u8>,
    changes: Option<Vec<u8>>,
}

impl Stored {
    fn of(memory: &Memory) -> Self {
        Self {
            base: build_index(memory, &as_it_is, 1),
            changes: None,
        }
    }

    fn open(&self) -> RecallIndex {
        let base = self.base.clone();
        match &self.changes {
            None => RecallIndex::open(base).unwrap(),
            Some(changes) => {
                let digest = windlass_base::Digest::of_bytes(&base).hex();
                assert_eq!(base_of(changes), Some(digest));
                RecallIndex::open_changed(base, changes).unwrap()
            }
        }
    }

    fn take(&mut self, renewed: Renewed) {
        match renewed {
            Renewed::Whole(bytes) => (self.base, self.changes) = (bytes, None),
            Renewed::Changes(bytes) => self.changes = Some(bytes),
        }
    }
}

fn as_it_is(record: &crate::Record) -> String {
    record.source().text().to_owned()
}

proptest::proptest! {
    #[test]
    fn renewed_index_answers_like_new_one(
        changes in proptest::collection::vec((0u8..12, 0u8..5, "[a-z]{3,6}"), 1..12),
        every in 1usize..4,
        most in 0usize..9,
    ) {
        let taken = std::sync::atomic::AtomicUsize::new(0);
        let shown = |record: &crate::Record| {
            taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            as_it_is(record)
        };
        let mut sample = project();
        let mut stored = Stored::of(&sample.memory());
        for (at, change) in changes.iter().enumerate() {
            sample = changed(sample, change);
            if at % every > 0 {
                continue;
            }
            let memory = sample.memory();
            let renewed = renew_within(most, &stored.open(), &memory, &shown, 2);
            let made = build_index(&memory, &as_it_is, 2);
            if let Renewed::Whole(bytes) = &renewed {
                proptest::prop_assert_eq!(bytes, &made);
            }
            stored.take(renewed);
            let (index, made) = (stored.open(), RecallIndex::open(made).unwrap());
            proptest::prop_assert_eq!(index.unreadable(), made.unreadable());
            let words: Vec<&str> = changes.iter().map(|(.., word)| word.as_str()).collect();
            for question in [words.join(" ").as_str(), words[0], "settings release database kept title", "r1 r2 r3"] {
                let query = Query::of(question);
                proptest::prop_assert_eq!(index.recall(&query, 20), made.recall(&query, 20), "{}", question);
            }
            // Without changes, no record is indexed again.
            taken.store(0, std::sync::atomic::Ordering::Relaxed);
            let same = renew_within(most, &index, &memory, &shown, 2);
            proptest::prop_assert_eq!(taken.load(std::sync::atomic::Ordering::Relaxed), 0);
            if let (Renewed::Changes(same), Some(before)) = (same, &stored.changes) {
                proptest::prop_assert_eq!(&same, before);
            }
        }
    }
}

#[test]
fn only_changed_record_is_indexed_again() {
    let stored = Stored::of(&project().memory());
    let path = "memory/decisions/no-database.md";
    let sample = project().with(path, "no database is used", "a database is never used");
    let taken = std::sync::Mutex::new(Vec::new());
    let shown = |record: &crate::Record| {
        taken.lock().unwrap().push(record.path.to_string());
        as_it_is(record)
    };
    let renewed = renew_index(&stored.open(), &sample.memory(), &shown, 1);
    assert_eq!(*taken.lock().unwrap(), [path]);
    let Renewed::Changes(bytes) = renewed else {
        panic!("the whole index was built again");
    };
    assert!(bytes.len() < stored.base.len() / 3, "{}", bytes.len());
}

#[test]
fn damaged_changes_are_ignored() {
    let mut stored = Stored::of(&project().memory());
    let sample = changed(project(), &(0, 1, "word".to_owned()));
    stored.take(renew_index(&stored.open(), &sample.memory(), &as_it_is, 1));
    let bytes = stored.changes.clone().unwrap();
    let asked = Query::of("settings release database word");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        if let Some(index) = RecallIndex::open_changed(stored.base.clone(), &damaged) {
            let _ = index.recall(&asked, 3);
        }
        assert!(RecallIndex::open_changed(stored.base.clone(), &bytes[..at]).is_none());
    }
    assert!(RecallIndex::open(bytes).is_none());
    assert_eq!(base_of(&stored.base), None);
}

#[test]
fn full_match_ranks_before_short_records() {
    let mut sample = project();
    for at in 0..6 {
        let title = "Rotation";
        sample = decision(sample, &format!("rotation-{at}"), title, "Rotation.");
    }
    let long = "Every quarter the certificates of the gateway are exchanged, by rotation. ";
    let filler = (0..150).map(|at| format!("Word{at} was said of it. "));
    let long = format!("{long}{}", filler.collect::<String>());
    let sample = decision(sample, "gateway", "How we keep things safe", &long);
    let found = ask(&sample, "rotation of gateway certificates every quarter");
    assert_eq!(found.hits[0].id, "gateway", "{found:#?}");
    assert!(found.level > Level::None, "{found:#?}");
}

#[test]
fn rarer_word_counts_more_in_small_memory() {
    let request = |number: usize| {
        let titles = [
            "Request hooks run before redirects",
            "A request without a body has no length",
            "Each request has a session of its own",
            "Request headers keep their order",
            "A request to a proxy names the host",
            "A request is sent again once",
        ];
        (format!("request-{number}"), titles[number])
    };
    let mut sample = decision(
        Sample::new(),
        "prepared",
        "What is prepared is what goes over the wire",
        "Adapters get a request with its bytes, its headers and its address as they are sent. Whoever signs them signs those bytes, so nothing may be changed between the hook that signs and the socket.",
    );
    for (id, title) in (0..6).map(request) {
        sample = decision(sample, &id, title, "A request is a request.");
    }
    let found = ask(&sample, "what is a prepared request");
    assert_eq!(found.hits[0].id, "prepared");
}

#[test]
fn feedback_with_a_secret_teaches_nothing() {
    let log = "memory/recall-feedback.jsonl";
    let line = |query: &str| {
        format!(
            "{{\"schema_version\":1,\"query\":\"{query}\",\"outcome\":\"missed\",\"created\":\"2026-02-01\",\"matched_id\":\"settings-store\"}}\n"
        )
    };
    let sample = Sample::new()
        .with(log, "", &line("deploy password=zqxwvkjhgtrpbn"))
        .with(log, "", &line("preferences window"));
    let tuning = index(&sample.memory()).tuning().clone();
    let words: Vec<_> = tuning.ties.iter().flat_map(|tie| &tie.words).collect();
    assert_eq!(words, ["prefer", "window"]);
}

#[test]
fn events_are_matched_one_by_one() {
    let events = "---\nid: events-2026-03\ntitle: Events of 2026-03\nstatus: active\nscope: project:demo\nupdated: 2026-03-09\n---\n\n# Events of 2026-03\n\n## 2026-03-09\n\n- Benchmarked the router on ARM: no difference\n- Profiled the mutex on Windows\n- Removed the legacy parser\n";
    let line = "{\"schema_version\":1,\"id\":\"events-2026-03\",\"scope\":\"project:demo\",\"title\":\"Events of 2026-03\",\"keywords\":[\"router\",\"windows\",\"mutex\",\"parser\"],\"record_path\":\"memory/events/2026-03.md\",\"updated\":\"2026-03-09\"}\n";
    let path = "memory/events/2026-03.md";
    let sample = project()
        .with(path, "", events)
        .with("memory/impressions.jsonl", "", line);
    for never in [
        "did we benchmark the router on windows",
        "was the mutex removed from the parser",
    ] {
        let found = ask(&sample, never);
        assert!(found.level < Level::Strong, "{never}: {found:#?}");
    }
    let question = "was the mutex profiled on windows";
    let found = ask(&sample, question);
    assert_eq!(
        (found.level, found.hits[0].id.as_str()),
        (Level::Strong, "events-2026-03"),
        "{found:#?}"
    );
    assert_eq!(found.hits[0].matched, ["mutex", "profiled", "windows"]);
    // The matching line is shown.
    let memory = sample.memory();
    let record = memory.record(path).unwrap();
    let shown = super::passages(record, &Query::of(question));
    assert_eq!(
        &record.source().text()[shown[0].range.clone()],
        "- Profiled the mutex on Windows"
    );
    assert_eq!(shown.iter().filter(|one| one.matched > 0).count(), 1);
}

#[test]
fn name_is_found_in_lower_case() {
    let sample = decision(
        project(),
        "wheels",
        "Wheels",
        "They are uploaded to PyPI by OIDC.",
    );
    let sample = decision(
        sample,
        "flaky",
        "Flaky test on PyPy",
        "It fails about once.",
    );
    let ids = |question: &str| ask(&sample, question).hits[0].id.clone();
    assert_eq!(ids("pypy"), "flaky");
    assert_eq!(ids("pypi"), "wheels");
}

fn feedback(query: &str, outcome: &str, id: &str) -> String {
    format!(
        "{{\"schema_version\":1,\"query\":\"{query}\",\"outcome\":\"{outcome}\",\"created\":\"2026-02-01\",\"matched_id\":\"{id}\"}}\n"
    )
}

/// Returns a memory in which a short record has both words of a question in its title, and the wanted record has one.
fn hosted() -> Sample {
    let sample = decision(
        project(),
        "hosts",
        "Hosted documentation needs a trusted host",
        "Hosted documentation names its host.",
    );
    decision(
        sample,
        "pages",
        "Pages of the manual",
        "The documentation is served by the forge, from a branch of its own, and made anew with each tag.",
    )
}

#[test]
fn missed_record_ranks_first_next_time() {
    let log = "memory/recall-feedback.jsonl";
    let question = "where is the documentation hosted";
    let before = hosted();
    assert_eq!(ask(&before, question).hits[0].id, "hosts");
    let after = hosted().with(log, "", &feedback(question, "missed", "pages"));
    let found = ask(&after, question);
    assert_eq!(found.hits[0].id, "pages", "{found:#?}");
    assert_eq!(found.level, Level::Strong, "{found:#?}");
    // Both records have the only word of this question; `hosts` has it in its title.
    let short = hosted().with(log, "", &feedback("documentation", "missed", "pages"));
    assert_eq!(ask(&before, "documentation").hits[0].id, "hosts");
    assert_eq!(ask(&short, "documentation").hits[0].id, "pages");
    for other in [
        "which host is trusted",
        "hosted documentation of which trusted host",
        "pages of the manual",
        "documentation of the settings",
    ] {
        let first = |sample: &Sample| ask(sample, other).hits[0].id.clone();
        assert_eq!(first(&before), first(&after), "{other}");
    }
    // `helpful` moves a record by a quarter as much, and `irrelevant` reverses it.
    let once = hosted().with(log, "", &feedback(question, "helpful", "pages"));
    assert_eq!(ask(&once, question).hits[0].id, "hosts");
    let undone = after.with(
        log,
        "",
        &feedback(question, "irrelevant", "pages").repeat(4),
    );
    assert_eq!(ask(&undone, question).hits[0].id, "hosts");
}

#[test]
fn first_hit_has_highest_confidence() {
    let mut sample = project();
    for (id, title, body) in [
        (
            "client",
            "TestClient is built on httpx",
            "The test client needs httpx; requests is gone from the test client.",
        ),
        (
            "push",
            "Server push is dead",
            "A push stays, and is still there.",
        ),
        (
            "redirects",
            "Requests follow redirects",
            "A request follows up to twenty redirects.",
        ),
    ] {
        sample = decision(sample, id, title, body);
    }
    for question in [
        "does the client still need requests when nobody pushes it",
        "who pushed the redirects of the client",
        "which server is the settings release of",
        "redirects",
    ] {
        let found = ask(&sample, question);
        let first = found.hits.first().map_or(0, |hit| hit.confidence);
        assert_eq!(found.confidence, first, "{question}");
        assert!(
            found.hits.iter().all(|hit| hit.confidence <= first),
            "{question}: {found:#?}"
        );
    }
}

#[test]
fn one_title_word_is_not_strong() {
    let sample = decision(
        project(),
        "hosts",
        "Trusted hosts default to any",
        "Whoever hosts it says which.",
    );
    let level = |question: &str| ask(&sample, question).level;
    assert_eq!(level("trusted hosts"), Level::Strong);
    assert!(level("who pays for hosting") < Level::Strong);
}

#[test]
fn two_rare_words_are_weak_one_is_none() {
    let sample = decision(
        project(),
        "scripts-are-files",
        "Scripts are written to a file",
        "A script is run from the temporary folder, so that its interpreter can read the terminal.",
    );
    let found = ask(
        &sample,
        "why do we not send what people wrote to the interpreter, and spare the temporary mess",
    );
    assert_eq!(found.hits[0].id, "scripts-are-files");
    assert_eq!(found.level, Level::Weak, "{found:#?}");
    let found = ask(
        &sample,
        "which paint do we buy for the interpreter booth on the second floor of the new house",
    );
    assert_eq!(found.level, Level::None, "{found:#?}");
}

#[test]
fn unique_cue_is_weak_in_short_question() {
    let line = "{\"schema_version\":1,\"id\":\"queue\",\"scope\":\"project:demo\",\"title\":\"Jobs are rows of the database\",\"keywords\":[\"celery\",\"queue\"],\"record_path\":\"memory/decisions/queue.md\",\"updated\":\"2026-02-01\"}\n";
    let mut sample = decision(
        project(),
        "queue",
        "Jobs are rows of the database",
        "Celery needed a broker that nobody looked after, and a job that failed was gone.",
    )
    .with("memory/impressions.jsonl", "", line);
    for number in 0..16 {
        sample = decision(
            sample,
            &format!("other-{number}"),
            "Another one",
            "Tulips are planted in rows beside the northern wall, and counted before the gate is closed.",
        );
    }
    let index = index(&sample.memory());
    let found = index.recall(&Query::of("why was celery abandoned"), 5);
    assert_eq!(found.hits[0].id, "queue");
    assert_eq!(found.level, Level::Weak, "{found:#?}");
    // Confidences of a small source are comparable with those of a large one searched beside it.
    let alone = found.hits[0].confidence;
    let query = Query::of(
        "which broker sells coffee to people of the office, and who looked after the machine in summer",
    );
    let small = index.recall(&query, 5).hits[0].confidence;
    let beside = index.beside(200);
    assert!(beside.recall(&query, 5).hits[0].confidence < small);
    assert!(
        beside
            .recall(&Query::of("why was celery abandoned"), 5)
            .hits[0]
            .confidence
            >= alone
    );
}

#[test]
fn fillers_find_nothing() {
    let line = "{\"schema_version\":1,\"id\":\"push\",\"scope\":\"project:demo\",\"title\":\"Server push is dead\",\"keywords\":[\"push\",\"still\",\"none\"],\"record_path\":\"memory/decisions/push.md\",\"updated\":\"2026-02-01\"}\n";
    let sample = decision(
        project(),
        "push",
        "Server push is dead",
        "It is still in Request; none uses it.",
    )
    .with("memory/impressions.jsonl", "", line);
    for nothing in ["is it still raining", "none of the clouds", "still"] {
        let found = ask(&sample, nothing);
        assert_eq!(found.level, Level::None, "{nothing}: {found:#?}");
    }
    assert_eq!(
        ask(&sample, "is server push still dead").level,
        Level::Strong
    );
}

#[test]
fn code_path_matches_as_a_whole() {
    let mut sample = decision(
        project(),
        "harness",
        "Harness of the suite",
        "`Test::new()` builds a justfile in a temporary directory; `is_new_build` says whether it is one.",
    );
    for number in 0..6 {
        let (id, title) = (format!("way-{number}"), format!("Way {number} is decided"));
        sample = decision(sample, &id, &title, "A new way to run things, with a test.");
    }
    for question in ["Test::new()", "what does Test::new do", "is_new_build"] {
        let answer = ask(&sample, question);
        assert_eq!(
            (answer.level, answer.hits[0].id.as_str()),
            (Level::Strong, "harness"),
            "{question}"
        );
    }
    for question in ["Test::old()", "Build::new", "is_new_test", "a new test"] {
        assert_eq!(ask(&sample, question).level, Level::None, "{question}");
    }
}

#[test]
fn common_words_match_a_title() {
    let sample = decision(
        project(),
        "build-steps",
        "Build steps",
        "Configure, compile, link, then sign.",
    );
    for question in ["what are the build steps", "how do we build it"] {
        let found = ask(&sample, question);
        assert_eq!(found.hits[0].id, "build-steps", "{question}");
        assert_eq!(found.level, Level::Weak, "{question}: {found:#?}");
    }
    for question in [
        "what is the next step",
        "please help me to build it",
        "is it known",
        "continue",
    ] {
        assert_eq!(ask(&sample, question).level, Level::None, "{question}");
    }
    let line = |outcome: &str| feedback("what are the build steps", outcome, "build-steps");
    let log = "memory/recall-feedback.jsonl";
    let told = sample.clone().with(log, "", &line("missed"));
    let found = ask(&told, "what are the build steps");
    assert_eq!(found.level, Level::Strong, "{found:#?}");
    assert_eq!(ask(&told, "what is the next step").level, Level::None);
    let untold = sample.with(log, "", &line("irrelevant").repeat(4));
    let found = ask(&untold, "what are the build steps");
    assert_eq!(found.level, Level::None, "{found:#?}");
}

#[test]
fn question_for_missing_aspect_is_weak() {
    let sample = decision(
        project(),
        "cookies",
        "Partitioned cookies",
        "Cookies are partitioned by site. The steps are in the manual.",
    );
    for (question, level) in [
        ("cookies", Level::Strong),
        ("please explain cookies", Level::Strong),
        ("steps for cookies", Level::Strong),
        ("cookie tests", Level::Weak),
        ("how do I build cookies", Level::Weak),
        ("how do I stop cookies", Level::Weak),
        ("let us start with cookies", Level::Strong),
    ] {
        assert_eq!(ask(&sample, question).level, level, "{question}");
    }
}

#[test]
fn similar_code_name_is_not_strong() {
    let sample = decision(
        project(),
        "limits",
        "Limits of a form",
        "MAX_FORM_PARTS and `Request.max_form_memory_size` limit what a form may hold.",
    );
    for (question, level) in [
        ("MAX_FORM_PARTS", Level::Strong),
        ("maxFormParts", Level::Strong),
        (
            "what limits max_form_memory_size of a request",
            Level::Strong,
        ),
        ("MAX_FORM_DEPTH", Level::Weak),
        ("what limits Request.max_form_depth", Level::Weak),
    ] {
        let found = ask(&sample, question);
        assert_eq!(
            (found.level, &*found.hits[0].id),
            (level, "limits"),
            "{question}: {found:#?}"
        );
    }
}

#[test]
fn form_words_find_nothing() {
    let sample = decision(
        project(),
        "glossary",
        "Glossary of the project",
        "A sigil is a character before a line. A modulepath names a recipe in a submodule.",
    );
    for question in [
        "what does modulepath mean",
        "what is meant by sigil",
        "meaning of sigil",
    ] {
        let answer = ask(&sample, question);
        assert!(
            answer.level >= Level::Weak && answer.hits[0].id == "glossary",
            "{question}"
        );
    }
    for question in [
        "what does it mean",
        "what does frobnicate mean",
        "how long does it take",
    ] {
        assert_eq!(ask(&sample, question).level, Level::None, "{question}");
    }
}

#[test]
fn file_name_matches_as_a_whole() {
    let sample = decision(
        project(),
        "eintr",
        "Keep reading on EINTR",
        "read and write that fail are tried again; read on a signal is no error",
    );
    let sample = decision(
        sample,
        "heap",
        "Tasks lie on the heap",
        "The parser allocates its stack of tasks on the heap; the code is in `src/read.c`.",
    );
    let sample = decision(
        sample,
        "sockets",
        "Close sockets once",
        "A socket is closed once.",
    );
    for question in [
        "read.c",
        "what do we know of read.c",
        "what is in src/read.c?",
    ] {
        let ranking = ask(&sample, question);
        assert_eq!(ranking.hits[0].id, "heap", "{question}");
        assert_eq!(ranking.level, Level::Strong, "{question}");
    }
    assert_eq!(
        ask(&sample, "who closes sockets, as in close.c").level,
        Level::Strong
    );
}
