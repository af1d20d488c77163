//! Inspection of component files without running them.
//!
//! A component's imports are the capabilities it requests. A component that imports
//! `windlass:step/evidence@1.0.0`, for example, wants to read files. Each capability is granted
//! individually, both by the runbook (`permissions`) and by the user (`trust`), and the linker
//! offers no others. There is no WASI.

mod componentize;
mod trim;
pub(crate) mod weight;

use bytes::Bytes;
use wasmparser::{ComponentExternalKind, Parser, Payload};

use windlass_base::PluginDigest;

pub use self::componentize::componentize;
use crate::PluginError;
use crate::imports::Asks;

/// A component file. Its imports and exports have been checked without running it.
#[derive(Debug, Clone)]
pub struct Component {
    bytes: Bytes,
    digest: PluginDigest,
    asks: Asks,
}

impl Component {
    /// Reads the component `bytes` and checks its imports and exports.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a component, if they import an interface unavailable
    /// to plugins, or if they export no handler.
    pub fn read(bytes: impl Into<Bytes>) -> Result<Self, PluginError> {
        let bytes = bytes.into();
        let digest = PluginDigest::of(&bytes);
        let outside = Outside::of(&bytes)?;
        let asks = Asks::of(outside.imports.iter().map(String::as_str))?;
        outside.check_handler()?;
        Ok(Self {
            bytes,
            digest,
            asks,
        })
    }

    /// Checks that compiling it takes reasonable time and memory, as far as its code shows.
    ///
    /// # Errors
    /// Returns an error if a limit is exceeded or the WebAssembly is invalid, and [`PluginError::Stopped`] once `stopped`
    /// returns true.
    pub fn check_weight(&self, stopped: &dyn Fn() -> bool) -> Result<(), PluginError> {
        weight::check(&self.bytes, stopped)
    }

    /// Returns the component's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the digest of the component's bytes.
    #[must_use]
    pub fn digest(&self) -> PluginDigest {
        self.digest
    }

    /// Returns the component's imports.
    #[must_use]
    pub fn asks(&self) -> &Asks {
        &self.asks
    }
}

/// A component's imports and exports.
#[derive(Default)]
struct Outside {
    imports: Vec<String>,
    exports: Vec<String>,
}

impl Outside {
    fn of(bytes: &[u8]) -> Result<Self, PluginError> {
        if !bytes.starts_with(b"\0asm") {
            return Err(not_a_component(bytes, "it has no component header"));
        }
        let mut outside = Self::default();
        let mut depth = 0_u32;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload.map_err(|error| not_a_component(bytes, &error.to_string()))? {
                Payload::Version { encoding, .. }
                    if depth == 0 && encoding != wasmparser::Encoding::Component =>
                {
                    return Err(not_a_component(bytes, "it is a core module"));
                }
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section {
                        let import =
                            import.map_err(|error| not_a_component(bytes, &error.to_string()))?;
                        outside.imports.push(import.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section {
                        let export =
                            export.map_err(|error| not_a_component(bytes, &error.to_string()))?;
                        if export.kind == ComponentExternalKind::Instance {
                            outside.exports.push(export.name.name.to_owned());
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(outside)
    }

    /// Checks that the component exports a handler, and that there's an adapter for its major
    /// version.
    fn check_handler(&self) -> Result<(), PluginError> {
        let handlers = self.exports.iter().filter_map(|name| {
            name.strip_prefix("windlass:step/handler@")
                .map(|version| (name, version))
        });
        let mut other = None;
        for (name, version) in handlers {
            if version.split('.').next() == Some("1") {
                return Ok(());
            }
            other = Some(name);
        }
        let why = match other {
            Some(other) => format!("it exports `{other}`"),
            None if self.exports.is_empty() => "it exports no interface".to_owned(),
            None => format!("it exports `{}`", self.exports.join("`, `")),
        };
        Err(PluginError::NoHandler { why })
    }
}

fn not_a_component(bytes: &[u8], why: &str) -> PluginError {
    let help = if bytes.starts_with(b"\0asm") {
        "run `windlass plugin build` on the compiler's output"
    } else {
        "use a WebAssembly component in binary form"
    };
    PluginError::NotAComponent {
        why: why.to_owned(),
        help: Some(help.to_owned()),
    }
}
