//! A node server that Slurm has started, together with others. It calls oshrun back.

use super::relay;
use crate::control::Control;
use crate::launch::plain;
use crate::listener;
use crate::srun::{CALLER, Rendezvous};
use crate::tree;
use anyhow::{Context, Result, anyhow, bail};
use pmi_shm::frame::Inbox;
use pmi_shm::server::auth::Handshake;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::time::Duration;

/// How long oshrun may take to answer. It waits for its servers, so only a very busy host needs as long. A longer time
/// lets a server stay longer when oshrun has gone.
const ANSWER: Duration = Duration::from_secs(60);

/// The node server of another host: `oshrun --node-server --call-back`. Until there is a control connection, errors go
/// to standard error, which Slurm carries to oshrun.
pub fn call_back() -> Result<ExitCode> {
    let name = variable("SLURMD_NODENAME")?;
    let rendezvous = rendezvous().context("cannot read where oshrun is")?;
    let address = match &rendezvous.address {
        Some(told) => told.clone(),
        None => variable("SLURM_LAUNCH_NODE_IPADDR")?,
    };
    let Some(node) = rendezvous.hosts.all()?.iter().position(|host| *host == name) else {
        bail!("Slurm has started a node server on host {name}, which is none of those asked for");
    };
    let control = call(&address, &rendezvous, node as u32)
        .with_context(|| format!("host {name} cannot reach oshrun at {address}, port {}", rendezvous.port))?;
    relay::serve_over(control)
}

fn variable(name: &str) -> Result<String> {
    let text = std::env::var(name).ok().filter(|v| !v.is_empty());
    text.ok_or_else(|| anyhow!("{name} is not set: a node server that calls back is started by srun only"))
}

/// Standard input may stay open behind the message.
fn rendezvous() -> Result<Rendezvous> {
    let mut inbox = Inbox::default();
    let mut buffer = [0; 4096];
    loop {
        let n = std::io::stdin().lock().read(&mut buffer)?;
        inbox.push(&buffer[..n]);
        match inbox.take().context("is it another version of oshrun?")? {
            Some(rendezvous) => return Ok(rendezvous),
            None if n == 0 => bail!("standard input has ended"),
            None => {}
        }
    }
}

/// A connection on which both sides have proved that they know the secret.
fn call(address: &str, rendezvous: &Rendezvous, node: u32) -> Result<Control> {
    let stream = connect(address, rendezvous.port)?;
    stream.set_read_timeout(Some(ANSWER))?;
    let fd = OwnedFd::from(stream);
    let mut handshake = Handshake::caller(&rendezvous.secret, CALLER, node)?;
    let Some((.., rest)) = listener::shake(&fd, &mut handshake)? else {
        bail!("it gave no answer within {} s", ANSWER.as_secs())
    };
    listener::tune(&fd, rendezvous.silence);
    Control::resumed(fd, &rest)
}

fn connect(address: &str, port: u16) -> Result<TcpStream> {
    let mut last = anyhow!("no such host");
    for ip in tree::resolve(address) {
        match TcpStream::connect_timeout(&SocketAddr::new(ip, port), ANSWER) {
            Ok(stream) => return Ok(stream),
            Err(e) => last = anyhow!(plain(&e)),
        }
    }
    bail!("{last} (-localhost and --iface name the address to use)")
}
