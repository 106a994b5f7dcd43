//! The only maker of symbols. Each routine is a strong `pshmem_x` and a weak alias `shmem_x`, so that a profiling tool
//! can define its own `shmem_x` and call ours. The alias and its target must come out of one macro call: an alias in
//! another module would be missing from the archive without an error.

/// One routine: `routine! { "shmem_quiet" = fn() { ... } }`. Inside the body `NAME` is the routine's name. `"x" as "px"`
/// names the strong symbol of routines without the `shmem_` prefix.
macro_rules! routine {
    ($name:literal = fn($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        const _: () = {
            #[allow(dead_code)]
            const NAME: &str = $name;
            #[unsafe(export_name = concat!("p", $name))]
            unsafe extern "C" fn body($($a: $t),*) $(-> $r)? $body
        };
        core::arch::global_asm!(concat!(".weak ", $name), concat!(".set ", $name, ", p", $name));
    };
}

/// A family over one type, without a context: `pre` + type name + `post` is the routine's name behind `shmem_`.
macro_rules! plain_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($body:ident)::+ $(<$o:ident>)? } $n:literal $t:ty) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $t;
            #[unsafe(export_name = concat!("pshmem_", $pre, $n, $post))]
            unsafe extern "C" fn plain($($a: $at),*) $(-> $r)? {
                // SAFETY: the C caller promises what the standard asks; the body checks what can be checked.
                unsafe { $($body)::+::<$t $(, $o)?>(concat!("shmem_", $pre, $n, $post), $($a as _),*) }
            }
        };
        core::arch::global_asm!(
            concat!(".weak shmem_", $pre, $n, $post),
            concat!(".set shmem_", $pre, $n, $post, ", pshmem_", $pre, $n, $post)
        );
    };
}

/// The same with its two forms: on the default context, and with a context as first argument.
macro_rules! both_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($body:ident)::+ } $n:literal $t:ty) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $t;
            #[unsafe(export_name = concat!("pshmem_", $pre, $n, $post))]
            unsafe extern "C" fn plain($($a: $at),*) $(-> $r)? {
                // SAFETY: the C caller promises what the standard asks; the body checks what can be checked.
                unsafe { $($body)::+::<$t>(concat!("shmem_", $pre, $n, $post), crate::ctx::Ctx::DEFAULT, $($a as _),*) }
            }
            #[unsafe(export_name = concat!("pshmem_ctx_", $pre, $n, $post))]
            unsafe extern "C" fn on_ctx(ctx: crate::ctx::Ctx, $($a: $at),*) $(-> $r)? {
                // SAFETY: as above.
                unsafe { $($body)::+::<$t>(concat!("shmem_ctx_", $pre, $n, $post), ctx, $($a as _),*) }
            }
        };
        core::arch::global_asm!(
            concat!(".weak shmem_", $pre, $n, $post),
            concat!(".set shmem_", $pre, $n, $post, ", pshmem_", $pre, $n, $post),
            concat!(".weak shmem_ctx_", $pre, $n, $post),
            concat!(".set shmem_ctx_", $pre, $n, $post, ", pshmem_ctx_", $pre, $n, $post)
        );
    };
}

/// A family without context, as a plain routine on the default context: the deprecated AMO names.
macro_rules! default_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($body:ident)::+ } $n:literal $t:ty) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $t;
            #[unsafe(export_name = concat!("pshmem_", $pre, $n, $post))]
            unsafe extern "C" fn plain($($a: $at),*) $(-> $r)? {
                // SAFETY: the C caller promises what the standard asks; the body checks what can be checked.
                unsafe { $($body)::+::<$t>(concat!("shmem_", $pre, $n, $post), crate::ctx::Ctx::DEFAULT, $($a as _),*) }
            }
        };
        core::arch::global_asm!(
            concat!(".weak shmem_", $pre, $n, $post),
            concat!(".set shmem_", $pre, $n, $post, ", pshmem_", $pre, $n, $post)
        );
    };
}

/// Families, one per line: `form table: "pre" _ "post" (arguments) -> result = function;`
macro_rules! families {
    ($($form:ident $table:ident: $pre:literal _ $post:literal ($($args:tt)*) $(-> $r:ty)? = $($body:ident)::+ $(<$o:ident>)?;)*) => {
        $( $table! { $form { $pre _ $post ($($args)*) $(-> $r)? = $($body)::+ $(<$o>)? } } )*
    };
}
