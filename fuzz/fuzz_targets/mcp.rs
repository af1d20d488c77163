//! MCP messages: every line of the output is a message, and each request is answered at most once.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use windlass::{Environment, Seeds};
use windlass_mcp::{Scope, Server, Settings, serve};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A repository with one file, and a runtime shared by all servers.
static WORLD: LazyLock<(TempDir, Runtime)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    for inner in ["home", "repo/.git/objects", "repo/.git/refs"] {
        std::fs::create_dir_all(folder.path().join(inner)).expect("a folder");
    }
    std::fs::write(
        folder.path().join("repo/.git/HEAD"),
        "ref: refs/heads/main\n",
    )
    .expect("a file");
    std::fs::write(folder.path().join("repo/a.rs"), "fn a() {}\n").expect("a file");
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build();
    (folder, runtime.expect("a runtime"))
});

fn settings(folder: &Path) -> Settings {
    let home = folder.join("home").into_os_string();
    Settings {
        scope: Scope::Only(folder.join("repo")),
        only_reading: true,
        actor: Some("ann".to_owned()),
        environment: Environment {
            variables: Arc::new(BTreeMap::from([("HOME".to_owned(), home)])),
            clock: || SystemTime::UNIX_EPOCH,
            elapsed: || Duration::ZERO,
            seeds: Seeds::new(|| 7),
            threads: NonZeroUsize::MIN,
            holder: "fuzz".to_owned(),
            on_long_wait: |_| {},
            user_id: None,
        },
    }
}

pub(crate) fn check(bytes: &[u8]) {
    let (folder, runtime) = &*WORLD;
    let input = [INITIALIZE.as_bytes(), INITIALIZED.as_bytes(), bytes].join(&b'\n');
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for line in input.split(|byte| *byte == b'\n') {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        let messages = message.as_array().cloned().unwrap_or_else(|| vec![message]);
        for message in messages {
            *asked.entry(message["id"].to_string()).or_default() += 1;
        }
    }
    let (to_server, from_client) = tokio::io::duplex(1 << 20);
    let (to_client, from_server) = tokio::io::duplex(1 << 20);
    let output = runtime.block_on(async {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let server = serve(Server::new(settings(folder.path())), from_client, to_client);
        let served = tokio::spawn(server);
        let (_, mut writer) = tokio::io::split(to_server);
        let (mut reader, _) = tokio::io::split(from_server);
        let written = tokio::spawn(async move {
            let _ = writer.write_all(&input).await;
            let _ = writer.write_all(b"\n").await;
            let _ = writer.shutdown().await;
        });
        let mut output = Vec::new();
        let _ = reader.read_to_end(&mut output).await;
        let _ = written.await;
        let _ = served.await;
        output
    });
    for line in output
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let message: Value = serde_json::from_slice(line).expect("a line of the answer is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        // An answer without an id is about a line that isn't a request.
        if !is_answer || message["id"].is_null() {
            continue;
        }
        let left = asked.get_mut(&message["id"].to_string());
        let left = left.unwrap_or_else(|| panic!("nobody asked for {message}"));
        assert!(*left > 0, "answered twice: {message}");
        *left -= 1;
    }
}
