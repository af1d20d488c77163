//! Texts that were deleted although something similar exists.

use crate::history::{History, function, functions};

/// Returns a module that has two lines in common with the function `beta`.
fn like_beta() -> String {
    let beta = function("beta");
    let shared: Vec<&str> = beta.lines().skip(1).take(2).collect();
    format!(
        "mod late {{\n    use zip;\n{}\n    quux(7);\n}}\n\n",
        shared.join("\n")
    )
}

#[test]
fn what_came_after_a_text_was_taken_out_is_not_it() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    let rest = functions(&["alpha", "gamma"]);
    let taken_out = history.step(&[("a.rs", &rest)]);
    // The similar lines are only added after `beta` was deleted.
    history.step(&[("a.rs", &(rest + &like_beta()))]);
    assert_eq!(history.said(&captured), "gone");
    let repair = history.judge(&captured).repair.unwrap();
    assert_eq!(repair.commit, Some(taken_out));
}

#[test]
fn what_came_in_its_stead_may_be_it() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    let new = functions(&["alpha", "gamma"]) + &like_beta();
    // Here, the commit that deletes `beta` also adds the similar lines, which may be what became of
    // it.
    history.step(&[("a.rs", &new)]);
    assert_ne!(history.said(&captured), "gone");
    // The same holds while the change is uncommitted.
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    history.write(&[("a.rs", &new)]);
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn of_two_copies_the_one_that_went_is_gone() {
    let before = functions(&["alpha", "beta", "gamma", "beta", "delta"]);
    let history = History::with(&[("a.rs", &before)]);
    let (first, second) = (
        history.capture("a.rs", (10, 17)),
        history.capture("a.rs", (28, 35)),
    );
    history.write(&[("a.rs", &functions(&["alpha", "gamma", "beta", "delta"]))]);
    let is_open = |said: String| said == "gone" || said == "ambiguous";
    assert!(is_open(history.said(&first)));
    assert_eq!(history.said(&second), "moved a.rs:19-26");
    history.commit();
    assert!(is_open(history.said(&first)));
    history.step(&[("a.rs", &functions(&["alpha", "gamma", "delta"]))]);
    assert_eq!(history.said(&second), "gone");
}

#[test]
fn which_of_two_neighbours_went_nobody_can_say() {
    let before = functions(&["alpha", "beta", "beta", "gamma"]);
    let history = History::with(&[("a.rs", &before)]);
    let both = [(10, 17), (19, 26)].map(|lines| history.capture("a.rs", lines));
    history.step(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    for captured in both {
        assert_ne!(history.said(&captured), "gone");
    }
}

#[test]
fn a_header_that_all_files_have_goes_with_its_file() {
    const HEADER: &str = "// Copyright of all who wrote it.\n// You may do with it what the licence says,\n// and nothing that it does not say.\n";
    let named: Vec<(String, String)> = (0..45)
        .map(|nr| {
            let name = format!("file{nr:02}");
            (format!("{name}.rs"), HEADER.to_owned() + &function(&name))
        })
        .collect();
    let files: Vec<(&str, &str)> = named
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let history = History::with(&files);
    let captured = history.capture("file07.rs", (1, 3));
    history.remove("file07.rs");
    history.commit();
    assert_eq!(history.said(&captured), "gone");
}

#[test]
fn a_line_that_got_more_words_is_not_gone() {
    let list = |line: &str| {
        format!(
            "# Before you send it\n\n- Write down what changed, and why it had to.\n{line}\n- Ask somebody to read it.\n"
        )
    };
    let lines = [
        (
            "- Run the tests.",
            "- Run the tests, the linter, the checks of the documentation, and the benchmarks that compare with before.",
        ),
        (
            "requests-toolbelt",
            "requests-toolbelt==1.0.0; python_version >= \"3.8\" and platform_system != \"Windows\"",
        ),
        (
            "    \"serde_json\": { \"version\": \"1\", \"features\": [\"preserve_order\", \"raw_value\"] },",
            "    \"serde_json\": \"1\",",
        ),
    ];
    for (before, after) in lines {
        for (before, after) in [(before, after), (after, before)] {
            let history = History::with(&[("list.md", &list(before))]);
            let captured = history.capture("list.md", (4, 4));
            history.write(&[("list.md", &list(after))]);
            assert_ne!(history.said(&captured), "gone", "{before} -> {after}");
            history.commit();
            assert_ne!(history.said(&captured), "gone", "{before} -> {after}");
        }
    }
}

#[test]
fn fully_edited_move_is_not_gone() {
    let settings = "limits:\n  upload_megabytes: 40\n  idle_seconds: 300\n  retries: 5\n  mirror: eu-central\n";
    let before = format!("name: service\n{settings}log: warn\n");
    let history = History::with(&[("app.yaml", &before), ("settings.py", "LOG = 1\n")]);
    let captured = history.capture("app.yaml", (2, 6));
    let moved = "LOG = 1\n\n\nclass Limits(Base):\n    UPLOAD_MEGABYTES = env.int(\"SERVICE_UPLOAD\", 40)\n    \
                 IDLE_SECONDS = env.int(\"SERVICE_IDLE\", 300)\n    RETRIES = env.int(\"SERVICE_RETRIES\", 5)\n    \
                 MIRROR = env.str(\"SERVICE_MIRROR\", \"eu-central\")\n";
    // All of the values are still there, although not a single line is.
    history.write(&[
        ("app.yaml", "name: service\nlog: warn\n"),
        ("settings.py", moved),
    ]);
    assert_ne!(history.said(&captured), "gone");
    history.commit();
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn a_text_that_went_into_a_file_that_is_not_read_is_not_gone() {
    let beta = function("beta");
    let utf16: Vec<u8> = ("\u{feff}".to_owned() + &beta)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let with_nul = [beta.as_bytes(), b"\0"].concat();
    let long = beta + &"x\n".repeat(210_000);
    // UTF-16, a NUL byte, and more lines than we compare.
    for text in [utf16, with_nul, long.into_bytes()] {
        let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
        let captured = history.capture("a.rs", (10, 17));
        history.write(&[("a.rs", &functions(&["alpha", "gamma"]))]);
        std::fs::write(history.root().join("other"), text).unwrap();
        assert_ne!(history.said(&captured), "gone");
        history.commit();
        assert_ne!(history.said(&captured), "gone");
    }
    // A picture that was added in the same commit is unrelated.
    let history = History::with(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    history.write(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    std::fs::write(
        history.root().join("logo.png"),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    )
    .unwrap();
    history.commit();
    assert_eq!(history.said(&captured), "gone");
}

#[test]
fn a_file_that_got_another_encoding_still_has_its_texts() {
    let text = functions(&["alpha", "beta", "gamma"]);
    let history = History::with(&[("a.rs", &text)]);
    let captured = history.capture("a.rs", (10, 17));
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    std::fs::write(history.root().join("a.rs"), utf16).unwrap();
    assert_ne!(history.said(&captured), "gone");
    history.commit();
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn text_rewritten_step_by_step_elsewhere_is_not_gone() {
    let like_it = function("beta")
        .replace("parse_beta(input)?", "read_beta(input, Mode::Strict)?")
        .replace("store_beta(entry)?", "keep_beta(entry, Mode::Strict)?")
        .replace(
            "Ok(betaAnswer::of(checked))",
            "betaAnswer::checked(checked)",
        );
    let other = function("other");
    let files = [
        ("a.rs", &*functions(&["alpha", "beta", "gamma"])),
        ("b.rs", &other),
    ];
    let history = History::with(&files);
    let captured = history.capture("a.rs", (10, 17));
    history.step(&[
        ("a.rs", &functions(&["alpha", "gamma"])),
        ("b.rs", &(other.clone() + &like_it)),
    ]);
    assert_ne!(history.said(&captured), "gone");
    let mut now = other.clone() + &like_it;
    // Each commit rewrites one more line, until only the braces of `beta` are left.
    for (before, after) in [
        ("Result<betaAnswer, Error>", "Outcome"),
        (
            "let parsed = read_beta(input, Mode::Strict)?;",
            "let list = input.lines();",
        ),
        (
            "let checked = check_beta(&parsed, Limits::for_beta())?;",
            "let list = list.map(Entry::from);",
        ),
        (
            "for entry in checked.beta_entries() {",
            "for entry in list {",
        ),
        ("keep_beta(entry, Mode::Strict)?;", "queue.push(entry);"),
        ("betaAnswer::checked(checked)", "queue.finish()"),
        ("fn beta(input: &str)", "fn enqueue(input: &str)"),
    ] {
        assert!(now.contains(before));
        now = now.replace(before, after);
        history.step(&[("b.rs", &now)]);
    }
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn a_line_that_was_rewritten_where_it_stood_is_not_gone() {
    let text = |line: &str| {
        format!(
            "import net\n\ndef run_it(host, port):\n    prepare(host)\n{line}\n    return connection.send(\"hello\")\n"
        )
    };
    for (before, after) in [
        (
            "    connection = open_connection(host, port)",
            "    connection = pool.acquire(address)",
        ),
        (
            "    # Say hello to whoever answers.",
            "    # Grüßt, wer immer antwortet.",
        ),
        (
            "    for entry in queue:\n        results.append(entry)",
            "    results.extend(queue.drain())",
        ),
    ] {
        let history = History::with(&[("g.py", &text(before))]);
        let captured = history.capture("g.py", (5, 4 + before.lines().count() as u32));
        history.step(&[("g.py", &text(after))]);
        assert_ne!(history.said(&captured), "gone", "{before} -> {after}");
    }
}

#[test]
fn what_has_the_line_ends_of_another_system_is_not_gone() {
    let text = functions(&["alpha", "beta", "gamma"]);
    let history = History::with(&[("a.rs", &text)]);
    let captured = history.capture("a.rs", (10, 17));
    history.step(&[("a.rs", &text.replace('\n', "\r"))]);
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn changed_setting_nearby_is_not_gone() {
    let scripts =
        |lines: &[&str]| format!("{{\n  \"scripts\": {{\n{}\n  }}\n}}\n", lines.join(",\n"));
    let lint = "    \"lint\": \"eslint src\"";
    let build = "    \"build\": \"tsc -p .\"";
    let test = "    \"test\": \"mocha --recursive\"";
    let (docs, run) = ("    \"docs\": \"typedoc\"", "    \"test\": \"vitest run\"");
    let history = History::with(&[("package.json", &scripts(&[lint, test, build, docs]))]);
    let captured = history.capture("package.json", (4, 4));
    history.step(&[("package.json", &scripts(&[lint, build, run, docs]))]);
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn a_file_that_went_with_hundreds_of_others_is_gone() {
    let names: Vec<String> = (0..600).map(|nr| format!("f{nr}.rs")).collect();
    let files: Vec<(String, String)> = names
        .iter()
        .map(|name| (name.clone(), function(&name.replace('.', "_"))))
        .collect();
    let mut all: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let kept = functions(&["alpha", "beta"]);
    all.push(("a.rs", &kept));
    let history = History::with(&all);
    let captured = history.capture("f7.rs", (1, 8));
    for name in &names {
        history.remove(name);
    }
    history.commit();
    assert_eq!(history.said(&captured), "gone");
}

/// Returns a function of several lines that contains a string.
fn script(name: &str) -> String {
    format!(
        "function {name}(alpha, beta) {{\n  const total = alpha * 37 + beta.length;\n  if (total > 11) {{\n    \
         throw new Error(\"bad {name} was given\");\n  }}\n  return total - {};\n}}\n\n",
        name.len()
    )
}

#[test]
fn what_stands_there_in_another_shape_is_not_gone() {
    let before: String = ["first", "second", "third"].map(script).concat();
    let second = script("second");
    let lines: String = second
        .lines()
        .map(|line| format!("  {:?}\n", line.to_owned() + "\n"))
        .collect();
    // Minified, one word per line, inside of a JSON string, and as string literals of C.
    let shapes = [
        ("b.min.js", second.replace('\n', " ") + "\n"),
        (
            "b.js",
            second.split_whitespace().collect::<Vec<_>>().join("\n"),
        ),
        ("b.json", format!("{{\"b\": {second:?}}}\n")),
        ("b.c", format!("const char *s =\n{lines};\n")),
    ];
    for (file, shape) in shapes {
        let history = History::with(&[("a.js", &before)]);
        let captured = history.capture("a.js", (9, 15));
        let rest = ["first", "third"].map(script).concat();
        history.write(&[("a.js", &rest), (file, &shape)]);
        assert_ne!(history.said(&captured), "gone", "{file}");
        history.commit();
        assert_ne!(history.said(&captured), "gone", "{file}");
    }
}

#[test]
fn what_may_have_been_packed_is_not_gone() {
    let before: String = ["first", "second", "third"].map(script).concat();
    let history = History::with(&[("a.js", &before)]);
    let captured = history.capture("a.js", (9, 15));
    history.remove("a.js");
    // The archive may contain the text, and we don't unpack it.
    std::fs::write(
        history.root().join("a.js.gz"),
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
    )
    .unwrap();
    history.commit();
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn symbol_in_rewritten_rename_is_not_gone() {
    let before: String = ["first", "second", "third"].map(script).concat();
    let history = History::with(&[("a.js", &before)]);
    let captured = history.capture("a.js", (9, 15));
    // Hardly any line stays the same, but the functions still have their names.
    let rewritten = before
        .replace("alpha", "a")
        .replace("beta", "b")
        .replace("total", "t")
        .replace("const", "var")
        .replace("throw new Error(\"bad ", "fail(\"");
    history.remove("a.js");
    history.step(&[("z.js", &rewritten)]);
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn common_lines_alone_are_not_the_text() {
    let rule = |(name, lines): &(&str, &[&str])| {
        let lines: String = lines.iter().map(|line| format!("  {line};\n")).collect();
        format!(".{name} {{\n{lines}}}\n\n")
    };
    let sheet = |rules: &[(&str, &[&str])]| -> String {
        let rules: String = rules.iter().map(rule).collect();
        format!("/* styles */\n\n{rules}")
    };
    let price: (&str, &[&str]) = ("cache-price", &["margin: auto", "color: #000"]);
    let timer: (&str, &[&str]) = (
        "timer-signal",
        &["margin: auto", "padding: 8px", "padding: 0", "color: #000"],
    );
    let stock: (&str, &[&str]) = (
        "stock-tree",
        &["width: 0", "padding: 0", "width: 0", "color: #fff"],
    );
    let lexer: (&str, &[&str]) = (
        "lexer-order",
        &["width: 0", "width: 8px", "width: auto", "color: #fff"],
    );
    let history = History::with(&[("c.css", &sheet(&[price, timer, stock]))]);
    let captured = history.capture("c.css", (15, 20));
    // `lexer` has two declarations in common with the deleted `stock`, but any rule could contain
    // them.
    history.step(&[("c.css", &sheet(&[price, lexer]))]);
    let said = history.said(&captured);
    assert!(!said.starts_with("edited"), "{said}");
}

#[test]
fn what_another_branch_has_is_not_gone() {
    let history = History::with(&[("a.rs", &functions(&["alpha", "gamma"]))]);
    history.git(&["switch", "-q", "-c", "feature"]);
    history.step(&[("a.rs", &functions(&["alpha", "beta", "gamma"]))]);
    let captured = history.capture("a.rs", (10, 17));
    history.git(&["switch", "-q", "main"]);
    assert_eq!(history.said(&captured), "unproven");
    // The same is true if the branch has further commits.
    history.step(&[("b.rs", &functions(&["delta"]))]);
    assert_eq!(history.said(&captured), "unproven");
    // The commit of the capture is not checked out, so a text that both branches have cannot be
    // followed.
    history.git(&["switch", "-q", "feature"]);
    let both = history.capture("a.rs", (1, 8));
    history.git(&["switch", "-q", "main"]);
    history.step(&[("a.rs", &functions(&["gamma"]))]);
    assert_eq!(history.said(&both), "unproven");
}

#[test]
fn what_was_edited_before_the_rest_of_it_left_is_not_gone() {
    let lines = |changed: &[&str]| {
        let lines = [
            &[
                "int main(int argc, char **argv) {",
                "    signal(SIGPIPE, SIG_IGN);",
            ],
            changed,
            &[
                "    if (c == NULL) return 1;",
                "",
                "    queueSend(c, argv[argc - 1]);",
            ],
            &["    uv_loop(loop, 0);", "    return 0;", "}", ""],
        ];
        lines.concat().join("\n")
    };
    let only = "    struct uv_loop *loop = uv_default_loop(0);";
    let edited = "    queueAsyncContext *c = queueAsyncConnect(\"127.0.0.1\", 7654);";
    let history = History::with(&[(
        "demo.c",
        &lines(&[
            only,
            "",
            "    queueContext *c = uvQueueConnect(loop, errorCallback, \"127.0.0.1\", 7654);",
        ]),
    )]);
    let captured = history.capture("demo.c", (3, 5));
    // First one of the captured lines is edited, then another one is deleted, and finally the file
    // is renamed and edited.
    history.step(&[("demo.c", &lines(&[only, "", edited]))]);
    history.step(&[("demo.c", &lines(&["", edited]))]);
    history.git(&["mv", "demo.c", "demo-uv.c"]);
    let text = lines(&["", edited])
        .replace("(c == NULL)", "(c->err)")
        .replace("queueSend", "queueAsyncSend")
        .replace("(loop, 0)", "(UV_DEFAULT_ 0)");
    history.step(&[("demo-uv.c", &text)]);
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn what_came_in_under_other_names_is_not_gone() {
    let total = "def total_of_order(order, rates):\n    total = 0\n    for line in order.lines:\n        price = line.price * line.amount\n        if line.voucher:\n            price = price - line.voucher.value\n        total += price * (1 + rates[line.kind])\n    return round(total, 2)\n";
    let rest = "\n\ndef list_orders(user):\n    return [o for o in get_db().orders() if o.owner == user.id]\n";
    let history = History::with(&[("orders.py", &format!("{total}{rest}"))]);
    let captured = history.capture("orders.py", (1, 8));
    let renamed = total
        .replace("order", "cart")
        .replace("line", "item")
        .replace("price", "cost");
    history.write(&[("orders.py", rest), ("carts.py", &renamed)]);
    assert_ne!(history.said(&captured), "gone");
    history.commit();
    assert_ne!(history.said(&captured), "gone");
}

#[test]
fn line_replaced_one_to_one_is_not_gone() {
    for (before, after) in [
        (
            "[package]\nname = \"demo\"\nversion = \"1.2.3\"\nedition = \"2021\"\n",
            "# top\n[package]\nname = \"demo\"\nversion = \"1.2.4\"\nedition = \"2021\"\n",
        ),
        (
            "use std::fs;\n\npub const MAX_RETRIES: u32 = 5;\n\nfn helper() {}\n",
            "// header\nuse std::fs;\n\npub const LIMIT: Limit = Limit::of(7);\n\nfn helper() {}\n",
        ),
    ] {
        let history = History::with(&[("a.rs", before)]);
        let captured = history.capture("a.rs", (3, 3));
        history.write(&[("a.rs", after)]);
        assert_ne!(history.said(&captured), "gone", "{after}");
        history.commit();
        assert_ne!(history.said(&captured), "gone", "{after}");
    }
}

#[test]
fn a_guarded_file_that_goes_as_well_hides_nothing() {
    // We never read a secret file, so a changed one might contain the text. A deleted one can't.
    for (name, beside, want) in [
        (".npmrc", None, "gone"),
        (".npmrc", Some("changed=1\n"), "unproven"),
        ("plain.cfg", None, "gone"),
    ] {
        let line = |nr: u32| format!("line {nr} tells of topic alpha and number {}\n", nr * 7);
        let text: String = (1..=12).map(line).collect();
        let history = History::with(&[("a.rs", &text), ("keep.txt", "x\n"), (name, "a=1\n")]);
        let captured = history.capture("a.rs", (3, 8));
        history.remove("a.rs");
        match beside {
            Some(text) => history.write(&[(name, text)]),
            None => history.remove(name),
        }
        history.step(&[("keep.txt", "y\n")]);
        assert_eq!(history.said(&captured), want, "{name} {beside:?}");
    }
}
