//! Refused requests, and headers present in every response.

use crate::server::Server;
use crate::support::Sandbox;

const TOKEN: &str = "0123456789abcdef-token";

#[test]
fn policy_is_on_every_response() {
    let sandbox = Sandbox::git();
    let server = Server::of(&sandbox);
    let version = server.get("/").body;
    let style = version
        .split("href=\"")
        .find(|part| part.contains("style.css"))
        .unwrap();
    let style = style.split('"').next().unwrap().replace("&#x2f;", "/");
    for path in [
        "/",
        "/nothing",
        "/assets/windlass.js",
        "/actions/gate",
        &style,
    ] {
        let head = server.get(path).head;
        let policy = head
            .lines()
            .find(|line| line.starts_with("content-security-policy"));
        let policy = policy.unwrap_or_else(|| panic!("{path}: {head}"));
        assert!(
            policy.contains("default-src 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(head.contains("x-content-type-options: nosniff"), "{head}");
    }
    assert_eq!(server.get(&style).status, 200, "{style}");
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let sandbox = Sandbox::git();
    let server = Server::of(&sandbox);
    let host = format!("Host: {}", server.address);
    let get = |headers: &[&str]| server.raw("GET / HTTP/1.0", headers, "").status;
    assert_eq!(get(&[&host]), 200);
    assert_eq!(get(&["Host: localhost"]), 200);
    assert_eq!(get(&["Host: evil.example"]), 403);
    assert_eq!(get(&[]), 400);
    assert_eq!(get(&[&host, &host]), 400);
    assert_eq!(get(&[&host, "Origin: http://evil.example"]), 403);
    assert_eq!(get(&[&host, "Origin: null"]), 403);
    let foreign = [
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Mode: no-cors",
        "Sec-Fetch-Dest: script",
    ];
    assert_eq!(get(&[&[&*host], &foreign[..]].concat()), 403);
    let line = format!("GET http://{}/ HTTP/1.0", server.address);
    assert_eq!(server.raw(&line, &[&host], "").status, 400);
}

#[test]
fn token_opens_a_session_in_the_browser() {
    let sandbox = Sandbox::git();
    sandbox.write("token", TOKEN);
    let server = Server::with(&sandbox, &["--token-file", "token"]);
    let host = format!("Host: {}", server.address);
    let get =
        |path: &str, more: &str| server.raw(&format!("GET {path} HTTP/1.0"), &[&host, more], "");
    let refused = get("/", "Accept: text/html");
    assert_eq!(refused.status, 401, "{}", refused.body);
    assert!(refused.head.contains("www-authenticate: bearer"));
    assert_eq!(
        get("/", "Authorization: Bearer 0123456789abcdef-other").status,
        401
    );
    assert_eq!(
        get("/", &format!("Authorization: Bearer {TOKEN}")).status,
        200
    );
    assert_eq!(
        get("/?token=0123456789abcdef-other", "Accept: text/html").status,
        401
    );
    let entry = get(&format!("/runs?token={TOKEN}"), "Accept: text/html");
    assert_eq!(entry.status, 303);
    assert!(entry.head.contains("location: /runs\r\n"), "{}", entry.head);
    assert!(
        entry.head.contains("httponly; samesite=strict"),
        "{}",
        entry.head
    );
    let port = server.address.port();
    let named = format!("set-cookie: windlass-{port}={TOKEN};");
    assert!(entry.head.contains(&named), "{}", entry.head);
    let with_cookie = |name: &str| get("/", &format!("Cookie: {name}={TOKEN}")).status;
    assert_eq!(with_cookie(&format!("windlass-{port}")), 200);
    // This is the cookie of another server on the same host.
    assert_eq!(with_cookie("windlass-1"), 401);
    let elsewhere = get(
        &format!("//evil.example/?token={TOKEN}"),
        "Accept: text/html",
    );
    assert_eq!(elsewhere.status, 400, "{}", elsewhere.head);
    assert!(!elsewhere.head.contains("location:"), "{}", elsewhere.head);
}

#[test]
fn open_address_needs_a_token() {
    let sandbox = Sandbox::git();
    let refused = sandbox
        .windlass(&["web", "--listen", "0.0.0.0:0"])
        .exits_with(2);
    assert!(
        refused.stderr.contains("reachable from other machines"),
        "{}",
        refused.stderr
    );
    let refused = sandbox
        .windlass(&["web", "--editor", "javascript:{path}"])
        .exits_with(2);
    assert!(
        refused.stderr.contains("not the address of an editor"),
        "{}",
        refused.stderr
    );
}
