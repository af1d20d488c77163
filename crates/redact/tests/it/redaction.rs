//! Tests values that are secrets, and values that aren't. The samples are put together here so that
//! no scanner reports them.

use proptest::prelude::*;
use windlass_redact::{WholeText, json_has_secrets, redact_field, redact_text};

use crate::made_secrets::{ALNUM, BASE64, UPPER, key_block, random, tokens};

/// Samples with the rule, the text, and the value to hide.
fn samples() -> Vec<(&'static str, String, String)> {
    let base64 = |length| random(BASE64, length, 7);
    let strong = random(ALNUM, 24, 3);
    let mut samples = vec![
        (
            "aws-secret-key",
            format!("aws_secret_access_key = {}\n", base64(40)),
            base64(40),
        ),
        (
            "aws-secret-key",
            format!("\"SecretAccessKey\": \"{}\",", base64(40)),
            base64(40),
        ),
        (
            "azure-key",
            format!("AccountName=x;AccountKey={}==;End", base64(86)),
            base64(86),
        ),
        (
            "slack-webhook",
            format!("https://hooks.slack.com/services/T0/B0/{strong}"),
            strong.clone(),
        ),
        (
            "authorization",
            format!("curl -H 'Authorization: Bearer {strong}' x"),
            strong.clone(),
        ),
        (
            "authorization",
            format!("headers[\"Authorization\"] = \"Basic {}\"", base64(20)),
            base64(20),
        ),
        (
            "url-password",
            "postgres://app:hunter2@db/x".into(),
            "hunter2".into(),
        ),
        (
            "url-password",
            "redis://:s3cr3t-p@ss@cache:6379".into(),
            "s3cr3t-p@ss".into(),
        ),
        (
            "url-password",
            format!("https://x-access-token:{strong}@example.org/a.git"),
            strong.clone(),
        ),
        (
            "url-password",
            format!("DATABASE_URL=postgres://bob:pa/{strong}@db:5432/x"),
            format!("pa/{strong}"),
        ),
        (
            "url-password",
            format!("url = //bob:{strong}@git.example.org/x.git"),
            strong.clone(),
        ),
        (
            "url-password",
            format!("<img src=\"//bob:{strong}@cdn:8080\">"),
            strong.clone(),
        ),
        (
            "assigned-secret",
            format!("https://app.example.org/cb#access_token={strong}&x"),
            strong.clone(),
        ),
        (
            "azure-key",
            format!("{{\"m\": \"a\\nRYQ8Q~{strong}x9Kq2Lm7Xc\\n\"}}"),
            format!("RYQ8Q~{strong}"),
        ),
    ];
    for (before, value, after) in [
        (
            "SET PASSWORD FOR 'bob'@'%' = PASSWORD('",
            "Tiger2024",
            "');",
        ),
        ("SET PASSWORD FOR 'bob'@'%' = '", "Tiger2024", "';"),
        ("set password = password('", "Tiger2024", "')"),
        (
            "UPDATE mysql.user SET authentication_string=PASSWORD('",
            "tigers",
            "') WHERE User='x';",
        ),
        ("ALTER USER scott IDENTIFIED BY \"", "tigers", "\";"),
        (
            "exec(\"ALTER USER scott IDENTIFIED BY \\\"",
            "tigers",
            "\\\"\")",
        ),
        ("CREATE USER 'bob'@'%' IDENTIFIED BY \"", "tigers", "\""),
        ("alter user scott identified by ", "Tiger2024", ";"),
        (
            "CREATE USER bob IDENTIFIED BY ",
            "Xk7pQ2vB9m",
            " DEFAULT TABLESPACE users;",
        ),
        ("EXEC sp_addlogin 'bob', '", "tigers", "';"),
        (
            "exec sp_addlogin @loginame = N'bob', @passwd = N'",
            "tigers",
            "'",
        ),
    ] {
        samples.push((
            "sql-password",
            format!("{before}{value}{after}"),
            value.to_owned(),
        ));
    }
    for (before, value, after) in [
        ("password = \"", "hunter2", "\""),
        ("password: ", "hunter2", "\n"),
        ("  DB_PASSWORD=", "Tr0ub4dor&3", "\n"),
        ("const char *passwd = \"", "swordfish", "\";"),
        ("let db_password: &str = \"", "correct-horse", "\";"),
        ("\"password\": \"", "p4ssw0rd!", "\","),
        ("{\\\"password\\\":\\\"", "hunter2hunter2", "\\\"}"),
        ("api_key = '", strong.as_str(), "'"),
        ("API_KEY: ", strong.as_str(), "\n"),
        ("export SECRET_TOKEN=", strong.as_str(), "\n"),
        ("clientSecret: `", strong.as_str(), "`,"),
        ("const token: string = '", strong.as_str(), "';"),
        ("var apiKey string = \"", strong.as_str(), "\""),
        ("token := \"", strong.as_str(), "\""),
        ("'access_key' => '", strong.as_str(), "',"),
        ("os.environ['API_TOKEN'] = '", strong.as_str(), "'"),
        ("x-api-key: ", strong.as_str(), "\n"),
        ("<password>", "hunter2!", "</password>"),
        ("spring.datasource.password=", "hunter2!", "\n"),
        ("private_key = b\"", strong.as_str(), "\""),
        ("api_key: ", "aGVsbG8gd29ybGQgMTIzNDU2Nw==", "\n"),
        ("token=", "aGVsbG8gd29ybGQgMTIzNDU2Nw==", "\n"),
        ("apiKey: &'static str = r\"", strong.as_str(), "\""),
    ] {
        samples.push((
            "assigned-secret",
            format!("{before}{value}{after}"),
            value.to_owned(),
        ));
    }
    samples
}

#[test]
fn well_known_tokens_vanish_wherever_they_stand() {
    for (rule, token) in tokens(1) {
        for (before, after) in [
            ("", ""),
            ("key=", "\n"),
            ("\"", "\","),
            ("https://x/?t=", "&y"),
            ("(", ")"),
            ("[link](", ")."),
            ("ключ: ", " 🔑"),
            ("\\n", "\\n"),
            ("\u{1b}[1m", "\u{1b}[0m"),
            (
                "see\u{1b}(B\u{1b}[m\u{1b}[1;31m\u{1b}[K",
                "\u{1b}[m\u{1b}[K",
            ),
        ] {
            let text = format!("{before}{token}{after}");
            let (redacted, findings) = redact_text(&text);
            assert!(!redacted.as_str().contains(&token), "{rule}: {redacted}");
            assert!(
                findings.iter().any(|found| found.rule == rule),
                "{rule} in {text}: {findings:?}"
            );
        }
    }
}

#[test]
fn literal_secrets_vanish_from_what_names_them() {
    for (rule, text, secret) in samples() {
        let (redacted, findings) = redact_text(&text);
        assert!(!redacted.as_str().contains(&secret), "{rule}: {redacted}");
        assert!(
            findings.iter().any(|found| found.rule == rule),
            "{rule} in {text}: {findings:?}"
        );
    }
}

#[test]
fn long_secrets_vanish_to_their_end() {
    let long = random(ALNUM, 3000, 11);
    let tail = &long[long.len() - 20..];
    for (before, after) in [
        ("token = \"", "\""),
        ("token = '", "'"),
        ("const secret = `", "`"),
        ("TOKEN=", "\n"),
        ("{\\\"token\\\":\\\"", "\\\"}"),
        ("Authorization: Bearer ", "\n"),
        ("ghp_", " "),
    ] {
        let (redacted, _) = redact_text(&format!("{before}{long}{after}"));
        assert!(!redacted.as_str().contains(tail), "{before}: {redacted}");
    }
}

#[test]
fn ordinary_code_is_left_alone() {
    for text in [
        "let token = parse_token(&input);",
        "password: String,",
        "\"token\": null",
        "const SECRET_NAME: &str = \"windlass\";",
        "let password = std::env::var(\"DB_PASSWORD\")?;",
        "password = os.environ[\"DB_PASSWORD\"]",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password: ${DB_PASSWORD}",
        "password: {{ vault_password }}",
        "PASSWORD=changeme",
        "api_key = \"<your-api-key>\"",
        "api_key: YOUR_API_KEY_HERE",
        "password = \"example\"",
        "password=password",
        "self.token = token",
        "token: Token::Ident(name),",
        "secret: Option<Secret>,",
        "passwordField = document.getElementById('password-field')",
        "label.password = \"Enter your password\"",
        "\"password\": \"Password\",",
        "\"forgot_password\": \"Forgot your password?\",",
        "type=\"password\" name=\"password\"",
        "password: { type: 'string', minLength: 8 }",
        "token_type: bearer",
        "next_page_token = response.next_page_token",
        "let token = tokens[index];",
        "access_key_id = var.access_key_id",
        "max_tokens: 4096,",
        "tokenizer = \"cl100k_base\"",
        "secret_key_base: <%= ENV['SECRET_KEY_BASE'] %>",
        "if (password === confirmPassword) {",
        "password := r.FormValue(\"password\")",
        "private final String password;",
        "def authenticate(user: str, password: str = None):",
        "use crate::token::Token;",
        "csrf_token = \"csrfmiddlewaretoken\"",
        "TOKEN_HEADER = \"X-Auth-Token\"",
        "authorization: Bearer <token>",
        "headers.insert(\"Authorization\", format!(\"Bearer {token}\"));",
        "http://user:password@localhost/",
        "postgres://$USER:$PASSWORD@localhost",
        "https://example.org:8080/a@b",
        "see https://docs.rs/tokio/1.0/tokio/ and mail me@example.org",
        "sk-spinner sk-fading-circle-with-twelve-dots",
        "task_SKIP = 1",
        "ssh-ed25519 is a key type",
        "if line.contains(\"-----BEGIN RSA PRIVATE KEY-----\") { return Err(Error::Key); }",
        "secret: \"kubernetes.io/service-account-token\"",
        "integrity sha512-abc; key: cache-v1-linux-x86_64",
        "credential = DefaultAzureCredential()",
        "\"secret\": \"#/components/schemas/SecretReference\"",
        "api_key_path = \"/run/secrets/api_key\"",
        "token_file: ./configuration/token-file-2.txt",
        "<secretName>windlass-tls</secretName>",
        "pub const STATUS_WRONG_PASSWORD: NTSTATUS = 0xC000006A;",
        "pub const ERROR_WRONG_PASSWORD: WIN32_ERROR = 1323u32;",
        "const OID_USER_PASSWORD: &str = \"2.5.4.35\";",
        "pub const PrivateKeyExportable: X509CertificateTemplatePrivateKeyFlag = 16i32;",
    ] {
        let (redacted, findings) = redact_text(text);
        assert_eq!(redacted.as_str(), text, "{findings:?}");
    }
}

/// Makes an encrypted key as written by OpenSSL, cut off before its end.
fn whole_with_headers(key: &str) -> String {
    let headers = "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F1E\n\n";
    key[..key.len() - 60].replacen("-----\n", headers, 1)
}

#[test]
fn a_key_over_several_lines_keeps_their_number() {
    for (line_end, indent) in [("\n", ""), ("\r\n", ""), ("\n", "    "), ("\\n", "")] {
        let text = format!(
            "before{line_end}{}after{line_end}",
            key_block(line_end, indent)
        );
        let (redacted, findings) = redact_text(&text);
        assert_eq!(redacted.as_str().lines().count(), text.lines().count());
        assert_eq!(findings.len(), 1, "{redacted}");
        assert!(redacted.as_str().contains("before") && redacted.as_str().contains("after"));
        for line in 0..5 {
            assert!(
                !redacted.as_str().contains(&random(BASE64, 64, line)),
                "{redacted}"
            );
        }
    }
    // The end title is missing, for example because the output was cut.
    for (whole, cut) in [(key_block("\n", ""), 60), (key_block("\n", "# "), 62)] {
        let cut = &whole[..whole.len() - cut];
        assert!(!redact_text(cut).0.as_str().contains(&random(BASE64, 64, 3)));
    }
    let encrypted = whole_with_headers(&key_block("\n", ""));
    assert!(
        !redact_text(&encrypted)
            .0
            .as_str()
            .contains(&random(BASE64, 64, 3))
    );
}

#[test]
fn key_tail_vanishes_and_text_above_stays() {
    for (line_end, indent) in [
        ("\n", ""),
        ("\r\n", ""),
        ("\n", "    "),
        ("\n", "# "),
        ("\n", "-"),
    ] {
        let key = key_block(line_end, indent);
        let lines: Vec<&str> = key.split_inclusive(line_end).collect();
        for from in 1..lines.len() - 1 {
            // The beginning of the key is missing, and other text is right above the rest of it.
            let tail = lines[from..].concat();
            let text = format!("some words{line_end}{line_end}word{line_end}{tail}after{line_end}");
            let (redacted, findings) = redact_text(&text);
            let left = redacted.as_str();
            assert_eq!(findings.len(), 1, "{text:?}");
            assert_eq!(left.lines().count(), text.lines().count(), "{left:?}");
            assert!(left.starts_with(&format!("some words{line_end}{line_end}word{line_end}")));
            assert!(left.ends_with(&format!("after{line_end}")), "{left:?}");
            let body = lines[from].trim_start_matches(['#', ' ', '-']).trim_end();
            assert!(!left.contains(&body[..8]), "{left:?}");
            assert_eq!(redact_text(left).0.as_str(), left);
        }
    }
    // Cut within a line, as short as the last line is, and escaped in a literal.
    let (end, body) = ("-----END PRIVATE KEY-----", random(BASE64, 64, 1));
    for text in [
        format!("{}\n{body}\n{end}\n", &body[50..]),
        format!("{body}\\nqR7+xZ2k9Q==\\n{end}\\n\""),
        format!("{body}\nqR7+xZ2k9Q==\n=aB3d\n{end}"),
    ] {
        let (redacted, _) = redact_text(&text);
        assert!(!redacted.as_str().contains("qR7+"), "{redacted:?}");
        assert!(!redacted.as_str().contains(&body[52..60]), "{redacted:?}");
    }
    // Without any line of a key, the end title is only text.
    for text in [
        format!("keys end so:\n{end}\n"),
        format!("the\nend\n{end}\n"),
        format!("if line == \"{end}\" {{ return; }}\n"),
    ] {
        assert_eq!(redact_text(&text).0.as_str(), text);
    }
}

#[test]
fn the_private_lines_of_a_key_of_putty_vanish() {
    let line = random(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        64,
        7,
    );
    let mark = "[redacted:private-key]";
    for (body, want) in [
        (
            format!("{line}\n{line}\nqZ8=\n"),
            format!("{mark}\n{mark}\n{mark}\n"),
        ),
        (
            format!("{line}\r\n{line}\r\n"),
            format!("{mark}\r\n{mark}\r\n"),
        ),
        (format!("\\n{line}\\n"), format!("\\n{mark}\\n")),
    ] {
        let around = |body: &str| {
            let end = if body.starts_with('\\') { "" } else { "\n" };
            format!(
                "PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\nAAAAB3NzaC1yc2E\nPrivate-Lines: 2{end}{body}Private-MAC: 66\n"
            )
        };
        let (redacted, _) = redact_text(&around(&body));
        assert_eq!(redacted.as_str(), around(&want));
    }
    let cut = format!("Private-Lines: 9\n{line}\n{line}");
    assert!(!redact_text(&cut).0.as_str().contains(&line), "{cut}");
}

#[test]
fn a_long_key_vanishes_to_its_end() {
    let block = "PGP PRIVATE KEY BLOCK";
    for (lines, end, indent) in [
        (1_500, true, ""),
        (3_000, true, "    "),
        (1_500, false, ""),
        // The end title crosses the border of the first part read.
        (1_007, true, ""),
        (1_008, true, ""),
    ] {
        let mut text = format!("-----BEGIN {block}-----\nVersion: GnuPG v2\n\n");
        for line in 0..lines {
            text += &format!("{indent}{}\n", random(BASE64, 64, line));
        }
        if end {
            text += &format!("{indent}=AbC1\n{indent}-----END {block}-----\n");
        }
        text += "(what stands behind it)\n";
        let (redacted, findings) = redact_text(&text);
        assert_eq!(redacted.as_str().lines().count(), text.lines().count());
        assert_eq!(findings.len(), 1, "{lines} {end}");
        let plain: Vec<_> = redacted
            .as_str()
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.ends_with("[redacted:private-key]"))
            .collect();
        assert_eq!(plain, ["(what stands behind it)"], "{lines} {end}");
    }
}

#[test]
fn names_and_passwords_in_base64_vanish() {
    for text in [
        r#"{"auths": {"https://index.docker.io/v1/": {"auth": "YWRtaW46aHVudGVyMg=="}}}"#,
        r#"{\"auths\":{\"ghcr.io\":{\"auth\":\"YWRtaW46aHVudGVyMg==\"}}}"#,
        "  auth: YWRtaW46aHVudGVyMg==\n",
        "//registry.example.org/:_auth=YWRtaW46aHVudGVyMg==",
        r#""authorization": ["Basic YWRtaW46aHVudGVyMg=="]"#,
        "sent 'basic YWRtaW46aHVudGVyMg' to it",
    ] {
        let (redacted, _) = redact_text(text);
        assert!(!redacted.as_str().contains("YWRtaW46"), "{redacted}");
    }
    let config = "eyJhdXRocyI6eyJodHRwczovL2luZGV4LmRvY2tlci5pby92MS8iOnsiYXV0aCI6ImRYTmwifX19";
    for before in [
        ".dockerconfigjson: ",
        "\".dockerconfigjson\": \"",
        ".dockerconfigjson: >-\n    ",
    ] {
        let text = format!("data:\n  {before}{config}\n");
        assert!(
            !redact_text(&text).0.as_str().contains("eyJhdXRo"),
            "{text}"
        );
    }
    // None of these is a name with a password, not even the last one, which means "Hello World!".
    for text in [
        "basic authentication needs a name",
        "Basic functionality, basic understanding",
        "auth: authentication",
        "auth = \"https://login.example.org\"",
        r#""auth": "required""#,
        "Basic SGVsbG8gV29ybGQh",
    ] {
        assert_eq!(redact_text(text).0.as_str(), text);
    }
}

#[test]
fn passwords_of_curl_vanish() {
    for text in [
        "curl -u admin:hunter2 https://x",
        "curl -sSLu admin:hunter2 https://x",
        "curl -u admin:'hunter2' https://x",
        "curl -s --user admin:\"hunter2\" https://x",
        "curl --user=admin:hunter2 https://x",
        "curl -H 'Accept: a;b' -u admin:hunter2 https://x",
        "curl 'https://x?a=b|c' -u 'admin:hunter2'",
        "curl.exe -u admin:hunter2 https://x",
        "$CURL -u admin:hunter2 https://x",
        "\"${CURL}\" --user admin:hunter2 https://x",
        r#"["curl", "-u", "admin:hunter2", "https://x"]"#,
        "subprocess.run(['curl', '-s', '--user', 'admin:hunter2'])",
        "[\n  \"curl\",\n  \"-s\",\n  \"-u\",\n  \"admin:hunter2\",\n]",
    ] {
        let (redacted, _) = redact_text(text);
        assert!(!redacted.as_str().contains("hunter2"), "{redacted}");
    }
    // The password is in a variable, or the option belongs to another command.
    for text in [
        "curl -u $USER:$PASS https://x",
        "curl -u admin:\"$PASS\" https://x",
        "curl https://x; docker run -u 1000:1000 x",
        r#"["docker", "run", "-u", "node:node"]"#,
        "curl https://x | sort -u a:bcdef",
    ] {
        assert_eq!(redact_text(text).0.as_str(), text);
    }
}

/// Generates pieces of text to put next to each other.
fn piece() -> impl Strategy<Value = String> {
    let mut all: Vec<String> = tokens(5).into_iter().map(|(_, token)| token).collect();
    all.extend(samples().into_iter().map(|(_, text, _)| text));
    all.push(key_block("\n", ""));
    all.push(key_block("\r\n", "  "));
    all.push("-----BEGIN PRIVATE KEY-----\n".to_owned());
    prop_oneof![
        prop::sample::select(all),
        prop::sample::select(vec![
            "password = ",
            "token: ",
            "\"",
            "'",
            "\n",
            "\r\n",
            " ",
            "secret=",
            "://",
            "@",
            "é",
            "[redacted:",
            "[redacted:jwt]",
            "[redacted:assigned-secret]",
            "[redacted:[redacted:jwt]]",
            "Authorization: Bearer ",
            "api_key=\"",
            "=",
            ":",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9 ]{0,12}",
        "[é🔑\u{1}-\u{7f}]{0,12}",
        (500..520usize).prop_map(|length| random("aB3éü", length, length)),
    ]
}

/// Generates a mark, whole or cut, of a rule or of none, or inside another.
fn mark() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["jwt", "assigned-secret", "x", "", "no-such-rule"]);
    let whole = name.prop_map(|name| format!("[redacted:{name}]"));
    prop_oneof![
        (whole.clone(), 1..40usize).prop_map(|(mark, length)| mark.chars().take(length).collect()),
        (whole.clone(), whole.clone()).prop_map(|(one, other)| one + &other),
        (whole.clone(), whole).prop_map(|(one, other)| one.replacen(':', &format!(":{other}"), 1)),
    ]
}

#[test]
fn the_beginning_of_a_mark_hides_no_secret() {
    let token = format!("ghp_{}", random(ALNUM, 36, 3));
    let access = format!("AKIA{}", random(UPPER, 16, 3));
    let password = "hunter2-4711-zz";
    for (text, secret) in [
        (
            format!("log.replace(tok, \"[redacted:\"); export GITHUB={token}"),
            &token,
        ),
        (
            format!("# [redacted:x password = \"{password}\""),
            &password.to_owned(),
        ),
        (format!("\"[redacted:\" {access}"), &access),
        (format!("[redacted:jwt {token}"), &token),
        (format!("[redacted:no-such-rule {token}]"), &token),
        (format!("[redacted:{token}]"), &token),
        (format!("[redacted:[redacted:jwt]{token}]"), &token),
        (
            format!("password = \"[redacted:jwt]{password}\""),
            &password.to_owned(),
        ),
        (
            format!("token = \"[redacted:jwt]{}\"", &token[4..]),
            &token[4..].to_owned(),
        ),
    ] {
        let (redacted, findings) = redact_text(&text);
        assert!(!redacted.as_str().contains(secret), "{text}: {redacted}");
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
    }
    let shown = redact_field("password", &format!("[redacted:jwt]{password}"));
    assert!(!shown.as_str().contains(password), "{shown}");
}

#[test]
fn a_whole_mark_is_left_as_it_is() {
    for text in [
        "[redacted:jwt]",
        "password = \"[redacted:jwt]\"",
        "password = \"[redacted:assigned-secret]\"",
        "password: [redacted:assigned-secret]",
        "PASSWORD=[redacted:assigned-secret]",
        "https://user:[redacted:url-password]@example.org/",
        "Authorization: Bearer [redacted:authorization]",
        "mysql -u root -p[redacted:command-password]",
        "CREATE USER a IDENTIFIED BY '[redacted:sql-password]'",
        "[redacted:private-key]\n[redacted:private-key]\n",
        "[redacted:jwt][redacted:jwt]",
        "[redacted:assigned-secret]: \"[redacted:jwt]\"",
    ] {
        let (redacted, findings) = redact_text(text);
        assert_eq!((redacted.as_str(), findings), (text, Vec::new()));
    }
    let mark = "[redacted:jwt]";
    assert_eq!(redact_field("password", mark).as_str(), mark);
}

proptest! {
    #[test]
    fn redaction_keeps_lines_and_is_done_once(pieces in prop::collection::vec(piece(), 0..12)) {
        let text = pieces.concat();
        let (once, _) = redact_text(&text);
        prop_assert_eq!(once.as_str().matches('\n').count(), text.matches('\n').count());
        let (twice, findings) = redact_text(once.as_str());
        prop_assert_eq!(&twice, &once, "{:?}", findings);

        // Line by line, the text has to look the same as when it's redacted at once.
        let whole = WholeText::new(text.into_bytes());
        let lines = whole.lines();
        let shown = (1..=lines.count()).filter_map(|number| lines.line(whole.bytes(), number));
        let shown: Vec<_> = shown.map(|line| whole.shown(&line).redacted().to_string()).collect();
        let without_end = |line: &str| match line.strip_suffix('\n') {
            Some(line) => line.strip_suffix('\r').unwrap_or(line).to_owned(),
            None => line.to_owned(),
        };
        let plain: Vec<_> = once.as_str().split_inclusive('\n').map(without_end).collect();
        prop_assert_eq!(shown, plain);
    }

    #[test]
    fn no_planted_token_survives(
        at in 0..45usize, seed in 0..1000usize,
        before in "[ -~\n]{0,30}[ \"'=:(,\n]", after in "[ \"'),;\n][ -~\n]{0,30}",
    ) {
        let (_, token) = tokens(seed).swap_remove(at);
        let (redacted, _) = redact_text(&format!("{before}{token}{after}"));
        prop_assert!(!redacted.as_str().contains(&token), "{}", redacted);
    }

    #[test]
    fn no_planted_token_survives_beside_a_mark(
        at in 0..45usize, seed in 0..1000usize, mark in mark(),
        before in "[ -~\n]{0,8}", between in "([ -~\n]{0,16}[ \"'=:(,\n])?", after in "[ \"'),;\n][ -~\n]{0,30}",
    ) {
        let (_, token) = tokens(seed).swap_remove(at);
        // A mark with a letter or digit at its end would join the token's word.
        let between = if mark.ends_with(|c: char| c.is_alphanumeric()) { format!("{between} ") } else { between };
        let (redacted, _) = redact_text(&format!("{before}{mark}{between}{token}{after}"));
        prop_assert!(!redacted.as_str().contains(&token), "{}", redacted);
    }
}

#[test]
fn a_secret_in_a_text_of_a_json_value_is_noticed() {
    let password = random(ALNUM, 14, 3);
    let (netrc, tabs) = (
        format!("machine h login u password {password}"),
        format!("machine\th\tlogin\tu\tpassword\t{password}"),
    );
    let token = format!("ghp_{}", random(ALNUM, 36, 3));
    for text in [
        &netrc,
        &tabs,
        &format!("one\n{netrc}\n"),
        &format!("one\ntoken: {token}"),
        &format!("see {token}"),
        &format!("password: \u{1b}[1m{password}\u{1b}[0m"),
    ] {
        assert!(!redact_text(text).1.is_empty(), "{text}");
        let text = text.replace('\n', "\\n").replace('\t', "\\t");
        let text = text.replace('\u{1b}', "\\u001b");
        let json = format!(r#"{{"a":1,"output":["x","{text}"],"b":{{"c":"d"}}}}"#);
        assert!(json_has_secrets(&json), "{json}");
    }
    // Neighboring fields aren't a name and its value.
    let fields = format!(r#"{{"label":"login","list":["password"],"text":"{password}"}}"#);
    for json in [fields.as_str(), r#"{"file":"a.rs","line":3}"#, "[]"] {
        assert!(!json_has_secrets(json), "{json}");
    }
}

#[test]
fn macro_secret_is_told_from_its_name() {
    for (text, secret) in [
        ("#define WIFI_PASSWORD \"Tr0ub4dor!3\"", "Tr0ub4dor!3"),
        ("#define TIGERS_PASSWORD \"tigers77\"", "tigers77"),
    ] {
        let (shown, _) = redact_text(text);
        assert!(!shown.as_str().contains(secret), "{shown}");
    }
}

#[test]
fn secret_shown_by_a_mark_is_found_at_once() {
    let (token, long) = (
        format!("ghp_{}", random(ALNUM, 36, 3)),
        random(ALNUM, 240, 5),
    );
    let (words, value) = ("the words of ten lines of prose".repeat(2), &long[..27]);
    for text in [
        // An unclosed literal is judged by its beginning. A mark makes this beginning longer.
        format!("password = `x y z {token} {long}\nw `\n+\"user,password\"\n"),
        format!(
            "@@ -1 +1 @@\n password = `{words}\n {value}'\n+passwords: [\n-password: Sommer2024!\n+{words}\n-=\n+password = `- \n "
        ),
        // Lines after one outside the diff aren't part of it, even once that line is a mark.
        format!("@@ -1 +1 @@\n{token}\n-user,password\n+bob,x9y8z7w6\n+token: `\n"),
    ] {
        for more in 0..40 {
            let text = text.replacen("words", &"words ".repeat(more + 1), 1);
            let (once, _) = redact_text(&text);
            assert!(!once.as_str().contains(&token), "{once}");
            assert_eq!(redact_text(once.as_str()).0, once, "{text}");
        }
    }
}

#[test]
fn a_long_list_is_hidden_to_its_end() {
    let values: Vec<String> = (0..6000).map(|at| random(ALNUM, 12, at) + "9x").collect();
    let each = |before: &str, after: &str| {
        let lines = values.iter().map(|value| format!("{before}{value}{after}"));
        lines.collect::<String>()
    };
    for (text, after) in [
        (
            format!("passwords = [\n{}]\n", each("    \"", "\",\n")),
            "x = 1\n",
        ),
        (format!("passwords:\n{}", each("  - ", "\n")), "end: x\n"),
        (format!("PASSWORDS=({})\n", each("", " ")), "x=1\n"),
        (format!("DB_PASSWORDS={}x9\n", each("", ",")), "x=1\n"),
        (
            format!("passwords: {}x9y8z7w6v5\n", each("", ", ")),
            "end\n",
        ),
    ] {
        let (shown, _) = redact_text(&format!("{text}{after}"));
        let last = values.iter().find(|value| shown.as_str().contains(*value));
        assert_eq!(last, None, "{}", &text[..30]);
        assert!(shown.as_str().ends_with(after));
    }
}
