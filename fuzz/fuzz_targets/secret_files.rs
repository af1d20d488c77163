//! Files with which a repository names its secrets: paths and redaction rules.

use windlass_redact::OwnRules;
use windlass_repo::SecretPolicy;

const SECRET_PATHS: [&str; 4] = [
    ".env",
    "deploy/.env.production",
    "keys/id_rsa",
    "a/b/server.pem",
];

/// Checks that a repository's list never makes a built-in secret path readable without trust.
pub(crate) fn check_list(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let built_in = SecretPolicy::built_in();
    if let Ok(policy) = SecretPolicy::parse(&text, false) {
        for path in SECRET_PATHS {
            assert!(built_in.rule_for(path).is_some(), "{path}");
            assert!(policy.rule_for(path).is_some(), "{text:?} opens {path}");
        }
    }
    let _ = SecretPolicy::parse(&text, true);
}

/// Checks that rules are read or refused, and that equal texts have equal digests.
pub(crate) fn check_rules(bytes: &[u8]) {
    match (OwnRules::parse(bytes), OwnRules::parse(bytes)) {
        (Ok(one), Ok(other)) => assert_eq!(one.digest(), other.digest()),
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        _ => panic!("equal rules were read once and refused once"),
    }
    let gitleaks = |is_trusted| {
        let mut rules = OwnRules::parse(b"").expect("no rules");
        rules
            .add_gitleaks(bytes, is_trusted)
            .map(|()| rules.allowlists().is_some())
    };
    assert_eq!(gitleaks(false).is_ok(), gitleaks(true).is_ok());
}
