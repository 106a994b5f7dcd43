//! libfabric's objects of one lane: a domain with an endpoint, a completion queue and an address vector, and this PE's
//! memory. No two lanes share a domain, so libfabric needs no locks.

use super::info::Provider;
use super::library::{
    Av, AvAttributes, Calls, Cq, CqAttributes, Domain, ETOOSMALL, Endpoint, Fabric, Fid, Handle, Library, Memory,
    Valid, call, flags, kind, mr,
};
use crate::memory::addr::Span;
use crate::net::fabric::Offers;
use crate::net::native::Over;
use core::ffi::c_int;
use core::mem::{replace, zeroed};
use core::ptr::null_mut;

pub(super) struct Objects {
    pub(super) library: &'static Library,
    pub(super) provider: Provider,
    fabric: *mut Fabric,
    /// The fabric is this one's, which ends last.
    has_fabric: bool,
    domain: *mut Domain,
    pub(super) av: *mut Av,
    pub(super) cq: *mut Cq,
    pub(super) endpoint: *mut Endpoint,
    memory: [*mut Memory; 2],
    has_amos: bool,
}

// SAFETY: libfabric takes its objects from any thread, one at a time for all of a domain (`THREAD_DOMAIN`); whoever has
// the lock around them is that one.
unsafe impl Send for Objects {}

/// Addresses for which a provider has room at first. Its table grows with the PEs that are used.
const ADDRESSES: usize = 64;

/// Completions for which a queue has room at first. With more it takes more memory, some of it at each completion until
/// all of it was used.
const COMPLETIONS: usize = 1024;

impl Objects {
    /// For a job of so many PEs.
    pub(super) fn open(library: &'static Library, pes: usize, over: Over) -> Result<Objects, String> {
        let provider = Provider::find(library, over)?;
        let mut fabric = null_mut();
        // SAFETY: the attributes are those that the library gave, and it writes a pointer.
        let status = unsafe { (library.fabric)((*provider.info).fabric, &mut fabric, null_mut()) };
        library.good("fi_fabric", status)?;
        Objects::of_fabric(library, provider, fabric, true).enabled(pes)
    }

    /// Those of another lane.
    pub(super) fn beside(&self, pes: usize) -> Result<Objects, String> {
        Objects::of_fabric(self.library, self.provider.again(), self.fabric, false).enabled(pes)
    }

    /// Of a fabric, without the objects that `enabled` makes.
    pub(super) fn of_fabric(
        library: &'static Library,
        provider: Provider,
        fabric: *mut Fabric,
        has_fabric: bool,
    ) -> Objects {
        let (domain, av, cq, endpoint) = (null_mut(), null_mut(), null_mut(), null_mut());
        let memory = [null_mut(); 2];
        Objects { library, provider, fabric, has_fabric, domain, av, cq, endpoint, memory, has_amos: false }
    }

    /// Makes domain, address vector, queue and endpoint. An error closes what was made.
    fn enabled(mut self, pes: usize) -> Result<Objects, String> {
        let (library, info) = (self.library, self.provider.info);
        // SAFETY: the fabric is there until this worker ends; each object is one that a call above it has made, and
        // begins as its structure says. The library writes a pointer each. Zeros are values of the attributes.
        unsafe {
            let make = call!((*self.fabric).ops, FabricOps, domain)?;
            library.good("fi_domain", make(self.fabric, info, &mut self.domain, null_mut()))?;
            let tables = (*self.domain).ops;
            let av_type = match (*(*info).domain).av_type {
                0 => kind::AV_MAP,
                chosen => chosen,
            };
            let mut av = AvAttributes { kind: av_type, count: pes.min(ADDRESSES), ..zeroed() };
            let make = call!(tables, DomainOps, av_open)?;
            library.good("fi_av_open", make(self.domain, &mut av, &mut self.av, null_mut()))?;
            let mut cq = CqAttributes { size: COMPLETIONS, format: kind::CQ_TAGGED, ..zeroed() };
            let make = call!(tables, DomainOps, cq_open)?;
            library.good("fi_cq_open", make(self.domain, &mut cq, &mut self.cq, null_mut()))?;
            let make = call!(tables, DomainOps, endpoint)?;
            library.good("fi_endpoint", make(self.domain, info, &mut self.endpoint, null_mut()))?;
            let endpoint: *mut Fid = self.endpoint.cast();
            let bind = call!((*endpoint).ops, FidOps, bind)?;
            library.good("fi_ep_bind", bind(endpoint, self.av.cast(), 0))?;
            library.good("fi_ep_bind", bind(endpoint, self.cq.cast(), flags::TRANSMIT | flags::RECV))?;
            let control = call!((*endpoint).ops, FidOps, control)?;
            library.good("fi_enable", control(endpoint, kind::ENABLE, null_mut()))?;
        }
        self.has_amos = self.has_all_amos();
        Ok(self)
    }

    /// Whether the endpoint has AMOs of all kinds on words of 4 and 8 bytes.
    fn has_all_amos(&self) -> bool {
        // SAFETY: the endpoint is enabled.
        let tables = unsafe { (*self.endpoint).atomic };
        let fetches = [kind::SUM, kind::BAND, kind::BOR, kind::BXOR, kind::READ, kind::WRITE];
        let (fetch, compare) = (call!(tables, AtomicOps, readwritevalid), call!(tables, AtomicOps, compwritevalid));
        let (Ok(fetch), Ok(compare)) = (fetch, compare) else { return false };
        [kind::UINT32, kind::UINT64].into_iter().all(|datatype| {
            let mut count = 0;
            // SAFETY: the endpoint is enabled; the library writes a number.
            let mut is_there =
                |valid: Valid, op| unsafe { valid(self.endpoint, datatype, op, &mut count) == 0 && count > 0 };
            fetches.into_iter().all(|op| is_there(fetch, op)) && is_there(compare, kind::CSWAP)
        })
    }

    /// Registers the segment with this index. Gives its key, and where it begins as the library counts.
    pub(super) fn register(&mut self, which: usize, segment: Span) -> Result<(Vec<u8>, u64), String> {
        let library = self.library;
        let mode = self.provider.mr_mode();
        let requested = if mode & mr::PROV_KEY != 0 { 0 } else { which as u64 + 1 };
        let memory = &mut self.memory[which];
        let access = flags::REMOTE_READ | flags::REMOTE_WRITE;
        // SAFETY: the segment is mapped to the end of the process; domain and endpoint are there; the library writes a
        // pointer to an object, which begins as its structure says.
        unsafe {
            let reg = call!((*self.domain).mr, MemoryOps, reg)?;
            let at = segment.base as Handle;
            let status = reg(self.domain, at, segment.len, access, 0, requested, 0, memory, null_mut());
            library.good("memory cannot be registered", status)?;
            if mode & mr::ENDPOINT != 0 {
                let fid: *mut Fid = (*memory).cast();
                let bind = call!((*fid).ops, FidOps, bind)?;
                library.good("fi_mr_bind", bind(fid, self.endpoint.cast(), 0))?;
                let control = call!((*fid).ops, FidOps, control)?;
                library.good("fi_mr_enable", control(fid, kind::ENABLE, null_mut()))?;
            }
            let base = if mode & mr::VIRT_ADDR != 0 { segment.base as u64 } else { 0 };
            Ok(((**memory).key.to_le_bytes().to_vec(), base))
        }
    }

    /// Takes back what `register` has made.
    pub(super) fn unregister(&mut self, which: usize) -> Result<(), String> {
        self.library.good("fi_close", close(replace(&mut self.memory[which], null_mut()).cast()))
    }

    /// The endpoint's address, behind the name of its provider.
    pub(super) fn address(&self) -> Result<Vec<u8>, String> {
        let mut address = vec![0; 64];
        loop {
            let mut len = address.len();
            // SAFETY: the endpoint is enabled; the library writes up to `len` bytes, and how many it has.
            let status = unsafe {
                let name = call!((*self.endpoint).cm, CmOps, getname)?;
                name(self.endpoint, address.as_mut_ptr(), &mut len)
            };
            if status != -ETOOSMALL || len <= address.len() {
                self.library.good("fi_getname", status)?;
                address.truncate(len);
                let name = self.provider.name();
                return Ok([&[name.len() as u8], name.as_bytes(), &address].concat());
            }
            address.resize(len, 0);
        }
    }

    /// The functions of operations. They must not be called when the objects are closed.
    pub(super) fn calls(&self) -> Result<Calls, String> {
        // SAFETY: the endpoint is enabled.
        unsafe { Calls::of(self.endpoint, self.cq, self.av) }
    }

    pub(super) fn offers(&self) -> Offers {
        self.provider.offers(self.has_amos)
    }

    /// Closes all, once. Memory may be bound to the endpoint, and all but the fabric belong to the domain.
    pub(super) fn close(&mut self) {
        let fabric = if self.has_fabric { self.fabric } else { null_mut() };
        let fids: [*mut Fid; 5] = [
            replace(&mut self.endpoint, null_mut()).cast(),
            replace(&mut self.cq, null_mut()).cast(),
            replace(&mut self.av, null_mut()).cast(),
            replace(&mut self.domain, null_mut()).cast(),
            fabric.cast(),
        ];
        self.has_fabric = false;
        let memory = replace(&mut self.memory, [null_mut(); 2]).map(|memory| memory.cast());
        // A failure leaves an object to the end of the process.
        memory.into_iter().chain(fids).for_each(|object| _ = close(object));
    }
}

/// Closes an object of the library, unless it is null. Gives what the library says.
fn close(object: *mut Fid) -> c_int {
    if object.is_null() {
        return 0;
    }
    // SAFETY: an object of the library, which begins as its structure says; its owner has taken it out of its place.
    unsafe { call!((*object).ops, FidOps, close).map_or(0, |close| close(object)) }
}

impl Drop for Objects {
    fn drop(&mut self) {
        self.close();
    }
}
