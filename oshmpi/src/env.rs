//! Settings from the environment and from the site's file: one line each, read once at init. `docs/env.md` explains
//! them at length.

mod choices;
pub(crate) mod coll_select;
mod site;
#[cfg(all(test, not(feature = "documents")))]
mod tests;
mod unknown;

pub(crate) use choices::*;
use coll_select::CollSelect;
use site::Site;
use std::fmt;
#[cfg(not(feature = "documents"))]
use {
    crate::os::exe::{self, Object},
    std::{ffi::OsString, path::Path, sync::OnceLock},
};

/// A value that cannot be used. Shown to the user as one line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadValue {
    name: &'static str,
    value: String,
    /// Where in the site's file it stands; empty: in the environment.
    place: String,
    expected: String,
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line, whatever the value is.
        let (at, place) = if self.place.is_empty() { ("", "") } else { (" by ", &*self.place) };
        write!(f, "{} is set to \"{}\"{at}{place}: expected {}", self.name, self.value.escape_debug(), self.expected)
    }
}

/// A setting that travels between PEs, as a number.
trait Numbered: Read {
    fn number(&self) -> u64;
    fn of_number(n: u64) -> Option<Self>;
}

/// How a setting is read.
pub(crate) trait Read: Sized {
    const EXPECTED: &'static str;
    fn read(text: &str) -> Option<Self>;
    /// The values that are accepted in place of `_text`, which is not.
    fn expected(_text: &str) -> String {
        Self::EXPECTED.to_owned()
    }
    fn show(&self) -> String;
}

impl Read for bool {
    const EXPECTED: &'static str = "anything but 0, no, off or false";
    /// The standard enables a flag by any value. Programs' scripts write 0 to disable one, so these four words do.
    fn read(text: &str) -> Option<bool> {
        Some(!["0", "no", "off", "false"].iter().any(|word| text.eq_ignore_ascii_case(word)))
    }
    fn show(&self) -> String {
        if *self { "set" } else { "not set" }.to_owned()
    }
}

impl Read for Size {
    const EXPECTED: &'static str = "a size in bytes such as 1073741824, 64M, 3.1m or .5g";
    fn read(text: &str) -> Option<Size> {
        parse_size(text).map(Size)
    }
    fn show(&self) -> String {
        format!("{} bytes", self.0)
    }
}

impl Numbered for Size {
    fn number(&self) -> u64 {
        self.0
    }
    fn of_number(n: u64) -> Option<Size> {
        Some(Size(n))
    }
}

impl Read for Seconds {
    const EXPECTED: &'static str = "a whole number of seconds, or 0 for never";
    fn read(text: &str) -> Option<Seconds> {
        text.parse().ok().map(Seconds)
    }
    fn show(&self) -> String {
        format!("{} s", self.0)
    }
}

impl Read for FileName {
    const EXPECTED: &'static str = "the name of a file";
    fn read(text: &str) -> Option<FileName> {
        Some(FileName(text.to_owned()))
    }
    fn show(&self) -> String {
        if self.0.is_empty() { "not set" } else { &self.0 }.to_owned()
    }
}

/// A time; 0 stands for never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) u32);

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

/// The name of a file; empty for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileName(pub(crate) String);

/// A setting that is marked `agreed`: all PEs of a job must have the same value.
pub(crate) struct Agreed {
    pub(crate) name: &'static str,
    /// The value as a number, which is sent to other PEs.
    pub(crate) number: fn(&Env) -> u64,
    /// The text of such a number for users. Another PE may have sent it.
    pub(crate) show: fn(u64) -> String,
}

/// The one mark that a row of `settings!` can carry, and what is made of the row.
macro_rules! agreed {
    (agreed $name:literal $field:ident $t:ty) => {
        Agreed {
            name: $name,
            number: |env| env.$field.number(),
            show: |n| <$t>::of_number(n).map_or_else(|| n.to_string(), |value| value.show()),
        }
    };
}

macro_rules! settings {
    ($(
        $(#[doc = $more:literal])*
        $field:ident: $t:ty = $default:expr, [$name:literal $(, $old:literal)*] $($mark:ident)?, $help:literal;
    )*) => {
        /// Everything that is set.
        #[derive(Clone, Debug)]
        pub(crate) struct Env {
            $(#[doc = $help] $(#[doc = $more])* pub(crate) $field: $t,)*
            /// The lines of the site's file that are in force, and the file.
            by_site: String,
        }

        /// The rows that are marked `agreed`, in their order.
        pub(crate) const AGREED: &[Agreed] = &[$($(agreed!($mark $name $field $t),)?)*];

        /// The names of all settings, those of other libraries that are read too included.
        const NAMES: &[&str] = &[$($name, $($old,)*)*];

        impl Env {
            /// Reads all settings: through `get`, else in the site's file. Where a value cannot be used the default is
            /// in force; the first such value is given too.
            fn read(get: impl Fn(&str) -> Option<String>, site: &Site) -> (Env, Option<BadValue>) {
                let mut reader = Reader { get, site, by_site: Vec::new(), bad: None };
                let mut env = Env {
                    $($field: reader.one(&[$name $(, $old)*]).unwrap_or($default),)*
                    by_site: String::new(),
                };
                if !reader.by_site.is_empty() {
                    env.by_site = format!("{}: {}", site.file.display(), reader.by_site.join(", "));
                }
                (env, reader.bad)
            }

            /// One line per setting: name, value in force, meaning. The last line has what the site's file has set.
            pub(crate) fn lines(&self) -> Vec<String> {
                let mut all = vec![$(format!("{:<22} {:<18} {}", $name, Read::show(&self.$field), $help)),*];
                all.extend((!self.by_site.is_empty()).then(|| self.by_site.clone()));
                all
            }

            /// All rows with their defaults.
            #[cfg(feature = "documents")]
            pub(crate) fn rows() -> Vec<Row> {
                let (env, _) = Env::load(|_| None);
                vec![$(Row {
                    names: &[$name, $($old,)*],
                    expected: <$t as Read>::EXPECTED,
                    default: Read::show(&env.$field),
                    marks: &[$(stringify!($mark))?],
                    help: $help,
                    more: &[$($more),*],
                }),*]
            }
        }
    };
}

/// A row of `settings!`, for the documents: `cargo xtask` compiles this file with the feature `documents`.
#[cfg(feature = "documents")]
pub(crate) struct Row {
    pub(crate) names: &'static [&'static str],
    pub(crate) expected: &'static str,
    pub(crate) default: String,
    pub(crate) marks: &'static [&'static str],
    pub(crate) help: &'static str,
    pub(crate) more: &'static [&'static str],
}

/// The site's file of this process's installation. A program that is linked with the archive has none.
#[cfg(not(feature = "documents"))]
fn site() -> &'static Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    SITE.get_or_init(|| match exe::object_at(site as *const () as usize) {
        Some(Object::Library(file)) => Path::new(&file).ancestors().nth(2).map(Site::of_prefix).unwrap_or_default(),
        _ => Site::default(),
    })
}

/// What a name is set to in the environment, else in the site's file.
#[cfg(not(feature = "documents"))]
pub(crate) fn value(name: &str) -> Option<OsString> {
    std::env::var_os(name).or_else(|| site().line(name).map(|line| line.value.clone().into()))
}

#[cfg(not(feature = "documents"))]
impl Env {
    /// The settings of this process.
    pub(crate) fn of_process() -> (Env, Option<BadValue>) {
        Env::read(|name| std::env::var_os(name).map(|v| v.to_string_lossy().into_owned()), site())
    }

    /// One line for each variable of this process and each line of the site's file that looks like a setting and is
    /// none.
    pub(crate) fn unknown() -> Vec<String> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        [unknown::lines(names, NAMES), unknown::lines_of_site(site(), NAMES)].concat()
    }
}

impl Env {
    /// The settings of an environment alone.
    #[cfg(any(test, feature = "documents"))]
    pub(crate) fn load(get: impl Fn(&str) -> Option<String>) -> (Env, Option<BadValue>) {
        Env::read(get, &Site::default())
    }

    /// The values of the settings in [`AGREED`].
    pub(crate) fn agreed(&self) -> [u64; AGREED.len()] {
        core::array::from_fn(|i| (AGREED[i].number)(self))
    }
}

// `cargo xtask gen` and `install` use these rows too (xtask/src/settings.rs): docs/env.md, osh_info and the manual
// pages say what stands here. A doc comment above a row is what they say beyond the one line. With the mark `agreed`
// behind its names a setting must be equal on all PEs: PEs tell each other its value, and a job in which two differ
// ends with one line.
settings! {
    /// The size is rounded up. Untouched memory costs nothing.
    heap: Size = Size(512 << 20),
        ["SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE", "SHMEM_SYMMETRIC_HEAP_SIZE", "XT_SYMMETRIC_HEAP_SIZE"] agreed,
        "symmetric heap of every PE: a number, a decimal fraction allowed, with k, m, g or t for powers of 1024";
    /// auto takes reserved huge pages if a host has enough of them free, else the kernel's where it makes them at the
    /// first write (shmem_enabled), else small ones. Where it does not, transparent has it make them (Linux 6.1) when a
    /// block of 2 MiB or more is allocated. With reserved, a host says how many pages are missing, and goes on as auto.
    pages: Pages = Pages::Auto, ["OSHMPI_PAGES"] agreed,
        "pages of the symmetric heap: auto, small, or huge ones: transparent (the kernel's) or reserved";
    /// A page that is first written later costs a page fault then. The pages become huge where the kernel can do that
    /// (Linux 6.1 and later), whatever its setting for first writes is, unless OSHMPI_PAGES is small.
    prefault: bool = false, ["OSHMPI_PREFAULT"],
        "take all memory of the symmetric heap at start";
    version: bool = false, ["SHMEM_VERSION", "SMA_VERSION"],
        "print the library's version at start";
    /// These are shared memory, cores, heap, statics, thread level and route.
    info: bool = false, ["SHMEM_INFO", "SMA_INFO"],
        "print this table and what the job got at start";
    /// Also pSync and pWrk, unknown option bits, exit without finalize.
    debug: bool = false, ["SHMEM_DEBUG", "SMA_DEBUG"],
        "check at some cost what is not checked otherwise: alignment, overlap, threads, collectives, leftovers";
    /// remap moves them onto shared memory, cma lets the kernel copy. Where the first is not possible, the second is
    /// taken. Where that is not possible either, a job on several nodes reaches them as other nodes do, and
    /// one on a single node has none that are symmetric.
    statics: Statics = Statics::Remap, ["OSHMPI_STATICS"] agreed,
        "how static variables of other PEs are reached: remap or cma";
    route: Route = Route::Auto, ["OSHMPI_ROUTE"] agreed,
        "how other PEs are reached: auto (memory on the node, else the network), node (memory) or mpi (network)";
    /// With always, a job of Open MPI's mpiexec, prterun or srun --mpi=pmix is joined through MPI. So it is if there is
    /// no libpmix.so.2, and if Open MPI contains a copy of PMIx.
    mpi: MpiWhen = MpiWhen::Auto, ["OSHMPI_MPI"] agreed,
        "when MPI is initialised: auto (when something needs it) or always (in the first init)";
    /// Without it a process takes the MPI that its program has loaded; else the first of libmpi_abi.so.1, libmpi.so.12,
    /// libmpich.so.12 and libmpi.so.40; under a launcher of Open MPI the last one comes first. They are looked for in
    /// the directories lib beside those of the processes that have started this one, in the environment of Python in
    /// which oshmpi is a package, and where the loader looks. The MPI that oshmpi was installed with comes before
    /// others of its ABI. A process that needs no MPI loads none.
    mpi_library: FileName = FileName(String::new()), ["OSHMPI_MPI_LIBRARY"],
        "the MPI to load, where one is needed: the file of its library, or a name for the loader";
    /// auto is the network's own library, if the launcher serves this one, it works on all PEs, and a heap may be
    /// locked in memory where there is an adapter; else mpi. ucx it is where the job's MPI itself uses UCX, or the
    /// nodes have InfiniBand or RoCE; ofi where they have another adapter that libfabric knows, such as Slingshot, EFA
    /// or Omni-Path. The first lines of SHMEM_INFO tell which and why. ucx needs UCX 1.13 or newer (libucp.so.0) on all
    /// nodes, ofi libfabric 1.9 or newer (libfabric.so.1), whose FI_PROVIDER chooses among its networks. With both, MPI
    /// is initialised only where it has the connection to the launcher (srun with PMI-2), and with OSHMPI_MPI=always.
    /// mpi runs on every MPI-3: windows put and get what MPI does well, messages do the rest, and a PE of the word's
    /// node carries out atomics. rma leaves all to MPI, also on one node: the heap is memory that MPI allocates
    /// (MPI_Win_allocate), atomics are MPI_Fetch_and_op and MPI_Compare_and_swap, collectives are MPI's on a
    /// communicator for each group.
    transport: TransportBy = TransportBy::Auto, ["OSHMPI_TRANSPORT"] agreed,
        "what carries data between nodes: auto, ucx (UCX's library), ofi (libfabric's), mpi, or rma (MPI alone)";
    /// With both, all PEs get identical bits in every run. With layout, rounded results depend on which PEs share a
    /// node or, in nodes of 16 or more PEs, a cache. With strict they do not, and the network carries all PEs' data.
    coll_order: CollOrder = CollOrder::Layout, ["OSHMPI_COLL_ORDER"] agreed,
        "order in which reductions combine floating-point numbers: layout (by nodes and caches) or strict (by PEs)";
    /// For experiments, such as reduce:allgather,broadcast:binomial. A named algorithm is used wherever it can be, also
    /// with OSHMPI_TRANSPORT=rma. The built-in table decides for a call that cannot use it, because of too many bytes
    /// for an eager buffer or members on another number of nodes. There are
    /// barrier: dissemination, hierarchical, tree (of 16 members on a node, as if each had a core; also where PEs
    /// outnumber cores);
    /// broadcast: eager, read, read-write, binomial, scatter-allgather, hierarchical;
    /// allgather: eager, read, write, bruck, ring, hierarchical;
    /// collect: eager, read, write, allgather, hierarchical;
    /// alltoall: eager, read, write, pairwise, bruck, hierarchical;
    /// reduce: eager, read, write, allgather, reduce-scatter, recursive-doubling, rabenseifner, hierarchical;
    /// scan: eager, read, write, allgather, pairwise, recursive-doubling, hierarchical.
    coll_select: CollSelect = CollSelect::NONE, ["OSHMPI_COLL_SELECT"] agreed,
        "algorithms of collectives, in place of the built-in choice: a list of COLLECTIVE:ALGORITHM";
    progress: ProgressBy = ProgressBy::Auto, ["OSHMPI_PROGRESS"],
        "who serves other nodes while a PE computes: auto (a helper thread, where MPI allows one) or none";
    /// If the PEs of a node outnumber its cores, nap is used in any case. nap leaves the cores to other jobs, and
    /// doubles the time that operations of other PEs take.
    wait: WaitBy = WaitBy::Spin, ["OSHMPI_WAIT"],
        "what a PE does that has a core and waits for other nodes: spin (as MPI does) or nap (100 us between polls)";
    /// 0: for ever. A number below 6 counts as 6. The first PEs of the hosts hold TCP connections to each other for
    /// this, if the network permits; oshrun's servers have connections already.
    host_timeout: Seconds = Seconds(30), ["OSHMPI_HOST_TIMEOUT"],
        "seconds for which a host may be silent before the job is ended";
    /// 0: never. The table names for each PE of a node the call that it waits in, for what, and from where it was
    /// called. SIGQUIT and SIGUSR1 ask for it at any time, unless the program catches them or this is 0. With
    /// SHMEM_DEBUG a job in which nothing can change is ended.
    hang: Seconds = Seconds(60), ["OSHMPI_HANG"],
        "seconds after which a table tells what each PE waits for, if no wait of a node has ended since";
    /// backtrace needs no debug information, and shows files and lines if there is some. With abort the process dies of
    /// SIGABRT.
    on_error: OnError = OnError::Exit, ["OSHMPI_ON_ERROR"],
        "what follows a mistake that was found: exit (the job ends), backtrace (and the calls are printed) or abort";
    /// 1 means text. Every operation then takes the slow side, where it is counted: a put on the node takes some 100 ns
    /// longer. json is one line of JSON per PE on standard error. Connections are the open sockets to other hosts.
    stats: StatsAs = StatsAs::None, ["OSHMPI_STATS"],
        "print at the end, per PE, what was moved by which route, and how long it waited for what: text or json";
    /// oshrun --top sets it, and joins the tables of all nodes. Without oshrun the first PE of each node prints one.
    top: Seconds = Seconds(0), ["OSHMPI_TOP"],
        "seconds between two tables of what the PEs do, how long they wait and how much they move; 0: none";
}

/// Reads settings one by one.
struct Reader<'a, G> {
    get: G,
    site: &'a Site,
    /// Lines of the site's file that were taken.
    by_site: Vec<String>,
    bad: Option<BadValue>,
}

impl<G: Fn(&str) -> Option<String>> Reader<'_, G> {
    /// The value of the first of `names` that is set, in the environment or else in the site's file. A value that
    /// cannot be used is kept in `bad`, and the default is in force.
    fn one<T: Read>(&mut self, names: &[&'static str]) -> Option<T> {
        let of_site = |name: &&'static str| self.site.line(name).map(|line| (*name, line.value.clone(), line.number));
        let (name, value, place) = match names.iter().find_map(|&name| Some((name, (self.get)(name)?))) {
            Some((name, value)) => (name, value, String::new()),
            None => {
                let (name, value, number) = names.iter().find_map(of_site)?;
                self.by_site.push(format!("{name}={value}"));
                (name, value, self.site.place(number))
            }
        };
        let read = T::read(&value);
        if read.is_none() {
            self.bad.get_or_insert_with(|| BadValue { name, expected: T::expected(&value), value, place });
        }
        read
    }
}

/// A number, optionally with a decimal fraction, and one suffix k, m, g or t in either case (2^10 .. 2^40). Rounded up
/// to whole bytes, as exactly as an `f64` can. What follows the suffix is ignored ("20kk" is 20 KiB); anything else is
/// no size.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let unit = match suffix.bytes().next().map(|b| b.to_ascii_lowercase()) {
        None => 1u64,
        Some(b'k') => 1 << 10,
        Some(b'm') => 1 << 20,
        Some(b'g') => 1 << 30,
        Some(b't') => 1 << 40,
        Some(_) => return None,
    };
    let bytes = (number.parse::<f64>().ok()? * unit as f64).ceil();
    (bytes < u64::MAX as f64).then_some(bytes as u64)
}
