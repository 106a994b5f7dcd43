//! The only maker of symbols. Each routine is a strong `pshmem_x` and a weak alias `shmem_x`, so that a profiling tool
//! can define its own `shmem_x` and call the library's. The alias and its target must come out of one macro call. An
//! alias in another module would be missing from the archive without an error.

/// One symbol, whose name is in parts, and its alias. Inside the body `NAME` is the routine's name. `T`, if it is
/// given, is a type.
macro_rules! symbol {
    ([$($part:literal)*] $(T = $of:ty,)? fn($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        const _: () = {
            #[allow(dead_code)]
            const NAME: &str = concat!($($part),*);
            $(#[allow(dead_code)] type T = $of;)?
            #[allow(unused_unsafe)] // most verbs are safe
            #[unsafe(export_name = concat!("p", $($part),*))]
            unsafe extern "C" fn body($($a: $t),*) $(-> $r)? $body
        };
        core::arch::global_asm!(concat!(".weak ", $($part),*), concat!(".set ", $($part,)* ", p" $(, $part)*));
    };
}

/// One routine: `routine! { "shmem_quiet" = fn() { ... } }`.
macro_rules! routine {
    ($name:literal = fn($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        symbol! { [$name] fn($($a: $t),*) $(-> $r)? {
            let _frame = crate::diag::frames::Frame;
            $body
        } }
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
        one! { [Frame] ["shmem_" $pre $n $post] ($($a: $at),*) $(-> $r)? = [] [$($a)*] $t, $($verb)+ }
    };
}

/// A family without a context argument, on the default context: the deprecated AMO names.
macro_rules! default_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($verb:tt)+ } $n:literal $t:ty) => {
        one! { [] ["shmem_" $pre $n $post] ($($a: $at),*) $(-> $r)? = [crate::ctx::Ctx::DEFAULT] [$($a)*] $t,
            $($verb)+ }
    };
}

/// A family over one type in two forms: on the default context, and with a context as first argument.
macro_rules! both_one {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),* $(,)?) $(-> $r:ty)? = $($verb:tt)+ } $n:literal $t:ty) => {
        default_one! { { $pre _ $post ($($a: $at),*) $(-> $r)? = $($verb)+ } $n $t }
        one! { [] ["shmem_ctx_" $pre $n $post] (ctx: crate::ctx::Ctx, $($a: $at),*) $(-> $r)? = [ctx] [$($a)*] $t,
            $($verb)+ }
    };
}

/// One routine of a family, with a `Frame` or not: its parameters, and the verb's arguments.
macro_rules! one {
    ([$($frame:ident)?] [$($part:literal)*] ($($a:ident: $at:ty),*) $(-> $r:ty)?
        = [$($first:expr)?] [$($rest:ident)*] $t:ty, $($verb:tt)+) => {
        symbol! { [$($part)*] T = $t, fn($($a: $at),*) $(-> $r)? {
            $(let _frame = crate::diag::frames::$frame;)?
            // SAFETY: the C caller promises what the standard asks: as many elements behind each pointer as the line
            // says. The verb checks what can be checked.
            unsafe { verb! { [NAME $(, $first)?] $t, [$($rest)*] $($verb)+ } }
        } }
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
