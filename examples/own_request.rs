//! A request type of one's own behind the layers.
//!
//! `cargo run -p contextfit-examples --example own_request`

use contextfit::plan::Plan;
use contextfit::request::{
    ApplyError, Conversation, EditConversation, Link, MessageRef, Piece, Role,
};
use contextfit::{BoxError, ContextFitLayer, Fitter, Summary, summarizer_fn};
use tower::util::BoxCloneSyncService;
use tower::{ServiceBuilder, ServiceExt, service_fn};

/// What this program sends to its model.
#[derive(Clone, Debug)]
struct Prompt {
    system: String,
    lines: Vec<Line>,
    max_output: u32,
}

/// Who speaks, and what they say.
#[derive(Clone, Debug)]
struct Line {
    role: Role,
    text: String,
}

/// How the layers read it. They never copy the text.
impl Conversation for Prompt {
    fn model(&self) -> Option<&str> {
        None
    }

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn message(&self, index: usize) -> MessageRef {
        MessageRef::new(self.lines[index].role)
    }

    // No tools, so no message is tied to another.
    fn links<'a>(&'a self, _: usize, _: &mut dyn FnMut(Link<'a>)) {}

    fn pieces(&self, index: usize, visit: &mut dyn FnMut(Piece<'_>)) {
        visit(Piece::Text(self.lines[index].text.as_str().into()));
    }

    // What costs tokens and is no message.
    fn fixed(&self, visit: &mut dyn FnMut(Piece<'_>)) {
        visit(Piece::Text(self.system.as_str().into()));
    }

    fn max_output_tokens(&self) -> Option<u32> {
        Some(self.max_output)
    }
}

/// How the layers change it: in one go, by a plan.
impl EditConversation for Prompt {
    fn apply(&mut self, plan: &Plan) -> Result<(), ApplyError> {
        self.lines = plan.rewrite(
            &self.lines,
            |summary| Line {
                role: Role::User,
                text: summary.to_owned(),
            },
            |line, clips| {
                // Each line has one piece, so there is one clip.
                let text = clips.first().map_or(&line.text, |clip| &clip.text);
                Ok(Line {
                    role: line.role,
                    text: text.clone(),
                })
            },
        )?;
        if let Some(tokens) = plan.lowered_output() {
            self.max_output = tokens;
        }
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let model = service_fn(|prompt: Prompt| async move {
        let said = prompt
            .lines
            .iter()
            .map(|line| line.text.len())
            .sum::<usize>();
        Ok::<_, BoxError>(format!("{} lines, {said} characters", prompt.lines.len()))
    });
    let fitter = Fitter::builder()
        .window(4_000)
        .summarizer(summarizer_fn(|job| async move {
            Ok::<_, BoxError>(Summary::new(format!(
                "{} lines of small talk.",
                job.messages
            )))
        }))
        .build()?;
    // The erased type can be named, shared between tasks, and called from any of them.
    let service: BoxCloneSyncService<Prompt, String, BoxError> = BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(ContextFitLayer::new(fitter))
            .service(model),
    );

    let mut calls = tokio::task::JoinSet::new();
    for turns in [2, 20, 200] {
        let service = service.clone();
        calls.spawn(async move {
            let lines = (0..turns).map(|turn| Line {
                role: if turn % 2 == 0 {
                    Role::User
                } else {
                    Role::Assistant
                },
                text: format!("Line {turn}: {}", "how are you today? ".repeat(10)),
            });
            let system = "You like small talk.".to_owned();
            let prompt = Prompt {
                system,
                lines: lines.collect(),
                max_output: 500,
            };
            (turns, service.oneshot(prompt).await)
        });
    }
    while let Some(call) = calls.join_next().await {
        let (turns, answer) = call?;
        println!("{turns:>3} lines were sent, the model saw {}", answer?);
    }
    Ok(())
}
