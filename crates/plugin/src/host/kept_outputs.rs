use serde::{Deserialize, Serialize};
use serde_json::Value;
use windlass_base::Digest;
use windlass_redact::json_has_secrets;
use windlass_store::{BlobLimits, Blobs};

use crate::host::private::PrivateCache;
use windlass_base::PluginDigest;

/// The maximum size of a result that we cache, in bytes.
const MAX_BYTES: u64 = 1 << 20;
const LIMITS: BlobLimits = BlobLimits {
    max_count: 512,
    max_bytes: 64 << 20,
};

#[derive(Debug)]
pub(crate) struct Results(Blobs);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Given {
    pub(crate) value: Value,
    pub(crate) notes: Vec<String>,
}

impl Results {
    pub(crate) fn open(cache: &PrivateCache) -> Option<Self> {
        cache.blobs("results", LIMITS).map(Self)
    }

    /// Combines the digest of the plugin and the exact text of its input.
    ///
    /// The key is a hash of both, so we do not have to store either of them.
    pub(crate) fn key(plugin: PluginDigest, input: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(plugin.as_bytes()).update(input.as_bytes());
        Digest::from(*hasher.finalize().as_bytes()).hex()
    }

    pub(crate) fn get(&self, key: &str) -> Option<Given> {
        serde_json::from_slice(&self.0.get(key, MAX_BYTES)?).ok()
    }

    /// Caches `given`, unless it is large or contains a secret.
    pub(crate) fn put(&self, key: &str, given: &Given) {
        let Ok(text) = serde_json::to_string(given) else {
            return;
        };
        if text.len() as u64 > MAX_BYTES || json_has_secrets(&text) {
            return;
        }
        if let Err(error) = self.0.put(key, text.as_bytes()) {
            tracing::info!(%error, "the result of a plugin is not cached");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_keyed_and_without_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let cache =
            PrivateCache::open(&windlass_store::RootedPath::new(dir.path()).join("plugins"))
                .unwrap();
        let results = Results::open(&cache).unwrap();
        let plugins = [b"a", b"b"].map(|bytes| PluginDigest::of(bytes));
        let key = Results::key(plugins[0], "[1]");
        assert_eq!(Results::key(plugins[0], "[1]"), key);
        assert_ne!(Results::key(plugins[0], "[1.0]"), key);
        assert_ne!(Results::key(plugins[1], "[1]"), key);
        assert_eq!(results.get(&key), None);
        let given = Given {
            value: json!([1.5, "text"]),
            notes: vec!["note".to_owned()],
        };
        results.put(&key, &given);
        assert_eq!(results.get(&key), Some(given));
        let secret = Given {
            value: json!({ "token": concat!("ghp_", "a8Zk3Lq0Rt5Yv2Nw7Xs1Bd4Fg6Hj9Kmc0PeU") }),
            notes: Vec::new(),
        };
        let other = Results::key(plugins[0], "1");
        results.put(&other, &secret);
        assert_eq!(results.get(&other), None);
    }
}
