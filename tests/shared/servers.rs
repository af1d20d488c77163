//! Servers with encryption, and several servers for one database.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failures::{check, start};
use crate::{Team, beads, by, count, create, postgres};

fn openssl(folder: &Path, args: &str) {
    let mut command = Command::new("openssl");
    let done = command.args(args.split(' ')).current_dir(folder).output();
    let done = done.expect("openssl is installed");
    assert!(
        done.status.success(),
        "openssl {args}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

/// Creates a certificate authority, and a certificate issued by it for 127.0.0.1. Returns their
/// paths and the key's path.
fn certificates(folder: &Path) -> [PathBuf; 3] {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(
        folder,
        &format!("req -x509 {key} -keyout ca.key -out ca.crt -days 2 -subj /CN=authority"),
    );
    openssl(
        folder,
        &format!("req {key} -keyout server.key -out server.csr -subj /CN=server"),
    );
    std::fs::write(folder.join("names"), "subjectAltName=IP:127.0.0.1\n").unwrap();
    openssl(
        folder,
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names",
    );
    ["ca.crt", "server.crt", "server.key"].map(|name| folder.join(name))
}

#[test]
fn encrypted_server_is_checked_against_authority() {
    let Some(mut cluster) = postgres::Cluster::start() else {
        return;
    };
    let team = Team::new();
    let [authority, certificate, key] = certificates(&team.one.outside());
    cluster.require_tls(&certificate, &key);
    let url = cluster.url();
    let full = format!("{url}?sslmode=verify-full");
    let named = full.replace("127.0.0.1", "localhost");
    for (location, code, want) in [
        // First, the system doesn't know the server's authority. Then the certificate has another
        // name than the server.
        (full.clone(), 5, "certificate"),
        (
            format!("{named}&sslrootcert={}", authority.display()),
            5,
            "certificate",
        ),
        (format!("{url}?sslmode=disable"), 4, "no encryption"),
    ] {
        let refused = team.one.windlass(&["ledger", "share", &location]);
        let refused = refused.exits_with(code).stderr;
        assert!(refused.contains(want), "{location}: {refused}");
    }
    team.share(&format!("{full}&sslrootcert={}", authority.display()));
    create(&team.one, "t-a");
    by(&team.two, "bob", &["bead", "claim", "t-a"]).succeeds();
}

#[test]
fn promoted_standby_has_everything_acknowledged() {
    let Some(mut primary) = postgres::Cluster::start() else {
        return;
    };
    let standby = primary.start_standby();
    let team = Team::new();
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port, standby.port);
    team.share(&format!("postgres://windlass@{hosts}/postgres"));
    let each = count("WINDLASS_CRASHES", 8);
    let (done, progress) = std::sync::mpsc::channel();
    let acknowledged: Vec<Vec<String>> = std::thread::scope(|scope| {
        let work = |machine, name: &'static str| {
            let done = done.clone();
            scope.spawn(move || {
                let mut acknowledged = Vec::new();
                for number in 0.. {
                    let id = format!("t-{name}{number}");
                    let made = start(machine, &id).wait_with_output().unwrap();
                    match made.status.code() {
                        Some(0) => acknowledged.push(id),
                        Some(5) => continue,
                        code => panic!("{code:?}"),
                    }
                    done.send(()).unwrap();
                    if acknowledged.len() == each {
                        break;
                    }
                }
                acknowledged
            })
        };
        let writers = [work(&team.one, "a"), work(&team.two, "b")];
        assert_eq!(progress.iter().take(each).count(), each);
        primary.kill();
        standby.promote();
        writers.map(|writer| writer.join().unwrap()).into()
    });
    assert!(beads(&team.one).len() >= 2 * each);
    check(&team, &acknowledged.concat());
}
