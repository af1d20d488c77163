//! Texts that are copied, and texts with copies of which one is deleted.

use crate::history::{History, function, functions};

#[test]
fn a_copy_written_below_is_not_taken_for_the_text() {
    let beta = function("beta");
    let rest = function("gamma");
    let history = History::with(&[("a.rs", &(function("alpha") + &beta + &rest))]);
    let captured = history.capture("a.rs", (10, 17));
    let above = "use std::fmt;\n\n".to_owned() + &function("alpha");
    let copied = above + &beta + "// The same again.\n" + &beta + &rest;
    history.write(&[("a.rs", &copied)]);
    assert_eq!(history.said(&captured), "ambiguous");
    history.commit();
    assert_eq!(history.said(&captured), "ambiguous");
    // The remaining part is not claimed either if both are edited later.
    let edited = copied.replace("store_beta(entry)?", "keep(entry)");
    history.step(&[("a.rs", &edited)]);
    let said = history.said(&captured);
    assert!(!said.starts_with("edited"), "{said}");
}

#[test]
fn a_copy_written_far_away_does_not_hide_the_text() {
    let before = functions(&["alpha", "beta", "gamma", "delta"]);
    let history = History::with(&[("a.rs", &before)]);
    let captured = history.capture("a.rs", (10, 17));
    let after = "use std::fmt;\n\n".to_owned() + &before + &function("beta");
    history.write(&[("a.rs", &after)]);
    assert_eq!(history.said(&captured), "moved a.rs:12-19");
    history.commit();
    assert_eq!(history.said(&captured), "moved a.rs:12-19");
}

#[test]
fn a_copy_that_comes_to_stand_where_the_text_stood_is_not_it() {
    let twin =
        "    let total = count_every_entry_of(list);\n    report(total, Limits::default())?;\n";
    let text = |names: &[&str]| -> String {
        let one = |name: &&str| format!("fn {name}(list: &List) {{\n{twin}}}\n\n");
        names.iter().map(one).collect()
    };
    let history = History::with(&[("a.rs", &text(&["first", "second", "third"]))]);
    let (first, second) = (
        history.capture("a.rs", (2, 3)),
        history.capture("a.rs", (7, 8)),
    );
    history.step(&[("a.rs", &text(&["second", "third"]))]);
    // The body of `second` is on lines 2 and 3 now, exactly where that of `first` was.
    let said = history.said(&first);
    assert!(said == "gone" || said == "ambiguous", "{said}");
    assert_eq!(history.said(&second), "moved a.rs:2-3");
}

#[test]
fn deleted_copy_unknown_if_both_changed() {
    let twin =
        "    let total = count_every_entry_of(list);\n    report(total, Limits::default())?;\n";
    let text = |names: &[&str]| -> String {
        let one = |name: &&str| format!("fn {name}(list: &List) {{\n{twin}}}\n\n");
        names.iter().map(one).collect()
    };
    let history = History::with(&[("a.rs", &text(&["first", "second"]))]);
    let first = history.capture("a.rs", (2, 3));
    // One function is deleted and the other one renamed, so nothing tells which body is left.
    history.step(&[("a.rs", &text(&["primary"]))]);
    assert_eq!(history.said(&first), "fresh");
    history.step(&[(
        "a.rs",
        &("use std::fmt;\n".to_owned() + &text(&["primary"])),
    )]);
    assert_ne!(history.said(&first), "gone");
}

/// Returns a test called `name`. All such tests have the same body except for the expected value.
fn login(name: &str, expected: &str) -> String {
    format!(
        "def {name}(client):\n    response = client.post(\"/login\", data=FORM)\n    \
         assert response.status_code {expected}\n    assert response.json()[\"ok\"]\n\n"
    )
}

#[test]
fn a_copy_is_not_the_text_when_that_is_edited() {
    let (own, copy) = (login("test_admin", "== 200"), login("test_user", "== 200"));
    let edited = login("test_admin", "in (200, 302)");
    let history = History::with(&[("t.py", &own)]);
    let captured = history.capture("t.py", (2, 4));
    history.step(&[("t.py", &(own + &copy))]);
    history.step(&[("t.py", &(edited + &copy))]);
    // The body of `test_user` still equals the capture, unlike the captured body itself.
    let said = history.said(&captured);
    assert!(said == "edited t.py:2-4" || said == "ambiguous", "{said}");
}

#[test]
fn a_copy_that_stays_is_not_the_text_when_that_is_deleted() {
    let (own, copy) = (login("test_admin", "== 200"), login("test_user", "== 200"));
    let history = History::with(&[("t.py", &own)]);
    let captured = history.capture("t.py", (2, 4));
    history.step(&[("t.py", &(function("alpha") + &own + &copy))]);
    history.step(&[("t.py", &(function("alpha") + &copy))]);
    let said = history.said(&captured);
    assert!(!said.starts_with("moved"), "{said}");
}

#[test]
fn a_copy_that_was_written_above_a_text_is_not_it() {
    let arm = |kind: &str| {
        format!(
            "        Kind::{kind} => {{\n            self.open_scope(item);\n            self.visit_fields(item)?;\n        }}\n"
        )
    };
    let text = |kinds: &[&str]| -> String {
        let arms: String = kinds.iter().map(|kind| arm(kind)).collect();
        format!("fn visit(item: &Item) {{\n    match item.kind {{\n{arms}    }}\n}}\n")
    };
    let history = History::with(&[("a.rs", &text(&["Struct"]))]);
    let captured = history.capture("a.rs", (4, 5));
    history.write(&[("a.rs", &text(&["Enum", "Struct"]))]);
    assert_eq!(history.said(&captured), "moved a.rs:8-9");
    history.commit();
    assert_eq!(history.said(&captured), "moved a.rs:8-9");
}

#[test]
fn of_many_copies_the_one_that_went_is_not_fresh() {
    let handler = |name: &&str| {
        format!(
            "def {name}(request):\n    check_permission(request.user)\n    obj = load_object(request.id)\n    \
             return render(obj)\n\n"
        )
    };
    let handlers = |names: &[&str]| -> String { names.iter().map(handler).collect() };
    let history = History::with(&[("v.py", &handlers(&["make", "read", "drop", "keep", "list"]))]);
    let captured = history.capture("v.py", (12, 14));
    history.step(&[("v.py", &handlers(&["make", "read", "keep", "list"]))]);
    // `keep` is on the lines of `drop` now, and has the same body. Only a verdict that claims a
    // location contains a space.
    let said = history.said(&captured);
    assert!(said != "fresh" && !said.contains(' '), "{said}");
}

#[test]
fn of_rows_that_are_all_alike_none_is_claimed() {
    let rows = |count: usize| "    [TOKEN_NONE] = { parse_nothing, PREC_NONE },\n".repeat(count);
    let text = |count: usize| format!("static Rule rules[] = {{\n{}}};\n", rows(count));
    let history = History::with(&[("t.c", &text(20))]);
    let captured = history.capture("t.c", (9, 10));
    history.step(&[("t.c", &("#include <rules.h>\n".to_owned() + &text(15)))]);
    let said = history.said(&captured);
    assert!(!said.starts_with("moved"), "{said}");
}

#[test]
fn twins_that_change_places_are_not_taken_for_each_other() {
    let twin = |name: &str| {
        format!(
            "fn {name}(list: &List) {{\n    let total = count_every_entry_of(list);\n    report(total, Limits::default());\n}}\n\n"
        )
    };
    let history = History::with(&[("a.rs", &(twin("first") + &twin("second")))]);
    let captured = [(2, 3), (7, 8)].map(|lines| history.capture("a.rs", lines));
    history.step(&[(
        "a.rs",
        &("use std::fmt;\n\n".to_owned() + &twin("second") + &twin("first")),
    )]);
    // `second` comes first now: its body is on lines 4 and 5, and that of `first` on lines 9 and
    // 10.
    assert!(!history.said(&captured[0]).ends_with("4-5"));
    assert!(!history.said(&captured[1]).ends_with("9-10"));
}

#[test]
fn swapped_twins_told_by_own_lines() {
    let text = |own: &str| {
        let line = |nr: usize| {
            let name = if nr % 3 == 1 { own } else { "shared" };
            format!("    let value_{nr} = {name}_read(input, Limit::number({nr}))?;\n")
        };
        (0..12).map(line).collect::<String>()
    };
    let (one, other) = (text("first"), text("second"));
    let (head, between, tail) = (function("alpha"), "\n", function("omega"));
    let file = |texts: [&str; 2]| format!("{head}{}{between}{}\n{tail}", texts[0], texts[1]);
    let history = History::with(&[("a.rs", &file([&one, &other]))]);
    let (first, second) = (
        history.capture("a.rs", (10, 21)),
        history.capture("a.rs", (23, 34)),
    );
    history.step(&[("a.rs", &file([&other, &one]))]);
    // Every third line is unique to its text, which is enough to tell the two apart.
    for (captured, place) in [(&first, "moved a.rs:23-34"), (&second, "moved a.rs:10-21")] {
        let said = history.said(captured);
        assert!(said == place || said == "ambiguous", "{said}");
    }

    // A copy below both texts is not the first text, even if that is edited afterwards.
    let history = History::with(&[("a.rs", &file([&one, &other]))]);
    let first = history.capture("a.rs", (10, 21));
    let edited = one.replace("value_4 = first_read", "value_4 = other_read");
    let after = file([&edited, &other]) + "\n" + &one;
    history.step(&[("a.rs", &after)]);
    let said = history.said(&first);
    assert!(!said.starts_with("moved"), "{said}");
}

/// Returns tests that have the same body but different names.
fn tests_of(names: &[&str]) -> String {
    let body = "    let file = fixture_of(Kind::Short);\n    let text = read_all(&file).unwrap();\n    \
                assert_eq!(text.lines().count(), 3);\n    assert!(text.ends_with('\\n'));\n}\n\n";
    let one = |name: &&str| format!("#[test]\nfn reads_{name}() {{\n{body}");
    names.iter().map(one).collect()
}

#[test]
fn twin_starts_where_blocks_start() {
    let tail = function("omega");
    let file = |top: &str, names: &[&str]| format!("{top}\n{}{tail}", tests_of(names));
    let history = History::with(&[("a.rs", &file("use std::io;", &["short", "long"]))]);
    // Captures the two bodies.
    let (first, second) = (
        history.capture("a.rs", (4, 7)),
        history.capture("a.rs", (12, 15)),
    );
    history.step(&[("a.rs", &file("use std::io::Read;", &["short"]))]);
    assert_eq!(history.said(&first), "fresh");
    let said = history.said(&second);
    assert!(said == "gone" || said == "ambiguous", "{said}");

    // Another test is added below.
    let history = History::with(&[("a.rs", &file("use std::io;", &["short"]))]);
    let first = history.capture("a.rs", (4, 7));
    history.step(&[("a.rs", &file("use std::io::Read;", &["short", "long"]))]);
    let said = history.said(&first);
    // The body of the new test starts at line 12.
    assert!(!said.contains("12"), "{said}");
}

#[test]
fn similar_text_loses_to_exact_elsewhere() {
    let text = |name: &str| {
        (0..12)
            .map(|nr| {
                format!("def {name}_{nr}(self, x):\n    y = self.{name}.compute(x, {nr})\n    return y + {nr}\n\n")
            })
            .collect::<Vec<String>>()
    };
    let (alpha, gamma) = (text("alpha"), text("gamma"));
    let history = History::with(&[
        ("a.py", &alpha.concat()),
        ("c.py", &gamma.concat()),
        ("d.py", "import os\n\n"),
    ]);
    let captured = history.capture("a.py", (21, 23));
    // The captured function goes to another file, and a similar one from `c.py` takes its place.
    let mut after = alpha.clone();
    after[5] = gamma[5].clone();
    history.step(&[
        ("a.py", &after.concat()),
        ("d.py", &format!("import os\n\n{}", alpha[5])),
    ]);
    assert_eq!(history.said(&captured), "ambiguous");
}

#[test]
fn swapped_file_names_keep_contents() {
    let method = |name: &str, nr: usize| {
        format!(
            "def {name}_{nr}(self, x):\n    y = self.{name}.compute(x, {nr})\n    return y + {}\n\n",
            nr * 7
        )
    };
    let file = |name: &str| -> String { (0..12).map(|nr| method(name, nr)).collect() };
    let (alpha, gamma) = (file("alpha"), file("gamma"));
    let history = History::with(&[("a.py", &alpha), ("c.py", &gamma)]);
    // The other file also contains the last line.
    let captured = history.capture("a.py", (21, 23));
    history.write(&[("a.py", &gamma), ("c.py", &alpha)]);
    for state in ["written", "committed"] {
        let said = history.said(&captured);
        assert!(
            said == "ambiguous" || said == "moved c.py:21-23",
            "{state}: {said}"
        );
        history.commit();
    }
}

#[test]
fn edited_copy_is_not_deleted_text() {
    let class = |slot: &str| {
        format!(
            "class Exit(RuntimeError):\n    \"\"\"Ends the program with some status code.\n\n    :param code: the status code to end with.\n    \"\"\"\n\n    __slots__ = (\"{slot}\",)\n\n    {slot}: Final[int]\n\n    def __init__(self, code: int = 0) -> None:\n        self.exit_code = code\n"
        )
    };
    let (own, copy) = (class("exit_code"), class("other_code"));
    let around = |classes: &str| {
        format!(
            "class Abort(RuntimeError):\n    \"\"\"Tells the program to stop.\"\"\"\n\n\n{classes}"
        )
    };
    let history = History::with(&[("e.py", &around(&own))]);
    let captured = history.capture("e.py", (5, 16));
    history.step(&[("e.py", &around(&(own + "\n" + &copy)))]);
    assert_eq!(history.said(&captured), "fresh");
    history.step(&[("e.py", &around(&copy))]);
    // Only the copy is left. It differs from the captured class in the name of its slot.
    let said = history.said(&captured);
    assert!(!said.starts_with("edited"), "{said}");
}

#[test]
fn uncommitted_copy_is_not_committed_one() {
    let lines: String = (1..=20).map(|line| format!("// line {line}\n")).collect();
    let block = |name: &str| format!("{name} {{\n  return next(context, options)\n}}\n");
    let committed = lines.clone() + &block("f");
    let below = committed.clone() + &block("g");
    let above = lines + &block("g") + &block("f");
    // In both cases, the captured line belongs to `g`, which isn't committed yet, unlike the equal
    // line of `f`.
    for (dirty, own) in [(below, 25), (above, 22)] {
        let history = History::with(&[("m.js", &committed)]);
        history.write(&[("m.js", &dirty)]);
        let captured = history.capture("m.js", (own, own));
        assert_eq!(history.said(&captured), "fresh");
        history.commit();
        assert_eq!(history.said(&captured), "fresh");
        history.step(&[("other.js", "1\n")]);
        assert_eq!(history.said(&captured), "fresh");
    }
}

#[test]
fn split_text_restored_as_a_whole_is_claimed() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (1, 17));
    history.step(&[("a.rs", &functions(&["alpha", "delta", "beta", "gamma"]))]);
    assert_eq!(history.said(&captured), "edited a.rs:1-26");
    // The copy of `alpha` puts the two functions next to each other again, as they were captured.
    let copied = functions(&["alpha", "delta", "alpha", "beta", "gamma"]);
    history.step(&[("a.rs", &copied)]);
    assert_eq!(history.said(&captured), "moved a.rs:19-35");
}

#[test]
fn new_copies_are_not_leaving_text() {
    let method = |name: &&str| {
        format!(
            "// {name} does it.\nfunc (s *Server) {name}(ctx context.Context) error {{\n\t{name}, err := s.get_{name}(ctx)\n\t\
             if err != nil {{\n\t\treturn err\n\t}}\n\ts.own = {name}\n\tdefer s.{name}.Unlock()\n\treturn nil\n}}\n\n"
        )
    };
    let methods = |names: &[&str]| -> String { names.iter().map(method).collect() };
    let history = History::with(&[("a.go", &methods(&["one", "two", "three", "four", "five"]))]);
    let captured = history.capture("a.go", (34, 43));
    history.step(&[(
        "a.go",
        &methods(&["one", "four", "two", "three", "four", "five"]),
    )]);
    assert_eq!(history.said(&captured), "moved a.go:45-54");
    // `seven` replaces the original, and only the copy above it is left.
    let left = ["one", "six", "four", "two", "three", "seven", "five"];
    history.step(&[("a.go", &methods(&left))]);
    let said = history.said(&captured);
    assert!(!said.starts_with("moved"), "{said}");
}

#[test]
fn reordered_copy_is_not_replaced_text() {
    let record = |(id, name, kind, is_on): &(u32, &str, &str, bool)| {
        format!(
            "  {{\n    \"id\": {id},\n    \"name\": \"{name}\",\n    \"type\": \"{kind}\",\n    \"enabled\": {is_on}\n  }},\n"
        )
    };
    let records = |all: &[(u32, &str, &str, bool)]| -> String {
        format!("[\n{}]\n", all.iter().map(record).collect::<String>())
    };
    let (entry, page, graph) = (
        (10, "entry", "date", false),
        (22, "page", "float", false),
        (13, "graph", "int", false),
    );
    let (price, signal, index, user) = (
        (12, "price", "json", true),
        (24, "signal", "str", false),
        (7, "index", "json", false),
        (37, "user", "str", true),
    );
    let history = History::with(&[("j.json", &records(&[entry, page, graph, price, signal]))]);
    let captured = history.capture("j.json", (20, 25));
    history.step(&[(
        "j.json",
        &records(&[price, entry, page, index, graph, price, signal]),
    )]);
    assert_eq!(history.said(&captured), "moved j.json:32-37");
    // `user` replaces the original `price`, and only the copy at the top is left.
    history.step(&[(
        "j.json",
        &records(&[price, entry, page, index, graph, user, signal]),
    )]);
    for state in ["replaced", "in another order"] {
        let said = history.said(&captured);
        assert!(!said.starts_with("moved"), "{state}: {said}");
        history.step(&[(
            "j.json",
            &records(&[graph, price, signal, user, entry, page]),
        )]);
    }
}

#[test]
fn twins_with_common_lines_are_ambiguous() {
    let table = |name: &str, column: &str| {
        format!(
            "CREATE TABLE {name} (\n  id uuid PRIMARY KEY,\n  {column} NOT NULL,\n  created_at timestamp\n);\n\n"
        )
    };
    let own = table("customer_address", "street text");
    let rest = table("invoice", "amount numeric") + &table("shipment", "weight numeric");
    let history = History::with(&[("a.sql", &format!("-- schema\n\n{own}{rest}"))]);
    let (all, first) = (
        history.capture("a.sql", (3, 7)),
        history.capture("a.sql", (3, 3)),
    );
    let changed = rest.replace("amount numeric", "total numeric");
    let before = table("product", "title text");
    let between = table("category", "label text");
    // Neither of the two tables has one of its old neighbors.
    let twins = format!("-- schema\n\n{before}{own}{own}{between}{changed}");
    history.step(&[("a.sql", &twins)]);
    for captured in [&all, &first] {
        let said = history.said(captured);
        assert!(!said.starts_with("moved"), "{said}");
    }
}

#[test]
fn returned_copy_is_not_moved_text() {
    let call =
        |name: &str, what: &str| format!("    {name}(\n        \"{what}\",\n        7,\n    ),\n");
    let (first, own) = (call("open_edge", "handle"), call("insert_cache", "parser"));
    let history = History::with(&[("a.py", &format!("X = [\n{first}{own}"))]);
    let captured = history.capture("a.py", (6, 9));
    history.step(&[
        ("a.py", &format!("X = [\n{first}")),
        ("b.py", &format!("X = [\n{own}")),
    ]);
    history.step(&[("a.py", &format!("X = [\n{own}{first}"))]);
    // The text went to `b.py`, where it still is. A later commit puts a copy of it into `a.py`.
    let said = history.said(&captured);
    assert!(said != "moved a.py:2-5", "{said}");
}

#[test]
fn what_begins_a_file_is_fresh_when_it_is_copied_below_itself() {
    let record = |name: &str, port: u32| {
        format!(
            "- name: {name}\n  image: registry/{name}:1\n  command: run-{name} --now\n  port: {port}\n"
        )
    };
    let (web, api, db) = (record("web", 80), record("api", 81), record("db", 82));
    let history = History::with(&[("s.yaml", &[&*web, &*api, &*db].concat())]);
    let (first, second) = (
        history.capture("s.yaml", (1, 4)),
        history.capture("s.yaml", (5, 8)),
    );
    history.step(&[("s.yaml", &[&*web, &*web, &*api, &*db].concat())]);
    // Nothing tells which of the two equal records is the copy, so the one on the captured lines
    // counts as the text.
    assert_eq!(history.said(&first), "fresh");
    assert_eq!(history.said(&second), "moved s.yaml:9-12");
}

#[test]
fn copy_is_not_uncommitted_capture() {
    let text = function("beta");
    let history = History::with(&[("a.rs", &function("alpha"))]);
    let before = function("alpha") + &text + &function("omega");
    history.write(&[("a.rs", &before)]);
    let captured = history.capture("a.rs", (10, 17));
    history.commit();
    let edited = before.replace("store_beta(entry)?", "keep_beta(entry, 1)?");
    // The text itself is edited, and a copy of its old form is added below.
    history.step(&[("a.rs", &(edited.clone() + "mod old {\n}\n\n" + &text))]);
    let said = history.said(&captured);
    assert!(!said.starts_with("moved"), "{said}");
    // The same is true if it is in another file.
    history.step(&[("a.rs", &edited), ("b.rs", &text)]);
    let said = history.said(&captured);
    assert!(!said.starts_with("moved"), "{said}");
}

#[test]
fn same_lines_in_other_function_are_new() {
    let idiom =
        "        log::error!(\"invalid input\");\n        return Err(Error::InvalidInput);\n";
    let load = format!(
        "fn load_users(path: &Path) -> Result<Users> {{\n    let text = read(path);\n    if text.is_empty() {{\n{idiom}    }}\n    parse_users(text)\n}}\n\n"
    );
    let export = format!(
        "fn export_report(out: &mut Writer) -> Result<()> {{\n    out.write_header(4);\n    while out.has_more() {{\n{idiom}    }}\n    out.finish()\n}}\n\n"
    );
    let (one, two) = (function("alpha"), function("omega"));
    let history = History::with(&[("a.rs", &[&*one, &*load, &*two].concat())]);
    let captured = history.capture("a.rs", (13, 14));
    history.step(&[("a.rs", &[&*one, &*two].concat())]);
    assert_eq!(history.said(&captured), "gone");
    history.step(&[("a.rs", &[&*one, &*two, &*export].concat())]);
    assert_eq!(history.said(&captured), "ambiguous");
    // The text is found where it was restored.
    history.step(&[("a.rs", &[&*one, &*load, &*two, &*export].concat())]);
    let said = history.said(&captured);
    assert!(said == "fresh" || said == "ambiguous", "{said}");
}
