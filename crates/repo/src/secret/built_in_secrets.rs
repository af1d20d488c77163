//! The built-in list of secret paths, which a repository can add to. It can also make paths
//! readable, but only if the user trusts its list.
//!
//! The tables are in `secret_paths.txt`. We compare names in lower case, so write them that way
//! when you add one. Anything that cannot be expressed as a list of words is in `by_pattern`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

type Row = (&'static str, Vec<&'static str>);

/// The tables in `secret_paths.txt`, one field per table.
struct Tables {
    names: Vec<Row>,
    extensions: Vec<Row>,
    bare: Vec<Row>,
    /// Rules that are named after their extensions, separated by commas. The words are the file
    /// names that are secret with any of these extensions.
    data: Vec<Row>,
    stages: Vec<Row>,
    folders: Vec<Row>,
    places: Vec<Row>,
}

/// The tables, or `None` if they are damaged. Every path is secret then: the error is obvious, and
/// no file is exposed.
static TABLES: LazyLock<Option<Tables>> =
    LazyLock::new(|| Tables::read(include_str!("secret_paths.txt")));

impl Tables {
    fn read(text: &'static str) -> Option<Self> {
        let mut tables = BTreeMap::<&str, Vec<Row>>::new();
        for line in text.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (head, words) = line.split_once(": ")?;
            let (table, rule) = head.split_once(' ')?;
            let words = words.split(' ').collect();
            tables.entry(table).or_default().push((rule, words));
        }
        let mut take = |name: &str| tables.remove(name);
        let read = Self {
            names: take("name")?,
            extensions: take("extension")?,
            bare: take("bare")?,
            data: take("data")?,
            stages: take("stage")?,
            folders: take("folder")?,
            places: take("place")?,
        };
        tables.is_empty().then_some(read)
    }
}

/// Suffixes of templates, e.g. `.env.example`. They show which values are needed, but not the
/// values.
const PATTERNS_TO_COPY: &[&str] = &[".example", ".sample", ".template", ".dist", ".tpl"];

/// Returns the built-in rule for the relative path, if it is secret.
///
/// This is called for every file of a search, so most names have to pass after a few comparisons.
pub(super) fn rule_for(path: &str) -> Option<&'static str> {
    match &*TABLES {
        Some(tables) => tables.rule_for(path),
        None => Some("damaged-table"),
    }
}

impl Tables {
    fn rule_for(&self, path: &str) -> Option<&'static str> {
        let lower: Cow<'_, str> = if path.bytes().any(|b| b.is_ascii_uppercase()) {
            Cow::Owned(path.to_ascii_lowercase())
        } else {
            Cow::Borrowed(path)
        };
        // Windows drops these characters at the end of a name, so `.env.` opens `.env`.
        let lower = lower.trim_end_matches(['.', ' ']);
        // On Windows, the text after a colon names a stream of the file, and `.env::$DATA` opens
        // `.env`. Other tools put a note after a colon. Check both parts.
        self.by_path(lower).or_else(|| {
            let start = lower.rfind('/').map_or(0, |at| at + 1);
            let (before, after) = lower[start..].split_once(':')?;
            self.rule_for(&lower[..start + before.len()])
                .or_else(|| self.rule_for(after))
        })
    }

    fn by_path(&self, path: &str) -> Option<&'static str> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        find(&self.names, |word| word == name)
            .or_else(|| find(&self.extensions, |word| word == extension))
            .or_else(|| self.by_pattern(name))
            .or_else(|| self.by_place(path))
            .or_else(|| find(&self.bare, |word| word == name))
            .or_else(|| copy_of(path).and_then(|original| self.rule_for(original)))
    }

    fn by_pattern(&self, name: &str) -> Option<&'static str> {
        if PATTERNS_TO_COPY.iter().any(|end| name.ends_with(end)) {
            return None;
        }
        if name.starts_with(".env.") {
            return Some("env-file");
        }
        if let Some(rule) = name
            .strip_prefix("env.")
            .and_then(|stage| find(&self.stages, |word| word == stage))
        {
            return Some(rule);
        }
        if let Some(rest) = name.strip_prefix("id_") {
            return is_ssh_key(rest).then_some("ssh-key");
        }
        if [".tfvars.json", ".tfstate.backup"]
            .iter()
            .any(|end| name.ends_with(end))
            || (name.contains(".tfstate.") && name.ends_with(".backup"))
        {
            return Some("terraform");
        }
        let (stem, extension) = name.rsplit_once('.')?;
        let is_data = |(extensions, names): &Row| {
            names.contains(&stem) && extensions.split(',').any(|one| one == extension)
        };
        if self.data.iter().any(is_data) {
            return Some("secrets-file");
        }
        if matches!(extension, "asc" | "gpg") {
            let private = ["private", "secret", "secring"]
                .iter()
                .any(|word| stem.contains(word));
            return private.then_some("private-key");
        }
        let stem = name.strip_suffix(".json")?;
        let service_account = ["service-account", "service_account", "serviceaccount"]
            .iter()
            .any(|word| stem.contains(word))
            || stem.contains("firebase-adminsdk");
        if service_account {
            return Some("service-account-key");
        }
        let credentials = stem.starts_with("client_secret")
            || stem.starts_with("client-secret")
            || ["-credentials", "_credentials", ".credentials"]
                .iter()
                .any(|end| stem.ends_with(end));
        credentials.then_some("secrets-file")
    }

    fn by_place(&self, path: &str) -> Option<&'static str> {
        let ends = |place: &str| {
            path.strip_suffix(place)
                .is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let within = |folder: &str| {
            path.match_indices(folder).any(|(at, _)| {
                let before = at == 0 || path.as_bytes()[at - 1] == b'/';
                before && path.as_bytes().get(at + folder.len()) == Some(&b'/')
            })
        };
        // Composer stores logins in `auth.json`, next to its own file in the root. Anywhere else, a
        // file of this name more likely has the texts of a login page.
        if path == "auth.json" {
            return Some("package-registry");
        }
        // Every location in the tables starts with a dot. Most paths don't have any such part, so
        // we can skip the comparisons.
        if !path.starts_with('.') && !path.contains("/.") {
            return None;
        }
        find(&self.folders, within).or_else(|| find(&self.places, ends))
    }
}

/// Suffixes that editors and users add to the name of a copy.
const COPIES: [&str; 8] = [
    "~", ".bak", ".backup", ".old", ".orig", ".save", ".copy", ".swp",
];

/// If `path` looks like a copy, returns the path of the original: `.env.bak` is as secret as
/// `.env`.
fn copy_of(path: &str) -> Option<&str> {
    COPIES.iter().find_map(|end| path.strip_suffix(end))
}

fn find(table: &[Row], test: impl Fn(&str) -> bool) -> Option<&'static str> {
    table
        .iter()
        .find(|(_, words)| words.iter().any(|word| test(word)))
        .map(|(rule, _)| *rule)
}

/// True if `id_` followed by `rest` is a private SSH key, e.g. `id_rsa`, `id_ed25519_work` or
/// `id_deploy`. A public key does not count, and neither does source code such as `id_map.rs`.
fn is_ssh_key(rest: &str) -> bool {
    let known = ["rsa", "dsa", "ecdsa", "ed25519", "xmss"]
        .iter()
        .filter_map(|kind| rest.strip_prefix(kind))
        .any(|tail| !tail.starts_with(|c: char| c.is_ascii_alphanumeric()));
    (known && !rest.ends_with(".pub")) || (!rest.is_empty() && !rest.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_table_is_not_read() {
        let text = include_str!("secret_paths.txt");
        assert!(Tables::read(text).is_some());
        let lines = text.lines().filter(|line| !line.starts_with(['#', '\n']));
        let words: usize = lines.map(|line| line.split(' ').count()).sum();
        assert!(words > 150, "{words}");
        for damaged in ["", "name env-file: .env", "name env-file .env", "nam x: y"] {
            assert!(Tables::read(damaged).is_none(), "{damaged}");
        }
    }

    #[test]
    fn rule_for_secret_paths_applies() {
        for path in [
            ".env",
            "a/.ENV",
            "a/.env.production",
            "prod.env",
            ".env ",
            "x/.env::$DATA",
            "prod:db.env",
            "tls:server.key",
            "x:server.key",
            "a:b:k8s.pem",
            "k8s:id_rsa",
            "a/prod:secrets.yml",
            "prod:.npmrc",
            ".npmrc:old:x",
            "server.key:x",
            "server.key.bak:x",
            "x:server.key.bak",
            "C:.env",
            "a/.npmrc",
            ".yarnrc.yml",
            "_netrc",
            ".git-credentials",
            "deploy/id_rsa",
            "id_ed25519",
            "id_ed25519_work.bak",
            "id_deploy",
            "home/.ssh/config",
            ".ssh/authorized_keys",
            ".gnupg/pubring.kbx",
            ".aws/credentials",
            "x/.aws/config",
            ".kube/config",
            ".docker/config.json",
            ".cargo/credentials.toml",
            "tls/server.PEM",
            "tls/server.key",
            "app.jks",
            "vault.kdbx",
            "terraform.tfvars",
            "prod.auto.tfvars.json",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "terraform.tfstate.1700000000.backup",
            ".pgpass",
            ".htpasswd",
            ".vault-token",
            "vault_pass.txt",
            "group_vars/vault-password.txt",
            ".vault_pass.txt",
            "vault_password",
            "users.htpasswd",
            "etc/shadow",
            "shadow~",
            "auth.json",
            "auth.json.bak",
            "env.production",
            "deploy/env.Staging",
            ".Renviron",
            "wp-config.php",
            "config/secrets.yml",
            "credentials.json",
            "gcp-service-account.json",
            "myapp-firebase-adminsdk-abc12.json",
            "client_secret_123.apps.googleusercontent.com.json",
            "aws-credentials.json",
            "x/.config/gcloud/access_tokens.db",
            "deploy/credentials",
            "credentials.csv",
            "Credentials.properties",
            "secrets.toml",
            "config/secrets.env",
            "secret.txt",
            "run/token",
            "token.txt",
            "token.json",
            "passwords.txt",
            "private-key.asc",
            "secring.gpg",
        ] {
            assert!(rule_for(path).is_some(), "{path}");
        }
    }

    #[test]
    fn rule_for_ordinary_files_is_none() {
        for path in [
            ".env.example",
            "a/.env.sample",
            ".env.template",
            ".env.dist",
            ".env.local.example",
            "terraform.tfvars.example",
            "id_rsa.pub",
            "id_ed25519.pub",
            "id_map.rs",
            "src/id_generator.py",
            "src/env.rs",
            "src/env.d.ts",
            "env.production.ts",
            "env.production.example",
            "src/shadow.rs",
            "shadow/map.c",
            "locales/en/auth.json",
            "docs/vault_pass.md",
            "src/environment.ts",
            "src/secrets.rs",
            "src/secret/mod.rs",
            "src/credentials.go",
            "docs/credentials.md",
            "keys.json",
            "monkey",
            "src/keystore.rs",
            "config.json",
            "docker/config.json",
            ".github/workflows/ci.yml",
            ".gitignore",
            ".windlass/secrets",
            "package.json",
            "x.ssh/y",
            "ssh/config",
            "src/token.rs",
            "src/Token.java",
            "src/tokens.json",
            "docs/token.md",
            "lib/password.rb",
            "KEYS.asc",
            "release.asc",
            "a:b.rs",
            "App::Token.pm",
            "README.md:Zone.Identifier",
        ] {
            assert_eq!(rule_for(path), None, "{path}");
        }
    }

    #[test]
    fn rule_for_copy_matches_original() {
        for path in [".env~", "a/.netrc.bak", "id_rsa.old.orig", "server.key.BAK"] {
            assert!(rule_for(path).is_some(), "{path}");
        }
        for path in ["README.md~", "main.rs.orig", ".bak", "~"] {
            assert_eq!(rule_for(path), None, "{path}");
        }
    }
}
