//! The book: commands of its pages run, its links lead somewhere, and every page is in its summary.
#![cfg(unix)]
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use support::{Sandbox, answer};

/// Fenced blocks of a page: the words behind the fence, and the text.
fn blocks(page: &str) -> Vec<(Vec<&str>, String)> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let text = lines.by_ref().take_while(|line| *line != "```");
            let text = text.map(|line| format!("{line}\n")).collect();
            found.push((info.split_whitespace().collect(), text));
        }
    }
    found
}

/// Shell script of a page: a block with `file=PATH` writes that file, a block of `sh` runs, with `exit=N` to that exit code.
fn script(page: &str) -> Option<String> {
    let mut script = "set -eux\nwindlass() { \"$0\" \"$@\"; }\ntop=$PWD\n".to_owned();
    let mut runs = false;
    for (info, text) in blocks(page) {
        let value = |key| info.iter().find_map(|word| word.strip_prefix(key));
        if let Some(file) = value("file=") {
            let path = format!("\"$top\"/{file}");
            write!(
                script,
                "mkdir -p \"$(dirname {path})\"\ncat > {path} <<'END-OF-FILE'\n{text}END-OF-FILE\n"
            )
            .unwrap();
        } else if info.first() == Some(&"sh") {
            runs = true;
            match value("exit=") {
                Some(code) => {
                    writeln!(script, "code=0; ({text}) || code=$?; test $code = {code}").unwrap();
                }
                None => script += &text,
            }
        }
    }
    runs.then_some(script)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Markdown files at the root and in `docs/`, in order of their names.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("docs"), root()];
    while let Some(folder) = folders.pop() {
        let is_root = folder == root();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !is_root {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn pages_with_commands_run() {
    let mut ran = 0;
    for page in pages() {
        let Some(script) = script(&std::fs::read_to_string(&page).unwrap()) else {
            continue;
        };
        ran += 1;
        let sandbox = Sandbox::git();
        let mut shell = sandbox.shell(sandbox.root(), &script);
        for role in ["AUTHOR", "COMMITTER"] {
            shell.env(format!("GIT_{role}_NAME"), "Test");
            shell.env(format!("GIT_{role}_EMAIL"), "test@example.org");
        }
        let answer = answer(&mut shell);
        assert_eq!(
            answer.code, 0,
            "{page:?}\n{}\n{}",
            answer.stdout, answer.stderr
        );
    }
    assert!(ran >= 4, "{ran} pages have commands");
}

#[test]
fn links_lead_to_files() {
    let link = regex::Regex::new(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)").unwrap();
    let code = regex::Regex::new(r"(?ms)^```.*?^```|`[^`\n]*`").unwrap();
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&code.replace_all(&text, "")) {
            let target = &found[1];
            if !target.contains("://") && !page.with_file_name(target).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn summary_names_every_page() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    for page in pages() {
        let Ok(name) = page.strip_prefix(&docs) else {
            continue;
        };
        let link = format!("({})", name.display());
        assert!(
            name == Path::new("SUMMARY.md") || summary.contains(&link),
            "docs/SUMMARY.md lacks {link}"
        );
    }
}
