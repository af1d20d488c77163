//! Checks that cursors continue a pack exactly where it was cut: nothing is missing, and nothing is
//! shown twice.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_base::{
    Entry, Evidence, Item, Limit, NextAction, Pointer, Repair, ResponseMode, Spot,
};
use windlass_packs::{
    Asked, Cursor, Format, Pack, PackSection, SectionStatus, StoredPack, ViewError, ViewOptions,
};

use crate::random::random_pack;
use crate::support::{
    Sandbox, cases, cursor, item, numbered, observation, observations, options, pack, weight,
};

fn onward(view: &Value) -> Option<Cursor> {
    let action = view["next_actions"].as_array()?.last()?;
    action["args"]["cursor"].as_str()?.parse().ok()
}

/// Reads a section to its end, page by page, starting after the part in the first view. If a page
/// doesn't fit, it's requested again with the reported minimum.
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
    #![proptest_config(cases(30))]

    #[test]
    fn pages_cover_everything_once(
        random in random_pack(),
        max in 200_usize..3_000,
        mode in prop_oneof![Just(ResponseMode::Facts), Just(ResponseMode::Minimal), Just(ResponseMode::Full)],
        noise_permille in prop_oneof![Just(0), 0_u32..=1000],
    ) {
        let (sandbox, pack) = random.make();
        let shown = ViewOptions { mode, noise_permille, ..options(max) };
        let Ok(first) = sandbox.json(&pack, &shown) else { return Ok(()) };
        let whole = ViewOptions { limit: Limit::Chars(1_000_000), ..shown };
        for (at, section) in first["sections"].as_array().unwrap().iter().enumerate() {
            let read = read_on(&sandbox, &pack, section, &shown);
            let from = Some(Cursor::new(&pack.key, at as u16, 0));
            let page = sandbox.json(&pack, &ViewOptions { from, ..whole }).unwrap();
            let all = read_on(&sandbox, &pack, &page["sections"][0], &whole);
            let pieces = |items: &[Value]| {
                let mut pieces: Vec<String> = items.iter().flat_map(pieces).collect();
                pieces.sort();
                pieces
            };
            prop_assert_eq!(pieces(&read), pieces(&all));
            let entries = |items: &[Value]| -> BTreeSet<String> {
                items.iter().map(|item| without_text(item.clone()).to_string()).collect()
            };
            prop_assert_eq!(entries(&read), entries(&all));
        }
    }

    #[test]
    fn omitted_sections_are_reachable(
        random in random_pack(),
        max in 150_usize..1_500,
    ) {
        let (sandbox, pack) = random.make();
        let shown = options(max);
        let Ok(first) = sandbox.json(&pack, &shown) else { return Ok(()) };
        let left_out = first["sections_left_out"].as_u64().unwrap_or(0) as usize;
        let left_out = &pack.sections[pack.sections.len() - left_out..];
        let wanted = left_out.iter().filter(|section| {
            !section.entries.is_empty() || section.reason.is_some()
        });
        let wanted: Vec<&str> = wanted.map(|section| section.id.as_str()).collect();
        let mut reached = Vec::new();
        let mut from = if left_out.is_empty() { None } else { onward(&first) };
        if from.is_none() {
            // Only sections without entries are missing.
            return Ok(());
        }
        while from.is_some() {
            let page = ViewOptions { from, ..shown };
            let page = match sandbox.json(&pack, &page) {
                Err(ViewError::TooSmall { least, .. }) => {
                    sandbox.json(&pack, &ViewOptions { limit: Limit::Chars(least), ..page }).unwrap()
                }
                page => page.unwrap(),
            };
            let section = &page["sections"][0];
            let is_empty = section["items"].as_array().unwrap().is_empty();
            prop_assert!(!is_empty || section["total_items"] == 0);
            let goes_on = cursor(section);
            if goes_on.is_none() {
                reached.push(section["id"].as_str().unwrap().to_owned());
            }
            from = goes_on.or_else(|| onward(&page));
        }
        prop_assert_eq!(reached, wanted);
    }

    #[test]
    fn pages_stay_within_limit(random in random_pack(), max in 1_usize..2_000) {
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

/// The lines of an item with their locations, or the single values of an observation.
fn pieces(entry: &Value) -> Vec<String> {
    fn values(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => {
                // If a page only shows a single empty line, its text is empty. So we can't count
                // empty lines.
                let lines = text.lines().filter(|line| !line.is_empty());
                out.extend(lines.map(str::to_owned));
            }
            Value::Array(list) => list.iter().for_each(|value| values(value, out)),
            Value::Object(map) => map.values().for_each(|value| values(value, out)),
            other => out.push(other.to_string()),
        }
    }
    let mut out = Vec::new();
    if let Some(value) = entry.get("value") {
        values(value, &mut out);
    }
    for evidence in entry
        .get("evidence")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let first = evidence
            .get("text_start_line")
            .unwrap_or(&evidence["start_line"]);
        let text = evidence.get("text").and_then(Value::as_str);
        let lines = text
            .into_iter()
            .flat_map(|text| text.split('\n'))
            .zip(first.as_u64().unwrap()..);
        out.extend(lines.map(|(line, number)| format!("{} {number} {line}", evidence["file"])));
        let around = |key: &str| -> Vec<&str> {
            let text = evidence.get(key).and_then(Value::as_str);
            text.into_iter().flat_map(|text| text.split('\n')).collect()
        };
        let (before, after) = (around("before"), around("after"));
        let number = |key: &str| evidence[key].as_u64().unwrap();
        let first = number("start_line").saturating_sub(before.len() as u64);
        let lines = before.iter().zip(first..);
        let lines = lines.chain(after.iter().zip(number("end_line") + 1..));
        out.extend(lines.map(|(line, number)| format!("{} {number} {line}", evidence["file"])));
        let pieces = evidence.get("pieces").and_then(Value::as_array);
        let pieces = pieces.into_iter().flatten();
        out.extend(pieces.map(|piece| format!("{} {piece}", evidence["file"])));
    }
    out
}

fn without_text(mut item: Value) -> Value {
    for key in ["value", "parts_before", "parts_cut", "parts_after"] {
        item.as_object_mut().unwrap().shift_remove(key);
    }
    for evidence in item
        .get_mut("evidence")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        let evidence = evidence.as_object_mut().unwrap();
        evidence.retain(|key, _| {
            let is_text = key.starts_with("text") || key.ends_with("_cut");
            !is_text && !["before", "after", "pieces"].contains(&key.as_str())
        });
    }
    item
}

/// All printed pages of `pack`, starting with the first view.
fn pages(sandbox: &Sandbox, pack: &Pack, shown: &ViewOptions) -> Vec<String> {
    let mut pages = Vec::new();
    let mut from = None;
    loop {
        let page = ViewOptions { from, ..*shown };
        let printed = sandbox.show(pack, &page).unwrap();
        assert!(weight(&printed, page.limit) <= page.limit.max());
        let call = printed.split_once("--cursor ").map(|(_, rest)| rest);
        let next = call.map(|rest| {
            let word: String = rest
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
                .collect();
            word.parse::<Cursor>().unwrap()
        });
        pages.push(printed);
        match next {
            Some(next) => from = Some(next),
            None => return pages,
        }
    }
}

#[test]
fn last_page_is_not_reported_as_cut() {
    let sandbox = Sandbox::with([]);
    let pack = pack(vec![sandbox.section("a", 100, observations(60))]);
    let pages = pages(&sandbox, &pack, &options(700));
    let (last, before) = pages.split_last().unwrap();
    assert!(before.iter().all(|page| page.contains("cut to 700")));
    assert!(!before.is_empty() && !last.contains("cut to"), "{last}");
}

#[test]
fn text_is_readable_to_its_end() {
    let (long, other) = (numbered("long", 1_000), numbered("other", 50));
    let sandbox = Sandbox::with([("a.rs", long.as_str()), ("b.rs", other.as_str())]);
    let entries = vec![
        item("first", vec![sandbox.fresh("a.rs", 1, 1_000)]),
        item(
            "second",
            vec![sandbox.fresh("b.rs", 1, 20), sandbox.fresh("b.rs", 30, 50)],
        ),
        observation(json!({"status": 0, "stdout": numbered("it", 300)})),
    ];
    let pack = pack(vec![sandbox.section("s", 9, entries)]);
    for format in [Format::Text { width: None }, Format::Markdown] {
        for max in [700, 2_000, 9_000, 100_000] {
            let shown = ViewOptions {
                format,
                ..options(max)
            };
            let all = pages(&sandbox, &pack, &shown).concat();
            for (name, numbers) in [("long", 1..=1_000), ("it", 1..=300)] {
                let lines: Vec<usize> = all
                    .lines()
                    .filter_map(|line| {
                        line.split_once(&format!("{name} says line "))?
                            .1
                            .parse()
                            .ok()
                    })
                    .collect();
                assert_eq!(
                    lines,
                    numbers.collect::<Vec<_>>(),
                    "{name} in {max} of {format:?}"
                );
            }
            assert_eq!(
                all.matches("other says line").count(),
                41,
                "{max} {format:?}"
            );
            assert_eq!(all.matches("status 0").count(), 1, "{max} {format:?}");
        }
    }
}

#[test]
fn long_line_window_and_rest_are_pages() {
    let long = (0..300).map(|at| format!("é-{at:03} ")).collect::<String>();
    let match_at = long.find("é-150").unwrap();
    let text = format!("first\n{long}\n{long}\nlast\n");
    let sandbox = Sandbox::with([("a.min.js", text.as_str())]);
    let found = Evidence {
        spots: vec![Spot {
            line: 2,
            column: u32::try_from(match_at).unwrap() + 1,
        }],
        ..sandbox.fresh("a.min.js", 2, 2)
    };
    let entries = vec![
        item("", vec![found]),
        item("", vec![sandbox.fresh("a.min.js", 1, 4)]),
    ];
    let pack = pack(vec![sandbox.section("s", 9, entries)]);

    let shown = sandbox.text(&pack);
    let line = shown.lines().find(|line| line.contains("a.min.js:2 "));
    let line = line.unwrap();
    assert!(line.contains(" …") && line.contains("é-150") && line.ends_with('…'));
    assert!(!line.contains("é-100") && !line.contains("é-299"));

    let whole = sandbox.json(&pack, &options(100_000)).unwrap();
    let evidence = &whole["sections"][0]["items"][0]["evidence"][0];
    // Each é has two bytes but counts as one character. The window has 400, including a mark on
    // either side.
    assert_eq!(evidence["chars_cut"], 1_800 - 398);
    for max in [1_500, 3_000, 100_000] {
        let first = sandbox.json(&pack, &options(max)).unwrap();
        let items = read_on(&sandbox, &pack, &first["sections"][0], &options(max));
        for (line, entry) in [(2, 1), (2, 4), (3, 4)] {
            let mut parts = BTreeMap::new();
            for item in items
                .iter()
                .filter(|item| item["evidence"][0]["end_line"] == if entry == 1 { 2 } else { 4 })
            {
                for piece in item["evidence"][0]["pieces"]
                    .as_array()
                    .into_iter()
                    .flatten()
                {
                    if piece["line"] == line {
                        let text = piece["text"].as_str().unwrap();
                        parts.insert(piece["column"].as_u64().unwrap(), text.trim_matches('…'));
                    }
                }
            }
            let rest: String = parts.values().copied().collect();
            assert_eq!(
                rest.chars().count(),
                1_800 - if entry == 1 { 398 } else { 399 }
            );
            assert_eq!(rest.contains("é-150"), entry != 1, "{max}");
            assert!(rest.contains("é-299"));
        }
    }
    let read: String = pages(&sandbox, &pack, &options(1_200)).concat();
    for at in 0..300 {
        assert!(read.contains(&format!("{at:03}")), "{at}");
    }
}

#[test]
fn cut_context_follows_on_next_page() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 100).as_str())]);
    let matched = |line| match item("", vec![sandbox.fresh("a.rs", line, line)]) {
        Entry::Item(found) => Entry::Item(Item {
            context: 2,
            ..found
        }),
        seen @ Entry::Observation(_) => seen,
    };
    let entries = (1..=9).map(|nr| matched(nr * 10)).collect();
    let pack = pack(vec![sandbox.section("s", 20, entries)]);
    for noise_permille in [0, 20, 100, 1_000] {
        for format in [Format::Text { width: None }, Format::Markdown] {
            let shown = ViewOptions {
                format,
                noise_permille,
                ..options(1_800)
            };
            let pages = pages(&sandbox, &pack, &shown);
            let around = |page: &String| page.contains("a says line 12\n");
            assert_eq!(pages.len() > 1, noise_permille < 1_000, "{format:?}");
            assert_eq!(around(&pages[0]), noise_permille >= 100, "{}", pages[0]);
            let all = pages.concat().replace('`', "\n");
            for line in 1..=100 {
                let is_match = line % 10 == 0 && line <= 90;
                let wanted = (8..=92).contains(&line) && (line + 2) % 10 <= 4;
                let found = all.matches(&format!("a says line {line}\n")).count();
                // A match is first printed next to its location. It's printed again between the
                // lines around it, once these follow.
                assert!(
                    found == usize::from(wanted) || (is_match && found > 0),
                    "{line}: {all}"
                );
            }
        }
    }
}

#[test]
fn text_after_bare_evidence_continues() {
    let file = numbered("file", 30);
    let sandbox = Sandbox::with([("a.rs", file.as_str())]);
    let evidence = [1, 5, 9].map(|line| sandbox.fresh("a.rs", line, line + 2));
    let said = ["one", "two"].map(|name| observation(json!(numbered(name, 40))));
    let entries = [vec![item("x", evidence.to_vec())], said.to_vec()].concat();
    let pack = pack(vec![sandbox.section("s", 9, entries)]);
    let mut want: Vec<String> = ["one", "two"]
        .iter()
        .flat_map(|name| (1..=40).map(move |line| format!("{name} says line {line}")))
        .collect();
    want.sort();
    for max in (1_200..3_000).step_by(12) {
        let shown = ViewOptions {
            mode: ResponseMode::Minimal,
            ..options(max)
        };
        let first = sandbox.json(&pack, &shown).unwrap();
        let read = read_on(&sandbox, &pack, &first["sections"][0], &shown);
        let mut lines: Vec<String> = read.iter().flat_map(pieces).collect();
        lines.sort();
        assert_eq!(lines, want, "{max}");
    }
}

#[test]
fn large_list_is_cut_between_elements() {
    let sandbox = Sandbox::with([]);
    let row = |at: usize| json!({"name": format!("row {at}"), "text": "x".repeat(190), "tags": ["a", "b"]});
    let rows: Vec<Value> = (0..60).map(row).collect();
    let pack = pack(vec![sandbox.section(
        "s",
        9,
        vec![observation(json!({"rows": rows}))],
    )]);
    let shown = options(3_000);
    let first = sandbox.json(&pack, &shown).unwrap();
    let read = read_on(&sandbox, &pack, &first["sections"][0], &shown);
    assert!(read.len() > 3, "{}", read.len());
    let joined: Vec<Value> = read
        .iter()
        .flat_map(|page| page["value"]["rows"].as_array().unwrap().clone())
        .collect();
    assert_eq!(joined, rows);
    assert_eq!(read[0]["parts_before"], Value::Null);
    assert_eq!(
        read[1]["parts_before"].as_u64().unwrap()
            + read[1]["parts_cut"].as_u64().unwrap()
            + 3 * read[1]["value"]["rows"].as_array().unwrap().len() as u64,
        180
    );
}

#[test]
fn huge_list_is_paged() {
    let sandbox = Sandbox::with([]);
    let digits: Vec<u64> = (0..200_000).map(|at| at % 10).collect();
    let entries = vec![observation(json!({"digits": digits, "status": 0}))];
    let pack = pack(vec![sandbox.section("s", 9, entries)]);
    let shown = options(90_000);
    let first = sandbox.json(&pack, &shown).unwrap();
    let read = read_on(&sandbox, &pack, &first["sections"][0], &shown);
    let pages = read.iter().map(|page| &page["value"]["digits"]);
    let joined: Vec<Value> = pages
        .flat_map(|digits| digits.as_array().unwrap().clone())
        .collect();
    assert_eq!(json!(joined), json!(digits));
    let parts = |page: &Value, name: &str| page[name].as_u64().unwrap_or(0);
    for pair in read.windows(2) {
        // Both numbers always count the same parts, wherever the page begins.
        let all = |page: &Value| parts(page, "parts_before") + parts(page, "parts_cut");
        assert!(parts(&pair[0], "parts_before") < parts(&pair[1], "parts_before"));
        assert!(all(&pair[1]) < 1 << 17);
    }
}

#[test]
fn oversized_entry_names_the_minimum() {
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
        // The first view can leave the huge entry to a page, but that page has to show it.
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
fn cut_section_has_a_cursor() {
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
fn next_call_repeats_explicit_options() {
    let sandbox = Sandbox::with([]);
    let pack = pack(vec![sandbox.section("a", 3, observations(8))]);
    let cursor = Cursor::new(&pack.key, 0, 3);
    let asked = |limit, mode| Asked { limit, mode };
    let text = Format::Text { width: Some(80) };
    for (format, limit, asked, want) in [
        (text, Limit::Chars(4_000), asked(false, false), ""),
        (
            text,
            Limit::Chars(4_000),
            asked(true, false),
            " --max-chars 4000",
        ),
        (
            Format::Markdown,
            Limit::Tokens(900),
            asked(true, true),
            " --max-tokens 900 --response-mode facts --format markdown",
        ),
        (
            Format::Json,
            Limit::Chars(4_000),
            asked(false, true),
            " --response-mode facts --format json",
        ),
    ] {
        let shown = ViewOptions {
            format,
            limit,
            asked,
            ..options(0)
        };
        let printed = sandbox.show(&pack, &shown).unwrap();
        let line = match format {
            Format::Json => {
                let json: Value = serde_json::from_str(&printed).unwrap();
                let call = &json["next_actions"][0];
                serde_json::from_value::<NextAction>(call.clone())
                    .unwrap()
                    .written_out()
            }
            _ => {
                let call = printed
                    .lines()
                    .find(|line| line.contains("--cursor"))
                    .unwrap();
                call[call.find("windlass").unwrap()..]
                    .trim_end_matches('`')
                    .to_owned()
            }
        };
        assert_eq!(line, format!("windlass run --cursor {cursor}{want}"));
    }
}

#[test]
fn reported_minimum_is_sufficient() {
    let sandbox = Sandbox::with([]);
    let sections = ["a", "b", "c"].map(|id| sandbox.section(id, 3, observations(8)));
    let pack = pack(sections.to_vec());
    for format in [Format::Text { width: None }, Format::Markdown, Format::Json] {
        for from in [None, Some(Cursor::new(&pack.key, 1, 3))] {
            let shown = ViewOptions {
                format,
                from,
                mode: ResponseMode::Full,
                ..options(1)
            };
            let Err(ViewError::TooSmall { least, .. }) = sandbox.show(&pack, &shown) else {
                panic!("{format:?}");
            };
            let asked = Asked {
                limit: true,
                mode: true,
            };
            let enough = ViewOptions {
                limit: Limit::Chars(least),
                asked,
                ..shown
            };
            assert!(sandbox.show(&pack, &enough).is_ok(), "{format:?} {least}");
        }
    }
}

#[test]
fn foreign_cursor_is_refused() {
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
fn tampered_stored_pack_is_rejected() {
    let sandbox = Sandbox::with([("a.rs", "one\n")]);
    let entries = vec![crate::support::item("x", vec![sandbox.fresh("a.rs", 1, 1)])];
    let pack = pack(vec![sandbox.section("s", 9, entries)]);
    let text = serde_json::to_string(&StoredPack::of(&pack).unwrap()).unwrap();
    let read = |text: &str| {
        serde_json::from_str::<StoredPack>(text)
            .unwrap()
            .into_pack()
    };
    assert_eq!(read(&text), Some(pack));
    // The digest doesn't match any more.
    assert_eq!(read(&text.replace("\"x\"", "\"y\"")), None);
    assert_eq!(
        read(&text.replace("\"schema_version\":1", "\"schema_version\":2")),
        None
    );
}

#[test]
fn pack_with_secret_file_name_is_not_stored() {
    let name = format!("notes-ghp_{}.md", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = "a line of some length that stands here alone\n";
    let sandbox = Sandbox::with([(name.as_str(), text), ("plain.md", "another\n")]);
    let stored = |evidence: Vec<Evidence>, candidates: Vec<Pointer>| {
        let mut section = sandbox.section("s", 9, vec![item("x", evidence)]);
        if let Some(Entry::Item(item)) = section.entries.first_mut() {
            item.evidence[0].judgement.repair = Some(Repair {
                candidates,
                ..Repair::unproven()
            });
        }
        StoredPack::of(&pack(vec![section])).is_some()
    };
    let named = sandbox.fresh(&name, 1, 1);
    let plain = sandbox.fresh("plain.md", 1, 1);
    let (at_named, at_plain) = (named.pointer.clone(), plain.pointer.clone());
    assert!(stored(vec![plain.clone()], vec![at_plain.clone()]));
    assert!(!stored(vec![plain.clone(), named], vec![at_plain]));
    // A candidate location counts as well, since it's stored along with the pack.
    assert!(!stored(vec![plain], vec![at_named]));
}

#[test]
fn omitted_failed_sections_are_reachable() {
    let sandbox = Sandbox::with([("a", "a\n")]);
    let mut sections = vec![sandbox.section("first", 10, observations(3))];
    for at in 0..8 {
        sections.push(PackSection {
            status: SectionStatus::Failed,
            reason: Some(format!("reason {at}: {}", "so it is ".repeat(12))),
            ..sandbox.section(&format!("failed{at}"), 10, Vec::new())
        });
    }
    let pack = pack(sections);
    for max in (700..2_600).step_by(50) {
        let Ok(first) = sandbox.json(&pack, &options(max)) else {
            continue;
        };
        let mut seen = format!("{first}");
        let mut from = (first["sections_left_out"] != Value::Null)
            .then(|| onward(&first))
            .flatten();
        while from.is_some() {
            let page = ViewOptions {
                from,
                ..options(max)
            };
            let page = sandbox.json(&pack, &page).unwrap();
            seen += &page.to_string();
            from = cursor(&page["sections"][0]).or_else(|| onward(&page));
        }
        for at in 0..8 {
            assert!(
                seen.contains(&format!("reason {at}: ")),
                "{max}: {at} is lost: {first}"
            );
        }
    }
}
