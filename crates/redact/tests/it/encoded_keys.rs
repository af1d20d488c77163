//! Tests private keys encoded once more, and keys printed by other programs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use windlass_redact::redact_text;

const MARK: &str = "[redacted:private-key]";

/// Makes a text with the PEM titles of this `kind` of key.
fn pem(kind: &str) -> String {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let lines = [line; 4].join("\n");
    format!("-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----\n")
}

/// Splits a text into lines of `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<&str> {
    (0..text.len())
        .step_by(width)
        .map(|at| &text[at..text.len().min(at + width)])
        .collect()
}

#[test]
fn encoded_key_vanishes_certificate_stays() {
    for kind in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
    ] {
        let key = STANDARD.encode(pem(kind));
        for place in [
            "    client-key-data: X\n",
            "data:\n  tls.key: X\n  b: c\n",
            "KEY_B64=X\nA=b\n",
            "echo X | base64 -d > key.pem\n",
            "{\"key\":\"X\"}\n",
        ] {
            let (redacted, _) = redact_text(&place.replace('X', &key));
            // If the name of the value already tells that it's secret, the mark names that rule
            // instead.
            assert_eq!(
                redacted.as_str().replace("assigned-secret", "private-key"),
                place.replace('X', MARK)
            );
        }
        for indent in ["", "    "] {
            let lines = wrapped(&key, 76);
            let text =
                |lines: &[&str]| format!("{indent}{}\nword\n", lines.join(&format!("\n{indent}")));
            let (redacted, _) = redact_text(&text(&lines));
            let shown = redacted.as_str();
            assert!(shown.ends_with("]\nword\n"), "{shown}");
            assert!(lines.iter().all(|line| !shown.contains(line)), "{shown}");
        }
    }
    for kind in ["CERTIFICATE", "PUBLIC KEY"] {
        let text = format!(
            "certificate-authority-data: {}\n",
            STANDARD.encode(pem(kind))
        );
        assert_eq!(redact_text(&text).0.as_str(), text);
    }
}

#[test]
fn a_key_in_an_address_vanishes() {
    let encoded = pem("EC PRIVATE KEY").replace('\n', "%0A");
    for blank in ["%20", "+"] {
        let text = |key: &str| format!("note={key}&x=1 y\n");
        let key = encoded.replace(' ', blank);
        assert_eq!(redact_text(&text(&key)).0.as_str(), text(MARK));
    }
}

#[test]
fn key_after_grep_prefixes_vanishes() {
    let key = pem("PRIVATE KEY");
    let printed: Vec<_> = key
        .lines()
        .enumerate()
        .map(|(at, line)| format!("a.txt-{at}-{line}\n"))
        .collect();
    let text = format!(
        "{}--\nb.txt:1:word\n",
        printed.concat().replacen("a.txt-0-", "a.txt:0:", 1)
    );
    let (redacted, _) = redact_text(&text);
    assert!(!redacted.as_str().contains("MIIE"), "{redacted:?}");
    assert!(
        redacted.as_str().ends_with("\n--\nb.txt:1:word\n"),
        "{redacted:?}"
    );
}
