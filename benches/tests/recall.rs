//! How much of a conversation the extractive summary keeps, beside what else needs no model.

use contextfit_benches::recall::{Moment, Share, Way, play, synthetic};

const BOUNDS: [u64; 2] = [1_024, 4_096];
const AFTER: [usize; 3] = [1, 3, 10];

fn percent(share: Share) -> f64 {
    share.percent().expect("there are such facts")
}

#[test]
fn the_extractive_summary_keeps_more_facts_than_the_start_or_the_end_of_a_conversation() {
    for (name, conversation) in synthetic() {
        for bound in BOUNDS {
            let [archive, head, extractive] = Way::ALL.map(|way| play(&conversation, way, bound));
            for after in AFTER {
                for of in [|moment: &Moment| moment.all, |moment: &Moment| moment.again] {
                    let left = |moments: &[Moment]| percent(of(&moments[after - 1]));
                    let [archive, head, extractive] =
                        [&archive, &head, &extractive].map(|moments| left(moments));
                    let others = archive.max(head);
                    assert!(
                        extractive > others || extractive == 100.0,
                        "{name}, {after} times {bound} tokens: {archive} {head} {extractive}"
                    );
                }
            }
        }
    }
}

#[test]
fn most_facts_survive_ten_compactions_and_more_of_those_that_come_again() {
    let mut all = Vec::new();
    let mut again = Vec::new();
    for (_, conversation) in synthetic() {
        // Up to half of it is the ledger's.
        let moments = play(&conversation, Way::Extractive, 1_024);
        let last = moments.last().expect("it was compacted");
        assert_eq!(moments.len(), 10);
        assert!(percent(last.all) > 20.0, "{last:?}");
        all.push(percent(last.all));
        again.push(percent(last.again));
    }
    let mean = |percents: &[f64]| percents.iter().sum::<f64>() / percents.len() as f64;
    assert!(mean(&all) > 45.0, "{all:?}");
    assert!(mean(&again) > 60.0, "{again:?}");
}

#[test]
fn nine_of_ten_files_are_named_whoever_summarizes_and_however_often() {
    let mut shares = 0;
    for (name, conversation) in synthetic() {
        for bound in BOUNDS {
            for way in Way::ALL {
                for moment in play(&conversation, way, bound) {
                    let Some(share) = moment.files.percent() else {
                        continue;
                    };
                    shares += 1;
                    assert!(share >= 90.0, "{name}: {share} in {bound} tokens");
                }
            }
        }
    }
    assert!(shares > 20);
}
