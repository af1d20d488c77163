//! Compiled code, kept for the next process.

use std::hash::{Hash, Hasher};

use wasmtime::Engine;
use wasmtime::component::Component as Compiled;
use windlass_base::Digest;
use windlass_store::{BlobLimits, Blobs, StoreError};

use crate::private::PrivateCache;
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
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let mut kept = self.0.get(key, MAX_BYTES)?;
        let at = kept.len().checked_sub(key.len())?;
        let code = kept.ends_with(key.as_bytes()).then_some(at);
        if code.is_none() {
            tracing::info!(
                key,
                "compiled code that belongs to something else is left alone"
            );
        }
        kept.truncate(code?);
        Some(kept)
    }

    /// Keeps `code`, with its key behind it: what is a name for others may be given to another file.
    fn put(&self, key: &str, code: &[u8]) -> Result<(), StoreError> {
        self.0.put(key, &[code, key.as_bytes()].concat())
    }
}

/// Compiles `component` for `engine`, or takes what was compiled before.
pub(crate) fn compile(
    engine: &Engine,
    component: &Component,
    kept: Option<&CompiledCode>,
) -> Result<Compiled, PluginError> {
    let key = key(engine, component);
    if let Some(code) = kept.and_then(|kept| kept.get(&key)) {
        match load(engine, &code) {
            Ok(compiled) => return Ok(compiled),
            Err(error) => tracing::info!(%error, "a compiled plugin is of no use any more"),
        }
    }
    let compiled = Compiled::from_binary(engine, component.bytes()).map_err(|error| {
        let why = format!("{error:#}");
        match why.contains("limit") {
            true => PluginError::TooLarge {
                what: why,
                limit: "the room of one plugin".to_owned(),
            },
            false => PluginError::NotAComponent { why, help: None },
        }
    })?;
    if let Some(kept) = kept
        && let Ok(code) = compiled.serialize()
        && let Err(error) = kept.put(&key, &code)
    {
        tracing::info!(%error, "a compiled plugin is not kept");
    }
    Ok(compiled)
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

/// Loads what [`compile`] made before.
#[expect(
    unsafe_code,
    reason = "machine code cannot be checked; it is read from a private folder alone, as this program wrote it"
)]
fn load(engine: &Engine, code: &[u8]) -> wasmtime::Result<Compiled> {
    // SAFETY: `code` has the digest it was kept with and says its own key, lies in a folder that nobody but the user can write to, and was
    // put there by `compile` under a key of the component, the engine's version and settings, and the CPU. The engine
    // looks at its own mark of version and settings again. Nothing of the repository ever gets here.
    unsafe { Compiled::deserialize(engine, code) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let cache = PrivateCache::open(&dir.path().join("plugins")).unwrap();
        let kept = CompiledCode::open(&cache).unwrap();
        let names = || windlass_store::files_in(&dir.path().join("plugins/code"), |_| true);
        compile(&with, &component, Some(&kept)).unwrap();
        compile(&with, &component, Some(&kept)).unwrap();
        assert_eq!(names().unwrap().len(), 1);
        compile(&without, &component, Some(&kept)).unwrap();
        assert_eq!(names().unwrap().len(), 2);
        // What belongs to others, or was damaged, is compiled anew.
        let code = kept.get(&key(&with, &component)).unwrap();
        assert!(load(&without, &code).is_err());
        kept.put(&key(&with, &component), b"\x7fELF").unwrap();
        compile(&with, &component, Some(&kept)).unwrap();
        // So is what lies there under a name that is not its own.
        let [one, other] = [&with, &without].map(|engine| key(engine, &component));
        let of_other = kept.0.get(&other, MAX_BYTES).unwrap();
        kept.0.put(&one, &of_other).unwrap();
        assert_eq!(kept.get(&one), None);
        assert!(kept.get(&other).is_some());
    }
}
