//! Tests spelling correction.

use super::{ask, index_of, project};
use crate::recall::{Level, Query};
use crate::testing::Sample;

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
        "`engine-optional` has some of its words: typscript (taken for typescript)"
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
        // These are English words, so they stay as they are. They just happen to look like
        // `engine`, `files`, `reports`, `hosts` or `notes`.
        "ensign",
        "tiles",
        "retorts",
        "ghosts and votes",
        "contain the marksdown",
        // Too short, or too different from any word.
        "egn",
        "fils",
        "dtabse",
        // People copy names from code rather than type them, so we don't correct those.
        "typscript_optionl",
        // This question isn't in English.
        "welche typscript datenbanken verwendet unsere anwendung",
        // This could only become a common word, which wouldn't find anything.
        "evrything",
    ] {
        let found = ask(&project(), question);
        assert_eq!(found.level, Level::None, "{question}: {found:#?}");
    }
    let query = Query::of("the databse of the settings");
    let corrected = index_of(&project().memory()).corrected(&query).into_owned();
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
