//! Tokens that are known by what their issuers begin them with.

use super::engine::{Rule, Secret};
use super::rules::exact;
use super::value;

/// A pattern that matches where a word begins, also behind an escaped line end.
macro_rules! word {
    ($pattern:literal) => {
        concat!(r"(?:\b|\\[nrt])(", $pattern, ")")
    };
}

pub(super) const ISSUERS: &[Rule] = &[
    exact(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"gh[opusr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}",
    ),
    exact(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-",
            "gloas-", "glimt-",
        ],
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-[A-Za-z0-9_.-]{20,}",
    ),
    exact(
        "atlassian-token",
        &["ATATT3", "ATCTT3", "ATBB"],
        word!(r"AT[AC]TT3[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32}"),
    ),
    exact(
        "aws-access-key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        word!(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    ),
    exact("alibaba-key", &["LTAI"], word!(r"LTAI[A-Za-z0-9]{16,24}")),
    exact("tencent-key", &["AKID"], word!(r"AKID[A-Za-z0-9]{32}")),
    exact(
        "google-key",
        &["AIza", "GOCSPX-", "ya29."],
        r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,}",
    ),
    exact(
        "azure-key",
        &["Q~"],
        word!(r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ),
    exact(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[a-f0-9]{64}",
    ),
    exact(
        "heroku-token",
        &["HRKU-"],
        word!(r"HRKU-[A-Za-z0-9_-]{30,}"),
    ),
    exact(
        "fly-token",
        &["FlyV1 ", "fm1_", "fm2_", "fo1_"],
        word!(
            r"FlyV1 [A-Za-z0-9+/=,_-]{30,}|fm[12][ar]?_[A-Za-z0-9+/=,_-]{60,}|fo1_[A-Za-z0-9_-]{40,}"
        ),
    ),
    exact(
        "cloudflare-key",
        &["v1.0-"],
        word!(r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    ),
    exact("netlify-token", &["nfp_"], word!(r"nfp_[A-Za-z0-9]{36,}")),
    exact(
        "supabase-token",
        &["sbp_", "sb_secret_"],
        word!(r"sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}"),
    ),
    exact(
        "planetscale-token",
        &["pscale_"],
        word!(r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{30,}"),
    ),
    exact(
        "databricks-token",
        &["dapi"],
        word!(r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    ),
    exact("pulumi-token", &["pul-"], word!(r"pul-[a-f0-9]{40}")),
    exact(
        "terraform-token",
        &[".atlasv1."],
        word!(r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    ),
    exact(
        "vault-token",
        &["hvs.", "hvb.", "hvr."],
        word!(r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ),
    exact(
        "doppler-token",
        &[
            "dp.pt.",
            "dp.st.",
            "dp.ct.",
            "dp.sa.",
            "dp.scim.",
            "dp.audit.",
        ],
        word!(r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    ),
    exact(
        "1password-token",
        &["ops_eyJ"],
        word!(r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    ),
    exact(
        "age-key",
        &["age-secret-key-1"],
        r"(?i)AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    ),
    exact("npm-token", &["npm_"], word!(r"npm_[A-Za-z0-9]{36,}")),
    exact("pypi-token", &["pypi-"], word!(r"pypi-[A-Za-z0-9_-]{40,}")),
    exact(
        "rubygems-token",
        &["rubygems_"],
        word!(r"rubygems_[a-f0-9]{48}"),
    ),
    exact("crates-io-token", &["cio"], word!(r"cio[A-Za-z0-9]{32}")),
    exact("nuget-key", &["oy2"], word!(r"oy2[a-z0-9]{43}")),
    exact(
        "docker-token",
        &["dckr_pat_", "dckr_oat_"],
        word!(r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    ),
    exact("artifactory-key", &["AKCp"], word!(r"AKCp[A-Za-z0-9]{60,}")),
    exact(
        "circleci-token",
        &["CCIPAT_", "CCIPRJ_"],
        word!(r"CCIP(?:AT|RJ)_[A-Za-z0-9]{10,}_[A-Fa-f0-9]{40}"),
    ),
    exact("buildkite-token", &["bkua_"], word!(r"bkua_[a-f0-9]{40}")),
    exact(
        "slack-token",
        &[
            "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-",
            "xoxd-", "xapp-",
        ],
        r"xox[abcdeoprs][.-][A-Za-z0-9.-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}",
    ),
    exact(
        "slack-webhook",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,})",
    ),
    exact(
        "teams-webhook",
        &["webhook.office.com"],
        r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})",
    ),
    exact(
        "discord-webhook",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/([0-9]{15,20}/[A-Za-z0-9_-]{60,})",
    ),
    exact(
        "discord-token",
        &["discord"],
        word!(r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    ),
    exact(
        "telegram-token",
        &[":AA"],
        word!(r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}"),
    ),
    exact(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"],
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,}",
    ),
    exact(
        "square-key",
        &["sq0atp-", "sq0csp-", "EAAA"],
        word!(r"sq0[ac][ts]p-[A-Za-z0-9_-]{22,}|EAAA[A-Za-z0-9_-]{60}"),
    ),
    exact(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        word!(r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ),
    exact("twilio-key", &["SK"], word!(r"SK[0-9a-f]{32}")),
    exact(
        "sendgrid-key",
        &["SG."],
        word!(r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    ),
    exact("mailgun-key", &["key-"], word!(r"key-[0-9a-f]{32}")),
    exact(
        "mailchimp-key",
        &["-us"],
        word!(r"[0-9a-f]{32}-us[0-9]{1,2}"),
    ),
    exact(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        word!(r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    ),
    exact("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{16,}"),
    Rule {
        name: "openai-key",
        keywords: &["sk-"],
        pattern: word!(r"sk-[A-Za-z0-9_-]{20,}"),
        secret: Secret::Matched(value::looks_random),
    },
    exact(
        "huggingface-token",
        &["hf_", "api_org_"],
        word!(r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ),
    exact("groq-key", &["gsk_"], word!(r"gsk_[A-Za-z0-9]{40,}")),
    exact(
        "perplexity-key",
        &["pplx-"],
        word!(r"pplx-[A-Za-z0-9]{40,}"),
    ),
    exact("replicate-token", &["r8_"], word!(r"r8_[A-Za-z0-9]{37,}")),
    exact("xai-key", &["xai-"], word!(r"xai-[A-Za-z0-9]{60,}")),
    exact(
        "linear-key",
        &["lin_api_", "lin_oauth_"],
        word!(r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ),
    exact(
        "notion-token",
        &["ntn_", "secret_"],
        word!(r"ntn_[0-9]{10,12}[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{43}"),
    ),
    exact(
        "airtable-token",
        &["pat"],
        word!(r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ),
    exact(
        "figma-token",
        &["figd_", "figo_"],
        word!(r"fig[do]_[A-Za-z0-9_-]{30,}"),
    ),
    exact(
        "postman-key",
        &["PMAK-"],
        word!(r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ),
    exact(
        "contentful-token",
        &["CFPAT-"],
        word!(r"CFPAT-[A-Za-z0-9_-]{40,}"),
    ),
    exact(
        "grafana-token",
        &["glsa_", "glc_eyJ"],
        word!(r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=_-]{30,}"),
    ),
    exact(
        "sentry-token",
        &["sntrys_", "sntryu_"],
        word!(r"sntrys_eyJ[A-Za-z0-9+/=_-]{30,}|sntryu_[a-f0-9]{64}"),
    ),
    exact(
        "new-relic-key",
        &["NRAK-", "NRII-", "NRJS-"],
        word!(r"NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,}"),
    ),
    exact(
        "dynatrace-token",
        &["dt0c01.", "dt0s"],
        word!(r"dt0[cs][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ),
    exact(
        "dropbox-token",
        &["sl."],
        word!(r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,}"),
    ),
    exact(
        "jwt",
        &["eyJ"],
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?",
    ),
];
