//! Passwords as people choose and generators make them, where names, paths and code look like them.

use windlass_repo::redact_text;

const MARK: &str = "[redacted:assigned-secret]";

/// Each place hides each value, and nothing else.
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
