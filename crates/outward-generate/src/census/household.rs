//! Who lives together: couples, children, lone persons, shared houses, three generations, care homes.

use std::sync::LazyLock;

use crate::draw::{Choice, Draw};

use super::labels::{CIVIL_PARTNERSHIP, DIVORCED, MARRIED, SEPARATED, SINGLE, WIDOWED};

/// How a person belongs to the household.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Head,
    Partner,
    Child,
    Grandparent,
    /// Unrelated to the others.
    Sharer,
    /// Unrelated to the others, and studying.
    Student,
}

/// A person before anything but the household is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) role: Role,
    pub(super) female: bool,
    pub(super) age: i32,
    pub(super) marital: usize,
}

/// How families tend to live; the weights below have one row each.
#[derive(Clone, Copy, Debug)]
pub(super) enum Custom {
    White,
    SouthAsian,
    Other,
}

struct Customs {
    kind: Choice,
    children: Choice,
}

static CUSTOMS: LazyLock<[Customs; 3]> = LazyLock::new(|| {
    // Lone old, lone, couple old, couple, couple with children, with grown children, lone parent, with grown
    // children, shared, students, care home, three generations.
    let kinds = [
        [142, 158, 128, 182, 158, 58, 58, 30, 34, 9, 16, 4],
        [20, 70, 25, 80, 400, 120, 60, 35, 40, 14, 1, 135],
        [32, 200, 25, 140, 250, 35, 130, 30, 90, 35, 1, 20],
    ];
    let children = [[42, 40, 13, 5], [20, 35, 28, 17], [36, 37, 18, 9]];
    std::array::from_fn(|i| Customs { kind: Choice::new(&kinds[i]), children: Choice::new(&children[i]) })
});

/// Fills the list with the members of one household, adults first.
pub(super) fn form(draw: &mut Draw, custom: Custom, members: &mut Vec<Member>) {
    members.clear();
    let customs = &CUSTOMS[custom as usize];
    match draw.choose(&customs.kind) {
        0 => lone_old(draw, members, 65),
        1 => {
            let age = working_age(draw);
            let female = draw.chance(430);
            let marital = unpartnered(draw, age, female);
            members.push(Member { role: Role::Head, female, age, marital });
        }
        2 => {
            let age = declining(draw, 65, 92);
            couple(draw, custom, age, members);
        }
        3 => {
            let age = working_age(draw);
            couple(draw, custom, age, members);
        }
        4 => family(draw, custom, &customs.children, 0, members),
        5 => family(draw, custom, &customs.children, 19, members),
        6 => lone_parent(draw, &customs.children, 0, members),
        7 => lone_parent(draw, &customs.children, 19, members),
        8 => sharers(draw, Role::Sharer, members),
        9 => sharers(draw, Role::Student, members),
        10 => lone_old(draw, members, 76),
        _ => {
            family(draw, custom, &customs.children, 0, members);
            grandparent(draw, members);
        }
    }
}

/// The age of someone who lives without children: either not yet with them, or no more.
fn working_age(draw: &mut Draw) -> i32 {
    if draw.chance(400) { draw.between(21, 44) as i32 } else { draw.between(45, 64) as i32 }
}

/// An age from `low` up, fewer and fewer towards `high` and a rare few beyond.
fn declining(draw: &mut Draw, low: i64, high: i64) -> i32 {
    let age = draw.between(low, high).min(draw.between(low, high)) as i32;
    if draw.chance(4) { age + draw.below(12) as i32 } else { age }
}

fn lone_old(draw: &mut Draw, members: &mut Vec<Member>, from: i64) {
    let age = declining(draw, from, 96);
    let female = draw.chance(if age < 75 { 560 } else { 700 });
    let widowed = if female { 620 } else { 430 } + if age >= 75 { 150 } else { -80 };
    let marital = if draw.chance(widowed as u32) {
        WIDOWED
    } else if draw.chance(560) {
        DIVORCED
    } else {
        SINGLE
    };
    members.push(Member { role: Role::Head, female, age, marital });
}

/// The marital status of an adult of working age who lives without a partner.
fn unpartnered(draw: &mut Draw, age: i32, female: bool) -> usize {
    let years = (age - 24).max(0) as u32;
    if draw.chance(years * 13) {
        let widowed = if female { years * 4 } else { years * 2 };
        if draw.chance(widowed) {
            WIDOWED
        } else if draw.chance(240) {
            SEPARATED
        } else {
            DIVORCED
        }
    } else {
        SINGLE
    }
}

/// Two partners; the age is that of the first.
fn couple(draw: &mut Draw, custom: Custom, age: i32, members: &mut Vec<Member>) {
    let female = draw.chance(380);
    let same_sex = draw.chance(12);
    let other_female = if same_sex { female } else { !female };
    let lead = if female { 2 } else { -2 };
    let other_age = age + draw.bell_shaped(lead, 4, -14, 14) as i32;
    let other_age = other_age.clamp(18, 104);
    let married = match (custom, age) {
        (Custom::SouthAsian, _) => 950,
        (_, ..=29) => 330,
        (_, 30..=44) => 690,
        (_, 45..=64) => 830,
        _ => 940,
    };
    let statuses = if draw.chance(married) {
        let together = if same_sex && draw.chance(600) { CIVIL_PARTNERSHIP } else { MARRIED };
        [together; 2]
    } else {
        [age, other_age].map(|years| if years > 35 && draw.chance(350) { DIVORCED } else { SINGLE })
    };
    members.push(Member { role: Role::Head, female, age, marital: statuses[0] });
    members.push(Member { role: Role::Partner, female: other_female, age: other_age, marital: statuses[1] });
}

/// A couple with children, the eldest at least `eldest_from` years old.
fn family(draw: &mut Draw, custom: Custom, children: &Choice, eldest_from: i64, members: &mut Vec<Member>) {
    let eldest = eldest_age(draw, eldest_from);
    let age = eldest + draw.bell_shaped(30, 5, 18, 44) as i32;
    couple(draw, custom, age, members);
    add_children(draw, children, eldest, members);
}

fn lone_parent(draw: &mut Draw, children: &Choice, eldest_from: i64, members: &mut Vec<Member>) {
    let eldest = eldest_age(draw, eldest_from);
    let age = eldest + draw.bell_shaped(27, 6, 16, 44) as i32;
    let female = draw.chance(870);
    let marital = match draw.below(100) {
        0..46 if age < 50 => SINGLE,
        0..66 => SEPARATED,
        66..94 => DIVORCED,
        _ => WIDOWED,
    };
    members.push(Member { role: Role::Head, female, age: age.max(16), marital });
    add_children(draw, children, eldest, members);
}

fn eldest_age(draw: &mut Draw, from: i64) -> i32 {
    if from == 0 { draw.between(0, 18) as i32 } else { declining(draw, from, 44) }
}

fn add_children(draw: &mut Draw, children: &Choice, eldest: i32, members: &mut Vec<Member>) {
    let mut age = eldest;
    for _ in 0..=draw.choose(children) {
        let marital = if age >= 24 && draw.chance(60) { DIVORCED } else { SINGLE };
        members.push(Member { role: Role::Child, female: draw.chance(488), age, marital });
        age -= draw.between(1, 5) as i32;
        if age < 0 {
            break;
        }
    }
}

/// Unrelated adults under one roof.
fn sharers(draw: &mut Draw, role: Role, members: &mut Vec<Member>) {
    let people = draw.between(2, 5);
    let around = if role == Role::Student { 20 } else { draw.between(22, 48) };
    for _ in 0..people {
        let spread = if role == Role::Student { 2 } else { 6 };
        let age = draw.bell_shaped(around, spread, 18, 70) as i32;
        let female = draw.chance(470);
        let marital = if role == Role::Student { SINGLE } else { unpartnered(draw, age, female) };
        members.push(Member { role, female, age, marital });
    }
}

/// A parent of the head, placed after the couple so that the adults come first.
fn grandparent(draw: &mut Draw, members: &mut Vec<Member>) {
    let age = (members[0].age + draw.bell_shaped(28, 4, 19, 40) as i32).min(100);
    let female = draw.chance(700);
    let marital = if draw.chance(780) { WIDOWED } else { DIVORCED };
    members.insert(2, Member { role: Role::Grandparent, female, age, marital });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_single_and_at_least_fifteen_years_younger_than_the_head() {
        let mut draw = Draw::new(0, 3, 0);
        let mut members = Vec::new();
        for round in 0..20_000 {
            let custom = [Custom::White, Custom::SouthAsian, Custom::Other][round % 3];
            form(&mut draw, custom, &mut members);
            assert!(!members.is_empty());
            for member in &members {
                assert!((0..=110).contains(&member.age));
                if member.age < 16 {
                    assert_eq!((member.marital, member.role), (SINGLE, Role::Child));
                }
                if member.role == Role::Child {
                    assert!(members[0].age - member.age >= 15, "{members:?}");
                }
            }
        }
    }
}
