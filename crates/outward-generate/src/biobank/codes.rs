//! The levels above occupations and diagnoses, as a hierarchy file has them: the value, then ever coarser groups.
//!
//! Sources: Standard Occupational Classification 2000 (Office for National Statistics), whose groups are leading figures of the code; ICD-10
//! (World Health Organization), whose blocks and chapters are stretches of codes.

use arrow_array::RecordBatch;

use crate::columns::Layout;

use super::labels::{DIAGNOSIS, OCCUPATION};

/// The major groups of occupations, by their figure.
const MAJOR_GROUPS: &[&str] = &[
    "1 Managers and senior officials",
    "2 Professional occupations",
    "3 Associate professional and technical occupations",
    "4 Administrative and secretarial occupations",
    "5 Skilled trades occupations",
    "6 Personal service occupations",
    "7 Sales and customer service occupations",
    "8 Process, plant and machine operatives",
    "9 Elementary occupations",
];

/// The sub-major groups that the occupations are in.
const SUB_MAJOR_GROUPS: &[&str] = &[
    "11 Corporate managers",
    "21 Science and technology professionals",
    "22 Health professionals",
    "23 Teaching and research professionals",
    "24 Business and public service professionals",
    "31 Science and technology associate professionals",
    "32 Health and social welfare associate professionals",
    "33 Protective service occupations",
    "34 Culture, media and sports occupations",
    "35 Business and public service associate professionals",
    "41 Administrative occupations",
    "42 Secretarial and related occupations",
    "51 Skilled agricultural trades",
    "52 Skilled metal and electrical trades",
    "53 Skilled construction and building trades",
    "54 Textiles, printing and other skilled trades",
    "61 Caring personal service occupations",
    "71 Sales occupations",
    "82 Transport and mobile machine drivers and operatives",
    "92 Elementary administration and service occupations",
];

/// The blocks of diagnoses that occur, each with its first and last code.
const BLOCKS: &[(&str, &str, &str)] = &[
    ("A80", "A89", "Viral infections of the central nervous system"),
    ("B15", "B19", "Viral hepatitis"),
    ("B20", "B24", "Human immunodeficiency virus disease"),
    ("C15", "C26", "Malignant neoplasms of digestive organs"),
    ("C30", "C39", "Malignant neoplasms of respiratory and intrathoracic organs"),
    ("C43", "C44", "Malignant neoplasms of skin"),
    ("C50", "C50", "Malignant neoplasm of breast"),
    ("C60", "C63", "Malignant neoplasms of male genital organs"),
    ("D10", "D36", "Benign neoplasms"),
    ("E10", "E14", "Diabetes mellitus"),
    ("E70", "E90", "Metabolic disorders"),
    ("F10", "F19", "Mental disorders due to psychoactive substances"),
    ("F20", "F29", "Schizophrenia and related disorders"),
    ("F30", "F39", "Mood disorders"),
    ("G10", "G13", "Systemic atrophies of the central nervous system"),
    ("G20", "G26", "Movement disorders"),
    ("G35", "G37", "Demyelinating diseases of the central nervous system"),
    ("G40", "G47", "Episodic disorders"),
    ("G50", "G59", "Nerve, nerve root and plexus disorders"),
    ("H25", "H28", "Disorders of lens"),
    ("I10", "I15", "Hypertensive diseases"),
    ("I20", "I25", "Ischaemic heart diseases"),
    ("I26", "I28", "Pulmonary heart disease"),
    ("I30", "I52", "Other forms of heart disease"),
    ("I60", "I69", "Cerebrovascular diseases"),
    ("I80", "I89", "Diseases of veins and lymph nodes"),
    ("J09", "J18", "Influenza and pneumonia"),
    ("J40", "J47", "Chronic lower respiratory diseases"),
    ("K20", "K31", "Diseases of oesophagus, stomach and duodenum"),
    ("K40", "K46", "Hernia"),
    ("K50", "K52", "Noninfective enteritis and colitis"),
    ("K55", "K63", "Other diseases of intestines"),
    ("K80", "K87", "Disorders of gallbladder, biliary tract and pancreas"),
    ("M00", "M25", "Arthropathies"),
    ("M40", "M54", "Dorsopathies"),
    ("N20", "N23", "Urolithiasis"),
    ("N30", "N39", "Other diseases of urinary system"),
    ("N40", "N51", "Diseases of male genital organs"),
    ("R00", "R09", "Symptoms of the circulatory and respiratory systems"),
    ("R10", "R19", "Symptoms of the digestive system and abdomen"),
    ("S50", "S59", "Injuries to the elbow and forearm"),
    ("S80", "S89", "Injuries to the knee and lower leg"),
];

/// The chapters, each with its number and the first code after it.
const CHAPTERS: &[(&str, &str, &str)] = &[
    ("C00", "I", "Certain infectious and parasitic diseases"),
    ("D50", "II", "Neoplasms"),
    ("E00", "III", "Diseases of the blood"),
    ("F00", "IV", "Endocrine, nutritional and metabolic diseases"),
    ("G00", "V", "Mental and behavioural disorders"),
    ("H00", "VI", "Diseases of the nervous system"),
    ("H60", "VII", "Diseases of the eye and adnexa"),
    ("I00", "VIII", "Diseases of the ear and mastoid process"),
    ("J00", "IX", "Diseases of the circulatory system"),
    ("K00", "X", "Diseases of the respiratory system"),
    ("L00", "XI", "Diseases of the digestive system"),
    ("M00", "XII", "Diseases of the skin"),
    ("N00", "XIII", "Diseases of the musculoskeletal system and connective tissue"),
    ("O00", "XIV", "Diseases of the genitourinary system"),
    ("R00", "XV to XVII", "Pregnancy, the newborn, malformations"),
    ("S00", "XVIII", "Symptoms, signs and abnormal findings"),
    ("V00", "XIX", "Injury, poisoning and other external causes"),
];

/// The levels above an occupation: its first three figures, its sub-major group and its major group.
fn above_occupation(occupation: &str) -> [String; 3] {
    let group = |groups: &[&str], figures: usize| {
        let found = groups.iter().find(|group| group[..figures] == occupation[..figures]);
        found.map_or_else(String::new, |group| (*group).to_owned())
    };
    [occupation[..3].to_owned(), group(SUB_MAJOR_GROUPS, 2), group(MAJOR_GROUPS, 1)]
}

/// The levels above a diagnosis: its block and its chapter.
fn above_diagnosis(diagnosis: &str) -> [String; 2] {
    let code = &diagnosis[..3];
    let block = BLOCKS.iter().find(|(first, last, _)| (*first..=*last).contains(&code));
    let chapter = CHAPTERS.iter().find(|(end, _, _)| code < *end);
    [
        block.map_or_else(String::new, |(first, last, title)| format!("{first}-{last} {title}")),
        chapter.map_or_else(String::new, |(_, number, title)| format!("{number} {title}")),
    ]
}

/// The two hierarchies as tables. They are in the first block; the others have none of their rows.
pub(super) fn tables(layouts: [&Layout; 2], first: bool) -> [RecordBatch; 2] {
    let [mut occupations, mut diagnoses] = layouts.map(|layout| layout.rows(if first { 64 } else { 0 }));
    if first {
        for occupation in OCCUPATION {
            occupations.text(occupation);
            above_occupation(occupation).iter().for_each(|level| occupations.text(level));
        }
        for diagnosis in DIAGNOSIS {
            diagnoses.text(diagnosis);
            above_diagnosis(diagnosis).iter().for_each(|level| diagnoses.text(level));
        }
    }
    [occupations.finish(), diagnoses.finish()]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_code_has_all_levels_and_they_nest() {
        let occupations = OCCUPATION.iter().map(|code| above_occupation(code).to_vec());
        let diagnoses = DIAGNOSIS.iter().map(|code| above_diagnosis(code).to_vec());
        let mut coarser: HashMap<String, String> = HashMap::new();
        for levels in occupations.chain(diagnoses) {
            assert!(levels.iter().all(|level| !level.is_empty()), "{levels:?}");
            for pair in levels.windows(2) {
                assert_eq!(coarser.entry(pair[0].clone()).or_insert_with(|| pair[1].clone()), &pair[1]);
            }
        }
    }

    #[test]
    fn a_code_is_in_the_block_and_chapter_that_the_classification_says() {
        assert_eq!(
            above_diagnosis("I21 Acute myocardial infarction"),
            ["I20-I25 Ischaemic heart diseases", "IX Diseases of the circulatory system"]
        );
        assert_eq!(above_diagnosis("D12 Benign neoplasm of colon"), ["D10-D36 Benign neoplasms", "II Neoplasms"]);
        assert_eq!(
            above_occupation("2216 Veterinarians"),
            ["221", "22 Health professionals", "2 Professional occupations"]
        );
    }
}
