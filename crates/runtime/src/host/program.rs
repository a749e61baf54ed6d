//! A file run once as a program in a worker of its own, for suites of tests.

use super::error::RunError;
use super::network::Reach;
use super::pool::Host;
use super::worker::{Finished, Observer, Worker};
use super::{BYTES_PER_PIXEL, Deadline, Mount};
use crate::protocol::{Load, ProgramLoad};
use std::path::Path;

impl Host {
    /// The program may change its folder, reach this machine's ports and listen on them, start programs
    /// that may do the same, and nothing else. The value is its exit code.
    pub async fn run_program(
        &self,
        load: ProgramLoad,
        deadline: &Deadline,
        observer: &dyn Observer,
    ) -> Result<Finished, RunError> {
        let memory = load.heap + load.canvas_pixels * BYTES_PER_PIXEL;
        let mounts = vec![Mount::read_write(&load.folder)];
        let home = Path::new("/nonexistent");
        let policy = self.policy(memory, mounts.clone(), home);
        let run = self.scratch().await?;
        let processes = self.processes(mounts, home, run.path());
        let mut worker = Worker::spawn(self.walls(), &policy, load.canvas_pixels).await?;
        let reach = Reach::loopback(self.own_ports()).with(processes);
        worker.ask(&Load::Program(load), deadline, observer, &reach).await
    }
}
