//! The only maker of symbols. Each routine is a strong `pshmem_x` and a weak alias `shmem_x`, so that a profiling tool
//! can define its own `shmem_x` and call the library's. The alias and its target must come out of one macro call. An
//! alias in another module would be missing from the archive without an error.

/// One routine: `routine! { "shmem_quiet" = fn() { ... } }`. Inside the body `NAME` is the routine's name. `"x" as
/// "px"` names the strong symbol of routines without the `shmem_` prefix.
macro_rules! routine {
    ($name:literal = fn($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        const _: () = {
            #[allow(dead_code)]
            const NAME: &str = $name;
            #[unsafe(export_name = concat!("p", $name))]
            unsafe extern "C" fn body($($a: $t),*) $(-> $r)? {
                let _frame = crate::diag::frames::Frame;
                $body
            }
        };
        core::arch::global_asm!(concat!(".weak ", $name), concat!(".set ", $name, ", p", $name));
    };
}

/// Calls the `ops` function of a table line: with the routine's arguments as they come, or with the checked values that
/// the line makes of them. `$first` stands before them.
macro_rules! verb {
    ([$($first:expr),*] $t:ty, [$($a:ident)*] $($body:ident)::+ $(<$o:ident>)?) => {
        $($body)::+::<$t $(, $o)?>($($first,)* $($a as _),*)
    };
    ([$($first:expr),*] $t:ty, [$($a:ident)*] $($body:ident)::+ ($($value:expr),* $(,)?)) => {
        $($body)::+::<$t>($($first,)* $($value),*)
    };
}

/// A family over one type, without a context: `pre` + type name + `post` is the routine's name behind `shmem_`.
macro_rules! plain_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($verb:tt)+ } $n:literal $t:ty) => {
        one! { [Frame] { $pre _ $post ($($a: $at),*) $(-> $r)? = $($verb)+ } $n $t }
    };
}

/// A family without a context argument, on the default context: the deprecated AMO names.
macro_rules! default_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($verb:tt)+ } $n:literal $t:ty) => {
        one! { [, crate::ctx::Ctx::DEFAULT] { $pre _ $post ($($a: $at),*) $(-> $r)? = $($verb)+ } $n $t }
    };
}

/// A family over one type in two forms: on the default context, and with a context as first argument.
macro_rules! both_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($verb:tt)+ } $n:literal $t:ty) => {
        one! { [, crate::ctx::Ctx::DEFAULT] { $pre _ $post ($($a: $at),*) $(-> $r)? = $($verb)+ } $n $t }
        const _: () = {
            #[allow(dead_code)]
            type T = $t;
            #[allow(unused_unsafe)] // most verbs are safe
            #[unsafe(export_name = concat!("pshmem_ctx_", $pre, $n, $post))]
            unsafe extern "C" fn on_ctx(ctx: crate::ctx::Ctx, $($a: $at),*) $(-> $r)? {
                // SAFETY: the C caller promises what the standard asks: as many elements behind each pointer as the
                // line says. The verb checks what can be checked.
                unsafe { verb! { [concat!("shmem_ctx_", $pre, $n, $post), ctx] $t, [$($a)*] $($verb)+ } }
            }
        };
        core::arch::global_asm!(
            concat!(".weak shmem_ctx_", $pre, $n, $post),
            concat!(".set shmem_ctx_", $pre, $n, $post, ", pshmem_ctx_", $pre, $n, $post)
        );
    };
}

/// One routine of a family: with a `Frame`, or a comma and the context for the verb.
macro_rules! one {
    ([$($frame:ident)? $(, $ctx:expr)?]
        { $pre:literal _ $post:literal ($($a:ident: $at:ty),*) $(-> $r:ty)? = $($verb:tt)+ } $n:literal $t:ty) => {
        const _: () = {
            #[allow(dead_code)]
            type T = $t;
            #[allow(unused_unsafe)] // most verbs are safe
            #[unsafe(export_name = concat!("pshmem_", $pre, $n, $post))]
            unsafe extern "C" fn plain($($a: $at),*) $(-> $r)? {
                $(let _frame = crate::diag::frames::$frame;)?
                // SAFETY: the C caller promises what the standard asks: as many elements behind each pointer as the
                // line says. The verb checks what can be checked.
                unsafe { verb! { [concat!("shmem_", $pre, $n, $post) $(, $ctx)?] $t, [$($a)*] $($verb)+ } }
            }
        };
        core::arch::global_asm!(
            concat!(".weak shmem_", $pre, $n, $post),
            concat!(".set shmem_", $pre, $n, $post, ", pshmem_", $pre, $n, $post)
        );
    };
}

/// Families, one per line: `form table: "pre" _ "post" (arguments) -> result = function;`, or `= function(values);`
/// where pointers become values that carry the C caller's promise (`Source`, `Dest`). Several tables with their names
/// may share a line.
macro_rules! families {
    ($($form:ident $($table:ident: $pre:literal _ $post:literal),+ ($($args:tt)*) $(-> $r:ty)?
        = $($body:ident)::+ $(<$o:ident>)? $(($($value:tt)*))?;)*) => { $(
        family! { $form [$($table $pre _ $post)+] ($($args)*) $(-> $r)? = $($body)::+ $(<$o>)? $(($($value)*))? }
    )* };
}

/// A line of `families!`, table by table.
macro_rules! family {
    ($form:ident [] $($rest:tt)*) => {};
    ($form:ident [$table:ident $pre:literal _ $post:literal $($more:tt)*] $($rest:tt)*) => {
        $table! { $form { $pre _ $post $($rest)* } }
        family! { $form [$($more)*] $($rest)* }
    };
}
