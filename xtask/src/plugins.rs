//! Builds and tests the shipped plugins and new plugins in every language, with the installed
//! toolchains.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::Error;

/// Exit code of `windlass` if a required tool is missing.
const MISSING: i32 = 3;
/// Languages in which a new plugin is tried. Python is optional, because its component takes
/// minutes to compile in a debug build.
const LANGUAGES: [&str; 3] = ["rust", "c", "js"];

/// File with the version of the compiler that built the Rust components.
const COMPILER: &str = "built-with.txt";

struct Options {
    /// Replaces the shipped components by the new ones.
    update: bool,
    python: bool,
    /// Fails if any toolchain is missing.
    all: bool,
    /// Fails if the Rust toolchain is missing, in which most shipped plugins are written.
    need_rust: bool,
}

/// Runs `cargo xtask plugins`.
pub(crate) fn main(args: &[String]) -> Result<ExitCode, Error> {
    let known = ["--update", "--python", "--all", "--need-rust"];
    if let Some(other) = args.iter().find(|arg| !known.contains(&arg.as_str())) {
        return Err(format!("unknown option `{other}`\n\n{}", crate::USAGE).into());
    }
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let options = Options {
        update: has("--update"),
        python: has("--python"),
        all: has("--all"),
        need_rust: has("--need-rust"),
    };
    let workshop = Workshop::new()?;
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
        println!("skipped: {language}: no toolchain");
    }
    let lacks = options.all && !missing.is_empty() || options.need_rust && missing.contains("rust");
    if options.update && !missing.contains("rust") {
        std::fs::write(workshop.plugins.join(COMPILER), compiler()?)?;
    }
    Ok(ExitCode::from(u8::from(lacks)))
}

/// Shipped plugin.
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

/// The `windlass` binary, the plugin sources, and a folder for the results.
struct Workshop {
    binary: PathBuf,
    plugins: PathBuf,
    made: tempfile::TempDir,
}

impl Workshop {
    fn new() -> Result<Self, Error> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .canonicalize()?;
        run(cargo().current_dir(&root).args([
            "build",
            "--quiet",
            "--locked",
            "--package",
            "windlass-cli",
        ]))?;
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
        Ok(Self {
            binary: target
                .join("debug/windlass")
                .with_extension(std::env::consts::EXE_EXTENSION),
            plugins: root.join("plugins"),
            made: tempfile::Builder::new()
                .prefix("windlass-plugins-")
                .tempdir()?,
        })
    }

    /// Runs the native unit tests of the plugins, except those of the linked crate, which have
    /// already run.
    fn test_natively(&self) -> Result<(), Error> {
        println!("unit tests of the plugins");
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

    /// Builds a plugin and runs its examples with the new component. Returns false if a tool is
    /// missing.
    fn rebuild(&self, plugin: &Shipped, update: bool) -> Result<bool, Error> {
        let Shipped { name, folder } = plugin;
        let sources = match plugin.language() {
            "rust" => folder.clone(),
            _ => {
                // The build must not write into the sources.
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
        // Only the original toolchain is expected to give the same bytes.
        if !same && !update && self.is_reproducible(plugin)? {
            return Err(format!(
                "`{name}.wasm` does not match its sources: run `cargo xtask plugins --update`"
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

    /// Creates, builds and tests a new plugin as an author would. Returns false if a tool is
    /// missing.
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

    /// Returns true if the build must give the same bytes: for Rust plugins with the original
    /// compiler.
    fn is_reproducible(&self, plugin: &Shipped) -> Result<bool, Error> {
        let built_with = std::fs::read_to_string(self.plugins.join(COMPILER))?;
        Ok(plugin.language() == "rust" && built_with == compiler()?)
    }

    /// Runs the examples of a plugin, and fails if there are none.
    fn test(&self, args: &[&str]) -> Result<(), Error> {
        match self.windlass(&[&["plugin", "test"], args].concat())? {
            true => Ok(()),
            false => Err(format!("no examples for `{}`", args[0]).into()),
        }
    }

    /// Returns the digest of a component, as printed by `windlass`.
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

    /// Runs `windlass`, and returns false if a tool is missing.
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
            // The plugins share their dependencies, which are built once.
            .env("CARGO_TARGET_DIR", self.plugins.join("target"));
        command
    }
}

/// Installs the dependencies of a plugin over the network, if its language has an installer.
/// Returns false if that fails.
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

/// Returns the version line of the installed Rust compiler.
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
        .ok_or_else(|| format!("`{}` is not UTF-8", path.display()))?;
    Ok(text.to_owned())
}

/// Copies a folder without installed dependencies and build results.
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
