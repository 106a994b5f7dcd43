//! The node servers that one `srun` starts, until they have called back.

use super::{Kind, token};
use crate::cli;
use crate::launch;
use crate::link::{Down, Link, Up, encoded};
use crate::node::tree::Listener;
use crate::plan::Plan;
use crate::srun::{self, CALLER, Invitation};
use crate::sys::{self, Inherited, Poller};
use anyhow::{Context, Result, bail};
use nix::unistd::Pid;
use pmi_shm::server::auth::{Handshake, Step as Greeting};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};

/// So much of what Slurm says is kept.
const KEPT: usize = 16 * 1024;

/// Somebody who has called.
enum Caller {
    /// He has to prove that he knows the secret.
    Stranger(OwnedFd, Box<Handshake>),
    /// A server, which will say where it is.
    Server(Link),
}

pub struct Step {
    /// The process of `srun`.
    pub process: Pid,
    /// What a server is sent first.
    pub plan: Vec<u8>,
    listener: Option<Listener>,
    secret: [u8; 32],
    callers: BTreeMap<usize, Caller>,
    next: usize,
    /// The nodes whose servers have not called, by the names of their hosts.
    awaited: HashMap<String, u32>,
    noise: Option<OwnedFd>,
    said: Vec<u8>,
}

/// The plan as it travels. Cost: it is made once, and where the names of the hosts are in sequence and each has as many ranks,
/// it does not grow with their number.
pub fn encoded_plan(plan: &Plan) -> Vec<u8> {
    encoded(&Down::Plan(Box::new(plan.clone())))
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
        let listener = Listener::for_callers(plan.iface.as_deref(), plan.silence)?;
        let told = plan.iface.is_some().then(|| listener.address.ip().to_string());
        let invitation = Invitation {
            port: listener.address.port(),
            address: o.localhost.clone().or(told),
            secret: plan.secret,
            silence: plan.silence,
        };
        let hosts: Vec<&str> = nodes.iter().map(|&n| plan.hosts[n as usize].as_str()).collect();
        let mut child = launch::spawn(&mut srun::command(&srun::words(command, &hosts, o)?, inherited))?;
        let missing = "the launcher's streams are pipes";
        // A few bytes, for which a pipe has room. That srun has gone already is noticed by its end.
        let _ = child.stdin.take().context(missing)?.write_all(&encoded(&invitation));
        let noise: OwnedFd = child.stderr.take().context(missing)?.into();
        sys::set_nonblocking(&noise)?;
        poller.add(&noise, token(Kind::StepNoise, 0), true, false)?;
        poller.add(listener.fd(), token(Kind::Door, 0), true, false)?;
        Ok(Step {
            process: Pid::from_raw(child.id() as i32),
            plan: encoded_plan(plan),
            listener: Some(listener),
            secret: plan.secret,
            callers: BTreeMap::new(),
            next: 0,
            awaited: nodes.iter().map(|&n| (plan.hosts[n as usize].clone(), n)).collect(),
            noise: Some(noise),
            said: Vec::new(),
        })
    }

    /// Takes who stands at the door.
    pub fn accept(&mut self, poller: &Poller) -> Result<()> {
        while let Some(fd) = self.listener.as_ref().and_then(Listener::accept) {
            poller.add(&fd, token(Kind::Caller, self.next), true, false)?;
            let hand = Box::new(Handshake::callee(&self.secret));
            self.callers.insert(self.next, Caller::Stranger(fd, hand));
            self.next += 1;
        }
        Ok(())
    }

    /// Hears a caller. Returns a server that has said which node it is.
    pub fn hear(&mut self, caller: usize, poller: &Poller) -> Result<Option<(u32, Link)>> {
        let mut link = match self.callers.remove(&caller) {
            None => return Ok(None),
            Some(Caller::Server(link)) => link,
            Some(Caller::Stranger(fd, mut hand)) => match greet(&fd, &mut hand) {
                // A stranger may call as often as he likes.
                Greeted::No => {
                    poller.remove(&fd);
                    return Ok(None);
                }
                Greeted::More => {
                    self.callers.insert(caller, Caller::Stranger(fd, hand));
                    return Ok(None);
                }
                Greeted::Yes(rest) => {
                    poller.remove(&fd);
                    let link = Link::resumed(fd, rest)?;
                    poller.add(link.reader(), token(Kind::Caller, caller), true, false)?;
                    link
                }
            },
        };
        let open = link.fill();
        match link.next::<Up>()? {
            Some(Up::Here(name)) => {
                poller.remove(link.reader());
                let Some(node) = self.awaited.remove(&name) else {
                    bail!("Slurm has started a node server on host {name}, which is none of those asked for");
                };
                if self.awaited.is_empty()
                    && let Some(listener) = self.listener.take()
                {
                    poller.remove(listener.fd());
                }
                Ok(Some((node, link)))
            }
            Some(_) => bail!("a node server did not say where it is: is it another version of oshrun?"),
            None => {
                match open {
                    true => drop(self.callers.insert(caller, Caller::Server(link))),
                    false => poller.remove(link.reader()),
                }
                Ok(None)
            }
        }
    }

    /// What Slurm says is kept: it tells of every end, and only a sudden one is of interest.
    pub fn noise_came(&mut self, poller: &Poller) {
        let mut buffer = [0; 4096];
        while let Some(fd) = &self.noise {
            match sys::read(fd.as_fd(), &mut buffer) {
                None => return,
                Some(0) => {
                    poller.remove(fd);
                    self.noise = None;
                }
                Some(n) => {
                    let room = KEPT.saturating_sub(self.said.len());
                    self.said.extend_from_slice(&buffer[..n.min(room)]);
                }
            }
        }
    }

    /// Why the step has ended, as the end of a message.
    pub fn reason(&self) -> String {
        srun::reason(&self.said)
    }
}

/// How a greeting goes on.
enum Greeted {
    No,
    More,
    /// It is over; what was read after it.
    Yes(Vec<u8>),
}

fn greet(fd: &OwnedFd, hand: &mut Handshake) -> Greeted {
    let mut buffer = [0; 1024];
    loop {
        let step = match sys::read(fd.as_fd(), &mut buffer) {
            None => return Greeted::More,
            Some(0) => return Greeted::No,
            Some(n) => hand.input(&buffer[..n]),
        };
        // A fresh connection has room for these few bytes.
        let answered = sys::write(fd.as_fd(), &hand.output()).is_ok();
        match step {
            Ok(Greeting::More) if answered => {}
            Ok(Greeting::Done { role: CALLER, rest, .. }) => return Greeted::Yes(rest),
            _ => return Greeted::No,
        }
    }
}
