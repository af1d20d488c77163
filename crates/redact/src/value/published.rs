//! Values that stand in standards: everybody knows them, and code that follows a standard is tried with its examples.

/// Passwords and tokens of the examples of RFC 5849 (OAuth 1), 6749 and 6750 (OAuth 2), 7009, 7519 (JWT), 7617 (basic
/// authentication) and of OpenID Connect Core.
const VALUES: &[&str] = &[
    // RFC 5849.
    "kd94hf93k423kf44",
    "pfkkdhi9sl3r4s00",
    "dpf43f3p2l4k3l03",
    "hh5s93j4hdidpola",
    "hdhd0244k9j7ao03",
    "nnch734d00sl2jdk",
    "ad180jjd733klru7",
    "j49sk3j29djd",
    "dh893hdasih9",
    "kkk9d7dh3k39sjv7",
    "jd83jd92dhsh93js",
    // RFC 6749.
    "2YotnFZFEjr1zCsicMWpAA",
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "SplxlOBeZQQYbYS6WxSbIA",
    "7Fjfp0ZBr1KtDRbnfVdmIw",
    "gX1fBat3bV",
    "h480djs93hd8",
    // RFC 6750.
    "mF_9.B5f-4.1JqM",
    // RFC 7009.
    "45ghiukldjahdnhzdauz",
    // RFC 7519.
    "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    // RFC 7617.
    "open sesame",
    "opensesame",
    "123\u{a3}",
    // OpenID Connect Core.
    "SlAV32hkKG",
    "8xLOxBtZp8",
];

/// Whether `value` is an example of a standard, or is signed as one.
pub(crate) fn is_published(value: &str) -> bool {
    let signature = || value.rsplit('.').next();
    let is_token = value.starts_with("eyJ");
    VALUES.contains(&value)
        || (is_token && signature().is_some_and(|signature| VALUES.contains(&signature)))
}
