use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

/// All that is traced by this thread. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Traced(Arc<Mutex<Vec<Record>>>);

/// A span or an event of a trace.
#[derive(Clone, Debug)]
pub struct Record {
    /// The name of a span; of an event that of what happened, or else its message.
    pub name: String,
    /// How much it matters.
    pub level: Level,
    /// The span that it is in.
    pub inside: Option<&'static str>,
    /// Its fields, as text.
    pub fields: BTreeMap<String, String>,
}

impl Record {
    fn new(metadata: &'static Metadata<'_>, inside: Option<&'static str>, fields: Fields) -> Self {
        assert_eq!(metadata.target(), "contextfit");
        let event = fields.0.get("contextfit.event");
        Self {
            name: event.map_or(metadata.name(), |name| name).to_owned(),
            level: *metadata.level(),
            inside,
            fields: fields.0,
        }
    }

    /// A field's text; `None` where it has no value.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// A field that is a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.field(name)?.parse().ok()
    }
}

impl Traced {
    /// Has all be remembered that this thread traces, as long as what it returns lives.
    #[must_use]
    pub fn start(&self) -> DefaultGuard {
        // Without one for all threads, what another thread traces first is off for this one, too.
        static FOR_ALL: Once = Once::new();
        FOR_ALL.call_once(|| {
            tracing::subscriber::set_global_default(Registry::default()).expect("it is the first");
        });
        tracing::subscriber::set_default(Registry::default().with(self.clone()))
    }

    /// What was traced, in the order in which it began.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.lock().clone()
    }

    /// The spans and events of a name, oldest first.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<Record> {
        let mut records = self.records();
        records.retain(|record| record.name == name);
        records
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Record>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a span is in the list.
struct Place(usize);

impl<S> Layer<S> for Traced
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, span: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        span.record(&mut fields);
        let new = context.span(id).expect("it is new");
        let inside = new.parent().map(|parent| parent.name());
        let mut records = self.lock();
        new.extensions_mut().insert(Place(records.len()));
        records.push(Record::new(span.metadata(), inside, fields));
    }

    fn on_record(&self, id: &Id, values: &tracing::span::Record<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        let span = context.span(id).expect("it is open");
        let extensions = span.extensions();
        let Place(place) = extensions.get().expect("it was seen when it was new");
        self.lock()[*place].fields.extend(fields.0);
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let inside = context.event_span(event).map(|span| span.name());
        let record = Record::new(event.metadata(), inside, fields);
        self.lock().push(record);
    }
}

#[derive(Default)]
struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}
