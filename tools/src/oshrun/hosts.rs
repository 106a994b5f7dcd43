//! The hosts of a job, and whether a name means this machine.

use crate::hostlist;
use anyhow::{Context, Result, anyhow, bail};
use std::collections::HashMap;
use std::net::{IpAddr, ToSocketAddrs};

/// A host by the name that the user has given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    pub name: String,
    /// The number of ranks that it takes, if given.
    pub slots: Option<u32>,
}

pub fn list(text: &str) -> Result<Vec<Host>> {
    let read = || -> Result<Vec<Host>> {
        let words = hostlist::items(text)?.into_iter().filter(|w| !w.is_empty());
        merge(words.map(hosts))
    };
    let hosts = read().context("-hosts")?;
    if hosts.is_empty() {
        bail!("-hosts names no host; expected a list such as a,b:4");
    }
    Ok(hosts)
}

/// Reads a file with one host on each line.
pub fn file(path: &str) -> Result<Vec<Host>> {
    let text = pmi_shm::files::text(path)
        .map_err(|e| anyhow!("cannot read the host file {path}: {e}; expected a line for each host"))?;
    lines_of_file(path, &text)
}

fn lines_of_file(path: &str, text: &str) -> Result<Vec<Host>> {
    let lines = text.lines().enumerate().map(|(i, l)| (i, l.split('#').next().unwrap_or_default().trim()));
    let hosts = merge(
        lines
            .filter(|(_, line)| !line.is_empty())
            .map(|(i, line)| line_of_file(line).map_err(|e| anyhow!("{path}:{}: {e}", i + 1))),
    )?;
    if hosts.is_empty() {
        bail!("the host file {path} names no host");
    }
    Ok(hosts)
}

fn line_of_file(line: &str) -> Result<Vec<Host>> {
    let mut words = line.split_whitespace();
    let mut hosts = hosts(words.next().unwrap_or_default())?;
    for word in words {
        match word.split_once('=') {
            Some(("slots", n)) => {
                let slots = Some(count(n)?);
                hosts.iter_mut().for_each(|h| h.slots = slots);
            }
            // Settings of other launchers that do not change the number of ranks.
            Some(("max_slots" | "max-slots" | "user" | "ifhn" | "binding", _)) => {}
            _ => bail!(
                "\"{}\" is not understood; expected NAME, NAME:SLOTS or NAME slots=SLOTS",
                hostlist::shortened(word)
            ),
        }
    }
    Ok(hosts)
}

/// Reads one host or a compressed list of hosts; each has the number of slots given after it.
fn hosts(word: &str) -> Result<Vec<Host>> {
    if word.find('[').is_none_or(|at| at == 0) {
        return Ok(vec![host(word)?]);
    }
    let end = word.rfind(']').map_or(word.len(), |at| at + 1);
    let (names, slots) = match word[end..].split_once(':') {
        Some((rest, slots)) => (&word[..end + rest.len()], Some(count(slots)?)),
        None => (word, None),
    };
    let names = hostlist::expand(names).map_err(|e| anyhow!("\"{}\": {e}", hostlist::shortened(word)))?;
    Ok(names.into_iter().map(|name| Host { name, slots }).collect())
}

fn host(word: &str) -> Result<Host> {
    // An IPv6 address contains colons, so it stands in brackets if slots follow.
    let (name, slots) = match word.strip_prefix('[').and_then(|w| w.split_once(']')) {
        Some((name, "")) => (name, None),
        Some((name, rest)) => match rest.strip_prefix(':') {
            Some(slots) => (name, Some(slots)),
            None => bail!("\"{}\": behind an address in brackets only :SLOTS may stand", hostlist::shortened(word)),
        },
        None if word.matches(':').count() > 1 => (word, None),
        None => match word.split_once(':') {
            Some((name, slots)) => (name, Some(slots)),
            None => (word, None),
        },
    };
    Ok(Host { slots: slots.map(count).transpose()?, ..named(name)? })
}

/// A host without a number of slots.
pub fn named(name: &str) -> Result<Host> {
    if name.is_empty() || name.starts_with('-') || !name.chars().all(hostlist::is_plain) {
        bail!("\"{}\" is not the name of a host", hostlist::shortened(name));
    }
    Ok(Host { name: name.to_string(), slots: None })
}

pub fn count(text: &str) -> Result<u32> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => bail!("\"{}\" is not a number of ranks above 0", hostlist::shortened(text)),
    }
}

/// Joins the lists. A host that is named twice has the slots of both. Cost: linear in the names.
pub fn merge(hosts: impl IntoIterator<Item = Result<Vec<Host>>>) -> Result<Vec<Host>> {
    let mut all: Vec<Host> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for some in hosts {
        for h in some? {
            match places.get(&h.name) {
                Some(&at) => {
                    let o = &mut all[at];
                    let sum = o.slots.unwrap_or(1).checked_add(h.slots.unwrap_or(1));
                    o.slots = Some(sum.ok_or_else(|| anyhow!("host {} has too many slots", h.name))?);
                }
                None if all.len() == hostlist::MOST_HOSTS => {
                    bail!("more than {} hosts are named", hostlist::MOST_HOSTS)
                }
                None => {
                    places.insert(h.name.clone(), all.len());
                    all.push(h);
                }
            }
        }
    }
    Ok(all)
}

/// Whether a name is this machine's host name. No name service is asked.
pub fn is_own_name(name: &str) -> bool {
    let own = nix::unistd::gethostname().ok().and_then(|n| n.into_string().ok()).unwrap_or_default();
    let short = |n: &str| n.split('.').next().map(str::to_string);
    name == "localhost" || name == own || short(&own).as_deref() == Some(name) || short(name) == Some(own)
}

/// Whether a name means this machine on every machine, or is its host name. No name service is asked.
pub fn is_own(name: &str) -> bool {
    is_own_name(name) || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether a name or address means this machine. It may ask the name service.
pub fn is_here(name: &str) -> bool {
    if is_own_name(name) {
        return true;
    }
    let mine = addresses();
    let is_mine = |a: IpAddr| a.is_loopback() || mine.contains(&a);
    match name.parse::<IpAddr>() {
        Ok(a) => is_mine(a),
        Err(_) => (name, 0).to_socket_addrs().is_ok_and(|mut all| all.any(|a| is_mine(a.ip()))),
    }
}

/// The addresses of this machine's network interfaces.
pub fn addresses() -> Vec<IpAddr> {
    pmi_shm::tcp::interfaces().into_iter().map(|(_, a)| a).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn h(name: &str, slots: Option<u32>) -> Host {
        Host { name: name.into(), slots }
    }

    #[test]
    fn lists() {
        assert_eq!(list("a,b:4").unwrap(), [h("a", None), h("b", Some(4))]);
        assert_eq!(list("a:1,a:2,a").unwrap(), [h("a", Some(4))]);
        assert_eq!(list("[fe80::1]:2,::1,[::2]").unwrap(), [h("fe80::1", Some(2)), h("::1", None), h("::2", None)]);
        assert_eq!(list("n[9-10]:2,x").unwrap(), [h("n9", Some(2)), h("n10", Some(2)), h("x", None)]);
        assert_eq!(list("n[1,2]-ib,n2-ib").unwrap(), [h("n1-ib", None), h("n2-ib", Some(2))]);
        for bad in [
            "", ",", "a:0", "a:x", "-x", "a b", "a;reboot", ":3", "$(a)", "a[1-", "a[1]:0", "a[2-1]", "[a", "[1-2]n",
            "[::1]4", "[a][b]",
        ] {
            let said = format!("{:#}", list(bad).unwrap_err());
            assert!(said.starts_with("-hosts"), "{bad}: {said}");
        }
        let many = list("a[1-200000],b[1-200000]").unwrap_err();
        assert!(format!("{many:#}").contains("more than"), "{many:#}");
    }

    #[test]
    fn files() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("hosts");
        let read = |text: &str| {
            std::fs::write(&f, text).unwrap();
            file(f.to_str().unwrap())
        };
        let good = read("# ours\n a:2 # two\n\nb slots=3 max_slots=4\nc\nd[1-2] slots=5\n").unwrap();
        assert_eq!(good[..3], [h("a", Some(2)), h("b", Some(3)), h("c", None)]);
        assert_eq!(good[3..], [h("d1", Some(5)), h("d2", Some(5))]);
        assert!(format!("{:#}", read("a\nb nonsense\n").unwrap_err()).contains(":2: \"nonsense\""));
        assert!(format!("{:#}", read("# none\n").unwrap_err()).contains("names no host"));
        assert!(format!("{:#}", file("/nonexistent/x").unwrap_err()).contains("/nonexistent/x"));
        assert!(format!("{:#}", file("/dev/zero").unwrap_err()).contains("more than 64 MiB"));
        let long = read(&format!("a {}\u{1b}\n", "x".repeat(100_000))).unwrap_err().to_string();
        assert!(long.len() < 400 && !long.contains('\u{1b}'), "{long}");
    }

    #[test]
    fn this_machine() {
        assert!(is_here("localhost") && is_here("127.0.0.1") && is_here("::1"));
        // An address reserved for documentation: no machine has it.
        assert!(!is_here("192.0.2.7"));
    }
    proptest! {
        /// Names without blanks, or one line that says what is wrong.
        #[test]
        fn fuzz_host_lists(text in prop_oneof!["[a-c0-2,:\\[\\]@. -]{0,24}", "\\PC{0,24}", any::<String>()]) {
            sound(list(&text))?;
        }

        #[test]
        fn fuzz_host_files(lines in prop::collection::vec(
            prop_oneof!["[ab]{1,3}( slots=[0-9]{1,2})?", "[a-c0-2,:\\[\\]=#\t -]{0,24}", any::<String>()], 0..5)) {
            sound(lines_of_file("file", &lines.join("\n")))?;
        }
    }

    fn sound(hosts: Result<Vec<Host>>) -> Result<(), proptest::test_runner::TestCaseError> {
        match hosts {
            Ok(hosts) => {
                prop_assert!(!hosts.is_empty());
                for host in &hosts {
                    prop_assert!(!host.name.is_empty() && !host.name.chars().any(char::is_whitespace), "{:?}", host);
                }
            }
            Err(e) => prop_assert!(!format!("{e:#}").contains('\n'), "{:?}", format!("{e:#}")),
        }
        Ok(())
    }
}
