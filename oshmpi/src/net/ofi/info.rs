//! The provider that libfabric names for what is needed.

use super::library::{API, Info, Library, flags, kind, mr};
use crate::net::fabric::Offers;
use crate::net::native::Over;
use crate::os::{network, process};
use crate::sync::order::STORES_IN_ORDER;
use core::ffi::{CStr, c_char, c_int};
use core::ptr::{null, null_mut};

/// Bits of a message's tag that are used.
const TAG_BITS: u32 = 48;

/// What is known of a provider, in libfabric's structure, which is this value's own.
pub(super) struct Provider {
    library: &'static Library,
    pub(super) info: *mut Info,
}

/// A provider's text.
fn text(of: *const c_char) -> String {
    // SAFETY: null, or a text of the library's that lasts as long as the structure with it.
    if of.is_null() { String::new() } else { unsafe { CStr::from_ptr(of) }.to_string_lossy().into_owned() }
}

/// Providers of adapters, by the beginnings of their names, and what these adapters do although the provider says that
/// the target has to call it: it has to for messages only. The other providers are for Ethernet and for one machine.
const ADAPTERS: [(&str, Offers); 6] = [
    ("cxi", Offers::ALL),
    ("efa", Offers::NONE),
    ("opx", Offers::NONE),
    ("psm2", Offers::NONE),
    ("psm3", Offers::NONE),
    // The layer over it carries out AMOs.
    ("verbs", Offers { amo: false, ..Offers::ALL }),
];

/// What the adapter of a provider does; None: it is for no adapter.
fn adapter(provider: &str) -> Option<Offers> {
    let first = provider.split(';').next();
    ADAPTERS.iter().find(|(name, _)| first == Some(name)).map(|(_, offers)| *offers)
}

/// A provider for one machine that is not used. Messages of three PEs come damaged over it (1.17), and a process that
/// is killed leaves its files in /dev/shm.
const REFUSED: &str = "shm";

/// Settings of the layer over providers that know connections only, such as that of TCP; hints change none of them. Its
/// buffers are always there: by default 4096 to receive and 1024 to send, of 16 KiB. The last one is the number of
/// peers, for 256 of which its queue of completions has room by default. It grows when it is full.
const OF_CONNECTIONS: [&CStr; 3] =
    [c"FI_OFI_RXM_BUFFER_SIZE=4096", c"FI_OFI_RXM_MSG_RX_SIZE=128", c"FI_UNIVERSE_SIZE=16"];

/// Providers that were found, in libfabric's order.
struct List {
    library: &'static Library,
    first: *mut Info,
}

impl List {
    /// Those that put, get, carry out AMOs and send tagged messages in order, and tell when a put is in the target's
    /// memory. `modes`: what they may ask of memory.
    fn find(library: &'static Library, over: Over, modes: c_int) -> Result<List, String> {
        let reach = if over == Over::Machine { 0 } else { flags::LOCAL_COMM | flags::REMOTE_COMM };
        let settings: &[&CStr] = if network::may_reach_memory() { &[] } else { &OF_CONNECTIONS };
        let mut first = null_mut();
        // SAFETY: the library makes the structures, with all parts that are written to here, and frees them. Null
        // stands for no node and no service.
        let status = unsafe {
            let hints = (library.copy_info)(null());
            if hints.is_null() {
                return Err("fi_dupinfo: out of memory".into());
            }
            (*hints).caps = flags::RMA | flags::TAGGED | flags::ATOMIC | reach;
            (*hints).mode = flags::CONTEXT | flags::CONTEXT2;
            (*(*hints).endpoint).kind = kind::EP_RDM;
            (*(*hints).domain).threading = kind::THREAD_DOMAIN;
            (*(*hints).domain).resource_mgmt = kind::RM_ENABLED;
            (*(*hints).domain).mr_mode = modes;
            (*(*hints).tx).op_flags = flags::DELIVERY_COMPLETE;
            (*(*hints).tx).msg_order = flags::ORDER_SAS;
            (*(*hints).rx).msg_order = flags::ORDER_SAS;
            let find = || (library.get_info)(API, null(), null(), 0, hints, &mut first);
            let status = process::with_variables(settings, find);
            (library.free_info)(hints);
            status
        };
        if status == 0 { Ok(List { library, first }) } else { Err(library.text_of(status)) }
    }

    /// A copy of the first one of those networks whose tags are long enough.
    fn first(&self, over: Over) -> Option<Provider> {
        let mut info = self.first;
        // SAFETY: a list of the library's, which is there as long as this value.
        unsafe {
            while !info.is_null() {
                let tag_bits = u64::BITS - (*(*info).endpoint).mem_tag_format.leading_zeros();
                let name = text((*(*info).fabric).prov_name);
                let fits = name != REFUSED && (over != Over::Own || adapter(&name).is_some());
                if fits && tag_bits >= TAG_BITS {
                    return Some(Provider { library: self.library, info: (self.library.copy_info)(info) });
                }
                info = (*info).next;
            }
        }
        None
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: a list that the library made for this value.
        unsafe { (self.library.free_info)(self.first) };
    }
}

impl Provider {
    /// The first one that serves all that is needed, over these networks.
    pub(super) fn find(library: &'static Library, over: Over) -> Result<Provider, String> {
        let find = |modes| List::find(library, over, modes).map(|list| list.first(over));
        let why = match find(mr::ALL) {
            Ok(Some(provider)) => {
                // Each operation says for itself what its completion means.
                // SAFETY: the structure is this value's own.
                unsafe { (*(*provider.info).tx).op_flags = 0 };
                return Ok(provider);
            }
            Ok(None) if over == Over::Own => "there is none for an adapter".to_owned(),
            Ok(None) => format!("{REFUSED} damages messages, and tags of others have fewer than {TAG_BITS} bits"),
            Err(why) => why,
        };
        if let Ok(Some(provider)) = find(mr::ALL | mr::NOT_SERVED) {
            let name = provider.name();
            return Err(format!("{name} wants local buffers registered (FI_MR_LOCAL) or has long keys (FI_MR_RAW)"));
        }
        let asked = std::env::var("FI_PROVIDER").map_or_else(|_| String::new(), |name| format!(" of {name}"));
        Err(format!("no provider{asked} between nodes puts, gets, does atomics and sends tagged messages: {why}"))
    }

    /// None, of a library that is played.
    #[cfg(test)]
    pub(super) fn none(library: &'static Library) -> Provider {
        Provider { library, info: null_mut() }
    }

    /// A copy.
    pub(super) fn again(&self) -> Provider {
        // SAFETY: the structure is there as long as this value.
        Provider { library: self.library, info: unsafe { (self.library.copy_info)(self.info) } }
    }

    /// Providers of the same name and with addresses of the same kind reach each other.
    pub(super) fn name(&self) -> String {
        // SAFETY: as above.
        unsafe {
            format!("{} with addresses of kind {}", text((*(*self.info).fabric).prov_name), (*self.info).addr_format)
        }
    }

    pub(super) fn describe(&self) -> String {
        // SAFETY: as above.
        let [provider, device] = unsafe { [(*(*self.info).fabric).prov_name, (*(*self.info).domain).name] }.map(text);
        format!("libfabric's provider {provider} over {device}, with an address for each PE that was used")
    }

    pub(super) fn mr_mode(&self) -> c_int {
        // SAFETY: as above.
        unsafe { (*(*self.info).domain).mr_mode }
    }

    pub(super) fn longest(&self) -> usize {
        // SAFETY: as above.
        unsafe { (*(*self.info).endpoint).max_msg_size }.max(1)
    }

    /// What is done without the target's CPU: what the adapter does, or all where nobody has to call the library.
    /// `amos`: there are AMOs of all kinds.
    pub(super) fn offers(&self, amos: bool) -> Offers {
        // SAFETY: as above.
        let (provider, progress) = unsafe { ((*(*self.info).fabric).prov_name, (*(*self.info).domain).data_progress) };
        let offers = match progress {
            kind::PROGRESS_AUTO => Offers::ALL,
            _ => adapter(&text(provider)).unwrap_or_default(),
        };
        Offers { amo: offers.amo && amos, ..offers }
    }

    /// Whether puts and AMOs of any length keep their order where nobody at the target calls the library for them. If
    /// no adapter carries them out, a thread of the provider does, and others see its stores in the order of its CPU.
    pub(super) fn keeps_order(&self) -> bool {
        // SAFETY: as above.
        let (provider, order, longest) = unsafe {
            let order = (*(*self.info).tx).msg_order & (*(*self.info).rx).msg_order;
            ((*(*self.info).fabric).prov_name, order, (*(*self.info).endpoint).max_order_waw_size)
        };
        let in_order = STORES_IN_ORDER || adapter(&text(provider)).is_some_and(|offers| offers.put);
        self.offers(false).put && in_order && order & flags::ORDER_WAW != 0 && longest >= self.longest()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        // SAFETY: a copy that the library made for this value.
        unsafe { (self.library.free_info)(self.info) };
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::library::{Attributes, DomainAttributes, EndpointAttributes, Fabric, FabricAttributes, Handle};
    use super::*;
    use core::cell::Cell;
    use core::mem::zeroed;

    /// A provider's name, and what it asks of memory beside what is served.
    type Played = (&'static CStr, c_int);

    thread_local! {
        static PROVIDERS: Cell<&'static [Played]> = const { Cell::new(&[]) };
    }

    fn info(&(name, modes): &Played, next: *mut Info) -> *mut Info {
        // SAFETY: numbers, raw pointers and functions that may be absent, for which zeros are values.
        unsafe {
            let fabric = FabricAttributes { prov_name: name.as_ptr(), ..zeroed() };
            let endpoint = EndpointAttributes { mem_tag_format: u64::MAX, ..zeroed() };
            let domain = DomainAttributes { mr_mode: modes, ..zeroed() };
            let [tx, rx] = [(); 2].map(|()| Box::leak(Box::new(zeroed::<Attributes>())) as *mut _);
            let (endpoint, domain) = (Box::leak(Box::new(endpoint)), Box::leak(Box::new(domain)));
            let fabric = Box::leak(Box::new(fabric));
            Box::leak(Box::new(Info { next, tx, rx, endpoint, domain, fabric, ..zeroed() }))
        }
    }

    unsafe extern "C" fn copy_info(of: *const Info) -> *mut Info {
        // SAFETY: null, or one of the structures above, which stay.
        if of.is_null() { info(&(c"", 0), null_mut()) } else { unsafe { Box::leak(Box::new(of.read())) } }
    }

    unsafe extern "C" fn get_info(
        _: u32,
        _: *const c_char,
        _: *const c_char,
        _: u64,
        hints: *const Info,
        found: *mut *mut Info,
    ) -> c_int {
        // SAFETY: the caller's structures.
        let modes = unsafe { (*(*hints).domain).mr_mode };
        let fit = PROVIDERS.get().iter().rev().filter(|(_, needs)| needs & !modes == 0);
        let list = fit.fold(null_mut(), |next, provider| info(provider, next));
        // SAFETY: as above.
        unsafe { found.write(list) };
        if list.is_null() { -libc::ENODATA } else { 0 }
    }

    unsafe extern "C" fn version() -> u32 {
        API
    }
    unsafe extern "C" fn free_info(_: *mut Info) {}
    unsafe extern "C" fn fabric(_: *mut FabricAttributes, _: *mut *mut Fabric, _: Handle) -> c_int {
        0
    }
    unsafe extern "C" fn failure(_: c_int) -> *const c_char {
        c"no data".as_ptr()
    }

    /// A library that names these providers.
    pub(in super::super) fn library() -> &'static Library {
        Box::leak(Box::new(Library { version, get_info, free_info, copy_info, fabric, text: failure }))
    }

    fn find(providers: &'static [Played], over: Over) -> Result<String, String> {
        PROVIDERS.set(providers);
        Provider::find(library(), over).map(|provider| provider.name())
    }

    #[test]
    fn adapters_put_and_get_by_themselves() {
        let library = library();
        let offers = |name, progress, amos| {
            let info = info(&(name, 0), null_mut());
            // SAFETY: made in the line above.
            unsafe { (*(*info).domain).data_progress = progress };
            let Offers { put, get, amo } = Provider { library, info }.offers(amos);
            [put, get, amo]
        };
        assert_eq!((offers(c"cxi", 2, true), offers(c"cxi", 2, false)), ([true; 3], [true, true, false]));
        assert_eq!(offers(c"verbs;ofi_rxm", 2, true), [true, true, false]);
        assert_eq!((offers(c"efa", 2, true), offers(c"tcp;ofi_rxm", 2, true)), ([false; 3], [false; 3]));
        assert_eq!(offers(c"sockets", kind::PROGRESS_AUTO, true), [true; 3]);
    }

    /// What a thread of the provider stores, others see in the order of its CPU's stores.
    #[test]
    fn a_fence_is_the_adapters_or_the_cpus() {
        let library = library();
        let keeps_order = |name, progress, longest| {
            let info = info(&(name, 0), null_mut());
            // SAFETY: made in the line above, with all its parts.
            unsafe {
                (*(*info).domain).data_progress = progress;
                (*(*info).endpoint).max_msg_size = 1 << 20;
                (*(*info).endpoint).max_order_waw_size = longest;
                (*(*info).tx).msg_order = flags::ORDER_WAW;
                (*(*info).rx).msg_order = flags::ORDER_WAW;
            }
            Provider { library, info }.keeps_order()
        };
        assert!(keeps_order(c"cxi", 2, 1 << 20) && !keeps_order(c"cxi", 2, 4096));
        assert!(!keeps_order(c"tcp;ofi_rxm", 2, 1 << 20));
        assert_eq!(keeps_order(c"sockets", kind::PROGRESS_AUTO, 1 << 20), STORES_IN_ORDER);
    }

    /// A job takes libfabric by itself for an adapter. Otherwise it takes what libfabric names first.
    #[test]
    fn adapters_are_told_from_other_networks() {
        const ETHERNET: [Played; 2] = [(c"tcp;ofi_rxm", 0), (c"sockets", 0)];
        assert_eq!(find(&ETHERNET, Over::Networks).unwrap(), "tcp;ofi_rxm with addresses of kind 0");
        let refused = find(&ETHERNET, Over::Own).unwrap_err();
        assert!(refused.ends_with("there is none for an adapter"), "{refused}");
        assert_eq!(find(&[ETHERNET[0], (c"cxi", 0)], Over::Own).unwrap(), "cxi with addresses of kind 0");
        assert!(find(&[(c"verbs;ofi_rxm", 0)], Over::Own).is_ok());
        assert!(find(&[], Over::Machine).unwrap_err().ends_with("no data"));
        assert!(find(&[(c"shm", 0)], Over::Machine).unwrap_err().contains("shm damages messages"));
        assert!(find(&[(c"shm", 0), ETHERNET[0]], Over::Machine).unwrap().starts_with("tcp"));
    }

    #[test]
    fn what_a_provider_asks_of_memory_is_told() {
        let refused = find(&[(c"verbs", mr::VIRT_ADDR | 1 << 2)], Over::Own).unwrap_err();
        assert!(refused.contains("verbs with ") && refused.contains(" wants local buffers registered"), "{refused}");
        assert!(find(&[(c"cxi", mr::ENDPOINT | mr::PROV_KEY)], Over::Own).is_ok());
        assert!(find(&[(c"cxi", 1 << 3), (c"tcp", 0)], Over::Networks).unwrap().starts_with("tcp "));
    }
}
