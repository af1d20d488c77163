//! Changes of files reach open pages.

use std::io::{BufRead as _, BufReader};

use crate::furnished;
use crate::server::Server;

#[test]
fn change_of_work_is_reported() {
    let sandbox = furnished();
    let server = Server::of(&sandbox);
    let host = format!("Host: {}", server.address);
    let stream = server.send("GET /live HTTP/1.1", &[&host], "");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let head = lines.by_ref().find(|line| line.starts_with("content-type"));
    assert_eq!(head.as_deref(), Some("content-type: text/event-stream"));
    sandbox
        .windlass(&["--actor", "ann", "bead", "create", "Another one"])
        .succeeds();
    let data = lines.by_ref().find(|line| line.starts_with("data: "));
    assert!(data.unwrap().contains("work"));
    sandbox.windlass(&["run", "api"]).succeeds();
    assert!(lines.any(|line| line.starts_with("data: ") && line.contains("runs")));
}
