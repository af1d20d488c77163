//! A folder with runbooks, and ways to run them.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use windlass::engine::{Observer, Phase, RunEvent, Stop, StopLevel};
use windlass::packs::Format;
use windlass::{Environment, Error, Refresh, RefreshRequest, Seeds, ViewRequest, Workspace};

pub(crate) const VIEW: ViewRequest = ViewRequest {
    limit: None,
    format: Format::Json,
    also: None,
    mode: None,
};

pub(crate) struct Sandbox(tempfile::TempDir);

impl Sandbox {
    #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join("root").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(dir)
    }

    #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.0.path().join("root").join(path), text).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.0.path().join("root").join(path)).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
    pub(crate) fn rename(&self, from: &str, to: &str) {
        let root = self.0.path().join("root");
        fs::rename(root.join(from), root.join(to)).unwrap();
    }

    /// The time of the file's last write.
    #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
    pub(crate) fn modified(&self, path: &str) -> SystemTime {
        let metadata = fs::metadata(self.0.path().join("root").join(path));
        metadata.unwrap().modified().unwrap()
    }

    #[expect(clippy::disallowed_methods, reason = "a folder of the test's own")]
    pub(crate) fn set_modified(&self, path: &str, time: SystemTime) {
        let path = self.0.path().join("root").join(path);
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a repository of the test's own")]
    pub(crate) fn git(&self, args: &[&str]) {
        let mut git = std::process::Command::new("git");
        git.args(args).current_dir(self.0.path().join("root"));
        git.env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap());
        git.envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ]);
        assert!(git.status().unwrap().success(), "{args:?}");
    }

    /// A workspace with seeds from 8 on.
    pub(crate) fn workspace(&self) -> Workspace {
        let next = AtomicU16::new(8);
        self.workspace_with(Seeds::new(move || next.fetch_add(1, Ordering::Relaxed)))
    }

    pub(crate) fn workspace_with_seed(&self, seed: u16) -> Workspace {
        self.workspace_with(Seeds::new(move || seed))
    }

    fn workspace_with(&self, seeds: Seeds) -> Workspace {
        self.workspace_of("home", || SystemTime::UNIX_EPOCH, seeds)
    }

    /// A workspace with the home folder `home` and the clock `clock`.
    pub(crate) fn workspace_of(
        &self,
        home: &str,
        clock: fn() -> SystemTime,
        seeds: Seeds,
    ) -> Workspace {
        let home = self.0.path().join(home).into_os_string();
        let environment = Environment {
            variables: Arc::new(BTreeMap::from([
                ("HOME".to_owned(), home),
                ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".into()),
            ])),
            clock,
            elapsed: || std::time::Duration::ZERO,
            seeds,
            threads: NonZeroUsize::MIN,
            holder: "test".to_owned(),
            on_long_wait: |_| {},
            user_id: None,
        };
        Workspace::open(&self.0.path().join("root"), environment).unwrap()
    }

    /// Runs `runbook`, optionally stopping at the beginning of a phase.
    pub(crate) fn run(
        &self,
        runbook: &str,
        stop_at: Option<(Phase, StopLevel)>,
    ) -> (Result<Refresh, Error>, Vec<Phase>) {
        self.run_in(&self.workspace(), runbook, stop_at)
    }

    pub(crate) fn run_in(
        &self,
        workspace: &Workspace,
        runbook: &str,
        stop_at: Option<(Phase, StopLevel)>,
    ) -> (Result<Refresh, Error>, Vec<Phase>) {
        let request = RefreshRequest {
            runbook: runbook.to_owned(),
            start: self.0.path().join("root"),
            inputs: BTreeMap::new(),
            part: windlass::Part::Whole,
            jobs: None,
            fail_fast: false,
            allow_commands: false,
            view: VIEW,
        };
        let stop = Stop::default();
        let listener = Arc::new(Listener {
            stop: stop.clone(),
            stop_at,
            phases: Mutex::default(),
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let observer = Arc::clone(&listener) as Arc<dyn Observer>;
        let refreshed = runtime.block_on(workspace.runs().refresh(&request, observer, stop));
        let phases = listener.phases.lock().unwrap().clone();
        (refreshed, phases)
    }
}

/// Records the phases, and stops the run in one of them.
struct Listener {
    stop: Stop,
    stop_at: Option<(Phase, StopLevel)>,
    phases: Mutex<Vec<Phase>>,
}

impl Observer for Listener {
    fn event(&self, event: &RunEvent) {
        let RunEvent::PhaseStarted { phase } = event else {
            return;
        };
        self.phases.lock().unwrap().push(*phase);
        match self.stop_at {
            Some((at, level)) if at == *phase => self.stop.request(level),
            _ => {}
        }
    }
}
