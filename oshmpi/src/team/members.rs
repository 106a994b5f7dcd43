//! Who is in a team, and which of them are on which node.

use crate::memory::addr::Pe;
use crate::memory::places::Places;

/// Who is in a team. Member i is PE `start + i * stride` of the world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Members {
    pub(crate) start: u32,
    pub(crate) stride: i32,
    pub(crate) size: u32,
}

impl Members {
    /// World PE of member `i`, which must be below `size`.
    #[inline]
    pub(crate) fn world(self, i: u32) -> u32 {
        debug_assert!(i < self.size);
        (i64::from(self.start) + i64::from(i) * i64::from(self.stride)) as u32
    }

    /// Number of a world PE in the team, if it is a member.
    pub(crate) fn index(self, pe: u32) -> Option<u32> {
        let away = i64::from(pe) - i64::from(self.start);
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
        Some(Members { start: self.world(start as u32), stride: i32::try_from(stride).ok()?, size: size as u32 })
    }

    /// The members by their slots on this node, if all of them are here. The same answer on every member.
    pub(crate) fn slots(self, places: &Places) -> Option<Members> {
        if places.everybody() {
            return Some(self);
        }
        let slot = |i| places.local(Pe(self.world(i))).map(|s| s as i64);
        let start = slot(0)?;
        let stride = if self.size > 1 { slot(1)? - start } else { 1 };
        // Where PEs are placed irregularly, slots need not follow each other at equal distances.
        let regular = (0..self.size).all(|i| slot(i) == Some(start + i64::from(i) * stride));
        regular.then_some(Members { start: start as u32, stride: stride as i32, size: self.size })
    }
}

/// The members of a team that are on one node, in the order of the team.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Here {
    /// Numbers are slots.
    pub(super) slots: Members,
    pub(super) me: u32,
    /// Number in the team of the first of them.
    pub(super) leader: u32,
}

impl Here {
    /// As the PE at `place` sees it; the same slots and leader on all of them. Where slots do not follow each other at
    /// equal distances, every member is by itself.
    pub(super) fn new(members: Members, me: u32, places: &Places) -> Here {
        if let Some(slots) = members.slots(places) {
            return Here { slots, me, leader: 0 };
        }
        let number = |slot: usize| members.index(places.pe(slot).0).map(|i| (i, slot as i64));
        let mut list: Vec<(u32, i64)> = (0..places.count()).filter_map(number).collect();
        list.sort_unstable();
        let (leader, first) = list[0];
        let stride = list.get(1).map_or(1, |&(_, second)| second - first);
        let regular = (0..).zip(&list).all(|(k, &(_, slot))| slot == first + k * stride);
        let seat = list.iter().position(|&(i, _)| i == me).expect("a PE is on its own node");
        if regular {
            let slots = Members { start: first as u32, stride: stride as i32, size: list.len() as u32 };
            return Here { slots, me: seat as u32, leader };
        }
        Here { slots: Members { start: list[seat].1 as u32, stride: 1, size: 1 }, me: 0, leader: me }
    }

    /// What member `me` brings to the layout of the team: how many leaders it is, its number as the greatest one and as
    /// a common divisor if it leads, and whether the members here follow each other.
    pub(super) fn layout(&self, members: Members, me: u32, places: &Places) -> Layout {
        if me != self.leader {
            return Layout([0, 0, 0, 1]);
        }
        let last = places.pe(self.slots.world(self.slots.size - 1) as usize);
        let blocks = members.index(last.0) == Some(me + self.slots.size - 1);
        Layout([1, me.into(), me.into(), blocks.into()])
    }
}

/// What tells the parts of a team where its leaders are at equal distances: of one member, or of several combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct Layout(pub(crate) [u64; 4]);

impl Layout {
    /// All of both. Layouts are joined in any order.
    pub(crate) fn join(Layout(one): Layout, Layout(other): Layout) -> Layout {
        let divisor = {
            let (mut a, mut b) = (one[2], other[2]);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        Layout([one[0] + other[0], one[1].max(other[1]), divisor, one[3] & other[3]])
    }

    /// The parts, of the layout of all members; None when every member leads itself: then nothing is gained. `leader`
    /// is the caller's. `gather` gives all members' leaders, for one's own.
    pub(super) fn parts(self, leader: u32, members: u32, gather: impl FnOnce(u64) -> Vec<u64>) -> Option<Parts> {
        let Layout([leaders, last, divisor, blocks]) = self;
        if leaders == u64::from(members) {
            return None;
        }
        // So many different multiples of a number up to the last are all of its multiples.
        let regular = divisor * (leaders - 1) == last;
        let leaders = if regular {
            Places::regular_from_0((divisor as u32).max(1), leaders as u32, members)
        } else {
            let leader_of = gather(leader.into());
            let leads = |&i: &u32| leader_of[i as usize] == u64::from(i);
            Places::new((0..members).filter(leads).collect(), members)
        };
        let mine = leaders.local(Pe(leader)).expect("a leader leads itself");
        Some(Parts { leaders, blocks: blocks == 1, mine, members })
    }
}

/// The members of a team that spans nodes, node by node; the first of each leads. Three numbers where the nodes are
/// alike.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The leaders' numbers in the team, ascending. (A number in the team stands for a PE here.)
    leaders: Places,
    /// Every part is all members from its leader up to the next.
    pub(crate) blocks: bool,
    /// The caller's part.
    pub(crate) mine: usize,
    members: u32,
}

impl Parts {
    pub(crate) fn count(&self) -> usize {
        self.leaders.count()
    }

    /// Number in the team of a part's first member; of the end, when there are no more parts.
    pub(crate) fn leader(&self, part: usize) -> usize {
        if part == self.count() { self.members as usize } else { self.leaders.pe(part).0 as usize }
    }

    /// The part of a member, where parts are blocks.
    pub(crate) fn of(&self, member: usize) -> usize {
        debug_assert!(self.blocks);
        let (mut low, mut high) = (0, self.count());
        while high - low > 1 {
            let middle = usize::midpoint(low, high);
            if self.leader(middle) <= member { low = middle } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Numbering there and back, for any triplet that fits in the world.
        #[test]
        fn index_undoes_world(start in 0u32..100, stride in -7i32..8, size in 1u32..20) {
            let size = if stride == 0 { 1 } else { size };
            let last = i64::from(start) + (i64::from(size) - 1) * i64::from(stride);
            prop_assume!((0..200).contains(&last));
            let m = Members { start, stride, size };
            let list: Vec<u32> = (0..size).map(|i| m.world(i)).collect();
            for pe in 0..200 {
                prop_assert_eq!(m.index(pe), list.iter().position(|&w| w == pe).map(|i| i as u32));
            }
        }

        /// A part of a part is what indexing twice gives; what is out of range is refused.
        #[test]
        fn parts_compose(
            pstride in prop::sample::select(vec![-3, -1, 1, 2]),
            start in -2i32..12,
            stride in -4i32..5,
            size in -1i32..12,
        ) {
            let parent = Members { start: 50, stride: pstride, size: 10 };
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

    #[test]
    fn sizes_beyond_all_teams_are_refused() {
        let all = Members { start: 0, stride: 1, size: 8 };
        for size in [i32::MIN, i32::MIN + 1, i32::MAX] {
            assert_eq!(all.part(0, i32::MAX, size), None);
            assert_eq!(all.part(0, i32::MIN, size), None);
        }
    }

    #[test]
    fn teams_across_nodes_have_no_slots() {
        let here = Places::new(vec![2, 3, 4, 5], 8);
        let m = |start, stride, size| Members { start, stride, size };
        assert_eq!(m(2, 1, 4).slots(&here), Some(m(0, 1, 4)));
        assert_eq!(m(5, -2, 2).slots(&here), Some(m(3, -2, 2)));
        assert_eq!(m(4, 0, 1).slots(&here), Some(m(2, 1, 1)));
        assert_eq!(m(1, 1, 3).slots(&here), None);
        assert_eq!(m(0, 1, 8).slots(&here), None);
        let round_robin = Places::new(vec![1, 4, 7], 9);
        assert_eq!(m(1, 3, 3).slots(&round_robin), Some(m(0, 1, 3)));
        let odd = Places::new(vec![0, 1, 5, 9], 10);
        assert_eq!(m(1, 4, 3).slots(&odd), Some(m(1, 1, 3)));
        assert_eq!(m(0, 5, 2).slots(&odd), Some(m(0, 2, 2)));
    }

    proptest! {
        /// Whatever the placement: the members of each node agree on slots and leader, and every member is in one part.
        #[test]
        fn parts_are_the_nodes(
            node_of in prop::collection::vec(0u32..4, 2..24),
            block: bool,
            start in 0u32..5,
            stride in prop::sample::select(vec![-2i32, -1, 1, 2, 3]),
        ) {
            let n = node_of.len() as u32;
            let node_of = |pe: u32| if block { pe / 3 } else { node_of[pe as usize] };
            let start = start % n;
            let size = if stride > 0 { (n - start).div_ceil(stride as u32) } else { start / stride.unsigned_abs() + 1 };
            let members = Members { start, stride, size };
            let here: Vec<Here> = (0..size).map(|i| {
                let node = node_of(members.world(i));
                let places = Places::new((0..n).filter(|&pe| node_of(pe) == node).collect(), n);
                let here = Here::new(members, i, &places);
                prop_assert_eq!(places.pe(here.slots.world(here.me) as usize).0, members.world(i));
                prop_assert_eq!(places.pe(here.slots.world(0) as usize).0, members.world(here.leader));
                Ok(here)
            }).collect::<Result<_, TestCaseError>>()?;
            let leader_of: Vec<u32> = here.iter().map(|h| h.leader).collect();
            let layout = (0..).zip(&here).map(|(i, here)| {
                let node = node_of(members.world(i));
                here.layout(members, i, &Places::new((0..n).filter(|&pe| node_of(pe) == node).collect(), n))
            });
            let layout = layout.reduce(Layout::join).expect("there are members");
            for i in 0..size as usize {
                let mates: Vec<usize> = (0..size as usize).filter(|&k| leader_of[k] == leader_of[i]).collect();
                prop_assert_eq!(mates.len(), here[i].slots.size as usize);
                prop_assert_eq!(mates[here[i].me as usize], i);
                let mut gathered = false;
                let gather = |_| {
                    gathered = true;
                    leader_of.iter().map(|&leader| leader.into()).collect()
                };
                let Some(parts) = layout.parts(leader_of[i], size, gather) else {
                    prop_assert_eq!(&leader_of, &(0..size).collect::<Vec<_>>());
                    continue;
                };
                prop_assert_eq!(parts.blocks, leader_of.is_sorted());
                let leaders: Vec<u32> = (0..size).filter(|&i| leader_of[i as usize] == i).collect();
                prop_assert_eq!((0..parts.count()).map(|p| parts.leader(p) as u32).collect::<Vec<_>>(), &leaders[..]);
                prop_assert_eq!(gathered, Places::new(leaders, size).regular().is_none());
                prop_assert_eq!(parts.leader(parts.mine), mates[0]);
                prop_assert_eq!(parts.leader(parts.count()), size as usize);
                if parts.blocks {
                    prop_assert_eq!(parts.of(i), parts.mine);
                    prop_assert_eq!(parts.leader(parts.mine + 1), mates[0] + mates.len());
                }
            }
        }
    }
}
