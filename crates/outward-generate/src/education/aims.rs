//! Learning aims: what is studied, how, and at which level, some five thousand of them with a long tail.

use std::sync::LazyLock;

use crate::draw::{Choice, Draw};

pub(super) const LEVEL: [&str; 6] = ["Entry level", "Level 1", "Level 2", "Level 3", "Level 4", "Level 5"];

/// Subjects, with the share of women among their learners in percent.
const SUBJECTS: [(&str, u32); 56] = [
    ("English", 52),
    ("Mathematics", 52),
    ("English for Speakers of Other Languages", 58),
    ("Information Technology", 42),
    ("Health and Social Care", 82),
    ("Childcare and Early Years", 94),
    ("Business Administration", 70),
    ("Customer Service", 58),
    ("Hairdressing", 93),
    ("Beauty Therapy", 97),
    ("Plumbing", 3),
    ("Electrical Installation", 4),
    ("Carpentry and Joinery", 4),
    ("Bricklaying", 2),
    ("Painting and Decorating", 12),
    ("Motor Vehicle Maintenance", 4),
    ("Engineering", 9),
    ("Welding and Fabrication", 4),
    ("Food Safety in Catering", 52),
    ("Professional Cookery", 40),
    ("Hospitality Supervision", 55),
    ("Travel and Tourism", 70),
    ("Sport and Exercise Science", 32),
    ("Gym Instruction", 35),
    ("Performing Arts", 66),
    ("Music Technology", 18),
    ("Art and Design", 68),
    ("Photography", 60),
    ("Creative Media Production", 35),
    ("Graphic Design", 50),
    ("Fashion and Textiles", 92),
    ("Accounting", 62),
    ("Law", 66),
    ("Economics", 35),
    ("Psychology", 76),
    ("Sociology", 74),
    ("History", 52),
    ("Geography", 50),
    ("Biology", 62),
    ("Chemistry", 52),
    ("Physics", 22),
    ("Applied Science", 58),
    ("Public Services", 35),
    ("Security Operations", 10),
    ("Warehousing and Storage", 15),
    ("Driving Goods Vehicles", 6),
    ("Horticulture", 40),
    ("Agriculture", 30),
    ("Animal Care", 85),
    ("Equine Studies", 92),
    ("Floristry", 95),
    ("Teaching and Training", 68),
    ("Counselling", 84),
    ("French", 66),
    ("Spanish", 64),
    ("British Sign Language", 86),
];

/// Kinds of qualification, with the levels at which they are given.
const AIM_KINDS: [(&str, &[usize]); 9] = [
    ("Award in", &[0, 1, 2, 3, 4]),
    ("Certificate in", &[0, 1, 2, 3, 4, 5]),
    ("Diploma in", &[1, 2, 3, 4, 5]),
    ("Extended Diploma in", &[2, 3]),
    ("Functional Skills in", &[0, 1, 2]),
    ("Introduction to", &[0, 1]),
    ("Apprenticeship Knowledge in", &[2, 3]),
    ("Unit in", &[1, 2, 3]),
    ("Professional Development in", &[3, 4, 5]),
];

/// Awarding bodies, each with an aim of its own for every course.
const BODIES: usize = 3;

/// All learning aims.
pub(super) struct Catalogue {
    pub(super) codes: Vec<String>,
    pub(super) titles: Vec<String>,
    /// The title of each aim; aims of different awarding bodies share one.
    pub(super) title_of: Vec<usize>,
    pub(super) level: Vec<usize>,
    women: Vec<u32>,
    choice: Choice,
}

pub(super) static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut aims = Vec::new();
    let mut titles = Vec::new();
    for (kind, levels) in AIM_KINDS {
        for &level in levels {
            for (subject, women) in SUBJECTS {
                titles.push(format!("{kind} {subject} ({})", LEVEL[level]));
                aims.extend([(titles.len() - 1, level, women); BODIES]);
            }
        }
    }
    // Popularity has nothing to do with the order of the lists, so ranks are dealt out by a step prime to their count.
    let count = aims.len();
    let ranked: Vec<usize> = (0..count).map(|rank| (rank * 2_003 + 17) % count).collect();
    Catalogue {
        codes: (0..count).map(|rank| format!("{:08}", 50_000_000 + rank * 7_919 % 9_999_991)).collect(),
        title_of: ranked.iter().map(|&at| aims[at].0).collect(),
        level: ranked.iter().map(|&at| aims[at].1).collect(),
        women: ranked.iter().map(|&at| aims[at].2).collect(),
        titles,
        choice: Choice::long_tail(count as u32, 6),
    }
});

impl Catalogue {
    /// An aim that suits the learner: subjects have their sex, and the youngest seldom study at the higher levels.
    pub(super) fn draw(&self, draw: &mut Draw, female: bool, age_group: usize) -> usize {
        let mut aim = draw.choose(&self.choice);
        for _ in 0..3 {
            let share = if female { self.women[aim] } else { 100 - self.women[aim] };
            let too_high = age_group <= 1 && self.level[aim] >= 4;
            if !too_high && draw.chance(share * 12) {
                break;
            }
            aim = draw.choose(&self.choice);
        }
        aim
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_about_five_thousand_aims_each_with_its_own_code() {
        let codes: HashSet<&String> = CATALOGUE.codes.iter().collect();
        assert_eq!(codes.len(), CATALOGUE.codes.len());
        assert!((4_500..=5_500).contains(&codes.len()), "{}", codes.len());
        let places: HashSet<usize> = CATALOGUE.title_of.iter().copied().collect();
        assert_eq!(places.len(), CATALOGUE.titles.len());
    }
}
