//! Texts whose history was rewritten, so that their old file can be read but no commits lead from
//! there to the present.

use windlass_base::RepairOutcome;

use crate::history::{History, functions};

/// Returns lines that do `steps` different things in sequence.
fn steps(name: &str, steps: u32) -> String {
    (1..=steps)
        .map(|step| format!("    {name}_step_{step}(context, \"{name} {step}\");\n"))
        .collect()
}

const LIST: &str = "    /* Let us check what there is inside the list. */\n    reply = command(context, \"LRANGE mylist 0 -1\");\n    \
                    for (item = 0; item < reply->elements; item++) {\n        \
                    print_entry(item, reply->element[item]->text);\n    }\n    release(reply);\n";

/// Replaces all commits by a single one with the current files.
fn squash(history: &History) {
    history.git(&["checkout", "-q", "--orphan", "squashed"]);
    history.commit();
}

#[test]
fn a_variant_is_not_taken_for_a_text_that_grew() {
    let before = format!(
        "int main(void) {{\n{}{LIST}\n    return 0;\n}}\n",
        steps("connect", 12)
    );
    let history = History::with(&[("example.c", &before)]);
    let captured = history.capture("example.c", (14, 19));
    history.remove("example.c");
    let own = format!(
        "int main(int argc, char **argv) {{\n{}    /* Let us check what there is inside the list. */\n{}    \
         reply = command(context, \"LRANGE mylist 0 -1\");\n{}    for (item = 0; item < reply->elements; item++) {{\n{}        \
         print_entry(item, reply->element[item]->text);\n    }}\n    release(reply);\n\n    return 0;\n}}\n",
        steps("connect", 12),
        steps("retry", 3),
        steps("measure", 3),
        steps("report", 3),
    );
    let variant = format!(
        "int main(void) {{\n{}{}{LIST}    release_tls(context);\n    return 0;\n}}\n",
        steps("secure", 12),
        steps("handshake", 8),
    );
    history.write(&[("plain.c", &own), ("tls.c", &variant)]);
    squash(&history);
    let judgement = history.judge(&captured);
    let repair = judgement.repair.unwrap();
    assert_eq!(repair.outcome, RepairOutcome::Ambiguous);
    let files: Vec<_> = repair
        .candidates
        .iter()
        .map(|one| one.file.as_str())
        .collect();
    assert!(
        files.contains(&"plain.c") && files.contains(&"tls.c"),
        "{files:?}"
    );
}

#[test]
fn similar_text_is_candidate_only() {
    let test = |name: &str, value: &str, last: &str| {
        format!(
            "def test_{name}(runner):\n    @click.command()\n    @click.argument(\"a\", nargs=2, default={value})\n    \
             def cmd(a):\n        click.echo(a)\n\n    result = runner.invoke(cmd, [])\n    {last}\n"
        )
    };
    let rest = functions(&["alpha", "beta", "gamma"]);
    let old = test(
        "defaults_of_many",
        "(1, 2)",
        "assert result.output == \"3\"",
    );
    let history = History::with(&[("test.py", &format!("{rest}{old}"))]);
    let captured = history.capture("test.py", (28, 35));
    let sibling = test(
        "bad_defaults_of_many",
        "message",
        "assert result.stderr == message",
    );
    let sibling = sibling.replace("(runner)", "(runner, message)");
    let beside = functions(&["delta"]);
    history.write(&[("test.py", &format!("{rest}{beside}{sibling}"))]);
    squash(&history);
    assert_eq!(history.said(&captured), "ambiguous");
    // Next to one of its former neighbors, the similar text is the edited one.
    history.write(&[("test.py", &format!("{beside}{rest}{sibling}"))]);
    let said = history.said(&captured);
    assert!(said.starts_with("edited test.py:37-4"), "{said}");
}

#[test]
fn similar_file_found_by_any_rare_line() {
    let example = |title: &str, radius: u32| {
        format!(
            "import window\n\nwindow.open(title={title}, size=(640, 480))\nwindow.draw_circle_around(middle, radius={radius})\n\
             window.paint_the_background(colour=\"white\")\nwindow.react_to_every_key(handler)\nwindow.wait_until_closed_by_user()\n"
        )
    };
    // The most distinctive line is in the file that contained the rest.
    let title = "\"A simple example of it, with a long and telling title\"";
    let history = History::with(&[
        ("README.rst", &example(title, 12)),
        ("index.rst", &example("TITLE", 12)),
    ]);
    let captured = history.capture("README.rst", (1, 7));
    history.remove("README.rst");
    history.remove("index.rst");
    let now = format!("# Index\n\n{}", example(title, 24));
    history.write(&[("README.md", "# Read me\n"), ("index.md", &now)]);
    squash(&history);
    assert_eq!(history.said(&captured), "ambiguous");
}
