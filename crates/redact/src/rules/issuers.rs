//! Tokens that are known by what their issuers begin them with.

use crate::rules::forms::{exact, token, within};
use crate::rules::likely;
use crate::rules::rule::{Reach, Rule, Secret};
use crate::value::{letters, random};

/// A pattern that matches where a word begins, also behind an escaped line end.
macro_rules! word {
    ($pattern:literal) => {
        concat!(r"(?:\b|\\[nrt])(", $pattern, ")")
    };
}

/// A token that begins with so little that words end with it as well, and whose rest is told from names by its digits.
const fn short(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule {
        likely: likely::begins_token,
        secret: Secret::Matched(letters::has_digit),
        ..token(name, keywords, pattern)
    }
}

/// The number of an account, the time, and a signature.
const DISCORD_TOKEN: &str =
    word!(r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}");

pub(crate) const ISSUERS: &[Rule] = &[
    token(
        "github-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"gh[opusr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}",
    ),
    token(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-",
            "gloas-", "glimt-", "glffct-",
        ],
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)-[A-Za-z0-9_.-]{20,}",
    ),
    token(
        "gitlab-token",
        &["GR1348941"],
        word!(r"GR1348941[A-Za-z0-9_-]{20,}"),
    ),
    exact(
        "gitlab-session",
        &["_gitlab_session="],
        r"_gitlab_session=([0-9a-z]{32,})",
    ),
    token(
        "atlassian-token",
        &["ATATT3", "ATCTT3", "ATBB"],
        word!(r"AT[AC]TT3[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32}"),
    ),
    token(
        "aws-access-key",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        word!(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    ),
    token(
        "aws-bedrock-key",
        &["ABSK"],
        word!(r"ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
    ),
    // A link that is signed, in base64: `bedrock.amazonaws.com` is what all of them begin with.
    token(
        "aws-bedrock-key",
        &["bedrock-api-key-"],
        r"bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/_-]*={0,2}",
    ),
    // What these services give out has the form of a UUID, or is short: only its name tells it.
    exact(
        "service-key",
        &["heroku", "hubspot", "messagebird", "message_bird", "snyk"],
        r#"(?i)(?:heroku|hubspot|message_?bird|snyk)[\w.-]{0,24}[\\"'\]]*\s{0,9}(?::=|=>|=|:)\s{0,9}[\\"'`]*([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b"#,
    ),
    exact(
        "service-key",
        &["sumo"],
        r#"(?i)sumo(?:logic)?[_.-]{0,2}access[_.-]?id[\\"'\]]*\s{0,9}(?::=|=>|=|:)\s{0,9}[\\"'`]*(su[A-Za-z0-9]{12})\b"#,
    ),
    token("alibaba-key", &["LTAI"], word!(r"LTAI[A-Za-z0-9]{16,24}")),
    token("tencent-key", &["AKID"], word!(r"AKID[A-Za-z0-9]{32}")),
    token(
        "google-key",
        &["AIza", "GOCSPX-", "ya29."],
        r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{20,}",
    ),
    token(
        "azure-key",
        &["Q~"],
        r#"(?:^|\\[nrt]|[\\'"`\s>=:(,)])([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})"#,
    ),
    token(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[a-f0-9]{64}",
    ),
    token(
        "heroku-token",
        &["HRKU-"],
        word!(r"HRKU-[A-Za-z0-9_-]{30,}"),
    ),
    token(
        "fly-token",
        &[
            "FlyV1 ", "fm1_", "fm1a_", "fm1r_", "fm2_", "fm2a_", "fm2r_", "fo1_",
        ],
        word!(
            r"FlyV1 [A-Za-z0-9+/=,_-]{30,}|fm[12][ar]?_[A-Za-z0-9+/=,_-]{60,}|fo1_[A-Za-z0-9_-]{40,}"
        ),
    ),
    token(
        "cloudflare-key",
        &["v1.0-"],
        word!(r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    ),
    token("netlify-token", &["nfp_"], word!(r"nfp_[A-Za-z0-9]{36,}")),
    token(
        "vercel-token",
        &["vercel_blob_rw_"],
        word!(r"vercel_blob_rw_[A-Za-z0-9]{10,}_[A-Za-z0-9]{20,}"),
    ),
    short("render-key", &["rnd_"], word!(r"rnd_[A-Za-z0-9]{28}\b")),
    token("neon-key", &["napi_"], word!(r"napi_[a-z0-9]{60,}")),
    token(
        "tailscale-key",
        &["tskey-"],
        word!(r"tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9]{10,}-[A-Za-z0-9]{16,}"),
    ),
    token("yandex-key", &["AQVN"], word!(r"AQVN[A-Za-z0-9_-]{35,38}")),
    token(
        "supabase-token",
        &["sbp_", "sb_secret_"],
        word!(r"sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,}"),
    ),
    token(
        "planetscale-token",
        &["pscale_"],
        word!(r"pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{30,}"),
    ),
    token(
        "databricks-token",
        &["dapi"],
        word!(r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    ),
    token("pulumi-token", &["pul-"], word!(r"pul-[a-f0-9]{40}")),
    token(
        "terraform-token",
        &[".atlasv1."],
        word!(r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    ),
    token(
        "vault-token",
        &["hvs.", "hvb.", "hvr."],
        word!(r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ),
    token(
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
    token(
        "1password-token",
        &["ops_eyJ"],
        word!(r"ops_eyJ[A-Za-z0-9+/=_-]{100,}"),
    ),
    token(
        "age-key",
        &["age-secret-key-1"],
        r"(?i)AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    ),
    token("npm-token", &["npm_"], word!(r"npm_[A-Za-z0-9]{36,}")),
    token("pypi-token", &["pypi-"], word!(r"pypi-[A-Za-z0-9_-]{40,}")),
    token(
        "rubygems-token",
        &["rubygems_"],
        word!(r"rubygems_[a-f0-9]{48}"),
    ),
    token("crates-io-token", &["cio"], word!(r"cio[A-Za-z0-9]{32}")),
    token("nuget-key", &["oy2"], word!(r"oy2[a-z0-9]{43}")),
    token(
        "docker-token",
        &["dckr_pat_", "dckr_oat_"],
        word!(r"dckr_[po]at_[A-Za-z0-9_-]{20,}"),
    ),
    token(
        "artifactory-key",
        &["AKCp", "cmVmd"],
        word!(r"AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{59}\b"),
    ),
    token("clojars-token", &["clojars_"], r"(?i)CLOJARS_[a-z0-9]{60}"),
    token(
        "circleci-token",
        &["CCIPAT_", "CCIPRJ_"],
        word!(r"CCIP(?:AT|RJ)_[A-Za-z0-9]{10,}_[A-Fa-f0-9]{40}"),
    ),
    token("buildkite-token", &["bkua_"], word!(r"bkua_[a-f0-9]{40}")),
    Rule {
        secret: Secret::Matched(random::is_filled_in),
        ..token(
            "slack-token",
            &[
                "xoxa-", "xoxb-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-",
                "xoxd-", "xapp-",
            ],
            r"xox[abcdeoprs][.-][A-Za-z0-9.-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}",
        )
    },
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
    within(
        Reach::Line,
        exact(
            "discord-webhook",
            &["/api/webhooks/"],
            r"discord(?:app)?\.com/api/webhooks/([0-9]{15,20}/[A-Za-z0-9_-]{60,})",
        ),
    ),
    within(
        Reach::Text(likely::discord_dots),
        exact("discord-token", &["discord"], DISCORD_TOKEN),
    ),
    // A bot is started with it, and nothing near it has to say whose it is.
    Rule {
        secret: Secret::Matched(random::looks_random),
        reach: Reach::Text(likely::discord_dots),
        ..exact("discord-token", &[".run(", ".login("], DISCORD_TOKEN)
    },
    // In addresses of its API, the token stands right behind `bot`.
    token(
        "telegram-token",
        &[":AA"],
        r"(?:\b|bot|\\[nrt])([0-9]{8,10}:AA[A-Za-z0-9_-]{32,34})",
    ),
    token(
        "stripe-key",
        &[
            "sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_", "whsec_",
        ],
        r"[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,}",
    ),
    token(
        "square-key",
        &["sq0atp-", "sq0csp-", "EAAA"],
        r"(?:\b|\\[nrt])(sq0[ac][ts]p-[A-Za-z0-9_-]{22,})|(?:^|[^A-Za-z0-9_+/-]|\\[nrt])(EAAA[A-Za-z0-9_-]{60})",
    ),
    // In the middle of base64 it would be chance.
    token(
        "square-key",
        &["EAAA"],
        r#"(?:^|[\s"'`=:])(EAAA[A-Za-z0-9_-]{22,60})(?:[\s"'`;]|\\[nr]|$)"#,
    ),
    token(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        word!(r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    ),
    token(
        "razorpay-key",
        &["rzp_live_", "rzp_test_"],
        word!(r"rzp_(?:live|test)_[A-Za-z0-9]{14}\b"),
    ),
    token(
        "plaid-token",
        &[
            "access-production-",
            "access-development-",
            "access-sandbox-",
        ],
        word!(
            r"access-(?:production|development|sandbox)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
        ),
    ),
    token(
        "braintree-token",
        &["access_token$production$", "access_token$sandbox$"],
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
    ),
    token(
        "hubspot-token",
        &["pat-na", "pat-eu", "pat-ap"],
        word!(r"pat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ),
    short(
        "resend-key",
        &["re_"],
        word!(r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    ),
    short("twitch-token", &["oauth:"], word!(r"oauth:[a-z0-9]{30}\b")),
    token("twilio-key", &["SK"], word!(r"SK[0-9a-fA-F]{32}\b")),
    token(
        "sendgrid-key",
        &["SG."],
        word!(r"SG\.(?:[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}|[A-Za-z0-9=_.-]{66})"),
    ),
    token("mailgun-key", &["key-"], word!(r"key-[0-9a-f]{32}")),
    within(
        Reach::Line,
        exact(
            "mailchimp-key",
            &[
                "-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9",
            ],
            word!(r"[0-9a-f]{32}-us[0-9]{1,2}"),
        ),
    ),
    token(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        word!(r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    ),
    token("anthropic-key", &["sk-ant-"], r"sk-ant-[A-Za-z0-9_-]{16,}"),
    Rule {
        name: "openai-key",
        keywords: &["sk-"],
        likely: likely::goes_on,
        reach: Reach::Line,
        pattern: word!(r"sk-[A-Za-z0-9_-]{20,}"),
        secret: Secret::Matched(random::looks_random),
    },
    token(
        "huggingface-token",
        &["hf_", "api_org_"],
        word!(r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ),
    token("groq-key", &["gsk_"], word!(r"gsk_[A-Za-z0-9]{40,}")),
    token(
        "perplexity-key",
        &["pplx-"],
        word!(r"pplx-[A-Za-z0-9]{40,}"),
    ),
    token(
        "nvidia-key",
        &["nvapi-"],
        word!(r"nvapi-[A-Za-z0-9_-]{60,}"),
    ),
    short("elevenlabs-key", &["sk_"], word!(r"sk_[a-f0-9]{48}\b")),
    token(
        "langsmith-key",
        &["lsv2_pt_", "lsv2_sk_"],
        word!(r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    ),
    token(
        "tavily-key",
        &["tvly-"],
        word!(r"tvly-(?:(?:dev|prod)-)?[A-Za-z0-9]{30,}"),
    ),
    token("replicate-token", &["r8_"], word!(r"r8_[A-Za-z0-9]{37,}")),
    token("xai-key", &["xai-"], word!(r"xai-[A-Za-z0-9]{60,}")),
    token(
        "linear-key",
        &["lin_api_", "lin_oauth_"],
        word!(r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    ),
    token("notion-token", &["ntn_"], word!(r"ntn_[A-Za-z0-9]{40,}")),
    token(
        "notion-token",
        &["secret_"],
        word!(r"secret_[A-Za-z0-9]{43}"),
    ),
    token(
        "airtable-token",
        &["pat"],
        word!(r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ),
    token(
        "figma-token",
        &["figd_", "figo_"],
        word!(r"fig[do]_[A-Za-z0-9_-]{30,}"),
    ),
    token(
        "postman-key",
        &["PMAK-"],
        word!(r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ),
    token(
        "contentful-token",
        &["CFPAT-"],
        word!(r"CFPAT-[A-Za-z0-9_-]{40,}"),
    ),
    token(
        "grafana-token",
        &["glsa_", "glc_", "eyJrIjoi"],
        word!(
            r"glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=_-]{30,}|glc_[A-Za-z0-9+/]{32,}={0,3}|eyJrIjoi[A-Za-z0-9+/_-]{62,}={0,3}"
        ),
    ),
    token(
        "sentry-token",
        &["sntrys_", "sntryu_"],
        word!(r"sntrys_eyJ[A-Za-z0-9+/=_-]{30,}|sntryu_[a-f0-9]{64}"),
    ),
    token(
        "new-relic-key",
        &["NRAK-", "NRII-", "NRJS-"],
        word!(r"NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,}"),
    ),
    // A license is known by what it ends with.
    within(
        Reach::Line,
        exact(
            "new-relic-key",
            &["NRAL"],
            word!(r"[a-z0-9]{6}[a-f0-9]{30}NRAL\b"),
        ),
    ),
    // Those of projects (`phc_`) are published with every page.
    token(
        "posthog-key",
        &["phx_", "phs_"],
        word!(r"ph[xs]_[A-Za-z0-9]{40,}"),
    ),
    token(
        "dynatrace-token",
        &["dt0c01.", "dt0s"],
        word!(r"dt0[cs][0-9]{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    ),
    token(
        "dropbox-token",
        &["sl."],
        word!(r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,}"),
    ),
    token("adobe-key", &["p8e-"], word!(r"p8e-[A-Za-z0-9]{32}")),
    token(
        "1password-key",
        &["A3-"],
        word!(r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ),
    token(
        "flutterwave-key",
        &["FLWSECK_TEST-", "FLWPUBK_TEST-", "FLWSECK-", "FLWPUBK-"],
        word!(r"FLW(?:SEC|PUB)K(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?"),
    ),
    token(
        "shippo-token",
        &["shippo_live_", "shippo_test_"],
        word!(r"shippo_(?:live|test)_[a-fA-F0-9]{40}"),
    ),
    token(
        "duffel-token",
        &["duffel_live_", "duffel_test_"],
        word!(r"duffel_(?:live|test)_[A-Za-z0-9_=-]{43}"),
    ),
    token("prefect-token", &["pnu_"], word!(r"pnu_[A-Za-z0-9]{36}")),
    token("readme-token", &["rdme_"], word!(r"rdme_[a-z0-9]{70}")),
    token(
        "settlemint-token",
        &["sm_aat_", "sm_pat_", "sm_sat_"],
        word!(r"sm_[aps]at_[A-Za-z0-9]{16,}"),
    ),
    token("infracost-key", &["ico-"], word!(r"ico-[A-Za-z0-9]{32}\b")),
    token(
        "frameio-token",
        &["fio-u-"],
        word!(r"fio-u-[A-Za-z0-9_=-]{64}"),
    ),
    token("octopus-key", &["API-"], word!(r"API-[A-Z0-9]{26}\b")),
    within(
        Reach::Line,
        exact(
            "maxmind-key",
            &["_mmk"],
            word!(r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
        ),
    ),
    token("clickhouse-key", &["4b1d"], word!(r"4b1d[A-Za-z0-9]{38}\b")),
    token(
        "scalingo-token",
        &["tk-us-"],
        word!(r"tk-us-[A-Za-z0-9_-]{48}"),
    ),
    token(
        "typeform-token",
        &["tfp_"],
        word!(r"tfp_[A-Za-z0-9_.=-]{59}"),
    ),
    token(
        "defined-key",
        &["dnkey-"],
        word!(r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    ),
    token(
        "authress-key",
        &[".acc-", ".acc_"],
        word!(
            r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}"
        ),
    ),
    token(
        "easypost-key",
        &["EZAK", "EZTK"],
        word!(r"EZ[AT]K[A-Za-z0-9]{54}"),
    ),
    token(
        "facebook-token",
        &["EAAM", "EAAC"],
        word!(r"EAA[MC][A-Za-z0-9]{100,}"),
    ),
    within(
        Reach::Text(likely::facebook_sign),
        exact(
            "facebook-token",
            &["facebook"],
            word!(r"[0-9]{15,16}(?:\||%7[Cc])[A-Za-z0-9_-]{27,40}"),
        ),
    ),
    token(
        "harness-key",
        &["pat.", "sat."],
        word!(r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    ),
    token(
        "intra42-secret",
        &["s-s4t2"],
        word!(r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    ),
    token(
        "mapbox-token",
        &["pk."],
        word!(r"pk\.[a-z0-9]{60}\.[a-z0-9]{22}"),
    ),
    token(
        "openshift-token",
        &["sha256~"],
        word!(r"sha256~[A-Za-z0-9_-]{43}"),
    ),
    token(
        "sourcegraph-token",
        &["sgp_"],
        word!(r"sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}"),
    ),
    exact(
        "sourcegraph-token",
        &["sourcegraph"],
        r#"(?i)sourcegraph[\w.-]{0,20}["']?\s{0,5}[:=,]\s{0,5}["'`]?([a-f0-9]{40})\b"#,
    ),
    token(
        "sonar-token",
        &["sqp_", "squ_", "sqa_"],
        word!(r"sq[pua]_[a-f0-9]{40}"),
    ),
    exact(
        "sonar-token",
        &["sonar"],
        r#"(?i)sonar[_.-]?login["']?\s{0,5}(?::{0,3}=|[:,?.]=?|=>)\s{0,5}["'`]?((?:sq[apu]_)?[a-z0-9]{40})\b"#,
    ),
    exact(
        "sidekiq-key",
        &["contribsys"],
        r#"(?i)contribsys__com["']?\s{0,5}(?::{0,3}=|[:,?.]=?|=>)\s{0,5}["'`]?([a-f0-9]{8}:[a-f0-9]{8})\b"#,
    ),
    exact(
        "telegram-token",
        &["telegram"],
        r"(?i)telegram[^\n]{0,40}?(?:\b|bot)([0-9]{5,16}:(?-i:A)[a-z0-9_-]{34})",
    ),
    exact(
        "jfrog-token",
        &["artifactory", "jfrog"],
        r#"(?i)(?:artifactory|jfrog)[\w.-]{0,20}["'\s,:=>]{1,8}([a-z0-9]{64,73})\b"#,
    ),
    Rule {
        secret: Secret::Matched(random::may_be_signed),
        ..token(
            "jwt",
            &["eyJ"],
            r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?",
        )
    },
    // The same in base64 once more.
    token("jwt", &["ZXlK"], word!(r"ZXlK[A-Za-z0-9+/_-]{46,}={0,2}")),
];
