use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::error::{InputError, Problem};

/// The lines of an input, one after the other: it may be long, and be written as it is read.
pub(crate) struct Lines<R> {
    name: String,
    input: R,
    line: Vec<u8>,
    number: usize,
}

impl Lines<BufReader<Box<dyn Read>>> {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<Self, InputError> {
        let (name, input): (_, Box<dyn Read>) = if path.as_os_str() == "-" {
            ("standard input".to_owned(), Box::new(io::stdin().lock()))
        } else {
            let name = path.display().to_string();
            match File::open(path) {
                Ok(file) => (name, Box::new(file)),
                Err(error) => return Err(unreadable(&error).in_file(name)),
            }
        };
        Ok(Self {
            name,
            input: BufReader::new(input),
            line: Vec::new(),
            number: 0,
        })
    }
}

impl<R: BufRead> Lines<R> {
    /// The name of the input.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The next line, with its number from 1, and its end if it has one.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, &[u8])>, InputError> {
        self.line.clear();
        let read = self.input.read_until(b'\n', &mut self.line);
        match read {
            Ok(0) => Ok(None),
            Ok(_) => {
                self.number += 1;
                Ok(Some((self.number, &self.line)))
            }
            Err(error) => Err(unreadable(&error).in_file(self.name.clone())),
        }
    }
}

fn unreadable(error: &io::Error) -> Problem {
    Problem::somewhere(format!("can't be read: {error}"))
}
