//! Benchmarks for reading, writing and converting 20,000 similar items, in comparison with
//! serde_json. To keep the formats comparable, every throughput is relative to the size of the JSON
//! text.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use windlass_tron::{ReadOptions, Value, to_string};

fn items() -> serde_json::Value {
    let item = |nr: u32| {
        json!({
            "id": format!("item-{nr}"),
            "title": format!("Check the \"{nr}\" of the list"),
            "status": if nr.is_multiple_of(3) { "completed" } else { "pending" },
            "percentComplete": f64::from(nr % 101) / 2.0,
            "tags": ["alpha", "beta"],
            "agent": { "id": "ann", "type": "human" },
        })
    };
    json!({ "items": (0..20_000).map(item).collect::<Vec<_>>() })
}

fn against_json(criterion: &mut Criterion) {
    let value = items();
    let json = value.to_string();
    let tron = to_string(&value).unwrap_or_default();
    let options = ReadOptions::default();
    let mut group = criterion.benchmark_group("tron");
    group
        .throughput(Throughput::Bytes(json.len() as u64))
        .sample_size(20);
    group.bench_function("read/serde_json", |b| {
        b.iter(|| serde_json::from_str::<serde_json::Value>(black_box(&json)));
    });
    group.bench_function("read/json", |b| b.iter(|| Value::parse(black_box(&json))));
    group.bench_function("read/tron", |b| b.iter(|| Value::parse(black_box(&tron))));
    group.bench_function("write/serde_json", |b| {
        b.iter(|| black_box(&value).to_string());
    });
    group.bench_function("write/tron", |b| b.iter(|| to_string(black_box(&value))));
    group.bench_function("convert/serde_json", |b| {
        b.iter(|| {
            let read = serde_json::from_str::<serde_json::Value>(black_box(&json));
            read.map(|read| read.to_string())
        });
    });
    group.bench_function("convert/tron_to_json", |b| {
        b.iter(|| options.text_to_json(black_box(&tron)));
    });
    group.bench_function("convert/json_to_tron", |b| {
        b.iter(|| options.text_to_tron(black_box(&json)));
    });
    group.finish();
}

criterion_group!(benches, against_json);
criterion_main!(benches);
