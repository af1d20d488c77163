//! Recognizes files that are secret by their contents, regardless of their names.

use memchr::memmem;

/// Returns the rule if a file is secret by its contents, regardless of its name.
///
/// This covers files that are secret as a whole, and container definitions with a literal secret.
/// The latter are environment files in all but name, so their other values may be secrets as well.
/// In any other text, we only redact the secret value.
pub(crate) fn secret_contents(path: &str, bytes: &[u8]) -> Option<&'static str> {
    let json = path.len() >= 5
        && path
            .get(path.len() - 5..)
            .is_some_and(|end| end.eq_ignore_ascii_case(".json"));
    // A key of a Google Cloud service account. Users save it under any name.
    let service_account = json
        && memmem::find(bytes, b"\"service_account\"").is_some()
        && memmem::find(bytes, b"\"private_key\"").is_some();
    if service_account {
        return Some("service-account-key");
    }
    if json && is_called(path, &["auth.json"]) && has_logins(bytes) {
        return Some("package-registry");
    }
    (is_compose_file(path) && bytes.split(|b| *b == b'\n').any(sets_secret))
        .then_some("compose-secrets")
}

/// Suffixes of variable names that mark a secret in a container definition.
const COMPOSE_NAMES: [&str; 10] = [
    "password",
    "passwd",
    "token",
    "secret",
    "api_key",
    "apikey",
    "access_key",
    "secret_key",
    "client_secret",
    "private_key",
];

const NO_SECRETS: [&str; 9] = [
    "null",
    "~",
    "none",
    "redacted",
    "<redacted>",
    "changeme",
    "example",
    "true",
    "false",
];

fn is_compose_file(path: &str) -> bool {
    const NAMES: [&str; 4] = [
        "docker-compose.yml",
        "docker-compose.yaml",
        "compose.yml",
        "compose.yaml",
    ];
    is_called(path, &NAMES)
}

fn is_called(path: &str, names: &[&str]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// True if Composer or a container runtime stores logins in this `auth.json`. Other files of this
/// name may have the texts of a login page.
fn has_logins(bytes: &[u8]) -> bool {
    const NAMES: [&[u8]; 6] = [
        b"\"http-basic\"",
        b"\"github-oauth\"",
        b"\"gitlab-oauth\"",
        b"\"gitlab-token\"",
        b"\"bitbucket-oauth\"",
        b"\"auths\"",
    ];
    NAMES.iter().any(|name| memmem::find(bytes, name).is_some())
}

/// True if a line of a Compose file sets a secret literally. Such a line has a name with a secret
/// suffix, a separator, and a value that is not filled in from elsewhere.
fn sets_secret(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if line.starts_with(b"#") {
        return false;
    }
    let text = String::from_utf8_lossy(line);
    if text.contains("${") {
        return is_secret_entry(&text);
    }
    // An inline mapping has several entries in a line: `{ USER: a, PASSWORD: b }`.
    text.split(['{', ',']).any(is_secret_entry)
}

/// Checks a single entry, e.g. `- DB_PASSWORD=…` or `"DB_PASSWORD": …`.
fn is_secret_entry(entry: &str) -> bool {
    let around = |c: char| c.is_whitespace() || matches!(c, '-' | '"' | '\'' | '}' | ']');
    let Some((name, value)) = entry.split_once([':', '=']) else {
        return false;
    };
    let name = name.trim_matches(around).to_ascii_lowercase();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let value = value.split(" #").next().unwrap_or_default();
    let value = value.trim_matches(around);
    let is_filled_in = value.starts_with('$') || value.contains("${") || value.contains("$(");
    let is_written_out = !is_filled_in && !value.is_empty() && !value.starts_with('#');
    is_written_out
        && !name.contains(char::is_whitespace)
        && COMPOSE_NAMES.iter().any(|word| name.ends_with(word))
        && !NO_SECRETS
            .iter()
            .any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_account_key_is_secret() {
        let key = br#"{ "type" : "service_account", "private_key": "x" }"#;
        let rule = Some("service-account-key");
        assert_eq!(secret_contents("infra/prod-1234.JSON", key), rule);
        assert_eq!(secret_contents("docs/key.md", key), None);
        assert_eq!(secret_contents("a.json", br#"{"private_key":"x"}"#), None);
        assert_eq!(secret_contents("é.js", b""), None);
    }

    #[test]
    fn auth_json_with_logins_is_secret() {
        let composer =
            br#"{ "http-basic": { "x.example": { "username": "a", "password": "b" } } }"#;
        let rule = |path, bytes| secret_contents(path, bytes);
        assert_eq!(rule("app/Auth.json", composer), Some("package-registry"));
        assert_eq!(
            rule("auth.json", br#"{"auths":{}}"#),
            Some("package-registry")
        );
        assert_eq!(rule("locales/en/auth.json", br#"{"login":"Log in"}"#), None);
        assert_eq!(rule("app/other.json", composer), None);
    }

    #[test]
    fn compose_literal_secret_is_secret() {
        let rule = |line: &str| {
            let text = format!("services:\n  db:\n    image: a/token:1\n    {line}\n");
            secret_contents("deploy/Docker-Compose.YML", text.as_bytes())
        };
        for line in [
            "MYSQL_ROOT_PASSWORD: s3cr3t",
            "- API_KEY=abcdef99",
            "- \"DB_PASSWD=x y\"",
            "environment: { A: b, CLIENT_SECRET: x1 }",
            "\"GITHUB_TOKEN\" : 'x'",
            "PASSWORD_2: hunter # why",
        ] {
            assert_eq!(rule(line), Some("compose-secrets"), "{line}");
        }
        for line in [
            "# DB_PASSWORD: s3cr3t",
            "DB_PASSWORD: ${DB_PASSWORD}",
            "DB_PASSWORD: ${DB_PASSWORD:-a,PASSWORD=b}",
            "- DB_PASSWORD=$(cat x)",
            "- DB_PASSWORD",
            "DB_PASSWORD:",
            "DB_PASSWORD: # why",
            "DB_PASSWORD: null",
            "DB_PASSWORD: '<redacted>'",
            "DB_PASSWORD=changeme",
            "DB_PASSWORD_FILE: /run/secrets/db",
            "image: example.org/secret:1.2",
            "user: me",
        ] {
            assert_eq!(rule(line), None, "{line}");
        }
        assert_eq!(secret_contents("my-compose.yml", b"PASSWORD: s3cr3t"), None);
        assert!(secret_contents("compose.yaml", b"PASSWORD: s3cr3t").is_some());
    }
}
