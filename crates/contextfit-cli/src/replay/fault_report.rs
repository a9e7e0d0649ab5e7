use std::io::{self, Write};

use super::fault::Fault;
use super::step::Step;
use crate::number::grouped;

/// Writes why requests could not be fitted, or were malformed: each reason once, with all
/// requests it holds for and the numbers of the first of them.
pub(crate) fn write(out: &mut impl Write, steps: &[Step]) -> io::Result<()> {
    section(out, "could not be fitted", steps, |step| {
        step.refused.as_ref()
    })?;
    section(out, "malformed for the provider", steps, |step| {
        step.structure_error.as_ref()
    })
}

fn section(
    out: &mut impl Write,
    what: &str,
    steps: &[Step],
    fault: impl Fn(&Step) -> Option<&Fault>,
) -> io::Result<()> {
    let mut reasons: Vec<(&Fault, Vec<usize>)> = Vec::new();
    for step in steps {
        let Some(fault) = fault(step) else { continue };
        match reasons
            .iter_mut()
            .find(|(first, _)| first.reason == fault.reason)
        {
            Some((_, requests)) => requests.push(step.request),
            None => reasons.push((fault, vec![step.request])),
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let count: usize = reasons.iter().map(|(_, requests)| requests.len()).sum();
    let (count, all) = (grouped(count as u64), grouped(steps.len() as u64));
    writeln!(out, "\n{count} of {all} requests {what}")?;
    for (Fault { reason, shown, .. }, requests) in reasons {
        let first = requests[0];
        if requests.len() > 1 {
            writeln!(out, "- {reason}: requests {}", ranges(&requests))?;
        } else {
            writeln!(out, "- {reason}")?;
        }
        writeln!(out, "    request {first}: {shown}")?;
    }
    Ok(())
}

/// Rising numbers, neighbours drawn together.
fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let texts: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first}-{last}"),
        })
        .collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(request: usize, refused: Option<&str>, malformed: Option<&str>) -> Step {
        let fault = |reason| {
            move |text: &str| Fault {
                reason,
                text: String::new(),
                shown: text.to_owned(),
            }
        };
        Step {
            request,
            refused: refused.map(fault("too long")),
            structure_error: malformed.map(fault("no user")),
            ..Step::default()
        }
    }

    fn written(steps: &[Step]) -> String {
        let mut out = Vec::new();
        write(&mut out, steps).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_reason_stands_once_with_all_its_requests() {
        let steps = [
            step(1, None, None),
            step(2, Some("needs 9"), None),
            step(3, Some("needs 10"), None),
            step(4, None, None),
            step(5, Some("needs 11"), None),
            step(6, None, Some("nobody asked")),
        ];
        assert_eq!(
            written(&steps),
            "\n3 of 6 requests could not be fitted\n\
             - too long: requests 2-3, 5\n    request 2: needs 9\n\
             \n1 of 6 requests malformed for the provider\n\
             - no user\n    request 6: nobody asked\n"
        );
    }

    #[test]
    fn many_requests_are_counted_in_thousands() {
        let steps: Vec<Step> = (1..=1_200)
            .map(|request| step(request, Some("needs 9"), None))
            .collect();
        assert_eq!(
            written(&steps),
            "\n1,200 of 1,200 requests could not be fitted\n\
             - too long: requests 1-1200\n    request 1: needs 9\n"
        );
    }

    #[test]
    fn nothing_is_said_of_what_went_well() {
        assert_eq!(written(&[step(1, None, None)]), "");
    }
}
