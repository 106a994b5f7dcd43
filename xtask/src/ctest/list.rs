//! tests/openshmem/tests.list: its lines become [`Entry`]s. The format is described at the head of that file.

use crate::util::Mpi;
use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use std::time::Duration;

/// What the end of a run must look like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Expect {
    /// Exit code and stdout as told, nothing on stderr.
    #[default]
    Success,
    /// The launcher's exit code, stdout as told; the launcher may say something on stderr.
    Exit(i32),
    /// Exit code 0 and a line `ok`; besides, this text somewhere.
    Prints(String),
    /// Another exit code than 0, and exactly one line on stderr that contains all these texts.
    Abort(Vec<String>),
    /// An exit code that tells that this signal has ended a PE, and no failed check.
    Killed(Signal),
}

/// A line of the list, with one of its `args=`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Line in the list, from 1.
    pub line: usize,
    /// Path below tests/openshmem without the ending.
    pub program: String,
    pub pes: Vec<usize>,
    pub mpis: Vec<Mpi>,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub time: Duration,
    pub lang: Option<String>,
    pub cflags: Vec<String>,
    pub ldflags: Vec<String>,
    pub link: Vec<String>,
    /// The source of a shared library that the program loads, with `.c` behind the library's name.
    pub library: Option<String>,
    pub static_lib: bool,
    pub alone: bool,
    /// Started by the mpiexec of this MPI, which may be another than the program's.
    pub launcher: Option<Mpi>,
    pub exclusive: bool,
    pub stdout: String,
    pub expect: Expect,
    pub repeat: usize,
    /// Only in these ways of running; empty: in all.
    pub ways: Vec<&'static str>,
    /// Not in these.
    pub unless: Vec<&'static str>,
}

const LANGS: [&str; 6] = ["c99", "c11", "c17", "c++11", "c++17", "c++20"];

impl Entry {
    /// The chapter: the directory of the program.
    pub fn chapter(&self) -> &str {
        self.program.split('/').next().unwrap_or(&self.program)
    }

    /// The line is for this way of running.
    pub fn goes(&self, way: &str) -> bool {
        (self.ways.is_empty() || self.ways.contains(&way)) && !self.unless.contains(&way)
    }

    /// The program initialises MPI, or lets the library do it on one node, too.
    pub fn needs_mpi(&self) -> bool {
        let set = |(name, value): &(String, String)| {
            [("OSHMPI_MPI", "always"), ("OSHMPI_TRANSPORT", "rma")].contains(&(name.as_str(), value.as_str()))
        };
        self.chapter() == "hybrid" || self.env.iter().any(set)
    }

    /// The words that tell this entry from others of one program, for reports and the filter.
    pub fn label(&self) -> String {
        let mut s = self.program.clone();
        let mut add = |word: &str| {
            s.push(' ');
            s.push_str(word);
        };
        self.args.iter().for_each(|a| add(a));
        self.env.iter().for_each(|(k, v)| add(&format!("{k}={v}")));
        self.lang.iter().for_each(|l| add(l));
        self.cflags.iter().chain(&self.ldflags).for_each(|f| add(f));
        if self.static_lib {
            add("static");
        }
        if self.alone {
            add("alone");
        }
        self.launcher.iter().for_each(|l| add(&format!("launcher={l}")));
        s
    }
}

/// Parses the whole list; an error names the line.
pub fn parse(text: &str) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let words = words(line).with_context(|| format!("tests.list:{}", i + 1))?;
        if words.is_empty() {
            continue;
        }
        // Each `args=` makes an entry.
        let (args, others): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word.starts_with("args="));
        for args in args.chunks(1).chain(args.is_empty().then_some(&[][..])) {
            let of_args = entries_of(i + 1, &[&others[..], args].concat());
            entries.extend(of_args.with_context(|| format!("tests.list:{}", i + 1))?);
        }
    }
    Ok(entries)
}

/// The words of a line, as a shell splits it; `#` at the start of a word begins a comment.
pub fn words(line: &str) -> Result<Vec<String>> {
    shlex::split(line).context("a quote is not closed")
}

/// The entries of a line with one `args=`, each of a program.
fn entries_of(line: usize, words: &[String]) -> Result<Vec<Entry>> {
    let [programs, pes, options @ ..] = words else { bail!("expected PROGRAM PES OPTION...") };
    let mut e = Entry {
        line,
        pes: numbers(pes)?,
        mpis: Mpi::ALL.to_vec(),
        time: Duration::from_secs(60),
        stdout: "ok".into(),
        repeat: 1,
        ..Entry::default()
    };
    let mut says = Vec::new();
    for option in options {
        set(&mut e, &mut says, option)?;
    }
    match &mut e.expect {
        Expect::Abort(texts) => *texts = says,
        _ if !says.is_empty() => bail!("says= goes with expect=abort"),
        _ => {}
    }
    if e.alone && e.pes != [1] {
        bail!("alone means one PE");
    }
    if e.alone && e.launcher.is_some() {
        bail!("alone means no launcher");
    }
    Ok(programs.split(',').map(|program| Entry { program: program.into(), ..e.clone() }).collect())
}

/// One option of a line.
fn set(e: &mut Entry, says: &mut Vec<String>, option: &str) -> Result<()> {
    let (key, value) = option.split_once('=').map_or((option, None), |(k, v)| (k, Some(v.to_string())));
    let blanks = |v: String| v.split_whitespace().map(String::from).collect::<Vec<_>>();
    match (key, value) {
        ("mpi", Some(v)) => e.mpis = v.split(',').map(mpi).collect::<Result<_>>()?,
        ("args", Some(v)) => e.args = blanks(v),
        ("env", Some(v)) => {
            let (k, v) = v.split_once('=').context("env wants env=NAME=VALUE")?;
            e.env.push((k.into(), v.into()));
        }
        ("time", Some(v)) => e.time = Duration::from_secs(number(&v)? as u64),
        ("lang", Some(v)) if LANGS.contains(&v.as_str()) => e.lang = Some(v),
        ("cflags", Some(v)) => e.cflags.extend(blanks(v)),
        ("ldflags", Some(v)) => e.ldflags.extend(blanks(v)),
        ("link", Some(v)) => e.link.push(v),
        ("library", Some(v)) if v.ends_with(".c") => e.library = Some(v),
        ("static", None) => e.static_lib = true,
        ("alone", None) => e.alone = true,
        ("launcher", Some(v)) => e.launcher = Some(mpi(&v)?),
        ("exclusive", None) => e.exclusive = true,
        ("stdout", Some(v)) => e.stdout = v,
        ("exit", Some(v)) => e.expect = Expect::Exit(v.parse().context("exit wants a number")?),
        ("prints", Some(v)) => e.expect = Expect::Prints(v),
        ("expect", Some(v)) if v == "abort" => e.expect = Expect::Abort(Vec::new()),
        ("expect", Some(v)) if v == "killed" => e.expect = Expect::Killed(Signal::SIGKILL),
        ("signal", Some(v)) if matches!(e.expect, Expect::Killed(_)) => e.expect = Expect::Killed(v.parse()?),
        ("says", Some(v)) => says.push(v),
        ("ways", Some(v)) => {
            e.ways = ways(&v)?;
            // A star may stand for ways that are not for these PEs, too.
            let mut named = v.split(',').filter_map(|name| super::way::parse(name).ok());
            if let Some(idle) = named.find(|way| way.pes(&e.pes).is_empty()) {
                bail!("way {} has no run with these numbers of PEs", idle.name);
            }
        }
        ("unless", Some(v)) => e.unless = ways(&v)?,
        ("repeat", Some(v)) => e.repeat = number(&v)?,
        _ => bail!("unknown option {option}"),
    }
    Ok(())
}

fn ways(names: &str) -> Result<Vec<&'static str>> {
    let mut all = Vec::new();
    for name in names.split(',') {
        all.extend(super::way::matching(name).map_err(anyhow::Error::msg)?.map(|way| way.name));
    }
    Ok(all)
}

fn mpi(name: &str) -> Result<Mpi> {
    Mpi::ALL.into_iter().find(|m| m.name() == name).with_context(|| format!("unknown MPI {name}"))
}

fn number(text: &str) -> Result<usize> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => bail!("{text:?} is not a number above 0"),
    }
}

fn numbers(text: &str) -> Result<Vec<usize>> {
    text.split(',').map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctest::build;
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use walkdir::WalkDir;

    fn one(line: &str) -> Entry {
        parse(line).unwrap().remove(0)
    }

    fn refused(line: &str) -> String {
        format!("{:#}", parse(line).unwrap_err())
    }

    #[test]
    fn defaults() {
        let e = one("rma/put 1,2,4");
        assert_eq!((e.program.as_str(), e.chapter(), e.pes.as_slice()), ("rma/put", "rma", &[1, 2, 4][..]));
        assert_eq!(e.mpis, Mpi::ALL);
        assert_eq!((e.time.as_secs(), e.repeat, e.stdout.as_str()), (60, 1, "ok"));
        assert_eq!(e.expect, Expect::Success);
    }

    #[test]
    fn quotes_keep_blanks_and_comments_count_as_lines() {
        let e =
            parse("# head\n\na/b 2 args=\"x  y\" env=K=\"1 G\" env=M=a=b cflags=\"-O0 -g\" cflags=-DX # x\n").unwrap();
        assert_eq!((e.len(), e[0].line, &e[0].args[..]), (1, 3, &["x".to_string(), "y".to_string()][..]));
        let env: Vec<_> = e[0].env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!((env, e[0].cflags.join(" ").as_str()), (vec![("K", "1 G"), ("M", "a=b")], "-O0 -g -DX"));
        let two: Vec<_> =
            parse("a/b 2 args=x args=\"\" time=5").unwrap().into_iter().map(|e| e.args.concat()).collect();
        assert_eq!(two, ["x", ""]);
        let both: Vec<_> = parse("a/b,c/d 2").unwrap().into_iter().map(|e| e.program).collect();
        assert_eq!(both, ["a/b", "c/d"]);
    }

    #[test]
    fn expectations() {
        let e = one(r#"a/b 2 expect=abort says="pe 2 is out" says=range"#);
        assert_eq!(e.expect, Expect::Abort(vec!["pe 2 is out".into(), "range".into()]));
        assert_eq!(one("a/b 2 expect=killed").expect, Expect::Killed(Signal::SIGKILL));
        assert_eq!(one("a/b 2 expect=killed signal=SIGTERM").expect, Expect::Killed(Signal::SIGTERM));
        assert_eq!(one("a/b 2 exit=7").expect, Expect::Exit(7));
        assert_eq!(one("a/b 2 prints=x").expect, Expect::Prints("x".into()));
        assert_eq!(one(r#"a/b 2 stdout="a b""#).stdout, "a b");
    }

    #[test]
    fn flags_and_lists() {
        assert_eq!(one("a/b 1 library=a/l.so.1.c").library.as_deref(), Some("a/l.so.1.c"));
        let e = one("a/b 1 mpi=openmpi static alone exclusive repeat=3 time=9 lang=c++11 link=a/t.c ldflags=-lm");
        assert_eq!(e.mpis, [Mpi::Openmpi]);
        assert!(e.static_lib && e.alone && e.exclusive);
        assert_eq!((e.repeat, e.time.as_secs(), e.lang.as_deref()), (3, 9, Some("c++11")));
        assert_eq!((e.link.as_slice(), e.ldflags.as_slice()), (&["a/t.c".to_string()][..], &["-lm".to_string()][..]));
    }

    #[test]
    fn programs_that_need_mpi() {
        let needs = |line: &str| one(line).needs_mpi();
        assert!(needs("hybrid/order 2 args=MSsm"));
        assert!(needs("setup/no_mpi 2 env=OSHMPI_MPI=always"));
        assert!(needs("wait/many 2 env=OSHMPI_TRANSPORT=rma"));
        assert!(!needs("wait/many 2 env=OSHMPI_STATICS=remap"));
    }

    #[test]
    fn ways_to_run() {
        let goes = |line: &str| ["node", "mpi", "2x2"].map(|way| one(line).goes(way));
        assert_eq!(goes("a/b 2"), [true; 3]);
        assert_eq!(goes("a/b 4 ways=node,2x2"), [true, false, true]);
        assert_eq!(goes("a/b 2 unless=mpi"), [true, false, true]);
        assert_eq!(goes("a/b 4 ways=node,2x2 unless=2x2"), [true, false, false]);
        assert_eq!(goes("a/b 2 unless=2x*"), [true, true, false]);
        assert_eq!(goes("a/b 2 ways=2x*"), [false, false, true]);
        assert_eq!(goes("a/b 2 unless=*mpi"), [true, false, true]);
    }

    #[test]
    fn mistakes_are_refused_with_the_line() {
        assert!(refused("\na/b").contains("tests.list:2"));
        for bad in [
            "a/b 0",
            "a/b 1,x",
            "a/b 2 colour=red",
            "a/b 2 mpi=none",
            "a/b 2 lang=c90",
            "a/b 2 args=\"open",
            "a/b 2 says=x",
            "a/b 2 expect=killed signal=9",
            "a/b 2 signal=SIGTERM",
            "a/b 2 alone",
            "a/b 1 alone launcher=mpich",
            "a/b 2 launcher=lam",
            "a/b 2 static=yes",
            "a/b 2 library=l.so",
            "a/b 2 time=0",
            "a/b 2 env=K",
            "a/b 2 ways=node,2x2",
            "a/b 2 unless=nowhere",
            "a/b 2 unless=now*",
        ] {
            assert!(parse(bad).is_err(), "{bad} was accepted");
        }
    }

    #[test]
    fn the_real_list_parses_and_has_every_program() {
        let dir = crate::util::root().join("tests/openshmem");
        let all = crate::ctest::entries().unwrap();
        assert!(all.len() > 100);
        let mut used = BTreeSet::new();
        for e in &all {
            used.insert(build::source(&dir, &e.program).unwrap());
            used.extend(e.link.iter().chain(&e.library).map(|l| dir.join(l)));
        }
        let is_source = |path: &PathBuf| path.extension().is_some_and(|e| build::ENDINGS.iter().any(|end| e == *end));
        let there: BTreeSet<PathBuf> =
            WalkDir::new(&dir).into_iter().map(|e| e.unwrap().into_path()).filter(is_source).collect();
        let differ: Vec<_> = used.symmetric_difference(&there).collect();
        assert!(differ.is_empty(), "in tests.list or in the tree, not in both: {differ:?}");
    }
}
