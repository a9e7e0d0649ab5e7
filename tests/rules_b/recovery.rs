//! 20: a provider that finds a request too long.

use contextfit_testing::provider::{ProviderError, ProviderErrorKind};
use contextfit_tests::{Entry, Log, Scribe, provider, ptrs, send};
use contextfit_tower::{FitError, is_final_overflow};

use crate::{built, kept, preset, talk, without_numbers};

#[tokio::test]
async fn b20_the_first_overflow_is_compacted_and_sent_again() {
    let (provider, log) = (provider(100_000).overflow_calls(1), Log::default());
    let fitter = preset(4_000).summarizer(Scribe::default());
    let fitter = built(fitter.observer(log.clone()));
    let stack = without_numbers(&provider, fitter);
    let request = talk(&[100; 40]);
    send(&stack, request.clone()).await.expect("recovered");
    let [first, second] = &provider.received()[..] else {
        panic!("two calls");
    };
    assert_eq!(ptrs(&first.request), ptrs(&request));
    assert_eq!(kept(&request, &second.request).len(), 10);
    let entries = log.entries();
    assert!(matches!(
        entries[..],
        [Entry::Overflow(true), Entry::Fitted(_)]
    ));
}

/// Ours differs: what the provider said is wrapped, so that no retry outside tries again.
#[tokio::test]
async fn b20_the_second_overflow_is_the_callers() {
    let provider = provider(100_000).overflow_calls(usize::MAX);
    let fitter = built(preset(4_000).summarizer(Scribe::default()));
    let stack = without_numbers(&provider, fitter);
    for requests in 1..=3 {
        let error = send(&stack, talk(&[100; 40])).await.expect_err("too long");
        let Some(FitError::StillTooLong { source }) = error.downcast_ref() else {
            panic!("{error:?}");
        };
        let said: &ProviderError = source.downcast_ref().expect("the provider's own");
        assert!(matches!(said.kind, ProviderErrorKind::ContextLength { .. }));
        assert!(is_final_overflow(&*error));
        // Two for each request.
        assert_eq!(provider.calls(), 2 * requests);
    }
}

/// Ours differs: what couldn't be made smaller is sent once more only if that is set, because it
/// is paid for and most likely too long again.
#[tokio::test]
async fn b20_what_could_not_be_compacted_is_sent_once_more_if_so_set() {
    let nothing_to_cut = (talk(&[100, 2_000]), Scribe::default());
    let no_summary = (talk(&[100; 40]), Scribe::new(" "));
    for (request, scribe) in [nothing_to_cut, no_summary] {
        for (resend, overflows, calls, answered) in [
            (false, 1, 1, false),
            (true, 1, 2, true),
            (true, usize::MAX, 2, false),
        ] {
            let provider = provider(100_000).overflow_calls(overflows);
            let fitter = preset(4_000).resend_unchanged(resend);
            let fitter = built(fitter.summarizer(scribe.clone()));
            let stack = without_numbers(&provider, fitter);
            let result = send(&stack, request.clone()).await;
            assert_eq!((provider.calls(), result.is_ok()), (calls, answered));
            for call in provider.received() {
                assert_eq!(ptrs(&call.request), ptrs(&request));
            }
        }
    }
}
