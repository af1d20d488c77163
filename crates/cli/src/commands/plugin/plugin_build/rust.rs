//! Builds plugins in Rust.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::super::{Failure, unusable};
use super::{missing_tool, unbuilt};
use crate::screen::Screen;

const TARGET: &str = "wasm32-unknown-unknown";

enum Toolchain {
    /// The one on the `PATH`, if the target is installed there.
    Usual,
    /// One that includes the sources of the standard library and builds that as well, e.g. Debian's
    /// `rustc-web`.
    BuildsStd,
}

impl Toolchain {
    fn find(folder: &Path) -> Option<Self> {
        let libraries = |rustc: &str| -> Option<PathBuf> {
            let mut asked = Command::new(rustc);
            // Ask in the folder of the sources, because a `rust-toolchain.toml` there may select
            // another toolchain.
            asked.args(["--print", "target-libdir", "--target", TARGET]);
            let answer = asked.current_dir(folder).stderr(Stdio::null()).output();
            let answer = answer.ok()?;
            let path = PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim());
            answer.status.success().then_some(path)
        };
        if libraries("rustc").is_some_and(|folder| folder.is_dir()) {
            return Some(Self::Usual);
        }
        let own = ["cargo", "rustc", "wasm-ld"]
            .iter()
            .all(|tool| Path::new("/usr/bin").join(tool).exists());
        (own && libraries("/usr/bin/rustc").is_some()).then_some(Self::BuildsStd)
    }

    fn command(&self) -> Command {
        match self {
            Self::Usual => Command::new("cargo"),
            Self::BuildsStd => {
                let mut cargo = Command::new("/usr/bin/cargo");
                cargo
                    .env("RUSTC", "/usr/bin/rustc")
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env(
                        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
                        "/usr/bin/wasm-ld",
                    );
                cargo
            }
        }
    }
}

pub(super) fn compile(folder: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    let Some(toolchain) = Toolchain::find(folder) else {
        let help = format!(
            "run `rustup target add {TARGET}`, or on Debian `apt install rustc-web cargo-web rust-web-src lld`"
        );
        return Err(missing_tool(&format!("Rust toolchain for {TARGET}"), help));
    };
    let mut cargo = toolchain.command();
    cargo
        .current_dir(folder)
        .args(["build", "--release", "--target", TARGET]);
    // There's no need to remap the plugin's own sources, since cargo passes relative paths for
    // them.
    if let Some(setting) = cargo_home().and_then(|home| remapping(&home, "/cargo")) {
        cargo.args(["--config", &setting]);
    }
    if matches!(toolchain, Toolchain::BuildsStd) {
        screen.say("building the standard library as well; the first build takes a minute or two");
        cargo.arg("-Zbuild-std=std,panic_abort");
    }
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let built = cargo.stderr(Stdio::inherit()).output();
    let built = built.map_err(|error| unbuilt(format!("cannot start cargo: {error}")))?;
    if !built.status.success() {
        return Err(unbuilt(
            "cargo failed to build the plugin; see its output above".to_owned(),
        ));
    }
    module(folder, &String::from_utf8_lossy(&built.stdout))
}

fn module(folder: &Path, output: &str) -> Result<PathBuf, Failure> {
    // Not every line is JSON. For example, build scripts may print something, too.
    let messages = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let built = messages.filter_map(|message| {
        let mut files = message["filenames"].as_array()?.iter();
        let is_module = |file: &&str| file.ends_with(".wasm");
        let module = files.by_ref().filter_map(Value::as_str).find(is_module)?;
        let manifest = PathBuf::from(message["manifest_path"].as_str()?);
        Some((manifest.parent()?.to_owned(), PathBuf::from(module)))
    });
    let built: BTreeMap<PathBuf, PathBuf> = built.collect();
    // For a workspace, cargo reports each member. Prefer the one that's in the folder itself.
    let own = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let of_folder = built
        .iter()
        .find(|(package, _)| **package == own || **package == folder);
    let mut all = built.values();
    match (of_folder, all.next(), all.next()) {
        (Some((_, module)), ..) | (None, Some(module), None) => Ok(module.clone()),
        (None, None, _) => Err(unusable(
            "cargo built no WebAssembly module".to_owned(),
            Some("add `[lib] crate-type = [\"cdylib\"]` to its `Cargo.toml`".to_owned()),
            false,
        )),
        (None, Some(_), Some(_)) => {
            let members = built
                .keys()
                .map(|package| format!("`{}`", package.display()));
            let members = members.collect::<Vec<_>>().join(", ");
            let (folder, count) = (folder.display(), built.len());
            Err(unusable(
                format!("`{folder}` is a workspace of {count} plugins"),
                Some(format!("build one of them: {members}")),
                false,
            ))
        }
    }
}

fn cargo_home() -> Option<PathBuf> {
    let home = |name, below: &str| Some(PathBuf::from(std::env::var_os(name)?).join(below));
    home("CARGO_HOME", "")
        .or_else(|| home("HOME", ".cargo"))
        .or_else(|| home("USERPROFILE", ".cargo"))
}

/// Returns a cargo setting that replaces a local folder with `to` in the component.
///
/// With it, the same sources give the same bytes on every machine, and the component doesn't reveal
/// a local path.
fn remapping(from: &Path, to: &str) -> Option<String> {
    let from = from.to_str()?.trim_end_matches('/');
    // These can't be part of the setting. A component built without it works just as well.
    let plain = !from.is_empty() && !from.contains(['\'', '\n', '=']);
    plain.then(|| format!("target.{TARGET}.rustflags=['--remap-path-prefix={from}={to}']"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_of_folder_is_chosen_or_none() {
        let message = |package: &str| {
            let file = format!("/t/{}.wasm", package.replace('/', "_"));
            serde_json::json!({
                "reason": "compiler-artifact",
                "manifest_path": format!("{package}/Cargo.toml"),
                "filenames": [format!("{file}.d"), file],
            })
            .to_string()
        };
        let library =
            "{\"manifest_path\":\"/w/lib/Cargo.toml\",\"filenames\":[\"/t/lib.rlib\"]}\nno JSON";
        let of = |output: &str| {
            module(Path::new("/w"), output).map_err(|failure| match failure {
                Failure::Library(error) => format!("{error}: {}", error.help().unwrap_or_default()),
                Failure::Usage(message) | Failure::Data(message) => message,
            })
        };
        let both = format!("{}\n{library}\n{}", message("/w/a"), message("/w/b"));
        let refused = of(&both).unwrap_err();
        assert!(
            refused.contains("workspace of 2 plugins: build one of them: `/w/a`, `/w/b`"),
            "{refused}"
        );
        let own = format!("{}\n{both}", message("/w"));
        assert_eq!(of(&own).unwrap(), Path::new("/t/_w.wasm"));
        assert_eq!(of(&message("/w/a")).unwrap(), Path::new("/t/_w_a.wasm"));
        assert!(of(library).unwrap_err().contains("no WebAssembly module"));
    }
}
