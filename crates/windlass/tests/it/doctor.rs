//! Tests the findings of the doctor.

use windlass::{Health, HealthFinding, doctor};

use crate::support::Sandbox;

fn found(sandbox: &Sandbox, what: &str) -> HealthFinding {
    let findings = doctor(&sandbox.workspace(), None);
    let mut findings = findings.into_iter().filter(|finding| finding.what == what);
    findings
        .next()
        .unwrap_or_else(|| panic!("nothing about {what}"))
}

#[test]
fn empty_folder_has_no_bad_finding() {
    let sandbox = Sandbox::with(&[("a.txt", "x")]);
    let findings = doctor(&sandbox.workspace(), None);
    let bad: Vec<_> = findings
        .iter()
        .filter(|one| one.health == Health::Bad)
        .collect();
    assert!(bad.is_empty(), "{bad:?}");
    for what in [
        "program",
        "repository",
        "runbooks",
        "notebook",
        "ledger",
        "memory",
        "trust",
    ] {
        assert!(
            findings.iter().any(|one| one.what == what),
            "{what}: {findings:?}"
        );
    }
}

#[test]
fn program_off_the_path_is_noted() {
    let finding = found(&Sandbox::with(&[("a.txt", "x")]), "program");
    assert_eq!(finding.health, Health::Fair);
    assert!(finding.found.contains("not on the PATH"), "{finding:?}");
}

#[test]
fn broken_memory_is_bad_with_its_command() {
    let none = found(&Sandbox::with(&[("a.txt", "x")]), "memory");
    assert_eq!((none.health, none.found.as_str()), (Health::Good, "none"));
    let broken = Sandbox::with(&[
        ("memory/summary.md", "no header\n"),
        ("memory/impressions.jsonl", "{\n"),
    ]);
    let finding = found(&broken, "memory");
    assert_eq!(finding.health, Health::Bad, "{finding:?}");
    assert!(finding.help.unwrap().contains("`windlass memory check`"));
}

#[test]
#[cfg(unix)]
fn hook_that_git_ignores_is_bad() {
    let sandbox = Sandbox::with(&[("a.txt", "x")]);
    sandbox.git(&["init", "-q"]);
    let none = found(&sandbox, "git hook");
    assert_eq!(none.health, Health::Good);
    sandbox.write(".git/hooks/pre-commit", "#!/bin/sh\nwindlass impact\n");
    let ignored = found(&sandbox, "git hook");
    assert_eq!(ignored.health, Health::Bad);
    assert!(ignored.help.unwrap().starts_with("run `chmod +x "));
}
