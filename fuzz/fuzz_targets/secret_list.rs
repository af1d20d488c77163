//! The list of secret paths: without trust, a repository's own list never makes a built-in secret
//! path readable.

use windlass_repo::SecretPolicy;

const SECRET_PATHS: [&str; 4] = [
    ".env",
    "deploy/.env.production",
    "keys/id_rsa",
    "a/b/server.pem",
];

pub(crate) fn check(bytes: &[u8]) {
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
