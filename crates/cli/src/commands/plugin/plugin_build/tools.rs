//! Builds plugins in languages other than Rust, each with a tool of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::Failure;
use super::{missing_tool, unbuilt, unbuilt_at};
use crate::screen::Screen;

const BUILD: &str = "build";
const WORLD: &str = "plugin";

/// Builds JavaScript with `componentize-qjs`. The resulting component consists of QuickJS and a
/// snapshot of the loaded script.
pub(super) fn javascript(folder: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    // Like Node.js, also look in the folders above.
    let local = |above: &Path| {
        let tool = above.join("node_modules/.bin/componentize-qjs");
        tool.is_file().then_some(tool)
    };
    let tool = folder
        .ancestors()
        .find_map(local)
        .or_else(|| on_path("componentize-qjs"));
    let Some(tool) = tool else {
        let folder = folder.display();
        let help = match on_path("npm") {
            Some(_) => format!("run `npm install --prefix {folder}`"),
            None => format!(
                "install Node.js 20 or later (on Debian `apt install nodejs npm`), then `npm install --prefix {folder}`"
            ),
        };
        return Err(missing_tool("`componentize-qjs`", help));
    };
    let out = output_path(folder)?;
    let mut command = Command::new(tool);
    command
        .args(["--wit", "wit", "--world", WORLD])
        .args(["--js", "plugin.js", "--module-root", "."])
        // No WASI, no async, and the smaller of the two builds of QuickJS.
        .args(["--stub-wasi", "--sync", "--opt-size", "--output"])
        .arg(&out);
    run(command, folder, screen)?;
    Ok(out)
}

/// Builds Python with `componentize-py`. The component contains all of CPython and a snapshot of
/// the imported modules.
pub(super) fn python(folder: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    let local = ["bin/componentize-py", "Scripts/componentize-py.exe"]
        .map(|tool| folder.join(".venv").join(tool))
        .into_iter()
        .find(|tool| tool.is_file());
    let Some(tool) = local.or_else(|| on_path("componentize-py")) else {
        let venv = folder.join(".venv");
        let venv = venv.display();
        let help = format!(
            "run `python3 -m venv {venv} && {venv}/bin/pip install componentize-py==0.25.1`"
        );
        return Err(missing_tool("`componentize-py`", help));
    };
    let out = output_path(folder)?;
    let mut command = Command::new(tool);
    command
        .args(["--wit-path", "wit", "--world", WORLD])
        // No WASI.
        .args(["componentize", "--stub-wasi", "plugin", "--output"])
        .arg(&out);
    run(command, folder, screen)?;
    Ok(out)
}

/// Builds C with `clang` and LLVM's linker, without linking any library.
pub(super) fn c(folder: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    for tool in ["clang", "wasm-ld"] {
        if on_path(tool).is_none() {
            let help = "on Debian `apt install clang lld`; on macOS `brew install llvm lld`, and both on the PATH";
            return Err(missing_tool(&format!("`{tool}`"), help.to_owned()));
        }
    }
    let out = output_path(folder)?;
    let mut command = Command::new("clang");
    command
        .args(["--target=wasm32", "-std=c11", "-Os", "-flto"])
        .args(["-ffreestanding", "-nostdlib", "-mbulk-memory"])
        .args(["-Wall", "-Wextra", "-Wno-unused-function"])
        // Put a small stack at the start of memory, so that an overflow traps instead of silently
        // overwriting data.
        .arg("-Wl,--no-entry,--stack-first,-z,stack-size=65536,--lto-O2")
        .args(["plugin.c", "-o"])
        .arg(&out);
    run(command, folder, screen)?;
    Ok(out)
}

fn output_path(folder: &Path) -> Result<PathBuf, Failure> {
    let into = folder.join(BUILD);
    std::fs::create_dir_all(&into).map_err(|error| unbuilt_at(&into, &error))?;
    let out = into.join("plugin.wasm");
    // Remove the result of an earlier build, so that we can't mistake it for ours.
    match std::fs::remove_file(&out) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unbuilt_at(&out, &error)),
        _ => Ok(out),
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut folders = std::env::split_paths(&path);
    folders.find_map(|folder| {
        let files = ["", ".exe", ".cmd"].map(|ending| folder.join(format!("{name}{ending}")));
        files.into_iter().find(|file| file.is_file())
    })
}

fn run(mut command: Command, folder: &Path, screen: &Screen) -> Result<(), Failure> {
    let tool = Path::new(command.get_program()).file_stem();
    let tool = tool
        .unwrap_or_else(|| OsStr::new("the tool"))
        .to_os_string();
    let tool = tool.to_string_lossy();
    screen.say(&format!("{tool} …"));
    command.current_dir(folder).stdin(Stdio::null());
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| unbuilt(format!("cannot start `{tool}`: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    // The user has already seen its standard error, which we don't capture.
    screen.say(String::from_utf8_lossy(&output.stdout).trim_end());
    Err(unbuilt(format!(
        "`{tool}` failed to build the plugin; see its output above"
    )))
}
