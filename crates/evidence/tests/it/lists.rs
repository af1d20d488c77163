//! Lists of records that are alike but for a name and a number.

use crate::history::History;

/// Numbered items, one for each name.
fn form(names: &[&str]) -> String {
    let item = |(at, name): (usize, &&str)| {
        format!(
            "  <item index=\"{}\">\n    <name>{name}</name>\n    <visible>true</visible>\n    <type>text</type>\n  </item>\n",
            at + 1
        )
    };
    let items: String = names.iter().enumerate().map(item).collect();
    format!("<form>\n{items}</form>\n")
}

/// The place of the item of this number.
fn lines(nr: u32) -> (u32, u32) {
    (nr * 5 - 3, nr * 5 + 1)
}

#[test]
fn a_record_is_not_taken_for_the_one_that_has_its_number_now() {
    let names = ["street", "city", "country", "phone", "email"];
    let history = History::with(&[("f.xml", &form(&names))]);
    let captured: Vec<_> = (1..=5)
        .map(|nr| history.capture("f.xml", lines(nr)))
        .collect();
    let after = ["title", "street", "city", "country", "phone", "email"];
    history.write(&[("f.xml", &form(&after))]);
    for state in ["written", "committed"] {
        for (nr, captured) in (1..).zip(&captured) {
            let (first, last) = lines(nr + 1);
            let said = history.said(captured);
            let right = format!("edited f.xml:{first}-{last}");
            assert!(
                said == "ambiguous" || said == "unproven" || said == right,
                "{state} {nr}: {said}"
            );
        }
        history.commit();
    }
}

#[test]
fn records_that_change_places_are_not_taken_for_each_other() {
    let names = ["street", "city", "country", "phone", "email"];
    let history = History::with(&[("f.xml", &form(&names))]);
    let captured = history.capture("f.xml", lines(2));
    let after = ["street", "phone", "country", "city", "email"];
    history.step(&[("f.xml", &form(&after))]);
    let said = history.said(&captured);
    assert!(
        ["ambiguous", "unproven", "edited f.xml:17-21"].contains(&&*said),
        "{said}"
    );
}

/// Jobs of which each has a name and a command of its own.
fn jobs(names: &[&str]) -> String {
    let job = |name: &&str| {
        format!(
            "  {name}:\n    runs-on: ubuntu-latest\n    timeout-minutes: 10\n    steps:\n      - uses: actions/checkout@v4\n      \
             - uses: actions/setup-node@v4\n      - run: npm run {name}\n\n"
        )
    };
    let jobs: String = names.iter().map(job).collect();
    format!("on: push\n\njobs:\n{jobs}")
}

#[test]
fn a_record_that_was_deleted_is_not_taken_for_one_that_was_added_elsewhere() {
    let history = History::with(&[(
        "ci.yml",
        &jobs(&["lint", "build", "unit", "docs", "bench", "publish"]),
    )]);
    let captured = history.capture("ci.yml", (36, 42));
    history.write(&[(
        "ci.yml",
        &jobs(&["lint", "spelling", "build", "unit", "docs", "publish"]),
    )]);
    for state in ["written", "committed"] {
        let said = history.said(&captured);
        assert!(!said.starts_with("edited"), "{state}: {said}");
        assert!(!said.starts_with("moved"), "{state}: {said}");
        history.commit();
    }
}

#[test]
fn a_section_is_not_taken_for_two() {
    let section = |nr: usize, name: &str| {
        let words = |what: &str| {
            format!(
                "The {name} {what} is told by {name} number {}.\n",
                name.len()
            )
        };
        format!(
            "## {nr}. {name}\n\n{}{}{}\n",
            words("first"),
            words("second"),
            words("third")
        )
    };
    let text = |names: [&str; 4]| -> String {
        let sections = (1..).zip(names).map(|(nr, name)| section(nr, name));
        sections.collect()
    };
    let history = History::with(&[("o.md", &text(["alpha", "bravo", "charlie", "delta"]))]);
    let captured = history.capture("o.md", (13, 18));
    history.step(&[("o.md", &text(["alpha", "charlie", "bravo", "delta"]))]);
    let said = history.said(&captured);
    assert!(
        [
            "ambiguous",
            "unproven",
            "edited o.md:7-12",
            "edited o.md:7-11"
        ]
        .contains(&&*said),
        "{said}"
    );
}

#[test]
fn what_another_record_has_in_common_with_a_deleted_one_is_not_it() {
    let case = |name: &str, number: u32| {
        format!("    case {name}:\n        handle(context, {number});\n        break;\n")
    };
    let text = |cases: &[(&str, u32)]| -> String {
        let cases: String = cases
            .iter()
            .map(|(name, number)| case(name, *number))
            .collect();
        format!("switch (x) {{\n{cases}}}\n")
    };
    let before = [
        ("VIVID", 49),
        ("SOLAR", 26),
        ("BRICK", 25),
        ("MANGO", 25),
        ("IVORY", 5),
    ];
    let history = History::with(&[("a.c", &text(&before))]);
    let (brick, mango) = (
        history.capture("a.c", (8, 10)),
        history.capture("a.c", (11, 13)),
    );
    history.step(&[("a.c", &text(&[before[0], before[2], before[4]]))]);
    assert_eq!(history.said(&brick), "moved a.c:5-7");
    let said = history.said(&mango);
    assert!(!said.starts_with("edited"), "{said}");
}
