//! Teams, contexts and sessions.

use crate::ctx::Ctx;
use crate::ops::coll;
use crate::ops::team::{self, Config, SessionConfig};
use crate::team::TeamHandle;
use core::ffi::{c_int, c_long, c_void};

routine! { "shmem_team_my_pe" = fn(team: TeamHandle) -> c_int { team::my_pe(NAME, team) } }
routine! { "shmem_team_n_pes" = fn(team: TeamHandle) -> c_int { team::n_pes(NAME, team) } }
routine! { "shmem_team_get_config" = fn(team: TeamHandle, config_mask: c_long, config: *mut Config) -> c_int {
    // SAFETY: the C caller's promise.
    unsafe { team::get_config(NAME, team, config_mask, config) }
} }
routine! { "shmem_team_translate_pe" = fn(src_team: TeamHandle, src_pe: c_int, dest_team: TeamHandle) -> c_int {
    team::translate_pe(NAME, src_team, src_pe, dest_team)
} }
routine! { "shmem_team_split_strided" = fn(
    parent: TeamHandle, start: c_int, stride: c_int, size: c_int, config: *const Config, config_mask: c_long, new_team: *mut TeamHandle,
) -> c_int {
    // SAFETY: the C caller's promise.
    unsafe { team::split_strided(NAME, parent, start, stride, size, config, config_mask, new_team) }
} }
routine! { "shmem_team_split_2d" = fn(
    parent: TeamHandle, xrange: c_int,
    xaxis_config: *const Config, xaxis_mask: c_long, xaxis_team: *mut TeamHandle,
    yaxis_config: *const Config, yaxis_mask: c_long, yaxis_team: *mut TeamHandle,
) -> c_int {
    // SAFETY: the C caller's promise.
    unsafe { team::split_2d(NAME, parent, xrange, (xaxis_config, xaxis_mask, xaxis_team), (yaxis_config, yaxis_mask, yaxis_team)) }
} }
routine! { "shmem_team_destroy" = fn(team: TeamHandle) { team::destroy(NAME, team) } }
routine! { "shmem_team_ptr" = fn(team: TeamHandle, dest: *const c_void, pe: c_int) -> *mut c_void { team::ptr(NAME, team, dest, pe) } }
routine! { "shmem_team_sync" = fn(team: TeamHandle) -> c_int {
    coll::sync(NAME, coll::Whom::Team(team));
    0
} }

routine! { "shmem_ctx_create" = fn(options: c_long, ctx: *mut Ctx) -> c_int {
    // SAFETY: the C caller's promise.
    unsafe { team::create_ctx(NAME, TeamHandle::WORLD, options, ctx) }
} }
routine! { "shmem_team_create_ctx" = fn(team: TeamHandle, options: c_long, ctx: *mut Ctx) -> c_int {
    // SAFETY: the C caller's promise.
    unsafe { team::create_ctx(NAME, team, options, ctx) }
} }
routine! { "shmem_ctx_destroy" = fn(ctx: Ctx) { team::destroy_ctx(NAME, ctx) } }
routine! { "shmem_ctx_get_team" = fn(ctx: Ctx, team: *mut TeamHandle) -> c_int {
    // SAFETY: the C caller's promise.
    unsafe { team::get_team(NAME, ctx, team) }
} }
routine! { "shmem_ctx_session_start" = fn(ctx: Ctx, _options: c_long, config: *const SessionConfig, config_mask: c_long) {
    team::session(NAME, ctx, config_mask, config)
} }
routine! { "shmem_ctx_session_stop" = fn(ctx: Ctx) { team::session(NAME, ctx, 0, core::ptr::null()) } }
