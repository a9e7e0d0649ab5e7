use std::fmt::Debug;

use contextfit_core::plan::{Clip, Step};
use contextfit_core::request::{Piece, RequestAdapter, Role};
use contextfit_core::summary::Envelope;
use contextfit_tests::shipped_policies;
use contextfit_tower::{Fitter, HeadSummarizer};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use serde_json::Value;

use crate::shown::{ShownMessage, shown};

/// What has to be known of a client to try its adapter.
pub(crate) struct Client<A, R, M> {
    pub(crate) adapter: A,
    pub(crate) messages: fn(&R) -> Vec<M>,
    /// All but the messages.
    pub(crate) rest: fn(&R) -> Value,
}

impl<A, R, M> Client<A, R, M>
where
    A: RequestAdapter<R> + Copy + Send + Sync + 'static,
    R: Clone + Debug,
    M: Clone + Debug + PartialEq,
{
    /// Whatever a shipped policy makes of a request at a share of what it costs, in percent: what is
    /// kept is as it was and in its order, all else but the messages is as it was, a clip changes
    /// one text alone, and the summary is one text of the user, which is known again.
    pub(crate) fn a_fit_changes_no_more_than_the_plan_says(
        &self,
        request: &R,
        share: u64,
        json: impl Fn(&M) -> Value,
    ) -> TestCaseResult {
        for (name, policy) in shipped_policies() {
            let fitter = Fitter::builder().window(u64::MAX).adapter(self.adapter);
            let roomy = fitter.build().expect("settings that work");
            let needed = roomy.measure(request).expect("readable").prompt();
            let fitter = Fitter::builder()
                .window((needed * share / 100).max(4))
                .reserve(0)
                .adapter(self.adapter)
                .policy(policy)
                .clip_user_messages(true)
                .summarizer(HeadSummarizer)
                .build()
                .expect("settings that work");
            let fitted = match tokio_test::block_on(fitter.fit(request.clone())) {
                Ok(fitted) => fitted,
                Err(failure) => {
                    self.is_untouched(request, &failure.request)?;
                    continue;
                }
            };
            let Some(report) = fitted.report else {
                self.is_untouched(request, &fitted.request)?;
                continue;
            };
            let measured = fitter.measure(&fitted.request).expect("readable");
            prop_assert_eq!(measured.prompt(), report.tokens_after, "{}", name);
            prop_assert_eq!((self.rest)(&fitted.request), (self.rest)(request));

            let (before, after) = ((self.messages)(request), (self.messages)(&fitted.request));
            let view = self.adapter.view(request).expect("readable");
            let view_after = self.adapter.view(&fitted.request).expect("readable");
            let (seen, seen_after) = (shown(&view).messages, shown(&view_after).messages);
            let steps: Vec<_> = report.plan.steps().collect();
            prop_assert_eq!(steps.len(), after.len());
            for (place, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Keep(index) => prop_assert_eq!(&after[place], &before[index]),
                    Step::Clip(index, clips) => {
                        only_clips(&seen[index], &seen_after[place], clips)?;
                        let mut texts: Vec<_> =
                            clips.iter().map(|clip| clip.text.as_str()).collect();
                        let (was, is) = (json(&before[index]), json(&after[place]));
                        prop_assert!(differ_by(&was, &is, &mut texts) && texts.is_empty());
                    }
                    Step::Summary(text) => {
                        let summary = &seen_after[place];
                        prop_assert_eq!(summary.role, Role::User);
                        prop_assert_eq!(&summary.links, &[] as &[String]);
                        let piece = Piece::Text(text.into());
                        prop_assert_eq!(&summary.pieces, &[format!("{piece:?}")]);
                        let found = Envelope::find_unverified(&view_after).map(|(found, _)| found);
                        prop_assert_eq!(found, Some(place));
                    }
                }
            }
        }
        Ok(())
    }

    fn is_untouched(&self, before: &R, after: &R) -> TestCaseResult {
        prop_assert_eq!((self.messages)(after), (self.messages)(before));
        prop_assert_eq!((self.rest)(after), (self.rest)(before));
        Ok(())
    }
}

/// The same message, but for the texts of the pieces that are clipped.
fn only_clips(before: &ShownMessage, after: &ShownMessage, clips: &[Clip]) -> TestCaseResult {
    prop_assert_eq!(after.role, before.role);
    prop_assert_eq!(&after.links, &before.links);
    prop_assert_eq!(after.pieces.len(), before.pieces.len());
    for (number, (after, before)) in after.pieces.iter().zip(&before.pieces).enumerate() {
        let clip = clips.iter().find(|clip| clip.piece == number);
        match clip {
            Some(clip) => {
                let text = format!("{:?}", clip.text);
                prop_assert!(after.contains(&text), "{}", after);
            }
            None => prop_assert_eq!(after, before),
        }
    }
    Ok(())
}

/// Whether two values are the same, but for strings that became the next of these texts.
fn differ_by(before: &Value, after: &Value, texts: &mut Vec<&str>) -> bool {
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len()
                && before
                    .iter()
                    .zip(after)
                    .all(|(before, after)| differ_by(before, after, texts))
        }
        (Value::Object(before), Value::Object(after)) => {
            before.len() == after.len()
                && before.iter().all(|(field, before)| {
                    let after = after.get(field);
                    after.is_some_and(|after| differ_by(before, after, texts))
                })
        }
        (Value::String(before), Value::String(after)) if before != after => {
            let text = texts.iter().position(|text| text == after);
            text.map(|text| texts.remove(text)).is_some()
        }
        _ => before == after,
    }
}
