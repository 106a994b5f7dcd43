//! `cargo xtask demo`: from nothing to a picture.

use crate::install;
use crate::util::{self, made, root};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Number of PEs
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pes: u16,
}

/// Installs, compiles, runs on `pes` PEs. `more`: further options for heat2d. `job`: turns the command into the one to
/// run.
pub fn play(pes: usize, more: &[&str], job: fn(Command) -> Command) -> Result<()> {
    let (start, prefix) = (Instant::now(), root().join("target/prefix/demo"));
    install::least::install(&prefix)?;

    let dir = made(root().join("target/demo"))?;
    let [drawn, picture] = ["ppm", "png"].map(|ending| dir.join("heat2d").with_extension(ending));
    let program = dir.join("heat2d");
    // A picture from an earlier run must not pass for the new one.
    let _ = fs::remove_file(&drawn);

    let mut compile = install::wrapper(&prefix, "oshcc");
    compile.arg("-O2").arg(root().join("examples/c/heat2d.c")).arg("-o").arg(&program).arg("-lm");
    show(&compile);
    util::run(compile.current_dir(root()))?;

    let mut solve = install::wrapper(&prefix, "oshrun");
    solve.arg("-n").arg(pes.to_string());
    solve.arg(&program).arg("-o").arg(&drawn).args(more);
    show(&solve);
    util::run(job(solve).current_dir(root()))?;

    let (width, height, pixels) = picture_of(&drawn)?;
    let file = fs::File::create(&picture).with_context(|| format!("cannot write {}", picture.display()))?;
    let mut png = png::Encoder::new(BufWriter::new(file), width, height);
    png.set_color(png::ColorType::Rgb);
    png.write_header()?.write_image_data(&pixels)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("the temperature of the plate is drawn in {}, after {seconds:.0} s", relative(&picture).display());
    println!("this build is not optimised; cargo xtask install makes one that is");
    Ok(())
}

/// Width, height and colours of a picture that heat2d has drawn.
fn picture_of(file: &Path) -> Result<(u32, u32, Vec<u8>)> {
    let ppm = fs::read(file).with_context(|| format!("heat2d wrote no {}", file.display()))?;
    let mut lines = ppm.splitn(4, |&byte| byte == b'\n');
    let mut line = || Some(str::from_utf8(lines.next()?).ok()?.to_string());
    let head = [line(), line(), line()].map(Option::unwrap_or_default);
    let (width, height) = head[1].split_once(' ').context("a picture has a size")?;
    let (width, height): (u32, u32) = (width.parse()?, height.parse()?);
    let pixels = lines.next().unwrap_or_default().to_vec();
    let whole = pixels.len() as u64 == 3 * u64::from(width) * u64::from(height);
    ensure!(head[0] == "P6" && head[2] == "255" && whole, "{} is no whole picture", file.display());
    Ok((width, height, pixels))
}

pub fn run(args: Args) -> Result<()> {
    play(usize::from(args.pes), &[], std::convert::identity)
}

/// Prints a command with paths from the top of the checkout.
fn show(c: &Command) {
    let words = std::iter::once(c.get_program()).chain(c.get_args());
    let words: Vec<String> = words.map(|w| relative(Path::new(w)).display().to_string()).collect();
    println!("$ {}", words.join(" "));
}

/// A path as seen from the top of the checkout.
fn relative(path: &Path) -> &Path {
    path.strip_prefix(root()).unwrap_or(path)
}
