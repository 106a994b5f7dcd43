//! The source of the module `shmem`: bind(C) interfaces of every routine that is not deprecated, and generic
//! names.

use crate::spec::{Function, Generic, Hole, Kind, Param, Pattern, Spec, wrapped};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};

/// The handles, and what a reader of the module has to know.
const HEAD: &str = include_str!("head.f90");

/// Longest line of the module.
const WIDTH: usize = 120;

/// Type names that stand for their kind; every other type of a table has the kind of one of these.
const KINDS: [&str; 10] =
    ["char", "int8", "int16", "int32", "int64", "float", "double", "longdouble", "complexf", "complexd"];

pub fn file(spec: &Spec, header: &str) -> Result<String> {
    let (mut functions, own) = (Vec::new(), Spec::of_shmemx()?);
    // `own` has the tables of both.
    for t in [spec, &own].into_iter().flat_map(|s| &s.groups).flat_map(|g| &g.templates) {
        let kept: BTreeSet<String> = by_kind(&own, &t.name)?.into_iter().collect();
        functions.extend(own.expand(t)?.into_iter().filter(|f| kept.contains(&f.name) && serves(f)));
    }
    let mut text = HEAD.to_string() + "\n" + &constants(spec, header)? + "\n  interface\n";
    for f in &functions {
        text += &interface(f).with_context(|| f.name.clone())?;
    }
    text += "  end interface\n";
    let known: BTreeSet<&str> = functions.iter().map(|f| f.name.as_str()).collect();
    for g in spec.generics().chain(own.generics()) {
        text += &generic(&own, g, &known)?;
    }
    for (earlier, present) in EARLIER {
        let g = spec.generics().find(|g| g.name == present).with_context(|| format!("there is no {present}"))?;
        text += &generic(spec, &Generic { name: earlier.to_string(), ..g.clone() }, &known)?;
    }
    let (interfaces, bodies) = with_default_lengths(&functions)?;
    Ok(text + &interfaces + "\ncontains\n" + &bodies + "end module\n")
}

/// Names that programs for Cray's Fortran call for any type, and the names of today with the same arguments.
const EARLIER: [(&str, &str); 8] = [
    ("shmem_swap", "shmem_atomic_swap"),
    ("shmem_cswap", "shmem_atomic_compare_swap"),
    ("shmem_finc", "shmem_atomic_fetch_inc"),
    ("shmem_fadd", "shmem_atomic_fetch_add"),
    ("shmem_inc", "shmem_atomic_inc"),
    ("shmem_add", "shmem_atomic_add"),
    ("shmem_fetch", "shmem_atomic_fetch"),
    ("shmem_set", "shmem_atomic_set"),
];

/// `shmem_put` and `shmem_get` with a number of elements that is a default integer, as those programs call them: the
/// parts of the generic interfaces, and the procedures.
fn with_default_lengths(functions: &[Function]) -> Result<(String, String)> {
    let (mut interfaces, mut bodies) = (String::new(), String::new());
    for verb in ["put", "get"] {
        interfaces += &format!("\n  interface shmem_{verb}\n");
        let typed = |f: &&Function| {
            let element = f.name.strip_prefix("shmem_").and_then(|name| name.strip_suffix(&format!("_{verb}")));
            element.is_some_and(|element| !element.starts_with("ctx_")) && f.params.len() == 4
        };
        for f in functions.iter().filter(typed) {
            let (name, called) = (f.name.replacen("shmem_", "oshmpi_", 1), &f.name);
            interfaces += &format!("    procedure {name}\n");
            bodies += &format!("\n  subroutine {name}(dest, source, nelems, pe)\n");
            for p in &f.params[..2] {
                let (attributes, entity) = declaration(f, p)?;
                bodies += &format!("    {attributes} :: {entity}\n");
            }
            bodies += "    integer(c_int), intent(in) :: nelems, pe\n";
            bodies += &format!("    call {called}(dest, source, int(nelems, c_size_t), pe)\n  end subroutine\n");
        }
        interfaces += "  end interface\n";
    }
    Ok((interfaces, bodies))
}

/// Deprecated names would hide generic ones, and Fortran cannot say variable numbers of arguments. The module is the
/// standard's, with the collectives that are started.
fn serves(f: &Function) -> bool {
    f.deprecated.is_none() && !f.extension && f.params.iter().all(|p| !p.name.is_empty())
}

/// The constants with the header's values.
fn constants(spec: &Spec, header: &str) -> Result<String> {
    let values: BTreeMap<&str, &str> = header
        .lines()
        .filter_map(|l| l.strip_prefix("#define ")?.split_once(' '))
        .map(|(name, value)| (name, value.trim()))
        .collect();
    let mut text = String::new();
    for c in spec.constants.iter().filter(|c| c.deprecated.is_none()) {
        let value = values.get(c.name.as_str()).with_context(|| format!("{} is not in shmem.h", c.name))?;
        let name = match c.name.strip_prefix("SHMEM_SIGNAL_") {
            Some(op) => format!("SHMEM_SIGNAL_OP_{op}"),
            None => c.name.clone(),
        };
        text += &match &c.kind {
            Kind::Number | Kind::Flag(_) => {
                // Options, masks and hints are long.
                let long = ["_CTX_", "_MALLOC_", "_NUM_CONTEXTS"].iter().any(|word| name.contains(word));
                let kind = if long { "c_long" } else { "c_int" };
                format!("  integer({kind}), parameter :: {name} = {}\n", value.trim_end_matches('L'))
            }
            Kind::Text => {
                let text = value.trim_matches('"');
                format!("  character(*), parameter :: {name} = '{text}'\n")
            }
            Kind::Handle(kind) => {
                let number = value.rsplit(')').nth(1).unwrap_or_default();
                format!("  type({kind}), parameter :: {name} = {kind}({number}_c_intptr_t)\n")
            }
        };
    }
    Ok(text)
}

/// The declaration of one routine.
fn interface(f: &Function) -> Result<String> {
    let names: Vec<&str> = f.params.iter().map(|p| p.name.as_str()).collect();
    let word = if f.returns == "void" { "subroutine" } else { "function" };
    let mut text = wrapped(&format!("    {word} {}({}) bind(C)", f.name, names.join(", ")), WIDTH, 8, " &") + "\n";
    text += "      import\n";
    if f.returns != "void" {
        text += &format!("      {} :: {}\n", returned(&f.returns)?, f.name);
    }
    let choice: Vec<&str> = f.params.iter().filter(|p| is_choice(f, p)).map(|p| p.name.as_str()).collect();
    if !choice.is_empty() {
        // Arrays and scalars of any type: one directive for gfortran, one for compilers that follow Intel.
        text += &format!("      !GCC$ ATTRIBUTES NO_ARG_CHECK :: {}\n", choice.join(", "));
        text += &format!("      !DIR$ IGNORE_TKR {}\n", choice.join(", "));
    }
    let mut before = None;
    for p in &f.params {
        let (attributes, entity) = declaration(f, p)?;
        if before.as_ref() == Some(&attributes) {
            text += &format!(", {entity}");
        } else {
            text += &format!("{}      {attributes} :: {entity}", if before.is_some() { "\n" } else { "" });
        }
        before = Some(attributes);
    }
    if before.is_some() {
        text += "\n";
    }
    Ok(text + &format!("    end {word}\n"))
}

fn returned(c_type: &str) -> Result<String> {
    if c_type == "void *" { Ok("type(c_ptr)".to_string()) } else { value_type(c_type) }
}

/// A buffer of any type: `void *` of a transfer. Elsewhere a `void *` is an address.
fn is_choice(f: &Function, p: &Param) -> bool {
    p.c_type.ends_with("void *") && is_array(f, p)
}

/// Pointers are arrays where the routine has a count for them.
fn is_array(f: &Function, p: &Param) -> bool {
    let counts = ["nelems", "nreduce", "nblocks", "npes"];
    p.c_type.ends_with('*')
        && !["sig_addr", "req"].contains(&p.name.as_str())
        && f.params.iter().any(|q| counts.contains(&q.name.as_str()))
        || p.c_type == "char *"
}

/// What may be left out: the standard allows null there.
fn is_optional(p: &Param) -> bool {
    p.name == "status" && p.c_type == "const int *" || p.name.ends_with("config") && !p.c_type.contains("space")
}

/// Attributes and what they are declared for.
fn declaration(f: &Function, p: &Param) -> Result<(String, String)> {
    let name = p.name.clone();
    let Some(target) = p.c_type.strip_suffix('*').map(str::trim) else {
        return Ok((format!("{}, value", value_type(&p.c_type)?), name));
    };
    let (target, intent) = match target.strip_prefix("const ") {
        Some(t) => (t, "in"),
        None => (target, "inout"),
    };
    if target == "void" && !is_choice(f, p) {
        return Ok(("type(c_ptr), value".to_string(), name));
    }
    let base = if target == "void" { "type(*)".to_string() } else { value_type(target)? };
    let optional = if is_optional(p) { ", optional" } else { "" };
    let array = if is_array(f, p) { "(*)" } else { "" };
    // The transfer goes on after the call. A compiler that does not know this may read a buffer before the quiet that
    // completes it. gfortran observes `target`, other compilers `asynchronous`.
    let goes_on = f.name.ends_with("_nbi") || f.name.ends_with("_nb") && p.name != "req";
    let later = if goes_on { ", asynchronous, target" } else { "" };
    Ok((format!("{base}, intent({intent}){optional}{later}"), name + array))
}

/// The Fortran type of a C type that is passed by value.
fn value_type(c_type: &str) -> Result<String> {
    let kind = match c_type {
        "char" => return Ok("character(c_char)".to_string()),
        "shmem_ctx_t"
        | "shmem_team_t"
        | "shmemx_req_t"
        | "shmemx_space_t"
        | "shmem_team_config_t"
        | "shmem_ctx_session_config_t"
        | "shmemx_space_config_t" => return Ok(format!("type({c_type})")),
        "float" => return Ok("real(c_float)".to_string()),
        "double" => return Ok("real(c_double)".to_string()),
        "long double" => return Ok("real(c_long_double)".to_string()),
        "float _Complex" => return Ok("complex(c_float_complex)".to_string()),
        "double _Complex" => return Ok("complex(c_double_complex)".to_string()),
        "signed char" | "unsigned char" => "c_signed_char",
        "short" | "unsigned short" => "c_short",
        "int" | "unsigned int" => "c_int",
        "long" | "unsigned long" => "c_long",
        "long long" | "unsigned long long" => "c_long_long",
        "int8_t" | "uint8_t" => "c_int8_t",
        "int16_t" | "uint16_t" => "c_int16_t",
        "int32_t" | "uint32_t" => "c_int32_t",
        "int64_t" | "uint64_t" => "c_int64_t",
        "size_t" => "c_size_t",
        "ptrdiff_t" => "c_intptr_t",
        _ => bail!("no Fortran type for {c_type}"),
    };
    Ok(format!("integer({kind})"))
}

/// A generic name over one routine per kind.
fn generic(spec: &Spec, g: &Generic, known: &BTreeSet<&str>) -> Result<String> {
    let mut specifics = Vec::new();
    for pattern in std::iter::once(&g.plain).chain(g.other.as_ref().map(|(p, _)| p)) {
        specifics.extend(by_kind(spec, pattern)?.into_iter().filter(|n| known.contains(n.as_str())));
    }
    // The name of one routine, or deprecated routines alone: then there is nothing to add. A generic name may also be
    // the name of one of its routines, but not of another.
    let is_taken = known.contains(g.name.as_str()) && !specifics.contains(&g.name);
    if is_taken || specifics.iter().all(|name| *name == g.name) {
        return Ok(String::new());
    }
    let mut text = format!("\n  interface {}\n", g.name);
    for name in specifics {
        text += &format!("    procedure {name}\n");
    }
    Ok(text + "  end interface\n")
}

/// The names of a pattern, those that would be the same to Fortran once.
fn by_kind(spec: &Spec, pattern: &Pattern) -> Result<Vec<String>> {
    let Hole::Types(tables) = &pattern.hole else {
        return spec.fill(pattern);
    };
    let mut rows = spec.rows(tables)?;
    rows.retain(|row| KINDS.contains(row) || *row == "short");
    // A table without int16 may have a short.
    if rows.contains(&"int16") {
        rows.retain(|row| *row != "short");
    }
    rows.dedup();
    Ok(rows.into_iter().map(|row| format!("{}{row}{}", pattern.before, pattern.after)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(list: &str) -> String {
        let spec = Spec::from_text(list).unwrap();
        interface(&spec.functions().unwrap()[0]).unwrap()
    }

    #[test]
    fn pointers_with_a_count_are_arrays() {
        let text = one("group G\nvoid shmem_f ( int *dest, const int *source, size_t nelems, uint64_t *sig_addr )");
        for line in [
            "subroutine shmem_f(dest, source, nelems, sig_addr) bind(C)",
            "integer(c_int), intent(inout) :: dest(*)",
            "integer(c_int), intent(in) :: source(*)",
            "integer(c_size_t), value :: nelems",
            "integer(c_int64_t), intent(inout) :: sig_addr\n",
        ] {
            assert!(text.contains(line), "{line} is not in {text}");
        }
    }

    #[test]
    fn a_generic_name_may_be_that_of_one_of_its_routines() {
        let spec = Spec::load().unwrap();
        let add = spec.generics().find(|g| g.name == "shmem_signal_add").unwrap();
        let text = |known: &[&str]| generic(&spec, add, &known.iter().copied().collect()).unwrap();
        let both = text(&["shmem_signal_add", "shmem_ctx_signal_add"]);
        for name in ["shmem_signal_add", "shmem_ctx_signal_add"] {
            assert!(both.contains(&format!("    procedure {name}\n")), "{both}");
        }
        assert_eq!(text(&["shmem_signal_add"]), "");
    }
}
