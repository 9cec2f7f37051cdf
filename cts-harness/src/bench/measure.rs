//! Runs a case on one or two sides: preparation, warm-up, check, interleaved repetitions within a time
//! budget, and another check.

use super::case::{Case, Row, Running, Sample, Side, Stop};
use super::stats::{self, Summary};
use std::time::{Duration, Instant};

#[derive(Copy, Clone, Debug)]
pub(super) struct Plan {
    /// The least number of repetitions, regardless of the budget. A case may have fewer.
    pub(super) least: usize,
    /// The largest number of repetitions. A case may have fewer.
    pub(super) most: usize,
    /// The time for one case on one side, without preparation and checks.
    pub(super) budget: Duration,
}

/// The outcome of one row on one side.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Outcome {
    Measured { wall: Vec<f64>, device: Vec<f64> },
    Stopped(Stop),
}

/// A row with the outcome of each side.
pub(super) struct Result {
    pub(super) row: Row,
    pub(super) sides: Vec<Outcome>,
}

impl Result {
    /// Returns how many times better the first side's wall time and device time are.
    pub(super) fn ratios(&self) -> [Option<Summary>; 2] {
        let [
            Outcome::Measured { wall: a, device: x },
            Outcome::Measured { wall: b, device: y },
        ] = &self.sides[..]
        else {
            return [None, None];
        };
        [stats::ratio(a, b), stats::ratio(x, y)]
    }
}

/// The state of a case on one side during the measurement.
enum Turn {
    Going {
        running: Box<dyn Running>,
        samples: Vec<Vec<Sample>>,
    },
    Stopped(Stop),
}

impl Turn {
    /// Prepares the case, runs it once to warm up, and checks the result.
    fn begin(case: &Case, side: &Side) -> Turn {
        let begun = (case.make)(side).and_then(|mut running| {
            running.repeat()?;
            running.check()?;
            Ok(running)
        });
        match begun {
            Ok(running) => Turn::Going {
                running,
                samples: Vec::new(),
            },
            Err(stop) => Turn::Stopped(stop),
        }
    }

    fn repeat(&mut self, times: usize) {
        for _ in 0..times {
            let Turn::Going { running, samples } = self else {
                return;
            };
            match running.repeat() {
                Ok(sample) => samples.push(sample),
                Err(stop) => *self = Turn::Stopped(stop),
            }
        }
    }

    /// Checks the last result, and returns the outcome of each row.
    fn end(self, rows: usize) -> Vec<Outcome> {
        let (mut running, samples) = match self {
            Turn::Going { running, samples } => (running, samples),
            Turn::Stopped(stop) => return vec![Outcome::Stopped(stop); rows],
        };
        if let Err(stop) = running.check() {
            return vec![Outcome::Stopped(stop); rows];
        }
        let row = |i: usize| Outcome::Measured {
            wall: samples.iter().map(|s| s[i].wall).collect(),
            device: samples.iter().filter_map(|s| s[i].device).collect(),
        };
        (0..rows).map(row).collect()
    }
}

/// Measures a case on all sides alternately. The order of the sides is reversed in each round.
pub(super) fn run(case: &Case, sides: &[Side], plan: Plan) -> Vec<Result> {
    let mut turns: Vec<Turn> = sides.iter().map(|side| Turn::begin(case, side)).collect();
    let most = plan.most.min(case.most);
    let least = plan.least.min(most);
    let budget = plan.budget * u32::try_from(sides.len()).unwrap_or(1);
    let start = Instant::now();
    let (mut done, mut rounds) = (0, 0);
    while done < most && (done < least || start.elapsed() < budget) {
        let block = case.block.min(most - done).max(1);
        if rounds % 2 == 0 {
            turns.iter_mut().for_each(|turn| turn.repeat(block));
        } else {
            turns.iter_mut().rev().for_each(|turn| turn.repeat(block));
        }
        done += block;
        rounds += 1;
    }
    let ends: Vec<Vec<Outcome>> = turns.into_iter().map(|t| t.end(case.rows.len())).collect();
    let result = |(i, row): (usize, &Row)| Result {
        row: row.clone(),
        sides: ends.iter().map(|end| end[i].clone()).collect(),
    };
    case.rows.iter().enumerate().map(result).collect()
}
