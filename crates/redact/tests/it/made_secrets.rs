//! Real-looking secrets, put together here so that no scanner reports them. The tests of
//! `windlass-repo` use them as well.

/// Makes `length` random-looking characters, the same ones every time.
pub(crate) fn random(alphabet: &str, length: usize, seed: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed as u64 + 0x9e37_79b9;
    (0..length)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            letters[(state >> 33) as usize % letters.len()]
        })
        .collect()
}

pub(crate) const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

pub(crate) const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

pub(crate) const HEX: &str = "0123456789abcdef";

pub(crate) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub(crate) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Pairs of a rule and a value to hide.
pub(crate) fn tokens(seed: usize) -> Vec<(&'static str, String)> {
    let of = |prefix: &str, alphabet: &str, length| {
        format!("{prefix}{}", random(alphabet, length, seed))
    };
    vec![
        ("github-token", of("ghp_", ALNUM, 36)),
        ("github-token", of("gho_", ALNUM, 36)),
        ("github-token", of("ghs_", ALNUM, 36)),
        (
            "github-token",
            format!(
                "{}_{}",
                of("github_pat_", ALNUM, 22),
                random(ALNUM, 59, seed)
            ),
        ),
        ("gitlab-token", of("glpat-", ALNUM, 20)),
        ("aws-access-key", of("AKIA", UPPER, 16)),
        ("aws-access-key", of("ASIA", UPPER, 16)),
        (
            "slack-token",
            format!(
                "xoxb-{}-{}",
                random("0123456789", 11, seed),
                random(ALNUM, 24, seed)
            ),
        ),
        ("stripe-key", of("sk_live_", ALNUM, 24)),
        ("google-key", of("AIza", ALNUM, 35)),
        ("npm-token", of("npm_", ALNUM, 36)),
        ("pypi-token", of("pypi-AgEIcHlwaS5vcmc", ALNUM, 80)),
        ("openai-key", of("sk-proj-", ALNUM, 48)),
        ("openai-key", of("sk-", ALNUM, 48)),
        ("anthropic-key", of("sk-ant-api03-", ALNUM, 90)),
        (
            "sendgrid-key",
            format!("{}.{}", of("SG.", ALNUM, 22), random(ALNUM, 43, seed + 1)),
        ),
        ("twilio-key", of("SK", HEX, 32)),
        ("telegram-token", of("123456789:AA", ALNUM, 33)),
        (
            "jwt",
            format!(
                "{}.{}.{}",
                of("eyJ", ALNUM, 17),
                of("eyJ", ALNUM, 30),
                random(ALNUM, 43, seed)
            ),
        ),
        ("huggingface-token", of("hf_", ALNUM, 34)),
        ("digitalocean-token", of("dop_v1_", HEX, 64)),
        ("age-key", of("AGE-SECRET-KEY-1", UPPER, 58)),
        ("vault-token", of("hvs.", ALNUM, 24)),
        ("atlassian-token", of("ATATT3", ALNUM, 186)),
        ("databricks-token", of("dapi", HEX, 32)),
        ("shopify-token", of("shpat_", HEX, 32)),
        ("doppler-token", of("dp.pt.", ALNUM, 43)),
        ("linear-key", of("lin_api_", ALNUM, 40)),
        ("notion-token", of("ntn_12345678901", ALNUM, 35)),
        ("notion-token", of("secret_", ALNUM, 43)),
        ("fly-token", of("FlyV1 fm2_", ALNUM, 80)),
        (
            "cloudflare-key",
            format!("{}-{}", of("v1.0-", HEX, 24), random(HEX, 146, seed)),
        ),
        ("google-key", of("ya29.", ALNUM, 60)),
        ("stripe-key", of("rk_live_", ALNUM, 24)),
        ("docker-token", of("dckr_pat_", ALNUM, 27)),
        ("mailgun-key", of("key-", HEX, 32)),
        ("mailchimp-key", format!("{}-us12", random(HEX, 32, seed))),
        (
            "postman-key",
            format!("{}-{}", of("PMAK-", HEX, 24), random(HEX, 34, seed)),
        ),
        ("groq-key", of("gsk_", ALNUM, 52)),
        ("supabase-token", of("sbp_", HEX, 40)),
        (
            "grafana-token",
            format!("{}_{}", of("glsa_", ALNUM, 32), random(HEX, 8, seed)),
        ),
        (
            "terraform-token",
            format!(
                "{}.atlasv1.{}",
                random(ALNUM, 14, seed),
                random(ALNUM, 67, seed)
            ),
        ),
        (
            "airtable-token",
            format!("{}.{}", of("pat", ALNUM, 14), random(HEX, 64, seed)),
        ),
        ("figma-token", of("figd_", ALNUM, 40)),
        ("crates-io-token", of("cio", ALNUM, 32)),
        ("clojars-token", of("CLOJARS_", LOWER, 60)),
        ("shippo-token", of("shippo_live_", HEX, 40)),
        ("prefect-token", of("pnu_", ALNUM, 36)),
        ("twilio-key", of("SKdE", HEX, 30)),
        ("octopus-key", of("API-", UPPER, 26)),
        ("duffel-token", of("duffel_test_", LOWER, 43)),
        ("readme-token", of("rdme_", LOWER, 70)),
        ("settlemint-token", of("sm_aat_", ALNUM, 16)),
        ("settlemint-token", of("sm_sat_", ALNUM, 16)),
        ("infracost-key", of("ico-", ALNUM, 32)),
        ("frameio-token", of("fio-u-", LOWER, 64)),
        (
            "flutterwave-key",
            format!("{}-X", of("FLWSECK_TEST-", HEX, 32)),
        ),
        ("gitlab-token", of("glffct-", ALNUM, 20)),
        ("gitlab-token", of("GR1348941", ALNUM, 20)),
        ("artifactory-key", of("cmVmdGtu", ALNUM, 56)),
        ("clickhouse-key", of("4b1d", ALNUM, 38)),
        (
            "maxmind-key",
            format!("{}_{}_mmk", of("", ALNUM, 6), random(ALNUM, 29, seed)),
        ),
        (
            "aws-bedrock-key",
            of("bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t", BASE64, 80),
        ),
        ("grafana-token", of("eyJrIjoi", ALNUM, 80)),
        ("grafana-token", of("glc_", BASE64, 60)),
        ("scalingo-token", of("tk-us-", ALNUM, 48)),
        ("typeform-token", of("tfp_", LOWER, 59)),
        (
            "defined-key",
            format!("{}-{}", of("dnkey-", LOWER, 26), random(LOWER, 52, seed)),
        ),
        ("fly-token", of("fm1r_", BASE64, 120)),
        ("sonar-token", of("sqp_", HEX, 40)),
        ("sonar-token", of("squ_", HEX, 40)),
        ("notion-token", of("ntn_", ALNUM, 46)),
        ("nvidia-key", of("nvapi-", ALNUM, 64)),
        ("elevenlabs-key", of("sk_", HEX, 48)),
        (
            "tailscale-key",
            format!(
                "{}-{}",
                of("tskey-auth-k", ALNUM, 16),
                random(ALNUM, 33, seed)
            ),
        ),
        ("posthog-key", of("phx_", ALNUM, 43)),
        ("razorpay-key", of("rzp_live_", ALNUM, 14)),
        ("neon-key", of("napi_", LOWER, 64)),
        ("new-relic-key", format!("{}NRAL", of("", HEX, 36))),
        (
            "langsmith-key",
            format!("{}_{}", of("lsv2_pt_", HEX, 32), random(HEX, 10, seed)),
        ),
        ("tavily-key", of("tvly-dev-", ALNUM, 32)),
        ("render-key", of("rnd_", ALNUM, 28)),
        (
            "resend-key",
            format!("{}_{}", of("re_", ALNUM, 8), random(ALNUM, 24, seed)),
        ),
        (
            "vercel-token",
            format!(
                "{}_{}",
                of("vercel_blob_rw_", ALNUM, 16),
                random(ALNUM, 30, seed)
            ),
        ),
        ("yandex-key", of("AQVN", ALNUM, 36)),
        ("twitch-token", of("oauth:", LOWER, 30)),
        (
            "braintree-token",
            format!(
                "{}${}",
                of("access_token$sandbox$", LOWER, 16),
                random(HEX, 32, seed)
            ),
        ),
        ("hubspot-token", format!("pat-na1-{}", uuid(seed))),
        ("plaid-token", format!("access-production-{}", uuid(seed))),
    ]
}

pub(crate) fn key_block(line_end: &str, indent: &str) -> String {
    let mut block = format!(
        "{indent}-----BEGIN OPENSSH {}-----{line_end}",
        "PRIVATE KEY"
    );
    for line in 0..5 {
        block += &format!("{indent}{}{line_end}", random(BASE64, 64, line));
    }
    block + &format!("{indent}-----END OPENSSH {}-----{line_end}", "PRIVATE KEY")
}

fn uuid(seed: usize) -> String {
    let part = |length| random(HEX, length, seed);
    format!(
        "{}-{}-{}-{}-{}",
        part(8),
        part(4),
        part(4),
        part(4),
        part(12)
    )
}
