//! A request that continues a history on the provider's server is left alone, and that is said.

use contextfit_core::chat::ChatRequest;
use contextfit_core::plan::Plan;
use contextfit_core::request::{
    ApplyError, Conversation, EditConversation, Hints, Link, MessageRef, Native, Piece,
    RequestAdapter, Switch,
};
use contextfit_tests::{Entry, Log, Scribe, Shape, bottom, chat, provider, ptrs, send};
use contextfit_tower::{Fitter, Outcome};

use crate::small;

/// A request that says of itself where its history is.
#[derive(Clone, Debug)]
struct Continued {
    chat: ChatRequest,
    stored: bool,
}

impl Conversation for Continued {
    fn model(&self) -> Option<&str> {
        self.chat.model()
    }

    fn len(&self) -> usize {
        self.chat.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        self.chat.message(index)
    }

    fn links<'a>(&'a self, index: usize, visit: &mut dyn FnMut(Link<'a>)) {
        self.chat.links(index, visit);
    }

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        self.chat.pieces(index, visit);
    }
}

impl EditConversation for Continued {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        self.chat.apply(plan)
    }

    fn hints(&self) -> Hints {
        Hints::default().switch(if self.stored {
            Switch::HistoryElsewhere
        } else {
            Switch::Auto
        })
    }
}

fn fitter<A>(log: &Log, scribe: &Scribe, adapter: A) -> Fitter<A> {
    let builder = small().summarizer(scribe.clone()).observer(log.clone());
    builder
        .adapter(adapter)
        .build()
        .expect("settings that work")
}

#[tokio::test]
async fn a_request_whose_history_is_elsewhere_is_sent_as_it_is_and_once() {
    for shape in Shape::ALL {
        // What would be cut, and what would be recovered.
        for (request, overflows) in [(chat(40, 100), 0), (chat(12, 100), 1)] {
            let provider = provider(100_000).overflow_calls(overflows);
            let (log, scribe) = (Log::default(), Scribe::default());
            let elsewhere = |_: &ChatRequest| Hints::default().switch(Switch::HistoryElsewhere);
            let fitter = fitter(&log, &scribe, Native.with_hints(elsewhere));
            let stack = shape.around(bottom(&provider), &fitter);
            let result = send(&stack, request.clone()).await;
            assert_eq!(result.is_ok(), overflows == 0, "{shape:?}");
            assert_eq!((provider.calls(), scribe.calls()), (1, 0), "{shape:?}");
            let sent = provider.last_received().expect("sent");
            assert_eq!(ptrs(&sent.request), ptrs(&request));
            let layers = if shape == Shape::Stacked { 2 } else { 1 };
            assert_eq!(
                log.entries(),
                vec![Entry::HistoryElsewhere; layers],
                "{shape:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_request_type_says_itself_where_its_history_is_whatever_else_is_asked() {
    let wishes: [fn(&Continued) -> Hints; 2] = [
        |_| Hints::default(),
        |_| Hints::default().switch(Switch::Force),
    ];
    for wish in wishes {
        for stored in [false, true] {
            let (log, scribe) = (Log::default(), Scribe::default());
            let fitter = fitter(&log, &scribe, Native.with_hints(wish));
            let request = Continued {
                chat: chat(40, 100),
                stored,
            };
            let explained = fitter.explain(&request).expect("readable");
            let left_alone = matches!(explained.outcome, Outcome::LeftAlone);
            assert_eq!(left_alone, stored);
            let fitted = fitter.fit(request.clone()).await.expect("fitted");
            assert_eq!(ptrs(&fitted.request.chat) == ptrs(&request.chat), stored);
            assert_eq!(log.entries().contains(&Entry::HistoryElsewhere), stored);
        }
    }
}
