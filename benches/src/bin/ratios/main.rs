//! Prints what contextfit costs beside its goals. See the docs of the package.

mod allocations;
mod comparison;
mod goal;
mod growth;
mod memo;
mod million;
mod overhead;
mod pathological;
mod print;

fn main() {
    million::print();
    growth::print();
    overhead::print();
    allocations::print();
    memo::print();
    pathological::print();
}
