use std::io::Read as _;
use std::process::Stdio;
use std::sync::mpsc::channel;

use super::*;

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn descendants_end_with_their_parent() {
    let mut command = shell("sleep 600 & exit 3");
    own_group(&mut command);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let (send, printed) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    end(&mut child);
    // A surviving descendant would hold the pipe open, and this call would time out.
    let printed = printed.recv_timeout(Duration::from_secs(60));
    assert_eq!(printed, Ok(Vec::new()));
}
