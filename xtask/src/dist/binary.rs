//! The program to package. It is either built for a platform, without any path of this machine in
//! it, or given by the caller.
//!
//! Panic messages and debug information contain the paths of source files, and with them the user
//! name on the machine that builds the release. So we tell the compilers to replace them, and check
//! the result.

use std::path::{Path, PathBuf};
use std::process::Command;

use regex::bytes::Regex;

use super::options::Options;
use super::release::{CRATE, GLIBC, Release};
use super::target::Target;
use super::{cargo, is_installed};
use crate::Error;
use crate::built::target_folder;

pub(super) struct Binary {
    /// The stripped program.
    pub(super) path: PathBuf,
    /// The version of the GNU C library that the program needs.
    pub(super) glibc: Option<String>,
}

/// Builds the program for `target`, or uses the one given in `options`. If a new build contains a
/// path of this machine, that is an error.
pub(super) fn obtain(
    release: &Release,
    target: &Target,
    options: &Options,
) -> Result<Binary, Error> {
    let built = match &options.binary {
        Some(path) => path.clone(),
        None => build(release, target, &options.profile)?,
    };
    let folder = release.root.join("target/stripped").join(target.triple);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(target.program());
    std::fs::copy(&built, &path)?;
    // We only strip programs for Linux. On other systems, the linker has already done so, and a
    // signed program must not be changed afterwards.
    let strip = target
        .is_linux()
        .then(|| Command::new("strip").arg(&path).output());
    if strip.is_some_and(|output| !output.is_ok_and(|output| output.status.success())) {
        println!("`strip` cannot read {}: packed as it is", built.display());
    }
    let bytes = std::fs::read(&path)?;
    for private in private_paths(release) {
        if contains(&bytes, &private) {
            let found = format!("{} contains the path `{private}`", built.display());
            match options.binary {
                Some(_) => {
                    println!("{found}: not a build of `cargo xtask dist`, so not for a release");
                }
                None => return Err(found.into()),
            }
        }
    }
    let glibc = match target.is_gnu() {
        true => glibc(&bytes)?,
        false => None,
    };
    if let Some(version) = &glibc {
        println!("{}: needs glibc {version}", target.triple);
    }
    Ok(Binary { path, glibc })
}

fn build(release: &Release, target: &Target, profile: &str) -> Result<PathBuf, Error> {
    let root = &release.root;
    let (flags, c_flags) = remapped(release)?;
    let mut cargo = cargo(root);
    if is_installed("cargo-auditable") {
        cargo.arg("auditable");
    } else {
        println!("no cargo-auditable: the program does not list its dependencies");
    }
    // Zig can link against an old version of the GNU C library. Without it, the program needs the
    // version of this machine.
    let with_zig = target.is_linux() && is_installed("cargo-zigbuild");
    cargo.arg(if with_zig { "zigbuild" } else { "build" });
    if target.is_gnu() && !with_zig {
        println!("no cargo-zigbuild: the program needs the glibc of this machine");
    }
    let floor = match target.is_gnu() && with_zig {
        true => format!("{}.{GLIBC}", target.triple),
        false => target.triple.to_owned(),
    };
    cargo
        .args([
            "--locked",
            "--package",
            CRATE,
            "--profile",
            profile,
            "--target",
            &floor,
        ])
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
        .env("CFLAGS", c_flags)
        .env("CARGO_INCREMENTAL", "0");
    let status = cargo.status()?;
    if !status.success() {
        return Err(format!("`{cargo:?}`: {status}").into());
    }
    Ok(target_folder(&release.root)
        .join(target.triple)
        .join(profile)
        .join(target.program()))
}

/// Returns flags for the Rust and the C compiler that replace this machine's paths in the program.
fn remapped(release: &Release) -> Result<(String, String), Error> {
    let home = cargo_home().ok_or("no home folder")?;
    let root = release.root.display().to_string();
    let made = target_folder(&release.root).display().to_string();
    // Of two names that fit, the compiler takes the last.
    let names = [(home, "/cargo"), (root, "/windlass"), (made, "/target")];
    let flags = |option: &str, separator: &str| {
        let flags = names
            .each_ref()
            .map(|(path, name)| format!("{option}={path}={name}"));
        flags.join(separator)
    };
    let c = match cfg!(windows) {
        true => String::new(),
        false => flags("-ffile-prefix-map", " "),
    };
    Ok((flags("--remap-path-prefix", "\x1f"), c))
}

fn cargo_home() -> Option<String> {
    let given = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = given.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    Some(home.display().to_string())
}

fn private_paths(release: &Release) -> Vec<String> {
    let mut paths = vec![release.root.display().to_string()];
    paths.push(target_folder(&release.root).display().to_string());
    paths.extend(cargo_home());
    paths
}

fn contains(bytes: &[u8], text: &str) -> bool {
    Regex::new(&regex::escape(text)).is_ok_and(|pattern| pattern.is_match(bytes))
}

/// Returns the newest version of the GNU C library that the program names. The dynamic linker
/// checks these names, so an older library cannot run it.
fn glibc(program: &[u8]) -> Result<Option<String>, Error> {
    let pattern = Regex::new(r"(?-u)\x00GLIBC_2\.(\d+)(?:\.\d+)?\x00")?;
    let mut newest = None;
    let mut at = 0;
    // A name begins right at the terminator of the previous one, so go on there.
    while let Some(found) = pattern.captures_at(program, at) {
        at = found.get(0).map_or(program.len(), |whole| whole.end() - 1);
        newest = newest.max(std::str::from_utf8(&found[1])?.parse::<u32>().ok());
    }
    Ok(newest.map(|minor| format!("2.{minor}")))
}

/// Returns the shared libraries that the dynamic linker loads for a program.
pub(super) fn libraries(program: &Path) -> Result<Vec<PathBuf>, Error> {
    let printed = Command::new("ldd").arg(program).output()?;
    let printed = String::from_utf8(printed.stdout)?;
    let words = printed
        .split_whitespace()
        .filter(|word| word.starts_with('/'));
    Ok(words.map(PathBuf::from).collect())
}

#[cfg(test)]
mod tests {
    use super::glibc;

    #[test]
    fn newest_glibc_is_found_among_names() {
        let names = b"x\0GLIBC_2.4\0GLIBC_2.28\0GLIBC_2.2.5\0GLIBC_2.99 in a text\0";
        assert_eq!(glibc(names).unwrap().as_deref(), Some("2.28"));
        assert_eq!(glibc(b"static").unwrap(), None);
    }
}
