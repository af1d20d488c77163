//! Platforms, and what each ecosystem calls them.
//!
//! To add a platform, add a row to `TARGETS`. A platform without a Debian name just gets no Debian
//! package.

use std::process::Command;

use super::output;
use crate::Error;

/// A platform for which we build the program.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Rust's name for the platform.
    pub(super) triple: &'static str,
    /// Node.js's names for the operating system and the processor.
    pub(super) node: (&'static str, &'static str),
    /// Debian's name for the processor.
    pub(super) debian: Option<&'static str>,
    /// End of the wheel's platform tag. On Linux, the version of the C library comes before it.
    pub(super) wheel: &'static str,
}

const TARGETS: &[Target] = &[
    Target {
        triple: "x86_64-unknown-linux-gnu",
        node: ("linux", "x64"),
        debian: Some("amd64"),
        wheel: "x86_64",
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        node: ("linux", "arm64"),
        debian: Some("arm64"),
        wheel: "aarch64",
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        node: ("linux", "x64"),
        debian: None,
        wheel: "x86_64",
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        node: ("linux", "arm64"),
        debian: None,
        wheel: "aarch64",
    },
    Target {
        triple: "x86_64-apple-darwin",
        node: ("darwin", "x64"),
        debian: None,
        wheel: "macosx_11_0_x86_64",
    },
    Target {
        triple: "aarch64-apple-darwin",
        node: ("darwin", "arm64"),
        debian: None,
        wheel: "macosx_11_0_arm64",
    },
    Target {
        triple: "x86_64-pc-windows-msvc",
        node: ("win32", "x64"),
        debian: None,
        wheel: "win_amd64",
    },
];

impl Target {
    pub(super) fn all() -> &'static [Self] {
        TARGETS
    }

    pub(super) fn parse(triple: &str) -> Result<Self, Error> {
        let known = TARGETS.iter().find(|target| target.triple == triple);
        known.copied().ok_or_else(|| {
            let names = Vec::from_iter(TARGETS.iter().map(|target| target.triple)).join(", ");
            format!("unknown target `{triple}`\nhelp: known targets: {names}").into()
        })
    }

    pub(super) fn host() -> Result<Self, Error> {
        let printed = output(Command::new("rustc").arg("-vV"))?;
        let printed = String::from_utf8(printed)?;
        let host = printed.lines().find_map(|line| line.strip_prefix("host: "));
        Self::parse(host.ok_or("`rustc -vV` names no host")?)
    }

    pub(super) fn runs_here(&self) -> bool {
        let processor = self.triple.starts_with(std::env::consts::ARCH);
        let system = match std::env::consts::OS {
            "macos" => "apple-darwin",
            other => other,
        };
        processor && self.triple.contains(system)
    }

    /// True if programs of the platform are linked with musl, which is always static.
    pub(super) fn is_musl(&self) -> bool {
        self.triple.ends_with("-musl")
    }

    /// True if programs of the platform are linked with the GNU C library.
    pub(super) fn is_gnu(&self) -> bool {
        self.triple.ends_with("linux-gnu")
    }

    pub(super) fn is_linux(&self) -> bool {
        self.is_musl() || self.is_gnu()
    }

    pub(super) fn is_x86(&self) -> bool {
        self.node.1 == "x64"
    }

    pub(super) fn is_windows(&self) -> bool {
        self.node.0 == "win32"
    }

    pub(super) fn program(&self) -> &'static str {
        match self.is_windows() {
            true => "windlass.exe",
            false => "windlass",
        }
    }

    /// Returns the name of the processor in container images.
    pub(super) fn container(&self) -> &'static str {
        match self.node.1 {
            "x64" => "amd64",
            other => other,
        }
    }
}
