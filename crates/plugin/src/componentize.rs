use wit_component::ComponentEncoder;

use crate::PluginError;

/// Makes a component of the core module that a compiler gives, with the interface that its bindings wrote into it. Imports
/// that it has no use for are left out.
///
/// # Errors
/// When it is no module, or does not say what its interface is.
pub fn componentize(module: &[u8]) -> Result<Vec<u8>, PluginError> {
    let encode = || {
        let mut encoder = ComponentEncoder::default().validate(true).module(module)?;
        encoder.encode()
    };
    encode().map_err(|error| PluginError::NotAComponent {
        why: format!("{error:#}"),
        help: Some("is it a library (`cdylib`) that exports its plugin with `export!`?".to_owned()),
    })
}
