//! Values of other launchers' options, as words of oshrun.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

type Words = Result<Vec<OsString>, String>;

fn words(list: &[&str]) -> Words {
    Ok(list.iter().map(OsString::from).collect())
}

fn joined(parts: &[&OsStr]) -> OsString {
    OsString::from_vec(parts.iter().map(|p| p.as_bytes()).collect::<Vec<_>>().concat())
}

/// `-x NAME=VALUE`, for the variable of a parameter.
fn parameter(prefix: &str, values: &[OsString]) -> Words {
    Ok(vec!["-x".into(), joined(&[prefix.as_ref(), &values[0], "=".as_ref(), &values[1]])])
}

/// Parameters that are for Open MPI's launcher, and the option that does the same. The launcher's other parameters have
/// no effect here, and none on the ranks.
const OF_THE_LAUNCHER: &[(&str, &str)] = &[
    ("plm_rsh_agent", "--launcher-exec"),
    ("plm_ssh_agent", "--launcher-exec"),
    ("rmaps_base_mapping_policy", "--map-by"),
    ("rmaps_default_mapping_policy", "--map-by"),
    ("rmaps_base_ranking_policy", "--rank-by"),
    ("rmaps_default_ranking_policy", "--rank-by"),
    ("hwloc_base_binding_policy", "--bind-to"),
    ("hwloc_default_binding_policy", "--bind-to"),
];

fn of_launcher(values: &[OsString]) -> Option<Words> {
    let (_, option) = OF_THE_LAUNCHER.iter().find(|(name, _)| values[0] == **name)?;
    Some(Ok(vec![option.into(), values[1].clone()]))
}

pub fn mca(values: &[OsString]) -> Words {
    of_launcher(values).unwrap_or_else(|| parameter("OMPI_MCA_", values))
}

pub fn gmca(values: &[OsString]) -> Words {
    let name = joined(&["OMPI_MCA_".as_ref(), &values[0]]);
    of_launcher(values).unwrap_or_else(|| Ok(vec!["--genv".into(), name, values[1].clone()]))
}

pub fn pmixmca(values: &[OsString]) -> Words {
    parameter("PMIX_MCA_", values)
}

pub fn prtemca(values: &[OsString]) -> Words {
    of_launcher(values).unwrap_or(Ok(Vec::new()))
}

/// Open MPI's directory: its programs and libraries are found first.
pub fn prefix(values: &[OsString]) -> Words {
    let mut out = Vec::new();
    for (name, sub) in [("PATH", "/bin"), ("LD_LIBRARY_PATH", "/lib")] {
        let before = std::env::var_os(name).filter(|v| !v.is_empty()).map(|v| joined(&[":".as_ref(), &v]));
        let value = joined(&[&values[0], sub.as_ref(), &before.unwrap_or_default()]);
        out.extend(["--genv".into(), name.into(), value]);
    }
    Ok(out)
}

/// `srun --export=ALL,A=1,B`, `NONE` or `NIL`.
pub fn export(values: &[OsString]) -> Words {
    let mut out = Vec::new();
    let (mut all, mut names) = (false, Vec::new());
    for word in values[0].as_bytes().split(|&b| b == b',') {
        match word {
            b"ALL" => all = true,
            b"NONE" | b"NIL" => {}
            _ if word.contains(&b'=') => out.extend(["-x".into(), OsStr::from_bytes(word).into()]),
            _ => names.push(word.to_vec()),
        }
    }
    match (all, names.is_empty()) {
        (true, _) => {}
        (false, true) => out.push("--genvnone".into()),
        (false, false) => out.extend(["--genvlist".into(), OsString::from_vec(names.join(&b','))]),
    }
    Ok(out)
}

/// `srun --cpu-bind=verbose,cores`.
pub fn cpu_bind(values: &[OsString]) -> Words {
    let text = values[0].to_string_lossy().to_ascii_lowercase();
    let mut out = Vec::new();
    for word in text.split(',') {
        match word {
            "q" | "quiet" => {}
            "v" | "verbose" => out.push("--report-bindings".into()),
            "no" | "none" => out.extend(["--bind-to".into(), "none".into()]),
            "cores" | "threads" | "sockets" | "ldoms" => out.extend(["--bind-to".into(), word.into()]),
            "rank" => out.extend(["--bind-to".into(), "core".into()]),
            _ => return Err(format!("\"{word}\" is not understood; say --bind-to, or --rankfile FILE")),
        }
    }
    Ok(out)
}

/// `srun --distribution=block:cyclic`: over the hosts, and over the sockets of a host.
pub fn distribution(values: &[OsString]) -> Words {
    match values[0].to_string_lossy().split([':', ',']).collect::<Vec<_>>()[..] {
        ["block" | "*"] | ["block" | "*", "block" | "*", ..] => words(&["--map-by", "slot"]),
        ["cyclic"] => words(&["--map-by", "node"]),
        ["block" | "*", "cyclic" | "fcyclic", ..] => words(&["--map-by", "package"]),
        _ => Err("say --map-by, or --rankfile FILE".into()),
    }
}

/// Open MPI's directory of output: `DIR/1/rank.0/stdout`, and on the terminal unless it is told otherwise.
pub fn output_filename(values: &[OsString]) -> Words {
    let bytes = values[0].as_bytes();
    let (dir, copy) = match bytes.strip_suffix(b":nocopy") {
        Some(dir) => (dir, false),
        None => (bytes.strip_suffix(b":copy").unwrap_or(bytes), true),
    };
    files(OsStr::from_bytes(dir), "/1/rank.%r/stdout", "/1/rank.%r/stderr", copy)
}

fn files(name: &OsStr, out: &str, err: &str, copy: bool) -> Words {
    let name = joined(&[name]);
    let name = OsString::from_vec(name.as_bytes().iter().flat_map(escaped).copied().collect());
    let mut all = vec!["--outfile-pattern".into(), joined(&[&name, out.as_ref()])];
    all.extend(["--errfile-pattern".into(), joined(&[&name, err.as_ref()])]);
    all.extend(copy.then(|| "--copy-output".into()));
    Ok(all)
}

/// A byte of a name as a pattern has it.
fn escaped(byte: &u8) -> &[u8] {
    if *byte == b'%' { b"%%" } else { std::slice::from_ref(byte) }
}

/// `prterun --output tag,timestamp,dir=DIR`, or `srun --output=FILE`.
pub fn output(values: &[OsString]) -> Words {
    let text = values[0].to_string_lossy();
    let mut out: Vec<OsString> = Vec::new();
    let (list, copy) = match text.split_once(':') {
        Some((list, qualifiers)) if qualifiers.to_ascii_lowercase().split(':').all(|q| q == "nocopy" || q == "raw") => {
            (list, !qualifiers.to_ascii_lowercase().contains("nocopy"))
        }
        _ => (&*text, true),
    };
    for word in list.split(',') {
        let lower = word.to_ascii_lowercase();
        match (lower.as_str(), word.split_once('=')) {
            ("tag" | "rank" | "tag-detailed" | "tag-fullname", _) => out.push("--prepend-rank".into()),
            ("timestamp", _) => out.push("--timestamp-output".into()),
            ("merge" | "merge-stderr-to-stdout", _) => out.push("--merge-stderr-to-stdout".into()),
            (_, Some(("dir", dir))) => out.extend(files(dir.as_ref(), "/1/rank.%r/stdout", "/1/rank.%r/stderr", copy)?),
            (_, Some(("file", file))) => out.extend(files(file.as_ref(), ".%r", ".%r", copy)?),
            ("xml", _) => return Err("there is no XML output; --dry-run prints the ranks and their hosts".into()),
            _ => return pattern("--outfile-pattern", &text),
        }
    }
    Ok(out)
}

pub fn error(values: &[OsString]) -> Words {
    pattern("--errfile-pattern", &values[0].to_string_lossy())
}

/// A file name of srun: `%t` is the rank, `%n` the number of the node, `%N` its name, `%j` the job.
fn pattern(option: &str, text: &str) -> Words {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('%') {
        out += before;
        // A number is the width of what follows.
        let mut chars = behind.trim_start_matches(|c: char| c.is_ascii_digit()).chars();
        match chars.next() {
            Some('t') => out += "%r",
            Some('n') => out += "%p",
            Some('N') => out += "%h",
            Some('%') => out += "%%",
            Some('j' | 'A' | 'J') => out += &std::env::var("SLURM_JOB_ID").unwrap_or_default(),
            other => {
                let other = other.map(String::from).unwrap_or_default();
                return Err(format!("%{other} is not offered; %t is the rank, %N the host, %j the job"));
            }
        }
        rest = chars.as_str();
    }
    out += rest;
    match out.as_str() {
        "none" => words(&[option, "/dev/null"]),
        "all" => Ok(Vec::new()),
        name => words(&[option, name]),
    }
}

/// `srun --input=all`, `none`, a rank or a file.
pub fn input(values: &[OsString]) -> Words {
    match values[0].to_str() {
        Some(text) if text == "all" || text == "none" || text.parse::<u32>().is_ok() => words(&["--stdin", text]),
        _ => Err("a file for one rank is its standard input: oshrun --stdin RANK ... < FILE".into()),
    }
}

/// `prterun --display map,bind`.
pub fn display(values: &[OsString]) -> Words {
    let mut out = Vec::new();
    for word in values[0].to_string_lossy().to_ascii_lowercase().split([',', ':']) {
        match word {
            "bind" | "bindings" => out.push("--report-bindings".into()),
            "map" | "map-devel" | "allocation" | "alloc" | "topo" => out.push("--display-map".into()),
            "parseable" | "parsable" => {}
            _ => return Err(format!("\"{word}\" is not understood; expected map, bind or allocation")),
        }
    }
    out.dedup();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(make: fn(&[OsString]) -> Words, values: &[&str]) -> String {
        match make(&values.iter().map(OsString::from).collect::<Vec<_>>()) {
            Ok(words) => words.join(" ".as_ref()).into_string().unwrap(),
            Err(e) => format!("error: {e}"),
        }
    }

    #[test]
    fn values_become_words() {
        for (make, value, expected) in [
            (export as fn(&[OsString]) -> Words, "ALL", ""),
            (export, "NONE", "--genvnone"),
            (export, "ALL,A=1", "-x A=1"),
            (export, "A,B=2,C", "-x B=2 --genvlist A,C"),
            (cpu_bind, "verbose,cores", "--report-bindings --bind-to cores"),
            (cpu_bind, "none", "--bind-to none"),
            (distribution, "cyclic", "--map-by node"),
            (distribution, "block:cyclic", "--map-by package"),
            (distribution, "block", "--map-by slot"),
            (output, "tag,timestamp", "--prepend-rank --timestamp-output"),
            (output, "merge", "--merge-stderr-to-stdout"),
            (output, "dir=a%:nocopy", "--outfile-pattern a%%/1/rank.%r/stdout --errfile-pattern a%%/1/rank.%r/stderr"),
            (output, "file=a", "--outfile-pattern a.%r --errfile-pattern a.%r --copy-output"),
            (output, "out-%t.%N", "--outfile-pattern out-%r.%h"),
            (output, "out-%3t", "--outfile-pattern out-%r"),
            (output, "none", "--outfile-pattern /dev/null"),
            (error, "e%n%%", "--errfile-pattern e%p%%"),
            (input, "all", "--stdin all"),
            (input, "3", "--stdin 3"),
            (display, "map,bind", "--display-map --report-bindings"),
            (
                output_filename,
                "d",
                "--outfile-pattern d/1/rank.%r/stdout --errfile-pattern d/1/rank.%r/stderr --copy-output",
            ),
        ] {
            assert_eq!(of(make, &[value]), expected, "{value}");
        }
        for (make, value) in [
            (cpu_bind as fn(&[OsString]) -> Words, "map_cpu:0,1"),
            (distribution, "arbitrary"),
            (output, "xml"),
            (output, "a%"),
            (error, "a%x"),
            (input, "file"),
            (display, "everything"),
        ] {
            assert!(of(make, &[value]).starts_with("error: "), "{value}");
        }
    }

    #[test]
    fn parameters_are_variables_or_options() {
        assert_eq!(of(mca, &["btl", "self,tcp"]), "-x OMPI_MCA_btl=self,tcp");
        assert_eq!(of(gmca, &["btl", "self"]), "--genv OMPI_MCA_btl self");
        assert_eq!(of(mca, &["plm_rsh_agent", "my-ssh"]), "--launcher-exec my-ssh");
        assert_eq!(of(pmixmca, &["gds", "hash"]), "-x PMIX_MCA_gds=hash");
        assert_eq!(of(prtemca, &["rmaps_default_mapping_policy", "core"]), "--map-by core");
        assert_eq!(of(prtemca, &["oob", "tcp"]), "");
        assert!(of(prefix, &["/opt/mpi"]).starts_with("--genv PATH /opt/mpi/bin:"));
    }
}
