//! The table of rules. A rule belongs here when its pattern names one issuer or one form of a secret. What it
//! matches over the ends of lines is bounded: see [`super::SECRET_REACH`].

use super::engine::{Rule, Secret};
use super::{follow, value};

/// Rules whose pattern alone is proof.
const fn exact(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule {
        name,
        keywords,
        pattern,
        secret: Secret::Matched(|_| true),
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "private-key",
        keywords: &["PRIVATE KEY"],
        pattern: "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
        secret: Secret::After(follow::key_block),
    },
    exact(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"gh[opusr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}",
    ),
    exact(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-",
        ],
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[A-Za-z0-9_.-]{20,}",
    ),
    exact(
        "aws-access-key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"(?:\b|\\[nrt])((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})",
    ),
    exact(
        "aws-secret-key",
        &[
            "secret_access_key",
            "secretaccesskey",
            "secret-access-key",
            "aws_secret",
        ],
        r#"(?i:(?:secret[_-]?access[_-]?key|aws_secret(?:_key)?))[\\"'\]]*\s{0,64}(?::|=>|:?=)\s{0,64}[\\"']*([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    exact(
        "slack-token",
        &[
            "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-",
        ],
        r"xox[abeoprs][.-][A-Za-z0-9.-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}",
    ),
    exact(
        "slack-webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,})",
    ),
    exact(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"],
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,}",
    ),
    exact(
        "google-key",
        &["AIza", "GOCSPX-", "ya29."],
        r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,}",
    ),
    exact(
        "npm-token",
        &["npm_"],
        r"(?:\b|\\[nrt])(npm_[A-Za-z0-9]{36,})",
    ),
    exact(
        "pypi-token",
        &["pypi-"],
        r"(?:\b|\\[nrt])(pypi-[A-Za-z0-9_-]{40,})",
    ),
    exact(
        "rubygems-token",
        &["rubygems_"],
        r"(?:\b|\\[nrt])(rubygems_[a-f0-9]{48})",
    ),
    exact("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{16,}"),
    Rule {
        name: "openai-key",
        keywords: &["sk-"],
        pattern: r"(?:\b|\\[nrt])(sk-[A-Za-z0-9_-]{20,})",
        secret: Secret::Matched(value::looks_random),
    },
    exact(
        "sendgrid-key",
        &["SG."],
        r"(?:\b|\\[nrt])(SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64})",
    ),
    exact("twilio-key", &["SK"], r"(?:\b|\\[nrt])(SK[0-9a-f]{32})"),
    exact(
        "telegram-token",
        &[":AA"],
        r"(?:\b|\\[nrt])([0-9]{8,10}:AA[A-Za-z0-9_-]{32,34})",
    ),
    exact(
        "jwt",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?",
    ),
    exact(
        "azure-key",
        &["accountkey=", "sharedaccesskey="],
        r"(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})",
    ),
    exact(
        "huggingface-token",
        &["hf_"],
        r"(?:\b|\\[nrt])(hf_[A-Za-z0-9]{30,})",
    ),
    exact(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[a-f0-9]{64}",
    ),
    exact(
        "age-key",
        &["age-secret-key-1"],
        r"(?i)AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    ),
    exact(
        "vault-token",
        &["hvs.", "hvb.", "hvr."],
        r"(?:\b|\\[nrt])(hv[sbr]\.[A-Za-z0-9_-]{20,})",
    ),
    Rule {
        name: "url-password",
        keywords: &["://"],
        pattern: r#"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#:@"'<>`]*:([^\s/"'<>`]+)@"#,
        secret: Secret::Matched(value::is_url_password),
    },
    Rule {
        name: "authorization",
        keywords: &["authorization"],
        pattern: r#"(?i)authorization[\\"'\])]*\s{0,64}[:=,]\s{0,64}[\\"']*(?:bearer|basic|token|digest)\s{1,64}([A-Za-z0-9._~+/=-]{8,})"#,
        secret: Secret::Matched(value::is_credential),
    },
    Rule {
        name: "assigned-secret",
        keywords: &[
            "passw",
            "passphrase",
            "pwd",
            "secret",
            "token",
            "api_key",
            "apikey",
            "api-key",
            "access_key",
            "accesskey",
            "access-key",
            "private_key",
            "privatekey",
            "private-key",
            "auth_key",
            "authkey",
            "auth-key",
            "credential",
            "encryption_key",
            "signing_key",
        ],
        pattern: ASSIGNMENT,
        secret: Secret::After(follow::assigned_value),
    },
    Rule {
        name: "assigned-secret",
        keywords: &["</"],
        pattern: r"(?i)<[\w.:-]*(?:password|passwd|passphrase|secret|token|api[_-]?key)>",
        secret: Secret::After(follow::element_text),
    },
];

/// A name that promises a secret, an optional type, and a sign of assignment.
const ASSIGNMENT: &str = r#"(?i)(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|credentials?|encryption[_-]?key|signing[_-]?key)[a-z0-9_.-]{0,40}[\\"'\])]{0,4}[ \t]{0,20}(?:(?::[ \t]{0,4}[&a-z_][a-z0-9_<>\[\]&' ?.]{0,40}?[ \t]{0,4}|[ \t]string[ \t])?={1,3}>?|:=|:)[ \t]{0,20}"#;
