//! Runs a program with text on its standard input, within limits, without ever blocking on a pipe.

use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

#[derive(Clone, Copy, Debug)]
pub struct ProcessLimits {
    pub deadline: Instant,
    pub output_bytes: usize,
}

#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    pub errors: Vec<u8>,
}

#[derive(Debug)]
pub enum ProcessError {
    /// It could not be started.
    Start(std::io::Error),
    /// It was killed at the deadline.
    Time,
    /// It was killed because it wrote too much.
    Output,
    /// Waiting for it failed.
    Wait(std::io::Error),
}

/// More of the compiler's complaints than this is not worth keeping.
const MAX_ERROR_BYTES: usize = 4 << 20;

/// How long a killed program's pipes are waited for.
const GRACE: Duration = Duration::from_secs(2);

/// Runs `command` to its end, or kills it and everything it started at the first limit.
pub fn run(
    mut command: Command,
    input: Arc<[u8]>,
    limits: ProcessLimits,
) -> Result<Finished, ProcessError> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    own_process_group(&mut command);
    let mut child = spawn(&mut command).map_err(ProcessError::Start)?;
    limit_resources(&child, limits.deadline);

    // Detached threads, not scoped ones: if some grandchild keeps a pipe open for ever, only its
    // thread waits for ever.
    if let Some(mut pipe) = child.stdin.take() {
        thread::spawn(move || {
            // The program may stop reading early (a fatal error); that is no error of ours.
            let _ = pipe.write_all(&input);
        });
    }
    let output = drain(child.stdout.take(), limits.output_bytes, WhenFull::Stop);
    let errors = drain(child.stderr.take(), MAX_ERROR_BYTES, WhenFull::Discard);

    let result = wait(&mut child, &output, limits);
    match result {
        Ok((status, output)) => Ok(Finished {
            status,
            output,
            errors: errors
                .recv_timeout(GRACE)
                .map(|drained| drained.bytes)
                .unwrap_or_default(),
        }),
        Err(error) => {
            kill_with_children(&mut child);
            let _ = child.wait();
            Err(error)
        }
    }
}

/// Memory for the program, and for each that it starts: a header without an end (`/dev/zero`) must not take all
/// that the machine has before its time is over.
#[cfg(target_os = "linux")]
const MOST_MEMORY: u64 = 4 << 30;

/// What the system enforces, also for children that outlive their group. It is in force before the program has
/// started any, because that takes longer than this.
#[cfg(target_os = "linux")]
fn limit_resources(child: &Child, deadline: Instant) {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let seconds = remaining(deadline).as_secs() + 1;
    for (resource, most) in [
        (Resource::As, MOST_MEMORY),
        (Resource::Cpu, seconds),
        (Resource::Core, 0),
    ] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // Where the system does not allow it there is still the deadline.
        let _ = pid.map(|pid| prlimit(Some(pid), resource, limit));
    }
}

#[cfg(not(target_os = "linux"))]
fn limit_resources(_child: &Child, _deadline: Instant) {}

/// A program that is just being written (an upgrade of the compiler) is tried again for a moment.
fn spawn(command: &mut Command) -> std::io::Result<Child> {
    for _ in 0..20 {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
    command.spawn()
}

fn wait(
    child: &mut Child,
    output: &Receiver<Drained>,
    limits: ProcessLimits,
) -> Result<(ExitStatus, Vec<u8>), ProcessError> {
    let drained = match output.recv_timeout(remaining(limits.deadline)) {
        Ok(drained) if drained.is_full => return Err(ProcessError::Output),
        Ok(drained) => drained,
        Err(RecvTimeoutError::Timeout) => return Err(ProcessError::Time),
        // The reader is gone without an answer: there is no output.
        Err(RecvTimeoutError::Disconnected) => Drained::default(),
    };
    match child.wait_timeout(remaining(limits.deadline)) {
        Ok(Some(status)) => Ok((status, drained.bytes)),
        Ok(None) => Err(ProcessError::Time),
        Err(error) => Err(ProcessError::Wait(error)),
    }
}

fn remaining(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

#[derive(Default)]
struct Drained {
    bytes: Vec<u8>,
    is_full: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenFull {
    Stop,
    Discard,
}

/// Reads a pipe to its end on a thread of its own, keeping at most `limit` bytes.
fn drain(
    pipe: Option<impl Read + Send + 'static>,
    limit: usize,
    when_full: WhenFull,
) -> Receiver<Drained> {
    let (sender, receiver) = channel();
    let Some(mut pipe) = pipe else {
        return receiver;
    };
    thread::spawn(move || {
        let mut drained = Drained::default();
        // What was read before an error is still worth having.
        let _ = (&mut pipe)
            .take(limit as u64)
            .read_to_end(&mut drained.bytes);
        if drained.bytes.len() == limit {
            let mut more = [0_u8; 1];
            drained.is_full = matches!(pipe.read(&mut more), Ok(1));
        }
        if drained.is_full && when_full == WhenFull::Discard {
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        // The receiver may have given up at a limit.
        let _ = sender.send(drained);
    });
    receiver
}

#[cfg(unix)]
fn own_process_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_process_group(_command: &mut Command) {}

/// `gcc` is a driver: what does the work, and holds the pipes, is a child of it.
#[cfg(unix)]
fn kill_with_children(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The group may be gone already.
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(not(unix))]
fn kill_with_children(child: &mut Child) {
    let _ = child.kill();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(
        script: &str,
        input: &[u8],
        seconds: u64,
        output_bytes: usize,
    ) -> Result<Finished, ProcessError> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let limits = ProcessLimits {
            deadline: Instant::now() + Duration::from_secs(seconds),
            output_bytes,
        };
        run(command, Arc::from(input), limits)
    }

    #[test]
    fn large_input_output_and_errors_do_not_block_each_other() {
        let input = vec![b'x'; 3 << 20];
        let finished = shell("tee /dev/stderr", &input, 60, 8 << 20).unwrap();
        assert_eq!(finished.output.len(), input.len());
        assert_eq!(finished.errors.len(), input.len());
    }

    #[test]
    fn a_program_that_does_not_read_its_input_ends_as_usual() {
        let finished = shell("exit 3", &vec![b'x'; 3 << 20], 60, 10).unwrap();
        assert_eq!(finished.status.code(), Some(3));
    }

    #[test]
    fn a_slow_program_is_killed_with_its_children() {
        let error = shell("sleep 1000 & sleep 1000", b"", 1, 10).unwrap_err();
        assert!(matches!(error, ProcessError::Time), "{error:?}");
    }

    #[test]
    fn a_talkative_program_is_killed() {
        let error = shell("yes", b"", 60, 1000).unwrap_err();
        assert!(matches!(error, ProcessError::Output), "{error:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_greedy_program_does_not_get_the_whole_memory() {
        let script =
            "sleep 0.2; ulimit -v; ulimit -c; exec dd if=/dev/zero of=/dev/null bs=5G count=1";
        let finished = shell(script, b"", 60, 1000).unwrap();
        assert_eq!(finished.output, b"4194304\n0\n");
        assert!(!finished.status.success());
    }

    #[test]
    fn output_of_exactly_the_limit_is_fine() {
        assert_eq!(shell("printf 12345", b"", 60, 5).unwrap().output, b"12345");
    }
}
