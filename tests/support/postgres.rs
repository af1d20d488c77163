//! A test's PostgreSQL cluster: on loopback, in a temporary folder, and owned by a user other than
//! root.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::allow_attributes,
    reason = "every test program uses a part of it"
)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// User and group `nobody`, since PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// A running server with the database `postgres` and the superuser `windlass`, who needs no
/// password.
pub struct Cluster {
    folder: tempfile::TempDir,
    programs: PathBuf,
    pub port: u16,
    server: Option<Child>,
}

impl Cluster {
    /// Starts a server. If PostgreSQL isn't installed, prints that and returns `None`.
    pub fn start() -> Option<Self> {
        let mut cluster = Self::unborn()?;
        let data = cluster.data();
        let mut initdb = cluster.command("initdb");
        initdb.args([
            "--auth=trust",
            "--username=windlass",
            "--no-sync",
            "--encoding=UTF8",
        ]);
        finish(initdb.args(["--locale=C", "--pgdata"]).arg(data));
        cluster.run_server();
        Some(cluster)
    }

    /// Starts a standby that receives every transaction before this server acknowledges it.
    pub fn start_standby(&self) -> Self {
        let mut standby = Self::unborn().unwrap();
        let mut copy = standby.command("pg_basebackup");
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
        let source = format!(
            "host=127.0.0.1 port={} user=windlass application_name=standby",
            self.port
        );
        finish(copy.args(["-d", &source, "-D"]).arg(standby.data()));
        standby.run_server();
        self.sql("alter system set synchronous_standby_names = 'standby'");
        self.sql("select pg_reload_conf()");
        let state = "select coalesce(max(sync_state), '') from pg_stat_replication";
        // Until the standby has caught up, commits don't wait for it.
        while self.sql(state) != "sync" {
            std::thread::yield_now();
        }
        standby
    }

    /// Makes this standby the primary.
    pub fn promote(&self) {
        assert_eq!(self.sql("select pg_promote()"), "t");
    }

    /// Makes the server accept only encrypted connections, with the certificate and key at these
    /// paths.
    pub fn require_tls(&mut self, certificate: &Path, key: &Path) {
        for (from, to) in [(certificate, "server.crt"), (key, "server.key")] {
            let to = self.data().join(to);
            std::fs::copy(from, &to).unwrap();
            if is_root() {
                std::os::unix::fs::chown(&to, Some(NOBODY), Some(NOBODY)).unwrap();
            }
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            std::fs::set_permissions(&to, private).unwrap();
        }
        let rules = "hostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(self.data().join("pg_hba.conf"), rules).unwrap();
        self.sql("alter system set ssl = on");
        self.kill();
        self.run_server();
    }

    /// Returns a server that has no data and isn't running.
    fn unborn() -> Option<Self> {
        let Some(programs) = programs() else {
            println!("skipped: no PostgreSQL server is installed");
            return None;
        };
        // Don't use `TMPDIR`, since another user may be unable to enter it.
        let folder = tempfile::Builder::new()
            .prefix("windlass-postgres-")
            .tempdir_in("/tmp")
            .unwrap();
        if is_root() {
            std::os::unix::fs::chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        Some(Self {
            folder,
            programs,
            port: free_port(),
            server: None,
        })
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        use std::os::unix::process::CommandExt as _;
        let mut command = Command::new(self.programs.join(program));
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C")
            .env("TZ", "UTC")
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Starts the server, and waits until it accepts connections. After a kill, processes of the
    /// old server may still be ending. The new one refuses to start beside them, so we start it
    /// again.
    pub fn run_server(&mut self) {
        loop {
            match self.started() {
                Ok(server) => {
                    self.server = Some(server);
                    return;
                }
                Err(why) => assert!(why.contains("still in use"), "the server ended: {why}"),
            }
        }
    }

    /// Starts the server. Returns its log if it has ended.
    fn started(&self) -> Result<Child, String> {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data());
        command.args([
            "-p",
            &self.port.to_string(),
            "-c",
            "listen_addresses=127.0.0.1",
        ]);
        command.args([
            "-c",
            "unix_socket_directories=",
            "-c",
            "max_connections=200",
        ]);
        command.args(["-c", "logging_collector=off", "-c", "log_min_messages=log"]);
        let mut server = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(server.stderr.take().unwrap());
        let mut lines = String::new();
        while !lines.contains("ready to accept ") {
            if log.read_line(&mut lines).unwrap() == 0 {
                server.wait().unwrap();
                return Err(lines);
            }
        }
        // A full pipe would stop the server.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Ok(server)
    }

    /// Kills the server with all its processes, like a power cut.
    pub fn kill(&mut self) {
        let mut server = self.server.take().unwrap();
        // This is `kill -9` for the first process. The others notice and end.
        server.kill().unwrap();
        server.wait().unwrap();
        // The lock file names a process that may still be ending.
        let children = self.data().join("postmaster.pid");
        let _ = std::fs::remove_file(children);
    }

    pub fn url(&self) -> String {
        self.url_at(self.port)
    }

    /// Returns the database's URL through another port, such as a proxy's.
    pub fn url_at(&self, port: u16) -> String {
        format!("postgres://windlass@127.0.0.1:{port}/postgres")
    }

    /// Runs SQL as the superuser and returns the output of `psql`.
    pub fn sql(&self, sql: &str) -> String {
        let mut psql = self.command("psql");
        psql.args([
            "--no-psqlrc",
            "--tuples-only",
            "--no-align",
            "-v",
            "ON_ERROR_STOP=1",
        ]);
        let done = psql.args(["-c", sql, &self.url()]).output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    /// Runs SQL as `user`. If it fails, returns the error message of `psql`.
    pub fn try_sql_as(&self, user: &str, sql: &str) -> Result<(), String> {
        let url = self.url().replace("windlass@", &format!("{user}@"));
        let mut psql = self.command("psql");
        psql.args(["--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-c", sql, &url]);
        let done = psql.output().unwrap();
        match done.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
        }
    }

    /// Runs a file of SQL as the superuser.
    pub fn sql_file(&self, path: &Path, variables: &[&str]) {
        let mut psql = self.command("psql");
        psql.args(["--no-psqlrc", "-v", "ON_ERROR_STOP=1"]);
        for variable in variables {
            psql.args(["-v", variable]);
        }
        let text = std::fs::File::open(path).unwrap();
        let done = psql.arg(self.url()).stdin(text).output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn finish(command: &mut Command) {
    let done = command.output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn programs() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> = folders
        .filter_map(|folder| Some(folder.ok()?.path().join("bin")))
        .filter(|folder| folder.join("initdb").is_file())
        .collect();
    folders.sort();
    folders.pop()
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
