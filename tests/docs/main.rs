//! The book. The commands on its pages run, its links lead somewhere, and the summary lists every
//! page.
#![cfg(unix)]
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod formats;
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use support::{Sandbox, answer};

/// Returns a page's fenced blocks: the words behind the fence, and the text.
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

/// The start of a page's script. `output` checks that the last block printed each line of standard
/// input.
const PROLOGUE: &str = r#"set -eu
windlass() { "$0" "$@"; }
top=$PWD
printed=$(mktemp)
trap 'test $? = 0 || cat "$printed"; rm -f "$printed"' EXIT
output() {
  while IFS= read -r line; do
    grep -qF -- "$line" "$printed" || { echo "not printed: $line"; exit 1; }
  done
}
"#;

/// Returns a page's shell script. A block with `file=PATH` writes that file. A block of `sh` runs,
/// and has to exit with the code in `exit=N`. If an `output` block follows, the commands have to
/// print all of its lines.
fn script(page: &str) -> Option<String> {
    let mut script = PROLOGUE.to_owned();
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
        } else if info.contains(&"output") {
            writeln!(script, "output <<'END-OF-OUTPUT'\n{text}END-OF-OUTPUT").unwrap();
        } else if info.first() == Some(&"sh") {
            runs = true;
            match value("exit=") {
                Some(code) => writeln!(
                    script,
                    "code=0\n(\n{text}) > \"$printed\" 2>&1 || code=$?\ntest $code = {code}"
                ),
                None => writeln!(script, "{{\n{text}}} > \"$printed\" 2>&1"),
            }
            .unwrap();
        }
    }
    runs.then_some(script)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the Markdown files at the root, in `docs/` and beside the sources of plugins.
fn pages() -> Vec<PathBuf> {
    let at_root = std::fs::read_dir(root()).unwrap();
    let at_root = at_root.map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = at_root
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .collect();
    found.extend(files(&root().join("docs"), "md"));
    for name in std::fs::read_dir(root().join("plugins")).unwrap() {
        let path = name.unwrap().path();
        found.extend(
            [path.join("README.md"), path]
                .into_iter()
                .filter(|path| path.ends_with("README.md") && path.exists()),
        );
    }
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

/// The web address of the repository's files. Pages of the book use it for files outside of the
/// book.
const FILES_ON_THE_WEB: &str = "https://github.com/windlass-dev/windlass/blob/main/";

/// Returns the ids that a renderer gives to the headings of `page`.
fn heading_ids(page: &str) -> Vec<String> {
    let code = regex::Regex::new(r"(?ms)^```.*?^```").unwrap();
    let text = code.replace_all(page, "");
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|title| {
            title
                .chars()
                .filter(is_kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}

/// Returns the problem with a link from `page` to `target`, or `None` if it leads to an existing
/// file and heading.
fn broken_link(page: &Path, target: &str) -> Option<&'static str> {
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let docs = root().join("docs").canonicalize().unwrap();
    let path = match file {
        "" => page.to_owned(),
        file => match file.strip_prefix(FILES_ON_THE_WEB) {
            Some(file) => root().join(file),
            None if file.contains("://") => return None,
            None => page.with_file_name(file),
        },
    };
    let Ok(path) = path.canonicalize() else {
        return Some("no such file");
    };
    let is_in_book = |path: &Path| path.starts_with(&docs);
    if is_in_book(&page.canonicalize().unwrap()) && !is_in_book(&path) && !file.contains("://") {
        return Some("outside of the book; use an address on the web");
    }
    let is_known = heading.is_empty()
        || heading_ids(&std::fs::read_to_string(path).unwrap()).contains(&heading.to_owned());
    (!is_known).then_some("no such heading")
}

#[test]
fn links_lead_to_files_and_headings() {
    let link = regex::Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let code = regex::Regex::new(r"(?ms)^```.*?^```|`[^`\n]*`").unwrap();
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        // Remove code from the link's text, which leaves the link itself.
        for found in link.captures_iter(&code.replace_all(&text, "")) {
            let problem = broken_link(&page, &found[1]);
            broken.extend(problem.map(|it| format!("{}: {}: {it}", page.display(), &found[1])));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

fn attributes<'a>(html: &'a str, names: &str) -> Vec<&'a str> {
    let attribute = regex::Regex::new(&format!(r#"\s(?:{names})="([^"]*)""#)).unwrap();
    let found = attribute.captures_iter(html);
    found.map(|found| found.get(1).unwrap().as_str()).collect()
}

#[test]
#[ignore = "needs the book, which `mdbook build docs` writes"]
fn pages_of_the_book_are_linked() {
    let book = root().join("target/book");
    let mut broken = Vec::new();
    for page in files(&book, "html") {
        let html = std::fs::read_to_string(&page).unwrap();
        for target in attributes(&html, "href|src") {
            let (file, id) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => page.clone(),
                file => page.with_file_name(file),
            };
            let is_elsewhere = target.contains(':') || page.ends_with("404.html");
            let has_id = |path: &Path| {
                let html = std::fs::read_to_string(path).unwrap_or_default();
                id.is_empty() || attributes(&html, "id").contains(&id)
            };
            if !(is_elsewhere || path.exists() && has_id(&path)) {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Maximum size of the pages that newcomers read first, in bytes.
const MAX_SIZES: [(&str, u64); 4] = [
    ("README.md", 8 << 10),
    ("ARCHITECTURE.md", 12 << 10),
    ("CHANGELOG.md", 8 << 10),
    ("CONTRIBUTING.md", 8 << 10),
];

#[test]
fn first_pages_are_short() {
    for (name, most) in MAX_SIZES {
        let size = std::fs::metadata(root().join(name)).unwrap().len();
        assert!(size <= most, "{name} has {size} bytes, {most} are allowed");
    }
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
