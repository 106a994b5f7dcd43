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

/// One routine, for both kinds `K`: `f_routine! { f_names "shmem_quiet" = fn() { ... } }`. Inside the body `NAME` is
/// the routine's name.
macro_rules! f_routine {
    ($names:ident $name:literal = $($rest:tt)*) => {
        f_routine_body! { i32, concat!("p", $name, "_"), $name = $($rest)* }
        f_routine_body! { i64, concat!("oshmpi_ilp64_", $name), $name = $($rest)* }
        $names! { $name }
    };
}

/// One routine, for one `K`.
macro_rules! f_routine_body {
    ($k:ty, $export:expr, $name:literal = fn($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        const _: () = {
            #[allow(dead_code)]
            const NAME: &str = $name;
            #[allow(dead_code)]
            type K = $k;
            #[unsafe(export_name = $export)]
            unsafe extern "C" fn body($($a: $t),*) $(-> $r)? {
                let _frame = crate::diag::frames::Frame;
                $body
            }
        };
    };
}

/// One routine of a family, for one `K`; with a `Frame`, or a comma and the context.
macro_rules! f_body {
    ($k:ty, $export:expr, [$($frame:ident)? $(, $ctx:expr)?]
        { $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($verb:tt)+ }
        $n:literal $t:ty) => {
        const _: () = {
            #[allow(dead_code)]
            type K = $k;
            #[allow(dead_code)]
            type T = $t;
            #[unsafe(export_name = $export)]
            unsafe extern "C" fn body($($a: $at),*) $(-> $r)? {
                const NAME: &str = concat!("shmem_", $pre, $n, $post);
                $(let _frame = crate::diag::frames::$frame;)?
                // SAFETY: the Fortran caller promises what the standard asks: addresses of variables of these types,
                // and as many elements behind each as the line says. The verb checks what can be checked.
                unsafe {
                    $(let $a = super::args::Argument::value($a, NAME, stringify!($a));)*
                    verb! { [NAME $(, $ctx)?] T, [$($a)*] $($verb)+ }
                }
            }
        };
    };
}

/// A form for `families!`: on the default context.
macro_rules! f_default {
    ({ $pre:literal _ $post:literal $($rest:tt)* } $n:literal $t:ty) => {
        f_body! { i32, concat!("pshmem_", $pre, $n, $post, "_"), [, crate::ctx::Ctx::DEFAULT]
            { $pre _ $post $($rest)* } $n $t }
        f_body! { i64, concat!("oshmpi_ilp64_shmem_", $pre, $n, $post), [, crate::ctx::Ctx::DEFAULT]
            { $pre _ $post $($rest)* } $n $t }
        f_names! { "shmem_", $pre, $n, $post }
    };
}

/// A form for `families!`: without a context.
macro_rules! f_plain {
    ({ $pre:literal _ $post:literal $($rest:tt)* } $n:literal $t:ty) => {
        f_body! { i32, concat!("pshmem_", $pre, $n, $post, "_"), [Frame] { $pre _ $post $($rest)* } $n $t }
        f_body! { i64, concat!("oshmpi_ilp64_shmem_", $pre, $n, $post), [Frame] { $pre _ $post $($rest)* } $n $t }
        f_names! { "shmem_", $pre, $n, $post }
    };
}
