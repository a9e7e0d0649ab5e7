//! Prints what share of a conversation's facts is left after compactions without a model.

use std::error::Error;
use std::path::{Path, PathBuf};

use contextfit_benches::recall::{FactKind, Moment, Share, Way, play, synthetic};
use contextfit_core::chat::{ChatMessage, ChatRequest};

const BOUNDS: [u64; 2] = [1_024, 4_096];
const AFTER: [usize; 3] = [1, 3, 10];

fn main() -> Result<(), Box<dyn Error>> {
    let conversations = conversations()?;
    for bound in BOUNDS {
        println!(
            "\nA summary of at most {bound} tokens: % left of all facts, of those named again later, of files\n"
        );
        print!("{:28}{:>4}", "", "");
        for what in ["all", "again", "files"] {
            print!("   {:>25}", what);
        }
        println!();
        print!("{:28}{:>4}", "conversation", "n");
        for _ in 0..3 {
            print!("   ");
            for way in Way::ALL {
                print!("{:>8.7} ", way.to_string());
            }
        }
        println!();
        let mut sums: Vec<(usize, Way, Vec<Moment>)> = Vec::new();
        for (name, messages) in &conversations {
            let played = Way::ALL.map(|way| (way, play(messages, way, bound)));
            for after in AFTER {
                let rows = played.each_ref().map(|(_, moments)| moments.get(after - 1));
                row(name, after, &rows);
            }
            for (way, moments) in played {
                for after in AFTER {
                    if let Some(moment) = moments.get(after - 1) {
                        match sums.iter_mut().find(|(a, w, _)| *a == after && *w == way) {
                            Some((_, _, all)) => all.push(moment.clone()),
                            None => sums.push((after, way, vec![moment.clone()])),
                        }
                    }
                }
            }
        }
        println!();
        for after in AFTER {
            print!("{:28}{after:>4}", "mean");
            for of in [
                |m: &Moment| m.all,
                |m: &Moment| m.again,
                |m: &Moment| m.files,
            ] {
                print!("   ");
                for way in Way::ALL {
                    let all = sums.iter().find(|(a, w, _)| *a == after && *w == way);
                    print!(
                        "{:>8} ",
                        mean(all.map(|(_, _, all)| &**all).unwrap_or_default(), of)
                    );
                }
            }
            println!();
        }
        for (index, kind) in FactKind::ALL.iter().enumerate() {
            print!("{:28}{:>4}   ", kind.name(), 10);
            for way in Way::ALL {
                let all = sums.iter().find(|(a, w, _)| *a == 10 && *w == way);
                print!(
                    "{:>8} ",
                    mean(all.map(|(_, _, all)| &**all).unwrap_or_default(), |m| m
                        .kinds[index])
                );
            }
            println!();
        }
    }
    Ok(())
}

fn mean(all: &[Moment], of: impl Fn(&Moment) -> Share) -> String {
    let all: Vec<f64> = all
        .iter()
        .filter_map(|moment| of(moment).percent())
        .collect();
    format!("{:.1}", all.iter().sum::<f64>() / all.len() as f64)
}

fn row(name: &str, after: usize, moments: &[Option<&Moment>; 3]) {
    print!("{name:28.28}{after:>4}");
    for of in [
        |m: &Moment| m.all,
        |m: &Moment| m.again,
        |m: &Moment| m.files,
    ] {
        print!("   ");
        for moment in moments {
            let percent = moment.and_then(|moment| of(moment).percent());
            match percent {
                Some(percent) => print!("{percent:>8.1} "),
                None => print!("{:>8} ", "-"),
            }
        }
    }
    let of = moments[0].map_or(0, |moment| moment.all.of);
    println!("  of {of}");
}

fn conversations() -> Result<Vec<(String, Vec<ChatMessage>)>, Box<dyn Error>> {
    let mut all = Vec::new();
    let own = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/data/release-agent.jsonl"
    );
    let lines = std::fs::read_to_string(own)?;
    let messages: Result<Vec<ChatMessage>, _> = lines.lines().map(serde_json::from_str).collect();
    all.push(("release-agent".to_owned(), messages?));
    all.extend(
        synthetic()
            .into_iter()
            .map(|(name, messages)| (name.to_owned(), messages)),
    );
    if let Some(folder) = std::env::var_os("CONTEXTFIT_TRANSCRIPTS") {
        let mut files: Vec<PathBuf> = std::fs::read_dir(Path::new(&folder))?
            .map(|file| file.map(|file| file.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        for file in files {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if !name.ends_with(".json") || name.ends_with(".usage.json") {
                continue;
            }
            let request: ChatRequest = serde_json::from_slice(&std::fs::read(&file)?)?;
            if request.messages.len() < 22 {
                continue;
            }
            all.push((name.trim_end_matches(".json").to_owned(), request.messages));
        }
    }
    Ok(all)
}
