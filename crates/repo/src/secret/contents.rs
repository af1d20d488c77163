use memchr::memmem;

/// The rule that keeps a file secret for what is in it, whatever it is called.
///
/// Only for files that are a secret as a whole; a secret value among other text is redacted instead.
pub(crate) fn secret_contents(path: &str, bytes: &[u8]) -> Option<&'static str> {
    let json = path.len() >= 5
        && path
            .get(path.len() - 5..)
            .is_some_and(|end| end.eq_ignore_ascii_case(".json"));
    // The key of a Google Cloud service account, as the console hands it out under a name of its own.
    let service_account = json
        && memmem::find(bytes, b"\"service_account\"").is_some()
        && memmem::find(bytes, b"\"private_key\"").is_some();
    service_account.then_some("service-account-key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_account_key_is_known_by_its_contents() {
        let key = br#"{ "type" : "service_account", "private_key": "x" }"#;
        let rule = Some("service-account-key");
        assert_eq!(secret_contents("infra/prod-1234.JSON", key), rule);
        assert_eq!(secret_contents("docs/key.md", key), None);
        assert_eq!(secret_contents("a.json", br#"{"private_key":"x"}"#), None);
        assert_eq!(secret_contents("é.js", b""), None);
    }
}
