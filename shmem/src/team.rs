//! Teams, and the collectives on them.

use crate::element::Start;
use crate::{Bits, Element, Error, Number, Ordered, Sym, World};
use core::cell::RefCell;
use core::ffi::c_int;
use core::marker::PhantomData;
use pastey::paste;
use shmem_sys as sys;

/// A set of PEs that contains this one. Dropping a team that was split off destroys it, which is collective. While a
/// panic unwinds it is not destroyed; if the panic is caught, the team stays until the [`World`] ends.
///
/// A collective may write into `dest` of all members as soon as one of them calls it. So before `dest` is used again,
/// all members must have read it: call [`Team::sync`] between reading and the next collective.
///
/// ```standalone_crate
/// let world = shmem::init()?;
/// let (count, one) = (world.alloc::<i32>(1)?, world.alloc::<i32>(1)?);
/// one.fill(1);
/// let evens = world.n_pes().div_ceil(2);
/// if let Some(team) = world.team().split(0, 2, evens)? {
///     team.sum(&count, &one);                       // on the PEs with even numbers
///     assert_eq!(count.local()[0].get(), evens as i32);
/// }
/// # Ok::<(), shmem::Error>(())
/// ```
#[derive(Debug)]
pub struct Team<'w> {
    world: &'w World,
    handle: sys::shmem_team_t,
    me: usize,
    n: usize,
    own: bool,
}

impl<'w> Team<'w> {
    pub(crate) fn world(world: &'w World) -> Team<'w> {
        Team { world, handle: sys::SHMEM_TEAM_WORLD, me: world.me(), n: world.n_pes(), own: false }
    }

    /// This PE's number in the team.
    pub fn me(&self) -> usize {
        self.me
    }

    /// The number of members.
    pub fn n_pes(&self) -> usize {
        self.n
    }

    /// The number in the [`World`] of member `pe`.
    pub fn world_pe(&self, pe: usize) -> usize {
        assert!(pe < self.n, "pe {pe} is out of range 0..{} of the team", self.n - 1);
        // SAFETY: the library is up as long as the world is there, and so is the team, here and below.
        let pe = unsafe { sys::shmem_team_translate_pe(self.handle, pe as c_int, sys::SHMEM_TEAM_WORLD) };
        pe as usize
    }

    /// A new team of the `size` members `start`, `start + stride` and so on; `None` on PEs that are not in it.
    /// Collective on this team.
    pub fn split(&self, start: usize, stride: usize, size: usize) -> Result<Option<Team<'w>>, Error> {
        let last = size.checked_sub(1).and_then(|k| k.checked_mul(stride)).and_then(|d| d.checked_add(start));
        assert!(last.is_some_and(|last| last < self.n), "members {start} + {stride} * 0..{size} are not all there");
        assert!(stride > 0 || size == 1, "{size} members at stride 0 are the same one");
        let mut handle = sys::SHMEM_TEAM_INVALID;
        let (start, stride, size) = (start as c_int, stride as c_int, size as c_int);
        // SAFETY: the configuration may be null when the mask is 0.
        let failed = unsafe {
            sys::shmem_team_split_strided(self.handle, start, stride, size, core::ptr::null(), 0, &mut handle)
        };
        let is_member = handle != sys::SHMEM_TEAM_INVALID;
        if failed != 0 {
            return Err(Error::NoTeam);
        }
        Ok(is_member.then(|| self.made(handle)))
    }

    /// Two new teams of a grid with rows of `width` members, of which the last may be shorter: this member's row, and
    /// its column. Collective on this team.
    pub fn split_2d(&self, width: usize) -> Result<(Team<'w>, Team<'w>), Error> {
        assert!((1..=self.n).contains(&width), "a row of {width} members cannot be made of {}", self.n);
        let (mut row, mut column) = (sys::SHMEM_TEAM_INVALID, sys::SHMEM_TEAM_INVALID);
        let none = core::ptr::null();
        // SAFETY: the configurations may be null when the masks are 0.
        let failed =
            unsafe { sys::shmem_team_split_2d(self.handle, width as c_int, none, 0, &mut row, none, 0, &mut column) };
        if failed != 0 { Err(Error::NoTeam) } else { Ok((self.made(row), self.made(column))) }
    }

    /// A team that a split has made.
    fn made(&self, handle: sys::shmem_team_t) -> Team<'w> {
        // SAFETY: the team has just been made.
        let (me, n) = unsafe { (sys::shmem_team_my_pe(handle), sys::shmem_team_n_pes(handle)) };
        Team { world: self.world, handle, me: me as usize, n: n as usize, own: true }
    }

    /// Waits until all members have called this.
    pub fn sync(&self) {
        // SAFETY: see world_pe.
        unsafe { sys::shmem_team_sync(self.handle) };
    }

    /// Copies all elements of `source` of member `root` to `dest` of all members, including the root.
    pub fn broadcast<T: Element>(&self, dest: &Sym<'_, T>, source: &Sym<'_, T>, root: usize) {
        assert!(root < self.n, "root {root} is out of range 0..{} of the team", self.n - 1);
        let n = source.len();
        self.lies(dest, n);
        self.apart(dest, source);
        // SAFETY: both are symmetric, apart and long enough, here and below.
        unsafe { (T::BROADCAST)(self.handle, dest.range(0..n), source.range(0..n), n, root as c_int) };
    }

    /// Copies all elements of `source` of all members, in the members' order, to `dest` of all members.
    pub fn fcollect<T: Element>(&self, dest: &Sym<'_, T>, source: &Sym<'_, T>) {
        let n = source.len();
        self.lies(dest, n.saturating_mul(self.n));
        self.apart(dest, source);
        // SAFETY: as above.
        unsafe { (T::FCOLLECT)(self.handle, dest.range(0..n), source.range(0..n), n) };
    }

    /// Copies block k of `source` of member m to block m of `dest` of member k. All blocks have the same length.
    pub fn alltoall<T: Element>(&self, dest: &Sym<'_, T>, source: &Sym<'_, T>) {
        let n = source.len();
        assert!(n.is_multiple_of(self.n), "{n} elements are not a multiple of {} members", self.n);
        self.lies(dest, n);
        self.apart(dest, source);
        // SAFETY: as above.
        unsafe { (T::ALLTOALL)(self.handle, dest.range(0..n), source.range(0..n), n / self.n) };
    }

    /// Runs `run`, which starts collectives, and completes them. They go on while it computes. All members start the
    /// same ones in the same order. Nobody may read a `dest` before the end, or change a `source`.
    ///
    /// ```standalone_crate
    /// # let world = shmem::init()?;
    /// let (sum, one) = (world.alloc::<i64>(1)?, world.alloc::<i64>(1)?);
    /// one.fill(1);
    /// world.team().nonblocking(|started| started.sum(&sum, &one)); // and computes
    /// assert_eq!(sum.local()[0].get(), world.n_pes() as i64);
    /// # Ok::<(), shmem::Error>(())
    /// ```
    pub fn nonblocking<'env, R>(&self, run: impl FnOnce(&Started<'_, 'env>) -> R) -> R {
        run(&Started { team: self, requests: RefCell::default(), _env: PhantomData })
    }

    fn lies<T: Element>(&self, dest: &Sym<'_, T>, needed: usize) {
        assert!(dest.len() >= needed, "dest has {} elements, {needed} are needed", dest.len());
    }

    /// Panics if `dest` is `source`, or if one belongs to another [`World`].
    fn apart<T: Element>(&self, dest: &Sym<'_, T>, source: &Sym<'_, T>) {
        assert!(!core::ptr::eq(dest, source), "dest and source must be apart");
        assert!(core::ptr::eq(dest.world(), self.world) && core::ptr::eq(source.world(), self.world));
    }
}

/// Reductions, element by element over all members. All members get the result.
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident<$kind:ident> = $raw:ident;)*) => {
        impl<'env> Started<'_, 'env> { $(
            $(#[$doc])*
            pub fn $name<T: $kind>(&self, dest: &'env Sym<'_, T>, source: &'env Sym<'_, T>) {
                self.team.lies(dest, source.len());
                paste! { self.start(T::[<$raw _NB>], dest, source, source.len()) }
            }
        )* }

        impl Team<'_> { $(
            $(#[$doc])*
            ///
            /// `dest` may be `source`. Collective on the team, with equal lengths.
            pub fn $name<T: $kind>(&self, dest: &Sym<'_, T>, source: &Sym<'_, T>) {
                let n = source.len();
                self.lies(dest, n);
                // SAFETY: both are symmetric and long enough, and the same or apart.
                unsafe { (T::$raw)(self.handle, dest.range(0..n), source.range(0..n), n) };
            }
        )* }
    };
}

reductions! {
    /// Sums.
    sum<Number> = SUM;
    /// Products.
    product<Number> = PROD;
    /// Minima.
    min<Ordered> = MIN;
    /// Maxima.
    max<Ordered> = MAX;
    /// Bitwise and.
    and<Bits> = AND;
    /// Bitwise or.
    or<Bits> = OR;
    /// Bitwise exclusive or.
    xor<Bits> = XOR;
}

/// Collectives that were started, all complete at the end of [`Team::nonblocking`]. Memory of `'env` is borrowed until
/// then.
#[derive(Debug)]
pub struct Started<'t, 'env> {
    team: &'t Team<'t>,
    requests: RefCell<Vec<sys::shmemx_req_t>>,
    // As in `Batch`.
    _env: PhantomData<&'env mut &'env ()>,
}

impl<'env> Started<'_, 'env> {
    /// As [`Team::fcollect`].
    pub fn fcollect<T: Element>(&self, dest: &'env Sym<'_, T>, source: &'env Sym<'_, T>) {
        self.team.lies(dest, source.len().saturating_mul(self.team.n));
        self.team.apart(dest, source);
        self.start(T::FCOLLECT_NB, dest, source, source.len());
    }

    /// As [`Team::alltoall`].
    pub fn alltoall<T: Element>(&self, dest: &'env Sym<'_, T>, source: &'env Sym<'_, T>) {
        let (n, members) = (source.len(), self.team.n);
        assert!(n.is_multiple_of(members), "{n} elements are not a multiple of {members} members");
        self.team.lies(dest, n);
        self.team.apart(dest, source);
        self.start(T::ALLTOALL_NB, dest, source, n / members);
    }

    /// Starts a collective of `n` elements, for which both are long enough.
    fn start<T: Element>(&self, start: Start<T>, dest: &Sym<'_, T>, source: &Sym<'_, T>, n: usize) {
        let mut request = core::ptr::null_mut();
        // SAFETY: both are symmetric and long enough, and the same or apart. 'env lasts until the wait in `drop`.
        unsafe { start(self.team.handle, dest.range(0..n), source.range(0..n), n, &mut request) };
        self.requests.borrow_mut().push(request);
    }
}

impl Drop for Started<'_, '_> {
    fn drop(&mut self) {
        let requests = self.requests.get_mut();
        if std::thread::panicking() && !requests.is_empty() {
            // As for World: the others may not come, and the buffers must not be used again by who catches the panic.
            // SAFETY: the library is up.
            unsafe { sys::shmem_global_exit(101) }
        }
        // SAFETY: each was started and is waited for once.
        requests.iter_mut().for_each(|request| unsafe { sys::shmemx_req_wait(request) });
    }
}

impl Drop for Team<'_> {
    fn drop(&mut self) {
        // As for Sym: the others may not come.
        if self.own && !std::thread::panicking() {
            // SAFETY: split off by us and given back once.
            unsafe { sys::shmem_team_destroy(self.handle) }
        }
    }
}
