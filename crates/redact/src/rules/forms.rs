//! The table of rules. A rule belongs here when its pattern names one form of a secret, whoever issued it. What
//! it matches over the ends of lines is bounded: see [`crate::SECRET_REACH`].

use std::ops::Range;

use crate::rules::rule::{Reach, Rule, Secret};
use crate::rules::{address, crypt, curl, follow, likely, sql};
use crate::scanned_text::Text;
use crate::value;
use crate::value::{letters, random};

/// A rule whose pattern alone is proof, and begins with the keyword.
pub(crate) const fn exact(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    judged(name, keywords, pattern, |_| true)
}

/// A rule whose pattern alone is proof, and whose keywords begin a token, or stand in one.
pub(crate) const fn token(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Rule {
    Rule {
        likely: likely::goes_on,
        reach: Reach::Line,
        ..exact(name, keywords, pattern)
    }
}

/// A rule whose pattern, which begins with the keyword, finds what has yet to be judged.
const fn judged(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    accepts: fn(&str) -> bool,
) -> Rule {
    Rule {
        name,
        keywords,
        likely: likely::always,
        pattern,
        reach: Reach::Onward,
        secret: Secret::Matched(accepts),
    }
}

/// The same rule, tried only where a keyword is likely to be one.
const fn where_likely(likely: fn(&Text<'_>, Range<usize>) -> bool, rule: Rule) -> Rule {
    Rule { likely, ..rule }
}

/// The same rule, tried elsewhere.
pub(crate) const fn within(reach: Reach, rule: Rule) -> Rule {
    Rule { reach, ..rule }
}

pub(crate) const FORMS: &[Rule] = &[
    Rule {
        name: "private-key",
        keywords: &["PRIVATE KEY"],
        likely: likely::always,
        pattern: "-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
        reach: Reach::Line,
        secret: Secret::After(follow::key_block),
    },
    Rule {
        name: "private-key",
        keywords: &["PRIVATE KEY"],
        likely: likely::always,
        pattern: "-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
        reach: Reach::Line,
        secret: Secret::After(follow::key_tail),
    },
    Rule {
        name: "private-key",
        keywords: &["Private-Lines:"],
        likely: likely::always,
        pattern: "Private-Lines: {0,4}[0-9]{1,4}",
        reach: Reach::Onward,
        secret: Secret::After(follow::putty_lines),
    },
    Rule {
        name: "private-key",
        keywords: &[follow::ENCODED_TITLE],
        likely: likely::goes_on,
        pattern: follow::ENCODED_TITLE,
        reach: Reach::Onward,
        secret: Secret::After(follow::encoded_key),
    },
    within(
        Reach::Line,
        exact(
            "private-key",
            &["PRIVATE%20KEY", "PRIVATE+KEY"],
            r"(?:-{4,5}|(?:%2D){4,5})BEGIN(?:%20|\+)[A-Z0-9%+]{0,40}PRIVATE(?:%20|\+)KEY[A-Za-z0-9%+/=_.~-]{40,}",
        ),
    ),
    exact(
        "aws-secret-key",
        &[
            "secret_access_key",
            "secretaccesskey",
            "secret-access-key",
            "secret_accesskey",
            "secretaccess_key",
            "secret_access-key",
            "secret-access_key",
            "secret-accesskey",
            "secretaccess-key",
            "aws_secret",
        ],
        r#"(?i:(?:secret[_-]?access[_-]?key|aws_secret(?:_key)?))[\\"'\]]*\s{0,64}(?::|=>|:?=)\s{0,64}[\\"']*([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    within(
        Reach::Line,
        exact(
            "azure-key",
            &["accountkey=", "sharedaccesskey=", "sig="],
            r"(?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})|[?&;]sig=([A-Za-z0-9+/%]{40,}={0,2})",
        ),
    ),
    where_likely(
        likely::has_user,
        judged(
            "url-password",
            &["://"],
            r#"[A-Za-z0-9+.-]://[^\s/?#:@"'<>`]*:([^\s/"'<>`]+)@"#,
            address::is_password,
        ),
    ),
    where_likely(
        likely::has_user,
        judged(
            "url-password",
            &["://"],
            r#"://[^\s/?#:@"'<>`]{1,64}:([^\s/?#@"'<>`]{1,200}/[^\s?#@"'<>`]{1,200})@[A-Za-z0-9\[]"#,
            address::is_password_with_slash,
        ),
    ),
    // Without a scheme, which is that of the page or of the tool.
    where_likely(
        likely::names_login,
        judged(
            "url-password",
            &[" //", "\"//", "'//", "=//"],
            r#"[ "'=]//[A-Za-z0-9._%+-]{1,64}:([^\s/:@"'<>`]{8,200})@(?:[A-Za-z][A-Za-z0-9-]{0,62}(?:\.[A-Za-z]|:[0-9]|/)|(?:[0-9]{1,3}\.){3}[0-9])"#,
            address::is_random_password,
        ),
    ),
    within(
        Reach::Line,
        judged(
            "url-password",
            &["@tcp(", "@unix("],
            r#"[^\s/:@"'<>`()]{1,64}:([^\s"'<>`]+)@(?:tcp|unix)\("#,
            value::is_url_password,
        ),
    ),
    judged(
        "url-password",
        &["jdbc:oracle:"],
        r#"(?i)jdbc:oracle:[a-z0-9]{1,16}:[^\s/@"'<>`]{1,64}/([^\s"'<>`]+)@"#,
        value::is_url_password,
    ),
    where_likely(
        likely::has_user,
        judged(
            "url-token",
            &["://"],
            r#"://([^\s/?#:@"'<>`]{16,})(?::[^\s/?#@"'<>`]*)?@"#,
            random::is_url_token,
        ),
    ),
    where_likely(
        likely::is_header,
        judged(
            "authorization",
            &["authorization"],
            r#"(?i)authorization(?:[\\"'\])]*\s{0,64}[:=,]|[\\"']{0,4}[\s,][^{}\[\]]{0,96}?\bvalue[\\"']*\s{0,9}[:=])\s{0,64}(?:[|>][-+0-9]{0,2}\s{1,64})?[\\"'`]*(?:bearer|token|digest|apikey|negotiate|ssws|bot)\s{1,64}([A-Za-z0-9._~+/=-]{8,})"#,
            value::is_credential,
        ),
    ),
    where_likely(
        likely::is_header,
        judged(
            "authorization",
            &["authorization"],
            r#"(?i)authorization(?:[\\"'\])]*\s{0,64}[:=,]|[\\"']{0,4}[\s,][^{}\[\]]{0,96}?\bvalue[\\"']*\s{0,9}[:=])\s{0,64}(?:[|>][-+0-9]{0,2}\s{1,64})?[\\"'`]*basic\s{1,64}([A-Za-z0-9._~+/=-]{8,})"#,
            value::is_basic_header,
        ),
    ),
    where_likely(
        likely::is_header,
        judged(
            "authorization",
            &["authorization", "bearer "],
            r#"(?i)(?:authorization(?:[\\"'\])]*\s{0,64}[:=,]|[\\"']{0,4}[\s,][^{}\[\]]{0,96}?\bvalue[\\"']*\s{0,9}[:=])\s{0,64}(?:[|>][-+0-9]{0,2}\s{1,64})?[\\"'`]*|\bbearer +)([A-Za-z0-9._~+/=-]{20,})"#,
            random::looks_random,
        ),
    ),
    Rule {
        name: "cookie",
        keywords: &["cookie"],
        likely: likely::is_header,
        pattern: r#"(?i)cookie(?:[\\"']{0,4}[\s,][^{}\[\]]{0,96}?\bvalue[\\"']*[ \t]*[:=]|[\\"'\])]*[ \t]*[:=,])[ \t]*[\\"'`]*"#,
        reach: Reach::Onward,
        secret: Secret::After(follow::cookies),
    },
    within(
        Reach::Around,
        judged(
            "command-password",
            &[
                "mysql",
                "mariadb",
                "sshpass",
                "redis-cli",
                "docker login",
                "mongosh",
                "mongodump",
                "mongorestore",
            ],
            r#"\b(?:(?:mysql|mariadb)[a-z_-]{0,12}[ \t](?:(?:[^\n|;]|\\\r?\n){0,200}?[ \t])?-p|(?:sshpass|docker login|mongosh|mongodump|mongorestore)[ \t](?:[^\n|;]{0,200}?[ \t])?-p[ \t]*|redis-cli[ \t](?:[^\n|;]{0,200}?[ \t])?-a[ \t]+)(?:'([^'\n]{4,})'|"([^"\n]{4,})"|([^\s'"-][^\s'"]{3,}))"#,
            value::is_argument,
        ),
    ),
    within(
        Reach::Line,
        judged(
            "command-password",
            &[
                "sqlcmd",
                "unzip",
                "ldapsearch",
                "ldapadd",
                "ldapmodify",
                "ldapdelete",
                "ldapwhoami",
                "ldappasswd",
                "zip -p",
            ],
            r#"\b(?:(?:sqlcmd|unzip|zip)(?:\.exe)?[ \t](?:[^\n|;]{0,200}?[ \t])?-P[ \t]*|ldap(?:search|add|modify|delete|whoami|passwd)[ \t](?:[^\n|;]{0,200}?[ \t])?-w[ \t]+)(?:'([^'\n]{4,})'|"([^"\n]{4,})"|([^\s'"-][^\s'"]{3,}))"#,
            value::is_argument,
        ),
    ),
    within(
        Reach::Line,
        judged(
            "command-password",
            &["7z ", "7z.exe", "7za ", "7zr ", "7zz "],
            r#"\b7z[arz]?(?:\.exe)?[ \t](?:[^\n|;]{0,200}?[ \t])?-p(?:'([^'\n]{4,})'|"([^"\n]{4,})"|([^\s'"`-][^\s'"`]{3,}))"#,
            value::is_argument,
        ),
    ),
    judged(
        "command-password",
        &["-passin", "-passout", "-pass pass:"],
        r#"-pass(?:in|out)?[ \t"',]{1,8}pass:(?:'([^'\n]{4,})'|"([^"\n]{4,})"|([^\s'",`]{4,}))"#,
        value::is_argument,
    ),
    judged(
        "secure-string",
        &["convertto-securestring"],
        r#"(?i)convertto-securestring(?:[ \t]{1,9}-(?:asplaintext|force|string)){0,3}[ \t]{1,9}(?:\\{0,3}"([^"\n]{4,}?)\\{0,3}"|'([^'\n]{4,}?)'|([^\s"'`$(@{<|;\\-][^\s"'`();|]{3,200})[ \t]{1,9}-asplaintext)"#,
        value::is_argument,
    ),
    within(
        Reach::Line,
        judged(
            "command-password",
            &[
                "chpasswd",
                "sudo -s",
                "--password-stdin",
                "htpasswd -",
                "openssl enc",
                "wpa_passphrase ",
            ],
            r#"\becho[ \t]{1,5}(?:-n[ \t]{1,5})?(?:'(?:[^':\n]{1,64}:)?([^'\n]{4,200})'|"(?:[^":\n]{1,64}:)?([^"\n]{4,200})"|(?:[^\s'":|]{1,64}:)?([^\s'":|]{4,200}))[ \t]{0,5}\|[ \t]{0,5}(?:sudo[ \t]{1,5})?(?:chpasswd|-S\b|[^\n|;]{0,200}?--password-stdin)|\bhtpasswd[ \t]{1,5}-[A-Za-z0-9]{0,8}b[A-Za-z0-9]{0,8}[ \t](?:[^\n|;]{1,200}?[ \t])?[^\s]{1,64}[ \t]{1,5}(?:'([^'\n]{4,200})'|"([^"\n]{4,200})"|([^\s'"]{4,200})[ \t]*(?:[\r\n|;&]|$))|\bopenssl enc[ \t](?:[^\n|;]{0,200}?[ \t])?-k[ \t]{1,5}(?:'([^'\n]{4,200})'|"([^"\n]{4,200})"|([^\s'"-][^\s'"]{3,200}))|\bwpa_passphrase[ \t]{1,5}(?:'[^'\n]{1,64}'|"[^"\n]{1,64}"|[^\s'"]{1,64})[ \t]{1,5}(?:'([^'\n]{4,200})'|"([^"\n]{4,200})"|([^\s'"]{8,200}))"#,
            value::is_argument_with_sign,
        ),
    ),
    within(
        Reach::Line,
        judged(
            "command-password",
            &["net use ", "net user ", "net.exe us"],
            r#"(?i)\bnet(?:\.exe)?[ \t]{1,5}(?:use[ \t][^\n]{0,200}?/user:[^\s]{1,64}[ \t]{1,5}|user[ \t]{1,5}[^\s/*]{1,64}[ \t]{1,5})(?:"([^"\n]{4,200})"|([^\s/"*][^\s"]{3,200}))"#,
            value::is_argument_with_sign,
        ),
    ),
    judged(
        "login-password",
        &[
            "getconnection(",
            "new mysqli(",
            "mysqli_connect(",
            "new pdo(",
            "auth=(",
            "jwt.sign(",
            "jwt.verify(",
            "jwt.encode(",
        ],
        r#"(?i)(?:getconnection\(\s{0,64}[^,\n()]{1,200},\s{0,64}|new mysqli\(\s{0,64}[^,\n()]{1,200},\s{0,64}|mysqli_connect\(\s{0,64}[^,\n()]{1,200},\s{0,64}|new pdo\(\s{0,64}[^,\n()]{1,200},\s{0,64}|auth=\(\s{0,64}|jwt\.(?:sign|verify|encode)\()\s{0,64}(?:["'][^"'\n]{1,200}["']|[a-z_$][a-z0-9_.$>-]{0,64}),\s{0,64}(?:"([^"\\\n]{4,200})"|'([^'\\\n]{4,200})')"#,
        value::is_login_password,
    ),
    judged(
        "login-password",
        &[
            "networkcredential(",
            "pscredential(",
            "passwordcredentials(",
            "passwordauthentication(",
            "basicauth(",
            "basic_auth(",
            "credentials.basic(",
        ],
        r#"(?i)(?:networkcredential|pscredential|passwordcredentials|passwordauthentication|basic_?auth|credentials\.basic)\(\s{0,64}(?:\\{0,3}["'][^"'\n]{1,64}["']|[a-z_][a-z0-9_.]{0,64}),\s{0,64}(?:some\()?(?:\\{0,3}"([^"\\\n]{4,200})\\{0,3}"|'([^'\n]{4,200})')"#,
        value::is_login_password,
    ),
    where_likely(
        curl::may_log_in,
        judged(
            "command-password",
            &["curl"],
            r#"\b(?i:curl)(?:\.exe)?["'}]{0,2}[ \t](?:(?:[^\n|;]|\\\r?\n|'[^'\n]*'|"[^"\n]*"){0,300}?[ \t])?(?:-[A-Za-z#]{0,12}[uU]|--user|--proxy-user)[ \t=]?(?:'[^':\n]+:([^'\n]{4,})'|"[^":\n]+:([^"\n]{4,})"|[^\s:'"]+:(?:'([^'\n]{4,})'|"([^"\n]{4,})"|([^\s'"]{4,})))"#,
            value::is_argument,
        ),
    ),
    within(
        Reach::Around,
        judged(
            "command-password",
            &[
                "-u\"",
                "-u'",
                "--user\"",
                "--user'",
                "--proxy-user\"",
                "--proxy-user'",
            ],
            r#"\bcurl["'],[^;]{0,300}?["'](?:-[A-Za-z#]{0,12}[uU]|--user|--proxy-user)["'],\s{0,64}(?:'[^':\n]+:([^'\n]{4,})'|"[^":\n]+:([^"\n]{4,})")"#,
            value::is_argument,
        ),
    ),
    judged(
        "basic-credentials",
        &["basic "],
        r"(?i:\bbasic) {1,9}([A-Za-z0-9+/]{8,}={0,2})",
        value::is_basic,
    ),
    judged(
        "basic-credentials",
        &["auth\"", "auth'", "auth\\\"", "auth:", "auth=", "auth ="],
        r#"(?:\b|_)auth[\\"']{0,4}\s{0,9}[:=]\s{0,9}[\\"']{0,4}([A-Za-z0-9+/]{8,}={0,2})"#,
        value::is_basic,
    ),
    judged(
        "registry-credentials",
        &[".dockerconfigjson"],
        r#"\.dockerconfigjson[\\"']{0,4}\s{0,9}[:=]\s{0,9}(?:[|>][-+0-9]{0,2}\s{1,64})?[\\"']{0,4}([A-Za-z0-9+/]{16,}={0,2})"#,
        value::is_credential,
    ),
    where_likely(
        crypt::is_likely,
        judged(
            "password-hash",
            crypt::KEYWORDS,
            crypt::PATTERN,
            crypt::is_hash,
        ),
    ),
    where_likely(
        likely::names_user,
        judged(
            "sql-password",
            &["identified "],
            r"(?i)\bidentified\s{1,9}(?:with\s{1,9}\S{1,40}\s{1,9})?by\s{1,9}'([^'\n]{4,})'",
            value::is_argument,
        ),
    ),
    where_likely(
        sql::alters_user,
        judged(
            "sql-password",
            &["identified "],
            r#"(?i)\bidentified\s{1,9}(?:with\s{1,9}\S{1,40}\s{1,9})?by\s{1,9}\\{0,3}"([^"\\\n]{4,200})\\{0,3}""#,
            value::is_argument,
        ),
    ),
    where_likely(
        sql::alters_user,
        judged(
            "sql-password",
            &["identified "],
            r#"(?i)\bidentified\s{1,9}by\s{1,9}([^\s;'"`(),<>{}\\]{4,200})(?:[\s;'"`\\]|$)"#,
            sql::is_unquoted,
        ),
    ),
    judged(
        "sql-password",
        &["set password"],
        r#"(?i)\bset\s{1,9}password\s{0,9}(?:\sfor\s[^;\n=]{1,160})?=\s{0,9}\\{0,3}(?:"([^"\\\n]{4,200})"|'([^'\\\n]{4,200})'|"([^"\\\n]{4,200})\\)"#,
        value::is_argument,
    ),
    within(
        Reach::Line,
        judged(
            "sql-password",
            &["password("],
            r#"(?i)\bset\s[^;\n]{0,200}?=\s{0,9}(?:old_)?password\(\s{0,9}\\{0,3}(?:'([^'\\\n]{4,200})|"([^"\\\n]{4,200}))"#,
            value::is_argument,
        ),
    ),
    judged(
        "sql-password",
        &["sp_addlogin", "sp_addapprole", "sp_setapprole"],
        r"(?i)\bsp_(?:addlogin|addapprole|setapprole)\s{1,9}(?:@[a-z]{1,20}\s{0,9}=\s{0,9})?(?:N?'[^'\n]{1,128}'|[\w.-]{1,128})\s{0,9},\s{0,9}(?:@[a-z]{1,20}\s{0,9}=\s{0,9})?N?'([^'\n]{4,200})'",
        value::is_argument,
    ),
    within(
        Reach::Around,
        judged(
            "sql-password",
            &["password '"],
            r"\b(?i:(?:with|encrypted|role|user)\s{1,9}(?:\S{1,64}\s{1,9}){0,4}?password)\s{1,9}'([^'\n]{4,})'",
            value::is_argument,
        ),
    ),
    where_likely(
        curl::may_log_in,
        judged(
            "curl-login",
            &["curl"],
            r#"\bcurl\b[^\n;|&]{0,400}?\s(?:-u|--user)(?:=|[ \t]{0,5})(?:"([^"\s]{4,200})"|'([^'\s]{4,200})'|[^\s"'`:]{1,64}:(?:"([^"\n]{1,200})"|'([^'\n]{1,200})')|([^\s"'`]{4,200}))"#,
            curl::is_login,
        ),
    ),
    where_likely(
        curl::may_send_key,
        judged(
            "curl-header",
            &["curl"],
            r#"(?i)\bcurl\b[^\n;|&]{0,400}?\s(?:-H|--header)(?:=|[ \t]{0,5})["'](?:authorization:[ \t]{0,5}(?:[a-z-]{2,20}[ \t]{1,5})?|[a-z0-9-]{0,30}(?:auth|key|token|secret|password):[ \t]{0,5})([a-z0-9_=~@.+/!,-]{8,500})["']"#,
            curl::is_header_key,
        ),
    ),
    // What these issuers give out is short, or of digits alone: their name in front of the word tells it from other numbers.
    where_likely(
        likely::is_joined,
        judged(
            "issuer-key",
            &["asana", "discord", "dropbox", "linkedin", "sumo"],
            r#"(?i)(?:(?:asana|discord)[\w.-]{0,20}?(?:token|secret|key|client)|(?:dropbox|linkedin|sumo)[\w.-]{0,20}?(?:token|secret|key))[\w-]{0,10}["']{0,2}\s{0,3}(?:string\s{0,3})?(?:=>|:{0,3}=|[.?]=|>|:|,)[\s"'`=]{0,8}([0-9]{16,32}|[a-z0-9]{14,15})(?:["'`\s;]|\\[nr]|$)"#,
            letters::has_digit,
        ),
    ),
];
