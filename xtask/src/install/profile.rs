//! liboshmpi_profile.so, which `oshrun --profile` preloads: a wrapper around every routine that does something, for C
//! and for Fortran, over the recorder in profile/. The wrappers are written here from the lists in spec/.
//!
//! The library is not linked with liboshmpi: `pshmem_` names are looked up in the program at the first call, so a
//! program without OpenSHMEM can be preloaded too, such as a shell that starts the PEs.

use super::cross;
use super::recipe::unless_made;
use crate::r#gen::headers;
use crate::spec::effects::element_bytes;
use crate::spec::{Function, Spec, fortran, shifted};
use crate::util::{read, root, run, write};
use anyhow::Result;
use std::fmt::Write;
use std::path::PathBuf;

pub const NAME: &str = "liboshmpi_profile.so";

/// Builds the library.
pub fn build() -> Result<PathBuf> {
    let (dir, _lock) = cross::without_mpi("profile")?;
    let (wrappers, library) = (dir.join("wrappers.c"), dir.join(NAME));
    let functions = [Spec::load()?.functions()?, Spec::of_shmemx()?.functions()?].concat();
    let text = wrappers_text(&functions, &fortran::load()?)?;
    write(&wrappers, &text)?;
    let recorder = root().join("profile/recorder.c");
    let mut c = cross::compiler();
    c.args([
        "-shared",
        "-fPIC",
        "-O2",
        "-std=gnu99",
        "-Wall",
        "-Wextra",
        "-Wno-deprecated-declarations",
        "-Wl,-z,lazy",
    ]);
    let include = headers::dir()?;
    for dir in [&include, &root().join("profile")] {
        c.arg("-I").arg(dir);
    }
    c.arg("-o").arg(&library).arg(&wrappers).arg(&recorder);
    let recipe = format!("{c:?}\n{text}\n{}\n{}", read(&recorder)?, read(&recorder.with_extension("h"))?);
    unless_made(&library, &recipe, &include.join("shmem.h"), || run(&mut c))?;
    Ok(library)
}

/// What a routine does, as the recorder's letter; `None` for one that only answers a question.
fn kind(name: &str) -> Option<char> {
    let rest = name.strip_prefix("shmem_").or(name.strip_prefix("shmemx_")).unwrap_or(name);
    let rest = rest.strip_prefix("ctx_").unwrap_or(rest);
    let has = |words: &[&str]| words.iter().any(|w| rest.contains(w));
    let ends = |words: &[&str]| words.iter().any(|w| rest.ends_with(w));
    Some(match rest {
        "init" | "init_thread" | "start_pes" | "finalize" | "global_exit" => 'I',
        _ if has(&["lock"]) => 'L',
        _ if rest.starts_with("team_split") || has(&["_destroy", "create", "session"]) || rest == "destroy" => 'T',
        _ if has(&["query", "info_", "accessible", "cache", "flush", "my_pe", "n_pes", "num_pes", "pcontrol"])
            || has(&["get_team", "get_config", "translate"])
            || matches!(rest, "ptr" | "team_ptr") =>
        {
            return None;
        }
        _ if has(&["malloc", "free", "align", "realloc", "calloc", "shpalloc", "shpdeallc", "shpclmove"]) => 'M',
        _ if has(&["barrier", "sync"]) => 'B',
        _ if has(&["broadcast", "collect", "alltoall", "_reduce", "_to_all", "inscan", "exscan"]) => 'C',
        _ if has(&["quiet", "fence"]) => 'O',
        _ if has(&["wait", "test"]) => 'W',
        _ if has(&["put"]) || ends(&["_p"]) => 'P',
        _ if has(&["atomic", "signal"]) || ends(&["fetch", "set", "swap", "finc", "inc", "fadd", "add"]) => 'A',
        _ if has(&["get"]) || ends(&["_g"]) => 'G',
        _ => return None,
    })
}

fn wrappers_text(functions: &[Function], for_fortran: &[fortran::Routine]) -> Result<String> {
    let mut out = "#include \"recorder.h\"\n\n#define SITE __builtin_return_address(0)\n\n".to_string();
    let mut table = String::new();
    let mut number = 0;
    for f in functions {
        if f.name == "shmem_pcontrol" {
            out +=
                "void shmem_pcontrol(int level, ...)\n{\n    recorder_switch(level);\n    pshmem_pcontrol(level);\n}\n";
        } else if let Some(kind) = kind(&f.name) {
            c_wrapper(&mut out, f, kind, number);
            writeln!(table, "    {{ \"{}\", '{kind}' }},", f.name)?;
            number += 1;
        }
    }
    for r in for_fortran {
        if let Some(kind) = kind(&r.name) {
            fortran_wrapper(&mut out, r, kind, number);
            writeln!(table, "    {{ \"{}\", '{kind}' }},", r.name)?;
            number += 1;
        }
    }
    Ok(format!("{out}\nconst struct recorder_routine recorder_routines[] = {{\n{table}}};\n"))
}

/// `{ BEFORE; result = CALL; NOTE; AFTER; return result; }`
fn body(out: &mut String, head: &str, result: Option<&str>, [before, call, note, after]: [&str; 4]) {
    let (call, given) = match result {
        Some(r) => (format!("{r} result = {call}"), "    return result;\n"),
        None => (call.to_string(), ""),
    };
    *out += &format!("{head}\n{{\n    {before}uint64_t begin = recorder_ticks();\n");
    *out += &format!("    {call};\n    {note};\n{after}{given}}}\n");
}

fn c_wrapper(out: &mut String, f: &Function, kind: char, number: usize) {
    let has = |name: &str| f.params.iter().any(|p| p.name == name);
    let args: Vec<&str> = f.params.iter().map(|p| p.name.as_str()).collect();
    let call = format!("{}({})", shifted(&f.name), args.join(", "));
    let moves = matches!(kind, 'P' | 'G' | 'A' | 'C');
    let elements = ["nelems", "nreduce", "bsize * nblocks"].into_iter().find(|e| has(e.split(' ').next().unwrap_or(e)));
    let bytes = match elements {
        _ if !moves => "0".to_string(),
        Some(n) => format!("(uint64_t)({n}) * {}", element_size(f)),
        None => element_size(f),
    };
    let pe = match has("pe") && matches!(kind, 'P' | 'G' | 'A') {
        false => "NOBODY",
        true if has("ctx") => "recorder_world_pe(ctx, pe)",
        true => "pe",
    };
    let note = format!("recorder_note({number}, begin, {bytes}, {pe}, SITE)");
    let mut returns = (f.returns != "void").then_some(f.returns.as_str());
    let (mut before, mut after) = ("", "");
    let name = f.name.strip_prefix("shmemx_space_").unwrap_or(f.name.trim_start_matches("shmem_"));
    match name {
        "init" | "init_thread" | "start_pes" => after = "    recorder_start();\n",
        "finalize" | "global_exit" => before = "recorder_write();\n    ",
        "free" | "shfree" => before = "recorder_freed(ptr);\n    ",
        "realloc" | "shrealloc" => {
            after = "    if (result || !size)\n        recorder_freed(ptr);\n    recorder_allocated(result, size);\n"
        }
        "calloc" => after = "    recorder_allocated(result, count * size);\n",
        _ if kind == 'M' => after = "    recorder_allocated(result, size);\n",
        _ => {}
    }
    if f.noreturn {
        returns = None;
    }
    body(out, &f.declared_as(&f.name), returns, [before, &call, &note, after]);
}

/// Bytes of an element: of the type that an argument points to, or as the name tells.
fn element_size(f: &Function) -> String {
    let data = f.params.iter().find(|p| p.name == "dest" || p.name == "source" || p.name == "sig_addr");
    match data {
        Some(p) if !p.c_type.contains("void") => format!("sizeof *{}", p.name),
        _ => (bits(&f.name).unwrap_or(8) / 8).to_string(),
    }
}

/// `shmem_put64_nbi` gives 64.
fn bits(name: &str) -> Option<u64> {
    let digits = name.split(|c: char| !c.is_ascii_digit()).find(|d| !d.is_empty())?;
    digits.parse().ok()
}

fn fortran_wrapper(out: &mut String, r: &fortran::Routine, kind: char, number: usize) {
    let has = |name: &str| r.args.iter().any(|a| a == name);
    let count = ["nelems", "nreduce"].into_iter().find(|n| has(n));
    let bytes = match (kind, count) {
        ('P' | 'G' | 'A' | 'C', Some(n)) => format!("(uint64_t)*(const int *){n} * {}", element_bytes(&r.name)),
        ('P' | 'G' | 'A' | 'C', None) => element_bytes(&r.name).to_string(),
        _ => "0".to_string(),
    };
    let pe = if has("pe") && matches!(kind, 'P' | 'G' | 'A') { "*(const int *)pe" } else { "NOBODY" };
    let note = format!("recorder_note({number}, begin, {bytes}, {pe}, SITE)");
    let params = r.c_params("");
    let (mut before, mut after) = ("", "");
    match r.name.as_str() {
        "shmem_init" | "shmem_init_thread" | "start_pes" => after = "    recorder_start();\n",
        "shmem_finalize" | "shmem_global_exit" => before = "recorder_write();\n    ",
        "shpalloc" => {
            after = "    if (*(const int *)errcode == 0)\n        \
                     recorder_allocated(*(void **)addr, 4 * (size_t)*(const int *)length);\n";
        }
        "shpdeallc" => before = "recorder_freed(*(void **)addr);\n    ",
        "shpclmove" => {
            before = "void *old = *(void **)addr;\n    ";
            after = "    if (*(const int *)status >= 0) {\n        recorder_freed(old);\n        \
                     recorder_allocated(*(void **)addr, 4 * (size_t)*(const int *)length);\n    }\n";
        }
        _ => {}
    }
    let call = format!("{}({})", r.strong(), r.passed());
    let returned = r.c_result();
    let returns = r.result.map(|_| returned);
    *out += &format!("{returned} {}({params});\n", r.strong());
    for symbol in r.symbols() {
        // No prototype stands before: the program has none either.
        let head = format!("{returned} {symbol}({params})");
        *out += &format!("{head};\n");
        body(out, &head, returns, [before, &call, &note, after]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_come_from_names() {
        for (name, is) in [
            ("shmem_int_put", 'P'),
            ("shmem_ctx_double_p", 'P'),
            ("shmem_ctx_put64_signal_nbi", 'P'),
            ("shmem_ibget8", 'G'),
            ("shmem_char_g", 'G'),
            ("shmem_getmem_nbi", 'G'),
            ("shmem_long_atomic_fetch_add_nbi", 'A'),
            ("shmem_int_finc", 'A'),
            ("shmem_real8_set", 'A'),
            ("shmem_signal_fetch", 'A'),
            ("shmem_signal_wait_until", 'W'),
            ("shmem_uint_test_any_vector", 'W'),
            ("shmem_test_lock", 'L'),
            ("shmem_team_sync", 'B'),
            ("shmem_int_or_to_all", 'C'),
            ("shmem_fcollect64", 'C'),
            ("shmem_size_sum_inscan", 'C'),
            ("shmem_pe_quiet", 'O'),
            ("shmem_malloc_with_hints", 'M'),
            ("shmemx_space_free", 'M'),
            ("shmemx_space_destroy", 'T'),
            ("shpclmove", 'M'),
            ("shmem_team_split_2d", 'T'),
            ("shmem_ctx_destroy", 'T'),
            ("shmem_finalize", 'I'),
        ] {
            assert_eq!(kind(name), Some(is), "{name}");
        }
        for name in ["shmem_my_pe", "shmem_ptr", "shmem_team_get_config", "shmem_ctx_get_team", "shmem_info_get_name"] {
            assert_eq!(kind(name), None, "{name}");
        }
    }

    #[test]
    fn wrappers_call_the_shifted_names_and_count_bytes() {
        let specs = [Spec::load().unwrap(), Spec::of_shmemx().unwrap()];
        let functions = specs.map(|spec| spec.functions().unwrap()).concat();
        let text = wrappers_text(&functions, &fortran::load().unwrap()).unwrap();
        for line in [
            "int result = pshmemx_long_sum_reduce_nb(team, dest, source, nreduce, req);\n",
            "    { \"shmemx_req_wait\", 'W' },\n",
            "pshmem_int_put(dest, source, nelems, pe);\n",
            ", begin, (uint64_t)(nelems) * sizeof *dest, pe, SITE);",
            ", begin, (uint64_t)(bsize * nblocks) * 16, recorder_world_pe(ctx, pe), SITE);",
            "long double result = pshmem_longdouble_g(source, pe);",
            ", begin, (uint64_t)*(const int *)nelems * 8, *(const int *)pe, SITE);",
            "    recorder_start();\n",
        ] {
            assert!(text.contains(line), "{line}");
        }
        // All that move data name their PE.
        let spec = Spec::load().unwrap();
        for f in spec.functions().unwrap() {
            let peer = f.params.iter().any(|p| p.name == "pe");
            if peer && f.params.iter().any(|p| p.name == "dest" || p.name == "source") {
                let is = kind(&f.name);
                let asks = f.name == "shmem_ptr" || f.name == "shmem_team_ptr";
                assert!(matches!(is, Some('P' | 'G' | 'A')) != asks, "{}: {is:?}", f.name);
            }
        }
    }
}
