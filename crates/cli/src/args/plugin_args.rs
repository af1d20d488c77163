//! Arguments of `windlass plugin`.

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::OutputFormat;
use crate::completion;

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// List the plugins in the repository and in your own folder.
    List(PluginListArgs),
    /// Show a plugin: digest, size, imports, and the schemas of its input and output.
    #[command(visible_alias = "show")]
    Inspect(PluginInspectArgs),
    /// Run the examples of a plugin, and compare its output with the expected output.
    Test(PluginTestArgs),
    /// Write the sources of a new plugin, ready to build.
    #[command(visible_alias = "add")]
    New(PluginNewArgs),
    /// Build a plugin from its sources and check it; or turn a core module into a component.
    Build(PluginBuildArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginListArgs {
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginInspectArgs {
    /// Name of the plugin, with or without major version, or its file.
    #[arg(value_name = "NAME|FILE", add = completion::plugins())]
    pub(crate) plugin: String,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Language of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PluginLanguage {
    /// Rust with the SDK: small and fast.
    Rust,
    /// JavaScript, with QuickJS inside: 1 MB.
    Js,
    /// Python, with CPython inside: 18 MB.
    Python,
    /// C, without any library.
    C,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginNewArgs {
    /// Name: lower-case letters, digits and `-`; also the folder of the sources.
    pub(crate) name: String,
    /// Language of the plugin.
    #[arg(long, value_name = "LANGUAGE", default_value = "rust")]
    pub(crate) lang: PluginLanguage,
    /// Folder of the Rust SDK, `windlass-step`; by default the sources include it.
    #[arg(long, value_name = "DIR", add = completion::folders())]
    pub(crate) sdk: Option<std::path::PathBuf>,
    /// Write the plugin's folder into this folder; `plugins` of the repository by default.
    #[arg(long, alias = "into", value_name = "DIR", add = completion::folders())]
    pub(crate) out_dir: Option<std::path::PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginBuildArgs {
    /// Folder with the sources, recognized by `Cargo.toml`, `plugin.js`, `plugin.py` or `plugin.c`; or a `.wasm` file,
    /// a core module or component built by another tool.
    #[arg(value_name = "DIR|FILE", default_value = ".", add = completion::folders())]
    pub(crate) source: std::path::PathBuf,
    /// Write the component to this file; by default `NAME.wasm` in the folder of the sources, with the name the plugin
    /// declares.
    #[arg(short, long, value_name = "FILE", add = completion::files())]
    pub(crate) out: Option<std::path::PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PluginTestArgs {
    /// Name of the plugin, with or without major version, or its file.
    #[arg(value_name = "NAME|FILE", add = completion::plugins())]
    pub(crate) plugin: String,
    /// Folder with the examples; `examples` next to the plugin's file by default. `NAME.input.json` is the input; the
    /// plugin has to return `NAME.output.json`, or fail with the text in `NAME.error.txt`; it reads the files in the
    /// folder `NAME.files`.
    #[arg(long, value_name = "DIR", add = completion::folders())]
    pub(crate) examples: Option<std::path::PathBuf>,
}
