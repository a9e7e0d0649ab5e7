use std::hint::black_box;

use contextfit_providers::overflow::OverflowTemplates;

use crate::comparison::Comparison;
use crate::goal::Goal;
use crate::print::{row, title};

/// Microseconds, of a body of 4 KiB.
const GOAL: Goal = Goal::AtMost(20.0);

const SIZE: usize = 4_096;
const BATCH: u32 = 100;
const ROUNDS: usize = 200;

/// What it costs to see what the body of an error says, beside a count of its characters.
pub(crate) fn print() {
    let templates = OverflowTemplates::known();
    for (name, goal, body) in bodies() {
        let mut all = Comparison::default();
        let nothing = all.add("nothing", None, || {
            black_box(&body);
        });
        let counting = all.add("a count of its characters", None, || {
            for _ in 0..BATCH {
                black_box(black_box(&body).chars().count());
            }
        });
        let classifying = all.add("classifying", goal, || {
            for _ in 0..BATCH {
                black_box(templates.classify(black_box(&body), Some(400)));
            }
        });
        let sides = all.measure(ROUNDS);
        let per_call = |side: usize| {
            let nanoseconds = sides[side].times.nanoseconds_over(&sides[nothing].times);
            nanoseconds / f64::from(BATCH) / 1e3
        };
        let class = templates.classify(&body, Some(400)).class.name();
        title(&format!(
            "{name}, {} bytes, is {class}: in microseconds",
            body.len()
        ));
        for side in [counting, classifying] {
            row(&sides[side].name, per_call(side), 2, sides[side].goal);
        }
        let ratio = sides[classifying].times.ratio(&sides[counting].times);
        row("in times of that count", ratio, 1, None);
    }
}

/// Bodies with their goals. The last is one that nobody writes: it costs more, but no more for each
/// byte if it is longer.
fn bodies() -> Vec<(&'static str, Option<Goal>, String)> {
    let sized = |part: &str| part.chars().cycle().take(SIZE).collect::<String>();
    let page = sized(
        "<div class=\"cf-error\"><h2>Bad gateway</h2><p>The web server reported a bad gateway \
         error.</p><ul><li>Ray: 8a1</li><li>Your IP: 203.0.113.9</li></ul></div>\n",
    );
    let traceback = sized(
        "  File \"/app/lib/python3.12/site-packages/client/_base.py\", line 1047, in request\n    \
         raise self._make_status_error(err.response) from None\n",
    );
    let overflow = "openai.BadRequestError: Error code: 400 - {'error': {'message': \"This model's \
                    maximum context length is 16385 tokens. However, your messages resulted in \
                    18002 tokens. Please reduce the length of the messages.\", 'type': \
                    'invalid_request_error', 'param': 'messages', 'code': 'context_length_exceeded'}}";
    let rest = SIZE - overflow.len();
    let words = sized(
        "prompt input context length tokens exceeds the maximum limit is too long max_tokens 8192 ",
    );
    vec![
        ("The page of a proxy", Some(GOAL), page),
        ("A traceback", Some(GOAL), traceback.clone()),
        (
            "A traceback with an overflow",
            Some(GOAL),
            format!("{}{overflow}", &traceback[..rest]),
        ),
        (
            "An escaped one",
            Some(GOAL),
            serde_json::Value::from(&*traceback).to_string(),
        ),
        ("Nothing but words of overflows", None, words),
    ]
}
