//! Compiled code, kept for the next process.

use std::hash::{Hash, Hasher};

use wasmtime::Engine;
use wasmtime::component::Component as Compiled;
use windlass_base::Digest;
use windlass_store::{BlobLimits, Blobs, SealedBlob};

use crate::component::weight;
use crate::host::private::PrivateCache;
use crate::{Component, PluginError};

/// The largest piece of compiled code that is kept.
const MAX_BYTES: u64 = 256 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 64,
    max_bytes: 1 << 30,
};

/// Where compiled code is kept: a folder that nobody but the user can write to, since who writes there decides what
/// runs.
#[derive(Debug)]
pub(crate) struct CompiledCode(Blobs);

impl CompiledCode {
    pub(crate) fn open(cache: &PrivateCache) -> Option<Self> {
        cache.blobs("code", LIMITS).map(Self)
    }

    /// The code that was kept under `key`, and none that lies there under another one's name.
    fn get(&self, key: &str) -> Option<SealedBlob> {
        self.0.open_sealed(key, MAX_BYTES)
    }
}

/// Compiles `component` for `engine`, or takes what was compiled before. What would take too long is not begun.
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
            Err(error) => tracing::info!(%error, "a compiled plugin is of no use any more"),
        }
    }
    weight::check(component.bytes(), stopped)?;
    let code = engine.precompile_component(component.bytes());
    let code = code.map_err(|error| PluginError::NotAComponent {
        why: format!("{error:#}"),
        help: None,
    })?;
    // Only now it is held against the room there is.
    let compiled = load_from(engine, Place::Bytes(&code));
    let compiled = compiled.map_err(|error| PluginError::TooLarge {
        what: format!("{error:#}"),
        limit: "the room of one plugin".to_owned(),
    })?;
    if let Some(kept) = kept
        && let Err(error) = kept.0.put_sealed(&key, &code)
    {
        tracing::info!(%error, "a compiled plugin is not kept");
    }
    Ok(compiled)
}

/// The same code as `first`, for an engine of the same settings.
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

/// What the code depends on: the component, the version of the engine, how it compiles, and the CPU.
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

/// Loads what [`compile`] made before: the file that is open, mapped where that can be done.
fn load(engine: &Engine, code: &SealedBlob) -> wasmtime::Result<Compiled> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        // The file itself, whatever goes by its name now.
        let file = format!("/proc/self/fd/{}", code.file().as_raw_fd());
        match load_from(engine, Place::File(&file)) {
            Ok(compiled) => return Ok(compiled),
            // Without `/proc`, or where nothing may be run from that disk, its bytes will do.
            Err(error) => tracing::debug!(%error, "compiled code cannot be mapped"),
        }
    }
    load_from(engine, Place::Bytes(&code.read()?))
}

/// Where code is loaded from.
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
    // SAFETY: the file has the seal it was kept with, which is of its bytes and its key, belongs to the user, who alone can write to it, lies
    // in a folder that nobody else can write to, and was put there by `compile` under a key of the component, the engine's
    // version and settings, and the CPU. It was looked at and is loaded by the same open file, which is replaced but never
    // written to again. Or the code is that of a component which this process compiled or loaded in this way. The engine looks at its own mark of version and settings again. Nothing of the repository ever gets here.
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
    fn what_was_looked_at_is_what_is_loaded() {
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
        // Whatever goes by its name since.
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
    fn code_for_other_settings_goes_by_another_name() {
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
        // What belongs to others, or was damaged, is compiled anew.
        let [one, other] = [&with, &without].map(|engine| key(engine, &component));
        let code = kept.get(&one).unwrap();
        assert!(load(&with, &code).is_ok());
        assert!(load(&without, &code).is_err());
        kept.0.put_sealed(&one, b"\x7fELF").unwrap();
        compile(&with, &component, Some(&kept), &|| false).unwrap();
        assert!(load(&with, &kept.get(&one).unwrap()).is_ok());
        // So is what lies there under a name that is not its own.
        let code = dir.path().join("plugins/code");
        std::fs::copy(code.join(&other), code.join(&one)).unwrap();
        assert!(kept.get(&one).is_none());
        assert!(kept.get(&other).is_some());
    }
}
