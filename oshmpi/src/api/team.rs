//! Teams, contexts and sessions.

use crate::ctx::Ctx;
use crate::ops::coll;
use crate::ops::team::{self, Config, Out, SessionConfig, Wanted};
use crate::team::TeamHandle;
use core::ffi::{c_int, c_long, c_void};

/// The predefined handles as objects. C has macros of the same names and values, which bindings of other languages do
/// not see.
macro_rules! handles {
    ($($name:ident: $t:ty = $value:expr;)*) => { $(
        #[unsafe(no_mangle)]
        static $name: $t = $value;
    )* };
}

handles! {
    SHMEM_CTX_INVALID: Ctx = Ctx::INVALID;
    SHMEM_CTX_DEFAULT: Ctx = Ctx::DEFAULT;
    SHMEM_TEAM_INVALID: TeamHandle = TeamHandle::INVALID;
    SHMEM_TEAM_WORLD: TeamHandle = TeamHandle::WORLD;
    SHMEM_TEAM_SHARED: TeamHandle = TeamHandle::SHARED;
}

routine! { "shmem_team_my_pe" = fn(team: TeamHandle) -> c_int { team::my_pe(NAME, team) } }
routine! { "shmem_team_n_pes" = fn(team: TeamHandle) -> c_int { team::n_pes(NAME, team) } }
routine! { "shmem_team_get_config" = fn(team: TeamHandle, config_mask: c_long, config: *mut Config) -> c_int {
    // SAFETY: the C caller's promise.
    team::get_config(NAME, team, config_mask, unsafe { Out::new(config) })
} }
routine! { "shmem_team_translate_pe" = fn(src_team: TeamHandle, src_pe: c_int, dest_team: TeamHandle) -> c_int {
    team::translate_pe(NAME, src_team, src_pe, dest_team)
} }
routine! { "shmem_team_split_strided" = fn(
    parent: TeamHandle, start: c_int, stride: c_int, size: c_int,
    config: *const Config, config_mask: c_long, new_team: *mut TeamHandle,
) -> c_int {
    // SAFETY: the C caller's promise.
    let (wanted, new_team) = unsafe { (Wanted::new(config, config_mask), Out::new(new_team)) };
    team::split_strided(NAME, parent, [start, stride, size], wanted, new_team)
} }
routine! { "shmem_team_split_2d" = fn(
    parent: TeamHandle, xrange: c_int,
    xaxis_config: *const Config, xaxis_mask: c_long, xaxis_team: *mut TeamHandle,
    yaxis_config: *const Config, yaxis_mask: c_long, yaxis_team: *mut TeamHandle,
) -> c_int {
    // SAFETY: the C caller's promise.
    let x = unsafe { (Wanted::new(xaxis_config, xaxis_mask), Out::new(xaxis_team)) };
    // SAFETY: the C caller's promise.
    let y = unsafe { (Wanted::new(yaxis_config, yaxis_mask), Out::new(yaxis_team)) };
    team::split_2d(NAME, parent, xrange, x, y)
} }
routine! { "shmem_team_destroy" = fn(team: TeamHandle) { team::destroy(NAME, team) } }
routine! { "shmem_team_ptr" = fn(team: TeamHandle, dest: *const c_void, pe: c_int) -> *mut c_void {
    team::ptr(NAME, team, dest, pe)
} }
routine! { "shmem_team_sync" = fn(team: TeamHandle) -> c_int {
    coll::sync(NAME, team);
    0
} }

routine! { "shmem_ctx_create" = fn(options: c_long, ctx: *mut Ctx) -> c_int {
    // SAFETY: the C caller's promise.
    team::create_ctx(NAME, TeamHandle::WORLD, options, unsafe { Out::new(ctx) })
} }
routine! { "shmem_team_create_ctx" = fn(team: TeamHandle, options: c_long, ctx: *mut Ctx) -> c_int {
    // SAFETY: the C caller's promise.
    team::create_ctx(NAME, team, options, unsafe { Out::new(ctx) })
} }
routine! { "shmem_ctx_destroy" = fn(ctx: Ctx) { team::destroy_ctx(NAME, ctx) } }
routine! { "shmem_ctx_get_team" = fn(ctx: Ctx, team: *mut TeamHandle) -> c_int {
    // SAFETY: the C caller's promise.
    team::get_team(NAME, ctx, unsafe { Out::new(team) })
} }
routine! { "shmem_ctx_session_start" = fn(
    ctx: Ctx, _options: c_long, config: *const SessionConfig, config_mask: c_long,
) {
    team::session(NAME, ctx, config_mask, config)
} }
routine! { "shmem_ctx_session_stop" = fn(ctx: Ctx) { team::stop_session(NAME, ctx) } }
