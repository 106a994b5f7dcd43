//! The report: what was installed, and what this environment adds.

use anyhow::{Result, bail};
use oshmpi_tools::site::Site;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// What `cargo xtask install` wrote into share/oshmpi/config.json.
#[derive(Deserialize, Debug)]
pub struct Description {
    #[serde(flatten)]
    about: Installation,
    settings: Vec<Setting>,
}

/// The description without its settings.
#[derive(Deserialize, Serialize, Debug)]
struct Installation {
    version: String,
    /// Version of OpenSHMEM.
    standard: String,
    /// That of `oshcc -mpi`. None: the one on the path.
    mpi: Option<String>,
    mpi_version: Option<String>,
    cc: String,
    cxx: String,
    fc: String,
    mpicc: String,
    mpiexec: String,
    routes: Vec<Route>,
}

impl Installation {
    /// The MPI of `oshcc -mpi`, with its version if that is known.
    fn mpi(&self) -> Option<String> {
        let version = self.mpi_version.iter().map(|version| format!(" {version}"));
        self.mpi.as_ref().map(|mpi| version.fold(mpi.clone(), |name, version| name + &version))
    }

    /// Its compiler wrapper, with the MPI if that is known.
    fn mpicc(&self) -> String {
        self.mpi().map_or(self.mpicc.clone(), |mpi| format!("{}: {mpi}", self.mpicc))
    }
}

/// How the memory of some PEs is reached.
#[derive(Deserialize, Serialize, Debug)]
struct Route {
    to: String,
    by: String,
}

#[derive(Deserialize, Serialize, Debug)]
struct Setting {
    name: String,
    /// Other names that are read, after this one.
    old: Vec<String>,
    #[serde(rename(deserialize = "value", serialize = "takes"))]
    takes: String,
    default: String,
    help: String,
    more: String,
}

#[derive(Serialize, Debug)]
pub struct Report {
    #[serde(flatten)]
    about: Installation,
    prefix: PathBuf,
    /// The ABIs of MPI over which programs run: `mpich`, ...
    mpi_abis: Vec<String>,
    /// `oshcc -oshmpi-race` works.
    race_detector: bool,
    settings: Vec<InForce>,
}

/// A setting with its value in this environment.
#[derive(Serialize, Debug)]
struct InForce {
    #[serde(flatten)]
    setting: Setting,
    /// The value that a job started from here would read: the variable's text, that of the site's file, or the default.
    value: String,
    /// Which variable is set, or which line of the site's file sets it, if any.
    set_by: Option<String>,
}

impl Report {
    /// `get` reads an environment variable.
    pub fn new(d: Description, prefix: PathBuf, site: &Site, get: impl Fn(&str) -> Option<String>) -> Report {
        let settings = d.settings.into_iter().map(|s| InForce::new(s, site, &get)).collect();
        let race_detector = prefix.join("share/oshmpi/race.specs").exists();
        let mpi_abis = mpi_abis(&prefix);
        Report { about: d.about, prefix, mpi_abis, race_detector, settings }
    }

    /// What is installed, and how it is called.
    pub fn installation(&self) -> String {
        let a = &self.about;
        let abis = if self.mpi_abis.is_empty() { "none".to_owned() } else { self.mpi_abis.join(", ") };
        let races = if self.race_detector { "oshcc -oshmpi-race hello.c -o hello" } else { "not installed" };
        [
            format!("oshmpi {}, OpenSHMEM {}", a.version, a.standard),
            format!("  prefix     {}", self.prefix.display()),
            format!("  compile    oshcc, oshc++ or oshfort ({}, {}, {}): oshcc hello.c -o hello", a.cc, a.cxx, a.fc),
            format!("  with MPI   oshcc -mpi hybrid.c -o hybrid ({})", a.mpicc()),
            format!("  MPI's ABIs {abis}"),
            format!("  start      oshrun or {}: oshrun -n 4 ./hello", a.mpiexec),
            format!("  find races {races}"),
        ]
        .join("\n")
    }

    /// One fact, with a newline.
    pub fn one(&self, name: &str, json: bool) -> Result<String> {
        let a = &self.about;
        let value = match name {
            "version" => a.version.clone(),
            "standard" => a.standard.clone(),
            "mpi" => a.mpi().unwrap_or_else(|| format!("that of {}", a.mpicc)),
            "prefix" => self.prefix.display().to_string(),
            _ => {
                let named = |s: &&InForce| s.setting.name == name || s.setting.old.iter().any(|old| old == name);
                match self.settings.iter().find(named) {
                    Some(s) if json => return Ok(format!("{:#}\n", serde_json::to_value(s)?)),
                    Some(s) => s.value.clone(),
                    None => bail!("{name} is neither version, standard, mpi, prefix nor a variable of oshmpi"),
                }
            }
        };
        Ok(if json { format!("{}\n", serde_json::Value::String(value)) } else { format!("{value}\n") })
    }
}

impl InForce {
    fn new(setting: Setting, site: &Site, get: &impl Fn(&str) -> Option<String>) -> InForce {
        let mut names = std::iter::once(&setting.name).chain(&setting.old);
        let by_variable = names.clone().find_map(|name| Some((name.clone(), get(name)?)));
        let by_site = || {
            let line = names.find_map(|name| site.line(name))?;
            Some((site.place(line.number), line.value.clone()))
        };
        let (set_by, value) = match by_variable.or_else(by_site) {
            Some((name, value)) => (Some(name), if value.is_empty() { "set".to_string() } else { value }),
            None => (None, setting.default.clone()),
        };
        InForce { setting, value, set_by }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n\nhow memory of other PEs is reached", self.installation())?;
        for r in &self.about.routes {
            writeln!(f, "  {}: {}", r.to, r.by)?;
        }
        writeln!(f, "\nenvironment variables (* set here, or by the site)")?;
        for s in &self.settings {
            let mark = if s.set_by.is_some() { '*' } else { ' ' };
            writeln!(f, "{mark} {} = {}", s.setting.name, s.value)?;
            for line in fold(&s.setting.help, 92) {
                writeln!(f, "      {line}")?;
            }
            if let Some(name) = s.set_by.as_ref().filter(|name| **name != s.setting.name) {
                writeln!(f, "      (from {name})")?;
            }
            if s.set_by.is_some() {
                writeln!(f, "      (default: {})", s.setting.default)?;
            }
        }
        Ok(())
    }
}

/// Those of the libraries through which MPI is called.
fn mpi_abis(prefix: &Path) -> Vec<String> {
    let files = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let name = |file: fs::DirEntry| {
        Some(file.file_name().to_str()?.strip_prefix("liboshmpi-mpi-")?.strip_suffix(".so")?.to_owned())
    };
    let mut abis: Vec<String> = files.filter_map(name).collect();
    abis.sort();
    abis
}

/// Breaks a text at blanks into lines of at most `width` characters. A longer word is a line of its own.
fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use oshmpi_tools::site::Line;

    fn report(set: &[(&str, &str)]) -> Report {
        report_at(&Site::default(), set)
    }

    fn report_at(site: &Site, set: &[(&str, &str)]) -> Report {
        let text = r#"{"version": "9.8.7", "standard": "1.6", "mpi": "mpich", "mpi_version": "4.0", "cc": "cc",
            "cxx": "c++", "fc": "gfortran", "mpicc": "mpicc", "mpiexec": "mpiexec", "native_libs": ["-lm"],
            "routes": [{"to": "this node", "by": "memory"}],
            "settings": [
              {"name": "SIZE", "old": ["OLD_SIZE"], "value": "a size", "default": "512M", "help": "of it", "more": ""},
              {"name": "FLAG", "old": [], "value": "anything", "default": "not set", "help": "does", "more": ""}]}"#;
        let get = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
        Report::new(serde_json::from_str(text).unwrap(), PathBuf::from("/opt/x"), site, get)
    }

    #[test]
    fn the_environment_decides_what_is_in_force() {
        let r = report(&[]);
        assert_eq!(
            (r.one("SIZE", false).unwrap(), r.one("FLAG", false).unwrap()),
            ("512M\n".into(), "not set\n".into())
        );
        let r = report(&[("OLD_SIZE", "1G"), ("FLAG", "")]);
        assert_eq!((r.one("SIZE", false).unwrap(), r.one("FLAG", false).unwrap()), ("1G\n".into(), "set\n".into()));
        assert!(r.to_string().contains("* SIZE = 1G\n") && r.to_string().contains("(from OLD_SIZE)"));
        let r = report(&[("OLD_SIZE", "1G"), ("SIZE", "2G")]);
        assert_eq!(r.one("OLD_SIZE", false).unwrap(), "2G\n");
    }

    #[test]
    fn the_sites_file_is_in_force_where_no_variable_is_set() {
        let line = Line { number: 3, name: "OLD_SIZE".into(), value: "4G".into() };
        let site = Site { file: "/opt/x/etc/oshmpi.conf".into(), lines: vec![line], wrong: Vec::new() };
        let r = report_at(&site, &[]);
        assert_eq!(r.one("SIZE", false).unwrap(), "4G\n");
        let text = r.to_string();
        assert!(text.contains("* SIZE = 4G\n") && text.contains("(from /opt/x/etc/oshmpi.conf:3)"), "{text}");
        assert_eq!(report_at(&site, &[("SIZE", "2G")]).one("SIZE", false).unwrap(), "2G\n");
    }

    #[test]
    fn json_says_the_same() {
        let v = serde_json::to_value(report(&[("SIZE", "3k")])).unwrap();
        assert_eq!(v["version"], "9.8.7");
        assert_eq!(v["settings"][0]["value"], "3k");
        assert_eq!(v["settings"][0]["set_by"], "SIZE");
        assert_eq!(v["settings"][1]["takes"], "anything");
        assert_eq!(report(&[]).one("version", true).unwrap(), "\"9.8.7\"\n");
    }

    #[test]
    fn the_mpi_is_named_only_where_it_is_known() {
        let mut r = report(&[]);
        assert!(r.to_string().contains(" (mpicc: mpich 4.0)\n  MPI's ABIs none\n"), "{r}");
        assert_eq!(r.one("mpi", false).unwrap(), "mpich 4.0\n");
        (r.about.mpi, r.about.mpi_version) = (None, None);
        assert!(r.to_string().contains(" (mpicc)\n"), "{r}");
        assert_eq!(r.one("mpi", false).unwrap(), "that of mpicc\n");
    }

    #[test]
    fn the_abis_are_those_of_the_libraries() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("lib")).unwrap();
        for file in ["liboshmpi-mpi-openmpi.so", "liboshmpi-mpi-abi.so", "liboshmpi.so", "liboshmpi-site-mpich.so"] {
            fs::write(dir.path().join("lib").join(file), "").unwrap();
        }
        assert_eq!(mpi_abis(dir.path()), ["abi", "openmpi"]);
    }

    #[test]
    fn an_unknown_name_is_refused() {
        assert!(report(&[]).one("NO_SUCH", false).unwrap_err().to_string().starts_with("NO_SUCH is neither"));
    }

    #[test]
    fn folding_keeps_all_words() {
        assert_eq!(fold("a bb ccc dddd", 6), ["a bb", "ccc", "dddd"]);
        assert_eq!(fold("", 6), Vec::<String>::new());
    }
}
