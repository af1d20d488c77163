//! Going on where a pack was cut.

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_base::{Limit, ResponseMode};
use windlass_pack::{Cursor, Format, Pack, StoredPack, ViewError, ViewOptions};

use crate::random::random_pack;
use crate::support::{Sandbox, cursor, observation, observations, options, pack, weight};

/// Reads a section to its end, page by page, from where `section` of the first view stops. A page that does
/// not fit is asked for again with the room it says it takes.
fn read_on(sandbox: &Sandbox, pack: &Pack, section: &Value, options: &ViewOptions) -> Vec<Value> {
    let mut items = section["items"].as_array().unwrap().clone();
    let mut from = cursor(section);
    while from.is_some() {
        let page = ViewOptions { from, ..*options };
        let page = match sandbox.json(pack, &page) {
            Err(ViewError::TooSmall { given, least }) => {
                assert!(least > given);
                let limit = Limit::Chars(least);
                sandbox.json(pack, &ViewOptions { limit, ..page }).unwrap()
            }
            page => page.unwrap(),
        };
        assert_eq!(page["sections"].as_array().unwrap().len(), 1);
        let shown = page["sections"][0]["items"].as_array().unwrap();
        assert!(!shown.is_empty(), "a page without progress: {page}");
        items.extend(shown.iter().cloned());
        from = cursor(&page["sections"][0]);
    }
    items
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn pages_show_every_entry_once_and_in_order(
        random in random_pack(),
        max in 200_usize..3_000,
        mode in prop_oneof![Just(ResponseMode::Facts), Just(ResponseMode::Minimal), Just(ResponseMode::Full)],
    ) {
        let (sandbox, pack) = random.make();
        let shown = ViewOptions { mode, ..options(max) };
        let Ok(first) = sandbox.json(&pack, &shown) else { return Ok(()) };
        for (section, whole) in first["sections"].as_array().unwrap().iter().zip(&pack.sections) {
            let read = read_on(&sandbox, &pack, section, &shown);
            let plain = |items: &[Value]| -> Vec<String> {
                items.iter().map(|item| without_text(item.clone()).to_string()).collect()
            };
            let all: Vec<Value> = whole.entries.iter().map(|entry| json!(entry)).collect();
            prop_assert_eq!(plain(&read), plain(&all));
        }
    }

    #[test]
    fn pages_keep_to_the_limit_in_every_format(random in random_pack(), max in 1_usize..2_000) {
        let (sandbox, pack) = random.make();
        for (at, section) in pack.sections.iter().enumerate() {
            for offset in 0..section.entries.len() {
                let from = Cursor::new(&pack.key, at as u16, offset as u32);
                for format in [Format::Text { width: None }, Format::Markdown, Format::Json] {
                    let page = ViewOptions { from: Some(from), format, ..options(max) };
                    let (limit, printed) = match sandbox.show(&pack, &page) {
                        Err(ViewError::TooSmall { least, .. }) => {
                            let limit = Limit::Chars(least);
                            (limit, sandbox.show(&pack, &ViewOptions { limit, ..page }))
                        }
                        printed => (page.limit, printed),
                    };
                    prop_assert!(weight(&printed.unwrap(), limit) <= limit.max());
                }
            }
        }
    }
}

fn without_text(mut item: Value) -> Value {
    for key in ["fields", "fields_left_out"] {
        item.as_object_mut().unwrap().shift_remove(key);
    }
    for evidence in item
        .get_mut("evidence")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        for key in ["text", "text_start_line", "lines_cut"] {
            evidence.as_object_mut().unwrap().remove(key);
        }
    }
    item
}

#[test]
fn an_entry_larger_than_the_budget_says_what_it_takes() {
    let sandbox = Sandbox::with([]);
    let huge = observation(json!("word ".repeat(1_000)));
    let mut entries = observations(2);
    entries.insert(1, huge);
    let pack = pack(vec![sandbox.section("s", 9, entries)]);
    for format in [Format::Text { width: None }, Format::Markdown, Format::Json] {
        let first = ViewOptions {
            format,
            ..options(1_000)
        };
        assert!(sandbox.show(&pack, &first).is_ok(), "{format:?}");
        let stuck = ViewOptions {
            from: Some(Cursor::new(&pack.key, 0, 1)),
            ..first
        };
        let Err(ViewError::TooSmall { least, .. }) = sandbox.show(&pack, &stuck) else {
            panic!("{format:?}: a page without progress");
        };
        assert!((5_000..5_700).contains(&least), "{format:?}: {least}");
        let enough = ViewOptions {
            limit: Limit::Chars(least),
            ..stuck
        };
        assert!(
            sandbox.show(&pack, &enough).unwrap().contains("word word"),
            "{format:?}"
        );
    }
}

#[test]
fn every_section_that_is_cut_says_how_to_go_on() {
    let sandbox = Sandbox::with([]);
    let pack = pack(
        ["a", "b"]
            .map(|id| sandbox.section(id, 3, observations(8)))
            .to_vec(),
    );
    for format in [Format::Text { width: None }, Format::Markdown] {
        for mode in [ResponseMode::Facts, ResponseMode::Full] {
            let printed = sandbox
                .show(
                    &pack,
                    &ViewOptions {
                        format,
                        mode,
                        ..options(4_000)
                    },
                )
                .unwrap();
            for section in 0..2 {
                let call = format!(
                    "windlass run --cursor {}",
                    Cursor::new(&pack.key, section, 3)
                );
                assert_eq!(printed.matches(&call).count(), 1, "{call} in:\n{printed}");
            }
        }
    }
    let json = sandbox.json(&pack, &options(4_000)).unwrap();
    assert_eq!(
        json["next_actions"][0]["args"]["cursor"],
        json["sections"][0]["next_cursor"]
    );
}

#[test]
fn a_cursor_that_does_not_fit_is_refused() {
    let sandbox = Sandbox::with([]);
    let pack = pack(vec![
        sandbox.section("s", 9, observations(2)),
        sandbox.section("t", 9, Vec::new()),
    ]);
    for (section, offset, ok) in [
        (0, 0, true),
        (0, 1, true),
        (0, 2, false),
        (0, u32::MAX, false),
        (1, 0, true),
        (1, 1, false),
        (2, 0, false),
    ] {
        let from = Some(Cursor::new(&pack.key, section, offset));
        let page = sandbox.show(
            &pack,
            &ViewOptions {
                from,
                ..options(4_000)
            },
        );
        assert_eq!(page.is_ok(), ok, "{section} {offset}");
        assert!(ok || page == Err(ViewError::PastTheEnd));
    }
}

#[test]
fn a_stored_pack_is_what_its_digest_says_or_nothing() {
    let sandbox = Sandbox::with([("a.rs", "one\n")]);
    let entries = vec![crate::support::item("x", vec![sandbox.fresh("a.rs", 1, 1)])];
    let pack = pack(vec![sandbox.section("s", 9, entries)]);
    let text = serde_json::to_string(&StoredPack::from(&pack)).unwrap();
    let read = |text: &str| {
        serde_json::from_str::<StoredPack>(text)
            .unwrap()
            .into_pack()
    };
    assert_eq!(read(&text), Some(pack));
    assert_eq!(read(&text.replace("\"x\"", "\"y\"")), None);
    assert_eq!(
        read(&text.replace("\"schema_version\":1", "\"schema_version\":2")),
        None
    );
}
