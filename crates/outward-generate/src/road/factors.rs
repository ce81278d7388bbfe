//! Contributory factors of road collisions: the 77 that a police officer may choose from, in nine groups, and "Other".
//!
//! Codes and labels follow the STATS19 form; how often a factor is reported is a rough figure.

/// A contributory factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// The code on the form; its first digit is the group.
    pub code: u16,
    /// What the officer ticks.
    pub label: &'static str,
    /// One of nine groups.
    pub group: &'static str,
    /// How often it is reported, among a thousand vehicles or pedestrians.
    pub(super) frequency: u32,
}

impl Factor {
    /// The value that stands for the factor in the data: code and label, since two groups share some labels.
    pub fn value(&self) -> String {
        format!("{} {}", self.code, self.label)
    }
}

const fn factor(code: u16, label: &'static str, group: &'static str, frequency: u32) -> Factor {
    Factor { code, label, group, frequency }
}

const ROAD: &str = "Road environment contributed";
const DEFECTS: &str = "Vehicle defects";
const ACTION: &str = "Injudicious action";
const ERROR: &str = "Driver or rider error or reaction";
const IMPAIRMENT: &str = "Impairment or distraction";
const BEHAVIOUR: &str = "Behaviour or inexperience";
const VISION: &str = "Vision affected by";
const PEDESTRIAN: &str = "Pedestrian only";
const SPECIAL: &str = "Special codes";

/// Every factor, by code.
pub const FACTORS: [Factor; 78] = [
    factor(101, "Poor or defective road surface", ROAD, 8),
    factor(102, "Deposit on road (such as oil, mud, chippings)", ROAD, 12),
    factor(103, "Slippery road (due to weather)", ROAD, 90),
    factor(104, "Inadequate or masked signs or road markings", ROAD, 4),
    factor(105, "Defective traffic signals", ROAD, 2),
    factor(106, "Traffic calming (such as speed cushions, road humps, chicanes)", ROAD, 2),
    factor(107, "Temporary road layout (such as contraflow)", ROAD, 3),
    factor(108, "Road layout (such as bend, hill, narrow carriageway)", ROAD, 32),
    factor(109, "Animal or object in carriageway", ROAD, 14),
    factor(110, "Sunken, raised or slippery inspection cover", ROAD, 1),
    factor(201, "Tyres illegal, defective or under-inflated", DEFECTS, 7),
    factor(202, "Defective lights or indicators", DEFECTS, 3),
    factor(203, "Defective brakes", DEFECTS, 6),
    factor(204, "Defective steering or suspension", DEFECTS, 3),
    factor(205, "Defective or missing mirrors", DEFECTS, 1),
    factor(206, "Overloaded or poorly loaded vehicle or trailer", DEFECTS, 2),
    factor(301, "Disobeyed automatic traffic signal", ACTION, 18),
    factor(302, "Disobeyed give way or stop sign or markings", ACTION, 32),
    factor(303, "Disobeyed double white lines", ACTION, 2),
    factor(304, "Disobeyed pedestrian crossing facility", ACTION, 5),
    factor(305, "Illegal turn or direction of travel", ACTION, 7),
    factor(306, "Exceeding speed limit", ACTION, 50),
    factor(307, "Travelling too fast for conditions", ACTION, 70),
    factor(308, "Following too close", ACTION, 66),
    factor(309, "Vehicle travelling along pavement", ACTION, 3),
    factor(310, "Cyclist entering road from pavement", ACTION, 16),
    factor(401, "Junction overshoot", ERROR, 20),
    factor(402, "Junction restart (moving off at junction)", ERROR, 15),
    factor(403, "Poor turn or manoeuvre", ERROR, 150),
    factor(404, "Failed to signal or misleading signal", ERROR, 14),
    factor(405, "Failed to look properly", ERROR, 420),
    factor(406, "Failed to judge other person's path or speed", ERROR, 220),
    factor(407, "Too close to cyclist, horse or pedestrian", ERROR, 18),
    factor(408, "Sudden braking", ERROR, 62),
    factor(409, "Swerved", ERROR, 40),
    factor(410, "Loss of control", ERROR, 120),
    factor(501, "Impaired by alcohol", IMPAIRMENT, 48),
    factor(502, "Impaired by drugs (illicit or medicinal)", IMPAIRMENT, 10),
    factor(503, "Fatigue", IMPAIRMENT, 16),
    factor(504, "Uncorrected, defective eyesight", IMPAIRMENT, 3),
    factor(505, "Illness or disability, mental or physical", IMPAIRMENT, 20),
    factor(506, "Not displaying lights at night or in poor visibility", IMPAIRMENT, 4),
    factor(507, "Rider wearing dark clothing", IMPAIRMENT, 10),
    factor(508, "Driver using mobile phone", IMPAIRMENT, 4),
    factor(509, "Distraction in vehicle", IMPAIRMENT, 28),
    factor(510, "Distraction outside vehicle", IMPAIRMENT, 16),
    factor(601, "Aggressive driving", BEHAVIOUR, 34),
    factor(602, "Careless, reckless or in a hurry", BEHAVIOUR, 170),
    factor(603, "Nervous, uncertain or panic", BEHAVIOUR, 14),
    factor(604, "Driving too slow for conditions or slow vehicle (such as tractor)", BEHAVIOUR, 1),
    factor(605, "Learner or inexperienced driver or rider", BEHAVIOUR, 44),
    factor(606, "Inexperience of driving on the left", BEHAVIOUR, 6),
    factor(607, "Unfamiliar with model of vehicle", BEHAVIOUR, 6),
    factor(701, "Stationary or parked vehicle", VISION, 30),
    factor(702, "Vegetation", VISION, 4),
    factor(703, "Road layout (such as bend, winding road, hill crest)", VISION, 12),
    factor(704, "Buildings, road signs, street furniture", VISION, 2),
    factor(705, "Dazzling headlights", VISION, 5),
    factor(706, "Dazzling sun", VISION, 28),
    factor(707, "Rain, sleet, snow or fog", VISION, 18),
    factor(708, "Spray from other vehicles", VISION, 3),
    factor(709, "Visor or windscreen dirty, scratched or frosted", VISION, 2),
    factor(710, "Vehicle blind spot", VISION, 12),
    factor(801, "Crossing road masked by stationary or parked vehicle", PEDESTRIAN, 130),
    factor(802, "Failed to look properly", PEDESTRIAN, 590),
    factor(803, "Failed to judge vehicle's path or speed", PEDESTRIAN, 180),
    factor(804, "Wrong use of pedestrian crossing facility", PEDESTRIAN, 60),
    factor(805, "Dangerous action in carriageway (such as playing)", PEDESTRIAN, 50),
    factor(806, "Impaired by alcohol", PEDESTRIAN, 120),
    factor(807, "Impaired by drugs (illicit or medicinal)", PEDESTRIAN, 12),
    factor(808, "Careless, reckless or in a hurry", PEDESTRIAN, 240),
    factor(809, "Pedestrian wearing dark clothing at night", PEDESTRIAN, 60),
    factor(810, "Disability or illness, mental or physical", PEDESTRIAN, 25),
    factor(901, "Stolen vehicle", SPECIAL, 6),
    factor(902, "Vehicle in course of crime", SPECIAL, 5),
    factor(903, "Emergency vehicle on a call", SPECIAL, 5),
    factor(904, "Vehicle door opened or closed negligently", SPECIAL, 6),
    factor(999, "Other", SPECIAL, 25),
];

/// Whether the factor is one of a pedestrian's.
pub(super) fn of_pedestrian(factor: &Factor) -> bool {
    factor.code / 100 == 8
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_77_factors_and_other_in_nine_groups() {
        assert_eq!(FACTORS.iter().filter(|factor| factor.label != "Other").count(), 77);
        assert_eq!(FACTORS.iter().map(|factor| factor.group).collect::<HashSet<_>>().len(), 9);
        assert_eq!(FACTORS.iter().map(|factor| factor.code).collect::<HashSet<_>>().len(), FACTORS.len());
        assert!(FACTORS.windows(2).all(|pair| pair[0].code < pair[1].code));
    }
}
