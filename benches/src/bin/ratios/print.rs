use std::fmt::Display;

use crate::goal::Goal;

/// Prints a title over rows.
pub(crate) fn title(title: &str) {
    println!("\n{title}\n");
}

/// Prints a cost, with so many digits behind the point, beside its goal.
pub(crate) fn row(name: &str, cost: f64, digits: usize, goal: Option<Goal>) {
    let goal = goal.map_or_else(String::new, |goal| goal.of(cost));
    println!("{name:32}{cost:8.digits$}  {goal}");
}

/// Prints a row of cells, and what is to be said of it.
pub(crate) fn cells(name: &str, cells: impl IntoIterator<Item = impl Display>, remark: &str) {
    print!("{name:32}");
    for cell in cells {
        print!("{cell:>18}");
    }
    println!("  {remark}");
}
