//! Measures the process management: Get over a socket and from shared memory, and the memory of a node.
//!
//! One run of the program is one sample of each figure. `cargo xtask bench pmi` runs the program several times, keeps
//! all samples. The program prints lines `figure line x value`; `xtask/src/bench/pmi.rs` has their
//! meaning.
//!
//! ```text
//! cargo run --release -p pmi-bench -- get --keys 65536 --clients 1,32 --gets 10000
//! ```

mod crew;
mod get;
mod memory;
mod serve;
mod work;

fn main() {
    let options = Options(std::env::args().skip(1).collect());
    match options.0.first().map(String::as_str) {
        Some("get") => get::run(&options),
        Some("memory") => memory::run(&options),
        other => {
            eprintln!("pmi bench: {other:?} is no figure; there are get and memory");
            std::process::exit(2);
        }
    }
}

/// The program's arguments: a figure, then `--name value`.
struct Options(Vec<String>);

impl Options {
    /// The numbers after `--name`, separated by commas.
    fn list(&self, name: &str, otherwise: &[usize]) -> Vec<usize> {
        let Some(at) = self.0.iter().position(|a| a == name) else { return otherwise.to_vec() };
        let words = self.0.get(at + 1).map_or("", String::as_str);
        let numbers: Result<Vec<usize>, _> = words.split(',').map(str::parse).collect();
        numbers.unwrap_or_else(|_| {
            eprintln!("pmi bench: {name} {words}: expected numbers");
            std::process::exit(2);
        })
    }

    fn one(&self, name: &str, otherwise: usize) -> usize {
        self.list(name, &[otherwise])[0]
    }
}

/// Prints a figure: `line` says what was measured, `x` is a number of keys or clients.
fn figure(figure: &str, line: &str, x: usize, value: f64) {
    println!("{figure} {line} {x} {value:.6}");
}
