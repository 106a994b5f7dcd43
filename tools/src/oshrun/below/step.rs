//! The node servers that one `srun` starts, until they have called back.

use super::encoded_plan;
use crate::cli;
use crate::control::{Control, encode};
use crate::launch;
use crate::listener::Listener;
use crate::plan::Plan;
use crate::poll::{self, Kind, Poller};
use crate::srun::{self, CALLER, Rendezvous};
use crate::sys::{self, Inherited};
use crate::tree;
use anyhow::{Context, Result};
use nix::fcntl::{FcntlArg, fcntl};
use nix::unistd::Pid;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};

/// Bytes of Slurm's messages that are kept. The first errors explain an end; later ones would only take memory.
const KEPT: usize = 16 * 1024;

pub struct Step {
    pub process: Pid,
    /// The plan, which is sent to each server first.
    pub plan: Vec<u8>,
    /// `None`: all servers have called.
    pub listener: Option<Listener>,
    /// Servers that have not called yet.
    awaited: usize,
    stderr: Option<OwnedFd>,
    said: Vec<u8>,
}

impl Step {
    pub fn start(
        plan: &Plan,
        nodes: &[u32],
        command: &str,
        o: &cli::Job,
        inherited: &Inherited,
        poller: &Poller,
    ) -> Result<Step> {
        let listener = tree::listen_for_callers(plan, nodes.len(), poller)?;
        let told = plan.iface.is_some().then(|| listener.address.ip().to_string());
        let rendezvous = Rendezvous {
            port: listener.address.port(),
            address: o.localhost.clone().or(told),
            secret: plan.secret,
            silence: plan.silence,
            hosts: plan.hosts.clone(),
        };
        let all = plan.hosts.all()?;
        let hosts: Vec<&str> = nodes.iter().map(|&n| all[n as usize].as_str()).collect();
        let mut child = launch::spawn(&mut srun::command(&srun::words(command, &hosts, o)?), inherited)?;
        let missing = "the launcher's streams are pipes";
        let mut stdin = child.stdin.take().context(missing)?;
        // srun may read it late. A pipe has room for 64 KiB, and on demand for the names of some 50,000 hosts.
        let _ = fcntl(&stdin, FcntlArg::F_SETPIPE_SZ(1 << 20));
        // If srun has ended already, its end will be noticed.
        let _ = stdin.write_all(&encode(&rendezvous));
        drop(stdin);
        let stderr: OwnedFd = child.stderr.take().context(missing)?.into();
        sys::set_nonblocking(&stderr)?;
        poller.add(&stderr, (Kind::StepStderr, 0))?;
        Ok(Step {
            process: Pid::from_raw(child.id() as i32),
            plan: encoded_plan(plan),
            listener: Some(listener),
            awaited: nodes.len(),
            stderr: Some(stderr),
            said: Vec::new(),
        })
    }

    /// A server has called. Behind the last one nobody is listened to.
    pub fn one_came(&mut self, poller: &Poller) {
        self.awaited -= 1;
        if let Some(listener) = self.listener.take_if(|_| self.awaited == 0) {
            listener.close(poller);
        }
    }

    /// Reads from a caller. Returns a server, and its node.
    pub fn read(&mut self, caller: usize, poller: &Poller) -> Result<Option<(u32, Control)>> {
        let came = self.listener.as_mut().and_then(|l| l.ready(caller, poller)).filter(|came| came.role == CALLER);
        came.map(|came| Ok((came.node, Control::resumed(came.fd, &came.rest)?))).transpose()
    }

    /// Keeps Slurm's messages. Slurm reports every end, and only an unexpected one matters.
    pub fn stderr_came(&mut self, poller: &Poller) {
        let Some(fd) = &self.stderr else { return };
        let open = poll::read_some(fd.as_fd(), |bytes| {
            let room = KEPT.saturating_sub(self.said.len());
            self.said.extend_from_slice(&bytes[..bytes.len().min(room)]);
        });
        if !open {
            poller.remove(fd);
            self.stderr = None;
        }
    }

    /// Why the step has ended, as the end of a message.
    pub fn reason(&self) -> String {
        srun::reason(&self.said)
    }
}
