//! Postcode areas of Great Britain: nation, rough centre on the national grid, how far districts scatter, and the
//! numbers of their districts. Of many districts there is a selection. General knowledge; nothing here is measured.

/// The nations, as the `nation` column names them.
pub(crate) const NATIONS: [&str; 3] = ["England", "Wales", "Scotland"];
const ENGLAND: usize = 0;
const WALES: usize = 1;
const SCOTLAND: usize = 2;

/// How the people of an area are spread over its districts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settlement {
    /// Towns and villages: districts of every size.
    Mixed,
    /// Every district is large but one, so that pooling the small ones of the area gains nothing.
    OneSmall,
    /// Islands and hills: every district is small.
    Remote,
}

/// A postcode area.
pub(crate) struct Area {
    pub(crate) letters: &'static str,
    /// Index into [`NATIONS`].
    pub(crate) nation: usize,
    /// Centre on the national grid, in kilometres.
    pub(crate) centre: (i64, i64),
    /// Standard deviation of the districts' distance from the centre, east and north, in kilometres.
    pub(crate) spread: i64,
    /// Numbered districts, from first to last.
    pub(crate) numbered: &'static [(u8, u8)],
    /// Districts with a letter after the number, such as the 1C of N1C.
    pub(crate) lettered: &'static [&'static str],
    pub(crate) settlement: Settlement,
}

impl Area {
    const fn lettered(self, lettered: &'static [&'static str]) -> Self {
        Area { lettered, ..self }
    }

    const fn settled(self, settlement: Settlement) -> Self {
        Area { settlement, ..self }
    }
}

const fn area(
    letters: &'static str,
    nation: usize,
    centre: (i64, i64),
    spread: i64,
    numbered: &'static [(u8, u8)],
) -> Area {
    Area { letters, nation, centre, spread, numbered, lettered: &[], settlement: Settlement::Mixed }
}

/// The areas in the order in which a file fills them: West Yorkshire and Harrogate come first, so that a small file is
/// one region with every case of pooling in it. The North, the Midlands, the East, London, the South, Wales and
/// Scotland follow.
///
/// The areas with one small district are those of Table 1 of Collins, "US Style Postcode Privacy in the UK", except DG
/// and TD. These two are in the table only because the paper's counts stop at the Scottish border.
#[rustfmt::skip]
pub(crate) const AREAS: [Area; 120] = [
    area("HG", ENGLAND, (430, 457), 8, &[(1, 5)]).settled(Settlement::OneSmall),
    area("LS", ENGLAND, (430, 434), 8, &[(1, 29)]),
    area("HX", ENGLAND, (408, 425), 5, &[(1, 7)]),
    area("HD", ENGLAND, (415, 416), 5, &[(1, 9)]),
    area("BD", ENGLAND, (414, 434), 8, &[(1, 24)]),
    area("WF", ENGLAND, (435, 420), 7, &[(1, 17)]),
    area("S", ENGLAND, (435, 388), 9, &[(1, 14), (17, 18), (20, 21), (25, 26), (35, 36), (40, 42), (60, 66)]),
    area("DN", ENGLAND, (470, 405), 18, &[(1, 12), (14, 22), (31, 41)]),
    area("YO", ENGLAND, (465, 460), 20, &[(1, 1), (7, 8), (10, 19), (21, 26), (30, 32), (41, 43), (60, 62)]),
    area("HU", ENGLAND, (508, 430), 9, &[(1, 20)]),
    area("DH", ENGLAND, (427, 547), 6, &[(1, 9)]).settled(Settlement::OneSmall),
    area("SR", ENGLAND, (439, 556), 4, &[(1, 8)]).settled(Settlement::OneSmall),
    area("NE", ENGLAND, (425, 565), 9, &[(1, 13), (15, 18), (20, 31)]),
    area("DL", ENGLAND, (425, 512), 16, &[(1, 17)]),
    area("TS", ENGLAND, (447, 519), 8, &[(1, 29)]),
    area("CA", ENGLAND, (335, 540), 20, &[(1, 28)]),
    area("LA", ENGLAND, (347, 472), 15, &[(1, 23)]),
    area("PR", ENGLAND, (354, 426), 8, &[(1, 9)]).settled(Settlement::OneSmall),
    area("FY", ENGLAND, (333, 436), 5, &[(1, 8)]),
    area("BB", ENGLAND, (374, 431), 8, &[(1, 12)]),
    area("BL", ENGLAND, (373, 409), 5, &[(0, 9)]),
    area("OL", ENGLAND, (392, 407), 5, &[(1, 16)]),
    area("M", ENGLAND, (384, 398), 7, &[(1, 9), (11, 35)]),
    area("WN", ENGLAND, (358, 404), 4, &[(1, 8)]).settled(Settlement::OneSmall),
    area("WA", ENGLAND, (360, 388), 8, &[(1, 16)]),
    area("L", ENGLAND, (338, 392), 7, &[(1, 31)]),
    area("CH", ENGLAND, (334, 379), 9, &[(1, 8), (41, 49), (60, 66)]),
    area("CW", ENGLAND, (366, 363), 8, &[(1, 12)]),
    area("SK", ENGLAND, (392, 384), 8, &[(1, 17), (22, 23)]),
    area("LE", ENGLAND, (459, 304), 12, &[(1, 19), (65, 65), (67, 67)]),
    area("NG", ENGLAND, (457, 344), 14, &[(1, 25), (31, 34)]),
    area("DE", ENGLAND, (433, 338), 11, &[(1, 1), (3, 7), (11, 15), (21, 24), (55, 56), (65, 65), (72, 75)]),
    area("LN", ENGLAND, (507, 373), 15, &[(1, 13)]),
    area("NN", ENGLAND, (477, 265), 11, &[(1, 18)]),
    area("B", ENGLAND, (407, 287), 9, &[(1, 21), (23, 33)]),
    area("CV", ENGLAND, (432, 272), 11, &[(1, 13), (21, 23), (31, 37)]),
    area("DY", ENGLAND, (388, 284), 7, &[(1, 14)]),
    area("WS", ENGLAND, (404, 304), 7, &[(1, 15)]),
    area("WV", ENGLAND, (388, 298), 7, &[(1, 16)]),
    area("ST", ENGLAND, (389, 338), 11, &[(1, 21)]),
    area("TF", ENGLAND, (370, 312), 8, &[(1, 13)]),
    area("SY", ENGLAND, (340, 305), 20, &[(1, 25)]),
    area("HR", ENGLAND, (350, 243), 11, &[(1, 9)]),
    area("WR", ENGLAND, (388, 253), 10, &[(1, 15)]),
    area("LU", ENGLAND, (506, 223), 5, &[(1, 7)]),
    area("MK", ENGLAND, (492, 240), 11, &[(1, 19), (40, 46)]),
    area("PE", ENGLAND, (528, 303), 20, &[(1, 16), (19, 32)]),
    area("CB", ENGLAND, (551, 257), 12, &[(1, 11)]),
    area("NR", ENGLAND, (620, 312), 17, &[(1, 30)]),
    area("IP", ENGLAND, (607, 256), 20, &[(1, 33)]),
    area("CO", ENGLAND, (598, 226), 11, &[(1, 16)]),
    area("CM", ENGLAND, (562, 207), 12, &[(0, 9), (11, 24)]),
    area("SS", ENGLAND, (580, 189), 8, &[(0, 9), (11, 17)]),
    area("WD", ENGLAND, (513, 197), 5, &[(3, 7), (17, 19), (23, 25)]),
    area("AL", ENGLAND, (517, 209), 5, &[(1, 10)]),
    area("SG", ENGLAND, (524, 228), 11, &[(1, 19)]),
    area("HP", ENGLAND, (491, 206), 12, &[(1, 23)]),
    area("N", ENGLAND, (532, 189), 4, &[(1, 22)]).lettered(&["1C"]),
    area("NW", ENGLAND, (525, 185), 4, &[(1, 11)]),
    area("E", ENGLAND, (537, 185), 4, &[(1, 18), (20, 20)]).lettered(&["1W"]),
    area("EC", ENGLAND, (532, 182), 1, &[]).lettered(&[
        "1A", "1M", "1N", "1R", "1V", "1Y", "2A", "2M", "2N", "2R", "2V", "2Y", "3A", "3M", "3N", "3R", "3V", "4A",
        "4M", "4N", "4R", "4V", "4Y",
    ]),
    area("WC", ENGLAND, (530, 182), 1, &[]).lettered(&[
        "1A", "1B", "1E", "1H", "1N", "1R", "1V", "1X", "2A", "2B", "2E", "2H", "2N", "2R",
    ]),
    area("W", ENGLAND, (523, 181), 4, &[(2, 14)]).lettered(&[
        "1A", "1B", "1C", "1D", "1F", "1G", "1H", "1J", "1K", "1S", "1T", "1U", "1W",
    ]),
    area("SW", ENGLAND, (527, 175), 4, &[(2, 20)]).lettered(&["1A", "1E", "1H", "1P", "1V", "1W", "1X", "1Y"]),
    area("SE", ENGLAND, (537, 175), 4, &[(1, 28)]),
    area("BR", ENGLAND, (542, 167), 4, &[(1, 8)]),
    area("CR", ENGLAND, (533, 163), 4, &[(0, 0), (2, 8)]).settled(Settlement::OneSmall),
    area("DA", ENGLAND, (553, 173), 7, &[(1, 18)]),
    area("EN", ENGLAND, (533, 200), 5, &[(1, 11)]).settled(Settlement::OneSmall),
    area("HA", ENGLAND, (514, 189), 4, &[(0, 9)]),
    area("IG", ENGLAND, (544, 189), 4, &[(1, 11)]),
    area("KT", ENGLAND, (516, 163), 6, &[(1, 24)]),
    area("RM", ENGLAND, (553, 187), 6, &[(1, 20)]),
    area("SM", ENGLAND, (526, 163), 3, &[(1, 7)]).settled(Settlement::OneSmall),
    area("TW", ENGLAND, (513, 173), 5, &[(1, 20)]),
    area("UB", ENGLAND, (509, 181), 4, &[(1, 11)]).settled(Settlement::OneSmall),
    area("SL", ENGLAND, (494, 182), 6, &[(0, 9)]).settled(Settlement::OneSmall),
    area("RG", ENGLAND, (470, 172), 13, &[(1, 2), (4, 10), (12, 12), (14, 14), (17, 31), (40, 42), (45, 45)]),
    area("GU", ENGLAND, (489, 146), 13, &[(1, 12), (14, 35)]),
    area("RH", ENGLAND, (526, 139), 10, &[(1, 20)]),
    area("OX", ENGLAND, (450, 210), 14, &[(1, 5), (7, 7), (9, 18), (25, 29), (33, 33), (39, 39), (44, 44), (49, 49)]),
    area("SO", ENGLAND, (443, 117), 10, &[(14, 24), (30, 32), (40, 43), (45, 45), (50, 53)]),
    area("PO", ENGLAND, (466, 101), 13, &[(1, 22), (30, 41)]),
    area("BN", ENGLAND, (530, 108), 14, &[(1, 3), (5, 18), (20, 27), (41, 45)]),
    area("TN", ENGLAND, (567, 135), 16, &[(1, 31)]),
    area("ME", ENGLAND, (578, 163), 9, &[(1, 20)]),
    area("CT", ENGLAND, (622, 156), 11, &[(1, 21)]),
    area("SN", ENGLAND, (410, 178), 12, &[(1, 16), (25, 26)]),
    area("GL", ENGLAND, (389, 216), 13, &[(1, 20), (50, 56)]),
    area("BS", ENGLAND, (355, 171), 11, &[(1, 11), (13, 16), (20, 32), (34, 37)]),
    area("BA", ENGLAND, (366, 148), 14, &[(1, 16), (20, 22)]),
    area("SP", ENGLAND, (418, 134), 14, &[(1, 11)]),
    area("BH", ENGLAND, (407, 97), 9, &[(1, 25)]),
    area("DT", ENGLAND, (362, 96), 13, &[(1, 11)]),
    area("TA", ENGLAND, (322, 128), 16, &[(1, 24)]),
    area("EX", ENGLAND, (283, 102), 20, &[(1, 24)]),
    area("TQ", ENGLAND, (285, 64), 9, &[(1, 14)]),
    area("PL", ENGLAND, (228, 66), 18, &[(1, 30)]),
    area("TR", ENGLAND, (168, 39), 16, &[(1, 27)]),
    area("CF", WALES, (312, 184), 12, &[(3, 3), (5, 5), (10, 11), (14, 15), (23, 24), (31, 48), (61, 64), (81, 83)]),
    area("NP", WALES, (327, 200), 12, &[(4, 4), (7, 8), (10, 13), (15, 16), (18, 20), (22, 26), (44, 44)]),
    area("SA", WALES, (235, 208), 25, &[(1, 20), (31, 44)]),
    area("LD", WALES, (303, 250), 13, &[(1, 8)]).settled(Settlement::Remote),
    area("LL", WALES, (285, 365), 25, &[(11, 36)]),
    area("DG", SCOTLAND, (285, 575), 22, &[(1, 14), (16, 16)]),
    area("TD", SCOTLAND, (362, 635), 17, &[(1, 15)]),
    area("EH", SCOTLAND, (326, 670), 12, &[(1, 17), (19, 32)]),
    area("KY", SCOTLAND, (327, 703), 12, &[(1, 16)]),
    area("FK", SCOTLAND, (283, 690), 13, &[(1, 21)]),
    area("ML", SCOTLAND, (282, 650), 11, &[(1, 12)]),
    area("G", SCOTLAND, (259, 665), 7, &[(1, 5), (11, 15), (20, 23), (31, 34), (40, 46), (51, 53), (60, 66)]),
    area("KA", SCOTLAND, (238, 632), 13, &[(1, 30)]),
    area("PA", SCOTLAND, (238, 668), 18, &[(1, 30)]),
    area("DD", SCOTLAND, (345, 737), 14, &[(1, 11)]),
    area("PH", SCOTLAND, (298, 738), 25, &[(1, 26)]),
    area("AB", SCOTLAND, (385, 810), 20, &[(10, 16), (21, 25), (30, 39), (41, 45), (51, 56)]),
    area("IV", SCOTLAND, (270, 850), 30, &[(1, 28)]),
    area("KW", SCOTLAND, (325, 965), 20, &[(1, 3), (5, 17)]).settled(Settlement::Remote),
    area("HS", SCOTLAND, (115, 900), 20, &[(1, 9)]).settled(Settlement::Remote),
    area("ZE", SCOTLAND, (445, 1_145), 12, &[(1, 3)]).settled(Settlement::Remote),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::postcodes::districts::outward_codes;

    #[test]
    fn well_known_districts_are_listed_in_their_nations() {
        let codes = |nation: usize| AREAS.iter().filter(move |area| area.nation == nation).flat_map(outward_codes);
        for (nation, known) in [
            (ENGLAND, &["LS1", "M1", "B1", "NE1", "BS1", "N1C"][..]),
            (WALES, &["CF10", "SA1"]),
            (SCOTLAND, &["EH1", "G1", "ZE1"]),
        ] {
            for code in known {
                let nations: Vec<usize> = (0..3).filter(|nation| codes(*nation).any(|one| one == *code)).collect();
                assert_eq!(nations, [nation], "{code}");
            }
        }
    }

    mod real_data {
        use std::collections::HashMap;

        use super::*;

        #[test]
        fn every_district_is_a_real_outward_code_and_most_lie_in_the_nation_of_their_area() {
            let text = outward_testing::real_data::text("outward_codes_uk_2011pop.csv.gz");
            let real: HashMap<&str, Vec<&str>> =
                text.lines().skip(1).map(|line| (line.split(',').next().unwrap(), line.split(',').collect())).collect();
            let mut wrong = Vec::new();
            for area in &AREAS {
                let codes: Vec<String> = outward_codes(area).collect();
                let in_use = |code: &&String| real.get(code.as_str()).is_some_and(|fields| fields[11] != "0");
                wrong.extend(codes.iter().filter(|code| !in_use(code)).cloned());
                let at_home =
                    codes.iter().filter(|code| real.get(code.as_str()).is_some_and(|f| f[2] == NATIONS[area.nation]));
                assert!(2 * at_home.count() > codes.len(), "{}", area.letters);
            }
            assert!(wrong.is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn no_area_is_listed_twice_and_namesakes_by_letter_are_areas_of_their_own() {
        let mut letters: Vec<&str> = AREAS.iter().map(|area| area.letters).collect();
        for namesake in ["N", "NE", "NW", "W", "WC", "E", "EC"] {
            assert!(letters.contains(&namesake), "{namesake}");
        }
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), AREAS.len());
        assert!(AREAS.iter().all(|area| (3..=36).contains(&outward_codes(area).count())));
    }
}
