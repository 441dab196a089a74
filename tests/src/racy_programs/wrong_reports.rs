//! Counts what is reported about programs in which nothing can race, and which idioms it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::misses::{content, numbered};
use super::outcome::{Analyse, Lines, reported};
use super::plan::Plan;
use super::shrinking::smallest;
use super::source::{self, LOCKED_PART, TOGETHER, scene_name};
use super::watching::Batch;
use crate::side_by_side::side_by_side;

/// What is reported about programs that are safe by construction.
#[derive(Debug, Default)]
pub struct WrongReports {
    /// Programs that are safe, without those of which it is known that they are reported.
    pub programs: usize,
    /// Safe programs with an idiom that is known to be reported today.
    pub excused: usize,
    /// Those of them in which something is reported, with the pairs of lines.
    pub reported: Vec<(Plan, BTreeSet<Lines>)>,
    /// For each part a program may have, in how many it is and in which something about it is reported.
    parts: BTreeMap<String, Share>,
}

#[derive(Debug, Default)]
struct Share {
    programs: usize,
    /// The seeds of those that are reported.
    reported: Vec<u64>,
}

impl WrongReports {
    pub fn add(&mut self, plan: &Plan, reported: BTreeSet<Lines>) {
        if plan.is_reported_today() {
            self.excused += 1;
            return;
        }
        self.programs += 1;
        for part in parts(plan) {
            self.parts.entry(part).or_default().programs += 1;
        }
        if reported.is_empty() {
            return;
        }
        for part in responsible(plan, &reported) {
            let share = self.parts.entry(part).or_default();
            share.reported.push(plan.seed);
        }
        self.reported.push((plan.clone(), reported));
    }

    /// Whether more than `percent` of the safe programs are reported.
    pub fn exceed(&self, percent: usize) -> bool {
        self.reported.len() * 100 > self.programs * percent
    }

    /// How many programs are reported, and which of their parts are responsible.
    pub fn summary(&self) -> String {
        let (reported, programs) = (self.reported.len(), self.programs);
        let share = 100.0 * reported as f64 / programs.max(1) as f64;
        let mut text =
            format!("{reported} of {programs} safe programs are reported ({share:.1} %)\n");
        if self.excused > 0 {
            let excused = self.excused;
            let _ = writeln!(
                text,
                "  {excused} more have an idiom that is known to be reported"
            );
        }
        for (part, share) in &self.parts {
            if !share.reported.is_empty() {
                let (reported, programs) = (share.reported.len(), share.programs);
                let seeds = &share.reported;
                let _ = writeln!(
                    text,
                    "  {part}: {reported} of {programs}, programs {seeds:?}"
                );
            }
        }
        text
    }

    /// For each part that is responsible, the smallest program found in which it still is.
    pub fn examples(&self, analyse: Analyse<'_>) -> Vec<String> {
        let mut shortest: BTreeMap<String, &(Plan, BTreeSet<Lines>)> = BTreeMap::new();
        for program in &self.reported {
            for part in responsible(&program.0, &program.1) {
                let length = |program: &(Plan, _)| source::source(&program.0).len();
                let best = shortest.entry(part).or_insert(program);
                if length(program) < length(best) {
                    *best = program;
                }
            }
        }
        let shortest: Vec<_> = shortest.into_iter().collect();
        side_by_side(&shortest, &|(part, (plan, reported))| {
            example(part, plan, reported, analyse)
        })
    }
}

fn example(part: &str, plan: &Plan, lines: &BTreeSet<Lines>, analyse: Analyse<'_>) -> String {
    let still_reported = |plan: &Plan| -> Option<BTreeSet<Lines>> {
        let batch = Batch::write(vec![plan.clone()]).ok()?;
        let reported = reported(&batch, plan, analyse);
        responsible(plan, &reported)
            .contains(part)
            .then_some(reported)
    };
    let (plan, lines) = smallest(plan.clone(), lines.clone(), &still_reported);
    let text = source::source(&plan);
    let mut description = format!("program {}, made smaller, for {part}:\n", plan.seed);
    for [one, other] in lines {
        let (first, second) = (content(&text, one), content(&text, other));
        let _ = writeln!(
            description,
            "  lines {one} `{first}` and {other} `{second}` are reported and cannot race"
        );
    }
    description + &numbered(&text)
}

/// The idioms of a program, and its locked part.
fn parts(plan: &Plan) -> BTreeSet<String> {
    let scenes = plan.scenes.iter().map(|scene| scene.idiom.name.to_owned());
    let locked = (!plan.threads.is_empty()).then(|| part_name(LOCKED_PART));
    scenes.chain(locked).collect()
}

/// The parts of a program that stand in the lines of its reports.
fn responsible(plan: &Plan, reported: &BTreeSet<Lines>) -> BTreeSet<String> {
    let text = source::source(plan);
    let mut at_line = Vec::new();
    let mut part = String::new();
    for line in text.lines() {
        let scene = (0..plan.scenes.len())
            .find(|index| line.starts_with(&format!("// {}:", scene_name(plan, *index))));
        if let Some(index) = scene {
            part = plan.scenes[index].idiom.name.to_owned();
        } else if line == LOCKED_PART || line == TOGETHER {
            part = part_name(line);
        }
        at_line.push(part.clone());
    }
    let lines = reported.iter().flatten();
    lines
        .filter_map(|line| at_line.get(*line as usize - 1).cloned())
        .collect()
}

fn part_name(comment: &str) -> String {
    comment.trim_start_matches("// ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::racy_programs::plan;

    fn line_with(text: &str, wanted: &str) -> u32 {
        text.lines().position(|line| line.contains(wanted)).unwrap() as u32 + 1
    }

    #[test]
    fn a_report_is_about_the_scene_in_whose_text_it_stands() {
        let plan = (0..100)
            .map(plan)
            .find(|plan| plan.scenes.len() == 2)
            .unwrap();
        let text = source::source(&plan);
        for (index, scene) in plan.scenes.iter().enumerate() {
            let line = line_with(&text, &format!("{}_run(void)", scene_name(&plan, index)));
            let about = responsible(&plan, &BTreeSet::from([[line, line]]));
            assert_eq!(about, BTreeSet::from([scene.idiom.name.to_owned()]));
        }
    }

    #[test]
    fn the_share_is_that_of_the_programs() {
        let mut wrong = WrongReports::default();
        let plan = (0..100)
            .map(plan)
            .find(|plan| !plan.is_reported_today())
            .unwrap();
        for _ in 0..99 {
            wrong.add(&plan, BTreeSet::new());
        }
        assert!(!wrong.exceed(0));
        wrong.add(&plan, BTreeSet::from([[1, 2]]));
        assert!(wrong.exceed(0) && !wrong.exceed(1));
        assert!(wrong.summary().starts_with("1 of 100 safe programs"));
    }
}
