//! Prints what contextfit costs beside its goals. See the docs of the package.

mod allocations;
mod comparison;
mod goal;
mod growth;
mod million;
mod overhead;
mod print;
mod weighted;

fn main() {
    million::print();
    growth::print();
    overhead::print();
    weighted::print();
    allocations::print();
}
