//! Cache for compiled code, which all processes of the user share.

use std::hash::{Hash, Hasher};

use wasmtime::Engine;
use wasmtime::component::Component as Compiled;
use windlass_base::Digest;
use windlass_store::{BlobLimits, Blobs, SealedBlob};

use crate::component::weight;
use crate::host::private::PrivateCache;
use crate::{Component, PluginError};

/// Maximum size of a compiled component to cache, in bytes.
const MAX_BYTES: u64 = 256 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 1 << 30,
};

/// Cache folder for compiled code. Only the user may be able to write to it, because we execute
/// what's in there.
#[derive(Debug)]
pub(crate) struct CompiledCode(Blobs);

impl CompiledCode {
    pub(crate) fn open(cache: &PrivateCache) -> Option<Self> {
        cache.blobs("code", LIMITS).map(Self)
    }

    /// Loads the code stored under `key`. The seal includes the key, so code stored for another one
    /// is rejected.
    fn get(&self, key: &str) -> Option<SealedBlob> {
        self.0.open_sealed(key, MAX_BYTES)
    }
}

/// Compiles `component` for `engine`, or loads it from the cache.
///
/// If it's not in the cache and would take too long to compile, we refuse it.
pub(crate) fn compile(
    engine: &Engine,
    component: &Component,
    kept: Option<&CompiledCode>,
    stopped: &dyn Fn() -> bool,
) -> Result<Compiled, PluginError> {
    let key = key(engine, component);
    if let Some(code) = kept.and_then(|kept| kept.get(&key)) {
        match load(engine, &code) {
            Ok(compiled) => return Ok(compiled),
            Err(error) => tracing::info!(%error, "cached plugin code cannot be used"),
        }
    }
    weight::check(component.bytes(), stopped)?;
    let code = engine.precompile_component(component.bytes());
    let code = code.map_err(|error| PluginError::NotAComponent {
        why: format!("{error:#}"),
        help: None,
    })?;
    // The engine only checks the memory limits when it loads the code.
    let compiled = load_from(engine, Place::Bytes(&code));
    let compiled = compiled.map_err(|error| PluginError::TooLarge {
        what: format!("{error:#}"),
        limit: "the memory of one plugin".to_owned(),
    })?;
    if let Some(kept) = kept
        && let Err(error) = kept.0.put_sealed(&key, &code)
    {
        tracing::info!(%error, "compiled plugin code is not cached");
    }
    Ok(compiled)
}

/// Loads the code of `first` for another engine with the same settings.
pub(crate) fn compiled_again(
    engine: &Engine,
    component: &Component,
    first: &Compiled,
    kept: Option<&CompiledCode>,
) -> wasmtime::Result<Compiled> {
    let code = kept.and_then(|kept| kept.get(&key(engine, component)));
    match code.map(|code| load(engine, &code)) {
        Some(Ok(compiled)) => Ok(compiled),
        _ => load_from(engine, Place::Bytes(&first.serialize()?)),
    }
}

fn key(engine: &Engine, component: &Component) -> String {
    let mut settings = Blake(blake3::Hasher::new());
    engine.precompile_compatibility_hash().hash(&mut settings);
    settings.write(std::env::consts::ARCH.as_bytes());
    settings.write(std::env::consts::OS.as_bytes());
    settings.write(component.digest().as_bytes());
    Digest::from(*settings.0.finalize().as_bytes()).hex()
}

struct Blake(blake3::Hasher);

impl Hasher for Blake {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let bytes = *self.0.finalize().as_bytes();
        bytes
            .first_chunk()
            .map_or(0, |first| u64::from_le_bytes(*first))
    }
}

/// Loads code stored by [`compile`]. If possible, we map the open file to memory.
fn load(engine: &Engine, code: &SealedBlob) -> wasmtime::Result<Compiled> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        // This path leads to the open file, even if another file has taken its name in the
        // meantime.
        let file = format!("/proc/self/fd/{}", code.file().as_raw_fd());
        match load_from(engine, Place::File(&file)) {
            Ok(compiled) => return Ok(compiled),
            // `/proc` may be missing, or the disk may be mounted without permission to execute.
            // Load the bytes instead.
            Err(error) => tracing::debug!(%error, "compiled code cannot be mapped"),
        }
    }
    load_from(engine, Place::Bytes(&code.read()?))
}

#[derive(Clone, Copy)]
enum Place<'a> {
    #[cfg(target_os = "linux")]
    File(&'a str),
    Bytes(&'a [u8]),
}

#[expect(
    unsafe_code,
    reason = "machine code cannot be checked; it is read from a private folder alone, as this program wrote it"
)]
fn load_from(engine: &Engine, place: Place<'_>) -> wasmtime::Result<Compiled> {
    // SAFETY: The code is what `compile` wrote. Its file belongs to the user, who alone can write
    // to it, and no other user can write to its folder. The file still has the seal of its bytes
    // and of its key, which covers the component, the engine's version and settings, and the CPU.
    // We checked it and load it through the same open file, which may be replaced but is never
    // written to again. Otherwise, the code is that of a component which this process compiled, or
    // loaded as above. The engine also checks its own mark of version and settings. Data from a
    // repository never gets here.
    unsafe {
        match place {
            #[cfg(target_os = "linux")]
            Place::File(file) => Compiled::deserialize_file(engine, file),
            Place::Bytes(code) => Compiled::deserialize(engine, code),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests put files in wrong places")]
mod tests;
