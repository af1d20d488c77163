//! Lists of records that differ only in a name and a number.

use crate::history::History;

/// Returns numbered items, one for each name.
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

/// Returns the lines of the item with this number.
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
    // Each item has the number and the lines that its successor had.
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

/// Returns jobs, each of which has its own name and command.
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
fn deleted_record_is_not_added_one() {
    let history = History::with(&[(
        "ci.yml",
        &jobs(&["lint", "build", "unit", "docs", "bench", "publish"]),
    )]);
    let captured = history.capture("ci.yml", (36, 42));
    // `bench` is deleted, and `spelling` is added.
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
    // Two sections change places, and the numbers in their headings change with them.
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
fn common_lines_are_not_deleted_record() {
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
    // `BRICK` has two of its three lines in common with `MANGO`, which is deleted.
    history.step(&[("a.c", &text(&[before[0], before[2], before[4]]))]);
    assert_eq!(history.said(&brick), "moved a.c:5-7");
    let said = history.said(&mango);
    assert!(!said.starts_with("edited"), "{said}");
}

/// Returns tests of which only the first two lines are unique.
fn tests(of: &[(&str, u32, u32)]) -> String {
    let one = |(name, number, most): &(&str, u32, u32)| {
        format!(
            "def test_{name}(client):\n    r = client.get(\"/{name}/{number}\")\n    assert r.ok\n    assert r.json()\n    \
             assert not r.errors\n    assert len(r.text) < {most}\n\n"
        )
    };
    of.iter().map(one).collect()
}

/// Returns JSON records of which only the first two lines are unique.
fn objects(of: &[(&str, u32, u32)]) -> String {
    let one = |(name, number, most): &(&str, u32, u32)| {
        format!(
            "  {{\n    \"name\": \"{name}\",\n    \"port\": {number},\n    \"tls\": true,\n    \"retries\": 3,\n    \
             \"timeout\": {most}\n  }},\n"
        )
    };
    let objects: String = of.iter().map(one).collect();
    format!("[\n{objects}]\n")
}

const ANY: [(&str, u32, u32); 6] = [
    ("amber", 8000, 30),
    ("bison", 8001, 30),
    ("cedar", 8002, 30),
    ("delta", 8003, 30),
    ("ember", 8004, 60),
    ("fjord", 8005, 30),
];

/// Returns the lines that all records have, in the record with this number (from 0). The first
/// range is for tests, the second for JSON records.
fn common(nr: u32) -> [(u32, u32); 2] {
    [(nr * 7 + 3, nr * 7 + 5), (nr * 7 + 5, nr * 7 + 6)]
}

#[test]
fn lines_that_all_records_have_go_where_their_own_goes() {
    let [amber, bison, cedar, delta, ember, fjord] = ANY;
    let after = [amber, cedar, bison, delta, ember, fjord];
    for (nr, file) in [tests, objects].iter().enumerate() {
        let place = |at| common(at)[nr];
        let history = History::with(&[("a.txt", &file(&ANY))]);
        let captured: Vec<_> = (0..6)
            .map(|at| history.capture("a.txt", place(at)))
            .collect();
        history.write(&[("a.txt", &file(&after))]);
        for state in ["written", "committed"] {
            for (at, now) in [(0, 0), (1, 2), (2, 1), (3, 3), (4, 4), (5, 5)] {
                let said = history.said(&captured[at]);
                let (first, last) = place(now);
                let right = [
                    format!("moved a.txt:{first}-{last}"),
                    "fresh".to_owned(),
                    "ambiguous".to_owned(),
                ];
                // "fresh" is only right for a record that hasn't moved.
                let is_right = right.contains(&said) && (said != "fresh" || at as u32 == now);
                assert!(is_right, "{nr} {state} {at}: {said}");
            }
            history.commit();
        }
    }
}

#[test]
fn shared_lines_do_not_move_to_next_record() {
    let [amber, bison, cedar, delta, _, fjord] = ANY;
    let longer = (delta.0, delta.1, 60);
    let late = ("ivory", 8009, 30);
    // `ember` is deleted in each of them. In the first one, the record before it gets the same
    // limit.
    let afters = [
        vec![amber, bison, cedar, longer, fjord],
        vec![amber, bison, cedar, delta, fjord],
        vec![amber, late, bison, cedar, delta, fjord],
    ];
    for (nr, file) in [tests, objects].iter().enumerate() {
        for (state, after) in afters.iter().enumerate() {
            let history = History::with(&[("a.txt", &file(&ANY))]);
            // Captures these lines in the record of ember.
            let captured = history.capture("a.txt", common(4)[nr]);
            history.step(&[("a.txt", &file(after))]);
            let said = history.said(&captured);
            assert!(
                ["gone", "ambiguous", "unproven"].contains(&&*said),
                "{nr} {state}: {said}"
            );
        }
    }
}

#[test]
fn record_stops_before_inserted_one() {
    let [amber, bison, cedar, ..] = ANY;
    let longer = (amber.0, amber.1, 60);
    let late = ("ivory", 8047, 30);
    let history = History::with(&[("a.json", &objects(&[amber, bison, cedar]))]);
    let (whole, common) = (
        history.capture("a.json", (2, 8)),
        history.capture("a.json", (5, 7)),
    );
    history.step(&[("a.json", &objects(&[longer, late, bison, cedar]))]);
    assert_eq!(history.said(&whole), "edited a.json:2-8");
    let said = history.said(&common);
    assert!(
        ["edited a.json:5-7", "ambiguous", "unproven"].contains(&&*said),
        "{said}"
    );
}

#[test]
fn moved_in_record_is_not_replaced_one() {
    let service = |(name, port): &(&str, u32)| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: {name}\nspec:\n  ports:\n    - port: {port}\n      protocol: TCP\n"
        )
    };
    let file = |of: &[(&str, u32)]| of.iter().map(service).collect::<String>();
    let [web, bison] = [("web", 8001), ("bison", 8050)];
    let [database, yields] = [("db", 5432), ("yield", 8012)];
    let history = History::with(&[
        ("a.yml", &file(&[web, bison])),
        ("b.yml", &file(&[database, yields])),
    ]);
    let captured = history.capture("a.yml", (10, 18));
    // `yield` comes from the other file and takes the place of `bison`, which is deleted.
    history.step(&[
        ("a.yml", &file(&[web, yields])),
        ("b.yml", &file(&[database])),
    ]);
    let said = history.said(&captured);
    assert!(
        ["ambiguous", "unproven", "gone"].contains(&&*said),
        "{said}"
    );
    // A record that was renamed is still the same one, but only lines that all records have show
    // it.
    let history = History::with(&[("a.yml", &file(&[web, bison]))]);
    let captured = history.capture("a.yml", (10, 18));
    history.step(&[("a.yml", &file(&[web, yields]))]);
    let said = history.said(&captured);
    assert!(
        ["edited a.yml:10-18", "ambiguous"].contains(&&*said),
        "{said}"
    );
}

#[test]
fn replaced_end_is_not_claimed_across() {
    let record = |(name, version, feature, optional): &(&str, &str, &str, bool)| {
        format!(
            "[{name}]\nversion = \"{version}\"\nfeatures = [\"{feature}\"]\noptional = {optional}\n\n"
        )
    };
    let records = |all: &[(&str, &str, &str, bool)]| -> String {
        let all: String = all.iter().map(record).collect();
        format!("[package]\nname = \"x\"\n\n{all}")
    };
    let first = ("event.fetch", "0.2", "socket", false);
    let (own, last) = (
        ("tree.split", "2.1", "page", true),
        ("lexer.write", "1.2", "lexer", false),
    );
    let history = History::with(&[("a.toml", &records(&[first, own, last]))]);
    let captured = history.capture("a.toml", (11, 12));
    let (another, like_it) = (
        ("route.drop", "2.5", "user", false),
        ("lexer.open", "2.6", "batch", true),
    );
    // The first captured line resembles one in the record that replaces its own, and the second
    // line equals one in the record after that. A claim must not cover both.
    history.step(&[("a.toml", &records(&[first, another, like_it, last]))]);
    let said = history.said(&captured);
    assert_ne!(said, "edited a.toml:11-17");
}

#[test]
fn rewritten_record_needs_more_than_a_line() {
    let record = |name: &str, version: u32, driver: &str, port: u32| {
        format!(
            "{name}:\n  image: {name}:{version}\n  restart: always\n  logging:\n    driver: {driver}\n  ports:\n    - \"{port}:80\"\n"
        )
    };
    let first = record("filestore", 2, "json", 6456) + "  depends_on: [match]\n\n";
    let before = first.clone() + &record("answers", 4, "syslog", 2715) + "  depends_on: [next]\n";
    let history = History::with(&[("s.yaml", &before)]);
    let captured = history.capture("s.yaml", (10, 16));
    history.step(&[("s.yaml", &(first + &record("reasons", 6, "syslog", 2504)))]);
    // Apart from the lines that all records have, only the log driver is the same.
    let said = history.said(&captured);
    assert!(!said.contains(' '), "{said}");
}

/// Returns a service. Except for the log driver, its lines are unique or common to all services.
fn service(name: &str, port: u32, driver: &str) -> String {
    format!(
        "  {name}:\n    image: {name}:{port}\n    restart: always\n    logging:\n      driver: {driver}\n    ports:\n      - \"{port}:80\"\n"
    )
}

#[test]
fn moved_out_record_is_not_successor() {
    let (state, group) = (
        service("state", 1446, "syslog"),
        service("group", 6001, "syslog"),
    );
    let later = service("later", 4200, "syslog");
    let (names, texts) = (
        service("names", 9130, "json"),
        service("texts", 7565, "json"),
    );
    let one = |service: &str| format!("services:\n{state}{service}");
    let two = |service: &str| format!("services:\n{group}{service}{later}");
    let history = History::with(&[("one.yaml", &one(&names)), ("two.yaml", &two(&texts))]);
    let captured: Vec<_> = [(9, 15), (11, 15)]
        .map(|lines| history.capture("one.yaml", lines))
        .into();
    // The two services are exchanged. Nothing else in these files has the JSON driver.
    history.write(&[("one.yaml", &one(&texts)), ("two.yaml", &two(&names))]);
    for state in ["written", "committed"] {
        for captured in &captured {
            let said = history.said(captured);
            assert!(
                ["ambiguous", "unproven", "moved two.yaml:9-15"].contains(&&*said),
                "{state}: {said}"
            );
        }
        history.commit();
    }
}

#[test]
fn the_number_of_a_record_does_not_tell_which_it_is() {
    let table = |names: &[&str]| {
        let record = |(at, name): (usize, &&str)| {
            let nr = at + 1;
            format!(
                "  - code: E{nr:03}\n    name: {name}\n    http: 400\n    retry: false\n    doc: https://docs.example.com/e{nr:03}\n"
            )
        };
        let records: String = names.iter().enumerate().map(record).collect();
        format!("errors:\n{records}")
    };
    let history = History::with(&[(
        "e.yaml",
        &table(&["open", "close", "rename", "move", "delete"]),
    )]);
    let captured = history.capture("e.yaml", (2, 6));
    let after = [
        "archive", "close", "delete", "move", "open", "rename", "zip",
    ];
    history.step(&[("e.yaml", &table(&after))]);
    // `archive` has the number that the captured `open` had.
    let said = history.said(&captured);
    assert!(
        ["ambiguous", "unproven", "edited e.yaml:22-26"].contains(&&*said),
        "{said}"
    );
}

#[test]
fn candidates_are_places_that_somebody_can_look_at() {
    let class = |name: &str, nr: u32| {
        format!(
            "class {name}Message(Message):\n    TYPE = {nr}\n    name = Field(1, str)\n    size = Field(2, int)\n    owner = Field({}, str)\n\n\n",
            nr + 2
        )
    };
    let file = |names: &[&str]| -> String {
        let classes = names.iter().zip(1..).map(|(name, nr)| class(name, nr));
        classes.collect()
    };
    let history = History::with(&[(
        "gen.py",
        &file(&["Open", "Close", "Rename", "Move", "Delete", "Stat", "Link"]),
    )]);
    let captured = history.capture("gen.py", (1, 5));
    let after = [
        "Close", "Copy", "Delete", "Link", "Move", "Open", "Rename", "Stat",
    ];
    history.step(&[("gen.py", &file(&after))]);
    let repair = history.judge(&captured).repair.unwrap();
    let lengths = repair.candidates.iter().map(|one| one.span.count());
    assert!(lengths.clone().all(|lines| lines <= 23), "{repair:?}");
    assert_eq!(repair.evidence, None);
    assert!(lengths.count() > 0, "{repair:?}");
}
