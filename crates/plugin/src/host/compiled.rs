//! Cache for compiled code, shared with later processes.

use std::hash::{Hash, Hasher};

use wasmtime::Engine;
use wasmtime::component::Component as Compiled;
use windlass_base::Digest;
use windlass_store::{BlobLimits, Blobs, SealedBlob};

use crate::component::weight;
use crate::host::private::PrivateCache;
use crate::{Component, PluginError};

/// Maximum size of a compiled component in the cache, in bytes.
const MAX_BYTES: u64 = 256 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 1 << 30,
};

/// Cache folder for compiled code. We execute its contents, so nobody but the user may be able to
/// write to it.
#[derive(Debug)]
pub(crate) struct CompiledCode(Blobs);

impl CompiledCode {
    pub(crate) fn open(cache: &PrivateCache) -> Option<Self> {
        cache.blobs("code", LIMITS).map(Self)
    }

    /// Returns the code stored under `key`. Code stored for another key is rejected.
    fn get(&self, key: &str) -> Option<SealedBlob> {
        self.0.open_sealed(key, MAX_BYTES)
    }
}

/// Compiles `component` for `engine`, or loads it from the cache. Refuses a component that would
/// take too long to compile.
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
    // The engine doesn't check the memory limits until it loads the code.
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

/// Loads the same code as `first` for another engine with the same settings.
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

/// Returns the cache key, made of the component, the engine's version and settings, and the CPU.
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

/// Loads code stored by [`compile`]. Maps the open file to memory if possible.
fn load(engine: &Engine, code: &SealedBlob) -> wasmtime::Result<Compiled> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        // This path opens the file itself, even if its name has been given to another file.
        let file = format!("/proc/self/fd/{}", code.file().as_raw_fd());
        match load_from(engine, Place::File(&file)) {
            Ok(compiled) => return Ok(compiled),
            // There's no `/proc`, or the disk is mounted without permission to execute. Load the
            // bytes instead.
            Err(error) => tracing::debug!(%error, "compiled code cannot be mapped"),
        }
    }
    load_from(engine, Place::Bytes(&code.read()?))
}

/// Source of compiled code.
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
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn load_uses_the_checked_file() {
        use std::os::fd::AsRawFd as _;
        let bytes =
            wat::parse_str("(component (instance (export \"windlass:step/handler@1.0.0\")))");
        let component = Component::read(bytes.unwrap()).unwrap();
        let mut config = wasmtime::Config::new();
        config.wasm_component_model(true);
        let engine = Engine::new(&config).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let cache =
            PrivateCache::open(&windlass_store::RootedPath::new(dir.path()).join("plugins"))
                .unwrap();
        let kept = CompiledCode::open(&cache).unwrap();
        compile(&engine, &component, Some(&kept), &|| false).unwrap();
        let code = kept.get(&key(&engine, &component)).unwrap();
        // This holds even if another file takes its name.
        let file = dir
            .path()
            .join("plugins/code")
            .join(key(&engine, &component));
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, b"\x7fELF").unwrap();
        let file = format!("/proc/self/fd/{}", code.file().as_raw_fd());
        assert!(load_from(&engine, Place::File(&file)).is_ok());
        assert!(load_from(&engine, Place::Bytes(&code.read().unwrap())).is_ok());
    }

    #[test]
    fn code_key_depends_on_settings() {
        let wat = "(component (instance (export \"windlass:step/handler@1.0.0\")))";
        let component = Component::read(wat::parse_str(wat).unwrap()).unwrap();
        let engine = |fuel: bool| {
            let mut config = wasmtime::Config::new();
            config.wasm_component_model(true).consume_fuel(fuel);
            Engine::new(&config).unwrap()
        };
        let (with, without) = (engine(true), engine(false));
        assert_eq!(key(&with, &component), key(&engine(true), &component));
        assert_ne!(key(&with, &component), key(&without, &component));

        let dir = tempfile::tempdir().unwrap();
        let cache =
            PrivateCache::open(&windlass_store::RootedPath::new(dir.path()).join("plugins"))
                .unwrap();
        let kept = CompiledCode::open(&cache).unwrap();
        let root = windlass_store::RootedPath::new(dir.path());
        let names = || windlass_store::files_in(&root.join("plugins/code"), |_| true);
        compile(&with, &component, Some(&kept), &|| false).unwrap();
        compile(&with, &component, Some(&kept), &|| false).unwrap();
        assert_eq!(names().unwrap().len(), 1);
        compile(&without, &component, Some(&kept), &|| false).unwrap();
        assert_eq!(names().unwrap().len(), 2);
        // Code for other settings is compiled again, and so is damaged code.
        let [one, other] = [&with, &without].map(|engine| key(engine, &component));
        let code = kept.get(&one).unwrap();
        assert!(load(&with, &code).is_ok());
        assert!(load(&without, &code).is_err());
        kept.0.put_sealed(&one, b"\x7fELF").unwrap();
        compile(&with, &component, Some(&kept), &|| false).unwrap();
        assert!(load(&with, &kept.get(&one).unwrap()).is_ok());
        // Code stored under another key is compiled again.
        let code = dir.path().join("plugins/code");
        std::fs::copy(code.join(&other), code.join(&one)).unwrap();
        assert!(kept.get(&one).is_none());
        assert!(kept.get(&other).is_some());
    }
}
