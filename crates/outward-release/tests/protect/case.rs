//! Random specs: which keys there are, what the policy asks, what is done in which order.

use outward_spec::Spec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;

use super::people::{Household, csv, households};

/// Records and what is to become of them.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) households: Vec<Household>,
    /// What stands around numbers and in the place of missing values.
    blank: &'static str,
    pub(crate) spec: String,
}

/// The hierarchy file of the regions.
pub(crate) const REGIONS: &str = "North;Upper\nEast;Upper\nSouth;Lower\nWest;Lower\n";

/// The variables that may be keys, with their hierarchies.
const KEYS: [(&str, &str); 4] = [
    ("age", "type = \"integer\"\nvisibility = \"high\"\nhierarchy = { widths = [10, 30] }"),
    (
        "job",
        "hierarchy = { tree = { food = [\"baker\", \"miller\"], health = [\"nurse\", \"doctor\"], other = [\"driver\", \"clerk\"] } }",
    ),
    ("ward", "hierarchy = { prefix = [2, 1] }"),
    ("born", "type = \"date\"\nhierarchy = { date = [\"year\", \"decade\"] }"),
];

const OTHERS: &str = r#"
[[variables]]
name = "form"
type = "integer"

[[variables]]
name = "household"
role = "household"

[[variables]]
name = "illness"
role = "sensitive"
hierarchy = { tree = { well = ["none"], ill = ["cold", "asthma", "gout", "angina"] } }

[[variables]]
name = "income"
type = "integer"

[[variables]]
name = "hours"
type = "number"
"#;

pub(crate) fn case() -> impl Strategy<Value = Case> {
    let steps = (prop::collection::vec(step(), 0..5), prop::option::weighted(0.75, last_step()));
    let blank = select(vec!["", "", "", " ", "\t", "\u{a0}", "\u{2003}"]);
    (households(), blank, head(), policy(), variables(), extras(), steps).prop_map(
        |(households, blank, head, policy, variables, extras, (steps, last))| {
            let mut spec = format!("{head}\n[data]\npath = \"people.csv\"\n{policy}{variables}{OTHERS}{extras}");
            // A step may name what an earlier one dropped: that is refused before anything begins, and tells us nothing.
            for step in steps.into_iter().chain(last) {
                let longer = format!("{spec}\n[[steps]]\n{step}\n");
                if Spec::parse(&longer, "outward.toml").is_ok() {
                    spec = longer;
                }
            }
            Case { households, blank, spec }
        },
    )
}

/// As the files that show it again.
impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "outward.toml:\n{}\npeople.csv:\n{}", self.spec, self.csv())
    }
}

impl Case {
    pub(crate) fn csv(&self) -> String {
        csv(&self.households, self.blank)
    }
}

fn head() -> impl Strategy<Value = String> {
    let missing = select(vec!["wildcard", "category"]);
    let fraction = select(vec!["", "", "sampling_fraction = 0.2\n"]);
    (missing, fraction, 0..1000u64)
        .prop_map(|(missing, fraction, seed)| format!("missing = \"{missing}\"\n{fraction}seed = {seed}\n"))
}

/// Two to four keys, the region among them; the others are plain.
fn variables() -> impl Strategy<Value = String> {
    let region = "\n[[variables]]\nname = \"region\"\nrole = \"geography\"\nvisibility = \"high\"\nhierarchy = { file = \"regions.csv\" }\n";
    let missing = select(vec!["", "", "", "missing = \"wildcard\"\n", "missing = \"category\"\n"]);
    (prop::sample::subsequence(vec![0, 1, 2, 3], 1..=3), missing).prop_map(move |(keys, missing)| {
        let one = |(at, (name, rest)): (usize, &(&str, &str))| {
            let role = match (keys.contains(&at), *name) {
                (false, _) => "plain",
                (true, "born") => "date-of-birth",
                (true, _) => "key",
            };
            let missing = if keys.first() == Some(&at) { missing } else { "" };
            format!("\n[[variables]]\nname = \"{name}\"\nrole = \"{role}\"\n{missing}{rest}\n")
        };
        region.to_owned() + &KEYS.iter().enumerate().map(one).collect::<String>()
    })
}

/// A policy of some of everything that can be asked.
fn policy() -> impl Strategy<Value = String> {
    let k = select(vec!["k = 1\n", "k = 2\n", "k = 3\n", "k = 4\n"]);
    let weak = select(vec![
        "weak_k = [{ name = \"places\", k = 4, keys = [\"region\"] }]\n",
        "weak_k = [{ name = \"seen\", k = 4, visibility = \"high\" }]\n",
        "weak_k = [{ name = \"north\", k = 3, where = \"region = 'North'\" }, { name = \"poor\", k = 2, where = \"income < 9000\" }]\n",
        "weak_k = [{ name = \"ill\", k = 2, keys = [\"region\", \"illness\"] }, { name = \"busy\", k = 3, keys = [\"region\"], where = \"hours > 4 OR illness IS NULL\" }]\n",
    ]);
    let all = select(vec!["all_combinations = { keys = 2, k = 3 }\n", "all_combinations = { keys = 9, k = 2 }\n"]);
    let l = select(vec![
        "l = 2\n",
        "l = 2\nl_measure = \"entropy\"\n",
        "l = 2\nl_measure = \"recursive\"\nl_factor = 3.0\n",
    ]);
    let t =
        select(vec!["t = 0.5\n", "t = 0.3\nt_distance = \"ordered\"\n", "t = 0.6\nt_distance = \"hierarchical\"\n"]);
    let risk = select(vec![
        "average_risk = 0.2\n",
        "highest_risk = 0.34\n",
        "max_unique_share = 0.02\n",
        "population_unique_share = 0.2\n",
        "population_unique_share = 0.15\n",
        "k_map = 2\n",
        "presence = { least = 0.0, most = 0.95 }\n",
    ]);
    let maybe = |strategy| prop::option::weighted(0.25, strategy);
    (k, maybe(weak.boxed()), maybe(all.boxed()), maybe(l.boxed()), maybe(t.boxed()), maybe(risk.boxed())).prop_map(
        |(k, weak, all, l, t, risk)| {
            let asked: String = [weak, all, l, t, risk].into_iter().flatten().collect();
            let of_population = ["k_map", "presence", "0.15"].iter().any(|word| asked.contains(word));
            let population = if of_population { "\n[population]\npath = \"people.csv\"\n" } else { "" };
            format!("{population}\n[policy]\n{k}{asked}")
        },
    )
}

/// A scenario, or another kind of file.
fn extras() -> impl Strategy<Value = String> {
    select(vec![
        "",
        "",
        "",
        "\n[[scenarios]]\nname = \"neighbour\"\nkeys = [\"region\"]\nk = 5\n",
        "\n[[scenarios]]\nname = \"colleague\"\nwhere = \"income >= 1000\"\n",
        "\n[[tables]]\nname = \"places\"\nvariables = [\"region\", \"illness\"]\n",
        "\n[[outputs]]\npath = \"people.parquet\"\n",
        "\n[[outputs]]\npath = \"people.xlsx\"\n",
    ])
    .prop_map(str::to_owned)
}

/// One step of any kind.
fn step() -> impl Strategy<Value = String> {
    let columns = vec![
        "do = \"drop\"\nvariables = [\"household\"]",
        "do = \"drop\"\nvariables = [\"ward\", \"hours\"]",
        "do = \"drop\"\nvariables = [\"illness\"]",
        "do = \"recode\"\nvariable = \"age\"\nlevel = 1",
        "do = \"recode\"\nvariable = \"age\"\nlevel = 2",
        "do = \"recode\"\nvariable = \"job\"\nlevel = 1",
        "do = \"recode\"\nvariable = \"ward\"\nlevel = 2",
        "do = \"recode\"\nvariable = \"born\"\nlevel = 1",
        "do = \"recode\"\nvariable = \"region\"\nlevel = 1",
        "do = \"recode\"\nvariable = \"illness\"\nlevel = 1",
    ];
    let numbers = vec![
        "do = \"limit\"\nvariable = \"income\"\ntop = 40000\nbottom = 500",
        "do = \"limit\"\nvariable = \"income\"\ntop_share = 0.05\npublish = \"mean\"",
        "do = \"limit\"\nvariable = \"income\"\ntop_share = 0.1\nbottom_share = 0.1",
        "do = \"limit\"\nvariable = \"hours\"\ntop = 9.5\npublish = \"label\"",
        "do = \"limit\"\nvariable = \"age\"\ntop_share = 0.1\npublish = \"label\"",
        "do = \"limit\"\nvariable = \"age\"\ntop = 60",
        "do = \"round\"\nvariables = [\"income\"]\nbase = 500",
        "do = \"round\"\nvariables = [\"income\", \"hours\"]\nbase = 5\nunbiased = true",
        "do = \"round\"\nvariables = [\"hours\"]\nbase = 0.3",
        "do = \"round\"\nvariables = [\"age\"]\nbase = 10",
        "do = \"microaggregate\"\nvariables = [\"income\", \"hours\"]",
        "do = \"microaggregate\"\nvariables = [\"income\"]\nk = 4\npublish = \"median\"",
        "do = \"noise\"\nvariables = [\"income\", \"hours\"]\nkind = \"correlated\"",
        "do = \"noise\"\nvariables = [\"hours\"]\nkind = \"additive\"\namount = 0.5",
        "do = \"noise\"\nvariables = [\"age\"]",
        "do = \"rank-swap\"\nvariables = [\"income\", \"age\"]\ndistance = 0.1",
    ];
    let records = vec![
        "do = \"keep\"\nwhere = \"income > 2000\"",
        "do = \"keep\"\nwhere = \"region <> 'West'\"",
        "do = \"remove-rare\"\nvariable = \"job\"\nleast = 3\nwithin = [\"region\"]",
        "do = \"remove-rare\"\nvariable = \"illness\"\nleast = 4",
        "do = \"remove-uniques\"\nkeys = [\"job\", \"ward\"]\nwithin = [\"region\"]",
        "do = \"remove-uniques\"\nkeys = [\"age\"]\nk = 3",
        "do = \"sample\"\nfraction = 0.6",
        "do = \"sample\"\nfraction = 0.7\nhouseholds = true",
        "do = \"sample\"\nsize = 25\nmethod = \"stratified\"\nby = [\"region\"]",
        "do = \"sample\"\nfraction = 0.5\nmethod = \"systematic\"\nby = [\"region\", \"age\"]",
    ];
    let values = vec![
        "do = \"swap\"\ngeography = [\"region\"]\nk = 3",
        "do = \"swap\"\ngeography = [\"region\"]\nshare = 0.2\nsimilar = [[\"job\"]]\nhold = [[\"job\"], [\"illness\"]]",
        "do = \"swap\"\ngeography = [\"region\", \"ward\"]\nk = 2\nkeys = [\"age\"]\nhold = [[\"age\", \"job\"]]",
        "do = \"shuffle\"",
        "do = \"pram\"\nvariables = [\"job\", \"illness\"]",
        "do = \"pram\"\nvariables = [\"job\", \"age\"]\nwithin = [\"region\"]\nshare = 1.0",
    ];
    let one = |steps: Vec<&'static str>| select(steps).prop_map(str::to_owned).boxed();
    Union::new([one(columns), one(numbers), one(records), one(values), last_step().boxed()])
}

/// A step that tries to meet the policy.
fn last_step() -> impl Strategy<Value = String> {
    select(vec![
        "do = \"suppress-cells\"",
        "do = \"suppress-cells\"\nown = true",
        "do = \"suppress-cells\"\nk = 3\nimportance = { region = 3.0 }",
        "do = \"suppress-cells\"\nkeys = [\"region\", \"job\"]",
        "do = \"suppress-records\"\nlimit = 1.0",
        "do = \"suppress-records\"\nlimit = 1.0",
        "do = \"recode-locally\"\nlimit = 1.0",
        "do = \"recode-locally\"\nlimit = 0.1",
    ])
    .prop_map(str::to_owned)
}
