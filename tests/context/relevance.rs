//! Which files a pack takes to matter.

use serde_json::Value;

use crate::names;
use crate::support::Sandbox;

fn files(sandbox: &Sandbox, goal: &str) -> Vec<String> {
    let args = ["pack", "build", goal, "--format", "json"];
    let pack: Value = sandbox.windlass(&args).succeeds().json();
    let paths = names(&pack, "/relevantFiles", "path");
    paths.into_iter().map(str::to_owned).collect()
}

/// A repository in which most files have `state`, three have `lifespan`, and many have `server` and `preserve`.
fn sample() -> Sandbox {
    let sandbox = Sandbox::git();
    for at in 0..40 {
        let text = format!(
            "def part_{at}(state):\n    server = state.server\n    return preserve(server)\n"
        );
        sandbox.write(&format!("app/part_{at}.py"), text);
    }
    let kept = "class Router:\n    def lifespan(self, scope):\n        self.kept = scope.state\n";
    sandbox
        .write("app/routing.py", kept)
        .write("app/application.py", "def run(router):\n    router.lifespan(None)\n")
        .write("app/client.py", "def enter(app):\n    app.lifespan()\n")
        .write("app/static.py", "def serve(path):\n    return open(path)\n")
        .write("docs/lifespan.md", "# Lifespan\n\nThe lifespan has state.\n")
        .write("README.md", "# App\n\nIt may serve files, see `app/static.py`.\n\n![it](docs/logo.svg) [zh](docs/README-zh.md)\n")
        .write("docs/logo.svg", "<svg><text>serve state lifespan</text></svg>\n")
        .write("docs/README-zh.md", "# App\n\nserve files, state, lifespan\n")
        .commit("one");
    sandbox
}

#[test]
fn files_with_the_word_that_tells_most_matter_though_others_have_more_words() {
    let sandbox = sample();
    let goal = "Where is the lifespan state kept";
    let found = files(&sandbox, goal);
    assert_eq!(found[0], "app/routing.py", "{found:?}");
    for wanted in ["app/application.py", "app/client.py", "docs/lifespan.md"] {
        assert!(found.iter().any(|it| it == wanted), "{wanted}: {found:?}");
    }
    // A document that names a file where it speaks of something else says little of it.
    sandbox.write(
        "docs/ARCHITECTURE.md",
        "# Architecture\n\nFiles are given out by app/static.py.\n",
    );
    let found = files(&sandbox, goal);
    assert_eq!(found[0], "app/routing.py", "{found:?}");
    assert!(!found.iter().any(|it| it == "app/static.py"), "{found:?}");
}

#[test]
fn words_that_only_begin_alike_and_what_stands_beside_the_work_bring_no_files() {
    let found = files(&sample(), "serve files");
    assert_eq!(found[0], "app/static.py", "{found:?}");
    let is_beside = |path: &String| {
        path.starts_with("app/part_") || path.ends_with(".svg") || path.contains("README-")
    };
    assert!(!found.iter().any(is_beside), "{found:?}");
}
