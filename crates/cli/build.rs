//! Composes the long version, e.g. `0.1.0 (19844a3e 2026-11-29) +feature`.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and asks git"
)]

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let mut version = variable("CARGO_PKG_VERSION");
    // Only release builds get the commit. Otherwise, we'd have to rebuild after each commit.
    if variable("PROFILE") == "release"
        && let Some(commit) = commit()
    {
        version += &format!(" ({commit})");
    }
    let mut features: Vec<_> = std::env::vars()
        .filter_map(|(name, _)| Some(name.strip_prefix("CARGO_FEATURE_")?.to_lowercase()))
        .filter(|name| name != "default")
        .collect();
    features.sort();
    for feature in features {
        version += &format!(" +{}", feature.replace('_', "-"));
    }
    println!("cargo::rustc-env=WINDLASS_VERSION={version}");
}

/// Digest and date of the commit. `None` outside of our repository, as in a published crate.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    // Watch both the branch and the choice of branch. Packed references have no file of their own.
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "packed-refs", &branch] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).is_file() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let printed = git(&["log", "-1", "--format=%H %cs"])?;
    let (digest, date) = printed.split_once(' ')?;
    // Ask for a fixed length. By default, git abbreviates depending on the number of objects, which
    // differs between clones.
    Some(format!("{} {date}", digest.get(..8)?))
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    output
        .status
        .success()
        .then(|| printed.trim_end().to_owned())
}
