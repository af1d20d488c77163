//! Checks that printed packs never exceed the limit, and that they divide it fairly.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use windlass_base::{Entry, Limit, ResponseMode};
use windlass_packs::{Format, Pack, TextPolicy, ViewError, ViewOptions, clean_value, pack_schema};

use crate::random::random_pack;
use crate::support::{
    FORMATS, MODES, Sandbox, cases, item, numbered, observation, observations, options, pack,
    weight,
};

/// Checks everything that must hold for any view of any pack. If the limit is too small, the
/// reported minimum must be enough.
fn check(sandbox: &Sandbox, pack: &Pack, options: &ViewOptions) {
    let printed = match sandbox.show(pack, options) {
        Ok(printed) => printed,
        Err(ViewError::TooSmall { given, least }) => {
            assert!(least > given && given == options.limit.max());
            let limit = match options.limit {
                Limit::Chars(_) => Limit::Chars(least),
                Limit::Tokens(_) => Limit::Tokens(least),
            };
            let enough = ViewOptions { limit, ..*options };
            let printed = sandbox.show(pack, &enough);
            let printed = printed.unwrap_or_else(|error| panic!("{least} was enough: {error}"));
            assert!(weight(&printed, limit) <= least);
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let used = weight(&printed, options.limit);
    assert!(
        used <= options.limit.max(),
        "{used} of {:?}:\n{printed}",
        options.limit
    );
    assert!(!printed.contains(harmful), "{printed:?}");
    match options.format {
        Format::Json | Format::Tron => check_json(sandbox, pack, options, &printed),
        Format::Markdown => check_markdown(pack, &printed),
        Format::Text { .. } | Format::Html => {}
    }
}

fn harmful(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}"
            .contains(c)
        || "\u{2066}\u{2067}\u{2068}\u{2069}".contains(c)
}

/// The JSON Schema that printed packs must conform to.
static SCHEMA: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| jsonschema::validator_for(&pack_schema()).unwrap());

fn check_json(sandbox: &Sandbox, pack: &Pack, options: &ViewOptions, printed: &str) {
    let json: Value = match options.format {
        Format::Tron => windlass_tron::from_str(printed).unwrap(),
        _ => serde_json::from_str(printed).unwrap(),
    };
    if let Err(error) = SCHEMA.validate(&json) {
        panic!("{error} at {}:\n{printed}", error.instance_path());
    }
    // The pack states its own size.
    assert_eq!(
        json["budget"]["used"],
        weight(printed, options.limit),
        "{printed}"
    );
    let sections = json["sections"].as_array().unwrap();
    let left_out = json["sections_left_out"].as_u64().unwrap_or(0) as usize;
    assert_eq!(sections.len() + left_out, pack.sections.len());
    let mut truncated = left_out > 0;
    for (section, whole) in sections.iter().zip(&pack.sections) {
        assert_eq!(section["id"], whole.id.as_str());
        assert_eq!(section["status"], whole.status.as_str());
        assert_eq!(section["total_items"], whole.entries.len());
        let items = section["items"].as_array().unwrap();
        assert!(items.len() <= whole.limit);
        let mut cut = items.len() < whole.entries.len();
        for (item, entry) in items.iter().zip(&whole.entries) {
            match entry {
                Entry::Observation(seen) => {
                    let is_part = item.get("parts_cut").is_some();
                    assert!(is_part || item["value"] == cleaned(&seen.value));
                    cut |= is_part;
                }
                Entry::Item(whole) => {
                    assert_eq!(
                        item.get("label").and_then(Value::as_str).unwrap_or(""),
                        clean_value(whole.label.clone())
                    );
                    for evidence in item["evidence"].as_array().unwrap() {
                        check_text(sandbox, evidence, options.mode);
                        cut |= ["lines_cut", "chars_cut", "context_cut"]
                            .iter()
                            .any(|key| evidence.get(key).is_some());
                    }
                }
            }
        }
        assert_eq!(section["truncated"], cut);
        assert_eq!(section.get("next_cursor").is_some(), cut);
        truncated |= cut;
    }
    assert_eq!(json["budget"]["truncated"], truncated);
}

/// Replaces harmful characters in `value`, in the same way as packs do.
fn cleaned(value: &Value) -> Value {
    match value {
        Value::String(text) => clean_value(text.clone()).into(),
        Value::Array(items) => items.iter().map(cleaned).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| (clean_value(name.clone()), cleaned(value)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

fn check_text(sandbox: &Sandbox, evidence: &Value, mode: ResponseMode) {
    let Some(text) = evidence.get("text") else {
        return;
    };
    assert_eq!(evidence["status"], "fresh", "{evidence}");
    assert_ne!(mode, ResponseMode::Minimal);
    let number =
        |key: &str, or: u64| evidence.get(key).map_or(or, |v| v.as_u64().unwrap()) as usize;
    let (start, end) = (number("start_line", 0), number("end_line", 0));
    let first = number("text_start_line", start as u64);
    let contents = std::fs::read_to_string(sandbox.at(evidence["file"].as_str().unwrap())).unwrap();
    let contents = clean_value(contents);
    let whole: Vec<&str> = contents.split('\n').collect();
    let shown: Vec<&str> = text.as_str().unwrap().split('\n').collect();
    for (line, want) in shown.iter().zip(&whole[first - 1..]) {
        match line.strip_suffix('…') {
            Some(part) if *line != *want => assert!(want.starts_with(part), "{line} {want}"),
            _ => assert_eq!(line, want),
        }
    }
    let last = first + shown.len() - 1;
    assert_eq!(
        number("lines_cut", 0),
        end.saturating_sub(last),
        "{evidence}"
    );
}

/// Checks that no text from a file breaks out of its code block: every fence must be closed, and
/// all headings outside of code must be those of sections.
fn check_markdown(pack: &Pack, printed: &str) {
    let (mut fence, mut headings) = (None::<String>, 0);
    for line in printed.lines() {
        let inner = line.strip_prefix("- ").unwrap_or(line).trim_start();
        let run: String = inner.chars().take_while(|c| *c == '`').collect();
        let tildes = inner.starts_with("~~~");
        match &fence {
            Some(open) if line.trim_end() == run && run.len() >= open.len() => fence = None,
            Some(_) => {}
            None if run.len() >= 3 && !inner[run.len()..].contains('`') => fence = Some(run),
            None => {
                assert!(!tildes, "{line}");
                headings += usize::from(line.starts_with("## "));
            }
        }
    }
    assert_eq!(fence, None, "{printed}");
    let most = pack.sections.len() + 1;
    assert!(headings <= most, "{headings} headings:\n{printed}");
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn view_stays_within_limit(
        random in random_pack(),
        limits in prop::collection::vec(prop_oneof![1_usize..400, 300_usize..5_000], 6),
        noise_permille in 0_u32..=1000,
    ) {
        let (sandbox, pack) = random.make();
        let mut limits = limits.into_iter().cycle();
        for format in FORMATS {
            for mode in MODES {
                for text in [TextPolicy::InPlace, TextPolicy::Repaired] {
                    let limit = Limit::Chars(limits.next().unwrap());
                    check(&sandbox, &pack, &ViewOptions { limit, format, mode, text, noise_permille, ..options(0) });
                }
            }
        }
    }

    #[test]
    fn digest_is_independent_of_view(random in random_pack()) {
        let (sandbox, pack) = random.make();
        let digests = [300, 3_000, 30_000].map(|max| {
            let json = sandbox.json(&pack, &options(max));
            json.ok().map(|json| json["digest"].as_str().unwrap().to_owned())
        });
        let (_, again) = random.make();
        prop_assert_eq!(pack.digest, again.digest);
        for digest in digests.into_iter().flatten() {
            prop_assert_eq!(digest, pack.digest.to_string());
        }
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn token_limit_is_kept(random in random_pack(), max in 1_usize..1_500) {
        let (sandbox, pack) = random.make();
        for format in [Format::Text { width: None }, Format::Markdown, Format::Json] {
            let limit = Limit::Tokens(max);
            check(&sandbox, &pack, &ViewOptions { limit, format, ..options(0) });
        }
    }
}

#[test]
fn every_small_limit_is_kept() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 9).as_str())]);
    let entries = vec![
        item("first", vec![sandbox.fresh("a.rs", 2, 5)]),
        item("second", vec![sandbox.stale("a.rs", 1, 1)]),
    ];
    let pack = pack(vec![
        sandbox.section("s", 9, entries),
        sandbox.section("t", 9, observations(3)),
    ]);
    for format in FORMATS {
        for max in (1..700).step_by(3) {
            check(
                &sandbox,
                &pack,
                &ViewOptions {
                    format,
                    ..options(max)
                },
            );
        }
    }
}

#[test]
fn sections_are_listed_if_they_fit() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 200).as_str())]);
    let big = |id| {
        sandbox.section(
            id,
            50,
            vec![item("whole", vec![sandbox.fresh("a.rs", 1, 200)])],
        )
    };
    let pack = pack(vec![big("a"), big("b"), big("c"), big("d")]);
    for format in FORMATS {
        let printed = sandbox
            .show(
                &pack,
                &ViewOptions {
                    format,
                    ..options(1_000)
                },
            )
            .unwrap();
        for id in ["a", "b", "c", "d"] {
            assert!(
                printed.contains(&format!("Section {id}")),
                "{id} in:\n{printed}"
            );
        }
    }
    // With less room, the other sections are just counted.
    let printed = sandbox.show(&pack, &options(110)).unwrap();
    assert!(
        printed.contains("Section a")
            && printed.contains("3 more sections omitted; raise the budget"),
        "{printed}"
    );
    // With a bit more room, a call leads to them.
    for format in FORMATS {
        let small = ViewOptions {
            format,
            ..options(620)
        };
        let printed = sandbox.show(&pack, &small).unwrap();
        let said = ["windlass run --cursor ", "{\"cursor\":"];
        assert!(said.iter().any(|said| printed.contains(said)), "{printed}");
    }
    let printed = sandbox.show(&pack, &options(190)).unwrap();
    assert!(
        printed.contains("more section") && printed.contains("windlass run --cursor "),
        "{printed}"
    );
}

#[test]
fn two_large_sections_share_equally() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 300).as_str())]);
    let long = || vec![item("long", vec![sandbox.fresh("a.rs", 1, 300)])];
    for (name, first, second) in [
        ("long, many", long(), observations(300)),
        ("many, long", observations(300), long()),
        ("long, long", long(), long()),
        ("many, many", observations(300), observations(300)),
    ] {
        let pack = pack(vec![
            sandbox.section("x", 500, first),
            sandbox.section("y", 500, second),
        ]);
        for format in FORMATS {
            let printed = sandbox
                .show(
                    &pack,
                    &ViewOptions {
                        format,
                        ..options(4_000)
                    },
                )
                .unwrap();
            let half = printed.find("Section y").unwrap();
            // Room is divided by sizes in JSON, while similar entries take less in TRON.
            let about = match format {
                Format::Tron => 1_200..2_800,
                _ => 1_600..2_400,
            };
            assert!(
                about.contains(&half),
                "{name} {format:?}: {half}\n{printed}"
            );
            let all = weight(&printed, Limit::Chars(0));
            assert!(all > 3_600, "{name} {format:?}: only {all} used");
        }
    }
}

#[test]
fn small_section_is_whole_beside_large() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 300).as_str())]);
    let greedy = item("long", vec![sandbox.fresh("a.rs", 1, 300)]);
    let pack = pack(vec![
        sandbox.section("x", 9, vec![greedy]),
        sandbox.section("y", 9, observations(5)),
    ]);
    for format in FORMATS {
        let printed = sandbox
            .show(
                &pack,
                &ViewOptions {
                    format,
                    ..options(2_500)
                },
            )
            .unwrap();
        assert!(printed.contains("entry number 4"), "{printed}");
    }
}

#[test]
fn notes_do_not_displace_entries() {
    let sandbox = Sandbox::with([]);
    let mut pack = pack(vec![sandbox.section("s", 20, observations(10))]);
    pack.runbook.purpose = "purpose ".repeat(40);
    let printed = sandbox.show(&pack, &options(400)).unwrap();
    assert!(!printed.contains("purpose"), "{printed}");
    assert!(printed.contains("entry number 9"), "{printed}");
}

#[test]
fn cut_text_ends_on_line_with_mark() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 60).as_str())]);
    let pack = pack(vec![sandbox.section(
        "s",
        9,
        vec![item("x", vec![sandbox.fresh("a.rs", 11, 50)])],
    )]);
    for format in [Format::Text { width: None }, Format::Markdown] {
        let printed = sandbox
            .show(
                &pack,
                &ViewOptions {
                    format,
                    ..options(550)
                },
            )
            .unwrap();
        let shown: Vec<&str> = printed
            .lines()
            .filter(|line| line.contains("says line"))
            .collect();
        assert!(shown.len() > 5, "{printed}");
        for (line, number) in shown.iter().zip(11..) {
            assert!(line.ends_with(&format!("a says line {number}")), "{line}");
        }
        let left = 40 - shown.len();
        assert!(
            printed.contains(&format!("…  {left} more lines")),
            "{printed}"
        );
    }
}

#[test]
fn long_observation_is_cut_on_lines() {
    let sandbox = Sandbox::with([]);
    let long = |key: &str| observation(json!({ key: numbered("it", 300) }));
    let pack = pack(vec![sandbox.section(
        "s",
        9,
        vec![long("a"), observation(json!("short")), long("b")],
    )]);
    for format in [Format::Text { width: None }, Format::Markdown] {
        let printed = sandbox
            .show(
                &pack,
                &ViewOptions {
                    format,
                    ..options(2_000)
                },
            )
            .unwrap();
        let (a, b) = printed.split_once("short").unwrap();
        for part in [a, b] {
            let shown = part.matches("it says line").count();
            assert!((20..60).contains(&shown), "{printed}");
            assert!(
                part.contains(&format!("…  {} more lines", 300 - shown)),
                "{printed}"
            );
        }
        assert!(
            printed.contains("(3)") || printed.contains("observed  3"),
            "{printed}"
        );
    }
    assert!(sandbox.text(&pack).contains("it says line 300"));
}

#[test]
fn match_is_shown_with_its_line() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 90).as_str())]);
    let matches = (1..=90).map(|line| item("", vec![sandbox.fresh("a.rs", line, line)]));
    let pack = pack(vec![sandbox.section("s", 90, matches.collect())]);
    for format in FORMATS {
        for max in [700, 1_500, 3_000] {
            let options = ViewOptions {
                format,
                ..options(max)
            };
            let printed = sandbox.show(&pack, &options).unwrap();
            let (places, lines) = (
                printed.matches("a.rs").count(),
                printed.matches("a says").count(),
            );
            assert!(
                places == lines && lines > 0,
                "{places} {lines} in:\n{printed}"
            );
        }
    }
}

#[test]
fn context_stays_within_noise_budget() {
    let sandbox = Sandbox::with([("a.rs", numbered("a", 300).as_str())]);
    let entries = (0..10_u32).map(|at| {
        let mut entry = item("x", vec![sandbox.fresh("a.rs", 20 * at + 10, 20 * at + 11)]);
        if let Entry::Item(item) = &mut entry {
            item.context = 3;
        }
        entry
    });
    let pack = pack(vec![sandbox.section("s", 20, entries.collect())]);
    for max in [3_000, 6_000] {
        let length = |noise_permille| {
            let printed = sandbox.show(
                &pack,
                &ViewOptions {
                    noise_permille,
                    ..options(max)
                },
            );
            weight(&printed.unwrap(), Limit::Chars(max))
        };
        let none = length(0);
        for noise in [10, 50, 100, 200, 500, 1000] {
            let context = length(noise) - none;
            assert!(
                context <= max * noise as usize / 1000,
                "{context} with {noise} of {max}"
            );
            assert!(noise < 100 || context > 0, "{noise}");
        }
    }
    let printed = sandbox.show(&pack, &options(6_000)).unwrap();
    assert!(
        printed.contains("a says line 7\n") && printed.contains("a says line 14\n"),
        "{printed}"
    );
}

#[test]
fn large_section_is_counted() {
    let sandbox = Sandbox::with([]);
    let pack = pack(vec![sandbox.section("s", 10, observations(1_000))]);
    let json = sandbox.json(&pack, &options(8_000)).unwrap();
    assert_eq!(json["sections"][0]["items"].as_array().unwrap().len(), 10);
    assert_eq!(json["sections"][0]["total_items"], json!(1_000));
    assert!(sandbox.text(&pack).contains("10 of 1000"));
}

#[test]
fn small_rest_of_room_is_used() {
    let text = numbered("a", 40);
    let sandbox = Sandbox::with([("a", text.as_str())]);
    // Each entry in JSON takes more than a sixth of the room that the headers of the sections
    // leave.
    let sections = (0..6).map(|at| {
        let entries = vec![item("x", vec![sandbox.fresh("a", at + 1, at + 3)])];
        sandbox.section(&format!("s{at}"), 10, entries)
    });
    let pack = pack(sections.collect());
    let empty = |max| {
        let json = sandbox.json(&pack, &options(max)).unwrap();
        let sections = json["sections"].as_array().unwrap();
        let shown = sections
            .iter()
            .filter(|section| section["items"] != json!([]))
            .count();
        (
            shown,
            max - json["budget"]["used"].as_u64().unwrap() as usize,
        )
    };
    let mut before = 0;
    for max in (1_200..4_000).step_by(50) {
        let (shown, left) = empty(max);
        assert!(shown >= before, "{max} shows less than before");
        assert!(
            shown == 6 || left < 500,
            "{max}: {left} are left, {shown} sections show something"
        );
        before = shown;
    }
    assert_eq!(before, 6);
}
