//! Inspects component files without running them.
//!
//! A component can only do what it imports, so its imports are the capabilities that it asks for.
//! For example, `windlass:step/evidence@1.0.0` asks for reading files. Both the runbook
//! (`permissions`) and the user (`trust`) have to grant each of them, and the linker does not offer
//! a component anything else. In particular, it never offers WASI.

mod componentize;
mod trim;
pub(crate) mod weight;

use bytes::Bytes;
use wasmparser::{ComponentExternalKind, Parser, Payload};

use windlass_base::PluginDigest;

pub use self::componentize::componentize;
use crate::PluginError;
use crate::imports::Asks;

/// A component file whose imports and exports have been checked, without running it.
#[derive(Debug, Clone)]
pub struct Component {
    bytes: Bytes,
    digest: PluginDigest,
    asks: Asks,
}

impl Component {
    /// Parses a component, and checks its imports and exports.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a component, if they import an interface that plugins
    /// cannot have, or if they export no handler.
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

    /// Checks if compiling the component would take reasonable time and memory.
    ///
    /// This only looks at the code.
    ///
    /// # Errors
    /// Returns an error if a limit is exceeded or the WebAssembly is invalid, and
    /// [`PluginError::Stopped`] once `stopped` returns true.
    pub fn check_weight(&self, stopped: &dyn Fn() -> bool) -> Result<(), PluginError> {
        weight::check(&self.bytes, stopped)
    }

    /// The file's content, as passed to [`read`](Self::read).
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Identifies the component in caches, and in what the user has granted.
    #[must_use]
    pub fn digest(&self) -> PluginDigest {
        self.digest
    }

    /// The interfaces that it imports, and thereby asks for.
    #[must_use]
    pub fn asks(&self) -> &Asks {
        &self.asks
    }
}

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
                // A component contains modules and other components, whose imports don't concern
                // us: they're connected inside.
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

    /// Requires a handler of a major version that we support.
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
