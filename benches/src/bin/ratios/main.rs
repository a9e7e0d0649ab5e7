//! Prints what contextfit costs beside its goals. See the docs of the package.

mod allocations;
mod clients;
mod comparison;
mod goal;
mod growth;
mod memo;
mod million;
mod overhead;
mod pathological;
mod print;
mod weighted;

fn main() {
    million::print();
    clients::print();
    growth::print();
    overhead::print();
    weighted::print();
    allocations::print();
    memo::print();
    pathological::print();
}
