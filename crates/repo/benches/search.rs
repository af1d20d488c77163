//! Benchmark of a search in a large tree.
//!
//! To measure a tree of your own, run `SEARCH_TREE=~/.cargo/registry/src cargo bench -p
//! windlass-repo`. For comparison, time `rg -j2 -n PATTERN > /dev/null` in the same tree.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark chooses its tree and stops when that fails"
)]

use std::hint::black_box;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use windlass_base::Cancel;
use windlass_repo::{Repo, RepoOptions, SearchQuery};

/// Returns the tree named by `SEARCH_TREE`, or generates one with 6,000 files.
fn tree(made: &Path) -> PathBuf {
    if let Some(tree) = std::env::var_os("SEARCH_TREE") {
        return tree.into();
    }
    for folder in 0..60 {
        let folder = made.join(format!("module{folder}"));
        std::fs::create_dir(&folder).unwrap();
        for file in 0..100 {
            let line = format!("    let value_{file} = compute(input, &mut state)?;\n");
            let text = line.repeat(200) + if file % 50 == 0 { "// needle\n" } else { "" };
            std::fs::write(folder.join(format!("file{file}.rs")), text).unwrap();
        }
    }
    made.to_owned()
}

fn search(criterion: &mut Criterion) {
    let made = tempfile::tempdir().unwrap();
    let tree = tree(made.path());
    let mut group = criterion.benchmark_group("search");
    group.sample_size(20);
    for pattern in ["needle", "fn ", "[A-Z][a-z]+Error", "found-nowhere"] {
        group.bench_function(pattern, |bencher| {
            let query = SearchQuery {
                pattern: pattern.to_owned(),
                ..SearchQuery::default()
            };
            bencher.iter(|| {
                let options = RepoOptions {
                    threads: NonZero::new(2),
                    ..RepoOptions::default()
                };
                let snapshot = Repo::open_with(&tree, options).unwrap().snapshot();
                black_box(snapshot.search(&query, &Cancel::default()).unwrap())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
