//! Tests that git's answers don't depend on the repository's settings.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;

use windlass_base::Cancel;

use crate::git::git;
use crate::support::{Sandbox, at};

/// Valid settings that affect git's default output. If a new version of git gets another one, add
/// it here.
const HOSTILE: &str = r#"
[core]
	quotePath = true
	abbrev = 4
	pager = false
	attributesFile = .git/attributes
	excludesFile = .git/ignored
	safecrlf = true
	untrackedCache = true
	bigFileThreshold = 1
	disambiguate = blob
	commentChar = "%"
	whitespace = tab-in-indent
	hooksPath = .git/hostile
	fsmonitor = true
[color]
	ui = always
	diff = always
	grep = always
[column]
	ui = always
[diff]
	noprefix = true
	mnemonicPrefix = true
	renames = false
	renameLimit = 1
	algorithm = patience
	external = false
	context = 0
	interHunkContext = 99
	ignoreSubmodules = all
	submodule = log
	orderFile = .git/order
	relative = true
	indentHeuristic = false
	wsErrorHighlight = all
	suppressBlankEmpty = true
	colorMoved = zebra
	autoRefreshIndex = false
[diff "upper"]
	textconv = tr a-z A-Z
	command = false
	binary = true
	xfuncname = "^x"
[log]
	showSignature = true
	follow = true
	mailmap = true
	decorate = full
	date = relative
	showRoot = false
	abbrevCommit = true
	diffMerges = combined
	excludeDecoration = *
[format]
	pretty = oneline
	notes = *
[notes]
	displayRef = *
[blame]
	ignoreRevsFile = .git-blame-ignore-revs
	markIgnoredLines = true
	markUnblamableLines = true
	showRoot = true
	showEmail = true
	blankBoundary = true
	date = relative
	coloring = highlightRecent
[status]
	showUntrackedFiles = no
	relativePaths = false
[grep]
	patternType = perl
	extendedRegexp = true
	lineNumber = true
	column = true
	fullName = false
	threads = 3
[i18n]
	logOutputEncoding = UTF-16
	commitEncoding = ISO-8859-1
[gc]
	auto = 1
[merge]
	renames = false
	directoryRenames = true
[submodule]
	recurse = true
[attr]
	tree = HEAD~2
[feature]
	experimental = true
	manyFiles = true
[alias]
	log = shortlog
	diff = status
[pager]
	log = true
	diff = true
[advice]
	detachedHead = true
[trace2]
	normalTarget = true
"#;

const LINES: &str = "pub fn open(user: &str) -> u64 { next_id(user, 1) }\n\n\
                     pub fn close(id: u64) -> bool { tell(owner_of(id)) && drop_session(id) }\n\n\
                     pub fn idle(limit: u64) -> usize { all().filter(|s| s.idle > limit).count() }\n";

/// Creates a repository with renames, a merge, a file with another modification time, and a commit
/// for blame to ignore.
fn repository() -> Sandbox {
    let sandbox = Sandbox::committed(&[
        ("a.rs", LINES),
        ("ümlaut name.md", "# Über\n\nText of it\n"),
        ("ends.txt", "one\r\ntwo\r\n"),
        ("c.up", "lower case text\n"),
        (".gitattributes", "*.up diff=upper\n*.txt -text\n"),
        (
            ".mailmap",
            "Other <other@example.org> Ann <ann@example.org>\n",
        ),
        (".gitignore", "ignored\n"),
    ]);
    let root = sandbox.root();
    git(&root, &["mv", "a.rs", "b.rs"]);
    sandbox.write("b.rs", format!("// Licence\n// More\n{LINES}"));
    let reformatted = sandbox.commit("rename");
    let module = format!("160000,{reformatted},module");
    git(&root, &["update-index", "--add", "--cacheinfo", &module]);
    git(&root, &["commit", "-q", "-m", "module"]);
    git(&root, &["checkout", "-q", "-b", "side", "HEAD~1"]);
    sandbox.write("deep/side.rs", "fn side() {}\n");
    sandbox.commit("side \u{e4}");
    git(&root, &["checkout", "-q", "main"]);
    git(&root, &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    sandbox.write(".git-blame-ignore-revs", reformatted);
    sandbox.commit("ignore revs");
    // Change the modification time but not the contents, so that git has to look at the file.
    let touched = fs::File::options().write(true).open(sandbox.at("ends.txt"));
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(99);
    touched.unwrap().set_modified(long_ago).unwrap();
    sandbox.write("new.rs", "fn new() {}\n");
    sandbox.write("c.up", "lower case text\nof two lines\n");
    sandbox
}

/// Asks git every kind of query.
fn answers(sandbox: &Sandbox) -> Vec<String> {
    fn line_of(what: &str, answer: impl Debug) -> String {
        format!("{what}: {answer:?}")
    }
    let (git_of, snapshot) = (sandbox.git(), sandbox.snapshot());
    let commits = git_of.commits().log(None, &[], 99).unwrap();
    let first = &commits.last().unwrap().id;
    let lines: Vec<u32> = (1..=7).collect();
    let (code, prose) = (at("b.rs"), at("ümlaut name.md"));
    let files: BTreeSet<_> = ["a.rs", "b.rs", "c.up", "ends.txt", "none"].map(at).into();
    let mut all = vec![
        line_of("head", git_of.revisions().head()),
        line_of(
            "log of a file",
            git_of.commits().log(None, std::slice::from_ref(&code), 9),
        ),
        line_of("roots", git_of.commits().root_commits()),
        line_of("changes", git_of.working_tree().changes_since("HEAD")),
        line_of(
            "changes since the first",
            git_of.working_tree().changes_since(first),
        ),
        line_of("writers", git_of.blame().writers_of(&code, &lines)),
        line_of(
            "followed writers",
            git_of.blame().line_writers(None, &code, &lines),
        ),
        line_of(
            "writers at a commit",
            git_of
                .blame()
                .line_writers(Some(&commits[0].id), &prose, &lines),
        ),
        line_of("worktrees", git_of.worktrees()),
        line_of("files that were", git_of.commits().files_that_were(&files)),
        line_of("filtered", git_of.working_tree().filtered(&files)),
        line_of("blob", snapshot.history().blob(&commits[0].id, &prose)),
        line_of(
            "as checked out",
            git_of.working_tree().is_as_checked_out(&code, "x"),
        ),
        line_of("short id", git_of.revisions().commit_id(&first[..5])),
        line_of(
            "file",
            snapshot
                .history()
                .file(first, None, &at("a.rs"))
                .map(|file| file.bytes().to_vec()),
        ),
        line_of("steps", snapshot.history().steps_since(first)),
        line_of("first parents", snapshot.history().first_parents(9)),
        line_of(
            "renamed",
            snapshot.history().names_since(first, &at("a.rs")),
        ),
        line_of(
            "files with",
            snapshot.history().files_with(first, "drop_session(id) }"),
        ),
        line_of("ancestor", snapshot.history().common_ancestor(first)),
        line_of(
            "old file",
            snapshot
                .history()
                .file(first, None, &at("c.up"))
                .map(|file| file.bytes().to_vec()),
        ),
        line_of("head at once", snapshot.head_commit(&Cancel::default())),
    ];
    for commit in &commits {
        all.push(line_of(
            "changed",
            git_of.commits().files_changed_by(&commit.id),
        ));
        all.push(line_of("step", snapshot.history().step_of(&commit.id)));
        let has_it =
            git_of
                .commit_files()
                .files_with_any(&commit.id, |_| true, &["lower case".to_owned()]);
        all.push(line_of("with any", has_it));
    }
    all.push(line_of("log", commits));
    all
}

#[test]
fn answers_ignore_hostile_settings() {
    let sandbox = repository();
    let clean = answers(&sandbox);
    assert!(clean.iter().any(|answer| answer.contains("Renamed")));
    let root = sandbox.root();
    let config = fs::read_to_string(sandbox.at(".git/config")).unwrap();
    sandbox.write(".git/config", format!("{config}{HOSTILE}"));
    sandbox.write(".git/attributes", "* -diff -text\n*.rs diff=upper\n");
    sandbox.write(".git/ignored", "new.rs\n");
    sandbox.write(".git/order", "*.up\n*.rs\n");
    let hostile = answers(&sandbox);
    for (clean, hostile) in clean.iter().zip(&hostile) {
        assert_eq!(clean, hostile);
    }
    // Replacements and grafts would change contents and parents without changing the IDs.
    let [first, second] = ["HEAD~3", "HEAD~2"].map(|name| git(&root, &["rev-parse", name]));
    git(&root, &["replace", "-f", &second, &first]);
    sandbox.write(".git/info/grafts", format!("{second}\n"));
    for (clean, hostile) in clean.iter().zip(&answers(&sandbox)) {
        assert_eq!(clean, hostile);
    }
}

#[test]
fn autocrlf_any_spelling_is_honoured() {
    for value in ["True", "yes", "1", "on", "input", "INPUT"] {
        let sandbox = Sandbox::committed(&[("a.txt", "one\ntwo\n")]);
        git(&sandbox.root(), &["config", "core.autocrlf", value]);
        sandbox.write("a.txt", "one\r\ntwo\r\n");
        let changes = sandbox.git().working_tree().changes_since("HEAD").unwrap();
        assert_eq!(changes.files, [], "{value}");
    }
}
