//! The pages for readers lead where they say.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages at the top of the repository, and those of its folders.
fn pages() -> Vec<PathBuf> {
    let folders = [root(), root().join("tests")];
    let entries = folders
        .iter()
        .flat_map(|folder| folder.read_dir().expect("a folder"));
    entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// Where the links of a page lead, but for those that leave the repository.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once(')')?.0))
        .filter(|link| !link.contains("://"))
}

#[test]
fn every_link_of_a_page_leads_to_something() {
    let pages = pages();
    let mut links_seen = 0;
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page");
        for link in links(&text) {
            let target = link.split_once('#').map_or(link, |(path, _)| path);
            let target = page.with_file_name(target);
            assert!(target.exists(), "{} links {link}", page.display());
            links_seen += 1;
        }
    }
    assert!(links_seen > 0, "no links on {pages:?}");
}
