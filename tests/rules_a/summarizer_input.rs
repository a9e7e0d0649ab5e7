//! 28 to 30: what a summarizer gets to read of what is cut.

use contextfit_core::chat::ChatMessage;
use contextfit_core::summary::{ItemCaps, Transcript};

use crate::exact::{ask, build, fit, questions, rounds, small, user};
use crate::writer::Writer;

#[tokio::test]
async fn a28_the_newest_messages_that_fit_its_window_are_read() {
    let request = ask(questions(130, 100));
    let (mut some, mut all) = (false, false);
    for window in [4_500, 6_000, 9_000, 20_000] {
        let writer = Writer::new().window(window);
        let (_, report) = fit(
            &build(small().summary_calls(1).summarizer(writer.clone())),
            &request,
        )
        .await;
        let (job, cut) = (writer.job(), report.plan.cut().count());
        assert_eq!(job.messages + job.omitted, cut);
        let read = Transcript::of(&request, job.omitted..cut).render(&ItemCaps::default());
        let messages = read.strip_prefix("<conversation>\n").expect("a transcript");
        assert!(job.transcript.ends_with(messages));
        assert_eq!(
            (report.omitted, report.degraded),
            (job.omitted, job.omitted > 0)
        );
        (some, all) = (some || job.omitted > 0, all || job.omitted == 0);
    }
    assert!(some && all);
}

#[tokio::test]
async fn a28_in_several_calls_all_of_them_are_read() {
    // Ours goes further: what one call has no room for is read by the next.
    let request = ask(questions(130, 100));
    let mut several = false;
    for window in [6_000, 9_000, 20_000] {
        let writer = Writer::new().window(window);
        let (_, report) = fit(&build(small().summarizer(writer.clone())), &request).await;
        let (jobs, cut) = (writer.jobs(), report.plan.cut().count());
        several |= jobs.len() > 1;
        let mut read = 0;
        for job in &jobs {
            assert_eq!(job.omitted, 0);
            let messages = Transcript::of(&request, read..read + job.messages);
            assert_eq!(job.transcript, messages.render(&ItemCaps::default()));
            read += job.messages;
        }
        assert_eq!((read, report.omitted, report.degraded), (cut, 0, false));
        assert_eq!(report.summarizer_calls as usize, jobs.len());
        // Each goes on from the one before.
        let previous = jobs.iter().map(|job| job.previous.as_deref());
        assert!(
            previous
                .skip(1)
                .all(|previous| previous == Some(Writer::HISTORY))
        );
    }
    assert!(several);
}

#[tokio::test]
async fn a28_the_newest_message_is_read_however_large() {
    // As much of it as there is room for: its middle is left out.
    let mut messages = questions(3, 1_000);
    messages.push(user("The large question", 9_000));
    messages.extend(questions(3, 1_000));
    let writer = Writer::new().window(4_000);
    fit(
        &build(small().summary_calls(1).summarizer(writer.clone())),
        &ask(messages),
    )
    .await;
    let job = writer.job();
    assert_eq!((job.messages, job.omitted), (1, 3));
    assert!(job.transcript.contains("[User]: The large question: "));
    assert!(job.transcript.contains("characters omitted"));
    assert!(job.count(&job.prompt()) + job.max_tokens < 4_000);
}

#[tokio::test]
async fn a29_history_and_the_start_of_a_turn_are_read_apart() {
    let mut messages = questions(100, 100);
    messages.extend(rounds(50, 100));
    let request = ask(messages);
    let writer = Writer::new().window(6_000);
    let (_, report) = fit(
        &build(small().summary_calls(1).summarizer(writer.clone())),
        &request,
    )
    .await;
    let [history, turn_start] = &writer.jobs()[..] else {
        panic!("two jobs")
    };
    assert!(history.omitted > 0 && turn_start.omitted > 0);
    assert_eq!(report.omitted, history.omitted + turn_start.omitted);
    assert_eq!(history.messages + history.omitted, 99);
    // Each has the newest of its own.
    let newest = |message: &ChatMessage| message.text()[..16].to_owned();
    assert!(history.transcript.contains(&newest(&request.messages[98])));
    let last = report.plan.cut().count() - 1;
    assert!(
        turn_start
            .transcript
            .contains(&newest(&request.messages[last]))
    );
    assert!(
        !turn_start
            .transcript
            .contains(&newest(&request.messages[99]))
    );
}

#[tokio::test]
async fn a30_what_is_not_read_is_said_and_all_fits_the_window() {
    let request = ask(questions(130, 100));
    for window in [6_000, 20_000] {
        let writer = Writer::new().window(window);
        fit(
            &build(small().summary_calls(1).summarizer(writer.clone())),
            &request,
        )
        .await;
        let job = writer.job();
        let system = job.count(job.system());
        assert!(system + job.count(&job.prompt()) + job.max_tokens <= window);
        let opens = match job.omitted {
            0 => "<conversation>\n[User]: Question 0: ".to_owned(),
            omitted => format!("<conversation>\n[{omitted} earlier messages are not shown: "),
        };
        assert!(job.transcript.starts_with(&opens));
        assert_eq!(job.transcript.contains("Question 0: "), job.omitted == 0);
        assert!(job.transcript.contains("Question 99: "));
    }
}
