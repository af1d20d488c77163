//! The order of work defined by dependencies.

use crate::Journal;
use crate::event::*;
use crate::tests::*;

#[test]
fn bead_blocker_closed_becomes_ready() {
    let (_folder, mut ledger) = with(&["t-a", "t-b", "t-c", "t-d"]);
    depend(&mut ledger, "t-b", "blocks", "t-a").unwrap();
    depend(&mut ledger, "t-c", "related", "t-a").unwrap();
    depend(&mut ledger, "t-d", "blocks", "elsewhere-1").unwrap();
    assert_eq!(ready(&ledger), "t-a t-c");
    assert_eq!(
        reasons(&ledger, "t-b"),
        "[{why:waits_for,id:t-a,status:open}]"
    );
    // A bead that doesn't exist may be in another ledger, so it still blocks.
    assert_eq!(reasons(&ledger, "t-d"), "[{why:missing,id:elsewhere-1}]");
    close(&mut ledger, "t-a", Outcome::Done);
    assert_eq!(ready(&ledger), "t-b t-c");
}

#[test]
fn conditional_blocks_success_not_ready() {
    let (_folder, mut ledger) = with(&["t-a", "t-b", "t-c", "t-d"]);
    depend(&mut ledger, "t-c", "conditional-blocks", "t-a").unwrap();
    depend(&mut ledger, "t-d", "conditional-blocks", "t-b").unwrap();
    assert_eq!(reasons(&ledger, "t-c"), "[{why:waits_for_failure,id:t-a}]");
    close(&mut ledger, "t-a", Outcome::Done);
    close(&mut ledger, "t-b", Outcome::Failed);
    assert_eq!(ready(&ledger), "t-d");
    assert_eq!(reasons(&ledger, "t-c"), "[{why:did_not_fail,id:t-a}]");
}

#[test]
fn waits_for_no_children_yet_blocks() {
    let (_folder, mut ledger) = with(&["t-a", "t-all", "t-any"]);
    for (id, gate) in [("t-all", "all-children"), ("t-any", "any-children")] {
        let payload = BeadDependencyAdded {
            bead_id: id.to_owned(),
            depends_on_id: "t-a".to_owned(),
            kind: "waits-for".to_owned(),
            gate: Some(gate.to_owned()),
        };
        emit(&mut ledger, 4, payload).unwrap();
    }
    // There are no children yet, but there may be some later.
    assert_eq!(ready(&ledger), "t-a");
    for id in ["t-a.1", "t-a.2"] {
        create(&mut ledger, id, 5);
        depend(&mut ledger, id, "parent-child", "t-a").unwrap();
    }
    close(&mut ledger, "t-a.1", Outcome::Done);
    assert_eq!(ready(&ledger), "t-a t-any t-a.2");
    close(&mut ledger, "t-a.2", Outcome::Done);
    let want = "[{why:waits_for_children,id:t-a,open:0,children:2,closed:false}]";
    assert_eq!(reasons(&ledger, "t-all"), want);
    close(&mut ledger, "t-a", Outcome::Done);
    assert_eq!(ready(&ledger), "t-all t-any");
}

#[test]
fn dependency_cycle_refused() {
    let (_folder, mut ledger) = with(&["t-p", "t-a", "t-b", "t-q", "t-x"]);
    depend(&mut ledger, "t-a", "parent-child", "t-p").unwrap();
    depend(&mut ledger, "t-b", "blocks", "t-a").unwrap();
    depend(&mut ledger, "t-x", "parent-child", "t-q").unwrap();
    let refused = |ledger: &mut Journal, from: &str, kind: &str, to: &str| {
        depend(ledger, from, kind, to).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&mut ledger, "t-a", "blocks", "t-b"),
        "the dependency would close a cycle: `t-a` would begin after `t-b` is done; `t-b` begins after `t-a` is done"
    );
    // A child that waits for its parent, a parent that waits for its child, and longer cycles.
    refused(&mut ledger, "t-a", "blocks", "t-p");
    refused(&mut ledger, "t-p", "waits-for", "t-a");
    refused(&mut ledger, "t-p", "conditional-blocks", "t-b");
    refused(&mut ledger, "t-p", "parent-child", "t-a");
    depend(&mut ledger, "t-q", "blocks", "t-p").unwrap();
    let error = refused(&mut ledger, "t-a", "blocks", "t-x");
    assert_eq!(
        error,
        "the dependency would close a cycle: `t-a` would begin after `t-x` is done; `t-x` is a part of `t-q`; \
         `t-q` begins after `t-p` is done; `t-p` is done after its part `t-a`"
    );
    depend(&mut ledger, "t-a", "related", "t-x").unwrap();
    // Once the dependency is removed, there's no cycle anymore.
    let removed = BeadDependencyRemoved {
        bead_id: "t-q".to_owned(),
        depends_on_id: "t-p".to_owned(),
        kind: None,
    };
    emit(&mut ledger, 8, removed).unwrap();
    depend(&mut ledger, "t-a", "blocks", "t-x").unwrap();
}

#[test]
fn blocked_parent_blocks_children() {
    let (_folder, mut ledger) = with(&["t-a", "t-p", "t-p.1", "t-p.1.1"]);
    depend(&mut ledger, "t-p.1", "parent-child", "t-p").unwrap();
    depend(&mut ledger, "t-p.1.1", "parent-child", "t-p.1").unwrap();
    assert_eq!(ready(&ledger), "t-a t-p t-p.1 t-p.1.1");
    depend(&mut ledger, "t-p", "blocks", "t-a").unwrap();
    assert_eq!(ready(&ledger), "t-a");
    assert_eq!(
        reasons(&ledger, "t-p.1.1"),
        "[{why:part_of_blocked,id:t-p.1}]"
    );
}
