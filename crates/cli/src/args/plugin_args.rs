//! `plugin …`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::OutputFormat;
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// Name the plugins there are, in the repository and in your own folder.
    List(PluginListArgs),
    /// Show what a plugin is: digest, size, what it imports, and the schemas of its input and output.
    Inspect(PluginInspectArgs),
    /// Run a plugin's examples, and compare what it gives with what is expected.
    Test(PluginTestArgs),
    /// Write the sources of a new plugin, ready to be built.
    New(PluginNewArgs),
    /// Build a plugin from its sources, and check it; or make a component of a module that was built otherwise.
    Build(PluginBuildArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginListArgs {
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginInspectArgs {
    /// The plugin's name, with its major version or without, or its file.
    #[arg(value_name = "NAME|FILE", add = completion::plugins())]
    pub(crate) plugin: String,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// A language that plugins are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginLanguage {
    /// With the SDK: small and fast.
    Rust,
    /// With QuickJS inside: a megabyte.
    Js,
    /// With CPython inside: 18 megabytes.
    Python,
    /// Without any library.
    C,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginNewArgs {
    /// Its name: lower-case letters, digits and `-`. The sources are written into a folder of that name.
    pub(crate) name: String,
    /// The language it is written in.
    #[arg(long, value_name = "LANGUAGE", default_value = "rust")]
    pub(crate) lang: PluginLanguage,
    /// A folder with the SDK for Rust, `windlass-step`; without, the sources bring it along.
    #[arg(long, value_name = "DIR", add = completion::folders())]
    pub(crate) sdk: Option<std::path::PathBuf>,
    /// The folder that the plugin's own folder is made in; `plugins` of the repository if not given.
    #[arg(long, value_name = "DIR", add = completion::folders())]
    pub(crate) into: Option<std::path::PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginBuildArgs {
    /// The folder with its sources, told by `Cargo.toml`, `plugin.js`, `plugin.py` or `plugin.c`; or a core module or
    /// component that was built otherwise (`.wasm`).
    #[arg(value_name = "DIR|FILE", default_value = ".", add = completion::folders())]
    pub(crate) source: std::path::PathBuf,
    /// Where the component is written; `NAME.wasm` in the folder of the sources if not given, by the name it gives itself.
    #[arg(long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<std::path::PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginTestArgs {
    /// The plugin's name, with its major version or without, or its file.
    #[arg(value_name = "NAME|FILE", add = completion::plugins())]
    pub(crate) plugin: String,
    /// The folder with the examples; `examples` beside its file if not given. `NAME.input.json` is given to the plugin,
    /// which has to give back `NAME.output.json`, or to fail with the text in `NAME.error.txt`; what it reads are the files
    /// of the folder `NAME.files`.
    #[arg(long, value_name = "DIR", add = completion::folders())]
    pub(crate) examples: Option<std::path::PathBuf>,
}
