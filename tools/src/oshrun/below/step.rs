//! The node servers that one `srun` starts, until they have called back.

use super::{Kind, encoded_plan, token};
use crate::cli;
use crate::control::{Control, Up, encode};
use crate::launch;
use crate::listener::Listener;
use crate::node::tree;
use crate::plan::Plan;
use crate::srun::{self, CALLER, Rendezvous};
use crate::sys::{self, Inherited, Poller};
use anyhow::{Context, Result, bail};
use nix::unistd::Pid;
use pmi_shm::server::auth::{self, Handshake};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

/// Bytes of Slurm's messages that are kept. The first errors explain an end; later ones would only take memory.
const KEPT: usize = 16 * 1024;

/// A connection from another host.
enum Caller {
    /// The caller has to prove that it knows the secret.
    Unproven(OwnedFd, Box<Handshake>),
    /// The caller is a server, which will tell where it is.
    Server(Control),
}

pub struct Step {
    /// The process of `srun`.
    pub process: Pid,
    /// The plan, which is sent to each server first.
    pub plan: Vec<u8>,
    listener: Option<Listener>,
    secret: [u8; 32],
    callers: BTreeMap<usize, Caller>,
    next: usize,
    /// The nodes whose servers have not called back, by the names of their hosts.
    awaited: HashMap<String, u32>,
    stderr: Option<OwnedFd>,
    said: Vec<u8>,
}

impl Step {
    /// Starts the servers of these nodes.
    pub fn start(
        plan: &Plan,
        nodes: &[u32],
        command: &str,
        o: &cli::Job,
        inherited: &Inherited,
        poller: &Poller,
    ) -> Result<Step> {
        let mut listener = tree::listen_for_callers(plan.iface.as_deref(), plan.silence, nodes.len())?;
        let told = plan.iface.is_some().then(|| listener.address.ip().to_string());
        let rendezvous = Rendezvous {
            port: listener.address.port(),
            address: o.localhost.clone().or(told),
            secret: plan.secret,
            silence: plan.silence,
        };
        let all = plan.hosts.all()?;
        let hosts: Vec<&str> = nodes.iter().map(|&n| all[n as usize].as_str()).collect();
        let mut child = launch::spawn(&mut srun::command(&srun::words(command, &hosts, o)?), inherited)?;
        let missing = "the launcher's streams are pipes";
        // A pipe has room for these few bytes. If srun has ended already, its end will be noticed.
        let _ = child.stdin.take().context(missing)?.write_all(&encode(&rendezvous));
        let stderr: OwnedFd = child.stderr.take().context(missing)?.into();
        sys::set_nonblocking(&stderr)?;
        poller.add(&stderr, token(Kind::StepStderr, 0), true, false)?;
        listener.watch(poller, token(Kind::Listener, 0))?;
        Ok(Step {
            process: Pid::from_raw(child.id() as i32),
            plan: encoded_plan(plan),
            listener: Some(listener),
            secret: plan.secret,
            callers: BTreeMap::new(),
            next: 0,
            awaited: hosts.into_iter().map(String::from).zip(nodes.iter().copied()).collect(),
            stderr: Some(stderr),
            said: Vec::new(),
        })
    }

    /// Accepts some callers.
    pub fn accept(&mut self, poller: &Poller) -> Result<()> {
        for fd in self.listener.as_mut().map(|l| l.accept(poller)).unwrap_or_default() {
            poller.add(&fd, token(Kind::Caller, self.next), true, false)?;
            let handshake = Box::new(Handshake::callee(&self.secret));
            self.callers.insert(self.next, Caller::Unproven(fd, handshake));
            if let Some(other) = self.listener.as_mut().and_then(|l| l.came(self.next)) {
                self.turn_away(other, poller);
            }
            self.next += 1;
        }
        Ok(())
    }

    fn turn_away(&mut self, caller: usize, poller: &Poller) {
        if let Some(Caller::Unproven(fd, _)) = self.callers.remove(&caller) {
            poller.remove(&fd);
        }
    }

    /// Turns away callers that take too long.
    pub fn look_at_clock(&mut self, poller: &Poller) {
        let late = self.listener.as_mut().map(|l| l.look_at_clock(poller)).unwrap_or_default();
        late.into_iter().for_each(|caller| self.turn_away(caller, poller));
    }

    /// When to look at the clock.
    pub fn next_time(&self) -> Option<Instant> {
        self.listener.as_ref().and_then(Listener::next_time)
    }

    /// Reads from a caller. Returns a server that has told which node it is.
    pub fn read(&mut self, caller: usize, poller: &Poller) -> Result<Option<(u32, Control)>> {
        let mut control = match self.callers.remove(&caller) {
            None => return Ok(None),
            Some(Caller::Server(control)) => control,
            Some(Caller::Unproven(fd, mut handshake)) => match shake(&fd, &mut handshake) {
                // Anybody may connect; nothing is lost by it.
                Shaken::No => {
                    self.listener.iter_mut().for_each(|l| l.settled(caller));
                    poller.remove(&fd);
                    return Ok(None);
                }
                Shaken::More => {
                    self.listener.iter_mut().filter(|_| handshake.has_greeted()).for_each(|l| l.greeted(caller));
                    self.callers.insert(caller, Caller::Unproven(fd, handshake));
                    return Ok(None);
                }
                Shaken::Yes(rest) => {
                    self.listener.iter_mut().for_each(|l| l.settled(caller));
                    poller.remove(&fd);
                    let control = Control::resumed(fd, &rest)?;
                    poller.add(control.reader(), token(Kind::Caller, caller), true, false)?;
                    control
                }
            },
        };
        let open = control.fill();
        match control.next::<Up>()? {
            Some(Up::Here(name)) => {
                poller.remove(control.reader());
                let Some(node) = self.awaited.remove(&name) else {
                    bail!("Slurm has started a node server on host {name}, which is none of those asked for");
                };
                if self.awaited.is_empty()
                    && let Some(listener) = self.listener.take()
                {
                    listener.strangers().into_iter().for_each(|caller| self.turn_away(caller, poller));
                    listener.close(poller);
                }
                Ok(Some((node, control)))
            }
            Some(_) => bail!("a node server did not say where it is: is it another version of oshrun?"),
            None => {
                match open {
                    true => drop(self.callers.insert(caller, Caller::Server(control))),
                    false => poller.remove(control.reader()),
                }
                Ok(None)
            }
        }
    }

    /// Keeps Slurm's messages. Slurm reports every end, and only an unexpected one matters.
    pub fn stderr_came(&mut self, poller: &Poller) {
        let Some(fd) = &self.stderr else { return };
        let open = sys::read_some(fd.as_fd(), |bytes| {
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

/// How a handshake goes on.
enum Shaken {
    No,
    More,
    /// It has succeeded. These bytes were read behind it.
    Yes(Vec<u8>),
}

fn shake(fd: &OwnedFd, handshake: &mut Handshake) -> Shaken {
    let mut buffer = [0; 1024];
    loop {
        let step = match sys::read(fd.as_fd(), &mut buffer) {
            None => return Shaken::More,
            Some(0) => return Shaken::No,
            Some(n) => handshake.input(&buffer[..n]),
        };
        // A new connection has room for these few bytes.
        let answered = sys::write(fd.as_fd(), &handshake.output()).is_ok();
        match step {
            Ok(auth::Step::More) if answered => {}
            Ok(auth::Step::Done { role: CALLER, rest, .. }) => return Shaken::Yes(rest),
            _ => return Shaken::No,
        }
    }
}
