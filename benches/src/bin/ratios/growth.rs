use std::hint::black_box;

use contextfit_benches::{
    Rendering, chars, growth_exponent, history, median_of_rounds, plainly, planners, texts,
};
use contextfit_core::chat::ChatRequest;
use contextfit_core::estimate::{CharEstimator, Estimator, measure};

use crate::comparison::{Comparison, Side};
use crate::goal::Goal;
use crate::print::{cells, title};

const EXPONENT: Goal = Goal::AtMost(1.05);

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
const LARGEST: usize = 10_000;
const TOKENS_EACH: usize = 280;
const ROUNDS: usize = 100;

/// A request, and its texts as they lie in memory.
struct Sample<'a> {
    request: &'a ChatRequest,
    texts: Vec<&'a str>,
}

struct Way<'a> {
    name: String,
    goal: Option<Goal>,
    run: Box<dyn Fn(&Sample<'_>) + 'a>,
}

impl<'a> Way<'a> {
    fn new(name: String, goal: Option<Goal>, run: impl Fn(&Sample<'_>) + 'a) -> Self {
        let run = Box::new(run);
        Self { name, goal, run }
    }
}

/// How check, and check and plan, grow with the messages, at the same tokens in each.
///
/// Of every size there are as many requests as come to the same messages. So the text is as far
/// away for all of them, and what grows is the work: a small request that is read again and again
/// would come from the nearest cache, and even counting characters would seem to grow faster than
/// the text.
pub(crate) fn print() {
    let requests = SIZES.map(|size| {
        let requests = (0..LARGEST / size).map(|_| history(size, size * TOKENS_EACH));
        requests.collect::<Vec<_>>()
    });
    let samples = requests.each_ref().map(|requests| {
        let sample = |request| Sample {
            request,
            texts: texts(request),
        };
        requests.iter().map(sample).collect::<Vec<_>>()
    });
    let ways = ways();
    let mut all = Comparison::default();
    for way in &ways {
        for samples in &samples {
            all.add(&way.name, way.goal, move || {
                for sample in samples {
                    (way.run)(sample);
                }
            });
        }
    }
    let sides = all.measure(ROUNDS);

    title("By messages of 280 tokens, in times of counting their characters");
    cells("", SIZES, "growth exponent");
    let (by_way, _) = sides.as_chunks::<{ SIZES.len() }>();
    for sides in by_way {
        let pairs = sides.iter().zip(&by_way[0]);
        let ratios = pairs.map(|(side, count)| format!("{:.2}", side.times.ratio(&count.times)));
        let exponent = exponent(sides);
        let goal = sides[0]
            .goal
            .map_or_else(String::new, |goal| goal.of(exponent));
        cells(&sides[0].name, ratios, &format!("{exponent:.3}  {goal}"));
    }
}

fn ways() -> Vec<Way<'static>> {
    let counting = Way::new("counting their characters".into(), None, |sample| {
        black_box(chars(black_box(&sample.texts)));
    });
    let check = Way::new("check".into(), Some(EXPONENT), |sample| {
        let estimator: &dyn Estimator = &CharEstimator::default();
        black_box(measure(black_box(sample.request), estimator));
    });
    let plans = planners().map(|planner| {
        let name = format!("check + plan: {}", planner.name);
        Way::new(name, Some(EXPONENT), move |sample| {
            black_box(planner.check_and_plan(black_box(sample.request), window(sample) as u64));
        })
    });
    let plain = Way::new("the plain way, as JSON".into(), None, |sample| {
        let request = black_box(sample.request);
        black_box(plainly(request, Rendering::Json, window(sample)));
    });
    [counting, check]
        .into_iter()
        .chain(plans)
        .chain([plain])
        .collect()
}

/// A quarter of the request.
fn window(sample: &Sample<'_>) -> usize {
    sample.request.messages.len() * TOKENS_EACH / 4
}

/// Over all sizes, from what a request of each took in the same round.
fn exponent(sides: &[Side; SIZES.len()]) -> f64 {
    median_of_rounds(sides.each_ref().map(|side| &side.times), |seconds| {
        let points = SIZES.iter().zip(seconds).map(|(&size, seconds)| {
            let requests = LARGEST / size;
            (size as f64, seconds / requests as f64)
        });
        growth_exponent(&points.collect::<Vec<_>>())
    })
}
