//! The categories of the census variables.

pub(super) const SEX: [&str; 2] = ["Male", "Female"];

/// The 18 ethnic groups of the 2011 census of England and Wales.
pub(crate) const ETHNIC_GROUP: [&str; 18] = [
    "White: English, Welsh, Scottish, Northern Irish or British",
    "White: Irish",
    "White: Gypsy or Irish Traveller",
    "White: Other White",
    "Mixed: White and Black Caribbean",
    "Mixed: White and Black African",
    "Mixed: White and Asian",
    "Mixed: Other Mixed",
    "Asian: Indian",
    "Asian: Pakistani",
    "Asian: Bangladeshi",
    "Asian: Chinese",
    "Asian: Other Asian",
    "Black: African",
    "Black: Caribbean",
    "Black: Other Black",
    "Other: Arab",
    "Other: Any other ethnic group",
];

pub(crate) const WHITE_BRITISH: usize = 0;
pub(super) const WHITE_IRISH: usize = 1;
pub(super) const OTHER_WHITE: usize = 3;
pub(super) const MIXED_CARIBBEAN: usize = 4;
pub(super) const MIXED_AFRICAN: usize = 5;
pub(super) const MIXED_ASIAN: usize = 6;
pub(super) const MIXED_OTHER: usize = 7;
pub(super) const INDIAN: usize = 8;
pub(super) const PAKISTANI: usize = 9;
pub(super) const BANGLADESHI: usize = 10;
pub(super) const CHINESE: usize = 11;
pub(super) const OTHER_ASIAN: usize = 12;
pub(super) const AFRICAN: usize = 13;
pub(super) const CARIBBEAN: usize = 14;
pub(super) const OTHER_BLACK: usize = 15;
pub(super) const ARAB: usize = 16;
pub(super) const OTHER_GROUP: usize = 17;

pub(super) const RELIGION: [&str; 10] = [
    "No religion",
    "Christian",
    "Buddhist",
    "Hindu",
    "Jewish",
    "Muslim",
    "Sikh",
    "Spiritualist or Pagan",
    "Other religion",
    "Not stated",
];

pub(super) const NO_RELIGION: usize = 0;
pub(super) const CHRISTIAN: usize = 1;
pub(super) const HINDU: usize = 3;
pub(super) const MUSLIM: usize = 5;
pub(super) const SIKH: usize = 6;
pub(super) const NOT_STATED: usize = 9;

pub(super) const ECONOMIC_ACTIVITY: [&str; 14] = [
    "Employee: part-time",
    "Employee: full-time",
    "Self-employed with employees: part-time",
    "Self-employed with employees: full-time",
    "Self-employed without employees: part-time",
    "Self-employed without employees: full-time",
    "Unemployed",
    "Full-time student: in work or seeking it",
    "Retired",
    "Student: not seeking work",
    "Looking after home or family",
    "Long-term sick or disabled",
    "Other: not seeking work",
    "Not applicable: under 16",
];

pub(super) const PART_TIME: usize = 0;
pub(super) const FULL_TIME: usize = 1;
pub(super) const LAST_SELF_EMPLOYED: usize = 5;
pub(super) const UNEMPLOYED: usize = 6;
pub(super) const STUDENT_ACTIVE: usize = 7;
pub(super) const RETIRED: usize = 8;
pub(super) const STUDENT_INACTIVE: usize = 9;
pub(super) const HOME: usize = 10;
pub(super) const SICK: usize = 11;
pub(super) const UNDER_16: usize = 13;

pub(super) const INDUSTRY: [&str; 18] = [
    "Agriculture, forestry and fishing",
    "Mining and quarrying",
    "Manufacturing",
    "Energy, water and waste",
    "Construction",
    "Wholesale and retail",
    "Transport and storage",
    "Accommodation and food",
    "Information and communication",
    "Finance and insurance",
    "Real estate",
    "Professional, scientific and technical",
    "Administrative and support services",
    "Public administration and defence",
    "Education",
    "Health and social work",
    "Arts and other services",
    "Not applicable",
];

pub(super) const TRANSPORT: usize = 6;
pub(super) const FOOD: usize = 7;
pub(super) const INFORMATION: usize = 8;
pub(super) const HEALTH_WORK: usize = 15;
pub(super) const NO_INDUSTRY: usize = 17;

pub(super) const OCCUPATION: [&str; 10] = [
    "Managers, directors and senior officials",
    "Professional occupations",
    "Associate professional and technical",
    "Administrative and secretarial",
    "Skilled trades",
    "Caring, leisure and other service",
    "Sales and customer service",
    "Process, plant and machine operatives",
    "Elementary occupations",
    "Not applicable",
];

pub(super) const NO_OCCUPATION: usize = 9;

pub(super) const MARITAL_STATUS: [&str; 6] =
    ["Single", "Married", "In a civil partnership", "Separated", "Divorced", "Widowed"];

pub(super) const SINGLE: usize = 0;
pub(super) const MARRIED: usize = 1;
pub(super) const CIVIL_PARTNERSHIP: usize = 2;
pub(super) const SEPARATED: usize = 3;
pub(super) const DIVORCED: usize = 4;
pub(super) const WIDOWED: usize = 5;

pub(super) const HEALTH: [&str; 5] = ["Very good", "Good", "Fair", "Bad", "Very bad"];
