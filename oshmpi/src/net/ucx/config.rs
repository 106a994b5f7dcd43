//! UCX's settings that this library changes where the user has not set them, and the context that is made with them.

use super::library::{API, ContextParams, Handle, Library, Version};
use core::ffi::CStr;
use core::ptr::{null, null_mut};

/// The first version whose `config_modify` wants the transport's name before a setting's: `TCP_TX_SEG_SIZE`. Older ones
/// know the setting as `TX_SEG_SIZE`, and print a warning about the longer name.
const PREFIXED: Version = [1, 17, 0];

/// The first version in which a put over TCP may end the process that it is for, with SIGSEGV: UCX reads on in a buffer
/// that it has given back. Seen with 1.16 to 1.22 where nodes have two PEs, and never with 1.13 to 1.15.
const ENDS_AT_TCP_PUTS: Version = [1, 16, 0];

/// From this version on an endpoint can keep the order of a fence by itself (`FENCE_MODE`). In earlier versions with
/// [`WAITS_IN_FENCE`] a fence waits for everything that is under way.
const HAS_ENDPOINT_FENCE: Version = [1, 19, 0];
const WAITS_IN_FENCE: Version = [1, 16, 0];

/// A setting of UCX's that this library changes where the user has not set it.
struct Setting {
    /// The variable by which a user sets it.
    variable: &'static str,
    /// The setting's name behind that of its transport, and with it.
    names: [&'static CStr; 2],
    value: &'static CStr,
    /// For which versions, and in which environment.
    applies: fn(&Library) -> bool,
}

/// The buffers: UCX hands TCP 8 KiB at a time by default. With these sizes a put or get of 64 KiB takes half the time.
/// A buffer is taken while data is under way, so memory does not grow with the number of PEs.
///
/// The next one switches UCX's own puts over TCP off ([`ENDS_AT_TCP_PUTS`]). UCX then sends a put as an active
/// message. The last one has endpoints keep the order of a fence. By default they complete what is under way.
const SETTINGS: [Setting; 4] = [
    Setting {
        variable: "UCX_TCP_TX_SEG_SIZE",
        names: [c"TX_SEG_SIZE", c"TCP_TX_SEG_SIZE"],
        value: c"64k",
        applies: leaves_out,
    },
    Setting {
        variable: "UCX_TCP_RX_SEG_SIZE",
        names: [c"RX_SEG_SIZE", c"TCP_RX_SEG_SIZE"],
        value: c"128k",
        applies: leaves_out,
    },
    Setting {
        variable: "UCX_TCP_PUT_ENABLE",
        names: [c"PUT_ENABLE", c"TCP_PUT_ENABLE"],
        value: c"n",
        applies: |library| library.version() >= ENDS_AT_TCP_PUTS,
    },
    Setting {
        variable: "UCX_FENCE_MODE",
        names: [c"FENCE_MODE", c"FENCE_MODE"],
        value: c"ep_based",
        applies: |library| library.version() >= HAS_ENDPOINT_FENCE && has_fence(library),
    },
];

impl Setting {
    fn is_to_change(&self, library: &Library) -> bool {
        (self.applies)(library) && std::env::var_os(self.variable).is_none()
    }

    fn name(&self, library: &Library) -> &'static CStr {
        self.names[usize::from(library.version() >= PREFIXED)]
    }
}

/// Whether the user has left the transports and what belongs to them to this library.
fn leaves_out(_: &Library) -> bool {
    std::env::var_os("UCX_TLS").is_none()
}

/// Settings of the user that have a fence wait for everything that is under way, or may have it do so.
const OF_FENCES: [&str; 3] = ["UCX_FENCE_MODE", "UCX_PROTO_ENABLE", "UCX_MAX_RMA_LANES"];

/// Whether a fence orders operations without waiting for them.
pub(super) fn has_fence(library: &Library) -> bool {
    let waits = (WAITS_IN_FENCE..HAS_ENDPOINT_FENCE).contains(&library.version());
    !waits && OF_FENCES.iter().all(|variable| std::env::var_os(variable).is_none())
}

/// Makes a context for `pes` PEs of the job, and so many of this PE's node. `shared`: also over
/// memory that processes of one machine share.
pub(super) fn context(library: &Library, [pes, on_node]: [usize; 2], shared: bool) -> Result<Handle, String> {
    let (mut config, mut context) = (null_mut(), null_mut());
    // SAFETY: the strings end with a zero, null stands for the defaults, and the library writes one handle each.
    unsafe {
        library.good("ucp_config_read", (library.config_read)(null(), null(), &mut config))?;
        // Making memory that processes share takes 5 of UCX's 11 ms of a start, and a PE that is killed leaves its
        // name.
        if !shared && leaves_out(library) {
            let modified = (library.config_modify)(config, c"TLS".as_ptr(), c"^sm".as_ptr());
            library.good("ucp_config_modify", modified)?;
        }
        for setting in SETTINGS.iter().filter(|setting| setting.is_to_change(library)) {
            // A failure is not reported: UCX then has no TCP, or does as it does by default.
            let _ = (library.config_modify)(config, setting.name(library).as_ptr(), setting.value.as_ptr());
        }
        let made = (library.init)(API.0, API.1, &ContextParams::with(pes, on_node), config, &mut context);
        (library.config_release)(config);
        library.good("ucp_init", made)?;
    }
    Ok(context)
}
