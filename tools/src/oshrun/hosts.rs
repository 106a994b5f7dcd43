//! Which hosts a job runs on, and whether a name means this machine.

use anyhow::{Context, Result, anyhow, bail};
use std::net::{IpAddr, ToSocketAddrs};

/// A host as the user named it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    pub name: String,
    /// Ranks it takes, where told.
    pub slots: Option<u32>,
}

/// `a,b:4,[fe80::1]:2`.
pub fn list(text: &str) -> Result<Vec<Host>> {
    let hosts: Vec<Host> = text
        .split(',')
        .filter(|w| !w.is_empty())
        .map(|w| host(w).map_err(|e| anyhow!("-hosts: {e}")))
        .collect::<Result<_>>()?;
    if hosts.is_empty() {
        bail!("-hosts names no host; expected a list such as a,b:4");
    }
    merge(hosts).context("-hosts")
}

/// A file with a host per line.
pub fn file(path: &str) -> Result<Vec<Host>> {
    let text = std::fs::read_to_string(path).map_err(|e| anyhow!("cannot read the host file {path}: {e}"))?;
    let mut hosts = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            hosts.push(line_of_file(line).map_err(|e| anyhow!("{path}:{}: {e}", i + 1))?);
        }
    }
    if hosts.is_empty() {
        bail!("the host file {path} names no host");
    }
    merge(hosts).with_context(|| path.to_string())
}

fn line_of_file(line: &str) -> Result<Host> {
    let mut words = line.split_whitespace();
    let mut h = host(words.next().unwrap_or_default())?;
    for word in words {
        match word.split_once('=') {
            Some(("slots", n)) => h.slots = Some(count(n)?),
            // Other launchers' settings do not concern the number of ranks.
            Some(("max_slots" | "max-slots" | "user" | "ifhn" | "binding", _)) => {}
            _ => bail!("\"{word}\" is not understood; expected NAME, NAME:SLOTS or NAME slots=SLOTS"),
        }
    }
    Ok(h)
}

fn host(word: &str) -> Result<Host> {
    // An IPv6 address has colons itself: it stands in brackets when slots follow.
    let (name, slots) = match word.strip_prefix('[').and_then(|w| w.split_once(']')) {
        Some((name, "")) => (name, None),
        Some((name, rest)) => (name, rest.strip_prefix(':')),
        None if word.matches(':').count() > 1 => (word, None),
        None => match word.split_once(':') {
            Some((name, slots)) => (name, Some(slots)),
            None => (word, None),
        },
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:@%".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
        bail!("\"{word}\" is not the name of a host");
    }
    Ok(Host { name: name.to_string(), slots: slots.map(count).transpose()? })
}

fn count(text: &str) -> Result<u32> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => bail!("\"{text}\" is not a number of ranks above 0"),
    }
}

/// A host named twice takes the ranks of both.
fn merge(hosts: Vec<Host>) -> Result<Vec<Host>> {
    let mut all: Vec<Host> = Vec::new();
    for h in hosts {
        match all.iter_mut().find(|o| o.name == h.name) {
            Some(o) => {
                let sum = o.slots.unwrap_or(1).checked_add(h.slots.unwrap_or(1));
                o.slots = Some(sum.ok_or_else(|| anyhow!("host {} has too many slots", h.name))?);
            }
            None => all.push(h),
        }
    }
    Ok(all)
}

/// Whether a name means the machine we run on.
pub fn is_here(name: &str) -> bool {
    let own = nix::unistd::gethostname().ok().and_then(|n| n.into_string().ok()).unwrap_or_default();
    if name == "localhost" || name == own || own.split('.').next() == Some(name) {
        return true;
    }
    let mine = addresses();
    let is_mine = |a: IpAddr| a.is_loopback() || mine.contains(&a);
    match name.parse::<IpAddr>() {
        Ok(a) => is_mine(a),
        Err(_) => (name, 0).to_socket_addrs().is_ok_and(|mut all| all.any(|a| is_mine(a.ip()))),
    }
}

/// The addresses of this machine's interfaces.
pub fn addresses() -> Vec<IpAddr> {
    pmi_shm::tcp::interfaces().into_iter().map(|(_, a)| a).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h(name: &str, slots: Option<u32>) -> Host {
        Host { name: name.into(), slots }
    }

    #[test]
    fn lists() {
        assert_eq!(list("a,b:4").unwrap(), [h("a", None), h("b", Some(4))]);
        assert_eq!(list("a:1,a:2,a").unwrap(), [h("a", Some(4))]);
        assert_eq!(list("[fe80::1]:2,::1,[::2]").unwrap(), [h("fe80::1", Some(2)), h("::1", None), h("::2", None)]);
        for bad in ["", ",", "a:0", "a:x", "-x", "a b", "a;reboot", ":3", "$(a)"] {
            assert!(list(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn files() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("hosts");
        let read = |text: &str| {
            std::fs::write(&f, text).unwrap();
            file(f.to_str().unwrap())
        };
        let good = read("# ours\n a:2 # two\n\nb slots=3 max_slots=4\nc\n").unwrap();
        assert_eq!(good, [h("a", Some(2)), h("b", Some(3)), h("c", None)]);
        assert!(format!("{:#}", read("a\nb nonsense\n").unwrap_err()).contains(":2: \"nonsense\""));
        assert!(format!("{:#}", read("# none\n").unwrap_err()).contains("names no host"));
        assert!(format!("{:#}", file("/nonexistent/x").unwrap_err()).contains("/nonexistent/x"));
    }

    #[test]
    fn this_machine() {
        assert!(is_here("localhost") && is_here("127.0.0.1") && is_here("::1"));
        // An address for documentation: nobody has it.
        assert!(!is_here("192.0.2.7"));
    }
}
