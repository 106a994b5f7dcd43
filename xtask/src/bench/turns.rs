//! Programs that run in turn, and the medians of what they print: lines of operation, bytes and figures.

use crate::util::median;
use anyhow::{Result, bail, ensure};
use std::collections::BTreeMap;

/// Number of the line, operation and bytes.
pub type What = (usize, String, usize);
/// The samples of every row, one for each figure of a line.
pub type Figures = BTreeMap<What, Vec<Vec<f64>>>;
pub type Medians = BTreeMap<What, f64>;

/// Adds what a program prints: operation, bytes and `n` figures in a line.
pub fn read(text: &str, n: usize, figures: &mut Figures) -> Result<()> {
    for (i, line) in text.lines().filter(|l| !l.starts_with('#')).enumerate() {
        let words: Vec<_> = line.split_whitespace().collect();
        let [name, bytes, rest @ ..] = &words[..] else { bail!("{line:?} is no row of operation and bytes") };
        ensure!(rest.len() == n, "{line:?} does not have {n} figures");
        let samples = figures.entry((i, (*name).to_owned(), bytes.parse()?)).or_default();
        samples.resize(n, Vec::new());
        for (samples, figure) in samples.iter_mut().zip(rest) {
            samples.push(figure.parse()?);
        }
    }
    Ok(())
}

pub fn medians(figures: Figures) -> Medians {
    figures.into_iter().map(|(what, mut us)| (what, median(&mut us[0]))).collect()
}

/// The medians of programs with one figure in a line, each of which runs so many times, and is the first in its turn.
pub fn in_turn(rounds: usize, run: &[&dyn Fn() -> Result<String>]) -> Result<Vec<Medians>> {
    let mut all = vec![Figures::new(); run.len()];
    for round in 0..rounds {
        let mut turns: Vec<_> = run.iter().zip(&mut all).collect();
        turns.rotate_left(round % run.len());
        for (run, figures) in turns {
            read(&run()?, 1, figures)?;
        }
    }
    Ok(all.into_iter().map(medians).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn medians_of_programs_in_turn() {
        let (turn, order) = (Cell::new(0.0), Cell::new(String::new()));
        let run = |name: char, factor: f64| {
            order.set(order.take() + &name.to_string());
            turn.set(turn.get() + 1.0);
            Ok(format!("# a comment\nput 8 {}\n", turn.get() * factor))
        };
        let medians = in_turn(3, &[&|| run('a', 1.0), &|| run('b', 10.0)]).unwrap();
        assert_eq!(order.take(), "abbaab");
        let what = (0, "put".to_owned(), 8);
        assert_eq!((medians[0][&what], medians[1][&what]), (4.0, 30.0));
        assert!(in_turn(1, &[&|| Ok("put 8\n".to_owned())]).is_err());
    }
}
