//! What nodes tell each other: clocks, of which each actor goes by its [`Name`], and operations on the other one's
//! memory.
//!
//! A thread tells a process of another node what of its clock is new to that process, which keeps the clocks that it
//! has been told. So the bound of a message is two words for each actor whose epoch has changed since the last one, and
//! each process keeps a clock for each thread that tells it something. To find what is new takes a step for each actor
//! of the node.
//!
//! Where a node has no number left for an actor, what is known of it cannot go on through this node. Then the node says
//! so with all it tells ([`Table::is_blind`]), and nobody who hears of it reports an access of another node.

use crate::cell::{Kind, Stamp};
use crate::clock::Clock;
use crate::table::{Name, RoleKind, Table};

/// Words of a message, at most, in eight bytes each. More that is new goes in several.
pub const MOST: usize = 7000;
/// What stands behind the clock, at most: the others are left out.
const MOST_FRAMES: usize = 16;

/// Words that are written one after the other.
#[derive(Default, Clone)]
pub struct Words(pub Vec<u64>);

impl Words {
    pub fn push(&mut self, word: u64) -> &mut Words {
        self.0.push(word);
        self
    }

    fn name(&mut self, Name { pe, number, kind }: Name, epoch: u32) {
        self.push(u64::from(pe) << 32 | u64::from(number) << 8 | kind as u64).push(epoch.into());
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }
}

/// Words that are read one after the other.
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    /// None: at the end.
    pub fn word(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*first))
    }

    fn name(&mut self) -> Option<(Name, u32)> {
        let word = self.word()?;
        let kind = RoleKind::of(word as u32 & 0xff)?;
        let name = Name { pe: (word >> 32) as u32, number: (word as u32) >> 8, kind };
        Some((name, self.word()? as u32))
    }
}

/// A node, as it names the actors of all nodes.
pub struct Here<'a> {
    pub table: Table,
    /// Whether a PE is on this node.
    pub has: &'a dyn Fn(u32) -> bool,
}

impl Here<'_> {
    /// This node's number of an actor.
    fn number(&self, name: Name) -> Option<u32> {
        if (self.has)(name.pe) { Some(name.number) } else { self.table.named(name) }
    }

    fn write(&self, to: &mut Words, stamp: Stamp) {
        let known = self.table.name(stamp.actor).filter(|_| stamp.epoch > 0);
        if known.is_none() && stamp.epoch > 0 {
            // Cannot be: who has an actor's epoch has it from somebody who has seen its name.
            self.table.become_blind();
        }
        match known {
            Some(name) => to.name(name, stamp.epoch),
            None => to.name(Name { pe: 0, number: 0, kind: RoleKind::Thread }, 0),
        }
    }

    /// The outer None: not understood. The inner one: there is no number for it.
    fn read(&self, from: &mut Reader<'_>) -> Option<Option<Stamp>> {
        let (name, epoch) = from.name()?;
        if epoch == 0 {
            return Some(Some(Stamp::default()));
        }
        Some(self.number(name).map(|actor| Stamp { actor, epoch }))
    }

    /// Appends what `epoch_of` has beyond what is `known`, which then has it, too. At most `most` actors. Returns
    /// whether there was more.
    pub fn news(&self, to: &mut Words, epoch_of: impl Fn(u32) -> u32, known: &mut Clock, most: usize) -> bool {
        let head = to.0.len();
        to.push(0).push(0);
        let (mut count, mut more) = (0u64, false);
        for actor in 1..self.table.actors() as u32 {
            let epoch = epoch_of(actor);
            if epoch <= known.get(actor) {
                continue;
            }
            if count as usize == most {
                more = true;
                break;
            }
            let stamp = Stamp { actor, epoch };
            self.write(to, stamp);
            known.raise(stamp);
            count += 1;
        }
        to.0[head] = count;
        to.0[head + 1] = self.table.is_blind().into();
        more
    }

    /// Reads what [`Here::news`] has written. None: not understood.
    pub fn learn(&self, from: &mut Reader<'_>, clock: &mut Clock) -> Option<()> {
        let count = from.word()?;
        if from.word()? != 0 {
            self.table.become_blind();
        }
        for _ in 0..count {
            if let Some(stamp) = self.read(from)? {
                clock.raise(stamp);
            }
        }
        Some(())
    }
}

/// Where in a PE's symmetric memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Static variables, and not the heap.
    pub data: bool,
    pub offset: usize,
}

/// Blocks of a PE's symmetric memory that an operation touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touched {
    pub kind: Kind,
    pub at: Spot,
    /// Bytes of a block, from one to the next, and how many there are.
    pub bytes: usize,
    pub stride: usize,
    pub count: usize,
}

/// An operation on the memory of a PE of another node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Far {
    pub by: Stamp,
    /// The thread that has started it.
    pub issuer: Stamp,
    /// What its fences have ordered before it.
    pub fenced: Vec<Stamp>,
    /// A word through which others learn what the operation knows, and the epoch of the operation that is over for
    /// them.
    pub tells: Option<(Spot, Stamp)>,
    pub touched: Vec<Touched>,
    /// The routine and the calls that led to it.
    pub routine: u32,
    pub frames: Vec<u64>,
}

impl Spot {
    fn write(self, to: &mut Words) {
        to.push(u64::from(self.data) << 63 | self.offset as u64);
    }

    fn read(from: &mut Reader<'_>) -> Option<Spot> {
        let word = from.word()?;
        Some(Spot { data: word >> 63 != 0, offset: (word & (u64::MAX >> 1)) as usize })
    }
}

impl Far {
    pub fn write(&self, here: &Here<'_>, to: &mut Words) {
        here.write(to, self.by);
        here.write(to, self.issuer);
        to.push(self.fenced.len() as u64);
        self.fenced.iter().for_each(|stamp| here.write(to, *stamp));
        to.push(self.tells.is_some().into());
        if let Some((spot, told)) = self.tells {
            spot.write(to);
            here.write(to, told);
        }
        to.push(self.touched.len() as u64);
        for Touched { kind, at, bytes, stride, count } in &self.touched {
            at.write(to);
            to.push(kind.word()).push(*bytes as u64).push(*stride as u64).push(*count as u64);
        }
        let frames = &self.frames[..self.frames.len().min(MOST_FRAMES)];
        to.push(self.routine.into()).push(frames.len() as u64);
        to.0.extend(frames);
    }

    /// The operation as the other node numbers its actors. None: not understood, or this node has no number for who
    /// does it.
    pub fn read(here: &Here<'_>, from: &mut Reader<'_>) -> Option<Far> {
        let (by, issuer) = (here.read(from)?, here.read(from)?);
        let mut far = Far::default();
        for _ in 0..from.word()? {
            far.fenced.extend(here.read(from)?);
        }
        if from.word()? != 0 {
            let spot = Spot::read(from)?;
            far.tells = Some((spot, here.read(from)?.unwrap_or_default()));
        }
        for _ in 0..from.word()? {
            let (at, kind) = (Spot::read(from)?, Kind::of_word(from.word()?));
            let [bytes, stride, count] = [from.word()?, from.word()?, from.word()?].map(|word| word as usize);
            far.touched.push(Touched { kind, at, bytes, stride, count });
        }
        far.routine = from.word()? as u32;
        for _ in 0..from.word()? {
            far.frames.push(from.word()?);
        }
        (far.by, far.issuer) = (by?, issuer.unwrap_or_default());
        Some(far)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::ACTORS;
    use crate::table::Role;

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
            let mut words = Words::default();
            assert!(!here[from].news(&mut words, |a| clock.get(a), known, 100));
            here[to].learn(&mut Reader::new(&words.bytes()), got).unwrap();
            words.0.len()
        };
        let [mut known, mut middle, mut known_there, mut end] = core::array::from_fn(|_| Clock::default());
        assert_eq!(tell(0, 1, &clock, &mut known, &mut middle), 2 + 2 * 2);
        assert_eq!(tell(0, 1, &clock, &mut known, &mut middle), 2, "nothing is new");
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
            let mut words = Words::default();
            let more = here.news(&mut words, |a| clock.get(a), &mut known, 4);
            there.learn(&mut Reader::new(&words.bytes()), &mut got).unwrap();
            messages += 1;
            if !more {
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
        while tables[1].actors() < ACTORS - 2 {
            actor(&tables[1], 9);
        }
        assert!(!tables[1].is_blind());
        let mut clock = Clock::default();
        clock.raise(Stamp { actor: first, epoch: 1 });
        for (from, to) in [(0, 1), (1, 2)] {
            let mut words = Words::default();
            here[from].news(&mut words, |a| clock.get(a), &mut Clock::default(), 9);
            here[to].learn(&mut Reader::new(&words.bytes()), &mut Clock::default()).unwrap();
        }
        assert_eq!([0, 1, 2].map(|node: usize| tables[node].is_blind()), [false, true, true]);
    }

    #[test]
    fn operations_are_read_as_they_were_written() {
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
        let mut words = Words::default();
        far.write(&here, &mut words);
        let bytes = words.bytes();
        let got = Far::read(&there, &mut Reader::new(&bytes)).unwrap();
        // The other node numbers them as they come.
        let [one, two] = [2, 1].map(|actor| Stamp { actor, epoch: 3 - actor });
        assert_eq!(
            got,
            Far { by: two, issuer: one, fenced: vec![one, two], tells: Some((far.tells.unwrap().0, two)), ..far }
        );
        (0..bytes.len()).for_each(|len| assert_eq!(Far::read(&there, &mut Reader::new(&bytes[..len])), None));
    }
}
