//! Redacting a text, with and without names of secrets in it: `cargo bench -p windlass-redact`.
#![allow(missing_docs, reason = "criterion makes public functions without")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use windlass_redact::redact_text;

fn redact(criterion: &mut Criterion) {
    let plain = "    let value = compute(input, &mut state)?; // nothing to see\n".repeat(2000);
    let names = "    let token = parse_token(&input, password)?;\n".repeat(2000);
    let mut group = criterion.benchmark_group("redact");
    group.bench_function("plain", |bencher| {
        bencher.iter(|| redact_text(black_box(&plain)));
    });
    group.bench_function("names of secrets", |bencher| {
        bencher.iter(|| redact_text(black_box(&names)));
    });
    group.finish();
}

criterion_group!(benches, redact);
criterion_main!(benches);
