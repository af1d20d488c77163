//! Answers don't depend on git's configuration, whether it's global, local or in environment
//! variables.

use super::support::{Sandbox, answer};

/// Valid user settings. Each of them changes git's output or comparisons.
const GLOBAL: &str = "[core]\n\tquotePath = true\n\tpager = false\n\tattributesFile = ~/attributes\n\texcludesFile = ~/ignored\n\
                      [color]\n\tui = always\n[diff]\n\tnoprefix = true\n\trenames = false\n\talgorithm = patience\n\torderFile = x\n\
                      \texternal = false\n\tautoRefreshIndex = false\n[log]\n\tshowRoot = false\n\tfollow = true\n\tdecorate = full\n\
                      \tshowSignature = true\n[blame]\n\tignoreRevsFile = .ignored-revs\n\tmarkIgnoredLines = true\n[grep]\n\
                      \tlineNumber = true\n[i18n]\n\tlogOutputEncoding = UTF-16\n[alias]\n\tlog = status\n";

/// Environment variables that git obeys.
const VARIABLES: [(&str, &str); 12] = [
    ("GIT_EXTERNAL_DIFF", "false"),
    ("GIT_DIFF_OPTS", "-u9"),
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "diff.renames"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_LITERAL_PATHSPECS", "0"),
    ("GIT_ICASE_PATHSPECS", "1"),
    ("GIT_TRACE", "1"),
    ("GIT_DIR", "nowhere"),
    ("GIT_INDEX_FILE", "nowhere"),
    ("TZ", "Asia/Tokyo"),
    ("LC_ALL", "tr_TR.UTF-8"),
];

const RUNBOOK: &str = "schema_version: 1\nid: all\ntitle: All\nsteps:\n  - { id: a, uses: anchors }\n  - { id: log, uses: git, with: \
                       { show: log } }\noutputs:\n  - { id: a, from: a }\n  - { id: log, from: log }\n";

/// Creates a file that was renamed and reformatted along with the document citing it, one anchor
/// that moved, and one that was edited.
fn repository() -> Sandbox {
    let sandbox = Sandbox::git();
    let code = "pub fn open(user: &str) -> u64 { next_id(user, 1) }\n\npub fn close(id: u64) -> bool { tell(owner_of(id)) }\n\n\
                pub fn idle(limit: u64) -> usize { all().filter(|s| s.idle > limit).count() }\n";
    sandbox
        .write("a.rs", code)
        .write("d.md", "# Doc\n\nSessions are closed here: `a.rs:3`.\n")
        .write("runbooks/all.yaml", RUNBOOK)
        .commit("one");
    sandbox
        .windlass(&["anchor", "add", "moved", "a.rs:1"])
        .succeeds();
    sandbox
        .windlass(&["anchor", "add", "edited", "a.rs:3-5"])
        .succeeds();
    sandbox.run_git(&["mv", "a.rs", "b.rs"]);
    sandbox
        .write("b.rs", format!("// Licence\n// More\n{code}"))
        .edit("d.md", "a.rs:3", "b.rs:5")
        .commit("two");
    let reformatted = sandbox.run_git(&["rev-parse", "HEAD"]);
    sandbox.write(".ignored-revs", reformatted).commit("three");
    sandbox.edit("b.rs", "s.idle > limit", "s.idle >= limit");
    sandbox.write("new.rs", "fn new() {}\n");
    sandbox
}

#[test]
fn hostile_git_config_changes_no_answer() {
    let sandbox = repository();
    let answers = |is_hostile: bool| -> Vec<String> {
        let all: [&[&str]; 6] = [
            &["anchor", "check", "--format", "json"],
            &["anchor", "scan", "--format", "json"],
            &["anchor", "show", "moved", "edited"],
            &["anchor", "repair", "--dry-run", "--edited"],
            &["impact", "--base", "HEAD~2", "--format", "json"],
            &["run", "all"],
        ];
        let said = |args: &[&str]| {
            let mut command = sandbox.command(sandbox.root(), args);
            if is_hostile {
                command.env_remove("GIT_CONFIG_NOSYSTEM").envs(VARIABLES);
            }
            let answer = answer(&mut command);
            format!(
                "{args:?} {:?}\n{}{}",
                answer.code, answer.stdout, answer.stderr
            )
        };
        all.into_iter().map(said).collect()
    };
    let clean = answers(false);
    std::fs::write(sandbox.home().join(".gitconfig"), GLOBAL).unwrap();
    std::fs::write(sandbox.home().join("attributes"), "* -diff -text\n").unwrap();
    std::fs::write(sandbox.home().join("ignored"), "new.rs\n").unwrap();
    let config = sandbox.read(".git/config") + GLOBAL;
    sandbox.write(".git/config", config);
    for (clean, hostile) in clean.iter().zip(answers(true)) {
        assert_eq!(clean, &hostile);
    }
    assert!(clean[0].contains("b.rs"), "{}", clean[0]);
}
