//! A TCP proxy that delays bytes and cuts connections on request.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A proxy on loopback. It ends with the test.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    trouble: Arc<Trouble>,
}

struct Trouble {
    /// Bytes that the server may still send before the connection is cut. Negative for no limit.
    budget: AtomicI64,
    /// Number of times all connections were cut.
    cuts: AtomicU64,
    /// The delay in each direction.
    delay: Duration,
}

impl Proxy {
    pub(crate) fn start(target: u16) -> Self {
        Self::start_slow(target, Duration::ZERO)
    }

    pub(crate) fn start_slow(target: u16, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let trouble = Arc::new(Trouble {
            budget: AtomicI64::new(-1),
            cuts: AtomicU64::new(0),
            delay,
        });
        let shared = Arc::clone(&trouble);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { break };
                let trouble = Arc::clone(&shared);
                std::thread::spawn(move || serve(&client, target, &trouble));
            }
        });
        Self { port, trouble }
    }

    pub(crate) fn cut_after(&self, bytes: i64) {
        self.trouble.budget.store(bytes, Ordering::SeqCst);
    }

    /// Cuts each open connection as soon as its server sends something.
    pub(crate) fn cut_all(&self) {
        self.trouble.cuts.fetch_add(1, Ordering::SeqCst);
    }
}

fn serve(client: &TcpStream, target: u16, trouble: &Trouble) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else {
        return;
    };
    for side in [client, &server] {
        side.set_nodelay(true).unwrap();
    }
    // Only a later cut concerns this connection.
    let cuts = trouble.cuts.load(Ordering::SeqCst);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            forward(client, &server, trouble.delay, |_| true);
        });
        forward(&server, client, trouble.delay, |bytes| {
            let bytes = i64::try_from(bytes).unwrap();
            let left = trouble.budget.fetch_sub(bytes, Ordering::SeqCst);
            if left < 0 {
                // Without a limit, the number stays below zero.
                trouble.budget.store(-1, Ordering::SeqCst);
            }
            (left < 0 || left >= bytes) && trouble.cuts.load(Ordering::SeqCst) == cuts
        });
    });
}

/// Forwards bytes until one side ends or `may_pass` refuses, and then ends both.
fn forward(
    mut from: &TcpStream,
    mut to: &TcpStream,
    delay: Duration,
    may_pass: impl Fn(usize) -> bool,
) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let due = Instant::now() + delay;
        while let Some(rest) = due
            .checked_duration_since(Instant::now())
            .filter(|it| !it.is_zero())
        {
            std::thread::park_timeout(rest);
        }
        if !may_pass(count) || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
