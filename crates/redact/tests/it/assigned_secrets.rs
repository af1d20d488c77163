//! Tests values that are secret because of their name, in every syntax with every name, and
//! real-world lines of the same look. The tables come first.

use proptest::prelude::*;
use windlass_redact::{json_has_secrets, redact_text};

use crate::syntaxes::{BRACKETED, PHRASES, PLACES, QUOTED, RANDOM, UNQUOTED, assert_none, fill};

/// Names as words, each spelled as usual in its syntax.
const NAMES: &[&str] = &[
    "db password",
    "mysql pwd",
    "passphrase",
    "client secret",
    "secret access key",
    "private key",
    "webhook secret",
    "signing key",
    "encryption key",
    "cookie secret",
    "secret key base",
    "user password confirmation",
];

/// Names whose value is only a secret if it looks random.
const TOKENS: &[&str] = &[
    "auth token",
    "access key",
    "api key",
    "api token prod",
    "github token 2",
    "storage account key",
];

/// Spellings of names.
const SPELLINGS: &[fn(&str) -> String] = &[snake, screaming, kebab, camel, pascal, dotted];

fn snake(words: &str) -> String {
    words.replace(' ', "_")
}

fn screaming(words: &str) -> String {
    snake(words).to_uppercase()
}

fn kebab(words: &str) -> String {
    words.replace(' ', "-")
}

fn dotted(words: &str) -> String {
    words.replace(' ', ".")
}

fn pascal(words: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    words.split(' ').map(capital).collect()
}

fn camel(words: &str) -> String {
    let name = pascal(words);
    name[..1].to_lowercase() + &name[1..]
}

/// Lines of real code, configuration and prose, without any secrets.
const HARMLESS: &str = include_str!("harmless_lines.txt");

/// Describes the problem with the redaction of `text`, if any.
///
/// Four consecutive characters of `value` may only be left if they're also in `around`, the same
/// text without the value.
fn trace(text: &str, value: &str, around: &str) -> Option<String> {
    let (once, _) = redact_text(text);
    let left: Vec<char> = value.chars().collect();
    let piece = left
        .windows(4)
        .map(|piece| piece.iter().collect::<String>())
        .find(|piece| once.as_str().contains(piece.as_str()) && !around.contains(piece.as_str()));
    if let Some(piece) = piece {
        return Some(format!(
            "`{piece}` is left: {text:?} -> {:?}",
            once.as_str()
        ));
    }
    let (twice, _) = redact_text(once.as_str());
    (twice != once).then(|| {
        format!(
            "not idempotent: {text:?} -> {:?} -> {:?}",
            once.as_str(),
            twice.as_str()
        )
    })
}

fn traces<'a>(syntaxes: &[&str], names: &[&str], values: &'a [&'a str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for syntax in syntaxes {
        for spell in SPELLINGS {
            for words in names {
                for value in values {
                    let name = spell(words);
                    // In single quotes, an apostrophe would end the value.
                    let value = if syntax.contains('\'') {
                        value.replace('\'', "")
                    } else {
                        (*value).to_owned()
                    };
                    wrong.extend(trace(
                        &fill(syntax, &name, &value),
                        &value,
                        &fill(syntax, &name, ""),
                    ));
                }
            }
        }
    }
    wrong
}

#[test]
fn quoted_values_vanish_whatever_is_in_them() {
    assert_none(&traces(QUOTED, NAMES, PHRASES));
    assert_none(&traces(QUOTED, TOKENS, &[RANDOM]));
    assert_none(&traces(BRACKETED, NAMES, &[RANDOM]));
    assert_none(&traces(BRACKETED, TOKENS, &[RANDOM]));
}

#[test]
fn unquoted_values_vanish() {
    assert_none(&traces(UNQUOTED, NAMES, &[RANDOM]));
    assert_none(&traces(UNQUOTED, TOKENS, &[RANDOM]));
}

#[test]
fn values_vanish_where_they_have_no_name() {
    let wrong: Vec<_> = PLACES
        .iter()
        .filter_map(|place| trace(&fill(place, "", RANDOM), RANDOM, ""))
        .collect();
    assert_none(&wrong);
}

#[test]
fn what_is_coloured_is_found_as_what_is_not() {
    for line in [
        "password: \u{1b}[32mhunter2xyz\u{1b}[0m",
        "password=\u{1b}[32mhunter2xyz\u{1b}[0m",
        "password := `echo s3cr3tV4lue && echo $PW`",
    ] {
        let (redacted, findings) = redact_text(line);
        assert_eq!(findings.len(), 1, "{line:?}: {}", redacted.as_str());
    }
}

#[test]
fn escapes_in_name_or_value_hide_no_secret() {
    for (line, want) in [
        (
            "{\n  \u{1b}[0m\u{1b}[34;1m\"password\"\u{1b}[0m\u{1b}[1;39m:\u{1b}[0m \u{1b}[0;32m\"zQ8kd92hfLw1\"\u{1b}[0m\n}",
            "{\n  \u{1b}[0m\u{1b}[34;1m\"password\"\u{1b}[0m\u{1b}[1;39m:\u{1b}[0m \u{1b}[0;32m\"[redacted:assigned-secret]\"\u{1b}[0m\n}",
        ),
        (
            "\u{1b}[31mpassword\u{1b}[0m: \u{1b}[1mzQ8kd92hfLw1\u{1b}[0m\n",
            "\u{1b}[31mpassword\u{1b}[0m: \u{1b}[1m[redacted:assigned-secret]\u{1b}[0m\n",
        ),
        (
            "db_\u{1b}[01;31m\u{1b}[Kpassword\u{1b}[m\u{1b}[K=zQ8kd92hfLw1\n",
            "db_\u{1b}[01;31m\u{1b}[Kpassword\u{1b}[m\u{1b}[K=[redacted:assigned-secret]\n",
        ),
        (
            "password=zQ8\u{1b}[1mkd92\u{1b}[0mhfLw1\n",
            "password=[redacted:assigned-secret]\n",
        ),
        (
            "\u{1b}]8;;https://a:zQ8kd92hfLw1@b/\u{1b}\\b\u{1b}]8;;\u{1b}\\\n",
            "\u{1b}]8;;https://a:[redacted:url-password]@b/\u{1b}\\b\u{1b}]8;;\u{1b}\\\n",
        ),
        (
            "\u{1b}[31merror\u{1b}[0m: no password\n",
            "\u{1b}[31merror\u{1b}[0m: no password\n",
        ),
    ] {
        let (redacted, _) = redact_text(line);
        assert_eq!(redacted.as_str(), want);
        assert!(redact_text(want).1.is_empty(), "{want:?}");
    }
}

#[test]
fn a_sentence_tells_a_password_without_a_verb() {
    let mark = "[redacted:assigned-secret]";
    for sentence in [
        "login bob password X",
        "log in as admin with password X",
        "pw is X",
        "passphrase \"X\"",
        "password (staging): X",
        "password (for staging) is X",
        "password -> X",
        "the password, X, is for staging",
    ] {
        let (redacted, _) = redact_text(&sentence.replace('X', "zQ8kd92hfLw1"));
        assert_eq!(redacted.as_str(), sentence.replace('X', mark));
    }
    // Here, the words after the name are algorithms, constants or code.
    for sentence in [
        "a password sha256crypt makes",
        "hash the password, pbkdf2, and salt",
        "the password PasswordV2 asks for",
        "user, password, Scram-SHA-256, md5",
        "password (see Rfc2898) is hashed",
        "const SET_PW: u32 = 1091596512;",
        "$ENV{'PWD'} = \"$2$3x\";",
        "    --- PASS: TestHTTP2Server (0.00s)",
        "`openssl rsa -passin pass:…` and `7z x -p…`, `-passout pass:$PW`, `7z x -p a.7z`",
        "return self.token ?? 'HTTP 401: log in again'",
        "fn password -> Option2<String9>",
    ] {
        assert_eq!(redact_text(sentence).0.as_str(), sentence);
    }
}

#[test]
fn default_behind_a_name_is_secret() {
    for (text, secret) in [
        ("x = config.password || \"hunter2\";", "hunter2"),
        (
            "pool({pw: opts.password ?? \"Winter2024!\"})",
            "Winter2024!",
        ),
        ("x = db_password || \"my-db-pass-1\"", "my-db-pass-1"),
        (
            "x = process.env.dbPassword || \"Winter2024!\"",
            "Winter2024!",
        ),
        (
            "sign(x, options.jwtSecret ?? \"S3cr3t!Key#9\")",
            "S3cr3t!Key#9",
        ),
        ("x = config.apiKey || \"zQ8kd92hfLwa\"", "zQ8kd92hfLwa"),
        ("x = settings.db.pass or \"Winter2024!\"", "Winter2024!"),
        ("x = password || \"Tr0ub4dor&3 xyz\"", "Tr0ub4dor&3 xyz"),
        ("SET_PASSWORD = \"Tr0ub4dor&3 xyz\"", "Tr0ub4dor&3 xyz"),
    ] {
        let want = text.replace(secret, "[redacted:assigned-secret]");
        assert_eq!(redact_text(text).0.as_str(), want);
    }
}

#[test]
fn expression_gives_its_secrets() {
    let x = "zQ8kd92hfLw1";
    let mark = "[redacted:assigned-secret]";
    for text in [
        "password = live ? 'X' : test ? 'X' : ask()",
        "password = get('DB', 'X') or 'X'",
        "password = config('DB', default='X')",
        "PASSWORDS = ['', 'X', 'X']",
        "passwords = {'bob': 'X', 'alice': 'X'}",
        "password = 'a1b' || 'X'",
        "password = os.environ.get('Y2k') or 'X'  # not 'Y2k'",
    ] {
        let (redacted, _) = redact_text(&text.replace("'X'", &format!("'{x}'")));
        let want = text.replace("'X'", &format!("'{mark}'"));
        assert_eq!(redacted.as_str(), want);
        assert!(redact_text(&want).1.is_empty(), "{want}");
    }
}

#[test]
fn command_and_config_values_are_hidden() {
    let mark = |rule: &str| format!("[redacted:{rule}]");
    for (text, rule) in [
        (
            "$password = ConvertTo-SecureString \"X\" -AsPlainText -Force",
            "secure-string",
        ),
        (
            "$password = ConvertTo-SecureString -String 'X' -AsPlainText",
            "secure-string",
        ),
        (
            "ConvertTo-SecureString -AsPlainText -Force \"X\"",
            "secure-string",
        ),
        (
            "ConvertTo-SecureString X -AsPlainText -Force",
            "secure-string",
        ),
        (
            "(convertto-securestring \\\"X\\\" -asplaintext)",
            "secure-string",
        ),
        ("new NetworkCredential(\"bob\", \"X\")", "login-password"),
        (
            "new UsernamePasswordCredentials(user, \"X\");",
            "login-password",
        ),
        ("auth=HTTPBasicAuth('bob', 'X')", "login-password"),
        (".basic_auth(\"bob\", Some(\"X\"))", "login-password"),
        ("sqlcmd -S db -U sa -P X -Q 'select 1'", "command-password"),
        ("unzip -o -P 'X' a.zip", "command-password"),
        ("ldapsearch -x -D cn=admin -w X -b dc=x", "command-password"),
        (
            "keytool -importkeystore -storepass X -noprompt",
            "assigned-secret",
        ),
        ("[\"keytool\", \"-keypass\", \"X\"]", "assigned-secret"),
        ("plink -pw X bob@host", "assigned-secret"),
        ("requirepass X", "assigned-secret"),
        ("# masterauth \"X\"", "assigned-secret"),
        ("redis-cli config set requirepass X", "assigned-secret"),
        ("redis-server --requirepass X", "assigned-secret"),
        ("bindpw X", "assigned-secret"),
        ("credentials: bob / X", "assigned-secret"),
    ] {
        let (redacted, _) = redact_text(&text.replace('X', "zQ8kd92hfLw1"));
        assert_eq!(redacted.as_str(), text.replace('X', &mark(rule)));
    }
}

/// In these lists and tables, `X` is a secret and `Y` isn't.
#[test]
fn all_of_a_list_vanishes_and_nothing_else() {
    let mark = "[redacted:assigned-secret]";
    let long = "\"X\", ".repeat(3000);
    for text in [
        "PASSWORDS = [\n  \"X\",  # it's old\n  \"too short\", \"admin\",\n  // \"Y\"\n  \"X\",\n]\nx = \"Y\"\n",
        "passwords = [(\"bob\", \"X\"), (\"eve\", 2, \"X\")]\n",
        "passwords = [{\"user\": \"bob\", \"is\": \"X\"}]\n",
        "passwords = {\n  bob = \"X\"\n  eve = \"X\"\n}\n",
        "PASSWORDS=(\"X\" X\n  'X')\n",
        "my @passwords = qw(X\n X);\nmy $x = Y;\n",
        "PASSWORDS_PROD = %w[X X]\nx = Y\n",
        "passwords: [X, X] # Y\n",
        "passwords: { bob: X, Y: 1 }\n"
            .replace("X-1: Y", "Y: 1")
            .as_str(),
        "var passwords = []string{\"X\", \"X\"}\n",
        "String[] passwords = new String[] {\n  \"X\"};\n",
        "let passwords = vec![\"X\".to_string(), String::from(\"X\")];\n",
        "static PASSWORDS: &[&str] = &[\n    \"X\",\n];\n",
        "PASSWORDS: list[str] = [\n    \"X\",\n]\n",
        "var passwords = List.of(\"X\", \"X\");\n",
        "passwords = load(\"Y\")\n",
        "passwords = names[\"Y\"]\n",
        "for x in passwords:\n    y: str = Y\n",
        "passwords:\n  prod:\n    bob: X\n  test: X\n",
        "passwords:\n  id: Y\n  bob: X\n  created_at: Y\n",
        "imagePullSecrets:\n  - name: Y\n",
        "{\"secrets\": [{\"id\": \"Y\", \"of\": \"X\", \"version\": \"Y\"}]}\n",
        "private_keys = [\"~/.ssh/Y\", \"X\"]\n",
        "passwords = [\"swordfish\", \"X\"]\n",
        "SECRETS=X,X\nx=Y\n",
        "SECRETS=\"X, X\"\nx=Y\n",
        "export DB_PASSWORDS='X;X' Z=1\n",
        "ENV DB_SECRETS=\"X\" A=Y\n",
        "docker run -e PASSWORDS=\"X,true,X\" Y\n",
        "SECRETS=\"Y,Y\n",
        "f(passwords=\"Y,Y\")\n",
        "# passwords: `X` and **X** # Y\n",
        "- API keys: \"X\"; 'X'\n",
        "Passwords: X, X\nx: Y\n",
        "passwords: [redacted:assigned-secret], X\n",
        "passwords: X # Y\n",
        "passwords: Y, as was said\n",
        "my passwords: Y, Y\n",
        "@@ -1 +1,4 @@\n+PASSWORDS = [\n+    \"X\",\n-    \"X\",\n+]\n x = \"Y\"\n",
        "@@ -1 +1,4 @@\n+passwords:\n+  - X\n+  bob: X\n+y: Y\n",
        "passwords:\n- X\n- X # why\n\n- \"X\"\nnext: Y\n- Y\n",
        "a:\n  passwords:\n    # why\n    - X\n    bob: X\n  y: Y\n",
        "the passwords:\nY: Y\n",
        "passwords:\nY: Y\n",
        format!("PASSWORDS = [{long}]\n").as_str(),
        format!("passwords = [\"{}\", \"X\"]\n", "ab ".repeat(200)).as_str(),
    ] {
        let fill = |x: &str| text.replace('X', x).replace('Y', "pQ7x41mzRt5");
        let (redacted, _) = redact_text(&fill("zQ8kd92hfLw1"));
        assert_eq!(redacted.as_str(), fill(mark));
        assert!(redact_text(&fill(mark)).1.is_empty(), "{text}");
    }
}

#[test]
fn table_columns_of_secrets_vanish() {
    let mark = "[redacted:assigned-secret]";
    let long = "eve,X,1\n".repeat(20_000);
    for text in [
        "user,password,x\nbob,X,Y\n\"eve, too\",\"X\",\"Y\"\n",
        format!("name,Password,x\n{long}").as_str(),
        // The table ends at a line with fewer or more columns, or none.
        "a\n\nuser, password\nbob, X\neve\nada, Y\n",
        "a\n\nuser;password\nbob;X\nada;Y;Y\n",
        "a\n\nuser;password\nbob;X\n\nada;Y\n",
        "a\n\nuser;password\nbob;password\neve;X\n",
        "| user | password |\n| :-- | --- |\n| bob | X |\n| Y | `z` |\n",
        "+----+----+\n| user | password |\n+====+====+\n| bob | X |\n+----+----+\n| eve | X |\n+----+----+\n",
        "\u{feff}user,password\nbob,X\n",
        "\u{feff}password,user\nX,bob\n",
        ",user,password\n0,bob,X\n",
        "a\n\n| **user** | **password** |\n|---|---|\n| bob | **X** |\n| eve | `X` |\n",
        "SELECT id, password\nFROM users, Y\n",
        "from x import user, password\nfrom y import site, Y\n",
        "key,password\nhint,At least 8 characters\n",
        // A column of words contains words in every row, and code isn't divided into columns.
        "f(\n    user, password,\n    Y, Y,\n)\n",
        "a\n\nuser, password\nhost, port_number\n",
        "user,password\nbob,\neve,true\nada,password\n",
    ] {
        let fill = |x: &str| text.replace('X', x).replace('Y', "pQ7x41mzRt5");
        let (redacted, _) = redact_text(&fill("zQ8kd92hfLw1"));
        assert_eq!(redacted.as_str(), fill(mark));
        assert!(redact_text(&fill(mark)).1.is_empty(), "{text}");
    }
}

#[test]
fn what_is_said_and_done_about_secrets_stays() {
    for text in [
        "class Password:\n    \"\"\"A password that a user typed.\n\n    It is hashed with 12 rounds of bcrypt2 (see RFC-2898).\n    \"\"\"\n",
        "class Secret:\n    \"\"\"Keeps the values that 3 services share; see section 4.2.\"\"\"\n",
        "try:\n    x()\nexcept auth.BadPassword:\n    \"\"\"Tell it 3 times.\"\"\"\n",
        "if password:\n    'a1b2 c3'\n",
    ] {
        assert_eq!(redact_text(text).0.as_str(), text);
    }
    // In nearly the same syntax, a value vanishes.
    for text in [
        "class Password:\n    default_password = \"zQ8k d92\"\n",
        "SET_PASSWORD = \"zQ8kd92hfLw1\"\n",
        "password:\n  \"zQ8k d92\"\n",
        "{\n  password:\n    \"\"\"zQ8k d92\"\"\"\n}\n",
    ] {
        assert!(!redact_text(text).0.as_str().contains("d92"), "{text}");
    }
}

#[test]
fn rows_of_sql_hide_what_their_columns_name() {
    let hidden = "[redacted:assigned-secret]";
    for text in [
        "INSERT INTO users (name, password) VALUES ('bob', 'X');",
        "insert into `app`.`users` (`id`, `password`, `note`)\nvalues\n  (1, 'X', 'it''s; (old)'),\n  -- the second\n  (2, N'X', NULL);\n",
        "INSERT INTO users (\n    password,\n    name\n) VALUES (crypt('X', gen_salt('bf')), 'bob')",
        "db.run(\"INSERT INTO users (name, password) VALUES ('bob', 'X')\")",
        "insert into users (password) values ('X\nlet a1 = b[2] + c{3};\n",
        "COPY public.users (id, api_token, name) FROM stdin;\n1\tX\tbob\n2\t\\N\teve\n3\tX\tzoe\n\\.\nSELECT 1;\n",
    ] {
        let (redacted, _) = redact_text(&text.replace('X', "zQ8kd92hfLw1"));
        assert_eq!(redacted.as_str(), text.replace('X', hidden));
    }
    // Placeholders, a value of another column, and lines that only look like SQL.
    for text in [
        "INSERT INTO users (name, password) VALUES (?, ?), (:name, :password), ('bob', '<password>')",
        "INSERT INTO users (name, password) VALUES ('zQ8kd92hfLw1', NULL)",
        "login(name, password); values ('bob', 'zQ8kd92hfLw1')",
        "COPY users (password, name) FROM stdin;\nlet a1 = b[2] + c{3};\nzQ8kd92hfLw1\n",
    ] {
        assert_eq!(redact_text(text).0.as_str(), text);
    }
}

#[test]
fn harmless_lines_stay_as_they_are() {
    let wrong: Vec<_> = HARMLESS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("## "))
        .filter_map(|line| {
            let (redacted, _) = redact_text(line);
            (redacted.as_str() != line).then(|| format!("{line}\n    {redacted}"))
        })
        .collect();
    assert_none(&wrong);
    let (whole, findings) = redact_text(HARMLESS);
    assert_eq!(whole.as_str(), HARMLESS, "{findings:?}");
}

#[test]
fn angle_brackets_without_end_open_no_element() {
    let lines = "    let part = whole.part_of(number, 4) and a bit more of the line;\n".repeat(8);
    for head in [
        "fn all(&self) -> Vec<Secret> {",
        "async load(): Promise<Secret> {",
        "Delete it with `kubectl delete secret <secret>` and wait.",
        "P = '/secrets/(?P<secret>[a-zA-Z0-9-_]+)'",
        "fn key() -> Option<PrivateKey> {",
    ] {
        for end in ["", "let a: Vec<u8> = b;\n"] {
            let text = format!("{head}\n{lines}{end}");
            let (redacted, _) = redact_text(&text);
            assert_eq!(redacted.as_str(), text);
        }
    }
    let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(8);
    let words = "c0rrect h0rse b4ttery $taple\n".repeat(12);
    for (text, end) in [(&key, "</secret>"), (&words, "</secret>")] {
        let (redacted, _) = redact_text(&format!("<secret>{text}{end}"));
        assert!(!redacted.as_str().contains(&text[..20]), "{redacted:?}");
    }
    // Words of a language aren't secrets, wherever they end.
    let prose = format!("<secret>{lines}</secret>");
    assert_eq!(redact_text(&prose).0.as_str(), prose);
}

#[test]
fn multiline_values_vanish_alone() {
    for (text, want) in [
        (
            "a: 1\npassword: |\n  c0rrect h0rse\n\n  b4ttery staple\nb: 2\n",
            "a: 1\npassword: |\n  [redacted:assigned-secret]\n\n[redacted:assigned-secret]\nb: 2\n",
        ),
        (
            "  secret_key: >2-  # why\n      x9K2m4Q7p1\n    l8Z3v5T6w0\n  b: 2\n",
            "  secret_key: >2-  # why\n      [redacted:assigned-secret]\n[redacted:assigned-secret]\n  b: 2\n",
        ),
        (
            "password = \"\"\"\nc0rrect \"h0rse\"\nb4ttery\"\"\"\nb = 2\n",
            "password = \"\"\"\n[redacted:assigned-secret]\n[redacted:assigned-secret]\"\"\"\nb = 2\n",
        ),
        (
            "password = 'it''s h3re'; x",
            "password = '[redacted:assigned-secret]'; x",
        ),
        (
            r#"{"password":"a\"b c\\","x":1}"#,
            r#"{"password":"[redacted:assigned-secret]","x":1}"#,
        ),
        (
            r#""{\"password\":\"a\\\"b c\",\"x\":1}""#,
            r#""{\"password\":\"[redacted:assigned-secret]\",\"x\":1}""#,
        ),
    ] {
        let (redacted, _) = redact_text(text);
        assert_eq!(redacted.as_str(), want);
    }
}

/// Passwords in notes, as the text around the value and the value to hide.
const WRITTEN_DOWN: &[(&str, &str)] = &[
    (
        "private_key = \"VALUE\"",
        "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
    ),
    ("DB_PASS=VALUE", "Winter2024!"),
    ("DB_PASS=VALUE", "Winter2024"),
    ("pass: VALUE", "Winter2024!"),
    ("smtp_pass = 'VALUE'", "sunflower"),
    ("SMTP_PASS: \"VALUE\"", "Winter2024!"),
    ("user: me\npassword: VALUE # why\nport: 1", "zebracorn"),
    ("database_password: VALUE", "zebracorn"),
    ("passphrase: \"VALUE\"", "my secret phrase"),
    ("password=VALUE", "87654321"),
    ("password: VALUE", "87654321"),
    ("const password = 'VALUE'", "tickpass1234"),
    ("root:VALUE@tcp(127.0.0.1:3306)/x", "s3cretpw"),
    (
        "sql.Open(\"mysql\", \"app:VALUE@unix(/run/x.sock)/x\")",
        "s3cr:t@pw",
    ),
    ("jdbc:oracle:thin:scott/VALUE@//h", "tiger12"),
    ("config.setPassword(\"VALUE\");", "hunter22xyz"),
    ("builder.password(\"VALUE\")", "hunter22xyz"),
    ("x\n    .with_password(\"VALUE\", 1)", "hunter22xyz"),
];

#[test]
fn values_that_people_chose_vanish() {
    let wrong: Vec<_> = WRITTEN_DOWN
        .iter()
        .filter_map(|(place, value)| {
            // A word of the mark may also be in the value.
            let around = fill(place, "", "[redacted:assigned-secret]");
            trace(&fill(place, "", value), value, &around)
        })
        .collect();
    assert_none(&wrong);
}

#[test]
fn the_line_around_a_value_stays() {
    for (text, want) in [
        (
            "PGPASSWORD=hunter2 psql -h db\n",
            "PGPASSWORD=[redacted:assigned-secret] psql -h db\n",
        ),
        (
            "password=hunter2 user=me\n",
            "password=[redacted:assigned-secret] user=me\n",
        ),
        // By the lines around it, the value is the name of a variable.
        (
            "open({\n  user: me,\n  password: zebracorn\n})\n",
            "open({\n  user: me,\n  password: zebracorn\n})\n",
        ),
    ] {
        assert_eq!(redact_text(text).0.as_str(), want);
        let json = format!("{{\"a\":[\"{}\"]}}", text.replace('\n', "\\n"));
        assert_eq!(json_has_secrets(&json), text != want, "{json}");
    }
    // Without the lines around it, the same entry is a secret.
    assert!(json_has_secrets(r#"{"a":["password: zebracorn"]}"#));
}

#[test]
fn machine_list_and_pair_hide_plain_words() {
    for (text, want) in [
        (
            "machine h login me password swordfish account x\n",
            "machine h login me password [redacted:assigned-secret] account x\n",
        ),
        (
            "- name: A_PASSWORD\n- name: USER\n  value: swordfish\n",
            "- name: A_PASSWORD\n- name: USER\n  value: swordfish\n",
        ),
        (
            r#"[{"name":"password"},{"name":"user","value":"swordfish"}]"#,
            r#"[{"name":"password"},{"name":"user","value":"swordfish"}]"#,
        ),
        (
            "- password: |\n    hunter2\n  user: me\n",
            "- password: |\n    [redacted:assigned-secret]\n  user: me\n",
        ),
        (
            "password:\nzQ8kd92hfLw1\nsecret:\n  type: x1y2z3w4\ntoken:\n  oauth2_client_v2\n",
            "password:\nzQ8kd92hfLw1\nsecret:\n  type: x1y2z3w4\ntoken:\n  oauth2_client_v2\n",
        ),
        (
            "The password is hunter2. Tell nobody.",
            "The password is [redacted:assigned-secret]. Tell nobody.",
        ),
    ] {
        let (redacted, _) = redact_text(text);
        assert_eq!(redacted.as_str(), want);
    }
}

proptest! {
    #[test]
    fn a_random_password_vanishes_from_every_syntax(
        syntax in prop::sample::select(QUOTED),
        spell in prop::sample::select(SPELLINGS),
        words in prop::sample::select(NAMES),
        value in "[a-z]{2}[0-9][a-zA-Z0-9 @#^&*()+=,;:|~!?/.\\[\\]-]{5,60}[0-9][A-Z]",
    ) {
        let name = spell(words);
        let text = fill(syntax, &name, &value);
        prop_assert_eq!(trace(&text, &value, &fill(syntax, &name, "")), None);
    }

    #[test]
    fn a_random_token_vanishes_from_every_syntax(
        syntax in prop::sample::select([QUOTED, UNQUOTED].concat()),
        spell in prop::sample::select(SPELLINGS),
        words in prop::sample::select([NAMES, TOKENS].concat()),
        value in "[a-z]{2}[0-9][A-Z][a-zA-Z0-9_-]{12,60}[0-9]{2}[A-Z][a-z]",
    ) {
        let name = spell(words);
        let text = fill(syntax, &name, &value);
        prop_assert_eq!(trace(&text, &value, &fill(syntax, &name, "")), None);
    }
}

/// Values that look like the names of variables, in places where no variable can be.
///
/// Each is given as the text around the value and the value.
const WORDS: &[(&str, &str)] = &[
    ("export DB_PASSWORD=VALUE", "s3cr3t_pw!"),
    ("DB_PASSWORD=VALUE", "pa55word_prod"),
    ("export PASSWORD=VALUE", "correct_horse_battery"),
    ("export db_password=VALUE", "correct_horse_battery"),
    ("A=1 B=2 DB_PASSWORD=VALUE", "correct_horse_battery"),
    ("ENV A=1 DB_PASSWORD=VALUE", "correct_horse"),
    ("ENV DB_PASSWORD VALUE", "correct_horse"),
    ("Environment=\"DB_PASSWORD=VALUE\"", "correct_horse"),
    ("docker run -e DB_PASSWORD=VALUE x", "correct_horse"),
    ("tool --db-password=VALUE", "correct_horse"),
    ("SECRET_KEY=VALUE", "correct_horse_battery"),
    ("MYSQL_ROOT_PASSWORD: VALUE", "s3cr3t_root_pw"),
    ("    REDIS_PASSWORD: VALUE # why\n    A: b", "redis_prod_pw"),
    ("  - 'DB_PASSWORD=VALUE'", "correct_horse"),
    ("  - \"DB_PASSWORD=VALUE\"", "correct_horse"),
    ("[\"PATH=/bin\", \"DB_PASSWORD=VALUE\"]", "correct_horse"),
    ("- name: DB_PASSWORD\n  value: VALUE\n", "correct_horse"),
    ("spring.datasource.password=VALUE", "s3cr3t_root_pw"),
    ("spring.datasource.password: VALUE", "redis_prod_pw"),
    ("db_password = VALUE", "s3cr3t_root_pw"),
    ("client_secret: VALUE", "s3cr3t-val-77"),
    ("password: VALUE\nuser: me", "s3cr3t_pw"),
    (
        "<entry key=\"password\" kind='x'>VALUE</entry>",
        "s3cr3t-value",
    ),
    ("<entry key='password'>VALUE</entry>", "s3cr3t-value"),
];

#[test]
fn words_vanish_where_no_variable_can_be() {
    let wrong: Vec<_> = WORDS
        .iter()
        .filter_map(|(place, value)| {
            let around = fill(place, "", "[redacted:assigned-secret]");
            trace(&fill(place, "", value), value, &around)
        })
        .collect();
    assert_none(&wrong);
}

#[test]
fn generated_value_vanishes_under_any_key() {
    let value = "9f86d081884c7d659a2feaa0c55ad015";
    let places = [
        "NAME=\"VALUE\"\n",
        "NAME = VALUE\n",
        "NAME: 'VALUE'\n",
        "export NAME=VALUE\n",
        "{\"NAME\": \"VALUE\"}\n",
        "define('NAME', 'VALUE');\n",
        "https://example.org/x?NAME=VALUE&a=b\n",
        "| NAME | VALUE |\n",
        "- name: NAME\n  value: VALUE\n",
    ];
    let names = "OPENWEATHER_KEY SENDGRID_KEY SERVICE_ROLE_KEY azure_search_key consumer_key STREAM_KEY sessionid \
        session_id sendgridKey streamkey ROUND_7_KEY AUTH_SALT db_creds KEY_SENDGRID TOKEN_EU secretBackup";
    for name in names.split(' ') {
        for place in places {
            let text = place.replace("NAME", name).replace("VALUE", value);
            let want = place
                .replace("NAME", name)
                .replace("VALUE", "[redacted:assigned-secret]");
            assert_eq!(redact_text(&text).0.as_str(), want, "{text}");
        }
    }
    // The first four keys don't name secrets, and the other values weren't generated.
    for (name, value) in [
        ("public_key", value),
        ("cache_key", value),
        ("token_hash", value),
        ("key_id", value),
        ("SENDGRID_KEY", "your-sendgrid-key-goes-here-1"),
        ("SENDGRID_KEY", "config.sendgrid.key2.value"),
        ("SENDGRID_KEY", "0123456789abcdef0123456789abcdef"),
        ("sort_key", "AtomicU32ProgressTokenProvider"),
        ("toolskey", "VS%0.f0COMNTOOLS-long-name"),
        (
            "path-key",
            "sha512-ojmeN0qd+y0jszEtoY48r0Peq5dwMEkIlCOu6Q5f41lfkswXuKtYrhgoTpLn",
        ),
        ("KEY_FORMAT", "2024-01-01T00:00:00Z"),
        ("hotkey", "ctrl+shift+alt+f12"),
    ] {
        let text = format!("{name} = \"{value}\"\n");
        assert_eq!(redact_text(&text).0.as_str(), text);
    }
}

#[test]
fn value_found_once_vanishes_wherever_it_occurs() {
    let mark = "[redacted:assigned-secret]";
    for (value, is_telling) in [
        ("Zq81-xk29-Tr0ub4dor", true),
        ("Sommer2024!", true),
        ("9f86d081884c7d659a2feaa0c55ad015", true),
        ("swordfish", false),
        ("hunter22", false),
    ] {
        let text = |password: &str, other: &str| {
            format!(
                "connect(\"db\", \"{other}\")\n# {other}, x{other}y\npassword = \"{password}\"\nurl(f\"?{other}\")\n"
            )
        };
        // A value that could also be an ordinary word is only hidden where it's assigned.
        let other = if is_telling { mark } else { value };
        let (shown, found) = redact_text(&text(value, value));
        assert_eq!(shown.as_str(), text(mark, other));
        assert_eq!(found.len(), if is_telling { 5 } else { 1 });
        assert_eq!(redact_text(shown.as_str()).0, shown);
    }
}

#[test]
fn password_hash_vanishes_anywhere() {
    let sha =
        "Zu0m4Kx9pQwErTyUiOpAsDfGhJkLzXcVbNm0123456789abcdefghijABCDEFGHIJ./klmnopqrstuvwxyzQ";
    let bcrypt = "KIXQ4z9n3v7m1p5r8t2uOeYw6s0a4d8f2g6h0j4k8l2z6x0c4v8b2";
    let short = "vJCsgt3ubb4dWRWJTmaaQ.";
    for (text, hash) in [
        ("root:$6$Rz4Kq1pW$HASH:19000:0:99999:7:::\n", sha),
        ("x = '$6$rounds=5000$saltstring12$HASH'\n", sha),
        ("hash: $2b$12$HASH\n", bcrypt),
        ("BASIC=admin:$$2y$$05$$HASH\n", bcrypt),
        (
            "\"$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHRzYWx0$HASH\"\n",
            sha,
        ),
        ("echo \\$6\\$Rz4Kq1pW\\$HASH\n", sha),
        ("bob:$apr1$Kq1pWRz4$HASH\n", short),
        ("$y$j9T$Kq1pWRz4Kq1pWRz4$HASH\n", sha),
        ("'pbkdf2_sha256$600000$Kq1pWRz4Kq1p$HASH'\n", sha),
        ("userPassword: {SSHA}HASH\n", short),
    ] {
        let want = text.replace("HASH", "[redacted:password-hash]");
        assert_eq!(redact_text(&text.replace("HASH", hash)).0.as_str(), want);
    }
    for text in [
        "$1$first_name_of_all$second_name_of_all\n",
        "awk '{print $1$2$3$4$5$6}' the_file_with_the_long_name\n",
        "_ZN38_$LT$core..option..Option$LT$T$GT$$GT$6unwrap18_MSG_FILE_LINE_COL17haf7cb8d5824ee659E\n",
        "{sha256} of the file\n",
    ] {
        assert_eq!(redact_text(text).0.as_str(), text);
    }
}
