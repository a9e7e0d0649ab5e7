use std::fmt;

/// Where in a body the reader is: `messages[3].content`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path(Vec<Step>);

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(&'static str),
    Element(usize),
    /// A field that nobody here knows. It isn't named.
    Unknown,
}

impl Path {
    pub(crate) fn enter_field(&mut self, name: &'static str) {
        self.0.push(Step::Field(name));
    }

    pub(crate) fn enter_element(&mut self, index: usize) {
        self.0.push(Step::Element(index));
    }

    pub(crate) fn enter_unknown(&mut self) {
        self.0.push(Step::Unknown);
    }

    pub(crate) fn leave(&mut self) {
        self.0.pop();
    }

    pub(crate) fn truncate(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is inside of a field that isn't known has no name either.
        let known = self
            .0
            .iter()
            .take_while(|step| !matches!(step, Step::Unknown));
        let mut is_first = true;
        for step in known {
            match step {
                Step::Field(name) if is_first => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Element(index) => write!(f, "[{index}]")?,
                Step::Unknown => {}
            }
            is_first = false;
        }
        if is_first {
            return f.write_str("the body");
        }
        Ok(())
    }
}
