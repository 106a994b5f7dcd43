//! What nodes tell each other: clocks, of which each actor goes by its [`Name`], and operations on the other one's
//! memory.
//!
//! A thread tells a process of another node what of its clock is new to that process, which keeps the clocks that it
//! has been told. So the bound of a message is a name and an epoch for each actor whose epoch has changed since the
//! last one, and each process keeps a clock for each thread that tells it something. To find what is new takes a step
//! for each actor of the node.
//!
//! Where a node has no number left for an actor, what is known of it cannot go on through this node. Then the node says
//! so with all it tells ([`Table::is_blind`]), and nobody who hears of it reports an access of another node.

use crate::cell::{Kind, Stamp};
use crate::clock::Clock;
use crate::table::{Name, Table};
use serde::{Deserialize, Serialize};

/// What stands behind the clock, at most: the others are left out.
const MOST_FRAMES: usize = 16;

/// What all nodes call a stamp. None: that of nobody.
pub type Named = Option<(Name, u32)>;

/// What of a clock is new to somebody.
#[derive(Default, Serialize, Deserialize)]
pub struct News {
    epochs: Vec<(Name, u32)>,
    /// The clock may lack something.
    blind: bool,
    /// There is more, which comes in another message.
    pub more: bool,
}

/// A node, as it names the actors of all nodes.
pub struct Here<'a> {
    pub table: Table,
    /// Whether a PE is on this node.
    pub has: &'a dyn Fn(u32) -> bool,
}

impl Here<'_> {
    fn name(&self, Stamp { actor, epoch }: Stamp) -> Named {
        let known = self.table.name(actor).filter(|_| epoch > 0);
        if known.is_none() && epoch > 0 {
            // Cannot be: who has an actor's epoch has it from somebody who has seen its name.
            self.table.become_blind();
        }
        known.map(|name| (name, epoch))
    }

    /// None: this node has no number for the actor.
    fn stamp(&self, named: Named) -> Option<Stamp> {
        let Some((name, epoch)) = named else { return Some(Stamp::default()) };
        let here = (self.has)(name.pe).then_some(name.number);
        here.or_else(|| self.table.named(name)).map(|actor| Stamp { actor, epoch })
    }

    /// What `epoch_of` has beyond what is `known`, which then has it, too. At most `most` actors.
    pub fn news(&self, epoch_of: impl Fn(u32) -> u32, known: &mut Clock, most: usize) -> News {
        let mut news = News::default();
        for actor in 1..self.table.actors() as u32 {
            let stamp = Stamp { actor, epoch: epoch_of(actor) };
            if stamp.epoch <= known.get(actor) {
                continue;
            }
            if news.epochs.len() == most {
                news.more = true;
                break;
            }
            news.epochs.extend(self.name(stamp));
            known.raise(stamp);
        }
        news.blind = self.table.is_blind();
        news
    }

    /// Knows what [`Here::news`] has told.
    pub fn learn(&self, news: &News, clock: &mut Clock) {
        if news.blind {
            self.table.become_blind();
        }
        news.epochs.iter().filter_map(|named| self.stamp(Some(*named))).for_each(|stamp| clock.raise(stamp));
    }

    /// An operation, for another node.
    pub fn told(&self, far: Far) -> Far<Named> {
        let name = |stamp| self.name(stamp);
        let frames = far.frames.into_iter().take(MOST_FRAMES).collect();
        Far {
            by: name(far.by),
            issuer: name(far.issuer),
            fenced: far.fenced.into_iter().map(name).collect(),
            tells: far.tells.map(|(spot, told)| (spot, name(told))),
            touched: far.touched,
            routine: far.routine,
            frames,
        }
    }

    /// The operation as this node numbers actors. None: it has no number for who does it.
    pub fn heard(&self, far: Far<Named>) -> Option<Far> {
        Some(Far {
            by: self.stamp(far.by)?,
            issuer: self.stamp(far.issuer).unwrap_or_default(),
            fenced: far.fenced.into_iter().filter_map(|named| self.stamp(named)).collect(),
            tells: far.tells.map(|(spot, told)| (spot, self.stamp(told).unwrap_or_default())),
            touched: far.touched,
            routine: far.routine,
            frames: far.frames,
        })
    }
}

/// Where in a PE's symmetric memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spot {
    /// Static variables, and not the heap.
    pub data: bool,
    pub offset: usize,
}

/// Blocks of a PE's symmetric memory that an operation touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Touched {
    pub kind: Kind,
    pub at: Spot,
    /// Bytes of a block, from one to the next, and how many there are.
    pub bytes: usize,
    pub stride: usize,
    pub count: usize,
}

/// An operation on the memory of a PE of another node.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Far<S = Stamp> {
    pub by: S,
    /// The thread that has started it.
    pub issuer: S,
    /// What its fences have ordered before it.
    pub fenced: Vec<S>,
    /// A word through which others learn what the operation knows, and the epoch of the operation that is over for
    /// them.
    pub tells: Option<(Spot, S)>,
    pub touched: Vec<Touched>,
    /// The routine and the calls that led to it.
    pub routine: u32,
    pub frames: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::ACTORS;
    use crate::table::{NOTES, Role, RoleKind};

    /// The tables of nodes, and in which each PE is.
    struct Nodes(Vec<Vec<u64>>);

    impl Nodes {
        fn new(nodes: usize) -> Nodes {
            Nodes((0..nodes).map(|_| vec![0u64; Table::bytes(1) / 8]).collect())
        }

        fn table(&mut self, node: usize) -> Table {
            // SAFETY: zero, as long as a table of one PE, and used as one while `self` is there.
            unsafe { Table::at(self.0[node].as_mut_ptr().cast(), 1) }
        }
    }

    fn actor(table: &Table, pe: u32) -> u32 {
        table.actor(Role { pe, kind: RoleKind::Puts, ctx: 1, target: 2 }).unwrap()
    }

    /// PE 0 and 1 tell PE 2 and 3 through a node on which none of their actors is, and back.
    #[test]
    fn clocks_go_through_other_nodes() {
        let mut nodes = Nodes::new(3);
        let tables: Vec<Table> = (0..3).map(|node| nodes.table(node)).collect();
        let has = [|pe| pe < 2, |pe| pe == 9, |pe| pe == 2 || pe == 3];
        let here: Vec<Here<'_>> = (0..3).map(|i| Here { table: tables[i], has: &has[i] }).collect();
        let [a, b, c] = [actor(&tables[0], 0), actor(&tables[0], 1), actor(&tables[2], 3)];
        let mut clock = Clock::default();
        [(a, 5), (b, 7)].iter().for_each(|(actor, epoch)| clock.raise(Stamp { actor: *actor, epoch: *epoch }));
        let tell = |from: usize, to: usize, clock: &Clock, known: &mut Clock, got: &mut Clock| {
            let news = here[from].news(|a| clock.get(a), known, 100);
            here[to].learn(&news, got);
            (news.epochs.len(), news.more)
        };
        let [mut known, mut middle, mut known_there, mut end] = core::array::from_fn(|_| Clock::default());
        assert_eq!(tell(0, 1, &clock, &mut known, &mut middle), (2, false));
        assert_eq!(tell(0, 1, &clock, &mut known, &mut middle), (0, false), "nothing is new");
        tell(1, 2, &middle, &mut known_there, &mut end);
        let named = |table: &Table, pe, number| table.named(Name { pe, number, kind: RoleKind::Puts }).unwrap();
        assert_eq!((end.get(named(&tables[2], 0, a)), end.get(named(&tables[2], 1, b))), (5, 7));
        assert_eq!(tables[2].role(named(&tables[2], 1, b)).unwrap().pe, 1);
        // Back, with an actor of its own.
        end.raise(Stamp { actor: c, epoch: 3 });
        let [mut known, mut middle, mut known_there, mut start] = core::array::from_fn(|_| Clock::default());
        tell(2, 1, &end, &mut known, &mut middle);
        tell(1, 0, &middle, &mut known_there, &mut start);
        assert_eq!((start.get(a), start.get(b), start.get(named(&tables[0], 3, c))), (5, 7, 3));
        assert_eq!(tables[0].actors(), 4);
        assert!(tables.iter().all(|table| !table.is_blind()));
    }

    #[test]
    fn what_is_too_much_for_one_message_goes_in_several() {
        let mut nodes = Nodes::new(2);
        let (from, to) = (nodes.table(0), nodes.table(1));
        let mut clock = Clock::default();
        for i in 0..10 {
            clock.raise(Stamp { actor: actor(&from, 0), epoch: i + 1 });
        }
        let (here, there) = (Here { table: from, has: &|pe| pe == 0 }, Here { table: to, has: &|_| false });
        let (mut known, mut got, mut messages) = (Clock::default(), Clock::default(), 0);
        loop {
            let news = here.news(|a| clock.get(a), &mut known, 4);
            there.learn(&news, &mut got);
            messages += 1;
            if !news.more {
                break;
            }
        }
        assert_eq!((messages, got.get(1), got.get(10)), (3, 1, 10));
    }

    /// A node without room says so to all whom it tells something, and they to others.
    #[test]
    fn a_node_without_room_says_so() {
        let mut nodes = Nodes::new(3);
        let tables: Vec<Table> = (0..3).map(|node| nodes.table(node)).collect();
        let here: Vec<Here<'_>> = tables.iter().map(|table| Here { table: *table, has: &|_| false }).collect();
        let first = actor(&tables[0], 0);
        while tables[1].actors() < ACTORS - NOTES {
            actor(&tables[1], 9);
        }
        assert!(!tables[1].is_blind());
        let mut clock = Clock::default();
        clock.raise(Stamp { actor: first, epoch: 1 });
        for (from, to) in [(0, 1), (1, 2)] {
            here[to].learn(&here[from].news(|a| clock.get(a), &mut Clock::default(), 9), &mut Clock::default());
        }
        assert_eq!([0, 1, 2].map(|node: usize| tables[node].is_blind()), [false, true, true]);
    }

    #[test]
    fn operations_are_heard_as_they_were_told() {
        let mut nodes = Nodes::new(2);
        let (from, to) = (nodes.table(0), nodes.table(1));
        let (here, there) = (Here { table: from, has: &|pe| pe == 0 }, Here { table: to, has: &|_| false });
        let [one, two] = [1, 2].map(|epoch| Stamp { actor: actor(&from, 0), epoch });
        let at = Spot { data: true, offset: 4096 };
        let touched = Touched { kind: Kind::atomic(7, true), at, bytes: 8, stride: 16, count: 3 };
        let far = Far {
            by: two,
            issuer: one,
            fenced: vec![one, two],
            tells: Some((Spot { data: false, offset: 8 }, two)),
            touched: vec![touched, Touched { kind: Kind::PUT_ONE, ..touched }],
            routine: 77,
            frames: vec![5, 1 << 63],
        };
        let got = there.heard(here.told(far.clone())).unwrap();
        // The other node numbers them as they come.
        let [one, two] = [2, 1].map(|actor| Stamp { actor, epoch: 3 - actor });
        let tells = Some((far.tells.unwrap().0, two));
        assert_eq!(got, Far { by: two, issuer: one, fenced: vec![one, two], tells, ..far });
    }
}
