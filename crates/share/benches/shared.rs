//! Measures how many claims per second long-lived workers on two machines can make, for each
//! backend.
//!
//! Three baselines on the same server show what's possible: a bare append under one row lock, an
//! append by a client that reads under that lock first, as it has to for a decision, and `SKIP
//! LOCKED`, which keeps no order. Run it with `cargo xtask bench shared [SECONDS [BACKEND]]`.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for those who work on the code: it makes folders, measures time and prints"
)]

#[path = "../../../tests/support/bench_site.rs"]
mod bench_site;
#[path = "../../../tests/support/postgres.rs"]
mod cluster;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bench_site::{environment, git};
use postgres::{Client, NoTls};
use windlass_ledger::{LedgerService, LedgerSession, NewBead, WorkFilter};
use windlass_share::Backends;
use windlass_site::Site;

const WORKERS: [usize; 3] = [1, 4, 16];
/// Number of turns of each contender. We print the medians.
const ROUNDS: usize = 5;
/// Number of beads for each worker, which claims them one after the other. A worker that has
/// claimed all of them stops early.
const BEADS: usize = 200;

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    match &args[..] {
        [word, root, worker, seconds] if word == "worker" => {
            work(Path::new(root), worker, seconds.parse().unwrap());
        }
        [] => measure(Duration::from_secs(2), ""),
        [seconds] => measure(Duration::from_secs(seconds.parse().unwrap()), ""),
        [seconds, backend] => measure(Duration::from_secs(seconds.parse().unwrap()), backend),
        _ => eprintln!("usage: cargo xtask bench shared [SECONDS [BACKEND]]"),
    }
}

/// Measures the backends with `wanted` in their name, or all of them if it is empty.
///
/// A disk may take ten times as long for a sync as a minute before. So the contenders take turns,
/// and each ratio is one of neighbours in time.
fn measure(time: Duration, wanted: &str) {
    let Some(cluster) = cluster::Cluster::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let remote = tempfile::tempdir().unwrap();
    git(remote.path(), &["init", "--quiet", "--bare"]);
    let url = cluster.url();
    let shared = format!("file:{}", folder.path().display());
    let mut backends = vec![
        ("PostgreSQL", Some(url.as_str())),
        ("no sharing", None),
        ("folder", Some(shared.as_str())),
        ("git ref", Some("git:origin")),
    ];
    backends.retain(|(name, _)| name.contains(wanted));
    println!(
        "{:24}{:>8}{:>12}{:>12}{:>12}",
        "", "workers", "claims/s", "p50 ms", "p99 ms"
    );
    for workers in WORKERS {
        let mut all = BTreeMap::new();
        let mut ratios = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS {
            let rates = BASELINES.map(|(name, call)| {
                let times = on_server(&cluster, workers, time, call);
                add(&mut all, name, times)
            });
            for (name, location) in &backends {
                let times = with_windlass(*location, remote.path(), (workers, round), time);
                let rate = add(&mut all, name, times);
                if *name == "PostgreSQL" {
                    ratios[0].push(rate / rates[0]);
                    ratios[1].push(rate / rates[1]);
                }
            }
        }
        for (name, (rates, times)) in &mut all {
            print(name, workers, median(rates), times);
        }
        if backends.iter().any(|(name, _)| *name == "PostgreSQL") {
            let [blind, reading] = ratios.map(|mut ratios| median(&mut ratios));
            let ratios = format!("{blind:.2} of bare, {reading:.2} of reading first");
            println!("{ratios:>68}");
        }
    }
}

/// Rates of the rounds, and the times of all calls.
type Measured<'n> = BTreeMap<&'n str, (Vec<f64>, Vec<f64>)>;

/// Adds a round, and returns its calls per second.
fn add<'n>(all: &mut Measured<'n>, name: &'n str, times: Vec<Vec<f64>>) -> f64 {
    let longest = times
        .iter()
        .map(|times| times.iter().sum())
        .fold(0.0, f64::max);
    let times: Vec<f64> = times.into_iter().flatten().collect();
    let rate = times.len() as f64 / longest;
    let known = all.entry(name).or_default();
    known.0.push(rate);
    known.1.extend(times);
    rate
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(name: &str, workers: usize, rate: f64, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[(times.len() as f64 * part) as usize] * 1e3;
    let (middle, most) = (at(0.5), at(0.99));
    println!("{name:24}{workers:>8}{rate:>12.0}{middle:>12.1}{most:>12.1}");
}

type Call = Box<dyn FnMut(&mut Client, &str)>;
type Baseline = fn(&mut Client) -> Call;

/// The first keeps an order, but its client can't decide anything: it never sees the log.
const BASELINES: [(&str, Baseline); 3] = [
    ("bare row lock", |client| {
        let append =
            "with moved as (update bare set head = head + 1 where name = 'x' returning head)
            insert into bare_log select head, $1 from moved";
        prepared(client, append)
    }),
    ("reading under it first", |_| {
        let read = "begin; select head from bare where name = 'x' for update";
        Box::new(move |client, event| {
            client.simple_query(read).unwrap();
            let append = format!(
                "update bare set head = head + 1 where name = 'x';
                 insert into bare_log select head, '{event}' from bare where name = 'x'; commit"
            );
            client.batch_execute(&append).unwrap();
        })
    }),
    // Takes one row of a queue, in no order.
    ("SKIP LOCKED", |client| {
        let take =
            "with one as (select id from queue where owner is null limit 1 for update skip locked)
            update queue set owner = $1 from one where queue.id = one.id";
        prepared(client, take)
    }),
];

fn prepared(client: &mut Client, sql: &str) -> Call {
    let statement = client.prepare(sql).unwrap();
    Box::new(move |client, event| {
        client.execute(&statement, &[&event]).unwrap();
    })
}

fn on_server(
    cluster: &cluster::Cluster,
    workers: usize,
    time: Duration,
    baseline: Baseline,
) -> Vec<Vec<f64>> {
    cluster.sql(
        "drop table if exists bare, bare_log, queue; create table bare (name text primary key, head bigint); \
         insert into bare values ('x', 0); create table bare_log (at bigint primary key, event text); \
         create table queue (id bigint primary key, owner text); \
         insert into queue select generate_series(1, 100000)",
    );
    let event = "x".repeat(400);
    let url = cluster.url();
    let each = |_| {
        let (url, event) = (url.clone(), event.clone());
        std::thread::spawn(move || {
            let mut client = Client::connect(&url, NoTls).unwrap();
            let mut call = baseline(&mut client);
            let (start, mut times) = (Instant::now(), Vec::new());
            while start.elapsed() < time {
                let began = Instant::now();
                call(&mut client, &event);
                times.push(began.elapsed().as_secs_f64());
            }
            times
        })
    };
    let threads: Vec<_> = (0..workers).map(each).collect();
    threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect()
}

fn with_windlass(
    location: Option<&str>,
    remote: &Path,
    (workers, round): (usize, usize),
    time: Duration,
) -> Vec<Vec<f64>> {
    let machines: [tempfile::TempDir; 2] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
    for machine in &machines {
        git(machine.path(), &["init", "--quiet"]);
        git(
            machine.path(),
            &["remote", "add", "origin", remote.to_str().unwrap()],
        );
    }
    // If nothing is shared, a single machine is enough.
    let count = if location.is_some() { 2 } else { 1 };
    let mut first = open(machines[0].path(), "ann");
    for worker in 0..workers {
        for number in 0..BEADS {
            let bead = NewBead {
                title: "work".to_owned(),
                id: Some(format!("t-{worker}-{number}")),
                ..NewBead::default()
            };
            first.beads().create(&bead).unwrap();
        }
    }
    if let Some(location) = location {
        let name = format!("bench-{}-{workers}-{round}", std::process::id());
        for machine in &machines {
            open(machine.path(), "ann")
                .sharing()
                .share(location, &name)
                .unwrap();
        }
    }
    let start = |worker: usize| {
        Command::new(std::env::current_exe().unwrap())
            .args(["worker", machines[worker % count].path().to_str().unwrap()])
            .args([worker.to_string(), time.as_secs().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut children: Vec<_> = (0..workers).map(start).collect();
    let mut outputs: Vec<_> = children
        .iter_mut()
        .map(|child| BufReader::new(child.stdout.take().unwrap()))
        .collect();
    // Wait until all workers have opened the ledger, so that they start at the same time.
    for output in &mut outputs {
        output.read_line(&mut String::new()).unwrap();
    }
    for child in &mut children {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    let mut times = Vec::new();
    for (output, mut child) in outputs.into_iter().zip(children) {
        let lines = output
            .lines()
            .map(|line| line.unwrap().parse::<f64>().unwrap());
        times.push(lines.collect());
        assert!(child.wait().unwrap().success());
    }
    times
}

/// Claims the worker's beads one after the other, and prints how many seconds each claim took.
fn work(root: &Path, worker: &str, seconds: u64) {
    let mut session = open(root, &format!("worker-{worker}"));
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let (start, mut times) = (Instant::now(), Vec::new());
    for number in 0..BEADS {
        if start.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
        let began = Instant::now();
        let id = format!("t-{worker}-{number}");
        session
            .beads()
            .claim(Some(&id), &WorkFilter::default())
            .unwrap();
        times.push(began.elapsed().as_secs_f64());
    }
    for time in times {
        println!("{time}");
    }
}

fn open(root: &Path, actor: &str) -> LedgerSession {
    let site = Site::open(root, environment(root)).unwrap();
    let service = LedgerService::new(&site).sharing(Arc::new(Backends::new(&site)));
    service.open(Some(actor), "bench").unwrap()
}
