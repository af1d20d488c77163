//! Rebuilds the shipped plugins from their sources, and tries to write new plugins in every
//! language that has a toolchain on this machine.
//!
//! The repository contains compiled components, and nothing but this command checks that they match
//! their sources. For Rust, we compare bytes if the compiler is the same one. Otherwise, the
//! examples of a plugin have to give the same answers.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::Error;

/// Exit code of `windlass` if a program that it requires is missing.
const MISSING: i32 = 3;
/// Languages in which we always try a new plugin. Python is only tried on request, because its
/// component takes minutes to compile in a debug build.
const LANGUAGES: [&str; 3] = ["rust", "c", "js"];

/// File with the version of the compiler that built the Rust components. `--update` writes it.
const COMPILER: &str = "built-with.txt";

struct Options {
    /// True to replace the shipped components by the new builds.
    update: bool,
    python: bool,
    /// True to fail if any toolchain is missing.
    all: bool,
    /// True to fail if the Rust toolchain is missing. Most shipped plugins need it.
    need_rust: bool,
}

pub(crate) fn main(args: &[String]) -> Result<ExitCode, Error> {
    let known = ["--update", "--python", "--all", "--need-rust"];
    let (binary, args) = match args {
        [option, file, rest @ ..] if option == "--windlass" => (Some(file.into()), rest),
        args => (None, args),
    };
    if let Some(other) = args.iter().find(|arg| !known.contains(&arg.as_str())) {
        return Err(format!("there is no `{other}`\n\n{}", crate::USAGE).into());
    }
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let options = Options {
        update: has("--update"),
        python: has("--python"),
        all: has("--all"),
        need_rust: has("--need-rust"),
    };
    let workshop = Workshop::new(binary)?;
    workshop.test_natively()?;
    let mut missing = BTreeSet::new();
    for plugin in workshop.shipped()? {
        if !workshop.rebuild(&plugin, options.update)? {
            missing.insert(plugin.language());
        }
    }
    let python = options.python.then_some("python");
    for language in LANGUAGES.into_iter().chain(python) {
        if !workshop.try_new(language)? {
            missing.insert(language);
        }
    }
    for language in &missing {
        println!("skipped: plugins in {language}, for which there is no toolchain here");
    }
    let lacks = options.all && !missing.is_empty() || options.need_rust && missing.contains("rust");
    if options.update && !missing.contains("rust") {
        std::fs::write(workshop.plugins.join(COMPILER), compiler()?)?;
    }
    Ok(ExitCode::from(u8::from(lacks)))
}

/// A plugin shipped with its component, in the folder of its sources.
struct Shipped {
    name: String,
    folder: PathBuf,
}

impl Shipped {
    fn language(&self) -> &'static str {
        match self.folder.join("Cargo.toml").is_file() {
            true => "rust",
            false => "js",
        }
    }
}

/// The `windlass` command, the plugins' sources, and a folder for build results.
struct Workshop {
    binary: PathBuf,
    plugins: PathBuf,
    made: tempfile::TempDir,
}

impl Workshop {
    fn new(binary: Option<PathBuf>) -> Result<Self, Error> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .canonicalize()?;
        let binary = match binary {
            Some(binary) => binary.canonicalize()?,
            None => crate::built::windlass("dev")?,
        };
        Ok(Self {
            binary,
            plugins: root.join("plugins"),
            made: tempfile::Builder::new()
                .prefix("windlass-plugins-")
                .tempdir()?,
        })
    }

    /// Runs the plugins' own tests, which don't need WebAssembly. We leave out the tests of
    /// `windlass-results`, because they run with the main workspace.
    fn test_natively(&self) -> Result<(), Error> {
        println!("tests of the sources");
        run(cargo()
            .current_dir(&self.plugins)
            .args(["test", "--quiet", "--workspace", "--locked"])
            .args(["--exclude", "windlass-results"]))
    }

    /// Returns the folders that contain a component of the same name, sorted by name.
    fn shipped(&self) -> Result<Vec<Shipped>, Error> {
        let mut shipped = Vec::new();
        for entry in std::fs::read_dir(&self.plugins)? {
            let folder = entry?.path();
            let name = folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if folder.join(format!("{name}.wasm")).is_file() {
                shipped.push(Shipped { name, folder });
            }
        }
        shipped.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(shipped)
    }

    /// Rebuilds a plugin and runs its examples with the result. Returns false if a program for that
    /// is missing.
    fn rebuild(&self, plugin: &Shipped, update: bool) -> Result<bool, Error> {
        let Shipped { name, folder } = plugin;
        let sources = match plugin.language() {
            "rust" => folder.clone(),
            _ => {
                // Build a copy, because the build leaves files beside the sources.
                let copy = self.made.path().join("sources").join(name);
                copy_folder(folder, &copy)?;
                if !get_ready("js", &copy)? {
                    return Ok(false);
                }
                copy
            }
        };
        let out = self.made.path().join(format!("{name}.wasm"));
        let (sources, out_text) = (text(&sources)?, text(&out)?);
        if !self.windlass(&["plugin", "build", &sources, "--out", &out_text])? {
            return Ok(false);
        }
        let examples = text(&folder.join("examples"))?;
        self.test(&[&out_text, "--examples", &examples])?;
        let (shipped, built) = (folder.join(format!("{name}.wasm")), std::fs::read(&out)?);
        let same = std::fs::read(&shipped)? == built;
        let what = match same {
            true => "the same bytes",
            false => "other bytes, the same answers",
        };
        println!("{name}: {what}");
        // With the same toolchain, the same sources give the same bytes. With another one, a
        // difference proves nothing.
        if !same && !update && self.is_reproducible(plugin)? {
            return Err(format!(
                "`{name}.wasm` is not of these sources: `cargo xtask plugins --update` builds it anew"
            )
            .into());
        }
        if update && !same {
            std::fs::write(&shipped, &built)?;
            let digest = self.digest(&out_text)? + "\n";
            std::fs::write(folder.join(format!("{name}.wasm.sha256")), digest)?;
        }
        Ok(true)
    }

    /// Does what a plugin author does: creates, builds and tests a plugin. Returns false if a
    /// program for that is missing.
    fn try_new(&self, language: &str) -> Result<bool, Error> {
        let name = format!("try-{language}");
        let into = self.made.path().join("new");
        self.windlass(&[
            "plugin",
            "new",
            &name,
            "--lang",
            language,
            "--into",
            &text(&into)?,
        ])?;
        let folder = into.join(&name);
        if !get_ready(language, &folder)? {
            return Ok(false);
        }
        if !self.windlass(&["plugin", "build", &text(&folder)?])? {
            return Ok(false);
        }
        let component = folder.join(format!("{name}.wasm"));
        self.test(&[&text(&component)?])?;
        Ok(true)
    }

    /// True if the build has to give the same bytes. We only expect that of Rust, with the compiler
    /// that built the shipped component.
    fn is_reproducible(&self, plugin: &Shipped) -> Result<bool, Error> {
        let built_with = std::fs::read_to_string(self.plugins.join(COMPILER))?;
        Ok(plugin.language() == "rust" && built_with == compiler()?)
    }

    /// Runs a plugin's examples. It's an error if there are none.
    fn test(&self, args: &[&str]) -> Result<(), Error> {
        match self.windlass(&[&["plugin", "test"], args].concat())? {
            true => Ok(()),
            false => Err(format!("there are no examples to test `{}` with", args[0]).into()),
        }
    }

    fn digest(&self, component: &str) -> Result<String, Error> {
        let told = self.command(&["plugin", "inspect", component]).output()?;
        let told = String::from_utf8(told.stdout)?;
        let digest = told
            .lines()
            .find_map(|line| line.trim().strip_prefix("digest "));
        Ok(digest
            .ok_or("a component without a digest")?
            .trim()
            .to_owned())
    }

    /// Runs the `windlass` command. Returns false if a program that it requires is missing.
    fn windlass(&self, args: &[&str]) -> Result<bool, Error> {
        let status = self.command(args).status()?;
        match status.code() {
            Some(0) => Ok(true),
            Some(MISSING) => Ok(false),
            _ => Err(format!("`windlass {}`: {status}", args.join(" ")).into()),
        }
    }

    fn command(&self, args: &[&str]) -> Command {
        let home = self.made.path().join("home");
        let mut command = Command::new(&self.binary);
        command
            .current_dir(&self.plugins)
            .args(args)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            // Share this folder, so that common dependencies are built only once.
            .env("CARGO_TARGET_DIR", self.plugins.join("target"));
        command
    }
}

/// Installs the tools that a language needs besides the sources. Returns false if that fails, for
/// example without a network.
fn get_ready(language: &str, folder: &Path) -> Result<bool, Error> {
    let mut command = match language {
        "js" if has("npm") => {
            let mut npm = Command::new("npm");
            npm.args(["install", "--silent", "--ignore-scripts", "--no-audit"]);
            npm.arg("--no-fund");
            npm
        }
        "python" if has("python3") => {
            run(Command::new("python3")
                .current_dir(folder)
                .args(["-m", "venv", ".venv"]))?;
            let mut pip = Command::new(folder.join(".venv/bin/pip"));
            pip.args(["install", "--quiet", "componentize-py==0.25.1"]);
            pip
        }
        _ => return Ok(true),
    };
    let status = command.current_dir(folder).status()?;
    if !status.success() {
        println!("`{command:?}`: {status}");
    }
    Ok(status.success())
}

fn compiler() -> Result<String, Error> {
    let told = Command::new("rustc").arg("--version").output()?;
    Ok(String::from_utf8(told.stdout)?)
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn run(command: &mut Command) -> Result<(), Error> {
    let status = command
        .status()
        .map_err(|error| format!("`{command:?}`: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{command:?}`: {status}").into()),
    }
}

fn text(path: &Path) -> Result<String, Error> {
    let text = path
        .to_str()
        .ok_or_else(|| format!("`{}` is no text", path.display()))?;
    Ok(text.to_owned())
}

/// Copies a folder, leaving out installed tools and build output.
fn copy_folder(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if name == OsStr::new("node_modules") || name == OsStr::new("build") {
            continue;
        }
        match path.is_dir() {
            true => copy_folder(&path, &to.join(&name))?,
            false => {
                std::fs::copy(&path, to.join(&name))?;
            }
        }
    }
    Ok(())
}
