//! `plugin new` and `plugin build`: from nothing to sources, and from sources to a component.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use windlass::Error;
use windlass::plugin::componentize;

use super::Failure;
use crate::args::{PluginBuildArgs, PluginNewArgs};
use crate::exit::Exit;
use crate::outside::{here, workspace};
use crate::screen::Screen;

const TARGET: &str = "wasm32-unknown-unknown";

/// What builds WebAssembly here.
enum Toolchain {
    /// The usual one, which has the target.
    Usual,
    /// One that has the sources of the standard library, and builds them too: Debian's `rustc-web`.
    BuildsStd,
}

impl Toolchain {
    fn find() -> Option<Self> {
        let libraries = |rustc: &str| -> Option<PathBuf> {
            let mut asked = Command::new(rustc);
            asked.args(["--print", "target-libdir", "--target", TARGET]);
            let answer = asked.stderr(Stdio::null()).output().ok()?;
            Some(PathBuf::from(String::from_utf8(answer.stdout).ok()?.trim()))
        };
        if libraries("rustc").is_some_and(|folder| folder.is_dir()) {
            return Some(Self::Usual);
        }
        let own = Path::new("/usr/bin/rustc").exists() && Path::new("/usr/bin/wasm-ld").exists();
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

pub(crate) fn build(
    root: Option<&Path>,
    args: &PluginBuildArgs,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let source = here().join(&args.source);
    let (module, folder) = match source.is_dir() {
        true => (compile(&source, screen)?, source),
        false => (
            source.clone(),
            source.parent().map(Path::to_owned).unwrap_or_default(),
        ),
    };
    let bytes = std::fs::read(&module)
        .map_err(|error| unbuilt(format!("{}: {error}", module.display())))?;
    let component = componentize(&bytes).map_err(|error| {
        let help = error.help();
        Error::Plugin {
            message: format!("`{}` makes no plugin: {error}", module.display()),
            help,
            missing: false,
        }
    })?;
    let stem = module
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .replace('_', "-");
    let out = match &args.out {
        Some(out) => here().join(out),
        None => folder.join(format!("{stem}.wasm")),
    };
    std::fs::write(&out, &component)
        .map_err(|error| unbuilt(format!("{}: {error}", out.display())))?;
    let report = workspace(root)?.inspect_plugin(&out.to_string_lossy(), &here())?;
    screen.print(&format!(
        "plugin:{}@{}  {}  {} bytes  {}\n",
        report.card.name,
        report.card.major(),
        report.digest,
        report.bytes,
        out.display()
    ));
    Ok(Exit::Done)
}

fn unbuilt(message: String) -> Failure {
    Failure::Library(Error::Plugin {
        message,
        help: None,
        missing: false,
    })
}

/// Runs cargo in `folder`, and says where the module is.
fn compile(folder: &Path, screen: &Screen) -> Result<PathBuf, Failure> {
    let Some(toolchain) = Toolchain::find() else {
        return Err(Failure::Library(Error::Plugin {
            message: format!("there is no Rust toolchain for {TARGET}"),
            help: Some(format!(
                "`rustup target add {TARGET}`; on Debian `apt install rustc-web cargo-web rust-web-src lld`"
            )),
            missing: true,
        }));
    };
    let mut cargo = toolchain.command();
    cargo
        .current_dir(folder)
        .args(["build", "--release", "--target", TARGET]);
    if matches!(toolchain, Toolchain::BuildsStd) {
        screen.say("the standard library is built as well; the first time takes a minute or two");
        cargo.arg("-Zbuild-std=std,panic_abort");
    }
    cargo.args(["--message-format", "json-render-diagnostics"]);
    let built = cargo.stderr(Stdio::inherit()).output();
    let built = built.map_err(|error| unbuilt(format!("cargo cannot be started: {error}")))?;
    if !built.status.success() {
        return Err(unbuilt(
            "cargo could not build it; what is wrong stands above".to_owned(),
        ));
    }
    let output = String::from_utf8_lossy(&built.stdout);
    let messages = output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut modules = messages.flat_map(|message| {
        let files = message["filenames"].as_array().cloned().unwrap_or_default();
        files
            .into_iter()
            .filter_map(|file| file.as_str().map(PathBuf::from))
    });
    // The last one is the folder's own.
    let module = modules.rfind(|file| file.extension().is_some_and(|ending| ending == "wasm"));
    module.ok_or_else(|| {
        Failure::Library(Error::Plugin {
            message: "cargo built no WebAssembly module".to_owned(),
            help: Some("its `Cargo.toml` has to say `[lib] crate-type = [\"cdylib\"]`".to_owned()),
            missing: false,
        })
    })
}

pub(crate) fn new(args: &PluginNewArgs, screen: &Screen) -> Result<Exit, Failure> {
    let name = &args.name;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    if name.len() > 64 || !starts || name.ends_with('-') || !name.chars().all(plain) {
        return Err(Failure::Usage(format!(
            "`{name}` is no name: it starts with a letter and has lower-case letters, digits and `-`"
        )));
    }
    let sdk = here().join(&args.sdk);
    let sdk = sdk
        .canonicalize()
        .ok()
        .filter(|sdk| sdk.join("Cargo.toml").is_file());
    let Some(sdk) = sdk else {
        return Err(unbuilt(format!(
            "there is no SDK in `{}`: it has a `Cargo.toml`",
            args.sdk.display()
        )));
    };
    let folder = here().join(&args.into).join(name);
    if folder.exists() {
        return Err(unbuilt(format!("`{}` is there already", folder.display())));
    }
    for (file, text) in scaffold(name, &sdk) {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(&folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| unbuilt(format!("{}: {error}", path.display())))?;
    }
    let folder = args.into.join(name);
    let folder = folder.display();
    screen.print(&format!(
        "{folder}\n  windlass plugin build {folder}\n  windlass plugin test {folder}/{name}.wasm\n"
    ));
    Ok(Exit::Done)
}

/// The files of a new plugin, each with its text.
fn scaffold(name: &str, sdk: &Path) -> [(&'static str, String); 6] {
    let sdk = sdk.display();
    let fill = |text: &str| {
        text.replace("@NAME@", name)
            .replace("@SDK@", &sdk.to_string())
    };
    [
        (
            "Cargo.toml",
            fill(include_str!("plugin_new/Cargo.toml.txt")),
        ),
        (
            ".cargo/config.toml",
            fill(include_str!("plugin_new/config.toml.txt")),
        ),
        ("src/lib.rs", fill(include_str!("plugin_new/lib.rs.txt"))),
        (
            "examples/counts.input.json",
            fill(include_str!("plugin_new/input.json.txt")),
        ),
        (
            "examples/counts.output.json",
            fill(include_str!("plugin_new/output.json.txt")),
        ),
        (".gitignore", "/target\n".to_owned()),
    ]
}
