//! Where the PEs of a node run, for trees of many members: what each PE says of itself, and what all of them find.

use super::pe_info::PeInfo;
use crate::env::Env;
use crate::os::locality::{self, Numbers};
use crate::sync::tree::{self, Locality};
use std::collections::BTreeSet;

/// Flag in a PE info, above the word of the locality: it was read from the file that OSHMPI_TOPOLOGY names. Such a PE
/// is called played.
const PLAYED: u64 = 1 << 32;

/// Notes where PE `me` of `n` runs, in a job that may have a tree. A file that cannot be used is the PE's problem.
pub(super) fn note(info: &mut PeInfo, env: &Env, me: u32, n: u32) {
    let file = &env.topology.0;
    if !file.is_empty() {
        let text = pmi_shm::files::text(file).map_err(|e| e.to_string());
        match text.and_then(|text| locality::played(&text, me)) {
            Ok(numbers) => info.locality = PLAYED | word(numbers),
            Err(e) if info.problem.is_empty() => {
                let expected = "expected a file with a line \"PES SOCKET CACHE\" for each PE";
                info.problem = format!("OSHMPI_TOPOLOGY is set to \"{}\": {expected}: {e}", file.escape_debug());
            }
            Err(_) => {}
        }
    } else if n as usize >= tree::FROM {
        info.locality = word(locality::of_cpus(&info.cores));
    }
}

fn word((socket, cache): Numbers) -> u64 {
    u64::from(Locality { socket, cache }.to_word())
}

/// Where the PEs of a node run, if its large teams use trees: there are enough PEs, and each has a core, or is played
/// to have one. All PEs of the node find the same. `alone`: each PE has a core.
pub(super) fn of_node(infos: &[PeInfo], alone: bool, notes: &mut Vec<String>) -> Option<Vec<Locality>> {
    let words = || infos.iter().map(|info| info.locality);
    let played = words().all(|word| word & PLAYED != 0);
    if infos.len() < tree::FROM || !(alone || played) {
        return None;
    }
    let all: Vec<Locality> = words().map(|word| Locality::of_word(word as u32)).collect();
    let caches: BTreeSet<_> = all.iter().map(|at| (at.socket, at.cache)).collect();
    let sockets: BTreeSet<_> = all.iter().map(|at| at.socket).collect();
    let by = if played { "OSHMPI_TOPOLOGY" } else { "the cores that they may use" };
    let (caches, sockets) = (caches.len(), sockets.len());
    notes
        .push(format!("barriers of {} or more PEs: a tree; caches: {caches}, sockets: {sockets}, by {by}", tree::FROM));
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_for_many_pes_with_a_core_each() {
        let info = |pe: u16| PeInfo { locality: word((0, pe / 8)), ..PeInfo::default() };
        let mut infos: Vec<PeInfo> = (0..32).map(info).collect();
        let mut notes = Vec::new();
        assert!(of_node(&infos, false, &mut notes).is_none(), "PEs outnumber cores");
        assert!(of_node(&infos[..15], true, &mut notes).is_none(), "too few PEs");
        assert!(notes.is_empty());
        let found = of_node(&infos[..16], true, &mut notes).unwrap();
        assert_eq!((found.len(), found[15]), (16, Locality { socket: 0, cache: 1 }));
        assert!(notes[0].contains("caches: 2, sockets: 1, by the cores"), "{notes:?}");
        infos.iter_mut().for_each(|info| info.locality |= PLAYED);
        assert!(of_node(&infos, false, &mut notes).is_some(), "played");
        infos[3].locality = 0;
        assert!(of_node(&infos, false, &mut notes).is_none(), "one PE has another setting");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_a_problem() {
        let (env, _) = Env::load(|name| (name == "OSHMPI_TOPOLOGY").then(|| "/nowhere".to_owned()));
        let mut info = PeInfo::default();
        note(&mut info, &env, 0, 2);
        assert!(
            info.problem.starts_with("OSHMPI_TOPOLOGY is set to \"/nowhere\": expected a file"),
            "{}",
            info.problem
        );
    }
}
