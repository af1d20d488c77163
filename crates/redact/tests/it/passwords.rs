//! Tests passwords chosen by people and made by generators, next to similar names, paths and code.

use windlass_redact::redact_text;

const MARK: &str = "[redacted:assigned-secret]";

/// Asserts that each place hides each value and nothing else.
fn assert_hidden(places: &[&str], values: &[&str]) {
    for place in places {
        for value in values {
            let text = place.replace("VALUE", value);
            assert_eq!(
                redact_text(&text).0.as_str(),
                place.replace("VALUE", MARK),
                "{text}"
            );
        }
    }
}

fn assert_shown(texts: &[&str]) {
    for text in texts {
        assert_eq!(redact_text(text).0.as_str(), *text);
    }
}

#[test]
fn a_dot_makes_no_path_where_no_code_stands() {
    assert_hidden(
        &[
            "DB_PASSWORD=VALUE",
            "export PGPASSWORD=VALUE",
            "      - POSTGRES_PASSWORD=VALUE",
            "db:\n  password: VALUE\n  port: 1\n",
            "tool --password=VALUE x",
            "spring.datasource.password=VALUE\n",
        ],
        &[
            "Sommer.2024",
            "max.muster1",
            "k8s.Admin1",
            "R2.D2x77",
            "Pa.ss.w0rd",
        ],
    );
    let random = "NqVwYS81VP7Hb1DX8pPd5khx";
    assert_hidden(
        &["VAULT_TOKEN=VALUE", "export API_KEY=VALUE"],
        &[
            &format!("s.{random}"),
            &format!("8.{random}"),
            &format!("{random}.x9"),
            "ab12.cd34ef56gh78ij90kl",
        ],
    );
    assert_shown(&[
        "DB_PASSWORD=config.db.password2\n",
        "token=process.env.TOKEN\n",
        "password: config.db1.value\nuser: me\n",
        "password: db1.example.com\n",
        "SSL_PASSWORD=keys1.pem\n",
        "API_TOKEN=ingress.v2\n",
        "f(password=user.id2)\n",
    ]);
}

#[test]
fn generated_password_with_any_signs_is_hidden() {
    assert_hidden(
        &[
            "DB_PASSWORD=VALUE\n",
            "db:\n  password: VALUE\n  x: 1\n",
            "Password: VALUE\n",
            "The password is VALUE\n",
            "tool --password VALUE x\n",
            "pass = VALUE\n",
            "user,password\nbob,VALUE\nann,VALUE\n",
        ],
        &[
            "aQ(w-2=FeKx7",
            "kQ{x#aB3.9mZ",
            "Tr&Q8z!m[4Wd",
            "wQ.k7Tz_R3bW",
            "R3$wQ%k7T^zb",
        ],
    );
    // The text around a value stays, and so does code.
    assert_hidden(
        &[
            "a?password=VALUE&user=Bob2 x\n",
            "f(password: VALUE)\n",
            "Password=VALUE;Ssl=On2\n",
        ],
        &["wQk7TzR3bWx"],
    );
    assert_shown(&[
        "password = md5(userName1)\n",
        "password: $this->userPass2,\n",
        "password: hash[User1.id]\n",
    ]);
}

#[test]
fn single_value_of_entry_or_cell_is_hidden() {
    assert_hidden(
        &["db:\n  password: VALUE\n  port: 1\n"],
        &[
            "zebracorn",
            "pa55word_prod",
            "ключ4711",
            "Winter_2024",
            "Mueller_1987",
            "root_pw1",
        ],
    );
    assert_hidden(
        &[
            "name,email,password\nbob,b@x.de,VALUE\nann,a@x.de,VALUE\n",
            "name;password\nbob;\"VALUE\"\n",
            "| user | password |\n|---|---|\n| bob | `VALUE` |\n",
        ],
        &["Sommer2024!", "hunter22"],
    );
    assert_shown(&[
        "password: user_pw_2,\n",
        "f(\n    password=db_pw_2,\n)\n",
        "password: sha256_hash\n",
        "password: MAX_LEN_12\n",
        "password: must be 8 or 9 letters!\n",
        "user,password\nbob,config.db1.value\nann,getPw(2)\n",
    ]);
}

#[test]
fn what_is_given_to_a_setter_is_no_label() {
    assert_hidden(
        &[
            "ds.setPassword(\"VALUE\");",
            "map.put(\"db.password\", \"VALUE\");",
            "pw = os.environ.get(\"DB_PASSWORD\", \"VALUE\")",
            "builder.password(\"VALUE\")",
            "pw := flag.String(\"password\", \"VALUE\", \"db password\")",
        ],
        &["Sommer2024!", "Welcome123", "hunter2!", "Berlin#2023"],
    );
    let login = "[redacted:login-password]";
    let text = "new NetworkCredential(\"bob\", \"Welcome123\")";
    let want = text.replace("Welcome123", login);
    assert_eq!(redact_text(text).0.as_str(), want);
    assert_hidden(
        &[
            "JWT_SECRET=\"VALUE\"",
            "client_secret = 'VALUE'",
            "DJANGO_SECRET=VALUE",
        ],
        &["hunter2!", "x8#kd92!lsk"],
    );
    assert_shown(&[
        "user.setPassword(\"new-password-2\")",
        "map.put(\"password\", \"field_2\");",
        "check(\"password\", \"Level12\");",
        "cfg.get(\"db.password\", \"db.pass2\")",
        "client_secret = \"client-secret-2\"",
    ]);
}

#[test]
fn a_marked_label_names_the_value_behind_it() {
    assert_hidden(
        &[
            "**Password:** VALUE\n",
            "- **Admin password**: `VALUE`\n",
            "__Password:__ VALUE\n",
            "_Password_: VALUE\n",
            "- **`DB_PASSWORD`**: `VALUE`\n",
            "<tr><td>Password</td><td>VALUE</td></tr>\n",
            "<dt>Password</dt>\n<dd>VALUE</dd>\n",
        ],
        &["zQ8kd92hfLw1", "Sommer2024!"],
    );
    assert_shown(&[
        "- **Password:** the password of the user\n",
        "- **password**: `config.password`, a string\n",
        "**token**: opaque string, 32 characters\n",
        "<td>Password</td><td>string</td>\n",
        "<dt>Password</dt><dd>At least 8 characters</dd>\n",
    ]);
}

#[test]
fn value_in_changed_line_of_diff_is_hidden() {
    for sign in ["+", "-", " "] {
        let lines = [
            "env:",
            "  - name: DB_PASSWORD",
            "    value: \"VALUE\"",
            "API_KEY=VALUE",
        ];
        let lines: String = lines.map(|line| format!("{sign}{line}\n")).concat();
        let text = format!("diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n{lines}");
        assert_hidden(&[&text], &["zQ8kd92hfLw1zQ8kd92h"]);
    }
}

#[test]
fn passphrase_of_a_setting_is_hidden_to_its_end() {
    assert_hidden(
        &["- name: DB_PASSWORD\n  value: VALUE # why\n- name: A\n  value: b\n"],
        &["correct horse battery st4ple"],
    );
    assert_hidden(
        &["DB_PASSWORD=VALUE", "A=b\nDB_PASSWORD=VALUE  # why\nA=b\n"],
        &["correct horse battery", "correct horse battery 9"],
    );
    assert_hidden(
        &["DB_PASSWORD: VALUE\n", "db:\n  password: VALUE # why\n"],
        &["Tr0ub4dor horse battery"],
    );
    for line in [
        "PGPASSWORD=VALUE psql -h db\n",
        "password=VALUE user=me\n",
        "password: VALUE for the admin\n",
    ] {
        let (shown, _) = redact_text(&line.replace("VALUE", "hunter2"));
        assert_eq!(
            shown.as_str(),
            line.replace("VALUE", "[redacted:assigned-secret]")
        );
    }
}

#[test]
fn name_behind_escaped_line_end_is_known() {
    assert_hidden(
        &[
            r#"{"content": "x: 1\ntoken: VALUE\n"}"#,
            r#"["x", "{\"a\": \"x\\nsecret=VALUE\\n\"}"]"#,
        ],
        &["zQ8kd92hfLw1zQ8kd92h"],
    );
}

#[test]
fn ordinary_words_like_labels_are_hidden() {
    assert_hidden(
        &[
            "#define WIFI_PASSWORD \"VALUE\"",
            "WIFI_PASSWORD=\"VALUE\"",
            "password = \"VALUE\"",
            "DB_PASSWORD=VALUE\n",
        ],
        &["keyboard12", "compass77", "donkeykong7"],
    );
    assert_shown(&[
        "#define WIFI_PASSWORD \"wifi-password\"",
        "password = \"passwordfield\"",
        "password = \"accessToken2\"",
        "password = \"passport\"",
        "DB_PASSWORD=api.key2\n",
    ]);
}

#[test]
fn lookalike_after_a_name_is_shown() {
    assert_shown(&["PWD=/srv/App2.Web\n", "\"OLDPWD\": \"/srv/App2.Web\"\n"]);
    assert_hidden(
        &["PASS: VALUE\n", "PWD=VALUE\n", "**Password:** VALUE\n"],
        &["x9Kq2Lm7Xc4Vb1", "Tr0ub4dor!3", "x9Kq/2Lm7Xc4"],
    );
    assert_hidden(
        &[
            "Server=db;UID=sa;PWD=VALUE;\n",
            "\"Data Source=db;UID=sa;PWD=VALUE\"\n",
        ],
        &["/Kd82hf!xQ2", "~Kd82hf!xQ2"],
    );
    assert_hidden(
        &[
            "      ~ password          = \"VALUE\" -> \"VALUE\" # forces replacement\n",
            "      ~ password: \"VALUE\" => \"VALUE\"\n",
        ],
        &["neueRose20x", "Tr0ub4dor!3"],
    );
    assert_shown(&[
        "password will be MD5Hashed by default\n",
        "\"nextToken\": \"RW5DdDJkMWYwZjM2MzM2VHVpOHJIUXlDUXlhc2QzRGVi\"\n",
        "\"ChangeToken\": \"abcd12f2-46da-4fdb-b8d5-fbd4c466928f\"\n",
        "new PDO($dsn, \"root\", \"utf8mb4\")\n",
    ]);
    let numbered = "    40\t            pass\n    41\t        i += 1\n    42\t        fp = self.open(url, data)\n";
    let json = numbered.replace('\n', "\\n").replace('\t', "\\t");
    assert_shown(&[numbered, &format!("{{\"content\": \"{json}\"}}\n")]);
}

#[test]
fn rare_names_and_assignments_are_known() {
    assert_hidden(
        &[
            "Passwort: VALUE\n",
            "DB_PASSWORT=VALUE\n",
            "Das Passwort lautet VALUE\n",
            "Kennwort: VALUE\n",
            "contraseña: VALUE\n",
            "hasło: VALUE\n",
            "| Dienst | Passwort |\n|---|---|\n| Jenkins | VALUE |\n",
            "password <- \"VALUE\"\n",
            "Dim password As String = \"VALUE\"\n",
            "DBPASS=VALUE\n",
            "  psk=\"VALUE\"\n",
            "set -gx DB_PASSWORD VALUE\n",
            "<property name=\"password\"><value>VALUE</value></property>\n",
        ],
        &["zQ8kd92hfLw1", "Berlin#2023"],
    );
    assert_shown(&[
        "Passwort: mindestens 8 Zeichen\n",
        "\"passwort\": \"Passwort\",\n",
        "password :: String\n",
        "ch.password <- \"password\"\n",
        "Dim password As String = \"\"\n",
        "validates :password, :presence\n",
        "\"psk\": \"psk_dhe_ke\"\n",
        "password_for_user = get_password(user2)\n",
    ]);
}

#[test]
fn sentences_tell_what_a_password_is_and_becomes() {
    assert_hidden(
        &[
            "password will be VALUE\n",
            "Password - VALUE\n",
            "The admin password is VALUE for now.\n",
        ],
        &["zQ8kd92hfLw1"],
    );
    assert_hidden(
        &[
            "Changed the root password from VALUE to something new.\n",
            "I set the root password to VALUE yesterday.\n",
        ],
        &["Berlin#2023", "Sommer2024"],
    );
    assert_shown(&[
        "change the password to version2.1 of it\n",
        "password to user2 is sent\n",
        "the password should be 8 letters2 long\n",
        "pass to modnames2paths: x\n",
        "the password is base64 encoded\n",
        "the password is SHA512 of it\n",
        "The password - or token2 - is not shown\n",
        "change the password from md5 to sha256sum\n",
    ]);
}

#[test]
fn password_position_in_call_is_known() {
    for place in [
        "DriverManager.getConnection(url, \"sa\", \"VALUE\");",
        "$m = new mysqli(\"localhost\", \"root\", \"VALUE\", \"shop\");",
        "$db = new PDO('mysql:host=x', 'root', 'VALUE');",
        "requests.get(url, auth=(\"bob\", \"VALUE\"))",
        "jwt.sign(payload, 'VALUE');",
        "echo 'bob:VALUE' | chpasswd",
        "echo 'VALUE' | sudo -S apt update",
        "echo \"VALUE\" | docker login -u bob --password-stdin",
        "htpasswd -cb .htpasswd bob VALUE\n",
        "mongosh -u root -p 'VALUE' --authenticationDatabase admin",
        "zip -P 'VALUE' a.zip a",
        "openssl enc -aes-256-cbc -k 'VALUE' -in a",
        "net use Z: \\\\srv\\share /user:bob VALUE\n",
        "net user bob VALUE /add\n",
        "wpa_passphrase Home VALUE\n",
        "mysql -h db \\\n  -u root \\\n  -p'VALUE' \\\n  shop",
        "curl -X POST \\\r\n  -u bob:VALUE \\\r\n  https://x.org\r\n",
    ] {
        for value in ["zQ8kd92hfLw1", "Sommer2024!"] {
            let text = place.replace("VALUE", value);
            let (shown, findings) = redact_text(&text);
            let (before, after) = place.split_once("VALUE").unwrap();
            let shown = shown.as_str();
            assert!(!shown.contains(value) && findings.len() == 1, "{shown}");
            assert!(
                shown.starts_with(before) && shown.ends_with(after),
                "{shown}"
            );
        }
    }
    assert_shown(&[
        "getConnection(url, user, password1)",
        "requests.get(url, auth=('user', 'pass'))",
        "$db = new PDO($dsn, 'root', '');",
        "jwt.verify(token2, publicKey1);",
        "jwt.sign(payload, 'secret', {expiresIn: '12h'})",
        "echo \"deb https://x.org stable1 main\" | sudo tee /etc/x",
        "echo \"$TOKEN2\" | docker login -u bob --password-stdin",
        "htpasswd -b .htpasswd user password\n",
        "net use Z: \\\\srv\\share /user:bob *\n",
        "net user bob /active:yes2\n",
        "openssl enc -aes-256-cbc -k \"$KEY1\" -in a",
        "zip -r a1.zip b2",
    ]);
}
