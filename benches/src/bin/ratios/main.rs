//! Prints what contextfit costs beside its goals. See the docs of the package.

mod allocations;
mod clients;
mod comparison;
mod goal;
mod growth;
mod memo;
mod million;
mod overflow;
mod overhead;
mod pathological;
mod print;
mod responses;
mod weighted;
mod wire;

/// What is measured, by name.
const SECTIONS: &[(&str, fn())] = &[
    ("million", million::print),
    ("growth", growth::print),
    ("overhead", overhead::print),
    ("weighted", weighted::print),
    ("wire", wire::print),
    ("clients", clients::print),
    ("responses", responses::print),
    ("allocations", allocations::print),
    ("memo", memo::print),
    ("pathological", pathological::print),
    ("overflow", overflow::print),
];

/// Prints the sections that are named, or all.
fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    for (name, print) in SECTIONS {
        if named.is_empty() || named.iter().any(|it| it == name) {
            print();
        }
    }
}
