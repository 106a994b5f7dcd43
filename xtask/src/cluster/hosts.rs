//! Hosts made of network namespaces: a hub with a bridge, and around it hosts with an address each. The launcher runs
//! in the hub, so that the machine's network is not touched. Needs root.

use crate::util::{behind, output, root, run};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Addresses are `10.77.0.K`; the hub has K = 254.
const NET: &str = "10.77.0";
pub const HUB: &str = "10.77.0.254";
/// The hub's interface with that address.
pub const HUB_INTERFACE: &str = "bridge";

/// Hosts that exist until this is dropped.
pub struct Hosts {
    /// The hub's namespace; host K's is `NAME-K`.
    name: String,
    count: usize,
}

/// Why there can be no hosts here, if so.
pub fn missing() -> Option<String> {
    let name = format!("oshmpi-try-{}", std::process::id());
    match output(Command::new("ip").args(["netns", "add", &name])) {
        Ok(_) => {
            let _ = output(Command::new("ip").args(["netns", "del", &name]));
            None
        }
        Err(e) => Some(format!(
            "several hosts need root and iproute2: network namespaces cannot be made ({})",
            e.to_string().lines().last().unwrap_or("")
        )),
    }
}

impl Hosts {
    pub fn up(count: usize) -> Result<Hosts> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the numbers must differ.
        let name = format!("oshmpi-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        sweep();
        let hosts = Hosts { name, count };
        let hub = &hosts.name;
        ip(&["netns", "add", hub])?;
        ip(&["-n", hub, "link", "set", "lo", "up"])?;
        ip(&["-n", hub, "link", "add", HUB_INTERFACE, "type", "bridge"])?;
        ip(&["-n", hub, "addr", "add", &format!("{HUB}/24"), "dev", HUB_INTERFACE])?;
        ip(&["-n", hub, "link", "set", HUB_INTERFACE, "up"])?;
        for k in 1..=count {
            let (host, port) = (hosts.namespace(k), port(k));
            ip(&["netns", "add", &host])?;
            ip(&["-n", hub, "link", "add", &port, "type", "veth", "peer", "name", "net", "netns", &host])?;
            ip(&["-n", hub, "link", "set", &port, "master", HUB_INTERFACE, "up"])?;
            ip(&["-n", &host, "addr", "add", &format!("{NET}.{k}/24"), "dev", "net"])?;
            ip(&["-n", &host, "link", "set", "net", "up"])?;
            ip(&["-n", &host, "link", "set", "lo", "up"])?;
        }
        Ok(hosts)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Host `k`'s, from 1.
    pub fn address(k: usize) -> String {
        format!("{NET}.{k}")
    }

    /// Host `k`'s network.
    pub fn namespace(&self, k: usize) -> String {
        format!("{}-{k}", self.name)
    }

    /// "10.77.0.1:2,10.77.0.2:2"; the first hosts get what is left over.
    pub fn list(&self, pes: usize) -> String {
        let share = |k: usize| pes / self.count + usize::from(k <= pes % self.count);
        let hosts = (1..=self.count).filter(|&k| share(k) > 0);
        hosts.map(|k| format!("{NET}.{k}:{}", share(k))).collect::<Vec<_>>().join(",")
    }

    /// `command` as it runs in the hub, with what `enter` needs.
    pub fn in_hub(&self, command: &Command) -> Command {
        let mut c = Command::new("ip");
        c.args(["netns", "exec", &self.name]);
        let mut c = behind(c, command);
        c.env("OSHMPI_CLUSTER", &self.name);
        c
    }

    /// Takes host `k`'s cable out.
    pub fn cut(&self, k: usize) -> Result<()> {
        ip(&["-n", &self.name, "link", "set", &port(k), "down"])
    }

    /// Lets no more than `rate` through to each host, such as "1mbit": a slow network, with queues that fill.
    pub fn slow_down(&self, rate: &str) -> Result<()> {
        for k in 1..=self.count {
            let words = ["netns", "exec", &self.name, "tc", "qdisc", "replace", "dev", &port(k), "root", "tbf"];
            run(Command::new("ip").args(words).args(["rate", rate, "burst", "32kbit", "latency", "400ms"]))
                .with_context(|| format!("tc does not know rate {rate:?}"))?;
        }
        Ok(())
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for k in 1..=self.count {
            let _ = ip(&["netns", "del", &self.namespace(k)]);
        }
        let _ = ip(&["netns", "del", &self.name]);
    }
}

/// Removes the hosts of runners that were ended before they could.
fn sweep() {
    let Ok(list) = output(Command::new("ip").args(["netns", "list"])) else { return };
    for name in list.lines().filter_map(|l| l.split_whitespace().next()) {
        let owner = name.strip_prefix("oshmpi-").and_then(|rest| rest.split('-').next());
        if owner.is_some_and(|pid| pid.parse::<u32>().is_ok() && !PathBuf::from("/proc").join(pid).exists()) {
            let _ = ip(&["netns", "del", name]);
        }
    }
}

/// The hub's end of host `k`'s cable.
fn port(k: usize) -> String {
    format!("host{k}")
}

fn ip(words: &[&str]) -> Result<()> {
    output(Command::new("ip").args(words)).map(|_| ())
}

/// The script that stands for ssh.
pub fn enter() -> PathBuf {
    root().join("tests/cluster/enter")
}

/// Hosts and PEs per host: "2x2".
pub fn parse_layout(text: &str) -> Result<(usize, usize)> {
    let numbers = text.split_once('x').and_then(|(h, p)| Some((h.parse().ok()?, p.parse().ok()?)));
    match numbers {
        Some((hosts @ 1..=100, per @ 1..=100)) => Ok((hosts, per)),
        _ => bail!("{text:?} is not HOSTSxPES, such as 2x2"),
    }
}
