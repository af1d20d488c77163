//! A repository's own redaction rules: they are read or refused, equal texts have equal digests,
//! and an error has a position.

use windlass_redact::OwnRules;

pub(crate) fn check(bytes: &[u8]) {
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
