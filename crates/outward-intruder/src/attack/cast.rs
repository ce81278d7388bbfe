//! The people of an attack: who is in the intruder's file, whom the intruder looks for, and the control.

use outward_random::Random;

use super::people::{Released, Truth};
use super::play::AttackInput;
use super::score::{is_in_data, is_present};

/// The people of an attack.
pub(super) struct Cast {
    /// How many people are in the file. Each counts once, in however many rows they are.
    pub(super) file: u64,
    /// The people they look for, in the order in which they were drawn: so many of the data as the scenario says, and the
    /// people of the file who came up between them and are not in the data.
    pub(super) targets: Vec<u32>,
    /// The people they would look for under the other assumption on response knowledge.
    pub(super) otherwise: Vec<u32>,
    /// The control.
    pub(super) control: Vec<u32>,
    /// Whether the control is the people looked for, with their own records held out.
    pub(super) held_out: bool,
}

impl Cast {
    pub(super) fn new(input: &AttackInput<'_>, releases: &[Released]) -> Self {
        let share = if input.own_file { 1.0 } else { input.scenario.share.unwrap_or(1.0) };
        let mut drawn = Random::new(input.seed, "intruder file");
        let truth = &input.people.truth;
        let is_again = |person: &u32| matches!(truth[*person as usize], Truth::Again(_));
        let file = (0..input.people.len() as u32).filter(|_| drawn.unit() < share);
        let file: Vec<u32> = file.filter(|person| !is_again(person)).collect();
        let (present, absent): (Vec<u32>, Vec<u32>) = {
            let known = file.iter().copied().filter(|person| truth[*person as usize] != Truth::Unknown);
            known.partition(|person| is_present(truth[*person as usize], releases))
        };
        let wanted =
            input.scenario.targets.map_or(usize::MAX, |targets| usize::try_from(targets).unwrap_or(usize::MAX));
        let draw = |people: &[u32]| -> Vec<u32> {
            let mut order = people.to_vec();
            Random::new(input.seed, "intruder targets").shuffle(&mut order);
            let of_data = |(_, person): &(usize, &u32)| is_in_data(truth[**person as usize]);
            let last = order.iter().enumerate().filter(of_data).map(|(at, _)| at).nth(wanted.saturating_sub(1));
            order.truncate(last.map_or(order.len(), |last| last + 1));
            order
        };
        let with = |response_knowledge: bool| if response_knowledge { draw(&present) } else { draw(&file) };
        let targets = with(input.scenario.response_knowledge);
        let otherwise = if input.claims_only { Vec::new() } else { with(!input.scenario.response_knowledge) };
        // The control is people in the intruder's file who are known to be in no release. If they are too few, it is
        // the people looked for, with their own records held out.
        let held_out = absent.len() < targets.len();
        let mut control = if held_out { targets.clone() } else { absent };
        if !held_out {
            Random::new(input.seed, "intruder control").shuffle(&mut control);
            control.truncate(targets.len());
        }
        Self { file: file.len() as u64, targets, otherwise, control, held_out }
    }

    /// For each of so many people whether they take part.
    pub(super) fn everyone(&self, people: usize) -> Vec<bool> {
        let mut wanted = vec![false; people];
        let all = self.targets.iter().chain(&self.otherwise).chain(&self.control);
        all.for_each(|person| wanted[*person as usize] = true);
        wanted
    }
}
