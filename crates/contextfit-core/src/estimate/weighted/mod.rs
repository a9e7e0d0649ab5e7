mod automaton;
mod class;
mod estimator;
#[cfg(test)]
mod laws;
mod letter;
mod run;
mod scan;
mod step;
mod tables;
mod visits;
mod weights;

pub use self::estimator::WeightedEstimator;
pub use self::visits::Visits;
