//! Plugins in OCI image layouts, which hold the contents of a registry as files.
//!
//! A component is an artifact with a single layer of a WebAssembly media type, as pushed by `wkg`
//! and other tools (<https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact/>). Every
//! blob is verified against its digest.

use crate::plugin_limits::MAX_COMPONENT_BYTES;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use windlass_base::PluginDigest;

/// Prefix of an OCI reference.
pub(crate) const SCHEME: &str = "oci://";
/// Subfolder of the plugin folders where layouts are.
pub(super) const FOLDER: &str = "oci";
/// Name of a layout's index file.
pub(super) const INDEX_FILE: &str = "index.json";
/// Media types of the component's layer: the standard one, and an older one.
const LAYERS: [&str; 2] = [
    "application/wasm",
    "application/vnd.wasm.content.layer.v1+wasm",
];
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Annotations that may contain the name of an index entry.
const NAMES: [&str; 2] = [
    "org.opencontainers.image.ref.name",
    "io.containerd.image.name",
];
/// Maximum size of an index or a manifest, in bytes. Registries have the same limit.
pub(super) const MAX_JSON: u64 = 4 << 20;

/// An OCI reference, such as `ghcr.io/acme/owners:1.2.0` or `ghcr.io/acme/owners@sha256:…`. If it
/// has both a tag and a digest, the digest decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    whole: &'a str,
    /// The registry and a repository in it.
    repository: &'a str,
    version: Version<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version<'a> {
    Tag(&'a str),
    Digest(PluginDigest),
}

impl<'a> Reference<'a> {
    /// Parses the text after `oci://`.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{SCHEME}{text}` is not an OCI reference: {why}");
        let (repository, version) = if let Some((repository, digest)) = text.split_once('@') {
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

    /// Returns the layouts below a plugin folder that may contain the artifact: one for its
    /// repository only, and one shared with others.
    fn layouts(&self) -> [String; 2] {
        // Not every system allows a colon in a path.
        let own = self.repository.replace(':', "_");
        [format!("{FOLDER}/{own}"), FOLDER.to_owned()]
    }

    /// Returns the command that downloads the artifact to where we look it up.
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

    /// True if an entry in a layout's index matches. `own` is true for a layout of this repository
    /// only.
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

/// A blob's descriptor in a layout.
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

/// A function that reads a file below a plugin folder, up to a maximum size in bytes. It returns
/// `None` if the file doesn't exist.
pub(crate) type Read<'a> = dyn Fn(&str, u64) -> Result<Option<Vec<u8>>, String> + 'a;

/// Returns the component with `reference`, using `read` to access the folder. Returns `None` if no
/// layout has it.
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

/// Returns the references of the entries in a layout's `index`, or none if the index is invalid.
pub(super) fn references(layout: &str, index: &[u8]) -> Vec<String> {
    let Ok(index) = serde_json::from_slice::<Index>(index) else {
        return Vec::new();
    };
    let own = layout
        .strip_prefix(FOLDER)
        .and_then(|own| own.strip_prefix('/'))
        .map(with_port);
    let of = |entry: &Descriptor| {
        let names = NAMES.iter().filter_map(|name| entry.annotations.get(*name));
        let names: Vec<&str> = names.filter_map(serde_json::Value::as_str).collect();
        let whole = names.iter().find(|name| name.contains('/'));
        match (&own, whole, names.first()) {
            (_, Some(whole), _) => Some((*whole).to_owned()),
            (Some(own), None, Some(tag)) => Some(format!("{own}:{tag}")),
            (Some(own), None, None) => Some(format!("{own}@{}", entry.digest)),
            (None, None, _) => None,
        }
    };
    let references = index.manifests.iter().filter_map(of);
    references
        .filter(|text| Reference::parse(text).is_ok())
        .collect()
}

/// Returns the repository of a layout folder. This reverses [`Reference::layouts`].
fn with_port(folder: &str) -> String {
    let (registry, rest) = folder.split_once('/').unwrap_or((folder, ""));
    let port = registry
        .rsplit_once('_')
        .filter(|(_, port)| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()));
    match port {
        Some((host, port)) => format!("{host}:{port}/{rest}"),
        None => folder.to_owned(),
    }
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

/// Returns a blob after verifying its digest.
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

    /// Creates a layout with one artifact, in the format of `oras` and `wkg`.
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
        // A tag alone is ambiguous in a shared layout.
        let (all, _) = layout("oci", "localhost:5000/a/b:1", LAYERS[1]);
        assert_eq!(find(&all, "localhost:5000/a/b:1"), wanted);
        let (all, _) = layout("oci", "1", LAYERS[0]);
        assert_eq!(find(&all, "localhost:5000/a/b:1"), Ok(None));
    }

    #[test]
    fn references_of_layout_are_listed() {
        let of = |folder: &str, name: &str| {
            let (files, _) = layout(folder, name, LAYERS[0]);
            references(folder, &files[&format!("{folder}/index.json")])
        };
        assert_eq!(
            of("oci/ghcr.io/acme/owners", "1.2.0"),
            ["ghcr.io/acme/owners:1.2.0"]
        );
        assert_eq!(of("oci/localhost_5000/a", "1"), ["localhost:5000/a:1"]);
        assert_eq!(
            of("oci", "ghcr.io/acme/owners:1.2.0"),
            ["ghcr.io/acme/owners:1.2.0"]
        );
        assert_eq!(of("oci", "1.2.0"), Vec::<String>::new());
        assert_eq!(references("oci", b"{"), Vec::<String>::new());
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
