//! Plugins in OCI image layouts, which are the contents of a registry as files.
//!
//! A component is an artifact with a single layer of a WebAssembly media type, as pushed by `wkg`
//! and other tools (<https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact/>). We
//! verify every blob against its digest.

use crate::plugin_limits::MAX_COMPONENT_BYTES;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use windlass_base::PluginDigest;

pub(crate) const SCHEME: &str = "oci://";
/// The folder in a plugin folder that contains the layouts.
const FOLDER: &str = "oci";
const INDEX_FILE: &str = "index.json";
/// Media types of the component's layer: the standard one, and an older one that some tools still
/// use.
const LAYERS: [&str; 2] = [
    "application/wasm",
    "application/vnd.wasm.content.layer.v1+wasm",
];
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Annotations that may have the name of an index entry.
const NAMES: [&str; 2] = [
    "org.opencontainers.image.ref.name",
    "io.containerd.image.name",
];
/// Maximum size of an index or a manifest, in bytes. Registries have the same limit.
const MAX_JSON: u64 = 4 << 20;

/// An OCI reference, e.g. `ghcr.io/acme/owners:1.2.0` or `ghcr.io/acme/owners@sha256:…`.
///
/// If it has both a tag and a digest, the digest decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    whole: &'a str,
    /// The registry and a repository in it, e.g. `ghcr.io/acme/owners`.
    repository: &'a str,
    version: Version<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version<'a> {
    Tag(&'a str),
    Digest(PluginDigest),
}

impl<'a> Reference<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{SCHEME}{text}` is not an OCI reference: {why}");
        let (repository, version) = if let Some((repository, digest)) = text.split_once('@') {
            // The part after a colon is only a tag if it has no slash. In `localhost:5000/a`, it's
            // a port.
            let tagged = repository
                .rsplit_once(':')
                .filter(|(_, tag)| !tag.contains('/'));
            let bare = tagged.map_or(repository, |(bare, _)| bare);
            (bare, Version::Digest(digest.parse()?))
        } else {
            let tagged = text.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'));
            let (repository, tag) =
                tagged.ok_or_else(|| wrong("it has neither a tag nor a digest"))?;
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
            if tag.is_empty() || tag.len() > 128 || !tag.chars().all(good) {
                return Err(wrong("a tag consists of letters, digits, `_`, `.` and `-`"));
            }
            (repository, Version::Tag(tag))
        };
        let part = |part: &str| {
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | ':');
            part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.chars().all(good)
        };
        if !repository.contains('/') || !repository.split('/').all(part) {
            return Err(wrong(
                "it needs a registry and a repository: `ghcr.io/acme/owners`",
            ));
        }
        Ok(Self {
            whole: text,
            repository,
            version,
        })
    }

    /// Lists the layouts below a plugin folder that may have the artifact: the one for its
    /// repository alone, and one that it shares with other repositories.
    fn layouts(&self) -> [String; 2] {
        // Some systems don't allow a colon in a path.
        let own = self.repository.replace(':', "_");
        [format!("{FOLDER}/{own}"), FOLDER.to_owned()]
    }

    pub(crate) fn help(&self) -> String {
        let [own, _] = self.layouts();
        format!(
            "run `oras cp {} --to-oci-layout .windlass/plugins/{own}:{}` to download it; windlass does not",
            self.whole,
            match self.version {
                Version::Tag(tag) => tag,
                Version::Digest(_) => "latest",
            }
        )
    }

    /// True if an entry in a layout's index matches.
    ///
    /// In a layout that only has this repository (`own`), the tag alone is enough.
    fn is(&self, entry: &Descriptor, own: bool) -> bool {
        match self.version {
            Version::Digest(digest) => entry.digest == digest,
            Version::Tag(tag) => {
                let names = NAMES.iter().filter_map(|name| entry.annotations.get(*name));
                let names: Vec<&str> = names.filter_map(serde_json::Value::as_str).collect();
                names.contains(&self.whole) || (own && names.contains(&tag))
            }
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    #[serde(default)]
    media_type: String,
    digest: PluginDigest,
    size: u64,
    #[serde(default)]
    annotations: serde_json::Map<String, serde_json::Value>,
}

#[derive(Deserialize)]
struct Index {
    manifests: Vec<Descriptor>,
}

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    layers: Vec<Descriptor>,
}

/// Reads a file below a plugin folder, up to a maximum size in bytes. Returns `None` if there's no
/// such file.
pub(crate) type Read<'a> = dyn Fn(&str, u64) -> Result<Option<Vec<u8>>, String> + 'a;

/// Looks up the component with `reference`, using `read` to access the folder.
///
/// Returns `None` if it isn't in any layout.
pub(crate) fn component(
    reference: &Reference<'_>,
    read: &Read<'_>,
) -> Result<Option<Vec<u8>>, String> {
    let layouts = reference.layouts();
    for (layout, own) in layouts.iter().zip([true, false]) {
        let Some(index) = read(&format!("{layout}/{INDEX_FILE}"), MAX_JSON)? else {
            continue;
        };
        let index: Index = json(&index, &format!("{layout}/{INDEX_FILE}"))?;
        let mut meant = index
            .manifests
            .iter()
            .filter(|entry| reference.is(entry, own));
        let Some(entry) = meant.next() else {
            continue;
        };
        if meant.any(|other| other.digest != entry.digest) {
            return Err(format!(
                "{layout}/index.json has several entries for `{}`",
                reference.whole
            ));
        }
        return in_layout(layout, entry, read).map(Some);
    }
    Ok(None)
}

fn in_layout(layout: &str, entry: &Descriptor, read: &Read<'_>) -> Result<Vec<u8>, String> {
    if entry.media_type == INDEX {
        return Err(format!(
            "in {layout}, it is an index of several platforms, not a component"
        ));
    }
    let manifest = blob(layout, entry, MAX_JSON, read)?;
    let manifest: Manifest = json(&manifest, "its manifest")?;
    let [layer] = &manifest.layers[..] else {
        let count = manifest.layers.len();
        return Err(format!(
            "in {layout}, it has {count} layers, but a component has one"
        ));
    };
    if !LAYERS.contains(&&*layer.media_type) {
        let other = &layer.media_type;
        return Err(format!(
            "in {layout}, it is `{}`, not `{}`",
            other.escape_debug(),
            LAYERS[0]
        ));
    }
    blob(layout, layer, MAX_COMPONENT_BYTES, read)
}

/// Reads a blob and verifies its digest.
fn blob(layout: &str, of: &Descriptor, max: u64, read: &Read<'_>) -> Result<Vec<u8>, String> {
    let digest = of.digest.to_string();
    let file = format!("{layout}/blobs/{}", digest.replace(':', "/"));
    if of.size > max {
        return Err(format!("{file} has {} bytes, more than {max}", of.size));
    }
    let bytes = read(&file, max)?.ok_or_else(|| format!("{file} is missing"))?;
    if bytes.len() as u64 != of.size || PluginDigest::of(&bytes) != of.digest {
        return Err(format!(
            "{file} does not match its digest: it was changed or damaged"
        ));
    }
    Ok(bytes)
}

fn json<T: DeserializeOwned>(bytes: &[u8], what: &str) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("{what}: {error}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    type Files = BTreeMap<String, Vec<u8>>;

    fn put(files: &mut Files, layout: &str, bytes: &[u8]) -> serde_json::Value {
        let digest = PluginDigest::of(bytes).to_string();
        let file = format!("{layout}/blobs/{}", digest.replace(':', "/"));
        files.insert(file, bytes.to_vec());
        json!({ "digest": digest, "size": bytes.len() })
    }

    fn layout(layout: &str, name: &str, media_type: &str) -> (Files, String) {
        let mut files = Files::new();
        let mut layer = put(&mut files, layout, b"component");
        layer["mediaType"] = json!(media_type);
        let manifest = json!({ "schemaVersion": 2, "config": {}, "layers": [layer] }).to_string();
        let mut entry = put(&mut files, layout, manifest.as_bytes());
        let digest = entry["digest"].as_str().unwrap().to_owned();
        entry["mediaType"] = json!("application/vnd.oci.image.manifest.v1+json");
        entry["annotations"] = json!({ NAMES[0]: name });
        let index = json!({ "schemaVersion": 2, "manifests": [entry] }).to_string();
        files.insert(format!("{layout}/{INDEX_FILE}"), index.into_bytes());
        (files, digest)
    }

    fn find(files: &Files, reference: &str) -> Result<Option<Vec<u8>>, String> {
        let read = |file: &str, _| Ok(files.get(file).cloned());
        component(&Reference::parse(reference)?, &read)
    }

    #[test]
    fn component_is_found_by_tag_and_digest() {
        let wanted = Ok(Some(b"component".to_vec()));
        let (own, digest) = layout("oci/ghcr.io/acme/owners", "1.2.0", LAYERS[0]);
        assert_eq!(find(&own, "ghcr.io/acme/owners:1.2.0"), wanted);
        assert_eq!(find(&own, &format!("ghcr.io/acme/owners@{digest}")), wanted);
        let pinned = format!("ghcr.io/acme/owners:9.9.9@{digest}");
        assert_eq!(find(&own, &pinned), wanted);
        assert_eq!(find(&own, "ghcr.io/acme/owners:1.3.0"), Ok(None));
        assert_eq!(find(&own, "ghcr.io/acme/others:1.2.0"), Ok(None));
        // In a shared layout, a tag alone is ambiguous.
        let (all, _) = layout("oci", "localhost:5000/a/b:1", LAYERS[1]);
        assert_eq!(find(&all, "localhost:5000/a/b:1"), wanted);
        let (all, _) = layout("oci", "1", LAYERS[0]);
        assert_eq!(find(&all, "localhost:5000/a/b:1"), Ok(None));
    }

    #[test]
    fn blob_with_wrong_digest_is_refused() {
        let reference = "ghcr.io/acme/owners:1.2.0";
        let (files, _) = layout("oci", reference, LAYERS[0]);
        let blobs: Vec<String> = files
            .keys()
            .filter(|file| file.contains("blobs"))
            .cloned()
            .collect();
        assert_eq!(blobs.len(), 2);
        for blob in blobs {
            let mut damaged = files.clone();
            damaged.get_mut(&blob).unwrap()[0] ^= 1;
            assert!(
                find(&damaged, reference)
                    .unwrap_err()
                    .contains("changed or damaged")
            );
            damaged.remove(&blob);
            assert!(
                find(&damaged, reference)
                    .unwrap_err()
                    .contains("is missing")
            );
        }
        let (image, _) = layout(
            "oci",
            reference,
            "application/vnd.oci.image.layer.v1.tar+gzip",
        );
        assert!(
            find(&image, reference)
                .unwrap_err()
                .contains("not `application/wasm`")
        );
        let mut broken = files;
        broken.insert("oci/index.json".to_owned(), b"{".to_vec());
        assert!(
            find(&broken, reference)
                .unwrap_err()
                .starts_with("oci/index.json: ")
        );
    }

    #[test]
    fn invalid_reference_is_refused() {
        for text in [
            "",
            "owners",
            "owners:1",
            "ghcr.io/acme/owners",
            "ghcr.io:5000/owners",
            "ghcr.io/../owners:1",
            "/a/b:1",
            "ghcr.io/a b:1",
            "ghcr.io/a/b:",
            "ghcr.io/a/b:x/y",
            "ghcr.io/a/b@sha256:12",
            "ghcr.io/a\\b:1",
        ] {
            assert!(Reference::parse(text).is_err(), "{text}");
        }
    }
}
