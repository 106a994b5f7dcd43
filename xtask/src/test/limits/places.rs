//! The places, and how a job has to take each: the lines of tests/limits/places.list.

use crate::ctest::words;
use crate::refuse::With;
use crate::util::root;
use anyhow::{Context, Result, bail};

/// Where a job is run. The head of the list explains the fields.
#[derive(Default)]
pub struct Place {
    pub name: String,
    pub setup: String,
    pub refused: Vec<String>,
    pub with: With,
    pub limits: Vec<String>,
    pub each: Vec<String>,
    pub env: Vec<(String, String)>,
    pub mib: u32,
    pub expected: Expected,
}

/// How a job ends.
#[derive(Default)]
pub enum Expected {
    /// Well; PEs reach each other's memory by loads and stores.
    #[default]
    Shared,
    /// Well; each PE is a node.
    ByMpi,
    /// With an error, and one line of which this is a part.
    Line(String),
}

/// What profiles of containers have refused at one time or another.
const MANY: &str = "memfd_create,process_vm_readv,process_vm_writev,ptrace,pidfd_open,pidfd_getfd,membarrier,\
                    futex_waitv,io_uring_setup,clone3,close_range,rseq,statx";

pub fn load() -> Result<Vec<Place>> {
    let text = std::fs::read_to_string(root().join("tests/limits/places.list")).context("cannot read places.list")?;
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let words = words(line).with_context(|| format!("places.list:{}", i + 1))?;
        if let Some((name, options)) = words.split_first() {
            all.push(place(name, options).with_context(|| format!("places.list:{}", i + 1))?);
        }
    }
    Ok(all)
}

fn place(name: &str, options: &[String]) -> Result<Place> {
    let mut place = Place { name: name.into(), mib: 1, ..Place::default() };
    for option in options {
        let blanks = |text: &str| text.split_whitespace().map(String::from).collect();
        match option.split_once('=').unwrap_or((option, "")) {
            ("setup", text) => place.setup = text.into(),
            ("refused", "many") => place.refused = MANY.split(',').map(String::from).collect(),
            ("refused", calls) => place.refused = calls.split(',').map(String::from).collect(),
            ("enosys", "") => place.with = With::Enosys,
            ("limits", text) => place.limits = blanks(text),
            ("each", text) => place.each = blanks(text),
            ("env", text) => {
                let (name, value) = text.split_once('=').context("env wants env=NAME=VALUE")?;
                place.env.push((name.into(), value.into()));
            }
            ("mib", number) => place.mib = number.parse().context("mib wants a number")?,
            ("by-mpi", "") => place.expected = Expected::ByMpi,
            ("line", text) => place.expected = Expected::Line(text.into()),
            _ => bail!("unknown option {option}"),
        }
    }
    Ok(place)
}
