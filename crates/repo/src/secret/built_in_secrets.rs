//! Built-in list of secret paths. A repository can extend the list. It can also make paths
//! readable, but only if the user trusts its list.
//!
//! All names here are in lower case, because paths are compared without regard to case.

use std::borrow::Cow;

/// Files that are secret by name: (rule, names).
const NAMES: &[(&str, &[&str])] = &[
    (
        "env-file",
        &[".env", ".envrc", "_env", ".flaskenv", ".dev.vars"],
    ),
    (
        "package-registry",
        &[".npmrc", ".pnpmrc", ".yarnrc", ".yarnrc.yml", ".pypirc"],
    ),
    ("netrc", &[".netrc", "_netrc", ".authinfo", ".authinfo.gpg"]),
    ("git-credentials", &[".git-credentials"]),
    (
        "database-password",
        &[
            ".pgpass",
            "pgpass.conf",
            ".my.cnf",
            ".mylogin.cnf",
            ".pg_service.conf",
        ],
    ),
    (
        "password-file",
        &[
            ".htpasswd",
            "htpasswd",
            ".passwd",
            ".htdigest",
            "shadow",
            "gshadow",
        ],
    ),
    (
        "secrets-file",
        &[
            ".secrets",
            ".secret",
            ".credentials",
            ".credentials.json",
            ".token",
        ],
    ),
    (
        "cloud-credentials",
        &[
            ".vault-token",
            ".vault_pass",
            ".vault-pass",
            ".vault_password",
            ".vault-password",
            "vault_pass",
            "vault-pass",
            "vault_password",
            "vault-password",
            "rclone.conf",
            "kube.config",
            ".boto",
            ".s3cfg",
            ".databrickscfg",
            ".dockercfg",
            ".dockerconfigjson",
            "kubeconfig",
            "application_default_credentials.json",
            "accesstokens.json",
            "azureprofile.json",
            "msal_token_cache.json",
            "local.settings.json",
            ".terraformrc",
            "terraform.rc",
            "credentials.tfrc.json",
        ],
    ),
    ("application-secrets", &[".renviron", "wp-config.php"]),
];

/// Files that are secret by extension: (rule, extensions).
const EXTENSIONS: &[(&str, &[&str])] = &[
    ("env-file", &["env"]),
    ("password-file", &["htpasswd", "htdigest"]),
    (
        "private-key",
        &["pem", "key", "p8", "p12", "pfx", "pkcs12", "ppk", "keytab"],
    ),
    (
        "key-store",
        &["jks", "jceks", "bks", "keystore", "kdb", "kdbx"],
    ),
    ("terraform", &["tfvars", "tfstate"]),
    (
        "cloud-credentials",
        &["kubeconfig", "publishsettings", "ovpn"],
    ),
];

/// Names without an extension that are secret unless their folder has a rule: (rule, names).
const BARE: &[(&str, &[&str])] = &[("secrets-file", &["credentials", "token", "access_token"])];

/// Data files that are secret by name: (names, extensions). Source code with the same name
/// (`credentials.go`) and design tokens (`tokens.json`) aren't secret.
const DATA: &[(&[&str], &[&str])] = &[
    (
        &["secrets", "secret", "credentials", "credential"],
        &[
            "json",
            "yaml",
            "yml",
            "toml",
            "ini",
            "xml",
            "txt",
            "csv",
            "cfg",
            "conf",
            "properties",
            "db",
        ],
    ),
    (
        &["token", "access_token", "access-token", "accesstoken"],
        &["txt", "json"],
    ),
    (
        &[
            "password",
            "passwords",
            "passwd",
            "passphrase",
            "api_key",
            "apikey",
            "api-key",
            "vault_pass",
            "vault-pass",
            "vault_password",
            "vault-password",
            ".vault_pass",
            ".vault-pass",
            ".vault_password",
            ".vault-password",
        ],
        &["txt", "csv"],
    ),
];

/// Deployment stages after `env.`, as in `env.production`. Source files have other extensions
/// (`env.ts`).
const STAGES: &[&str] = &[
    "production",
    "prod",
    "staging",
    "stage",
    "development",
    "dev",
    "local",
    "live",
    "test",
    "uat",
    "qa",
];

/// Folders with secret contents: (rule, folders).
const FOLDERS: &[(&str, &[&str])] = &[
    ("ssh-folder", &[".ssh"]),
    ("gnupg-folder", &[".gnupg", ".password-store"]),
    (
        "cloud-credentials",
        &[
            ".aws",
            ".azure",
            ".gcloud",
            ".config/gcloud",
            ".config/gh",
            ".oci",
        ],
    ),
];

/// Files that are secret at one location only: (rule, path suffixes).
const PLACES: &[(&str, &[&str])] = &[
    (
        "package-registry",
        &[
            ".cargo/credentials",
            ".cargo/credentials.toml",
            ".gem/credentials",
            ".composer/auth.json",
            ".m2/settings.xml",
            ".m2/settings-security.xml",
        ],
    ),
    ("git-credentials", &[".config/git/credentials"]),
    (
        "cloud-credentials",
        &[
            ".aws/credentials",
            ".kube/config",
            ".docker/config.json",
            ".pulumi/credentials.json",
            ".config/hub",
            ".config/doctl/config.yaml",
            ".snowsql/config",
        ],
    ),
];

/// Suffixes of templates without secrets.
const PATTERNS_TO_COPY: &[&str] = &[".example", ".sample", ".template", ".dist", ".tpl"];

/// Returns the built-in rule that makes the relative path secret, or `None` if there's none.
///
/// This runs for every file of a search, so most names must pass after a few comparisons.
pub(super) fn rule_for(path: &str) -> Option<&'static str> {
    let lower: Cow<'_, str> = if path.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(path.to_ascii_lowercase())
    } else {
        Cow::Borrowed(path)
    };
    // Windows drops these characters from the end of a name, so `.env.` opens `.env` there.
    let lower = lower.trim_end_matches(['.', ' ']);
    // On Windows, the text after a colon names a stream of the file. Other tools use a colon to add
    // a note to a name. We check both parts.
    by_path(lower).or_else(|| {
        let start = lower.rfind('/').map_or(0, |at| at + 1);
        let (before, after) = lower[start..].split_once(':')?;
        rule_for(&lower[..start + before.len()]).or_else(|| rule_for(after))
    })
}

/// Returns the rule for a lower-case path by its whole name.
fn by_path(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    find(NAMES, |word| word == name)
        .or_else(|| find(EXTENSIONS, |word| word == extension))
        .or_else(|| by_pattern(name))
        .or_else(|| by_place(path))
        .or_else(|| find(BARE, |word| word == name))
        .or_else(|| copy_of(path).and_then(rule_for))
}

/// Suffixes added to the name of a copy by editors and users.
const COPIES: [&str; 8] = [
    "~", ".bak", ".backup", ".old", ".orig", ".save", ".copy", ".swp",
];

/// Returns the path that `path` is a copy of, judging by its name.
fn copy_of(path: &str) -> Option<&str> {
    COPIES.iter().find_map(|end| path.strip_suffix(end))
}

fn find(table: &[(&'static str, &[&str])], test: impl Fn(&str) -> bool) -> Option<&'static str> {
    table
        .iter()
        .find(|(_, words)| words.iter().any(|word| test(word)))
        .map(|(rule, _)| *rule)
}

fn by_pattern(name: &str) -> Option<&'static str> {
    if PATTERNS_TO_COPY.iter().any(|end| name.ends_with(end)) {
        return None;
    }
    let is_stage = |stage: &str| STAGES.contains(&stage);
    if name.starts_with(".env.") || name.strip_prefix("env.").is_some_and(is_stage) {
        return Some("env-file");
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
    let data = DATA
        .iter()
        .any(|(names, extensions)| names.contains(&stem) && extensions.contains(&extension));
    if data {
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

/// True if `id_` followed by `rest` is a private SSH key: `id_rsa`, `id_ed25519_work`, `id_deploy`.
/// False for a public key, and for source code with that prefix (`id_map.rs`).
fn is_ssh_key(rest: &str) -> bool {
    let known = ["rsa", "dsa", "ecdsa", "ed25519", "xmss"]
        .iter()
        .filter_map(|kind| rest.strip_prefix(kind))
        .any(|tail| !tail.starts_with(|c: char| c.is_ascii_alphanumeric()));
    (known && !rest.ends_with(".pub")) || (!rest.is_empty() && !rest.contains('.'))
}

fn by_place(path: &str) -> Option<&'static str> {
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
    // Composer stores logins in `auth.json` next to its own file. Elsewhere, `auth.json` is more
    // often the texts of a login page.
    if path == "auth.json" {
        return Some("package-registry");
    }
    // Every location in the tables starts with a dot. Most paths have no such part, so we can skip
    // the comparison.
    if !path.starts_with('.') && !path.contains("/.") {
        return None;
    }
    find(FOLDERS, within).or_else(|| find(PLACES, ends))
}

#[cfg(test)]
mod tests {
    use super::*;

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
