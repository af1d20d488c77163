//! TCP proxy that cuts connections on request.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Proxy on loopback; it ends with the test.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    /// Bytes that the server may still send before the connection is cut; negative for no limit.
    budget: Arc<AtomicI64>,
}

impl Proxy {
    pub(crate) fn start(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let budget = Arc::new(AtomicI64::new(-1));
        let shared = Arc::clone(&budget);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let Ok(client) = client else { break };
                let budget = Arc::clone(&shared);
                std::thread::spawn(move || serve(&client, target, &budget));
            }
        });
        Self { port, budget }
    }

    /// Cuts the connection, once, after the server has sent `bytes` more bytes.
    pub(crate) fn cut_after(&self, bytes: i64) {
        self.budget.store(bytes, Ordering::SeqCst);
    }
}

fn serve(client: &TcpStream, target: u16, budget: &AtomicI64) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else {
        return;
    };
    std::thread::scope(|threads| {
        threads.spawn(|| {
            forward(client, &server, |_| true);
        });
        forward(&server, client, |bytes| {
            let bytes = i64::try_from(bytes).unwrap();
            let left = budget.fetch_sub(bytes, Ordering::SeqCst);
            if left < 0 {
                // Without a limit, the number stays below zero.
                budget.store(-1, Ordering::SeqCst);
            }
            left < 0 || left >= bytes
        });
    });
}

/// Forwards bytes until one side ends or `may_pass` refuses; then ends both.
fn forward(mut from: &TcpStream, mut to: &TcpStream, may_pass: impl Fn(usize) -> bool) {
    let mut buffer = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if !may_pass(count) || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
