//! A node server that Slurm has started on its host together with others: it calls oshrun back.

use super::{remote, tree};
use crate::launch::plain;
use crate::link::{Link, Up};
use crate::srun::{CALLER, Invitation};
use anyhow::{Context, Result, anyhow, bail};
use pmi_shm::server::auth::{Handshake, Step};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::time::Duration;

/// How long oshrun may take to answer. It does nothing but wait for us, unless its host is very busy.
const ANSWER: Duration = Duration::from_secs(60);

/// No invitation is longer.
const LONGEST: u32 = 1 << 16;

/// The node server of another host: `oshrun --node-server --call-back`. Errors before there is a link go to standard
/// error, which Slurm carries to oshrun.
pub fn called() -> Result<ExitCode> {
    let name = variable("SLURMD_NODENAME")?;
    let invitation = invitation().context("cannot read where oshrun is")?;
    let address = match &invitation.address {
        Some(told) => told.clone(),
        None => variable("SLURM_LAUNCH_NODE_IPADDR")?,
    };
    let mut link = call(&address, &invitation)
        .with_context(|| format!("host {name} cannot reach oshrun at {address}, port {}", invitation.port))?;
    link.send(&Up::Here(name));
    remote::serve_over(link)
}

fn variable(name: &str) -> Result<String> {
    let text = std::env::var(name).ok().filter(|v| !v.is_empty());
    text.ok_or_else(|| anyhow!("{name} is not set: a node server that calls back is started by srun only"))
}

fn invitation() -> Result<Invitation> {
    let mut stdin = std::io::stdin().lock();
    let mut head = [0; 4];
    stdin.read_exact(&mut head)?;
    let length = u32::from_le_bytes(head);
    if length > LONGEST {
        bail!("{length} bytes are no invitation: is it another version of oshrun?");
    }
    let mut body = vec![0; length as usize];
    stdin.read_exact(&mut body)?;
    postcard::from_bytes(&body).context("is it another version of oshrun?")
}

/// A connection on which both sides have proved that they know the secret.
fn call(address: &str, invitation: &Invitation) -> Result<Link> {
    let mut stream = connect(address, invitation.port)?;
    stream.set_read_timeout(Some(ANSWER))?;
    let mut hand = Handshake::caller(&invitation.secret, CALLER, 0).map_err(|e| anyhow!("{e}"))?;
    stream.write_all(&hand.output())?;
    let mut buffer = [0; 1024];
    let rest = loop {
        let n = stream.read(&mut buffer)?;
        if n == 0 {
            bail!("it has closed the connection");
        }
        let step = hand.input(&buffer[..n]).map_err(|e| anyhow!("{}", e.0))?;
        stream.write_all(&hand.output())?;
        if let Step::Done { rest, .. } = step {
            break rest;
        }
    };
    let fd = OwnedFd::from(stream);
    tree::tune(&fd, invitation.silence);
    Link::resumed(fd, rest)
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
