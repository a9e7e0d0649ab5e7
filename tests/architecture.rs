//! The page that shows how the code is put together shows it as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

const PAGE: &str = include_str!("../ARCHITECTURE.md");

/// Who depends on whom.
type Arrows = BTreeSet<(String, String)>;

/// The arrows on the page, in the order in which they stand.
fn drawn() -> Vec<(String, String)> {
    let (_, block) = PAGE.split_once("```arrows\n").expect("a block of arrows");
    let (arrows, _) = block.split_once("```").expect("it ends");
    arrows.lines().map(arrow).collect()
}

fn arrow(line: &str) -> (String, String) {
    let (from, to) = line
        .split_once("->")
        .unwrap_or_else(|| panic!("an arrow reads `crate -> crate`, not `{line}`"));
    (from.trim().to_owned(), to.trim().to_owned())
}

fn workspace() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo reads the manifests")
}

/// The dependencies between members for which `counts` holds.
fn dependencies(counts: impl Fn(DependencyKind) -> bool) -> Arrows {
    let workspace = workspace();
    let members: BTreeSet<&str> = workspace
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    let of_package = |package: &cargo_metadata::Package| {
        let dependencies = package.dependencies.iter();
        dependencies
            .filter(|dependency| counts(dependency.kind))
            .filter(|dependency| members.contains(dependency.name.as_str()))
            .map(|dependency| (package.name.to_string(), dependency.name.clone()))
            .collect::<Vec<_>>()
    };
    workspace.packages.iter().flat_map(of_package).collect()
}

/// The members that are for users; the others are tests, examples and benches.
fn shipped() -> BTreeSet<String> {
    let is_shipped = |package: &&cargo_metadata::Package| package.publish.is_none();
    let packages = workspace().packages;
    packages
        .iter()
        .filter(is_shipped)
        .map(|package| package.name.to_string())
        .collect()
}

fn missing(arrows: &Arrows, from: &Arrows) -> Vec<String> {
    arrows
        .difference(from)
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect()
}

#[test]
fn the_arrows_on_the_page_are_the_dependencies_of_the_crates() {
    let shipped = shipped();
    let real = dependencies(|kind| kind == DependencyKind::Normal)
        .into_iter()
        .filter(|(from, _)| shipped.contains(from))
        .collect();
    let drawn = drawn().into_iter().collect();
    let (not_drawn, not_real) = (missing(&real, &drawn), missing(&drawn, &real));
    assert!(
        not_drawn.is_empty() && not_real.is_empty(),
        "ARCHITECTURE.md doesn't draw {not_drawn:?}, and draws {not_real:?}, which aren't there"
    );
}

#[test]
fn arrows_lead_down_the_page() {
    let drawn = drawn();
    for (line, (from, to)) in drawn.iter().enumerate() {
        let above = drawn[..line].iter().find(|(above, _)| above == to);
        assert_eq!(above, None, "{from} -> {to} leads up the page");
    }
}

#[test]
fn the_core_imports_no_other_crate_of_the_workspace() {
    let imports: Vec<_> = dependencies(|_| true)
        .into_iter()
        .filter(|(from, _)| from == "contextfit-core")
        .collect();
    assert_eq!(imports, [], "not in tests either");
}

#[test]
fn no_crate_is_tested_with_what_is_built_on_it() {
    // Cargo allows such a circle where an arrow is of tests. Then the crate is compiled twice, and
    // the types of one aren't those of the other.
    let mut left: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in dependencies(|_| true) {
        left.entry(to.clone()).or_default();
        left.entry(from).or_default().insert(to);
    }
    while let Some(lowest) = left
        .iter()
        .find_map(|(member, below)| below.is_empty().then(|| member.clone()))
    {
        left.remove(&lowest);
        for below in left.values_mut() {
            below.remove(&lowest);
        }
    }
    assert!(left.is_empty(), "a circle goes through some of {left:?}");
}

#[test]
fn what_is_shipped_depends_on_nothing_that_is_not() {
    let shipped = shipped();
    for (from, to) in dependencies(|_| true) {
        assert!(
            !shipped.contains(&from) || shipped.contains(&to),
            "{from} -> {to}"
        );
    }
}

#[test]
fn every_room_is_on_the_page_and_none_that_is_gone() {
    for member in ["contextfit-core", "contextfit-tower"] {
        let source = format!("crates/{member}/src/");
        let on_page: BTreeSet<&str> = PAGE
            .split("](")
            .filter_map(|rest| rest.split_once(')')?.0.strip_prefix(&*source))
            .map(|room| room.trim_end_matches('/'))
            .filter(|room| !room.contains('/'))
            .collect();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(&source);
        let entries = folder.read_dir().expect("the source of a crate");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names: Vec<_> = names
            .map(|name| name.into_string().expect("a name"))
            .collect();
        let there = names.iter().map(String::as_str);
        let there: BTreeSet<&str> = there.filter(|&name| name != "lib.rs").collect();
        let (missing, gone): (Vec<_>, Vec<_>) = (
            there.difference(&on_page).collect(),
            on_page.difference(&there).collect(),
        );
        assert!(
            missing.is_empty() && gone.is_empty(),
            "ARCHITECTURE.md doesn't show {missing:?} of {source}, and shows {gone:?}"
        );
    }
}
