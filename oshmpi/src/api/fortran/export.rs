//! The only maker of Fortran symbols. A routine is a strong `pshmem_x_` and a weak `shmem_x_`, as in C, each also with
//! two underscores, and `oshmpi_ilp64_shmem_x` for 8-byte integers. All names of a routine come out of one macro call:
//! an alias in another module would be missing from the archive without an error.

/// Aliases of `px_`, for names with an underscore in them. The literals are the parts of `x`.
macro_rules! f_names {
    ($($part:literal),*) => {
        core::arch::global_asm!(
            concat!(".weak ", $($part,)* "_"),
            concat!(".set ", $($part,)* "_, p", $($part,)* "_"),
            concat!(".weak ", $($part,)* "__"),
            concat!(".set ", $($part,)* "__, p", $($part,)* "_"),
            concat!(".globl p", $($part,)* "__"),
            concat!(".set p", $($part,)* "__, p", $($part,)* "_")
        );
    };
}

/// Aliases for names without an underscore: no compiler option gives such names two.
macro_rules! f_names_short {
    ($($part:literal),*) => {
        core::arch::global_asm!(
            concat!(".weak ", $($part,)* "_"),
            concat!(".set ", $($part,)* "_, p", $($part,)* "_")
        );
    };
}

/// One routine, for both kinds `K`, under all its names: `names` of its name in parts. Inside the body `NAME` is the
/// routine's name. `T`, if it is given, is a type, which may be `K`.
macro_rules! f_symbols {
    ($names:ident [$($part:literal)*] $($rest:tt)*) => {
        f_symbol! { i32, concat!("p", $($part,)* "_"), [$($part)*] $($rest)* }
        f_symbol! { i64, concat!("oshmpi_ilp64_", $($part),*), [$($part)*] $($rest)* }
        $names! { $($part),* }
    };
}

/// One routine, for one `K`.
macro_rules! f_symbol {
    ($k:ty, $export:expr, [$($part:literal)*]
        $(T = $of:ty,)? fn($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        const _: () = {
            #[allow(dead_code)]
            const NAME: &str = concat!($($part),*);
            #[allow(dead_code)]
            type K = $k;
            $(#[allow(dead_code)] type T = $of;)?
            #[unsafe(export_name = $export)]
            unsafe extern "C" fn body($($a: $t),*) $(-> $r)? $body
        };
    };
}

/// `f_routine! { f_names "shmem_quiet" = fn() { ... } }`.
macro_rules! f_routine {
    ($names:ident $name:literal = fn($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        f_symbols! { $names [$name] fn($($a: $t),*) $(-> $r)? {
            let _frame = crate::diag::frames::Frame;
            $body
        } }
    };
}

/// A form for `families!`: on the default context.
macro_rules! f_default {
    ({ $($family:tt)* } $n:literal $t:ty) => { f_one! { [, crate::ctx::Ctx::DEFAULT] { $($family)* } $n $t } };
}

/// A form for `families!`: without a context.
macro_rules! f_plain {
    ({ $($family:tt)* } $n:literal $t:ty) => { f_one! { [Frame] { $($family)* } $n $t } };
}

/// One routine of a family; with a `Frame`, or a comma and the context.
macro_rules! f_one {
    ([$($frame:ident)? $(, $ctx:expr)?]
        { $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($verb:tt)+ }
        $n:literal $t:ty) => {
        f_symbols! { f_names ["shmem_" $pre $n $post] T = $t, fn($($a: $at),*) $(-> $r)? {
            $(let _frame = crate::diag::frames::$frame;)?
            // SAFETY: the Fortran caller promises what the standard asks: addresses of variables of these types, and as
            // many elements behind each as the line says. The verb checks what can be checked.
            unsafe {
                $(let $a = super::args::Argument::value($a, NAME, stringify!($a));)*
                verb! { [NAME $(, $ctx)?] T, [$($a)*] $($verb)+ }
            }
        } }
    };
}
