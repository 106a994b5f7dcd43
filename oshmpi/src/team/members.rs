//! Who is in a team, and which of them are on which node.

use crate::memory::addr::Pe;
use crate::memory::places::Places;

/// PEs at unequal distances, in ascending order: those of a node where the launcher has placed them so.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct List(Box<[u32]>);

/// Who is in a team. Member i has the number `start + i * stride`: of a PE of the world, or in a list of PEs. Only the
/// team of a node and teams split from it have a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Members {
    pub(crate) start: u32,
    pub(crate) stride: i32,
    pub(crate) size: u32,
    pub(crate) list: Option<&'static List>,
}

impl Members {
    /// PE `start + i * stride` of the world for each i below `size`.
    pub(crate) const fn spaced(start: u32, stride: i32, size: u32) -> Members {
        Members { start, stride, size, list: None }
    }

    /// All PEs of a node. For the rest of the process: if they are at unequal distances, the list of them stays.
    pub(crate) fn of_node(places: &Places) -> Members {
        let size = places.count() as u32;
        match places.regular() {
            Some((start, stride, size)) => Members::spaced(start, stride as i32, size),
            None => {
                let pes = (0..places.count()).map(|slot| places.pe(slot).0).collect();
                Members { start: 0, stride: 1, size, list: Some(Box::leak(Box::new(List(pes)))) }
            }
        }
    }

    /// World PE of member `i`, which must be below `size`.
    #[inline]
    pub(crate) fn world(self, i: u32) -> u32 {
        let number = self.number(i);
        self.list.map_or(number, |list| list.0[number as usize])
    }

    /// Of member `i`: the number of a PE, or in the list.
    #[inline]
    fn number(self, i: u32) -> u32 {
        debug_assert!(i < self.size);
        (i64::from(self.start) + i64::from(i) * i64::from(self.stride)) as u32
    }

    /// Number of a world PE in the team, if it is a member.
    pub(crate) fn index(self, pe: u32) -> Option<u32> {
        let number = self.list.map_or(Some(pe), |list| Some(list.0.binary_search(&pe).ok()? as u32))?;
        let away = i64::from(number) - i64::from(self.start);
        if self.size == 1 || self.stride == 0 {
            return (away == 0).then_some(0);
        }
        let stride = i64::from(self.stride);
        let i = away / stride;
        (away % stride == 0 && (0..i64::from(self.size)).contains(&i)).then_some(i as u32)
    }

    /// The sub-triplet of this team's members, if all of them exist: numbers are team numbers.
    pub(crate) fn part(self, start: i32, stride: i32, size: i32) -> Option<Members> {
        let inside = |i: i64| (0..i64::from(self.size)).contains(&i);
        let last = i64::from(start) + (i64::from(size) - 1) * i64::from(stride);
        if size < 1 || (stride == 0 && size != 1) || !inside(start.into()) || !inside(last) {
            return None;
        }
        let stride = if size == 1 { 1 } else { i64::from(stride) * i64::from(self.stride) };
        Some(Members {
            start: self.number(start as u32),
            stride: i32::try_from(stride).ok()?,
            size: size as u32,
            ..self
        })
    }

    /// Whether all members are on this node. The answer is equal on all members.
    pub(crate) fn all_on(self, places: &Places) -> bool {
        places.everybody() || (0..self.size).all(|i| places.local(Pe(self.world(i))).is_some())
    }
}

/// The members of a team that are on one node, in the order of the team.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Here {
    /// The slots of the members as a triplet. If `listed` is not empty, only the size counts.
    pub(super) slots: Members,
    /// The slots of the members, if they are not at equal distances; else empty.
    pub(super) listed: Box<[u32]>,
    pub(super) me: u32,
}

impl Here {
    /// The members of the team on the node that `places` describes. All members on the node get the same slots.
    pub(super) fn new(members: Members, me: u32, places: &Places) -> Here {
        if places.everybody() {
            return Here { slots: members, listed: Box::default(), me };
        }
        let number = |slot: usize| members.index(places.pe(slot).0).map(|i| (i, slot as u32));
        let mut list: Vec<(u32, u32)> = (0..places.count()).filter_map(number).collect();
        list.sort_unstable();
        let seat = list.iter().position(|&(i, _)| i == me).expect("a PE is on its own node") as u32;
        let slot = |k: usize| i64::from(list[k].1);
        let stride = if list.len() > 1 { slot(1) - slot(0) } else { 1 };
        let regular = (0..list.len()).all(|k| slot(k) == slot(0) + k as i64 * stride);
        let slots = Members::spaced(list[0].1, stride as i32, list.len() as u32);
        let listed = if regular { Box::default() } else { list.iter().map(|&(_, slot)| slot).collect() };
        Here { slots, listed, me: seat }
    }

    /// The slot of a member; `member` is its number among those on this node.
    #[inline]
    pub(super) fn slot(&self, member: u32) -> u32 {
        if self.listed.is_empty() { self.slots.world(member) } else { self.listed[member as usize] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// For any triplet that fits into the world, `index` is the inverse of `world`.
        #[test]
        fn index_undoes_world(start in 0u32..100, stride in -7i32..8, size in 1u32..20) {
            let size = if stride == 0 { 1 } else { size };
            let last = i64::from(start) + (i64::from(size) - 1) * i64::from(stride);
            prop_assume!((0..200).contains(&last));
            let m = Members::spaced(start, stride, size);
            let list: Vec<u32> = (0..size).map(|i| m.world(i)).collect();
            for pe in 0..200 {
                prop_assert_eq!(m.index(pe), list.iter().position(|&w| w == pe).map(|i| i as u32));
            }
        }

        /// The team of a node has the node's PEs, wherever they are. A part of it has the members that its numbers say.
        #[test]
        fn the_team_of_a_node_has_its_pes(
            pes in prop::collection::btree_set(0u32..40, 1..12),
            start in 0u32..12,
            stride in prop::sample::select(vec![-2i32, -1, 1, 3]),
        ) {
            let pes: Vec<u32> = pes.into_iter().collect();
            let places = Places::new(pes.clone(), 41);
            let all = Members::of_node(&places);
            let of = |m: Members| (0..m.size).map(|i| m.world(i)).collect::<Vec<_>>();
            prop_assert_eq!(of(all), &pes[..]);
            prop_assert!(all.all_on(&places));
            let start = start as usize % pes.len();
            let behind = if stride > 0 { pes.len() - 1 - start } else { start };
            let size = behind / stride.unsigned_abs() as usize + 1;
            let part = all.part(start as i32, stride, size as i32).unwrap();
            let at = |i: usize| (start as i64 + i as i64 * i64::from(stride)) as usize;
            let wanted: Vec<u32> = (0..size).map(|i| pes[at(i)]).collect();
            prop_assert_eq!(of(part), &wanted[..]);
            for pe in 0..41 {
                prop_assert_eq!(part.index(pe), wanted.iter().position(|&w| w == pe).map(|i| i as u32));
            }
            let here = Here::new(part, 0, &places);
            for (i, &pe) in wanted.iter().enumerate() {
                prop_assert_eq!(places.pe(here.slot(i as u32) as usize).0, pe);
            }
        }

        /// A part of a part has the members that indexing twice gives. A part that is out of range is refused.
        #[test]
        fn parts_compose(
            pstride in prop::sample::select(vec![-3, -1, 1, 2]),
            start in -2i32..12,
            stride in -4i32..5,
            size in -1i32..12,
        ) {
            let parent = Members::spaced(50, pstride, 10);
            let numbers = (0..i64::from(size.max(0))).map(|i| i64::from(start) + i * i64::from(stride));
            let wanted: Vec<i64> = numbers.collect();
            let legal = size >= 1 && (stride != 0 || size == 1) && wanted.iter().all(|i| (0..10).contains(i));
            let got = parent.part(start, stride, size);
            prop_assert_eq!(got.is_some(), legal);
            if let Some(part) = got {
                let expect: Vec<u32> = wanted.iter().map(|&i| parent.world(i as u32)).collect();
                prop_assert_eq!((0..part.size).map(|i| part.world(i)).collect::<Vec<_>>(), expect);
            }
        }
    }

    proptest! {
        /// Whatever the placement: the members of each node agree on their slots.
        #[test]
        fn members_of_a_node_agree(
            node_of in prop::collection::vec(0u32..4, 2..24),
            block: bool,
            start in 0u32..5,
            stride in prop::sample::select(vec![-2i32, -1, 1, 2, 3]),
        ) {
            let n = node_of.len() as u32;
            let node_of = |pe: u32| if block { pe / 3 } else { node_of[pe as usize] };
            let start = start % n;
            let size = if stride > 0 { (n - start).div_ceil(stride as u32) } else { start / stride.unsigned_abs() + 1 };
            let members = Members::spaced(start, stride, size);
            for i in 0..size {
                let node = node_of(members.world(i));
                let mates: Vec<u32> = (0..size).filter(|&k| node_of(members.world(k)) == node).collect();
                let places = Places::new((0..n).filter(|&pe| node_of(pe) == node).collect(), n);
                let here = Here::new(members, i, &places);
                prop_assert_eq!(mates.len(), here.slots.size as usize);
                prop_assert_eq!(mates[here.me as usize], i);
                for (k, &mate) in mates.iter().enumerate() {
                    prop_assert_eq!(places.pe(here.slot(k as u32) as usize).0, members.world(mate));
                }
                prop_assert_eq!(members.all_on(&places), mates.len() == size as usize);
            }
        }
    }
}
