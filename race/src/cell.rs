//! One access in 64 bits.
//!
//! ```text
//! | 0..32 epoch | 32..45 actor | 45..53 bytes of the granule | 53 write | 54..58 class | 58 flag |
//! ```

use serde::{Deserialize, Serialize};

/// The number of actors of a node, at most.
pub const ACTORS: usize = 1 << 13;

/// Bytes that one granule of shadow memory describes.
pub const GRANULE: usize = 8;

/// Who did something, and when in its own time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stamp {
    pub actor: u32,
    pub epoch: u32,
}

/// How an access treats the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kind(u64);

const WRITE: u64 = 1 << 53;
const CLASS: u32 = 54;
const CLASS_MASK: u64 = 15 << CLASS;
const FLAG: u64 = 1 << 58;
/// Classes `c` and `c + DOMAIN` are one type in two atomicity domains.
pub const DOMAIN: u32 = 5;
/// The classes of collectives' own writes. The flag tells two more apart by each.
const COLLECTIVES: [u64; 4] = [11, 12, 14, 15];

impl Kind {
    pub const READ: Kind = Kind(0);
    pub const WRITE: Kind = Kind(WRITE);
    /// A put of one element. Old programs set with it the words that others wait for.
    pub const PUT_ONE: Kind = Kind(WRITE | FLAG);
    /// The result that a collective writes, whose group has this number. Those of one group do not race with each
    /// other, because its members call them in one order. One of eight pairs of groups is taken for one.
    pub const fn collective(group: u64) -> Kind {
        let class = COLLECTIVES[group as usize % 4];
        Kind(WRITE | class << CLASS | if group & 4 != 0 { FLAG } else { 0 })
    }

    /// An atomic access. Those of one class are atomic with respect to each other: one type, one atomicity domain.
    /// `class`: 1 to 10, or 13.
    #[inline]
    pub const fn atomic(class: u32, write: bool) -> Kind {
        debug_assert!(class > 0 && (class <= 2 * DOMAIN || class == 13));
        Kind((class as u64) << CLASS | if write { WRITE } else { 0 })
    }

    /// The read of a wait or test routine, which is atomic.
    #[inline]
    pub const fn waiting(class: u32) -> Kind {
        Kind((class as u64) << CLASS | FLAG)
    }

    #[inline]
    pub fn writes(self) -> bool {
        self.0 & WRITE != 0
    }

    #[inline]
    pub fn is_atomic(self) -> bool {
        self.class() != 0 && !self.is_collective()
    }

    #[inline]
    fn is_collective(self) -> bool {
        COLLECTIVES.contains(&self.class())
    }

    #[inline]
    fn class(self) -> u64 {
        (self.0 & CLASS_MASK) >> CLASS
    }

    /// Whether two unordered accesses of these kinds to one byte are a race.
    #[inline]
    pub fn conflicts(self, other: Kind) -> bool {
        // Most of what is unordered are AMOs of one class.
        if (self.0 | other.0) & WRITE == 0 || self == other && self.class() != 0 && self.0 & FLAG == 0 {
            return false;
        }
        if self.is_collective() && other.is_collective() {
            return self != other;
        }
        let waits = |k: Kind| k.0 & FLAG != 0 && !k.writes();
        let domainless = |k: Kind| (k.class() as u32).saturating_sub(1) % DOMAIN;
        // Waits know no context, so they are atomic with respect to AMOs of both domains.
        let same_type = |one: Kind, two: Kind| waits(one) && two.is_atomic() && domainless(one) == domainless(two);
        let same_class =
            self.class() != 0 && self.class() == other.class() || same_type(self, other) || same_type(other, self);
        // A wait may be ended by a put of one element: not by the standard's text, but in many programs.
        let put_ends_wait = |put: Kind, wait: Kind| put == Kind::PUT_ONE && waits(wait);
        !same_class && !put_ends_wait(self, other) && !put_ends_wait(other, self)
    }

    /// Whether each access that races with an ordered `earlier` one races with this one too, so that the earlier one
    /// may be forgotten.
    #[inline]
    fn stands_for(self, earlier: Kind) -> bool {
        self == earlier || (self.class() == 0 && self.0 & FLAG == 0 && (self.writes() || !earlier.writes()))
    }
}

/// An access to some bytes of a granule. 0: none.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell(pub u64);

impl Cell {
    pub const NONE: Cell = Cell(0);

    /// `bytes`: bit i for byte i of the granule; at least one.
    #[inline]
    pub fn new(by: Stamp, bytes: u8, kind: Kind) -> Cell {
        debug_assert!((by.actor as usize) < ACTORS && bytes != 0);
        Cell(u64::from(by.epoch) | u64::from(by.actor) << 32 | u64::from(bytes) << 45 | kind.0)
    }

    #[inline]
    pub fn by(self) -> Stamp {
        Stamp { actor: (self.0 >> 32) as u32 & (ACTORS as u32 - 1), epoch: self.0 as u32 }
    }

    #[inline]
    pub fn bytes(self) -> u8 {
        (self.0 >> 45) as u8
    }

    #[inline]
    pub fn kind(self) -> Kind {
        Kind(self.0 & (WRITE | CLASS_MASK | FLAG))
    }

    /// The cell with more bytes.
    #[inline]
    pub fn with_bytes(self, bytes: u8) -> Cell {
        Cell(self.0 | u64::from(bytes) << 45)
    }

    /// All but the bytes are equal.
    #[inline]
    pub fn same_access(self, other: Cell) -> bool {
        (self.0 ^ other.0) & !(0xff << 45) == 0
    }

    /// Whether actor and kind are equal.
    #[inline(always)]
    pub fn is_of_kind(self, other: Cell) -> bool {
        (self.0 ^ other.0) & !(0xff << 45 | 0xffff_ffff) == 0
    }

    /// Whether this is what an earlier cell says, to no fewer bytes, in the same epoch of the actor or in another.
    #[inline(always)]
    pub fn is_again(self, earlier: Cell) -> bool {
        self.is_of_kind(earlier) && earlier.bytes() & !self.bytes() == 0
    }

    /// [`Cell::is_again`], and not of an epoch before that one. Cells of a page's owner are made late.
    #[inline(always)]
    pub fn comes_again(self, earlier: Cell) -> bool {
        self.is_again(earlier) && earlier.by().epoch <= self.by().epoch
    }

    /// Whether the other cell is none, or of the same actor.
    #[inline(always)]
    pub fn is_alone_with(self, other: Cell) -> bool {
        other == Cell::NONE || (self.0 ^ other.0) >> 32 & (ACTORS as u64 - 1) == 0
    }

    /// A load or store of these bytes, where this is the thread's store to all bytes.
    #[inline(always)]
    pub fn narrowed(self, bytes: u8, write: bool) -> Cell {
        let write = if write { WRITE } else { 0 };
        Cell(self.0 & !(WRITE | 0xff << 45) | u64::from(bytes) << 45 | write)
    }

    /// Whether this cell makes an `earlier`, ordered one unnecessary.
    #[inline]
    pub fn stands_for(self, earlier: Cell) -> bool {
        earlier.bytes() & !self.bytes() == 0 && self.kind().stands_for(earlier.kind())
    }

    /// Whether the two touch a byte in common in a way that needs order.
    #[inline]
    pub fn conflicts(self, other: Cell) -> bool {
        self.bytes() & other.bytes() != 0 && self.kind().conflicts(other.kind())
    }
}

/// Which cells say all that a load or store would: one compare for each cell.
#[derive(Clone, Copy)]
pub struct Noted {
    /// Bits that may be either.
    any: u64,
    wanted: u64,
}

impl Noted {
    /// `whole`: the actor's store to all bytes in that epoch. A store of the bytes says what a load would.
    #[inline(always)]
    pub fn new(whole: Cell, bytes: u8, write: bool) -> Noted {
        Noted { any: u64::from(!bytes) << 45 | if write { 0 } else { WRITE }, wanted: whole.0 }
    }

    #[inline(always)]
    pub fn is(self, cell: Cell) -> bool {
        cell.0 | self.any == self.wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_keeps_what_it_was_made_of() {
        let by = Stamp { actor: 8191, epoch: u32::MAX };
        for kind in
            [Kind::READ, Kind::WRITE, Kind::PUT_ONE, Kind::collective(0), Kind::collective(7), Kind::atomic(13, true)]
        {
            let cell = Cell::new(by, 0x81, kind);
            assert_eq!((cell.by(), cell.bytes(), cell.kind()), (by, 0x81, kind));
        }
    }

    #[test]
    fn which_kinds_conflict() {
        let amo = |class, write| Kind::atomic(class, write);
        let all = |a: Kind, b: Kind| {
            assert_eq!(a.conflicts(b), b.conflicts(a));
            a.conflicts(b)
        };
        assert!(all(Kind::WRITE, Kind::WRITE) && all(Kind::WRITE, Kind::READ) && !all(Kind::READ, Kind::READ));
        // AMOs: one class is atomic; another type or domain is not; nor are loads and stores.
        assert!(
            !all(amo(1, true), amo(1, true)) && all(amo(1, true), amo(2, true)) && !all(amo(1, false), amo(2, false))
        );
        assert!(all(amo(1, true), Kind::READ) && all(amo(1, false), Kind::WRITE) && !all(amo(1, false), Kind::READ));
        // What may end a wait.
        assert!(!all(Kind::waiting(1), amo(1, true)) && all(Kind::waiting(1), amo(2, true)));
        assert!(!all(Kind::waiting(1), amo(1 + DOMAIN, true)) && all(Kind::waiting(1), amo(2 + DOMAIN, true)));
        assert!(!all(Kind::waiting(1), Kind::PUT_ONE) && all(Kind::waiting(1), Kind::WRITE));
        assert!(all(Kind::PUT_ONE, amo(1, true)) && all(Kind::PUT_ONE, Kind::PUT_ONE));
        // Collectives of one group, and of others.
        for one in 0..8 {
            let kind = Kind::collective(one);
            assert!(
                all(kind, Kind::READ) && all(kind, Kind::WRITE) && all(kind, Kind::PUT_ONE) && all(kind, amo(1, true))
            );
            assert!((0..8).all(|two| all(kind, Kind::collective(two)) == (one != two)) && !kind.is_atomic());
        }
    }
}
