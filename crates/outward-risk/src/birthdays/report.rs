//! Answers about birthdays as documents: the paper's tables and figures, from the data given.

use outward_report::format::{count, number, share};
use outward_report::{
    Axis, Block, Chart, Column, Figure, Lines, Plot, PlotPoint, Report, Section, Series, Table, Tone, Value, Verdict,
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    ConfidencePoint, ConfidenceTable, LocalitySharing, MatchReport, OverlapReport, PlaceSharing, PlaceSize, Prediction,
    Resolution, ResolutionShare,
};

/// The paper's Table 1: share, confidence, people.
const PAPER: [(f64, f64, u64); 6] =
    [(0.05, 0.8, 972), (0.05, 0.9, 952), (0.05, 0.95, 940), (0.95, 0.8, 14), (0.95, 0.9, 11), (0.95, 0.95, 6)];
/// Places listed in a table; the JSON output has all.
const PLACES_LISTED: usize = 12;
/// Points of a line over places; each is the mean of about as many places.
const POINTS: usize = 24;

fn footer() -> Vec<String> {
    vec![
        format!("Made with Outward {}.", env!("CARGO_PKG_VERSION")),
        "After Gibbon and Aisbett, Matching records on birthdate, sex and locality. Method: docs/methods/birthdays.md."
            .to_owned(),
    ]
}

fn resolution_name(resolution: Resolution) -> &'static str {
    match resolution {
        Resolution::Day => "day",
        Resolution::Week => "week",
        Resolution::Month => "month",
        Resolution::Quarter => "quarter",
        Resolution::Year => "year",
    }
}

fn known_words(resolution: Resolution, sex_known: bool) -> String {
    let sex = if sex_known { " and sex" } else { "" };
    match resolution {
        Resolution::Day => format!("date of birth{sex}"),
        other => format!("{} of birth{sex}", resolution_name(other)),
    }
}

fn chart(title: &str, note: &str, plot: Lines) -> Block {
    Block::Chart(Chart { title: title.to_owned(), note: note.to_owned(), plot: Plot::Lines(plot) })
}

fn lines(x: Axis, y: Axis, series: Vec<Series>) -> Lines {
    Lines { x, y, series, marks: Vec::new(), threshold: None }
}

/// The paper's Table 1 beside the exact one, and Figure 2 by both laws.
pub fn confidence_report(
    printed: &ConfidenceTable,
    exact: &ConfidenceTable,
    printed_curves: &[(f64, Vec<ConfidencePoint>)],
    exact_curves: &[(f64, Vec<ConfidencePoint>)],
) -> Report {
    let columns = [
        Column::right("Share unique"),
        Column::right("Confidence"),
        Column::right("In the paper"),
        Column::right("Its formula, chance rounded"),
        Column::right("Its formula"),
        Column::right("Exact law"),
    ];
    let mut table = Table::new(
        "The largest group in which at least the share of people has a birthday that nobody else has",
        columns,
    );
    let in_paper = |share: f64, confidence: f64| {
        PAPER.iter().find(|(s, c, _)| (*s, *c) == (share, confidence)).map(|(_, _, people)| *people)
    };
    table.rows = (printed.cells.iter().zip(&exact.cells))
        .map(|(printed, exact)| {
            vec![
                Value::Share(printed.share),
                Value::Share(printed.confidence),
                in_paper(printed.share, printed.confidence).into(),
                printed.largest_rounded.into(),
                printed.largest.into(),
                exact.largest.into(),
            ]
        })
        .collect();
    let curves = |curves: &[(f64, Vec<ConfidencePoint>)]| -> Vec<Series> {
        let points = |points: &[ConfidencePoint]| -> Vec<PlotPoint> {
            let every = (points.len() / 200).max(1);
            points.iter().step_by(every).map(|at| PlotPoint { x: at.people as f64, y: at.probability }).collect()
        };
        curves
            .iter()
            .map(|(wanted, curve)| Series { name: format!("{} unique", share(*wanted)), points: points(curve) })
            .collect()
    };
    let figure = |title: &str, series| {
        chart(title, "", lines(Axis::counts("People in the group"), Axis::shares("Chance"), series))
    };
    let section = Section {
        intro: "The formula that the paper prints counts even splits of the birthdays too often: once for each choice of the \
            person who is taken out first for a day. The people left over then look more evenly spread than they are, and fewer \
            seem to be alone. Read the exact column. A share of the people is rounded up to a whole number. In the column of rounded \
            chances they have as many decimals as the confidence, as the paper seems to have done."
            .to_owned(),
        blocks: vec![
            Block::Table(table),
            figure("By the exact law", curves(exact_curves)),
            figure("By the law as printed", curves(printed_curves)),
        ],
        ..Section::new("table", "How large a group may be")
    };
    Report {
        title: "Birthdays of one's own".to_owned(),
        subtitle: format!("{} days, equally likely", count(u64::from(exact.days))),
        verdict: Verdict {
            tone: Tone::Neutral,
            headline: "The paper's Table 1, as its formula is printed and as the exact law has it".to_owned(),
            ..Verdict::default()
        },
        sections: vec![section],
        footer: footer(),
    }
}

/// Places from their age–sex table.
pub fn locality_report(
    source: &str,
    sharing: &LocalitySharing,
    resolutions: &[ResolutionShare],
    overlap: Option<&OverlapReport>,
    wanted: Option<&Inverse>,
) -> Report {
    let overall = &sharing.overall;
    let known = known_words(sharing.resolution, sharing.sex_known);
    let mut sections = vec![places_section(sharing), resolutions_section(resolutions, sharing.sex_known)];
    sections.extend(wanted.map(|wanted| inverse_section(wanted, true)));
    sections.extend(overlap.map(overlap_section));
    Report {
        title: format!("Alone with {known} in {source}"),
        subtitle: format!("{} places · {} people", count(sharing.places.len() as u64), number(overall.people, 0)),
        verdict: verdict(overall, &known),
        sections,
        footer: footer(),
    }
}

fn verdict(overall: &PlaceSharing, known: &str) -> Verdict {
    let tone = match overall.unique {
        unique if unique >= 0.001 => Tone::Caution,
        _ => Tone::Neutral,
    };
    Verdict {
        tone,
        headline: format!(
            "{} of people are expected to be alone with their {known} where they live",
            share(overall.unique)
        ),
        detail: "Someone who knows these things about a person finds that person's record, and no other.".to_owned(),
        figures: vec![
            Figure::new(Value::Number(overall.people, 0), "people"),
            Figure::new(Value::Number(overall.unique_people, 0), "expected alone"),
            Figure::new(overall.shared_by.get(1).map(|pairs| Value::Share(*pairs)), "in pairs"),
            Figure::new(overall.shared_by.get(2).map(|threes| Value::Share(*threes)), "in threes"),
        ],
    }
}

fn places_section(sharing: &LocalitySharing) -> Section {
    let columns = [
        Column::left("Place"),
        Column::right("People"),
        Column::right("Alone"),
        Column::right("In pairs"),
        Column::right("In threes"),
    ];
    let mut places: Vec<&PlaceSharing> = sharing.places.iter().collect();
    places.sort_by(|a, b| a.people.total_cmp(&b.people).then_with(|| a.place.cmp(&b.place)));
    // The extremes are what matters: half of the list from each end.
    let shown: Vec<&PlaceSharing> = if places.len() <= PLACES_LISTED {
        places.clone()
    } else {
        let half = PLACES_LISTED / 2;
        places[..half].iter().chain(&places[places.len() - half..]).copied().collect()
    };
    let mut table = Table::new("Places, smallest and largest", columns);
    let group = |place: &PlaceSharing, at: usize| place.shared_by.get(at).map(|share| Value::Share(*share)).into();
    table.rows = shown
        .iter()
        .map(|place| {
            vec![
                place.place.as_str().into(),
                Value::Number(place.people, 0),
                Value::Share(place.unique),
                group(place, 1),
                group(place, 2),
            ]
        })
        .collect();
    table.more = (places.len() > shown.len())
        .then(|| format!("and {} more in the JSON output", count((places.len() - shown.len()) as u64)));
    let mut blocks = vec![Block::Table(table)];
    if places.len() > 2 {
        let line = |name: &str, of: &dyn Fn(&PlaceSharing) -> f64| by_size(name, &places, of);
        let series = vec![
            line("alone", &|place| place.unique),
            line("in pairs", &|place| place.shared_by.get(1).copied().unwrap_or(0.0)),
            line("in threes", &|place| place.shared_by.get(2).copied().unwrap_or(0.0)),
        ];
        let plot = lines(Axis::counts("People in the place").log(), Axis::shares("Share of people"), series);
        blocks.push(chart("Expected shares by the size of the place", "Means of places of about one size.", plot));
    }
    Section {
        intro: "For each age and sex: the chance that nobody else has the same birthday. Shown is the mean over all people."
            .to_owned(),
        blocks,
        ..Section::new("places", "Place by place")
    }
}

/// A line over places, each point the mean of places next to each other in size.
fn by_size<T>(name: &str, places: &[T], of: impl Fn(&PlaceSharing) -> f64) -> Series
where
    T: std::ops::Deref<Target = PlaceSharing>,
{
    let size = places.len().div_ceil(POINTS).max(1);
    let mean = |chunk: &[T], of: &dyn Fn(&PlaceSharing) -> f64| {
        chunk.iter().map(|place| of(place)).sum::<f64>() / chunk.len() as f64
    };
    let point = |chunk: &[T]| PlotPoint { x: mean(chunk, &|place| place.people), y: mean(chunk, &of) };
    Series { name: name.to_owned(), points: places.chunks(size).map(point).collect() }
}

fn resolutions_section(resolutions: &[ResolutionShare], sex_known: bool) -> Section {
    let mut table = Table::new("Coarser dates of birth", [Column::left("Known of the birth"), Column::right("Alone")]);
    table.rows = resolutions
        .iter()
        .map(|at| vec![known_words(at.resolution, sex_known).into(), Value::Share(at.unique)])
        .collect();
    Section {
        intro: "How many would be alone if less of the date of birth were known.".to_owned(),
        blocks: vec![Block::Table(table)],
        ..Section::new("coarser", "Coarser dates of birth")
    }
}

fn overlap_section(overlap: &OverlapReport) -> Section {
    let all = &overlap.overall;
    let mut table = Table::new(
        "Matching the second file to all people",
        [Column::left("Of the second file's people"), Column::right("Share")],
    );
    table.rows = vec![
        vec!["matched with certainty".into(), Value::Share(all.certain)],
        vec!["not alone among all people, so discarded".into(), Value::Share(all.discarded)],
        vec!["alone in the second file".into(), Value::Share(all.alone_in_second)],
        vec![
            "alone there but not among all: a match that looks certain and is not".into(),
            Value::Share(all.falsely_alone),
        ],
        vec![
            "uncertain candidates among all people, per person of the second file".into(),
            Value::Number(all.uncertain_candidates, 3),
        ],
    ];
    Section {
        intro: format!("A second file holds {} of the people.", share(overlap.share_in_second)),
        blocks: vec![Block::Table(table)],
        ..Section::new("overlap", "Two files")
    }
}

/// The inverse: how large a place must be, or how coarse the date of birth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Inverse {
    /// The share of unique people that is wanted.
    pub wanted: f64,
    /// The largest place in which at least that share is unique; none if every size has it.
    pub largest_place: Option<PlaceSize>,
    /// The smallest place in which at most that share is unique; none if no size is enough.
    pub smallest_place: Option<PlaceSize>,
    /// In the places asked about, the most of a date of birth that leaves at most that share unique.
    pub finest: Option<ResolutionShare>,
    /// In the places asked about, the least of a date of birth that makes at least that share unique.
    pub coarsest: Option<ResolutionShare>,
}

fn inverse_section(inverse: &Inverse, has_place: bool) -> Section {
    let columns = [Column::left("Question"), Column::right("Answer"), Column::right("Share alone")];
    let mut table = Table::new("Sizes and dates", columns);
    let size = |size: Option<PlaceSize>| -> [Value; 2] {
        [size.map(|size| size.people).into(), size.map(|size| Value::Share(size.unique)).into()]
    };
    let date = |at: Option<ResolutionShare>| -> [Value; 2] {
        [at.map(|at| resolution_name(at.resolution)).into(), at.map(|at| Value::Share(at.unique)).into()]
    };
    let mut row = |question: String, [answer, leads]: [Value; 2]| table.rows.push(vec![question.into(), answer, leads]);
    let wanted = share(inverse.wanted);
    row(format!("largest place where at least {wanted} are alone"), size(inverse.largest_place));
    row(format!("smallest place where at most {wanted} are alone"), size(inverse.smallest_place));
    if has_place {
        row(format!("finest date of birth that leaves at most {wanted} alone here"), date(inverse.finest));
        row(format!("coarsest date of birth that makes at least {wanted} alone here"), date(inverse.coarsest));
    }
    Section {
        intro:
            "How large a place with these ages and sexes must be, or how coarse the date of birth, for a wanted share."
                .to_owned(),
        blocks: vec![Block::Table(table)],
        ..Section::new("inverse", "How large, how coarse")
    }
}

/// One place of a given size, or the size for a wanted share.
pub fn place_report(
    sharing: Option<&LocalitySharing>,
    resolutions: &[ResolutionShare],
    overlap: Option<&OverlapReport>,
    wanted: Option<&Inverse>,
) -> Report {
    let mut sections: Vec<Section> =
        wanted.map(|wanted| inverse_section(wanted, sharing.is_some())).into_iter().collect();
    if let Some(sharing) = sharing {
        sections.push(resolutions_section(resolutions, sharing.sex_known));
    }
    sections.extend(overlap.map(overlap_section));
    let verdict = match sharing {
        Some(sharing) => verdict(&sharing.overall, &known_words(sharing.resolution, sharing.sex_known)),
        None => Verdict { headline: "How large a place must be".to_owned(), ..Verdict::default() },
    };
    Report {
        title: "A place by its size".to_owned(),
        subtitle: "a generic age curve; give the age–sex table of the place for its own".to_owned(),
        verdict,
        sections,
        footer: footer(),
    }
}

/// Dates of birth compared with what their years predict, and two files matched.
pub fn match_report(source: &str, prediction: &Prediction, matched: Option<&MatchReport>) -> Report {
    let (actual, predicted) = (&prediction.overall.actual, &prediction.overall.predicted);
    let mut sections: Vec<Section> = matched.map(matched_section).into_iter().collect();
    sections.push(prediction_section(prediction));
    Report {
        title: format!("Birthdays in {source}: predicted and actual"),
        subtitle: format!("{} places · {} people", count(prediction.places.len() as u64), number(actual.people, 0)),
        verdict: Verdict {
            tone: Tone::Neutral,
            headline: format!(
                "{} of people are alone on birthday, sex and place; {} were predicted",
                share(actual.unique),
                share(predicted.unique)
            ),
            detail: "The prediction knows only how many people of each sex and year of birth a place has.".to_owned(),
            figures: vec![
                Figure::new(Value::Number(actual.unique_people, 0), "alone"),
                Figure::new(Value::Number(predicted.unique_people, 0), "predicted"),
                Figure::new(
                    Value::Number(100.0 * prediction.mean_absolute_difference, 2),
                    "points apart on average over places",
                ),
                Figure::new(prediction.far_below.len() as u64, "places far below the prediction"),
            ],
        },
        sections,
        footer: footer(),
    }
}

fn matched_section(matched: &MatchReport) -> Section {
    let all = &matched.overall;
    let mut table = Table::new(
        "The second file's people",
        [Column::left("Outcome"), Column::right("People"), Column::right("Share")],
    );
    let of = |people: u64| if all.second == 0 { 0.0 } else { people as f64 / all.second as f64 };
    let mut row = |what: &str, people: u64| table.rows.push(vec![what.into(), people.into(), Value::Share(of(people))]);
    row("matched: alone in both files", all.unique_matches);
    row("discarded: the identifier fits several people", all.ambiguous);
    row("not in the first file", all.unmatched);
    row("alone in the second file, but not in the first", all.falsely_alone);
    Section {
        intro: format!(
            "{} people of the second file were looked for among {}. The first file's years of birth predicted {} matches.",
            count(all.second),
            count(all.first),
            number(all.predicted_unique_matches, 0)
        ),
        blocks: vec![Block::Table(table)],
        ..Section::new("matched", "Two files matched")
    }
}

fn prediction_section(prediction: &Prediction) -> Section {
    let mut order: Vec<usize> = (0..prediction.places.len()).collect();
    order.sort_by(|a, b| {
        let people = |at: &usize| prediction.places[*at].actual.people;
        people(a).total_cmp(&people(b)).then(a.cmp(b))
    });
    let actual: Vec<&PlaceSharing> = order.iter().map(|at| &prediction.places[*at].actual).collect();
    let predicted: Vec<&PlaceSharing> = order.iter().map(|at| &prediction.places[*at].predicted).collect();
    let mut blocks = Vec::new();
    if order.len() > 2 {
        let axes = |series| lines(Axis::counts("People in the place").log(), Axis::shares("Share of people"), series);
        let alone = vec![
            by_size("actual", &actual, |place| place.unique),
            by_size("predicted", &predicted, |place| place.unique),
        ];
        blocks.push(chart("Alone with date of birth and sex", "The paper's Figure 4.", axes(alone)));
        let group = |at: usize| move |place: &PlaceSharing| place.shared_by.get(at).copied().unwrap_or(0.0);
        let shared = vec![
            by_size("predicted alone", &predicted, |place| place.unique),
            by_size("actual, shared by two", &actual, group(1)),
            by_size("actual, shared by three", &actual, group(2)),
            by_size("actual, shared by four", &actual, group(3)),
        ];
        blocks.push(chart("Sharing a date of birth", "The paper's Figure 5.", axes(shared)));
    }
    let columns = [
        Column::left("Place"),
        Column::right("People"),
        Column::right("Alone"),
        Column::right("Predicted"),
        Column::right("Difference, standard errors"),
    ];
    let mut table = Table::new("Places furthest from the prediction", columns);
    let errors = |at: usize| {
        let place = &prediction.places[at];
        let error = place.standard_error;
        if error > 0.0 { (place.actual.unique - place.predicted.unique) / error } else { 0.0 }
    };
    order.sort_by(|a, b| errors(*b).abs().total_cmp(&errors(*a).abs()).then(a.cmp(b)));
    table.rows = (order.iter().take(PLACES_LISTED))
        .map(|at| {
            let place = &prediction.places[*at];
            vec![
                place.actual.place.as_str().into(),
                Value::Number(place.actual.people, 0),
                Value::Share(place.actual.unique),
                Value::Share(place.predicted.unique),
                Value::Number(errors(*at), 1),
            ]
        })
        .collect();
    blocks.push(Block::Table(table));
    let intro = match prediction.correlation {
        Some(correlation) => {
            format!("Over places, actual and predicted shares correlate at {}.", number(correlation, 3))
        }
        None => String::new(),
    };
    Section { intro, blocks, ..Section::new("prediction", "Prediction against fact") }
}
