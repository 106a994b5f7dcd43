//! The values of `--map-by`, `--rank-by`, `--bind-to` and of a rank file, in the words of Hydra, PRRTE and Open MPI 4.

use crate::plan::Slots;
use crate::topology::{Level, cpu_list};
use anyhow::{Result, anyhow, bail};

/// `--bind-to`: what a rank is bound to, and how many of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BindTo {
    /// `None`: the rank is not bound.
    pub level: Option<Level>,
    pub units: u32,
}

/// `--map-by`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MapBy {
    /// Hosts get a rank each in turn.
    pub turns: bool,
    /// Places inside a host.
    pub level: Option<Level>,
    /// Ranks of each place, or of each host where no place is named.
    pub each: Option<u32>,
    /// Cores of each rank, or threads.
    pub units: Option<u32>,
    pub threads: bool,
}

/// `--rank-by`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankBy {
    /// In the order in which they are mapped, host by host.
    Slot,
    /// One of each host in turn.
    Node,
    /// All of one place before those of the next.
    Fill,
    /// One of each place in turn, which is the order of `--map-by` with the same place.
    Place(Level),
}

const PLACES: &str = "package, numa, l3, l2, l1, core or hwthread";

pub fn bind_to(text: &str) -> Result<BindTo, String> {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(':');
    let what = words.next().unwrap_or_default();
    let level = match what {
        "none" => None,
        name => Some(Level::named(name).ok_or_else(|| format!("expected none, {PLACES}"))?),
    };
    let mut units = 1;
    for word in words {
        match word {
            // It is always so.
            "overload-allowed" | "overload" | "if-supported" | "ordered" | "report" => {}
            n => units = number(n)?,
        }
    }
    Ok(BindTo { level, units })
}

pub fn map_by(text: &str) -> Result<MapBy, String> {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(':').peekable();
    let mut map = MapBy::default();
    let place = |word: &str, map: &mut MapBy| -> Result<(), String> {
        let other = || format!("expected slot, node, ppr:N:PLACE, {PLACES}");
        match word {
            "slot" | "" => {}
            "node" => map.turns = map.each.is_none(),
            name => map.level = Some(Level::named(name).ok_or_else(other)?),
        }
        Ok(())
    };
    match words.next().unwrap_or_default() {
        "ppr" => {
            map.each = Some(number(words.next().unwrap_or_default())?);
            place(words.next().unwrap_or_default(), &mut map)?;
        }
        "rankfile" => return Err("say --rankfile FILE".into()),
        word => place(word, &mut map)?,
    }
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("pe", n) => map.units = Some(number(n)?),
            ("hwtcpus", "") => map.threads = true,
            // oshrun starts as many ranks as it is asked for, and offers no spawn.
            ("oversubscribe" | "nooversubscribe" | "corecpus" | "inherit" | "noinherit", "") => {}
            ("nolocal", "") => return Err("name the hosts with -hosts; this one is used if it is among them".into()),
            ("span", "") => {
                return Err("spread the ranks over the hosts with --map-by node, or a number: -ppn N".into());
            }
            _ => return Err(format!("\"{word}\" is not understood; expected PE=N, HWTCPUS or OVERSUBSCRIBE")),
        }
    }
    Ok(map)
}

pub fn rank_by(text: &str) -> Result<RankBy, String> {
    match text.to_ascii_lowercase().as_str() {
        "slot" => Ok(RankBy::Slot),
        "node" => Ok(RankBy::Node),
        "fill" => Ok(RankBy::Fill),
        name => Level::named(name).map(RankBy::Place).ok_or_else(|| "expected slot, node or fill".into()),
    }
}

pub fn number(text: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().ok().filter(|n| *n > 0);
    number.ok_or_else(|| format!("\"{text}\" is no number from 1 to {}", u32::MAX))
}

/// Reads a rank file: `rank 0=HOST slot=CORES`, and CORES may stand behind `PACKAGE:`. Host and cores by rank.
pub fn rank_file(path: &str) -> Result<Vec<(String, Slots)>> {
    let text = pmi_shm::files::text(path)
        .map_err(|e| anyhow!("cannot read the rank file {path}: {e}; expected a line for each rank"))?;
    let mut ranks = std::collections::BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let bad = || anyhow!("{path}:{}: expected \"rank N=HOST slot=CORES\" or \"slot=PACKAGE:CORES\"", i + 1);
        let (rank, host, slots) = rank_line(line).ok_or_else(bad)?;
        if ranks.insert(rank, (crate::hosts::named(&host)?.name, slots)).is_some() {
            bail!("{path}:{}: rank {rank} stands here for the second time", i + 1);
        }
    }
    if ranks.is_empty() || ranks.keys().zip(0..).any(|(&rank, i)| rank != i) {
        bail!("the rank file {path} does not name each rank from 0 to the last");
    }
    Ok(ranks.into_values().collect())
}

fn rank_line(line: &str) -> Option<(u32, String, Slots)> {
    let rest = line.strip_prefix("rank")?.trim_start();
    let (rank, rest) = rest.split_once('=')?;
    let (host, slots) = rest.trim_start().split_once(char::is_whitespace)?;
    let list = slots.trim().strip_prefix("slot")?.trim_start().strip_prefix('=')?.trim();
    let (package, cores) = match list.split_once(':') {
        Some((package, cores)) => (Some(package.parse().ok()?), cores),
        None => (None, list),
    };
    let cores = cpu_list(cores).ok().filter(|c| !c.is_empty())?;
    Some((rank.trim().parse().ok()?, host.to_string(), Slots { package, cores }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_map_by_and_bind_to() {
        let map = |text: &str| map_by(text).unwrap();
        assert_eq!(map("slot:OVERSUBSCRIBE"), MapBy::default());
        assert_eq!(map("ppr:2:node"), MapBy { each: Some(2), ..MapBy::default() });
        assert_eq!(map("node"), MapBy { turns: true, ..MapBy::default() });
        let expected = MapBy { level: Some(Level::Package), each: Some(2), units: Some(4), ..MapBy::default() };
        assert_eq!(map("PPR:2:Socket:PE=4"), expected);
        assert_eq!(map("l3cache"), MapBy { level: Some(Level::L3), ..MapBy::default() });
        assert_eq!(map(":PE=2").units, Some(2));
        for bad in ["ppr:0:node", "ppr:x", "sockte", "slot:PE=", "rankfile:file=x", "core:SPAN", "core:what"] {
            assert!(map_by(bad).is_err(), "{bad}");
        }
        assert_eq!(bind_to("core:overload-allowed"), Ok(BindTo { level: Some(Level::Core), units: 1 }));
        assert_eq!(bind_to("cores:2"), Ok(BindTo { level: Some(Level::Core), units: 2 }));
        assert_eq!(bind_to("none"), Ok(BindTo { level: None, units: 1 }));
        assert!(bind_to("user:0,1").unwrap_err().contains("core"));
        assert_eq!((rank_by("NODE"), rank_by("fill")), (Ok(RankBy::Node), Ok(RankBy::Fill)));
        assert_eq!(rank_by("socket"), Ok(RankBy::Place(Level::Package)));
        assert!(rank_by("span").unwrap_err().contains("slot, node or fill"));
    }

    #[test]
    fn lines_of_a_rank_file() {
        let of = |line: &str| rank_line(line);
        let slots = |package, cores: &[usize]| Slots { package, cores: cores.to_vec() };
        assert_eq!(of("rank 0=a slot=1:0-2"), Some((0, "a".into(), slots(Some(1), &[0, 1, 2]))));
        assert_eq!(of("rank 12 = b slot=3,5"), Some((12, "b".into(), slots(None, &[3, 5]))));
        for bad in ["rank 0=a", "rank x=a slot=0", "0=a slot=0", "rank 0=a slot=", "rank 0=a slot=p0", "rank 0 slot=1"]
        {
            assert!(of(bad).is_none(), "{bad}");
        }
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("ranks");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            rank_file(file.to_str().unwrap()).map_err(|e| e.to_string())
        };
        assert_eq!(
            read("# ours\nrank 1=b slot=0\nrank 0=a slot=1 # first\n").unwrap()[0],
            ("a".into(), slots(None, &[1]))
        );
        assert!(read("rank 0=a slot=0\nrank 2=a slot=1\n").unwrap_err().contains("each rank"));
        assert!(read("rank 0=a slot=0\nrank 0=a slot=1\n").unwrap_err().contains(":2: rank 0 stands here"));
        assert!(read("rank 0=a;b slot=0\n").unwrap_err().contains("a;b"));
        assert!(read("a slots=2\n").unwrap_err().contains("rank N=HOST"));
    }
}
