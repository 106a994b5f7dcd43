//! Where the PEs of a node run, for trees of many members: what each PE says of itself, and what all of them find.

use super::pe_info::PeInfo;
use crate::os::locality;
use crate::sync::tree::{self, Locality};
use std::collections::BTreeSet;

/// Notes where this PE of `n` runs, in a job that may have a tree.
pub(super) fn note(info: &mut PeInfo, n: u32) {
    if n as usize >= tree::FROM {
        let (socket, cache) = locality::of_cpus(&info.cores);
        info.locality = Locality { socket, cache }.to_word();
    }
}

/// Where the PEs of a node run, if its large teams use trees: there are enough PEs, and each has a core (`alone`), or
/// the user asks for trees (`asked`). Who asks gets the tree of a machine of small caches, whatever this one is.
pub(super) fn of_node(infos: &[PeInfo], alone: bool, asked: bool, notes: &mut Vec<String>) -> Option<Vec<Locality>> {
    if infos.len() < tree::FROM || !(alone || asked) {
        return None;
    }
    let played = |slot: usize| Locality { socket: (slot / 13) as u16, cache: (slot / 7) as u16 };
    let told = |slot: usize| Locality::of_word(infos[slot].locality);
    let all: Vec<Locality> = (0..infos.len()).map(|slot| if asked { played(slot) } else { told(slot) }).collect();
    let caches = all.iter().map(|at| (at.socket, at.cache)).collect::<BTreeSet<_>>().len();
    let sockets = all.iter().map(|at| at.socket).collect::<BTreeSet<_>>().len();
    let by = if asked { "OSHMPI_COLL_SELECT" } else { "the cores that they may use" };
    notes
        .push(format!("barriers of {} or more PEs: a tree; caches: {caches}, sockets: {sockets}, by {by}", tree::FROM));
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_for_many_pes_with_a_core_each() {
        let info = |pe: u16| PeInfo { locality: Locality { socket: 0, cache: pe / 8 }.to_word(), ..PeInfo::default() };
        let infos: Vec<PeInfo> = (0..32).map(info).collect();
        let mut notes = Vec::new();
        assert!(of_node(&infos, false, false, &mut notes).is_none(), "PEs outnumber cores");
        assert!(of_node(&infos[..15], true, true, &mut notes).is_none(), "too few PEs");
        assert!(notes.is_empty());
        let found = of_node(&infos[..16], true, false, &mut notes).unwrap();
        assert_eq!((found.len(), found[15]), (16, Locality { socket: 0, cache: 1 }));
        assert!(notes[0].contains("caches: 2, sockets: 1, by the cores"), "{notes:?}");
        assert!(of_node(&infos, false, true, &mut notes).is_some(), "asked for");
    }
}
