use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::PluginError;
use crate::component::trim::trimmed;
use crate::imports::INTERFACE;
use crate::plugin_error::WITHOUT_WASI;

/// The custom section with a module's interface has a name with this prefix.
const INTERFACE_SECTION: &str = "component-type";

/// Converts a compiler's core module to a component. If it is a component already, it is returned
/// unchanged.
///
/// Bindings may have embedded an interface in the module. If not, we use the plugin interface.
/// Unused imports are dropped, as are sections that are needed neither for running nor for
/// backtraces.
///
/// # Errors
/// Returns an error if the bytes are not a module, or if the module does not implement its
/// interface.
pub fn componentize(module: &[u8]) -> Result<Vec<u8>, PluginError> {
    if Parser::is_component(module) {
        return Ok(module.to_vec());
    }
    let encode = || -> Result<Vec<u8>, String> {
        let mut module = trimmed(module, INTERFACE_SECTION).map_err(|error| error.to_string())?;
        if !has_interface(&module) {
            embed(&mut module).map_err(|error| format!("{error:#}"))?;
        }
        let encoder = ComponentEncoder::default().validate(true).module(&module);
        encoder
            .and_then(|mut encoder| encoder.encode())
            .map_err(|error| format!("{error:#}"))
    };
    encode().map_err(|why| PluginError::NotAComponent {
        help: Some(match why.contains("wasi") && imports_wasi(module) {
            true => WITHOUT_WASI.to_owned(),
            false => "build a library that exports its plugin: in Rust a `cdylib` with `export!`, in C a file that includes `windlass.h`"
                .to_owned(),
        }),
        why,
    })
}

/// True if the core module was built for WASI, which plugins cannot use.
fn imports_wasi(module: &[u8]) -> bool {
    let mut payloads = Parser::new(0).parse_all(module);
    payloads.any(|payload| match payload {
        Ok(Payload::ImportSection(imports)) => imports
            .into_imports()
            .flatten()
            .any(|import| import.module.starts_with("wasi")),
        _ => false,
    })
}

fn has_interface(module: &[u8]) -> bool {
    let mut payloads = Parser::new(0).parse_all(module);
    payloads.any(|payload| {
        matches!(payload, Ok(Payload::CustomSection(section)) if section.name().starts_with(INTERFACE_SECTION))
    })
}

fn embed(module: &mut Vec<u8>) -> Result<(), impl std::fmt::Display + use<>> {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("step.wit", INTERFACE)?;
    let world = resolve.select_world(&[package], Some("plugin"))?;
    embed_component_metadata(module, &resolve, world, StringEncoding::UTF8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Component;

    /// A core module, as a compiler without support for components would write it.
    const PLAIN: &str = r#"(module
        (import "windlass:step/log@1.0.0" "write" (func $write (param i32 i32 i32)))
        (memory (export "memory") 1)
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 0))
        (func (export "windlass:step/handler@1.0.0#describe") (result i32) (i32.const 0))
        (func (export "windlass:step/handler@1.0.0#run") (param i32 i32) (result i32)
            (call $write (i32.const 0) (i32.const 0) (i32.const 0)) (i32.const 0)))"#;

    #[test]
    fn componentize_drops_unused_imports() {
        let module = wat::parse_str(PLAIN).unwrap();
        let component = componentize(&module).unwrap();
        let read = Component::read(component.clone()).unwrap();
        let imports: Vec<&str> = read
            .asks()
            .imports()
            .iter()
            .map(|import| &*import.name)
            .collect();
        // `types` isn't there, because no import that's used mentions it.
        assert_eq!(imports, ["windlass:step/log@1.0.0"]);
        assert_eq!(componentize(&component).unwrap(), component);
    }

    #[test]
    fn componentize_names_missing_export() {
        let lacking = PLAIN.replace("#run", "#ran");
        let error = componentize(&wat::parse_str(lacking).unwrap()).unwrap_err();
        assert!(error.to_string().contains("run"), "{error}");
        let wasi = r#"(module (import "wasi_snapshot_preview1" "fd_write"
            (func (param i32 i32 i32 i32) (result i32))))"#;
        let error = componentize(&wat::parse_str(wasi).unwrap()).unwrap_err();
        assert_eq!(error.help().as_deref(), Some(WITHOUT_WASI));
        for bytes in [&b""[..], b"text", b"\0asm\x01\0\0\0\x01\xff"] {
            assert!(componentize(bytes).is_err());
        }
    }
}
