//! The provider that libfabric names for what is needed.

use super::library::{API, Info, Library, flags, kind, mr};
use crate::net::fabric::Offers;
use core::ffi::{CStr, c_char};
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

impl Provider {
    /// The first one that puts, gets, carries out AMOs and sends tagged messages in order, and tells when a put is in
    /// the target's memory. `shared`: it need not reach other machines.
    pub(super) fn find(library: &'static Library, shared: bool) -> Result<Provider, String> {
        let reach = if shared { 0 } else { flags::LOCAL_COMM | flags::REMOTE_COMM };
        let mut found = null_mut();
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
            (*(*hints).domain).mr_mode = mr::ALL;
            (*(*hints).tx).op_flags = flags::DELIVERY_COMPLETE;
            (*(*hints).tx).msg_order = flags::ORDER_SAS;
            (*(*hints).rx).msg_order = flags::ORDER_SAS;
            let status = (library.get_info)(API, null(), null(), 0, hints, &mut found);
            (library.free_info)(hints);
            status
        };
        if status != 0 {
            let why = library.text_of(status);
            let asked = std::env::var("FI_PROVIDER").map_or_else(|_| String::new(), |name| format!(" of {name}"));
            return Err(format!(
                "no provider{asked} between nodes puts, gets, carries out atomics and sends tagged messages: {why}"
            ));
        }
        let mut one = found;
        // SAFETY: a list of the library's, freed once; what is kept is a copy.
        let info = unsafe {
            while !one.is_null() && u64::BITS - (*(*one).endpoint).mem_tag_format.leading_zeros() < TAG_BITS {
                one = (*one).next;
            }
            let info = if one.is_null() { null_mut() } else { (library.copy_info)(one) };
            (library.free_info)(found);
            info
        };
        if info.is_null() {
            return Err(format!("no provider has tags of {TAG_BITS} bits"));
        }
        // Each operation says for itself what its completion means.
        // SAFETY: the structure was made above.
        unsafe { (*(*info).tx).op_flags = 0 };
        Ok(Provider { library, info })
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

    pub(super) fn mr_mode(&self) -> core::ffi::c_int {
        // SAFETY: as above.
        unsafe { (*(*self.info).domain).mr_mode }
    }

    pub(super) fn longest(&self) -> usize {
        // SAFETY: as above.
        unsafe { (*(*self.info).endpoint).max_msg_size }.max(1)
    }

    /// What is done without the target's CPU: nothing where its threads have to call the library for it. `amos`: there
    /// are AMOs of all kinds.
    pub(super) fn offers(&self, amos: bool) -> Offers {
        // SAFETY: as above.
        let by_itself = unsafe { (*(*self.info).domain).data_progress } == kind::PROGRESS_AUTO;
        Offers { put: by_itself, get: by_itself, amo: by_itself && amos }
    }

    /// Whether puts and AMOs of any length keep their order where the target's CPU has no part in it.
    pub(super) fn keeps_order(&self) -> bool {
        // SAFETY: as above.
        let (order, longest) = unsafe {
            let order = (*(*self.info).tx).msg_order & (*(*self.info).rx).msg_order;
            (order, (*(*self.info).endpoint).max_order_waw_size)
        };
        self.offers(false).put && order & flags::ORDER_WAW != 0 && longest >= self.longest()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        // SAFETY: a copy that the library made for this value.
        unsafe { (self.library.free_info)(self.info) };
    }
}
